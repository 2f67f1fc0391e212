//! The maximum-rate search: the highest rate at which all limits hold.
//!
//! The search raises the rate by a factor of 1.4 to 2 per step until a rate seems to fail, or
//! lowers the rate by such a factor until a rate seems to hold. From then on, the search estimates
//! the maximum rate and probes a rate near the estimate, on the side where the bracket (the
//! interval from the highest rate that held to the lowest rate that failed) is wider. The search
//! ends when the bracket is narrow or the time is over. A longer probe then proves the result. A rate
//! whose proof stalls is left for one lower and one higher rate (see the module `stall`).
//!
//! A sequential test with a known error ([`crate::SHARE_ERROR`]) decides whether a rate held, from
//! the probes at all rates. A rate too close to the maximum stays undecided and lies inside the
//! reported interval. All decisions depend only on the probes made so far, so a run read from disk
//! gives the same result as the live run.

mod found;
mod stall;
mod times;
mod tried;

use serde::Serialize;

use crate::sequential::{LOOKS, Second};
pub use found::MaxRate;
pub use times::ProbeTimes;
use tried::{Outlook, Rates, Tried};

/// The search ends when the lowest rate that failed is at most this share above the highest rate
/// that held.
pub const SEARCH_PRECISION: f64 = 0.03;
/// A new rate between the estimated maximum and one end of the bracket must differ by more than
/// half of this share from that end and from each undecided rate.
const EDGE_PRECISION: f64 = 0.08;
/// After a second failed proof, after a proof that stalled, or if the time is short after the first, the
/// next proof is at the lowest rate that failed or stalled, divided by this factor.
const FALLBACK: f64 = 1.1;
/// Number of failed proofs after which the search no longer looks for a rate just below the lowest of
/// them.
const CLOSE_PROOFS: usize = 2;
/// Maximum number of probes at one rate.
const MOST_TRIES: usize = LOOKS;
/// Maximum number of probes at an undecided rate below the estimated maximum if no rate has held,
/// or above the estimated maximum if no rate has failed.
const TRIES_WITHOUT_END: usize = 4;
/// The search ends when proofs have failed at this number of rates.
const MOST_PROOFS: usize = 6;
/// Highest allowed rate: the first rate, doubled this number of times. The first rate may have been
/// chosen far too low.
const MOST_DOUBLINGS: i32 = 24;
/// Lowest allowed rate: the first rate, halved this number of times. A target that fails at a
/// thousandth of the first rate fails at any rate.
const MOST_HALVINGS: i32 = 10;
/// Maximum number of probes in total, so that noise cannot prolong a search without limit.
const MOST_PROBES: usize = 60;
/// The search ends after this number of probes with [`Yield::Nothing`].
const MOST_EMPTY: usize = 3;
/// The target counts as always failing after this number of probes with only failed operations: a
/// lower rate does not correct wrong responses.
const MOST_FUTILE: usize = 2;
/// The search ends when the load generator was late in this number of consecutive probes at one
/// rate.
const MOST_LATE: usize = 4;
/// Limit for the next rate: the estimated maximum divided by this factor if no rate has held, or
/// multiplied by this factor if no rate has failed.
const FAR: f64 = 4.0;
/// Preferred factor between the estimated maximum and the next rate: at this distance, the test
/// usually decides within the time of a search.
const STEP: f64 = 1.4;
/// Factor by which the search aims beyond the estimated maximum until some rate seems to hold and
/// some rate seems to fail.
const SPARE: f64 = 1.2;
/// The search probes an undecided rate again, instead of a new rate, if the undecided rate is
/// within this factor of the preferred rate.
const AS_GOOD: f64 = 1.15;

/// Purpose of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To find the maximum rate.
    Seek,
    /// To prove with a longer probe that a rate holds.
    Proof,
}

/// Outcome of a probe's operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Yield {
    /// Operations succeeded, timed out or were due and not sent.
    Work,
    /// Every operation failed, and no operation timed out.
    OnlyFailures,
    /// No operation was due, and no operation completed; the probe decides nothing.
    Nothing,
    /// A limit was missed, but the load generator sent so many requests late that the target may
    /// not be the cause. The probe does not count against the target.
    LateGenerator,
    /// A limit was missed, but threads of the target or of the load generator waited so long for a
    /// CPU core that other programs may be the cause. The probe does not count against the target.
    WaitedForCore,
}

