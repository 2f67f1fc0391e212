//! Objects that existed in buckets before the run.

/// An entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) key: String,
    pub(crate) size: u64,
    /// Number of parts, from the end of the ETag; 0 for an object stored by one PUT.
    pub(crate) parts: u64,
}

/// Objects that existed before the run, numbered from 0 in the order of the listing. All keys are
/// in one text, because there can be millions of objects.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    keys: String,
    /// End of each key in the text.
    ends: Vec<usize>,
    sizes: Vec<u64>,
    parts: Vec<u32>,
    buckets: Vec<u16>,
}

/// Maximum number of objects that are kept.
pub(crate) const MOST_FOUND: usize = 4_000_000;

impl Catalogue {
    /// Adds an object; returns false if the catalogue is full.
    pub(crate) fn add(&mut self, bucket: usize, item: &Item) -> bool {
        if self.len() >= MOST_FOUND {
            return false;
        }
        self.keys.push_str(&item.key);
        self.ends.push(self.keys.len());
        self.sizes.push(item.size);
        self.parts.push(item.parts.try_into().unwrap_or(u32::MAX));
        self.buckets.push(bucket as u16);
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the catalogue has an object with this number.
    pub(crate) fn has(&self, object: u64) -> bool {
        object < self.len() as u64
    }

    pub(crate) fn key(&self, object: u64) -> &str {
        let at = object as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.keys[from..self.ends[at]]
    }

    pub(crate) fn bucket(&self, object: u64) -> usize {
        self.buckets[object as usize].into()
    }

    pub(crate) fn size(&self, object: u64) -> u64 {
        self.sizes[object as usize]
    }

    pub(crate) fn parts(&self, object: u64) -> u64 {
        self.parts[object as usize].into()
    }

    /// Size of each object, bytes.
    pub(crate) fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}
