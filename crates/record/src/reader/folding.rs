//! Processes work items on all cores while the caller reads more; results keep the order of the
//! items.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::thread::{Scope, ScopedJoinHandle, available_parallelism};

/// Bytes of lines per batch: some milliseconds of work.
const BATCH: usize = 256 << 10;

/// Collects work items, and processes them in batches on several threads.
pub(super) struct Folding<'scope, 'env, C, W, R> {
    scope: &'scope Scope<'scope, 'env>,
    context: &'env C,
    fold: fn(&C, Vec<W>) -> Vec<R>,
    batch: Vec<W>,
    /// Size of the current batch, bytes of lines.
    bytes: usize,
    /// Running batches in order; at most one per core, to keep little input in memory.
    running: VecDeque<ScopedJoinHandle<'scope, Vec<R>>>,
    cores: usize,
}

impl<'scope, 'env, C, W, R> Folding<'scope, 'env, C, W, R>
where
    C: Sync,
    W: Send + 'scope,
    R: Send + 'scope,
{
    /// `fold` processes a batch and returns one result per item, in order.
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        context: &'env C,
        fold: fn(&C, Vec<W>) -> Vec<R>,
    ) -> Self {
        Self {
            scope,
            context,
            fold,
            batch: Vec::new(),
            bytes: 0,
            running: VecDeque::new(),
            cores: available_parallelism().map_or(1, usize::from),
        }
    }

    /// Adds a work item of `bytes` bytes, and starts a full batch. If one batch per core is already
    /// running, waits for the oldest batch and returns its results.
    pub(super) fn push(&mut self, work: W, bytes: usize) -> Vec<R> {
        self.batch.push(work);
        // Counts at least 1 byte per item, because a file can have a million empty items.
        self.bytes += bytes.max(1);
        if self.bytes < BATCH {
            return Vec::new();
        }
        let next = if self.running.len() < self.cores {
            Vec::new()
        } else {
            self.next().unwrap_or_default()
        };
        let (batch, context, fold) = (std::mem::take(&mut self.batch), self.context, self.fold);
        self.bytes = 0;
        self.running
            .push_back(self.scope.spawn(move || fold(context, batch)));
        next
    }

    /// Processes the remaining items and returns all remaining results.
    pub(super) fn rest(&mut self) -> Vec<R> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        // The calling thread processes the last batch.
        let last = (self.fold)(self.context, batch);
        let mut rest = Vec::new();
        while let Some(next) = self.next() {
            rest.extend(next);
        }
        rest.extend(last);
        rest
    }

    fn next(&mut self) -> Option<Vec<R>> {
        let oldest = self.running.pop_front()?.join();
        Some(oldest.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_work() {
        let double = |factor: &u64, batch: Vec<u64>| batch.iter().map(|x| x * factor).collect();
        let factor = 2;
        let found: Vec<u64> = std::thread::scope(|scope| {
            let mut folding = Folding::new(scope, &factor, double);
            let mut found = Vec::new();
            for work in 0..5_000 {
                found.extend(folding.push(work, work as usize % 7 * 10_000));
            }
            found.extend(folding.rest());
            found
        });
        assert_eq!(found, (0..5_000).map(|work| work * 2).collect::<Vec<_>>());
    }
}
