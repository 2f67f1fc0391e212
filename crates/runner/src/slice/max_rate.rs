//! The maximum-rate search: probes the targets in turn, choosing each rate from the results of
//! earlier probes.

use std::time::Duration;

use tenbin_plan::{RateSearch, Turn};
use tenbin_record::{Ended, RateProbe, Slice};

use crate::error::{Ending, RunError};
use crate::generators::agent_loss::Part;
use crate::progress::Progress;
use crate::slice::measurement::{Measurement, SlicePart, SliceRequest};

/// Start rate of a search, as a share of the closed-loop throughput: low enough to meet most
/// objectives, so that doubling the rate is informative.
const FIRST_SHARE: f64 = 0.25;
/// Start rate if the closed loop completed no operation, operations per second.
const FIRST_RATE: f64 = 1.0;
/// Minimum duration of the closed-loop measurement.
const SHORTEST_LOOK: Duration = Duration::from_millis(500);

/// Chooses the probes of searches and evaluates their results. Workloads and targets are indices
/// in the plan.
pub trait Steering {
    /// Starts a search at `rate` operations per second.
    fn begin(&mut self, workload: usize, target: usize, rate: f64);

    /// The next probe; `None` if the search has ended.
    fn next(&self, workload: usize, target: usize) -> Option<ProbeWish>;

    /// Evaluates the result of a probe.
    fn learn(&mut self, workload: usize, target: usize, slice: &Slice);

    /// The highest rate that met the objective and the lowest rate that missed the objective so
    /// far, operations per second.
    fn bracket(&self, workload: usize, target: usize) -> (Option<f64>, Option<f64>);
}

/// A probe to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeWish {
    /// Offered rate, operations per second, above 0.
    pub rate: f64,
    /// Whether this probe is the longer probe at the end, which confirms the maximum rate.
    pub proof: bool,
    /// Length of the window, as a multiple of the plan's slice length.
    pub slices: f64,
}

impl Measurement<'_, '_> {
    /// Measures the rounds, then the maximum-rate searches, the probes of other loads and the
    /// continuous stretches.
    pub(crate) fn measure_all(
        &mut self,
        turns: &[Turn],
        steering: &mut dyn Steering,
    ) -> Result<Ending, RunError> {
        let ending = match self.measure(turns)? {
            Ending::Complete(ended) => self.search_all(ended, steering)?,
            early => early,
        };
        let ending = match ending {
            Ending::Complete(ended) => self.probe_limits(ended)?,
            early => early,
        };
        match ending {
            Ending::Complete(ended) => self.sustain_all(ended),
            early => Ok(early),
        }
    }

    /// Runs every search of the plan, one after the other.
    pub(crate) fn search_all(
        &mut self,
        ended: Ended,
        steering: &mut dyn Steering,
    ) -> Result<Ending, RunError> {
        let plan = self.plan;
        for (at, workload) in plan.workloads.iter().enumerate() {
            let Some(search) = workload.search() else {
                continue;
            };
            let ending = match self.begin_again(at, search, steering)? {
                None => self.search(at, search, steering)?,
                ending => ending,
            };
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
        Ok(Ending::Complete(ended))
    }

    /// Starts the searches of all targets, again after each loss of an agent. Returns `Some` if the
    /// run must end.
    fn begin_again(
        &mut self,
        at: usize,
        search: &RateSearch,
        steering: &mut dyn Steering,
    ) -> Result<Option<Ending>, RunError> {
        loop {
            match self.begin(at, search, steering) {
                Ok(()) => return Ok(None),
                Err(error) => {
                    let now = (self.slices.len(), self.writer.next_slice());
                    if let Some(ending) = self.void(error, Part::FirstRate, now)? {
                        return Ok(Some(ending));
                    }
                }
            }
        }
    }

    /// Starts the searches of all targets at the same rate, so that all targets are probed at the
    /// same rates while rates double.
    fn begin(
        &mut self,
        at: usize,
        search: &RateSearch,
        steering: &mut dyn Steering,
    ) -> Result<(), RunError> {
        let start = match search.from {
            Some(rate) => rate,
            None => self.first_rate(at)?,
        };
        for target in 0..self.live_targets.len() {
            steering.begin(at, target, start);
        }
        Ok(())
    }

    fn first_rate(&mut self, at: usize) -> Result<f64, RunError> {
        let length = (self.plan.rounds.slice / 2).max(SHORTEST_LOOK);
        let mut lowest: Option<f64> = None;
        for live in self.live_targets.iter_mut() {
            let seen = live
                .drive_and_observe(self.plan, at, length, self.controls)?
                .rate;
            if self.controls.stop.is_asked() {
                return Err(RunError::Interrupted);
            }
            let share = seen.map_or(FIRST_RATE, |seen| seen * FIRST_SHARE);
            lowest = Some(lowest.map_or(share, |lowest| lowest.min(share)));
        }
        Ok(lowest.unwrap_or(FIRST_RATE))
    }

    /// Probes the targets in turn, reversing the order each time, until every search has ended.
    fn search(
        &mut self,
        at: usize,
        search: &RateSearch,
        steering: &mut dyn Steering,
    ) -> Result<Option<Ending>, RunError> {
        let mut targets: Vec<usize> = (0..self.live_targets.len()).collect();
        for round in 0.. {
            let mut is_over = true;
            for &target in &targets {
                let Some(wish) = steering.next(at, target) else {
                    continue;
                };
                is_over = false;
                let turn = Turn {
                    block: round,
                    round,
                    workload: at,
                    target,
                };
                let bracket = steering.bracket(at, target);
                let ending = self.probe(&turn, search, &wish, bracket)?;
                if ending.is_some() {
                    return Ok(ending);
                }
                if let Some(slice) = self.slices.last() {
                    steering.learn(at, target, slice);
                }
            }
            if is_over {
                break;
            }
            targets.reverse();
        }
        Ok(None)
    }

    fn probe(
        &mut self,
        turn: &Turn,
        search: &RateSearch,
        wish: &ProbeWish,
        (held, failed): (Option<f64>, Option<f64>),
    ) -> Result<Option<Ending>, RunError> {
        let work = &self.plan.workloads[turn.workload];
        (self.controls.progress)(Progress::Probe {
            target: &self.live_targets[turn.target].running.name,
            workload: &work.name,
            rate: wish.rate,
            proof: wish.proof,
            held,
            failed,
        });
        let mut load = work.load.clone();
        load.pace = search.pace_at(wish.rate);
        let request = SliceRequest {
            turn,
            load,
            lead: None,
            window: self.plan.rounds.slice.mul_f64(wish.slices),
            part: SlicePart::Search(RateProbe {
                rate: wish.rate,
                proof: wish.proof,
            }),
        };
        // The search has learned from the earlier probes, so only this probe is repeated.
        loop {
            let now = (self.slices.len(), self.writer.next_slice());
            match self.measure_slice(&request) {
                Ok(ending) => {
                    self.losses.part_done();
                    return Ok(ending);
                }
                Err(error) => {
                    if let Some(ending) = self.void(error, Part::Probe, now)? {
                        return Ok(Some(ending));
                    }
                }
            }
        }
    }
}
