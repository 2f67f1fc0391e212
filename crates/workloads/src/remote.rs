//! State of a workload that moves between the machine that prepared a target and the agents that
//! send the load.

use serde::{Deserialize, Serialize};

use crate::blob::stored::transfer::{BlobReport, BlobState};
use crate::responses::{Reference, Report};
use crate::s3::read_back::sample::ExportedSample;
use crate::samples::SliceSamples;
use crate::sequence::Cursors;

/// Largest number of requests that the workers of an agent can send in a slice.
const MOST_REQUESTS: u64 = 1 << 48;

/// Largest position that a worker can be moved to: each skipped request takes some nanoseconds.
const MOST_SKIPPED: u64 = 1 << 36;

/// What the workers of an agent must know before a slice, besides the plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SliceState {
    /// Position of each worker in the request sequence; `None` without a sequence.
    pub(crate) position: Option<Vec<u64>>,
    /// As [`crate::Sequence::ends_at`].
    pub(crate) ends: Option<Vec<u64>>,
    /// What the unloaded server sends.
    pub(crate) reference: Option<Reference>,
    /// S3: ids of the loaded versions, by number; empty without versions.
    pub(crate) versions: Vec<Option<String>>,
    /// What blob workloads must know.
    pub(crate) blobs: Option<BlobState>,
    /// Number of the agent, and number of agents; set by the agent.
    #[serde(skip)]
    pub(crate) part: Option<(usize, usize)>,
}

impl SliceState {
    /// The position and the end of the slice.
    pub(crate) fn of(cursors: &Cursors) -> Self {
        Self {
            position: Some(cursors.position().workers),
            ends: cursors.ends(),
            ..Self::default()
        }
    }

    /// Whether a worker can take over this state, which comes from another machine.
    pub fn is_possible(&self) -> bool {
        let mut positions = self.position.iter().flatten();
        positions.all(|at| *at < MOST_SKIPPED)
            && self.reference.as_ref().is_none_or(Reference::is_possible)
            && self.blobs.as_ref().is_none_or(BlobState::is_possible)
    }

    /// The state for agent `agent` of `agents`, which drives only its own workers: the other
    /// workers of the agent never move.
    #[must_use]
    pub fn for_agent(mut self, agent: usize, agents: usize) -> Self {
        self.part = Some((agent, agents));
        for (worker, at) in self.position.iter_mut().flatten().enumerate() {
            if worker % agents != agent {
                *at = 0;
            }
        }
        self
    }
}

/// What an agent learned and sent in a slice, besides the measured samples.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SliceReport {
    /// Position of each worker in the request sequence after the slice; `None` without a sequence.
    pub(crate) position: Option<Vec<u64>>,
    /// Change of the digest of the sent requests ([`crate::Position::digest`]).
    pub(crate) digest: u64,
    /// Comparison of the responses, and the expected response.
    pub(crate) responses: Option<Report>,
    /// As [`crate::Observation::take_samples`], without a cache forecast.
    pub(crate) samples: Option<SliceSamples>,
    /// What blob workloads report.
    pub(crate) blobs: Option<BlobReport>,
    /// S3: samples of what the agent has written and deleted in all slices so far.
    #[serde(default)]
    pub(crate) written: Vec<ExportedSample>,
}

impl SliceReport {
    /// Whether a workload at `position` can have this report. The report comes from another
    /// machine: its numbers must not overflow in sums.
    pub(crate) fn is_possible(&self, position: Option<&[u64]>) -> bool {
        let is_next = match (position, self.position.as_deref()) {
            (None, None) => true,
            (Some(before), Some(after)) => {
                before.len() == after.len() && after.iter().all(|at| *at < MOST_REQUESTS)
            }
            _ => false,
        };
        let responses = self.responses.as_ref();
        is_next
            && self.written.iter().all(ExportedSample::is_possible)
            && responses.is_none_or(Report::is_possible)
            && self.samples.as_ref().is_none_or(SliceSamples::is_possible)
            && self
                .blobs
                .as_ref()
                .is_none_or(|blobs| blobs.counts.is_possible())
    }
}

/// The position after a slice that several agents drove: agent `i` of `n` drove every n-th worker,
/// from worker `i`.
pub(crate) fn position_after(before: &[u64], reports: &[SliceReport]) -> Vec<u64> {
    let workers = before.iter().enumerate();
    let after = workers.map(|(worker, before)| {
        let of_agent = reports.get(worker % reports.len().max(1));
        let position = of_agent.and_then(|report| report.position.as_ref());
        position.map_or(*before, |all| all[worker].max(*before))
    });
    after.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: [u64; 3]) -> SliceReport {
        SliceReport {
            position: Some(position.to_vec()),
            ..SliceReport::default()
        }
    }

    #[test]
    fn the_position_of_a_worker_comes_from_its_agent() {
        let reports = [at([7, 0, 9]), at([0, 8, 0])];
        assert_eq!(position_after(&[5, 5, 5], &reports), [7, 8, 9]);
        // An agent that joined later has moved on from the known position, never back.
        assert_eq!(position_after(&[5, 9, 5], &reports), [7, 9, 9]);
        assert_eq!(position_after(&[5, 9, 5], &[]), [5, 9, 5]);
    }

    #[test]
    fn impossible_reports_are_refused() {
        assert!(at([1, 2, 3]).is_possible(Some(&[0, 0, 0])));
        assert!(!at([1, 2, 3]).is_possible(Some(&[0, 0])));
        assert!(!at([1, 2, 3]).is_possible(None));
        assert!(!at([1, u64::MAX, 3]).is_possible(Some(&[0, 0, 0])));
        assert!(!SliceReport::default().is_possible(Some(&[0])));
        let mut report = SliceReport {
            samples: Some(SliceSamples::default()),
            ..SliceReport::default()
        };
        assert!(report.is_possible(None));
        let pattern = crate::samples::PatternCounts {
            pattern: 0,
            ok: u64::MAX,
            failed: 0,
            sum_nanos: 0,
            min_nanos: 0,
            max_nanos: 0,
        };
        report.samples = Some(SliceSamples {
            patterns: vec![pattern],
            ..SliceSamples::default()
        });
        assert!(!report.is_possible(None));
    }

    #[test]
    fn only_the_workers_of_an_agent_are_moved() {
        let state = SliceState {
            position: Some(vec![5, 6, 7]),
            ..SliceState::default()
        };
        let own = state.for_agent(1, 2);
        assert_eq!(own.position, Some(vec![0, 6, 0]));
    }
}
