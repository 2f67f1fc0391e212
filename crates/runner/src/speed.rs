//! How fast a slice is going, from the reports of single threads.

use tenbin_engine::Sample;

/// The last report of every thread, put together.
pub(crate) struct Speed {
    /// Work done a second by thread; `None` until it has reported.
    of_threads: Vec<Option<f64>>,
    /// Work that failed, in all reports.
    pub(crate) failed: u64,
}

impl Speed {
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            of_threads: vec![None; threads],
            failed: 0,
        }
    }

    /// Takes in one thread's report. What comes in after the window has closed is
    /// no measure of speed.
    pub(crate) fn hear(&mut self, sample: &Sample) {
        let work = || sample.ops.iter().filter(|op| op.role.is_work());
        self.failed += work().map(|op| op.failed_count()).sum::<u64>();
        let nanos = sample.end.saturating_sub(sample.start);
        if sample.drain || nanos == 0 {
            return;
        }
        let ok: u64 = work().map(|op| op.ok).sum();
        if let Some(of_thread) = self.of_threads.get_mut(sample.thread) {
            *of_thread = Some(ok as f64 / (nanos as f64 / 1e9));
        }
    }

    /// Work done a second over all threads; `None` until each has reported.
    pub(crate) fn ok_per_second(&self) -> Option<f64> {
        self.of_threads.iter().copied().sum()
    }
}

#[cfg(test)]
mod tests {
    use tenbin_engine::OpSample;

    use super::*;

    fn report(thread: usize, ok: u64, failed: u64, seconds: u64, drain: bool) -> Sample {
        let mut op = OpSample::new("get");
        op.ok = ok;
        op.errors[0] = failed;
        Sample {
            thread,
            end: seconds * 1_000_000_000,
            ops: vec![op],
            drain,
            ..Sample::default()
        }
    }

    #[test]
    fn threads_add_up_once_each_has_spoken_and_the_drain_slows_nothing() {
        let mut speed = Speed::new(2);
        speed.hear(&report(0, 100, 1, 1, false));
        assert_eq!(speed.ok_per_second(), None);
        speed.hear(&report(1, 400, 0, 2, false));
        assert_eq!(speed.ok_per_second(), Some(300.0));
        speed.hear(&report(1, 0, 2, 1, true));
        assert_eq!(speed.ok_per_second(), Some(300.0));
        assert_eq!(speed.failed, 3);
    }
}
