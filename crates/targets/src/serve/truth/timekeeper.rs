//! Sends every response at the scheduled time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{hint, io, thread};

use super::Clock;
use super::log::{Entry, Log};
use super::response::ResponseKind;

/// Time for which the timekeeper busy-waits before a response is due, nanoseconds: a sleep can end
/// late.
const ACTIVE_WAIT: u64 = 150_000;

/// A response to be sent.
pub(super) struct Pending {
    pub(super) stream: Arc<TcpStream>,
    pub(super) response: ResponseKind,
    /// Whether the connection ends after this response.
    pub(super) last: bool,
    /// Whether head and body are sent in two writes.
    pub(super) two_writes: bool,
    /// The log entry of the request, still without the time of the response.
    pub(super) entry: Entry,
}

impl Pending {
    fn order(&self) -> (u64, u64) {
        (self.entry.due, self.entry.number)
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Pending {}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

type Queue = BinaryHeap<Reverse<Pending>>;

/// The queue of responses and the thread that sends them.
pub(super) struct Timekeeper {
    clock: Clock,
    log: Arc<Log>,
    queue: Mutex<Queue>,
    sooner: Condvar,
}

impl Timekeeper {
    /// Starts the thread, which runs until the process ends.
    pub(super) fn start(clock: Clock, log: Arc<Log>) -> io::Result<Arc<Self>> {
        let keeper = Arc::new(Self {
            clock,
            log,
            queue: Mutex::new(Queue::new()),
            sooner: Condvar::new(),
        });
        let keeping = Arc::clone(&keeper);
        thread::Builder::new()
            .name("timekeeper".to_owned())
            .spawn(move || keeping.keep())?;
        Ok(keeper)
    }

    /// Sends `pending` when due; immediately if already due.
    pub(super) fn add(&self, pending: Pending) {
        if pending.entry.due <= self.clock.now() {
            self.send(pending);
            return;
        }
        let mut queue = self.queue();
        queue.push(Reverse(pending));
        drop(queue);
        self.sooner.notify_one();
    }

    fn keep(&self) {
        loop {
            let pending = self.next_due();
            self.send(pending);
        }
    }

    /// Waits until the next response is due, and returns it.
    fn next_due(&self) -> Pending {
        let mut queue = self.queue();
        loop {
            let Some(Reverse(first)) = queue.peek() else {
                queue = self
                    .sooner
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = first.entry.due.saturating_sub(self.clock.now());
            if left == 0 {
                if let Some(Reverse(due)) = queue.pop() {
                    return due;
                }
            } else if left > ACTIVE_WAIT {
                let sleep_time = Duration::from_nanos(left - ACTIVE_WAIT);
                queue = self
                    .sooner
                    .wait_timeout(queue, sleep_time)
                    .map_or_else(|poison| poison.into_inner().0, |(queue, _)| queue);
            } else {
                // Unlock briefly, so that earlier responses can be added.
                drop(queue);
                hint::spin_loop();
                queue = self.queue();
            }
        }
    }

    fn send(&self, pending: Pending) {
        let entry = Entry {
            answered: self.clock.now(),
            ..pending.entry
        };
        // Log before sending, so that no response received by a client is missing from the log. A
        // disconnected peer is not an error.
        self.log.record(&entry);
        let Pending {
            response,
            last,
            two_writes,
            ..
        } = pending;
        let _ = response.send(&pending.stream, last, two_writes);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
