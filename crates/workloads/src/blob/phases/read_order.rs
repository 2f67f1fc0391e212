//! The order in which blobs are read.

use std::sync::Arc;

use crate::blob::stored::batch::Batch;
use crate::sequence::AtWork;

/// The order in which one worker reads its blobs: a cycle that continues from slice to slice. Each
/// worker has blobs in proportion to its connections, so that all workers end at about the same
/// time.
pub(crate) struct ReadOrder {
    batch: Arc<Batch>,
    /// Number of the worker's blobs.
    count: u64,
    connections: u64,
    /// Index of the worker's first connection; `own` is the worker's number of connections.
    first: u64,
    own: u64,
    /// Index of the next blob, not reduced modulo `count`.
    at: u64,
    /// Number of blobs that can still be read in this slice.
    left: u64,
    course: AtWork,
}

impl ReadOrder {
    /// The share of worker `worker` of `workers` in the first `count` positions of a batch. Each
    /// position is read at most once per slice unless `again` is set.
    pub(crate) fn new(
        batch: &Arc<Batch>,
        count: u64,
        again: bool,
        (connections, worker, workers): (usize, usize, usize),
        course: AtWork,
    ) -> Self {
        let share = |worker: usize| {
            let more = u64::from(worker < connections % workers);
            (connections / workers) as u64 + more
        };
        let first: u64 = (0..worker).map(share).sum();
        let (own, connections) = (share(worker).max(1), connections.max(workers) as u64);
        let beyond = (count % connections).saturating_sub(first).min(own);
        let mine = count / connections * own + beyond;
        // With fewer blobs than connections, a worker can have none: it reads those of all.
        let (mine, connections, first, own) = if again && mine == 0 {
            (count, 1, 0, 1)
        } else {
            (mine, connections, first, own)
        };
        Self {
            batch: Arc::clone(batch),
            count: mine,
            connections,
            first,
            own,
            at: course.at(),
            left: if again { u64::MAX } else { mine },
            course,
        }
    }

    pub(crate) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Position of the next blob that is not deleted; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<u64> {
        if self.course.is_through() {
            return None;
        }
        // After one full cycle without a result, all blobs are deleted.
        for _ in 0..self.count {
            self.left = self.left.checked_sub(1)?;
            let place = self.at % self.count;
            self.at += 1;
            let turn = place / self.own;
            let position = turn * self.connections + self.first + place % self.own;
            if !self.batch.is_gone(position) && !self.batch.is_being_deleted(position) {
                self.course.send(position);
                return Some(position);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::blob::stored::batch::{Entry, Page};
    use crate::sequence::Cursors;
    use crate::shared::held;

    fn batch(count: u64) -> Arc<Batch> {
        let mut page = Page::default();
        for number in 0..count {
            let entry = Entry {
                number,
                size: 1,
                location: b"",
            };
            page.push(entry);
        }
        Arc::new(Batch::of(vec![page]))
    }

    fn read(batch: &Arc<Batch>, again: bool, most: usize, home: &Arc<Mutex<Cursors>>) -> Vec<u64> {
        let mut read = Vec::new();
        for worker in 0..2 {
            let course = AtWork::new(home, worker);
            let mut round = ReadOrder::new(batch, batch.len(), again, (5, worker, 2), course);
            read.extend(std::iter::from_fn(|| round.next()).take(most));
        }
        read
    }

    #[test]
    fn every_blob_is_read_once_by_one_of_the_workers() {
        for count in [0, 1, 4, 5, 13, 1_000] {
            let home = Arc::new(Mutex::new(Cursors::new(2, true)));
            for _slice in 0..3 {
                let mut all = read(&batch(count), false, usize::MAX, &home);
                all.sort_unstable();
                assert_eq!(all, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_next_slice_goes_on_and_what_is_gone_is_left_out() {
        let home = Arc::new(Mutex::new(Cursors::new(2, true)));
        let batch = batch(10);
        assert_eq!(read(&batch, true, 2, &home), [0, 1, 3, 4]);
        batch.note_gone(5);
        assert_eq!(read(&batch, true, 2, &home), [2, 6, 8, 9]);
        held(&home).ends_at(Some(&[5, 4]));
        // The stored position counts only blobs that were read, and no skipped deleted blobs.
        assert_eq!(read(&batch, true, 9, &home), [6]);
        assert_eq!(held(&home).position().workers, [5, 4]);
    }
}
