//! The search for the highest rate that holds: what to try next, and what is known.
//!
//! Rates double until one fails, then the gap between the highest that held and the
//! lowest that failed is halved until it is small, and a longer probe proves the result
//! (the shape of nighthawk's adaptive load controller). Whether a rate held follows from all
//! probes at it together, by a sequential test whose error is stated
//! ([`crate::SHARE_ERROR`]); a rate too close to the limit stays undecided and lies inside the
//! interval that is found. All of it follows from the probes made so far, so that a run read
//! from disk ends where the live one did.

use serde::Serialize;

use crate::sequential::{Counted, FEWEST_SECONDS, LOOKS, Second};

/// The gap between a rate that held and one that failed at which the search ends.
pub const SEARCH_PRECISION: f64 = 0.03;
/// The same where an undecided rate lies between them, on either side of it.
const EDGE_PRECISION: f64 = 0.08;
/// Probes at one rate, if the first ones do not decide.
const MOST_TRIES: usize = LOOKS;
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
/// Events that a probe must have had time for: with the mean of 3, it sees none of them in
/// 5 % of all cases.
const EVENTS: f64 = 3.0;

/// So many times the length that is needed, so that a probe seldom falls short by a little.
const SPARE: f64 = 1.2;

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
    /// The load generator was late with too many requests. That decides nothing of the
    /// target.
    LateGenerator,
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

/// What is known of one rate, from all probes at it that count.
struct Tried<'p> {
    rate: f64,
    probes: Vec<&'p Probe>,
    /// By limit on a share.
    counted: Vec<(f64, Counted)>,
    decision: Option<bool>,
}

impl<'p> Tried<'p> {
    fn new(rate: f64, probes: Vec<&'p Probe>) -> Self {
        let limits = probes.iter().map(|p| p.shares.len()).min().unwrap_or(0);
        let counted = (0..limits).map(|limit| {
            let seconds: Vec<&[Second]> = probes
                .iter()
                .map(|p| p.shares[limit].seconds.as_slice())
                .collect();
            (probes[0].shares[limit].allowed, Counted::of(&seconds))
        });
        Self {
            rate,
            counted: counted.collect(),
            decision: None,
            probes,
        }
    }

    /// Whether every limit was kept; `None` where that is not known. `others` are the rates
    /// that were tried.
    fn decide(&self, others: &[Self]) -> Option<bool> {
        let mut decisions: Vec<Option<bool>> = Vec::new();
        for (at, (allowed, _)) in self.counted.iter().enumerate() {
            let may_hold = self.unseen(at, others) <= 0.0;
            decisions.push(match self.pooled(at, *allowed, others) {
                Some(true) if !may_hold => None,
                known => known,
            });
        }
        let votes = self.probes.iter().map(|p| p.votes.len()).min().unwrap_or(0);
        decisions.extend((0..votes).map(|at| self.vote(at)));
        match (decisions.contains(&Some(false)), decisions.contains(&None)) {
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => (!decisions.is_empty()).then_some(true),
        }
    }

