//! Who of a connection has something to go on with.
//!
//! The tasks of h2 are woken by these. All of it happens on one thread; the
//! atomics are there because wakers may be sent anywhere, and cost nothing here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Wake, Waker};

const WORD: usize = u64::BITS as usize;

/// The bells of one connection and of its lanes.
pub(super) struct Bells {
    connection: AtomicBool,
    lanes: Box<[AtomicU64]>,
}

struct LaneBell {
    bells: Arc<Bells>,
    lane: usize,
}

impl Bells {
    pub(super) fn new(lanes: usize) -> Arc<Self> {
        Arc::new(Self {
            connection: AtomicBool::new(false),
            lanes: (0..lanes.div_ceil(WORD))
                .map(|_| AtomicU64::new(0))
                .collect(),
        })
    }

    /// Rings for one lane.
    pub(super) fn waker(self: &Arc<Self>, lane: usize) -> Waker {
        Waker::from(Arc::new(LaneBell {
            bells: self.clone(),
            lane,
        }))
    }

    pub(super) fn ring_connection(&self) {
        self.connection.store(true, Ordering::Relaxed);
    }

    pub(super) fn ring_lane(&self, lane: usize) {
        self.lanes[lane / WORD].fetch_or(1 << (lane % WORD), Ordering::Relaxed);
    }

    /// Whether the connection's bell has rung since the last time.
    pub(super) fn take_connection(&self) -> bool {
        self.connection.load(Ordering::Relaxed) && self.connection.swap(false, Ordering::Relaxed)
    }

    /// A lane whose bell has rung, from `from` on.
    pub(super) fn take_lane(&self, from: usize) -> Option<usize> {
        let mut mask = u64::MAX << (from % WORD);
        for (index, word) in self.lanes.iter().enumerate().skip(from / WORD) {
            let rung = word.load(Ordering::Relaxed) & mask;
            if rung != 0 {
                let bit = rung.trailing_zeros() as usize;
                word.fetch_and(!(1 << bit), Ordering::Relaxed);
                return Some(index * WORD + bit);
            }
            mask = u64::MAX;
        }
        None
    }
}

impl Wake for Bells {
    fn wake(self: Arc<Self>) {
        self.ring_connection();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring_connection();
    }
}

impl Wake for LaneBell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.bells.ring_lane(self.lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bell_is_heard_once() {
        let bells = Bells::new(130);
        for lane in [0, 63, 64, 129] {
            bells.waker(lane).wake();
            bells.waker(lane).wake();
        }
        let mut heard = Vec::new();
        let mut from = 0;
        while let Some(lane) = bells.take_lane(from) {
            heard.push(lane);
            from = lane;
        }
        assert_eq!(heard, [0, 63, 64, 129]);
        assert_eq!(bells.take_lane(0), None);
        Waker::from(bells.clone()).wake();
        assert!(bells.take_connection());
        assert!(!bells.take_connection());
    }
}
