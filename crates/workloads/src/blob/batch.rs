//! The blobs that one slice stored: numbers, sizes and locations, and which of them are deleted.

use std::sync::atomic::{AtomicU64, Ordering};

/// Number, size and location of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// Number that determines the content of the blob.
    pub(crate) number: u64,
    /// Size, bytes.
    pub(crate) size: u64,
    /// Location as received from the server; empty if the number identifies the blob.
    pub(crate) location: &'a [u8],
}

/// Blobs that one worker has stored, in the order in which they were recorded.
#[derive(Debug, Default)]
pub(crate) struct Page {
    numbers: Vec<u64>,
    sizes: Vec<u64>,
    /// End of each location in `bytes`; empty while all locations are empty.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

/// Blobs that the workers of a slice have stored.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) pages: Vec<Page>,
    /// Blobs with a known location and an unacknowledged PUT, which may or may not be stored.
    pub(crate) doubtful: Vec<Page>,
}

impl Page {
    pub(crate) fn push(&mut self, entry: Entry<'_>) {
        if !entry.location.is_empty() || !self.ends.is_empty() {
            self.ends.resize(self.numbers.len(), self.bytes.len());
            self.bytes.extend_from_slice(entry.location);
            self.ends.push(self.bytes.len());
        }
        self.numbers.push(entry.number);
        self.sizes.push(entry.size);
    }

    /// Number of blobs.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether the last blob has this location.
    pub(crate) fn ends_with(&self, location: &[u8]) -> bool {
        let last = self.numbers.len().checked_sub(1);
        let last = last.map(|last| self.entry(last).location);
        !location.is_empty() && last == Some(location)
    }

    fn entry(&self, at: usize) -> Entry<'_> {
        let from = match at {
            0 => 0,
            _ => self.ends.get(at - 1).copied().unwrap_or(0),
        };
        let to = self.ends.get(at).copied().unwrap_or(from);
        Entry {
            number: self.numbers[at],
            size: self.sizes[at],
            location: &self.bytes[from..to],
        }
    }
}

/// Blobs that one slice stored, or that were stored before the run.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pages: Vec<Page>,
    /// Index of the first entry of each page.
    starts: Vec<u64>,
    len: u64,
    /// One bit per entry: whether the blob is deleted.
    gone: Vec<AtomicU64>,
    /// Numbers, ascending, of the blobs that an earlier run was deleting when the run ended. These
    /// blobs may or may not exist.
    deleting: Vec<u64>,
}

impl Batch {
    pub(crate) fn of(pages: Vec<Page>) -> Self {
        let mut len = 0;
        let starts = pages.iter().map(|page| {
            let start = len;
            len += page.numbers.len() as u64;
            start
        });
        let starts = starts.collect();
        Self {
            pages,
            starts,
            len,
            gone: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            deleting: Vec::new(),
        }
    }

    /// Sets the numbers of the blobs that an earlier run was deleting, in ascending order.
    pub(crate) fn with_deleting(self, deleting: Vec<u64>) -> Self {
        Self { deleting, ..self }
    }

    /// Whether an earlier run was deleting the blob when the run ended.
    pub(crate) fn is_being_deleted(&self, at: u64) -> bool {
        !self.deleting.is_empty() && self.deleting.binary_search(&self.entry(at).number).is_ok()
    }

    /// Number of entries, including deleted entries.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The entry at an index below [`Batch::len`].
    pub(crate) fn entry(&self, at: u64) -> Entry<'_> {
        let page = self.starts.partition_point(|&start| start <= at) - 1;
        self.pages[page].entry((at - self.starts[page]) as usize)
    }

    pub(crate) fn is_gone(&self, at: u64) -> bool {
        let word = self.gone[(at / 64) as usize].load(Ordering::Relaxed);
        word >> (at % 64) & 1 == 1
    }

    pub(crate) fn note_gone(&self, at: u64) {
        self.gone[(at / 64) as usize].fetch_or(1 << (at % 64), Ordering::Relaxed);
    }

    /// Number of entries that are not deleted.
    pub(crate) fn left(&self) -> u64 {
        let gone = self.gone.iter();
        let gone: u32 = gone
            .map(|word| word.load(Ordering::Relaxed).count_ones())
            .sum();
        self.len - u64::from(gone)
    }

    /// Number of entries that are not deleted and were not being deleted by an earlier run.
    pub(crate) fn readable(&self) -> u64 {
        match self.deleting.is_empty() {
            true => self.left(),
            false => {
                let all = 0..self.len;
                let readable = all.filter(|&at| !self.is_gone(at) && !self.is_being_deleted(at));
                readable.count() as u64
            }
        }
    }

    /// The lowest number, if the batch has entries.
    pub(crate) fn first_number(&self) -> Option<u64> {
        let pages = self.pages.iter();
        pages.flat_map(|page| page.numbers.iter().copied()).min()
    }

    /// The highest number, if the batch has entries.
    pub(crate) fn last_number(&self) -> Option<u64> {
        let pages = self.pages.iter();
        pages.flat_map(|page| page.numbers.iter().copied()).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were_pushed() {
        let entry = |number, location| Entry {
            number,
            size: number * 10,
            location,
        };
        let mut with = Page::default();
        with.push(entry(1, b"one"));
        with.push(entry(2, b""));
        with.push(entry(3, b"three"));
        assert!(with.ends_with(b"three") && !with.ends_with(b"one"));
        assert!(!Page::default().ends_with(b""));
        let mut without = Page::default();
        without.push(entry(4, b""));
        without.push(entry(5, b""));
        let batch = Batch::of(vec![with, Page::default(), without]);
        assert_eq!(batch.len(), 5);
        let all: Vec<_> = (0..5).map(|at| batch.entry(at)).collect();
        let expected = [
            entry(1, b"one"),
            entry(2, b""),
            entry(3, b"three"),
            entry(4, b""),
            entry(5, b""),
        ];
        assert_eq!(all, expected);
        batch.note_gone(3);
        assert!(batch.is_gone(3) && !batch.is_gone(2));
        assert_eq!(batch.left(), 4);
        assert_eq!(
            (batch.first_number(), batch.last_number()),
            (Some(1), Some(5))
        );
    }
}