    /// Whether the share is below the allowed one, from the probes at this rate and those
    /// next to it: no higher rate has a lower share.
    fn pooled(&self, limit: usize, allowed: f64, others: &[Self]) -> Option<bool> {
        let seconds = |of: &Self| -> Vec<&'p [Second]> {
            let probes = of.probes.iter().filter_map(|p| p.shares.get(limit));
            probes.map(|share| share.seconds.as_slice()).collect()
        };
        let decide = |others: Vec<&Self>, wanted: bool| {
            let mut pool = Vec::new();
            others.into_iter().any(|other| {
                pool.extend(seconds(other));
                Counted::of(&pool).is_below(allowed) == Some(wanted)
            })
        };
        let above = others.iter().filter(|other| other.rate >= self.rate);
        let below = others.iter().filter(|other| other.rate <= self.rate);
        if decide(below.rev().collect(), false) {
            Some(false)
        } else {
            decide(above.collect(), true).then_some(true)
        }
    }

    /// The majority of the probes; one is enough if it is clear.
    fn vote(&self, at: usize) -> Option<bool> {
        let votes: Vec<Vote> = self.probes.iter().map(|p| p.votes[at]).collect();
        let kept = votes.iter().filter(|vote| vote.kept).count();
        let missed = votes.len() - kept;
        match votes[..] {
            [only] => (!only.close).then_some(only.kept),
            _ if kept == missed => None,
            _ => Some(kept > missed),
        }
    }

    /// Requests that are missing before this rate can be said to keep a limit: enough to meet
    /// events, such as pauses, that were seen at this rate or above it, though rarely.
    fn unseen(&self, limit: usize, others: &[Self]) -> f64 {
        let above = others.iter().filter(|other| other.rate >= self.rate);
        let mut sent = 0.0;
        let mut missing: f64 = 0.0;
        for other in above {
            let Some((allowed, counted)) = other.counted.get(limit) else {
                continue;
            };
            if other.rate == self.rate {
                sent = counted.all;
            }
            let before = sent;
            if other.rate > self.rate {
                sent += counted.all;
            }
            if counted.hit == 0 || counted.beyond > counted.all / 2.0 {
                continue;
            }
            let hit = counted.hit as f64;
            // One in so many requests, or one in so many seconds.
            let in_time = counted.seconds as f64 / hit * self.rate;
            let to_meet = EVENTS * (counted.all / hit).max(in_time);
            // Unless they are so few that all of them could be missed.
            let size = (counted.beyond / hit * self.rate / other.rate).max(1.0);
            let needed = to_meet.min(Counted::none_of(size).needed(*allowed));
            missing = missing.max(needed - before);
        }
        missing
    }

    /// By how much, as a logarithm, the bracket becomes narrower if this rate goes on as it did.
    fn gain(&self, (held, failed): (Option<f64>, Option<f64>), lowest: f64) -> f64 {
        let seems_below =
            |(allowed, counted): &(f64, Counted)| counted.beyond <= allowed * counted.all;
        match self.counted.iter().all(seems_below) {
            true => (self.rate / held.unwrap_or(lowest / 2.0)).ln(),
            false => (failed.unwrap_or(self.rate * 2.0) / self.rate).ln(),
        }
    }

    /// Length of a probe that may decide, seconds.
    fn seconds(&self, others: &[Self]) -> f64 {
        let limits = self.counted.iter().enumerate();
        let needed = limits.map(|(at, (allowed, counted))| {
            let missing = (counted.needed(*allowed) - counted.all).max(self.unseen(at, others));
            let seconds = FEWEST_SECONDS.saturating_sub(counted.seconds) as f64;
            (missing * SPARE / self.rate).max(seconds)
        });
        needed.fold(0.0, f64::max)
    }
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
        bracket_of(&self.tried())
    }

    /// Whether all probes at this rate together say that it held; `None` if that is not known.
    pub fn decision(&self, rate: f64) -> Option<bool> {
        self.tried().iter().find(|t| t.rate == rate)?.decision
    }

    /// The rates between the ends of the bracket that were tried and could not be decided, in
    /// ascending order.
    pub fn undecided(&self) -> Vec<f64> {
        let tried = self.tried();
        undecided_in(&tried, bracket_of(&tried))
    }

    /// Whether the search ends because the load generator was late again and again.
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
        let tried = self.tried();
        let held = bracket_of(&tried).0?;
        let of_held = tried.iter().find(|t| t.rate == held)?;
        (!of_held.is_proven()).then(|| step(held, Purpose::Proof, &tried))
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
        let tried = self.tried();
        let bracket = bracket_of(&tried);
        let seek = |rate| step(rate, Purpose::Seek, &tried);
        let disproven = tried
            .iter()
            .filter(|t| t.has_proof() && t.decision == Some(false));
        if disproven.count() >= MOST_PROOFS {
            return Step::Done;
        }
        if let Some(last) = self.probes.last()
            && let Some(of_last) = tried.iter().find(|t| t.rate == last.rate)
        {
            let may_go_on = of_last.probes.len() < MOST_TRIES + usize::from(of_last.has_proof());
            if of_last.decision.is_none() && of_last.has_proof() && may_go_on {
                return step(last.rate, last.purpose, &tried);
            }
            if of_last.decision == Some(true) && of_last.has_proof() && bracket.0 == Some(last.rate)
            {
                return Step::Done;
            }
        }
        let lowest_tried = tried.iter().map(|t| t.rate).reduce(f64::min);
        let highest_tried = tried.iter().map(|t| t.rate).reduce(f64::max);
        let (Some(lowest_tried), Some(highest_tried)) = (lowest_tried, highest_tried) else {
            return seek(self.start);
        };
        let highest = rounded(self.start * 2f64.powi(MOST_DOUBLINGS));
        let lowest = rounded(self.start * 2f64.powi(-MOST_HALVINGS));
        let undecided = undecided_in(&tried, bracket);
        let of_rate = |rate: f64| tried.iter().find(|t| t.rate == rate);
        let again = undecided
            .iter()
            .filter_map(|rate| of_rate(*rate))
            .filter(|t| t.probes.len() < MOST_TRIES);
        let again = again.max_by(|a, b| {
            let [a, b] = [a, b].map(|t| t.gain(bracket, lowest_tried) / t.seconds(&tried).max(0.1));
            a.total_cmp(&b)
        });
        match bracket {
            (_, None) if highest_tried < highest => seek(rounded(highest_tried * 2.0)),
            // Nothing holds yet: lower rates are decided sooner.
            (None, _) if lowest_tried > lowest && again.is_none_or(|t| t.probes.len() > 1) => {
                seek(rounded(lowest_tried / 2.0))
            }
            _ if again.is_some() => seek(again.map_or(self.start, |t| t.rate)),
            (None, _) if lowest_tried > lowest => seek(rounded(lowest_tried / 2.0)),
            (Some(held), None) => step(held, Purpose::Proof, &tried),
            (None, _) => Step::Done,
            (Some(held), Some(failed)) => between(held, failed, &tried),
        }
    }

    /// What the probes say.
    pub fn found(&self) -> HighestRate {
        if self.is_futile() {
            return HighestRate::Futile { tried: self.start };
        }
        let tried = self.tried();
        let (held, failed) = bracket_of(&tried);
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

    /// Every rate that was tried, in ascending order, with what is known of it.
    fn tried(&self) -> Vec<Tried<'_>> {
        let counts = |p: &&Probe| matches!(p.ended, Yield::Work | Yield::OnlyFailures);
        let mut rates: Vec<f64> = self.probes.iter().filter(counts).map(|p| p.rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        let of_rate = |rate: f64| {
            self.probes
                .iter()
                .filter(counts)
                .filter(move |p| p.rate == rate)
        };
        let mut tried: Vec<Tried<'_>> = rates
            .into_iter()
            .map(|rate| Tried::new(rate, of_rate(rate).collect()))
            .collect();
        let decisions: Vec<_> = tried.iter().map(|t| t.decide(&tried)).collect();
        for (of_rate, decision) in tried.iter_mut().zip(decisions) {
            of_rate.decision = decision;
        }
        tried
    }
}

