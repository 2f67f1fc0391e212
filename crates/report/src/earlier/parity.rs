//! Whether two runs got the same answers: without that the work was another, and how
//! fast each of them did it says nothing.

use crate::document::{Document, SliceFigures};
use crate::words::percent;

/// Difference of two mean bodies, as a share of the larger, beyond which the work is
/// another; the same as between two targets of one run.
const OTHER: f64 = 0.05;

/// Bytes by which bodies may differ without another time to send them.
const NO_TIME: f64 = 64.0;

/// Difference in the share of failed answers.
const FAILED: f64 = 0.01;

/// What one workload got from one target, over all full slices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answers {
    /// Body bytes of a correct answer, on average; unknown for other work than HTTP's,
    /// which may be of many sizes and knows itself what the right answer is.
    body: Option<f64>,
    /// Share of the work that failed; unknown where none was done.
    failed: Option<f64>,
}

impl Answers {
    pub(super) fn of(document: &Document, workload: &str, target: &str) -> Self {
        let slices = || document.full_slices(workload, target);
        let sum = |part: fn(&SliceFigures) -> u64| slices().map(part).sum::<u64>() as f64;
        let (ok, failed) = (sum(|slice| slice.ok), sum(|slice| slice.failed));
        let mut workloads = document.workloads.iter();
        let is_http = workloads.any(|work| {
            let subject = work.subject.as_ref();
            work.name == workload && subject.is_some_and(|subject| subject.kind == "http")
        });
        let bytes: Option<u64> = slices().map(|slice| slice.payload_bytes).sum();
        Self {
            body: bytes
                .filter(|_| is_http && ok > 0.0)
                .map(|bytes| bytes as f64 / ok),
            failed: (ok + failed > 0.0).then(|| failed / (ok + failed)),
        }
    }

    /// What is different later, in words; `None` when nothing is.
    pub(super) fn difference(self, later: Self) -> Option<String> {
        if let (Some(then), Some(now)) = (self.body, later.body) {
            let apart = (then - now).abs();
            if apart > NO_TIME && apart / then.max(now) > OTHER {
                return Some(format!(
                    "an answer had {then:.0} bytes on average, then {now:.0}"
                ));
            }
        }
        let (then, now) = (self.failed?, later.failed?);
        ((then - now).abs() > FAILED).then(|| {
            format!(
                "{} of the work failed, then {}",
                percent(then),
                percent(now)
            )
        })
    }
}
