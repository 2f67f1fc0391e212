//! The time that each request takes, and requests that wait for their turn.

use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::sleep;

/// The turns of requests, in order of arrival.
#[derive(Debug)]
pub(super) struct Turns {
    /// Time that a request takes in addition to the work for it.
    delay: Duration,
    /// One permit for each request that may be served at the same time; `None` without a limit.
    free: Option<Semaphore>,
}

impl Turns {
    /// `limit`: number of requests that are served at the same time; `None` without a limit.
    pub(super) fn new(delay: Duration, limit: Option<NonZeroUsize>) -> Self {
        let free = limit.map(|limit| Semaphore::new(limit.get().min(Semaphore::MAX_PERMITS)));
        Self { delay, free }
    }

    /// Waits for the turn of a request, and then for the delay. The turn ends when the returned
    /// value is dropped.
    pub(super) async fn begin(&self) -> Option<SemaphorePermit<'_>> {
        let turn = match &self.free {
            Some(free) => free.acquire().await.ok(),
            None => None,
        };
        if !self.delay.is_zero() {
            sleep(self.delay).await;
        }
        turn
    }
}