impl Tried<'_> {
    fn has_proof(&self) -> bool {
        self.probes.iter().any(|p| p.purpose == Purpose::Proof)
    }

    fn is_proven(&self) -> bool {
        self.has_proof() && self.decision == Some(true)
    }
}

fn bracket_of(tried: &[Tried<'_>]) -> (Option<f64>, Option<f64>) {
    let decided = |wanted: bool| {
        let of = tried.iter().filter(move |t| t.decision == Some(wanted));
        of.map(|t| t.rate)
    };
    let failed = decided(false).reduce(f64::min);
    let below = |rate: &f64| failed.is_none_or(|failed| *rate < failed);
    (decided(true).filter(below).reduce(f64::max), failed)
}

fn undecided_in(tried: &[Tried<'_>], (held, failed): (Option<f64>, Option<f64>)) -> Vec<f64> {
    let inside = |rate: &f64| {
        held.is_none_or(|held| held < *rate) && failed.is_none_or(|failed| *rate < failed)
    };
    let undecided = tried.iter().filter(|t| t.decision.is_none());
    undecided.map(|t| t.rate).filter(inside).collect()
}

/// Between a rate that held and one that failed.
fn between(held: f64, failed: f64, tried: &[Tried<'_>]) -> Step {
    let undecided = undecided_in(tried, (Some(held), Some(failed)));
    let gaps = match (undecided.first(), undecided.last()) {
        (Some(&lowest), Some(&highest)) => vec![(held, lowest), (highest, failed)],
        _ => vec![(held, failed)],
    };
    let precision = match undecided.is_empty() {
        true => SEARCH_PRECISION,
        false => EDGE_PRECISION,
    };
    let widest = gaps
        .into_iter()
        .max_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    if let Some((low, high)) = widest {
        let middle = rounded((low * high).sqrt());
        if high > low * (1.0 + precision) && low < middle && middle < high {
            return step(middle, Purpose::Seek, tried);
        }
    }
    // One hiccup far below the limit would have drawn the search down to it: a
    // failure is believed only when it comes twice.
    let once = tried
        .iter()
        .any(|t| t.rate == failed && t.probes.len() == 1);
    let purpose = if once {
        (failed, Purpose::Seek)
    } else {
        (held, Purpose::Proof)
    };
    step(purpose.0, purpose.1, tried)
}

fn step(rate: f64, purpose: Purpose, tried: &[Tried<'_>]) -> Step {
    let known = tried.iter().find(|t| t.rate == rate);
    let seconds = match known {
        Some(known) => known.seconds(tried),
        None => {
            // Nothing is known of it: as if no request had been beyond the limit.
            let limits = tried
                .first()
                .map(|t| t.counted.iter().map(|c| c.0).collect());
            let blank = Tried {
                rate,
                probes: Vec::new(),
                counted: limits
                    .map(|limits: Vec<f64>| limits.into_iter().map(|l| (l, Counted::none_of(1.0))))
                    .into_iter()
                    .flatten()
                    .collect(),
                decision: None,
            };
            blank.seconds(tried).max(FEWEST_SECONDS as f64)
        }
    };
    Step::Probe {
        rate,
        purpose,
        seconds,
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
mod tests {
    use super::*;
    use crate::testing::Dice;

    /// A probe in which a limit was clearly kept or missed.
    fn clear(rate: f64, purpose: Purpose, held: bool) -> Probe {
        let beyond = if held { 0 } else { 900 };
        Probe {
            rate,
            purpose,
            shares: vec![ShareSeen {
                allowed: 0.01,
                seconds: vec![Second { beyond, all: 1_000 }; 4],
            }],
            votes: vec![Vote {
                kept: held,
                close: false,
            }],
            ended: Yield::Work,
        }
    }

    /// Runs a search to its end, or until it has taken so many seconds.
    fn search(start: f64, most: f64, mut server: impl FnMut(f64, Purpose, f64) -> Probe) -> Search {
        let mut search = Search::new(start);
        let mut spent = 0.0;
        while let Step::Probe {
            rate,
            purpose,
            seconds,
        } = search.next()
        {
            let length = if purpose == Purpose::Proof { 6.0 } else { 2.0 };
            let length = seconds.clamp(length, 12.0);
            spent += length;
            if spent > most {
                break;
            }
            search.learn(server(rate, purpose, length));
            assert!(search.probes.len() <= MOST_PROBES);
        }
        search
    }

    fn run(start: f64, mut holds: impl FnMut(f64, Purpose) -> bool) -> Search {
        search(start, f64::INFINITY, |rate, purpose, _| {
            clear(rate, purpose, holds(rate, purpose))
        })
    }

    fn within(search: &Search, truth: f64, share: f64) {
        let found = search.found();
        let rate = found.rate().unwrap_or_else(|| panic!("{found:?}"));
        let off = (rate / truth - 1.0).abs();
        assert!(off <= share, "{rate}, not {truth}: {:?}", search.next());
    }

    #[test]
    fn a_fixed_capacity_is_bracketed_within_the_precision() {
        for (start, capacity) in [(100.0, 1_000.0), (1_000.0, 999.0), (9e3, 37.0), (1.0, 1e6)] {
            let search = run(start, |rate, _| rate <= capacity);
            let HighestRate::Proven {
                rate,
                failed: Some(failed),
            } = search.found()
            else {
                panic!("{:?}", search.found());
            };
            assert!(rate <= capacity && capacity < failed);
            assert!(failed / rate <= 1.0 + SEARCH_PRECISION, "{rate} {failed}");
            let read_again = Search::after(&search.probes).unwrap();
            assert_eq!(read_again.found(), search.found());
            assert_eq!(read_again.next(), Step::Done);
        }
    }

    #[test]
    fn rates_double_until_one_fails() {
        let search = run(100.0, |rate, _| rate <= 450.0);
        let rates: Vec<f64> = search.probes.iter().map(|probe| probe.rate).collect();
        assert_eq!(rates[..4], [100.0, 200.0, 400.0, 800.0]);
        let last = search.probes.last().unwrap();
        assert_eq!(last.purpose, Purpose::Proof);
    }

    /// Response times of one queue with exponential service, by second, that are beyond a
    /// limit.
    fn one_queue(dice: &mut Dice, rate: f64, service: f64, limit: f64, length: f64) -> Vec<Second> {
        let mut seconds = vec![Second { beyond: 0, all: 0 }; length.ceil() as usize];
        // A lead of two seconds, which are not counted.
        let (mut now, mut free) = (-2.0, -2.0);
        loop {
            now += dice.exponential(1.0 / rate);
            if now >= length {
                return seconds;
            }
            free = f64::max(now, free) + dice.exponential(1.0 / service);
            if now < 0.0 {
                continue;
            }
            let second = &mut seconds[now as usize];
            second.all += 1;
            second.beyond += u64::from(free - now >= limit);
        }
    }

    #[test]
    fn one_queue_of_random_service_is_found_where_theory_puts_it() {
        // M/M/1: p99 of the response is ln 100 ÷ (μ − λ). Below 50 ms at μ = 1,000 while
        // λ < 907.9.
        let (service, limit) = (1_000.0, 0.050);
        let truth = service - 100f64.ln() / limit;
        let (mut holds, mut width) = (0, 0.0);
        for seed in 0..40 {
            let mut dice = Dice(seed);
            let search = search(100.0, 300.0, |rate, purpose, length| Probe {
                shares: vec![ShareSeen {
                    allowed: 0.01,
                    seconds: one_queue(&mut dice, rate, service, limit, length),
                }],
                votes: Vec::new(),
                ..clear(rate, purpose, true)
            });
            let found = search.found();
            let (low, high) = (found.rate().unwrap(), found.failed().unwrap());
            // Probes are 2 % apart at the end, which the share of 1 % is not sure to see.
            holds += usize::from(low <= truth * 1.02 && truth <= high * 1.02);
            width += (high / low).ln() / 40.0;
        }
        assert!(width < 0.3, "high ÷ low is {} on average", width.exp());
        assert!(holds >= 33, "{holds} of 40 intervals hold the truth");
    }

    /// A server that pauses for 50 ms once in 4,500 requests and answers at once what came
    /// meanwhile: the requests of the first 30 ms wait for more than 20 ms. Their share is
    /// 0.03 s · rate ÷ 4,500, which is 1 % at 1,500/s.
    struct Pausing {
        dice: Dice,
        /// Requests until the next pause.
        left: f64,
        /// Between two: exactly, or by chance.
        random: bool,
    }

    impl Pausing {
        const LIMIT: f64 = 1_500.0;

        fn next_pause(&mut self) -> f64 {
            match self.random {
                true => self.dice.exponential(4_500.0),
                false => 4_500.0,
            }
        }

        fn probe(&mut self, rate: f64, purpose: Purpose, length: f64) -> Probe {
            let mut seconds = vec![Second { beyond: 0, all: 0 }; length.ceil() as usize];
            let (mut now, mut slow_until) = (0.0, 0.0);
            loop {
                now += self.dice.exponential(1.0 / rate);
                if now >= length {
                    break;
                }
                self.left -= 1.0;
                if self.left <= 0.0 {
                    self.left += self.next_pause();
                    slow_until = now + 0.030;
                }
                let second = &mut seconds[now as usize];
                second.all += 1;
                second.beyond += u64::from(now < slow_until);
            }
            Probe {
                shares: vec![ShareSeen {
                    allowed: 0.01,
                    seconds,
                }],
                ..clear(rate, purpose, true)
            }
        }
    }

    #[test]
    fn rare_pauses_are_not_missed_and_the_interval_holds_the_limit() {
        let (mut holds, mut bounded, mut width) = (0, 0, 0.0);
        let runs = 100;
        for seed in 0..runs {
            let mut dice = Dice(seed);
            let mut server = Pausing {
                left: 4_500.0 * dice.roll(),
                dice,
                random: seed % 2 == 1,
            };
            let search = search(100.0, 120.0, |rate, purpose, length| {
                server.probe(rate, purpose, length)
            });
            let found = search.found();
            let low = found.rate().unwrap_or(0.0);
            let high = found.failed();
            let is_inside = low <= Pausing::LIMIT && high.is_none_or(|h| Pausing::LIMIT <= h);
            holds += usize::from(is_inside);
            if let Some(high) = high.filter(|_| low > 0.0) {
                bounded += 1;
                width += (high / low).ln();
            }
        }
        let width = (width / f64::from(bounded)).exp();
        assert!(holds >= 92, "{holds} of {runs} intervals hold the limit");
        assert!(bounded >= 90, "{bounded} of {runs} have both ends");
        assert!(width < 14.0, "high ÷ low is {width} on average");
    }

    #[test]
    fn a_probe_that_saw_no_pause_does_not_hold_where_they_are_known() {
        let quiet = |all| Second { beyond: 0, all };
        let paused = Second {
            beyond: 96,
            all: 3_200,
        };
        let probe = |rate, seconds| Probe {
            shares: vec![ShareSeen {
                allowed: 0.01,
                seconds,
            }],
            ..clear(rate, Purpose::Seek, true)
        };
        let mut search = Search::new(1_600.0);
        search.learn(probe(1_600.0, vec![quiet(1_600); 3]));
        assert_eq!(search.bracket(), (Some(1_600.0), None));
        search.learn(probe(3_200.0, vec![paused, paused, quiet(3_200), paused]));
        assert_eq!(
            search.bracket().0,
            None,
            "two seconds may lie between two pauses"
        );
        let Step::Probe { rate, seconds, .. } = search.next() else {
            panic!("it is over");
        };
        assert!(rate != 1_600.0 || seconds > 2.0, "{rate} {seconds}");
        search.learn(probe(1_600.0, vec![quiet(1_600); 8]));
        assert_eq!(search.bracket().0, Some(1_600.0));
    }

    #[test]
    fn a_hiccup_on_the_way_up_is_found_out() {
        let mut probes = 0;
        let search = run(100.0, |rate, _| {
            probes += 1;
            rate <= 5_000.0 && probes != 3
        });
        within(&search, 5_000.0, SEARCH_PRECISION);
    }

    #[test]
    fn a_rate_at_the_limit_stays_undecided_and_inside_the_interval() {
        let search = search(100.0, f64::INFINITY, |rate, purpose, _| {
            let at_limit = (930.0..1_070.0).contains(&rate);
            let mut probe = clear(rate, purpose, rate <= 1_000.0);
            if at_limit {
                probe.shares[0].seconds = vec![
                    Second {
                        beyond: 10,
                        all: 1_000
                    };
                    4
                ];
                probe.votes[0] = Vote {
                    kept: true,
                    close: false,
                };
            }
            probe
        });
        let found = search.found();
        let HighestRate::Proven {
            rate,
            failed: Some(failed),
        } = found
        else {
            panic!("{found:?}");
        };
        assert!(rate < 930.0 && failed > 1_070.0, "{found:?}");
        let undecided = search.undecided();
        assert!(!undecided.is_empty());
        assert!(failed / rate < 1.35, "{found:?}");
        let tries = search.probes.iter().filter(|p| p.rate == undecided[0]);
        assert_eq!(tries.count(), MOST_TRIES);
    }

    #[test]
    fn a_late_generator_decides_nothing_and_is_asked_a_few_times_only() {
        let late = |rate, purpose| Probe {
            ended: Yield::LateGenerator,
            ..clear(rate, purpose, false)
        };
        let mut times = 0;
        let once = search(100.0, f64::INFINITY, |rate, purpose, _| {
            times += 1;
            match times % 4 {
                0 => late(rate, purpose),
                _ => clear(rate, purpose, rate <= 1_000.0),
            }
        });
        within(&once, 1_000.0, SEARCH_PRECISION);
        assert!(!once.is_late());
        let above = search(100.0, f64::INFINITY, |rate, purpose, _| {
            match rate > 500.0 {
                true => late(rate, purpose),
                false => clear(rate, purpose, true),
            }
        });
        assert!(above.is_late());
        assert_eq!(
            above.found(),
            HighestRate::AtLeast {
                rate: 400.0,
                failed: None
            }
        );
        assert_eq!(above.probes.len(), 3 + MOST_LATE);
    }

    #[test]
    fn a_proof_that_fails_steps_back() {
        let mut proofs = Vec::new();
        let search = run(100.0, |rate, purpose| match purpose {
            Purpose::Seek => rate <= 1_000.0 && proofs.iter().all(|p| rate < *p),
            Purpose::Proof => {
                proofs.push(rate);
                rate <= 930.0
            }
        });
        assert!(proofs.len() >= 2, "{proofs:?}");
        let HighestRate::Proven { rate, failed } = search.found() else {
            panic!("{:?}", search.found());
        };
        assert!(
            rate <= 930.0 && failed.unwrap() > 930.0,
            "{rate} {failed:?}"
        );
    }

    #[test]
    fn what_cannot_be_proven_is_not_claimed() {
        let search = run(100.0, |rate, purpose| {
            purpose == Purpose::Seek && rate <= 1_000.0
        });
        assert_eq!(search.found().rate(), None, "{:?}", search.found());
        assert!(matches!(search.found(), HighestRate::Disproven { .. }));
        let never = run(100.0, |_, _| false);
        assert!(matches!(never.found(), HighestRate::Below { .. }));
        assert!(never.probes.len() <= 12, "{}", never.probes.len());
    }

    /// Runs a search whose probes all end like this, and gives the rates that it tried.
    fn all_end_in(ended: Yield) -> (Vec<f64>, HighestRate) {
        let search = search(8.0, f64::INFINITY, |rate, purpose, _| Probe {
            ended,
            ..clear(rate, purpose, false)
        });
        let rates = search.probes.iter().map(|probe| probe.rate).collect();
        (rates, search.found())
    }

    #[test]
    fn what_only_fails_is_not_offered_ever_lower_rates() {
        let (rates, found) = all_end_in(Yield::OnlyFailures);
        assert_eq!(rates, [8.0, 4.0]);
        assert_eq!(found, HighestRate::Futile { tried: 8.0 });
        let (rates, found) = all_end_in(Yield::Work);
        assert!(rates.len() > 8, "{rates:?}");
        assert!(matches!(found, HighestRate::Below { .. }));
    }

    #[test]
    fn a_probe_in_which_nothing_ended_decides_nothing() {
        let (rates, found) = all_end_in(Yield::Nothing);
        assert_eq!(rates, [8.0; MOST_EMPTY]);
        assert_eq!(found, HighestRate::Unknown);
    }

    #[test]
    fn an_interrupted_search_says_at_least() {
        let search = run(100.0, |rate, _| rate <= 1_000.0);
        let cut = |count: usize| Search::after(&search.probes[..count]).unwrap().found();
        assert_eq!(
            cut(3),
            HighestRate::AtLeast {
                rate: 400.0,
                failed: None
            }
        );
        assert!(Search::after(&[]).is_none());
    }

    #[test]
    fn rates_have_four_digits() {
        for (rate, expected) in [
            (123_456.0, 123_500.0),
            (0.012_344, 0.012_34),
            (999.96, 1_000.0),
            (100.0, 100.0),
        ] {
            assert_eq!(rounded(rate), expected);
        }
    }
}
