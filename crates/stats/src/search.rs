//! The search for the highest rate that holds: what to try next, and what is known.
//!
//! Rates double until one seems to fail, or halve until one seems to hold. From then on the search
//! estimates where the limit lies and probes a rate near it, on the side where the bracket is wider,
//! until the gap between the highest rate that held and the lowest that failed is small or the time
//! is over; a longer probe proves the result. Whether a rate held follows from all
//! probes at it together, by a sequential test whose error is stated
//! ([`crate::SHARE_ERROR`]); a rate too close to the limit stays undecided and lies inside the
//! interval that is found. All of it follows from the probes made so far, so that a run read
//! from disk ends where the live one did.

mod tried;

use serde::Serialize;

use crate::sequential::{LOOKS, Second};
use tried::{Outlook, Rates, Tried};

/// The gap between a rate that held and one that failed at which the search ends.
pub const SEARCH_PRECISION: f64 = 0.03;
/// The same where an undecided rate lies between them, on either side of it.
const EDGE_PRECISION: f64 = 0.08;
/// Probes at one rate, if the first ones do not decide.
const MOST_TRIES: usize = LOOKS;
/// The same while no rate farther from the limit has been decided.
const TRIES_WITHOUT_END: usize = 4;
/// Proofs that fail until the search gives up.
const MOST_PROOFS: usize = 6;
/// Doublings above the first rate, which may have been chosen far too low.
const MOST_DOUBLINGS: i32 = 24;
/// Halvings below it: a target that fails at a thousandth of it fails at any rate.
const MOST_HALVINGS: i32 = 10;
/// Probes in all: noise must not keep a search going for ever.
const MOST_PROBES: usize = 60;
/// Probes in which nothing came to an end, until the search gives up.
const MOST_EMPTY: usize = 3;
/// Probes in which every operation failed, until a target counts as one that never
/// succeeds: a lower rate does not correct a wrong response.
const MOST_FUTILE: usize = 2;
/// Probes at one rate in which the generator was late, until the search ends.
const MOST_LATE: usize = 4;
/// Rates that are higher or lower than the limit seems to be by this factor are not probed to
/// find an end of the interval.
const FAR: f64 = 4.0;
/// By this factor off the limit a share is told from the allowed one in the time of a search.
const STEP: f64 = 1.4;
/// What a rate next to the limit is away from where the limit seems to be, at least.
const SPARE: f64 = 1.2;
/// A rate this close to the one that is wanted takes its place.
const AS_GOOD: f64 = 1.15;

/// What a probe is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To narrow down where the limit lies.
    Seek,
    /// To prove, for longer, that a rate holds.
    Proof,
}

/// What ended in a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Yield {
    /// Something succeeded, or was not answered in time.
    Work,
    /// Every operation was answered, and none as it should be.
    OnlyFailures,
    /// Nothing: no operation was due, or none was reported. That decides nothing.
    Nothing,
    /// A limit was missed, and the load generator was late with so many requests that the target
    /// need not be the cause: the probe does not count against the target.
    LateGenerator,
    /// A limit was missed, and threads of the target or of the load generator waited for a core for so
    /// long that other programs may be the cause: likewise.
    WaitedForCore,
}

impl Yield {
    /// Whether the probe missed a limit without counting against the target.
    pub fn is_void(self) -> bool {
        matches!(self, Self::LateGenerator | Self::WaitedForCore)
    }
}

/// One limit on a share of requests in one probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareSeen {
    /// The share that may be beyond the limit, above 0.
    pub allowed: f64,
    /// The requests, by second.
    pub seconds: Vec<Second>,
}

/// Any other limit in one probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote {
    /// It was kept.
    pub kept: bool,
    /// It came so close that chance may have decided.
    pub close: bool,
}

/// What came of offering a rate once.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Operations a second that were offered, above 0.
    pub rate: f64,
    /// What it was for.
    pub purpose: Purpose,
    /// Limits on shares, the same ones in the same order in every probe.
    pub shares: Vec<ShareSeen>,
    /// All other limits, likewise.
    pub votes: Vec<Vote>,
    /// What ended in it.
    pub ended: Yield,
    /// The machine stalled for so long that stalls alone could have missed a limit, whether or not
    /// one was missed.
    pub is_disturbed: bool,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Offer this rate.
    Probe {
        /// Operations a second.
        rate: f64,
        /// What for.
        purpose: Purpose,
        /// Length from which on it may decide, seconds.
        seconds: f64,
    },
    /// Nothing more is to be learned.
    Done,
}

