//! Operations without a target, to measure the cost of Tenbin itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tenbin_engine::{Exchange, Judgement, Moment, Next, Workload};

/// Number of operations done in one slice. In a later phase that reads or deletes, the slice with
/// the same index does at most this number of operations.
#[derive(Debug, Default)]
pub(crate) struct Done(AtomicU64);

impl Done {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A worker whose operations do nothing and succeed; ends after `most` operations.
pub(crate) struct Dummy {
    names: [&'static str; 1],
    left: u64,
    most: u64,
    done: Arc<Done>,
}

impl Dummy {
    pub(crate) fn new(name: &'static str, most: u64, done: Arc<Done>) -> Self {
        Self {
            names: [name],
            left: most,
            most,
            done,
        }
    }
}

impl Workload for Dummy {
    fn operations(&self) -> &[&'static str] {
        &self.names
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if self.left == 0 {
            return Next::Exhausted;
        }
        self.left -= 1;
        exchange.op = 0;
        Next::Same
    }

    fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
        Judgement::Correct
    }
}

impl Drop for Dummy {
    fn drop(&mut self) {
        let done = self.most - self.left;
        self.done.0.fetch_add(done, Ordering::Relaxed);
    }
}
