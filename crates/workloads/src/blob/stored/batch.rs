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
    /// Numbers of the stored blobs that were deleted in the same slice.
    pub(crate) deleted: Vec<u64>,
    /// Numbers of the stored blobs whose deletion was requested in the same slice, and not
    /// acknowledged.
    pub(crate) perhaps_deleted: Vec<u64>,
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

    /// Numbers of the blobs.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The blobs.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.numbers.len()).map(|at| self.entry(at))
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
    /// Entries whose blob is deleted.
    gone: Bits,
    /// Entries whose deletion was requested in this slice and has no known outcome.
    unsure: Bits,
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
            gone: Bits::new(len),
            unsure: Bits::new(len),
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
        self.gone.get(at)
    }

    pub(crate) fn note_gone(&self, at: u64) {
        self.gone.set(at);
        self.unsure.clear(at);
    }

    /// Records that the deletion of the blob is about to be requested.
    pub(crate) fn note_requested(&self, at: u64) {
        self.unsure.set(at);
    }

    /// Records that a requested deletion was refused.
    pub(crate) fn note_kept(&self, at: u64) {
        self.unsure.clear(at);
    }

    /// Whether the deletion of the blob was requested in this slice and has no known outcome.
    pub(crate) fn is_unsure(&self, at: u64) -> bool {
        self.unsure.get(at)
    }

    /// Deleted entries, and entries whose requested deletion has no known outcome: one bit per
    /// entry.
    pub(crate) fn outcomes(&self) -> (Vec<u64>, Vec<u64>) {
        (self.gone.words(), self.unsure.words())
    }

    /// Adds the outcomes of deletions on other machines, as returned by [`Batch::outcomes`]. Returns
    /// false if they are not those of this batch.
    pub(crate) fn add_outcomes(&self, gone: &[u64], unsure: &[u64]) -> bool {
        let fit = self.gone.fits(gone, self.len) && self.unsure.fits(unsure, self.len);
        if fit {
            self.gone.add(gone);
            self.unsure.add(unsure);
        }
        fit
    }

    /// Starts a slice that deletes blobs: no deletion is requested.
    pub(crate) fn forget_requests(&self) {
        self.unsure.clear_all();
    }

    /// Numbers, ascending, of the blobs that an earlier run was deleting when the run ended.
    pub(crate) fn deleting(&self) -> &[u64] {
        &self.deleting
    }

    /// Number of entries that are not deleted.
    pub(crate) fn left(&self) -> u64 {
        self.len - self.gone.count()
    }

    /// Number of entries that are not deleted and were not being deleted by an earlier run.
    pub(crate) fn readable(&self) -> u64 {
        if self.deleting.is_empty() {
            self.left()
        } else {
            let all = 0..self.len;
            let readable = all.filter(|&at| !self.is_gone(at) && !self.is_being_deleted(at));
            readable.count() as u64
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

/// One bit per entry.
#[derive(Debug, Default)]
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn new(len: u64) -> Self {
        Self((0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn get(&self, at: u64) -> bool {
        let word = self.0[(at / 64) as usize].load(Ordering::Relaxed);
        word >> (at % 64) & 1 == 1
    }

    fn set(&self, at: u64) {
        self.0[(at / 64) as usize].fetch_or(1 << (at % 64), Ordering::Relaxed);
    }

    fn clear(&self, at: u64) {
        self.0[(at / 64) as usize].fetch_and(!(1 << (at % 64)), Ordering::Relaxed);
    }

    fn clear_all(&self) {
        self.0
            .iter()
            .for_each(|word| word.store(0, Ordering::Relaxed));
    }

    fn count(&self) -> u64 {
        let ones = self.words().into_iter().map(u64::count_ones);
        ones.map(u64::from).sum()
    }

    fn words(&self) -> Vec<u64> {
        let words = self.0.iter();
        words.map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Whether `words` has one bit for each of the `len` entries, and no others are set.
    fn fits(&self, words: &[u64], len: u64) -> bool {
        let used = len % 64;
        let beyond = words
            .last()
            .filter(|_| used > 0)
            .map_or(0, |last| last >> used);
        words.len() == self.0.len() && beyond == 0
    }

    fn add(&self, words: &[u64]) {
        for (own, word) in self.0.iter().zip(words) {
            own.fetch_or(*word, Ordering::Relaxed);
        }
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

    #[test]
    fn outcomes_of_other_machines_are_added_if_they_are_possible() {
        let batch = |len| {
            let mut page = Page::default();
            for number in 0..len {
                page.push(Entry {
                    number,
                    size: 1,
                    location: b"",
                });
            }
            Batch::of(vec![page])
        };
        let (here, there) = (batch(70), batch(70));
        [3, 69].iter().for_each(|&at| there.note_requested(at));
        there.note_requested(5);
        there.note_gone(3);
        there.note_kept(5);
        here.note_gone(4);
        let (gone, unsure) = there.outcomes();
        assert!(here.add_outcomes(&gone, &unsure));
        assert_eq!(here.left(), 68);
        assert!(here.is_gone(3) && here.is_gone(4) && !here.is_gone(69));
        assert!(here.is_unsure(69) && !here.is_unsure(3) && !here.is_unsure(5));
        here.forget_requests();
        assert!(!here.is_unsure(69));
        for wrong in [&[0][..], &[0, 0, 0], &[0, 1 << 6]] {
            assert!(!here.add_outcomes(wrong, &[0, 0]), "{wrong:?}");
            assert!(!here.add_outcomes(&[0, 0], wrong), "{wrong:?}");
        }
        assert!(batch(64).add_outcomes(&[u64::MAX], &[0]));
        assert!(Batch::default().add_outcomes(&[], &[]));
    }
}
