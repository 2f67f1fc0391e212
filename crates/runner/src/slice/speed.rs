//! Throughput of the current slice, computed from the samples of all threads.

use tenbin_engine::Sample;

/// The last sample of every thread, combined.
pub(crate) struct Speed {
    /// Operations per second by thread; `None` before the thread's first sample.
    of_threads: Vec<Option<f64>>,
    /// Requests that were due and not sent at the end of the last sample, by thread.
    waiting: Vec<u64>,
    /// Failed operations in all samples.
    pub(crate) failed: u64,
}

impl Speed {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            of_threads: vec![None; threads],
            waiting: vec![0; threads],
            failed: 0,
        }
    }

    /// Adds a sample of one thread. Samples of the drain add no throughput.
    pub(crate) fn add(&mut self, sample: &Sample) {
        let work = || sample.ops.iter().filter(|op| op.role.is_work());
        self.failed += work().map(|op| op.failed_count()).sum::<u64>();
        let nanos = sample.end.saturating_sub(sample.start);
        if sample.drain || nanos == 0 {
            return;
        }
        let ok: u64 = work().map(|op| op.counts.ok).sum();
        if let Some(of_thread) = self.of_threads.get_mut(sample.thread) {
            *of_thread = Some(ok as f64 / (nanos as f64 / 1e9));
        }
        if let Some(waiting) = self.waiting.get_mut(sample.thread) {
            *waiting = sample.backlog;
        }
    }

    /// Requests of an open loop that are due and wait for a free connection, over all threads.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.iter().sum()
    }

    /// Operations per second over all threads; `None` until every thread has sent a sample.
    pub(crate) fn ok_per_second(&self) -> Option<f64> {
        self.of_threads.iter().copied().sum()
    }
}

#[cfg(test)]
mod tests {
    use tenbin_engine::{ErrorClass, OpSample};

    use super::*;

    fn report(thread: usize, ok: u64, failed: u64, seconds: u64, drain: bool) -> Sample {
        let mut op = OpSample::new("get");
        op.counts.ok = ok;
        op.errors.insert(ErrorClass::Connect, failed);
        Sample {
            thread,
            end: seconds * 1_000_000_000,
            ops: vec![op],
            drain,
            ..Sample::default()
        }
    }

    #[test]
    fn the_sum_needs_a_sample_of_every_thread_and_ignores_the_drain() {
        let mut speed = Speed::new(2);
        speed.add(&report(0, 100, 1, 1, false));
        assert_eq!(speed.ok_per_second(), None);
        speed.add(&report(1, 400, 0, 2, false));
        assert_eq!(speed.ok_per_second(), Some(300.0));
        speed.add(&report(1, 0, 2, 1, true));
        assert_eq!(speed.ok_per_second(), Some(300.0));
        assert_eq!(speed.failed, 3);
    }

    #[test]
    fn requests_wait_at_the_last_sample_of_each_thread() {
        let mut speed = Speed::new(2);
        for (thread, backlog) in [(0, 10), (1, 20), (0, 30)] {
            speed.add(&Sample {
                backlog,
                ..report(thread, 1, 0, 1, false)
            });
        }
        assert_eq!(speed.waiting(), 50);
        speed.add(&report(0, 0, 0, 1, true));
        assert_eq!(speed.waiting(), 50);
    }
}