impl Yield {
    /// Whether the probe missed a limit without counting against the target.
    pub fn is_void(self) -> bool {
        matches!(self, Self::LateGenerator | Self::WaitedForCore)
    }
}

/// Counts of one probe for a limit on a share of requests, such as the share slower than 50 ms.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareCounts {
    /// Allowed share of requests beyond the limit, above 0.
    pub allowed: f64,
    /// Request counts for each second of the probe.
    pub seconds: Vec<Second>,
}

/// The result of one probe for a limit that is not a share of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote {
    /// Whether the limit was met.
    pub kept: bool,
    /// Whether the value was so close to the limit that chance may have decided `kept`.
    pub close: bool,
}

/// Result of one probe: load at one rate for a few seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Offered rate, operations per second, above 0.
    pub rate: f64,
    /// Purpose of the probe.
    pub purpose: Purpose,
    /// Counts for each limit on a share of requests; all probes have the same limits in the same
    /// order.
    pub shares: Vec<ShareCounts>,
    /// Results for all other limits; all probes have the same limits in the same order.
    pub votes: Vec<Vote>,
    /// Outcome of the probe's operations.
    pub ended: Yield,
    /// Whether stalls of the machine were long enough to cause a missed limit. Set even if the
    /// probe met every limit.
    pub is_disturbed: bool,
}

/// The next step of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Run a probe.
    Probe {
        /// Operations per second.
        rate: f64,
        /// Purpose of the probe.
        purpose: Purpose,
        /// Probe length that is expected to suffice for a decision, seconds.
        seconds: f64,
    },
    /// The search is complete.
    Done,
}

/// A maximum-rate search: its first rate and the probes made so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    start: f64,
    probes: Vec<Probe>,
}

impl Search {
    /// A new search that starts at `start` operations per second, above 0.
    pub fn new(start: f64) -> Self {
        Self {
            start: rounded(start),
            probes: Vec::new(),
        }
    }

    /// Restores a search from its probes; `None` without probes.
    pub fn after(probes: &[Probe]) -> Option<Self> {
        let first = probes.first()?;
        Some(Self {
            start: first.rate,
            probes: probes.to_vec(),
        })
    }

    /// Adds the result of a probe.
    pub fn learn(&mut self, probe: Probe) {
        self.probes.push(probe);
    }

    /// The bracket (held, failed): `failed` is the lowest rate that failed, `held` the highest rate
    /// that held below `failed`.
    pub fn bracket(&self) -> (Option<f64>, Option<f64>) {
        self.rates().bracket()
    }

    /// Whether `rate` held, according to the probes at all rates; `None` if undecided or not tried.
    pub fn decision(&self, rate: f64) -> Option<bool> {
        self.rates().get(rate)?.decision
    }

    /// Undecided rates inside the bracket, in ascending order.
    pub fn undecided(&self) -> Vec<f64> {
        self.rates().undecided()
    }

    /// Whether the search ends because the load generator was late in several consecutive probes at
    /// one rate.
    pub fn is_late(&self) -> bool {
        let Some(last) = self.probes.last() else {
            return false;
        };
        let late = self.probes.iter().filter(|p| p.rate == last.rate);
        let in_a_row = late.rev().take_while(|p| p.ended == Yield::LateGenerator);
        in_a_row.count() >= MOST_LATE
    }

