//! Proofs that stall: the share beyond a limit is so close to the allowed share that no probe of the
//! search could decide the rate.
//!
//! The search leaves such a rate after one proof and spends the rest of its time on one lower rate, at
//! which a decision is likely, and then on one higher rate, if the interval above the stalled rate is
//! wide. The error of the result does not grow:
//!
//! - A rate that is left early is tested less often than [`MOST_TRIES`] times. Its critical value allows
//!   for all of these tests, so fewer tests have a smaller error. The rate stays undecided, inside the
//!   interval.
//! - The choice of the next rate adds no evidence: every rate is decided from all probes by the same test,
//!   and no probe is left out because the search has left its rate.
//! - Each new rate has the error of one more rate: at most [`SHARE_ERROR`](crate::SHARE_ERROR) if its share
//!   equals the allowed share. The new rates are 4 % or more above and 10 % below the stalled rate, at which
//!   the share is close to the allowed share, and the error falls steeply with that distance. Rates on the
//!   right side of the maximum cannot be wrong in that direction.
//! - Whether a rate stalls depends only on the probes, so a run read from disk takes the same steps.

use super::tried::{Open, Rates, Tried};
use super::{EDGE_PRECISION, MOST_TRIES, Purpose, Step, rounded};

/// From this fraction of the allowed share on, a share beyond a limit is close to the limit: a test at a
/// lower rate is likely to decide in less than half of the time.
const CLOSE: f64 = 0.25;
/// A proof at a rate close to the limit stalls if a decision needs more than this multiple of the time
/// measured at the rate.
const PATIENCE: f64 = 2.0;

impl Rates<'_> {
    /// Whether a proof did not decide the rate, and further proofs would take too long because the share
    /// beyond a limit is close to the allowed share.
    pub(super) fn is_stalled(&self, tried: &Tried<'_>) -> bool {
        let most = PATIENCE * tried.seconds() as f64;
        let is_stuck = |limit: &Open| limit.excess > CLOSE && limit.seconds > most;
        has_open_proof(tried) && self.open(tried).iter().any(is_stuck)
    }

    /// Whether a proof did not decide the rate only because it was too short: the rate seems to hold, and
    /// no limit is close. A proof of a lower rate would take as long.
    pub(super) fn is_gaining(&self, tried: &Tried<'_>) -> bool {
        has_open_proof(tried)
            && tried.votes().all(|vote| vote == Some(true))
            && self.open(tried).iter().all(|limit| limit.excess <= CLOSE)
    }

    /// The rates at which a proof stalled, in ascending order.
    pub(super) fn stalled(&self) -> Vec<f64> {
        let stalled = self.unproven().filter(|tried| self.is_stalled(tried));
        stalled.map(|tried| tried.rate).collect()
    }

    /// Whether a proof of the highest rate that held succeeded.
    pub(super) fn has_proven_bound(&self) -> bool {
        let (held, _) = self.bracket();
        held.and_then(|held| self.get(held))
            .is_some_and(Tried::has_proof)
    }

    /// The rate to prove after proofs at the rates `stalled`: the lowest rate with a proof if that proof was
    /// only too short, otherwise the highest rate below `stalled` that held, but at least the
    /// [fallback](Self::fallback). `None` if no proof stalled or a rate is proven.
    pub(super) fn below(&self, stalled: &[f64]) -> Option<f64> {
        let lowest = *stalled.first()?;
        let fallback = self.fallback()?;
        let short = self.unproven().next().filter(|tried| {
            tried.rate < lowest && tried.probes.len() < MOST_TRIES && self.is_gaining(tried)
        });
        if let Some(short) = short {
            return Some(short.rate);
        }
        let (held, _) = self.bracket();
        let held = held.filter(|held| *held < lowest);
        Some(held.map_or(fallback, |held| held.max(fallback)))
    }

    /// The probe between the highest rate of `stalled` in the bracket and the lowest rate that failed, as
    /// long as the probes at the stalled rate. `None` if the two rates are close.
    pub(super) fn above(&self, stalled: &[f64]) -> Option<Step> {
        let (held, failed) = self.bracket();
        let failed = failed?;
        let is_inside = |rate: &f64| held.is_none_or(|held| held < *rate) && *rate < failed;
        let highest = stalled.iter().copied().rfind(is_inside)?;
        if (failed / highest).ln() <= EDGE_PRECISION {
            return None;
        }
        let rate = rounded((highest * failed).sqrt());
        let tries = self.get(rate).map_or(0, |tried| tried.probes.len());
        let seconds = self.get(highest).map_or(0, Tried::seconds) as f64;
        (tries < MOST_TRIES).then_some(Step::Probe {
            rate,
            purpose: Purpose::Seek,
            seconds,
        })
    }
}

fn has_open_proof(tried: &Tried<'_>) -> bool {
    tried.has_proof() && tried.decision.is_none()
}
