//! Which tasks of a connection have been woken.
//!
//! h2's tasks hold wakers, which set the flags of [`ReadyTasks`]. All of this runs on one thread;
//! the flags are atomic only because a waker must be `Send`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Wake, Waker};

const WORD: usize = u64::BITS as usize;

/// Flags of the tasks of one connection: the connection's own task and one task per stream.
pub(super) struct ReadyTasks {
    connection: AtomicBool,
    streams: Box<[AtomicU64]>,
}

struct StreamWaker {
    ready: Arc<ReadyTasks>,
    stream: usize,
}

impl ReadyTasks {
    pub(super) fn new(depth: usize) -> Arc<Self> {
        Arc::new(Self {
            connection: AtomicBool::new(false),
            streams: (0..depth.div_ceil(WORD))
                .map(|_| AtomicU64::new(0))
                .collect(),
        })
    }

    /// The waker of one stream.
    pub(super) fn waker(self: &Arc<Self>, stream: usize) -> Waker {
        Waker::from(Arc::new(StreamWaker {
            ready: self.clone(),
            stream,
        }))
    }

    pub(super) fn set_connection(&self) {
        self.connection.store(true, Ordering::Relaxed);
    }

    pub(super) fn set_stream(&self, stream: usize) {
        self.streams[stream / WORD].fetch_or(1 << (stream % WORD), Ordering::Relaxed);
    }

    /// Whether the connection's task has been woken since the last call.
    pub(super) fn take_connection(&self) -> bool {
        self.connection.load(Ordering::Relaxed) && self.connection.swap(false, Ordering::Relaxed)
    }

    /// The first woken stream with an index of at least `from`; clears the flag of the stream.
    pub(super) fn take_stream(&self, from: usize) -> Option<usize> {
        let mut mask = u64::MAX << (from % WORD);
        for (index, word) in self.streams.iter().enumerate().skip(from / WORD) {
            let woken = word.load(Ordering::Relaxed) & mask;
            if woken != 0 {
                let bit = woken.trailing_zeros() as usize;
                word.fetch_and(!(1 << bit), Ordering::Relaxed);
                return Some(index * WORD + bit);
            }
            mask = u64::MAX;
        }
        None
    }
}

impl Wake for ReadyTasks {
    fn wake(self: Arc<Self>) {
        self.set_connection();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.set_connection();
    }
}

impl Wake for StreamWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.set_stream(self.stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wake_up_is_taken_once() {
        let ready = ReadyTasks::new(130);
        for stream in [0, 63, 64, 129] {
            ready.waker(stream).wake();
            ready.waker(stream).wake();
        }
        let mut taken = Vec::new();
        let mut from = 0;
        while let Some(stream) = ready.take_stream(from) {
            taken.push(stream);
            from = stream;
        }
        assert_eq!(taken, [0, 63, 64, 129]);
        assert_eq!(ready.take_stream(0), None);
        Waker::from(ready.clone()).wake();
        assert!(ready.take_connection());
        assert!(!ready.take_connection());
    }
}