    /// The next step, whatever its length.
    fn next(&self) -> Step {
        let empty = self.probes.iter().filter(|p| p.ended == Yield::Nothing);
        if self.probes.len() >= MOST_PROBES
            || empty.count() >= MOST_EMPTY
            || self.is_futile()
            || self.is_late()
        {
            return Step::Done;
        }
        let rates = self.rates();
        let (held, failed) = rates.bracket();
        let disproven = rates.unproven().filter(|t| t.decision == Some(false));
        let disproven = disproven.count();
        if disproven >= MOST_PROOFS {
            return Step::Done;
        }
        let last = self.probes.last().and_then(|last| rates.get(last.rate));
        let stalled = rates.stalled();
        // A late load generator is usually a short disturbance: repeat the probe at once.
        let is_late = |p: &&Probe| p.ended == Yield::LateGenerator;
        if let Some(late) = self.probes.last().filter(is_late)
            && last.is_some_and(|last| last.decision.is_none())
        {
            return step(late.rate, late.purpose, &rates);
        }
        if !stalled.is_empty() && rates.has_proven_bound() {
            return rates.above(&stalled).unwrap_or(Step::Done);
        }
        if let Some(last) = last.filter(|last| last.has_proof()) {
            let is_open = last.decision.is_none() && last.probes.len() < MOST_TRIES;
            if is_open && !rates.is_stalled(last) {
                return step(last.rate, Purpose::Proof, &rates);
            }
            if last.decision == Some(true) && held == Some(last.rate) {
                return Step::Done;
            }
        }
        if disproven >= CLOSE_PROOFS
            && let Some(rate) = rates.fallback()
        {
            return step(rate, Purpose::Proof, &rates);
        }
        if let Some(rate) = rates.below(&stalled) {
            return step(rate, Purpose::Proof, &rates);
        }
        if let Some(rate) = self.rate_to_seek(&rates) {
            return step(rate, Purpose::Seek, &rates);
        }
        // One short disturbance at a low rate would move the search down to that rate: repeat a
        // rate that failed only once.
        let of_failed = failed.and_then(|failed| rates.get(failed));
        if let Some(once) = of_failed.filter(|t| t.probes.len() == 1 && held.is_some()) {
            return step(once.rate, Purpose::Seek, &rates);
        }
        let proof = held
            .and_then(|held| rates.get(held))
            .filter(|t| !t.has_proof() && t.proofs() < MOST_TRIES);
        proof.map_or(Step::Done, |t| step(t.rate, Purpose::Proof, &rates))
    }

    /// The rate to probe next; `None` if the bracket is narrow enough or no allowed rate would make
    /// the bracket narrower.
    fn rate_to_seek(&self, rates: &Rates<'_>) -> Option<f64> {
        let (Some(lowest), Some(highest)) = (rates.0.first(), rates.0.last()) else {
            return Some(self.start);
        };
        let (lowest, highest) = (lowest.rate, highest.rate);
        let outlooks = rates.0.iter().map(|t| (t.rate, rates.outlook(t.rate)));
        let outlooks: Vec<(f64, Outlook)> = outlooks.collect();
        let highest_allowed = rounded(self.start * 2f64.powi(MOST_DOUBLINGS));
        let lowest_allowed = rounded(self.start * 2f64.powi(-MOST_HALVINGS));
        let (held, failed) = rates.bracket();
        let is_above_held = |rate: f64| held.is_none_or(|held| held < rate);
        let failing = outlooks.iter();
        let failing = failing
            .copied()
            .find(|(rate, outlook)| !outlook.holds && is_above_held(*rate));
        let holding = outlooks.iter().rfind(|(rate, outlook)| {
            outlook.holds && failing.is_none_or(|(failing, _)| *rate < failing)
        });
        // Probe outside the tried rates until one rate seems to fail and one rate seems to hold.
        let (Some(holding), Some(failing)) = (holding, failing) else {
            let (_, outlook) = if failing.is_none() {
                outlooks.last()?
            } else {
                outlooks.first()?
            };
            let excess = outlook.excess * SPARE;
            return if failing.is_none() {
                (highest < highest_allowed)
                    .then(|| rounded(highest * (SPARE * SPARE / excess).clamp(STEP, 2.0)))
            } else {
                (lowest > lowest_allowed).then(|| rounded(lowest / excess.clamp(STEP, 2.0)))
            };
        };
        let limit = crossing(*holding, failing);
        if rates.undecided().is_empty()
            && let (Some(held), Some(failed)) = (held, failed)
        {
            let middle = rounded((held * failed).sqrt());
            let is_wide = failed > held * (1.0 + SEARCH_PRECISION);
            return (is_wide && held < middle && middle < failed).then_some(middle);
        }
        // Start with the end of the bracket farther from the estimated maximum. If both ends are
        // open, start with the side that has less measured time.
        let lower = held.map_or(f64::INFINITY, |held| limit / held);
        let upper = failed.map_or(f64::INFINITY, |failed| failed / limit);
        let towards = |holds: bool| {
            let end = if holds { held } else { failed };
            self.towards(holds, limit, end, rates)
        };
        let is_lower_first = match (held, failed) {
            (None, None) => {
                rates.seconds(|rate| rate < limit) <= rates.seconds(|rate| rate > limit)
            }
            _ => lower >= upper,
        };
        towards(is_lower_first).or_else(|| towards(!is_lower_first))
    }