/// What the probes say of the highest rate that holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HighestRate {
    /// This rate held, in the proof as well.
    Proven {
        /// Operations a second.
        rate: f64,
        /// The lowest rate known to fail, if any is.
        failed: Option<f64>,
    },
    /// This rate held, and was not proven.
    AtLeast {
        /// Operations a second.
        rate: f64,
        /// The lowest rate known to fail, if any is.
        failed: Option<f64>,
    },
    /// Every proof failed: what holds for long is unknown.
    Disproven {
        /// The highest rate below all proofs that held in a short probe, operations a
        /// second; `None` if none did.
        briefly: Option<f64>,
        /// The lowest rate of a proof.
        failed: f64,
        /// The highest.
        highest: f64,
    },
    /// No rate held; this is the lowest that failed.
    Below {
        /// Operations a second.
        failed: f64,
    },
    /// Nothing ever succeeded: every operation failed, at every rate that was tried.
    Futile {
        /// The rate of the first probe, operations a second.
        tried: f64,
    },
    /// Nothing was decided.
    Unknown,
}

impl HighestRate {
    /// The highest rate that held, if one did and no proof speaks against it.
    pub fn rate(&self) -> Option<f64> {
        match *self {
            Self::Proven { rate, .. } | Self::AtLeast { rate, .. } => Some(rate),
            Self::Disproven { .. } | Self::Below { .. } | Self::Futile { .. } | Self::Unknown => {
                None
            }
        }
    }

    /// The lowest rate that is known to fail, if one is.
    pub fn failed(&self) -> Option<f64> {
        match *self {
            Self::Proven { failed, .. } | Self::AtLeast { failed, .. } => failed,
            Self::Below { failed } | Self::Disproven { failed, .. } => Some(failed),
            Self::Futile { .. } | Self::Unknown => None,
        }
    }
}

/// A search from its first rate on, with the probes made so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    start: f64,
    probes: Vec<Probe>,
}

impl Search {
    /// A search that begins at `start` operations a second, above 0.
    pub fn new(start: f64) -> Self {
        Self {
            start: rounded(start),
            probes: Vec::new(),
        }
    }

    /// The search that made these probes; `None` if there are none.
    pub fn after(probes: &[Probe]) -> Option<Self> {
        let first = probes.first()?;
        Some(Self {
            start: first.rate,
            probes: probes.to_vec(),
        })
    }

    /// Takes in what came of a probe.
    pub fn learn(&mut self, probe: Probe) {
        self.probes.push(probe);
    }

    /// The highest rate that held below the lowest that failed, and that one.
    pub fn bracket(&self) -> (Option<f64>, Option<f64>) {
        self.rates().bracket()
    }

    /// Whether all probes at this rate together say that it held; `None` if that is not known.
    pub fn decision(&self, rate: f64) -> Option<bool> {
        self.rates().get(rate)?.decision
    }

    /// The rates between the ends of the bracket that were tried and could not be decided, in
    /// ascending order.
    pub fn undecided(&self) -> Vec<f64> {
        self.rates().undecided()
    }

    /// Whether the search ends because the load generator was late in several probes in a row.
    pub fn is_late(&self) -> bool {
        let Some(last) = self.probes.last() else {
            return false;
        };
        let late = self.probes.iter().filter(|p| p.rate == last.rate);
        let in_a_row = late.rev().take_while(|p| p.ended == Yield::LateGenerator);
        in_a_row.count() >= MOST_LATE
    }

    /// The proof of the highest rate that has held, if there is one that was not proven yet.
    pub fn proof(&self) -> Option<Step> {
        let rates = self.rates();
        let held = rates.get(rates.bracket().0?)?;
        (!held.is_proven()).then(|| step(held.rate, Purpose::Proof, &rates))
    }

    /// What to do next.
    pub fn next(&self) -> Step {
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
        let disproven = rates.0.iter().filter(|t| t.has_proof());
        if disproven.filter(|t| t.decision == Some(false)).count() >= MOST_PROOFS {
            return Step::Done;
        }
        let last = self.probes.last().and_then(|last| rates.get(last.rate));
        // The generator is late for a moment, as a rule: the probe is repeated at once.
        let is_late = |p: &&Probe| p.ended == Yield::LateGenerator;
        if let Some(late) = self.probes.last().filter(is_late)
            && last.is_some_and(|last| last.decision.is_none())
        {
            return step(late.rate, late.purpose, &rates);
        }
        if let Some(last) = last.filter(|last| last.has_proof()) {
            if last.decision.is_none() && last.probes.len() <= MOST_TRIES {
                return step(last.rate, Purpose::Proof, &rates);
            }
            if last.decision == Some(true) && held == Some(last.rate) {
                return Step::Done;
            }
        }
        if let Some(rate) = self.rate_to_seek(&rates) {
            return step(rate, Purpose::Seek, &rates);
        }
        // One hiccup far below the limit would have drawn the search down to it: a failure is
        // believed only when it comes twice.
        let of_failed = failed.and_then(|failed| rates.get(failed));
        if let Some(once) = of_failed.filter(|t| t.probes.len() == 1 && held.is_some()) {
            return step(once.rate, Purpose::Seek, &rates);
        }
        let proof = held
            .and_then(|held| rates.get(held))
            .filter(|t| !t.has_proof());
        proof.map_or(Step::Done, |t| step(t.rate, Purpose::Proof, &rates))
    }

