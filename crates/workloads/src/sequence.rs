//! Position of a workload in its request sequence.
//!
//! If the choice of requests matters, for example because requests determine the content of a
//! cache, a workload has one sequence for the whole run: each slice continues where the previous
//! slice ended, and every target of a round receives the same segment.

use std::sync::{Arc, Mutex};

use tenbin_plan::rng::mix;

use crate::shared::held;

/// Position of a workload in its sequence on one target, warm-ups included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Position {
    /// Requests so far, including skipped requests, by worker.
    pub workers: Vec<u64>,
    /// Number of skipped requests so far.
    pub skipped: u64,
    /// Order-independent digest of the sent requests: equal for two targets that received each
    /// request the same number of times. `None` if targets can receive different requests.
    pub digest: Option<u64>,
}

impl Position {
    /// Requests so far, including skipped requests, over all workers.
    pub fn total(&self) -> u64 {
        self.workers.iter().sum()
    }

    /// Number of requests sent so far, over all workers.
    pub fn sent(&self) -> u64 {
        self.total().saturating_sub(self.skipped)
    }
}

/// Position of one worker in its sequence. Used on the request path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cursor {
    /// Requests so far, including skipped requests.
    at: u64,
    /// Position at which the current slice ends; `None` if the slice ends by time.
    end: Option<u64>,
    skipped: u64,
    digest: u64,
}

impl Cursor {
    /// Whether the worker has reached the end of the slice.
    #[inline]
    pub(crate) fn is_through(&self) -> bool {
        self.end.is_some_and(|end| self.at >= end)
    }

    /// Counts the next request; `request` is any number that identifies the request.
    #[inline]
    pub(crate) fn send(&mut self, request: u64) {
        self.at += 1;
        self.digest = self.digest.wrapping_add(mix(request));
    }

    fn skip(&mut self, to: u64) -> u64 {
        let left_out = to.saturating_sub(self.at);
        self.at += left_out;
        self.skipped += left_out;
        left_out
    }
}

/// The cursors of all workers between slices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cursors {
    workers: Vec<Cursor>,
    /// Whether all targets receive the same requests.
    alike: bool,
}

impl Cursors {
    pub(crate) fn new(workers: usize, alike: bool) -> Self {
        Self {
            workers: vec![Cursor::default(); workers],
            alike,
        }
    }

    pub(crate) fn get(&self, worker: usize) -> Cursor {
        self.workers[worker]
    }

    pub(crate) fn put_back(&mut self, worker: usize, cursor: Cursor) {
        self.workers[worker] = cursor;
    }

    /// As [`crate::Sequence::ends_at`].
    pub(crate) fn ends_at(&mut self, ends: Option<&[u64]>) {
        for (worker, cursor) in self.workers.iter_mut().enumerate() {
            cursor.end = ends.map(|ends| ends.get(worker).copied().unwrap_or(cursor.at));
        }
    }

    /// The value last set with [`Cursors::ends_at`].
    pub(crate) fn ends(&self) -> Option<Vec<u64>> {
        self.workers.iter().map(|cursor| cursor.end).collect()
    }

    /// Moves each worker to a position that it reached on another machine. `digest` is the change
    /// of the digest.
    pub(crate) fn advance(&mut self, position: &[u64], digest: u64) {
        for (cursor, &at) in self.workers.iter_mut().zip(position) {
            cursor.at = cursor.at.max(at);
        }
        if let Some(first) = self.workers.first_mut() {
            first.digest = first.digest.wrapping_add(digest);
        }
    }

    /// As [`crate::Sequence::skip_to`]; returns the number of skipped requests per worker.
    pub(crate) fn skip_to(&mut self, position: &[u64]) -> Vec<u64> {
        let workers = self.workers.iter_mut().zip(position);
        workers.map(|(cursor, &to)| cursor.skip(to)).collect()
    }

    /// The position, with `digest` instead of the digest of the cursors.
    pub(crate) fn position_of(&self, digest: u64) -> Position {
        Position {
            digest: self.alike.then_some(digest),
            ..self.position()
        }
    }

    pub(crate) fn position(&self) -> Position {
        let digests = self.workers.iter().map(|cursor| cursor.digest);
        let digest = digests.fold(0, u64::wrapping_add);
        Position {
            workers: self.workers.iter().map(|cursor| cursor.at).collect(),
            skipped: self.workers.iter().map(|cursor| cursor.skipped).sum(),
            digest: self.alike.then_some(digest),
        }
    }
}

/// The cursor of one worker during a slice; returned to [`Cursors`] when dropped.
pub(crate) struct AtWork {
    cursor: Cursor,
    worker: usize,
    home: Arc<Mutex<Cursors>>,
}

impl AtWork {
    pub(crate) fn new(home: &Arc<Mutex<Cursors>>, worker: usize) -> Self {
        Self {
            cursor: held(home).get(worker),
            worker,
            home: Arc::clone(home),
        }
    }

    /// As [`Cursor::is_through`].
    #[inline]
    pub(crate) fn is_through(&self) -> bool {
        self.cursor.is_through()
    }

    /// Position of the worker in its sequence.
    pub(crate) fn at(&self) -> u64 {
        self.cursor.at
    }

    /// As [`Cursor::send`].
    #[inline]
    pub(crate) fn send(&mut self, request: u64) {
        self.cursor.send(request);
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        held(&self.home).put_back(self.worker, self.cursor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(requests: &[u64]) -> Position {
        let mut cursors = Cursors::new(2, true);
        for (at, &request) in requests.iter().enumerate() {
            let mut cursor = cursors.get(at % 2);
            cursor.send(request);
            cursors.put_back(at % 2, cursor);
        }
        cursors.position()
    }

    #[test]
    fn the_same_requests_in_another_order_have_the_same_digest_and_others_have_not() {
        let digest = sent(&[3, 5, 5, 8]).digest;
        assert_eq!(sent(&[5, 8, 3, 5]).digest, digest);
        for other in [&[3, 5, 8, 8][..], &[3, 5, 8], &[3, 5, 5, 8, 0]] {
            assert_ne!(sent(other).digest, digest, "{other:?}");
        }
    }

    #[test]
    fn a_position_reached_elsewhere_is_taken_over() {
        let mut here = Cursors::new(2, true);
        here.advance(&[2, 1], sent(&[3, 5, 8]).digest.unwrap_or_default());
        assert_eq!(here.position(), sent(&[3, 5, 8]));
        assert_eq!(here.ends(), None);
        here.ends_at(Some(&[4, 5]));
        assert_eq!(here.ends(), Some(vec![4, 5]));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut cursors = Cursors::new(2, true);
        cursors.ends_at(Some(&[2, 1]));
        let mut first = cursors.get(0);
        first.send(1);
        assert!(!first.is_through());
        cursors.put_back(0, first);
        assert_eq!(cursors.skip_to(&[2, 1]), [1, 1]);
        assert!(cursors.get(0).is_through() && cursors.get(1).is_through());
        let position = cursors.position();
        assert_eq!((position.total(), position.sent()), (3, 1));
        cursors.ends_at(None);
        assert!(!cursors.get(0).is_through());
    }
}