    /// The next rate between `limit`, the estimated maximum, and `end`, the end of the bracket:
    /// below `limit` if the rate should hold (`holds`), else above. `None` without a useful rate.
    fn towards(&self, holds: bool, limit: f64, end: Option<f64>, rates: &Rates<'_>) -> Option<f64> {
        let distance = |rate: f64| {
            if holds {
                (limit / rate).ln()
            } else {
                (rate / limit).ln()
            }
        };
        let at = |distance: f64| {
            if holds {
                rounded(limit / distance.exp())
            } else {
                rounded(limit * distance.exp())
            }
        };
        let farthest = end.map_or(FAR.ln(), distance);
        let aim = (farthest / 2.0).min(STEP.ln());
        let undecided: Vec<f64> = rates.undecided();
        let on_side = undecided.iter().copied().filter(|rate| {
            let distance = distance(*rate);
            0.0 < distance && distance < farthest
        });
        let again = on_side.clone().filter(|rate| {
            let tries = rates.get(*rate).map_or(0, |t| t.probes.len());
            // While the bracket is open on this side, limit the tries: a rate farther from the
            // maximum is decided sooner.
            let most = if end.is_none() {
                TRIES_WITHOUT_END
            } else {
                MOST_TRIES
            };
            tries < most && (distance(*rate) - aim).abs() <= AS_GOOD.ln().min(aim / 2.0)
        });
        let off = |rate: &f64| (distance(*rate) - aim).abs();
        if let Some(again) = again.min_by(|a, b| off(a).total_cmp(&off(b))) {
            return Some(again);
        }
        let is_new = |rate: &f64| {
            let mut known = undecided.iter().chain(&end);
            known.all(|known| (known / rate).ln().abs() > EDGE_PRECISION / 2.0)
        };
        let outermost = on_side.map(distance).reduce(f64::max).unwrap_or(0.0);
        let candidates = [at(aim), at((farthest + outermost) / 2.0)];
        candidates.into_iter().find(is_new)
    }

    fn is_futile(&self) -> bool {
        let of = |ended| self.probes.iter().filter(move |p| p.ended == ended).count();
        of(Yield::Work) == 0 && of(Yield::OnlyFailures) >= MOST_FUTILE
    }

    /// Every tried rate with its evaluation.
    fn rates(&self) -> Rates<'_> {
        Rates::of(self.probes.iter().filter(|p| p.ended != Yield::Nothing))
    }
}

/// The estimated maximum: the rate at which the share beyond a limit equals the allowed share,
/// interpolated between a rate that seems to hold and a rate that seems to fail.
fn crossing((low, of_low): (f64, Outlook), (high, of_high): (f64, Outlook)) -> f64 {
    let (below, above) = (of_low.excess.min(1.0).ln(), of_high.excess.max(1.0).ln());
    let part = if above > below {
        -below / (above - below)
    } else {
        0.5
    };
    low * (high / low).powf(part)
}

fn step(rate: f64, purpose: Purpose, rates: &Rates<'_>) -> Step {
    // Every further probe at a rate at least doubles the measured time of that rate.
    let so_far = rates.get(rate).map_or(0, Tried::seconds) as f64;
    Step::Probe {
        rate,
        purpose,
        seconds: rates.outlook(rate).seconds.max(so_far),
    }
}

/// Rounds to four significant digits, which is finer than any step of the search.
fn rounded(rate: f64) -> f64 {
    if rate <= 0.0 || !rate.is_finite() {
        return rate;
    }
    let decimals = 3 - rate.log10().floor() as i32;
    // Divide by 10 instead of multiplying by 0.1, which has no exact binary representation.
    let unit = 10f64.powi(decimals.abs());
    if decimals >= 0 {
        (rate * unit).round() / unit
    } else {
        (rate / unit).round() * unit
    }
}

#[cfg(test)]
mod tests;