    /// The rate to probe next; `None` if the bracket is as narrow as it can become.
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
        // Outside of what was tried, until one rate seems to fail and one to hold.
        let (Some(holding), Some(failing)) = (holding, failing) else {
            let (_, outlook) = if failing.is_none() {
                outlooks.last()?
            } else {
                outlooks.first()?
            };
            let excess = outlook.excess * SPARE;
            return match failing.is_none() {
                true => (highest < highest_allowed)
                    .then(|| rounded(highest * (SPARE * SPARE / excess).clamp(STEP, 2.0))),
                false => {
                    (lowest > lowest_allowed).then(|| rounded(lowest / excess.clamp(STEP, 2.0)))
                }
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
        // The end that is farther from the limit comes first; of two that are open, the one on which
        // less time was spent.
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

    /// A rate below the limit that may hold, or one above it that may fail, nearer to the limit
    /// than this end of the bracket.
    fn towards(&self, holds: bool, limit: f64, end: Option<f64>, rates: &Rates<'_>) -> Option<f64> {
        let distance = |rate: f64| match holds {
            true => (limit / rate).ln(),
            false => (rate / limit).ln(),
        };
        let at = |distance: f64| match holds {
            true => rounded(limit / distance.exp()),
            false => rounded(limit * distance.exp()),
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
            // An end of any kind is worth more than one near the limit.
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

    /// What the probes say.
    pub fn found(&self) -> HighestRate {
        if self.is_futile() {
            return HighestRate::Futile { tried: self.start };
        }
        let rates = self.rates();
        let tried = &rates.0;
        let (held, failed) = rates.bracket();
        let proven = tried
            .iter()
            .find(|t| Some(t.rate) == held)
            .filter(|t| t.is_proven());
        if let Some(proof) = proven {
            return HighestRate::Proven {
                rate: proof.rate,
                failed,
            };
        }
        let disproven = || {
            tried
                .iter()
                .filter(|t| t.has_proof() && t.decision == Some(false))
        };
        if let Some(highest) = disproven().map(|t| t.rate).reduce(f64::max) {
            let lowest = disproven().map(|t| t.rate).fold(highest, f64::min);
            let below = tried
                .iter()
                .filter(|t| t.rate < lowest && t.decision == Some(true));
            return HighestRate::Disproven {
                briefly: below.map(|t| t.rate).reduce(f64::max),
                failed: lowest,
                highest,
            };
        }
        match (held, failed) {
            (Some(rate), failed) => HighestRate::AtLeast { rate, failed },
            (None, Some(failed)) => HighestRate::Below { failed },
            (None, None) => HighestRate::Unknown,
        }
    }

    fn is_futile(&self) -> bool {
        let of = |ended| self.probes.iter().filter(move |p| p.ended == ended).count();
        of(Yield::Work) == 0 && of(Yield::OnlyFailures) >= MOST_FUTILE
    }

    /// Every rate that was tried, with what is known of it.
    fn rates(&self) -> Rates<'_> {
        Rates::of(self.probes.iter().filter(|p| p.ended != Yield::Nothing))
    }
}

/// The rate at which the share is the allowed one, between a rate that seems to hold and one that
/// seems to fail.
fn crossing((low, of_low): (f64, Outlook), (high, of_high): (f64, Outlook)) -> f64 {
    let (below, above) = (of_low.excess.min(1.0).ln(), of_high.excess.max(1.0).ln());
    let part = match above > below {
        true => -below / (above - below),
        false => 0.5,
    };
    low * (high / low).powf(part)
}

fn step(rate: f64, purpose: Purpose, rates: &Rates<'_>) -> Step {
    // Every look at least doubles what is known.
    let so_far = rates.get(rate).map_or(0, Tried::seconds) as f64;
    Step::Probe {
        rate,
        purpose,
        seconds: rates.outlook(rate).seconds.max(so_far),
    }
}

/// To four digits, which is finer than any step and reads better.
fn rounded(rate: f64) -> f64 {
    if rate <= 0.0 || !rate.is_finite() {
        return rate;
    }
    let decimals = 3 - rate.log10().floor() as i32;
    // Divided and not multiplied where it can be: 0.1 has no exact double, 10 has.
    let unit = 10f64.powi(decimals.abs());
    if decimals >= 0 {
        (rate * unit).round() / unit
    } else {
        (rate / unit).round() * unit
    }
}

#[cfg(test)]
mod tests;
