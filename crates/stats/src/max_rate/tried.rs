//! Evaluation of each tried rate from the probes at all rates.

use super::{FALLBACK, Probe, Purpose, Vote, rounded};
use crate::sequential::{Counted, FEWEST_SECONDS, Second};

/// Number of slice-length probes at a rate that count as one longer proof probe.
const AS_GOOD_AS_PROOF: usize = 3;
/// Minimum number of seconds with slow requests to estimate how many requests an event, such as a
/// pause, delays.
const KNOWN_EVENTS: usize = 2;
/// Number of expected events from which the absence of events is evidence: with 3 expected events,
/// the probability of no event is 5 %.
const EVENTS: f64 = 3.0;
/// Lowest share used in estimates, as a fraction of the allowed share.
const LEAST_SHARE: f64 = 0.05;
/// Safety factor on the computed probe length, so that a probe is seldom slightly too short.
const SPARE: f64 = 1.2;

/// One tried rate, the probes at that rate and the decision, which is `None` if undecided.
pub(super) struct Tried<'p> {
    pub(super) rate: f64,
    pub(super) probes: Vec<&'p Probe>,
    pub(super) decision: Option<bool>,
}

/// The requests that a decision uses. Decisions are conservative: a slow request that a stall of
/// the machine may have delayed is evidence against "the rate holds", but not evidence for "the
/// rate fails".
#[derive(Debug, Clone, Copy)]
enum View {
    /// All requests.
    All,
    /// Requests of seconds that are not void. A void second meets the limit apart from requests
    /// that a stall may have delayed, so leaving out void seconds cannot hide that a rate fails.
    NotVoid,
    /// All requests, but a request that a stall may have delayed beyond the limit counts as within
    /// the limit.
    Certain,
}

impl View {
    /// The requests for the decision that a rate holds (`true`) or fails (`false`).
    fn to(holds: bool) -> Self {
        if holds { Self::All } else { Self::Certain }
    }

    /// The seconds of each probe at the tried rate, for the limit at index `limit`.
    fn of(self, tried: &Tried<'_>, limit: usize) -> Vec<Vec<Second>> {
        let shares = tried.probes.iter().filter_map(|p| p.shares.get(limit));
        let seconds = shares.map(|share| {
            let seconds = share.seconds.iter();
            match self {
                Self::All => share.seconds.clone(),
                Self::NotVoid => seconds.filter(|s| !s.is_void).copied().collect(),
                Self::Certain => seconds.map(|s| s.certain()).collect(),
            }
        });
        seconds.collect()
    }
}

fn counted(probes: &[Vec<Second>]) -> Counted {
    let probes: Vec<&[Second]> = probes.iter().map(Vec::as_slice).collect();
    Counted::of(&probes)
}

/// Every tried rate, in ascending order.
pub(super) struct Rates<'p>(pub(super) Vec<Tried<'p>>);

/// Expected outcome of a further probe at a rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outlook {
    /// Whether the rate is more likely to hold than to fail.
    pub(super) holds: bool,
    /// Share beyond a limit divided by the allowed share, for the limit with the largest quotient.
    pub(super) excess: f64,
    /// Further probe time that would decide the rate, seconds.
    pub(super) seconds: f64,
}

/// A limit on shares that is undecided at a rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Share beyond the limit at the rate, without void seconds, divided by the allowed share.
    pub(super) excess: f64,
    /// Further probe time that would decide the limit if the share stays as observed, seconds;
    /// infinite if the share equals the allowed share.
    pub(super) seconds: f64,
}

impl Tried<'_> {
    /// The probes at this rate that are not void.
    fn counting(&self) -> impl Iterator<Item = &Probe> {
        let probes = self.probes.iter().copied();
        probes.filter(|probe| !probe.ended.is_void())
    }

    /// Whether a proof at this rate is not void.
    pub(super) fn has_proof(&self) -> bool {
        self.counting().any(|p| p.purpose == Purpose::Proof)
    }

    /// Number of proofs at this rate, including void ones.
    pub(super) fn proofs(&self) -> usize {
        let proofs = self.probes.iter().filter(|p| p.purpose == Purpose::Proof);
        proofs.count()
    }

    /// Total measured seconds of the probes at this rate, without void probes.
    pub(super) fn seconds(&self) -> usize {
        let shares = self.counting().filter_map(|p| p.shares.first());
        shares.map(|share| share.seconds.len()).sum()
    }

    /// Votes on the limit at index `at`, without the probes that missed the limit while the machine
    /// stalled. If there is a proof, only proofs have a vote: short probes do not show a queue that grows
    /// slowly.
    fn votes_on(&self, at: usize) -> Vec<Vote> {
        let has_proof = self.has_proof();
        let counts = |probe: &&&Probe| {
            (probe.votes[at].kept || !probe.is_disturbed)
                && (probe.purpose == Purpose::Proof || !has_proof)
        };
        let probes = self.probes.iter().filter(counts);
        probes.map(|probe| probe.votes[at]).collect()
    }

    /// The majority of the votes on the limit at index `at`. A single vote decides unless the value
    /// was close to the limit. `None` if undecided.
    fn vote(&self, at: usize) -> Option<bool> {
        let votes = self.votes_on(at);
        let kept = votes.iter().filter(|vote| vote.kept).count();
        let missed = votes.len() - kept;
        match votes[..] {
            [only] => (!only.close).then_some(only.kept),
            _ if kept == missed => None,
            _ => Some(kept > missed),
        }
    }

    /// The decision on each limit that is not a share.
    pub(super) fn votes(&self) -> impl Iterator<Item = Option<bool>> {
        let votes = self.probes.iter().map(|p| p.votes.len()).min().unwrap_or(0);
        (0..votes).map(|at| self.vote(at))
    }
}

impl<'p> Rates<'p> {
    /// Groups the probes by rate and decides whether each rate held.
    pub(super) fn of(probes: impl Iterator<Item = &'p Probe>) -> Self {
        let mut tried: Vec<Tried<'p>> = Vec::new();
        for probe in probes {
            match tried.iter_mut().find(|t| t.rate == probe.rate) {
                Some(known) => known.probes.push(probe),
                None => tried.push(Tried {
                    rate: probe.rate,
                    probes: vec![probe],
                    decision: None,
                }),
            }
        }
        tried.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        let mut rates = Self(tried);
        let decisions: Vec<_> = rates.0.iter().map(|t| rates.decide(t)).collect();
        for (tried, decision) in rates.0.iter_mut().zip(decisions) {
            tried.decision = decision;
        }
        rates
    }

    pub(super) fn get(&self, rate: f64) -> Option<&Tried<'p>> {
        self.0.iter().find(|t| t.rate == rate)
    }

    /// Rates of which a proof failed or did not decide.
    pub(super) fn unproven(&self) -> impl Iterator<Item = &Tried<'p>> {
        let proofs = self.0.iter().filter(|t| t.has_proof());
        proofs.filter(|t| t.decision != Some(true))
    }

    /// Whether the rate held in a proof. Several short probes are as good as a proof, unless a proof
    /// of another rate has shown that they are not.
    pub(super) fn is_proven(&self, tried: &Tried<'_>) -> bool {
        let has_many = || tried.counting().count() >= AS_GOOD_AS_PROOF;
        let as_good = || has_many() && self.unproven().next().is_none();
        tried.decision == Some(true) && (tried.has_proof() || as_good())
    }

    /// A rate so far below every rate that failed or is unproven that a proof is likely to succeed.
    /// `None` if no proof failed, or if a rate at least as high is proven.
    pub(super) fn fallback(&self) -> Option<f64> {
        let unproven = self.unproven().map(|t| t.rate).reduce(f64::min)?;
        let (_, failed) = self.bracket();
        let lowest = failed.map_or(unproven, |failed| failed.min(unproven));
        let rate = rounded(lowest / FALLBACK);
        let mut proven = self.0.iter().filter(|t| self.is_proven(t));
        (!proven.any(|t| rate <= t.rate)).then_some(rate)
    }

    /// Total measured seconds of the rates for which `at` returns true, without void probes.
    pub(super) fn seconds(&self, at: impl Fn(f64) -> bool) -> usize {
        let rates = self.0.iter().filter(|tried| at(tried.rate));
        rates.map(Tried::seconds).sum()
    }

    /// The bracket (held, failed): `failed` is the lowest rate that failed, `held` the highest rate
    /// that held below `failed`.
    pub(super) fn bracket(&self) -> (Option<f64>, Option<f64>) {
        let decided = |wanted: bool| {
            let of = self.0.iter().filter(move |t| t.decision == Some(wanted));
            of.map(|t| t.rate)
        };
        let failed = decided(false).reduce(f64::min);
        let below = |rate: &f64| failed.is_none_or(|failed| *rate < failed);
        (decided(true).filter(below).reduce(f64::max), failed)
    }

    /// Undecided rates inside the bracket, in ascending order.
    pub(super) fn undecided(&self) -> Vec<f64> {
        let (held, failed) = self.bracket();
        let inside = |rate: &f64| {
            held.is_none_or(|held| held < *rate) && failed.is_none_or(|failed| *rate < failed)
        };
        let undecided = self.0.iter().filter(|t| t.decision.is_none());
        undecided.map(|t| t.rate).filter(inside).collect()
    }

    /// Index and allowed share of each limit on shares.
    fn limits(&self) -> impl Iterator<Item = (usize, f64)> {
        let probes = self.0.iter().flat_map(|t| &t.probes);
        let fewest = probes.min_by_key(|p| p.shares.len());
        let shares = fewest.map_or(&[][..], |p| p.shares.as_slice());
        shares.iter().map(|share| share.allowed).enumerate()
    }

    /// Whether every limit was met; `None` if undecided.
    fn decide(&self, tried: &Tried<'p>) -> Option<bool> {
        let shares = self
            .limits()
            .map(|(limit, allowed)| self.is_met(tried.rate, limit, allowed));
        let decisions: Vec<_> = shares.chain(tried.votes()).collect();
        match (decisions.contains(&Some(false)), decisions.contains(&None)) {
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => (!decisions.is_empty()).then_some(true),
        }
    }

    /// Whether a limit on shares was met at `rate`; `None` if undecided.
    fn is_met(&self, rate: f64, limit: usize, allowed: f64) -> Option<bool> {
        let shows = |holds: bool| {
            let mut pools = self.pools(rate, limit, holds).into_iter();
            pools.any(|pool| pool.is_below(allowed) == Some(holds))
        };
        if shows(false) {
            Some(false)
        } else {
            shows(true).then_some(true)
        }
    }

    /// The limits on shares that are undecided at a tried rate.
    pub(super) fn open(&self, tried: &Tried<'_>) -> Vec<Open> {
        let is_open = |of: &(usize, f64)| self.is_met(tried.rate, of.0, of.1).is_none();
        let open = self.limits().filter(is_open).map(|(limit, allowed)| {
            let here = counted(&View::NotVoid.of(tried, limit));
            Open {
                excess: here.beyond / here.all.max(1.0) / allowed,
                seconds: self.missing(tried.rate, limit, allowed) / tried.rate,
            }
        });
        open.collect()
    }

    /// Further requests at `rate` that would decide a limit if the shares stay as observed.
    fn missing(&self, rate: f64, limit: usize, allowed: f64) -> f64 {
        let pools = [true, false].into_iter().flat_map(|holds| {
            let pools = self.pools(rate, limit, holds).into_iter();
            pools.filter(move |pool| (pool.beyond / pool.all <= allowed) == holds)
        });
        pools
            .map(|pool| pool.needed(allowed) - pool.all)
            .fold(f64::INFINITY, f64::min)
    }

    /// The counts at `rate`, then the sum of the counts at `rate` and at the next rate, and so on:
    /// the next higher rate for the decision that `rate` holds (`holds`), else the next lower rate.
    /// The share beyond a limit does not decrease with the rate, so a low share at a higher rate is
    /// evidence that `rate` holds, and a high share at a lower rate that `rate` fails.
    fn pools(&self, rate: f64, limit: usize, holds: bool) -> Vec<Counted> {
        let mut pools = self.pools_in(rate, limit, View::to(holds));
        let mut shares = self
            .0
            .iter()
            .flat_map(|t| &t.probes)
            .flat_map(|p| p.shares.get(limit));
        if holds && shares.any(|share| share.seconds.iter().any(|s| s.is_void)) {
            pools.extend(self.pools_in(rate, limit, View::NotVoid));
        }
        pools.retain(|pool| pool.all > 0.0);
        pools
    }

    fn pools_in(&self, rate: f64, limit: usize, view: View) -> Vec<Counted> {
        let holds = !matches!(view, View::Certain);
        let mut on_side: Vec<&Tried<'p>> = self.0.iter().collect();
        on_side.retain(|t| {
            if holds {
                t.rate >= rate
            } else {
                t.rate <= rate
            }
        });
        if !holds {
            on_side.reverse();
        }
        let mut seconds: Vec<Vec<Second>> = Vec::new();
        let pools = on_side.into_iter().map(|tried| {
            seconds.extend(view.of(tried, limit));
            let known = counted(&seconds);
            known.with_events_of(self.event(rate, limit, &known, view))
        });
        pools.collect()
    }

    /// Number of requests beyond a limit that count as one event at `rate`, if `here`, the counts
    /// to be judged, has too few events. The number comes from the next higher rate with enough
    /// events and is scaled with the rate, because a pause delays requests in proportion to the
    /// rate. 1 if no such rate exists, or if `here` has enough events or covers enough time to show
    /// events as frequent as at the higher rate.
    fn event(&self, rate: f64, limit: usize, here: &Counted, view: View) -> f64 {
        if here.hit >= KNOWN_EVENTS {
            return 1.0;
        }
        let known = self.0.iter().filter(|t| t.rate > rate).find_map(|tried| {
            let there = counted(&view.of(tried, limit));
            // If most requests are slow, events cannot be distinguished.
            let is_known = there.hit >= KNOWN_EVENTS && there.beyond <= there.all / 2.0;
            is_known.then_some((there, tried.rate))
        });
        let Some((there, at)) = known else {
            return 1.0;
        };
        // Events may depend on elapsed time or on the number of requests.
        let part = (here.seconds as f64 / there.seconds as f64).min(here.all / there.all);
        if part * there.hit as f64 >= EVENTS * (1.0 + here.hit as f64) {
            1.0
        } else {
            there.event * rate / at
        }
    }

    /// The share beyond a limit at the tried rate with index `at`, provided that the share does not
    /// decrease with the rate: isotonic regression by the min-max formula (R. Barlow et al.,
    /// *Statistical Inference under Order Restrictions*, 1972, section 1.2).
    fn isotonic(&self, at: usize, limit: usize) -> f64 {
        let sums: Vec<(f64, f64)> = self
            .0
            .iter()
            .map(|tried| {
                let probes = View::Certain.of(tried, limit);
                probes.iter().flatten().fold((0.0, 0.0), |sum, second| {
                    (sum.0 + second.beyond as f64, sum.1 + second.all as f64)
                })
            })
            .collect();
        let share = |from: usize, to: usize| {
            let of = sums[from..=to].iter();
            let (beyond, all) = of.fold((0.0, 0.0), |sum, s| (sum.0 + s.0, sum.1 + s.1));
            if all > 0.0 { beyond / all } else { 0.0 }
        };
        let least = |from| {
            (at..sums.len())
                .map(|to| share(from, to))
                .fold(1.0, f64::min)
        };
        (0..=at).map(least).fold(0.0, f64::max)
    }

    /// The share beyond a limit at any rate: a power of the rate between two tried rates, and
    /// proportional to the rate outside the tried rates.
    fn estimate(&self, rate: f64, limit: usize, allowed: f64) -> f64 {
        let least = allowed * LEAST_SHARE;
        let of = |at: usize| self.isotonic(at, limit).max(least);
        let share = match self.0.iter().position(|t| t.rate >= rate) {
            Some(at) if self.0[at].rate == rate => of(at),
            Some(0) => of(0) * rate / self.0[0].rate,
            Some(at) => {
                let (low, high) = (self.0[at - 1].rate, self.0[at].rate);
                let part = (rate / low).ln() / (high / low).ln();
                of(at - 1).powf(1.0 - part) * of(at).powf(part)
            }
            None => self
                .0
                .last()
                .map_or(least, |last| of(self.0.len() - 1) * rate / last.rate),
        };
        share.clamp(least, 1.0)
    }

    /// Expected outcome of a probe at a rate.
    pub(super) fn outlook(&self, rate: f64) -> Outlook {
        let mut outlook = Outlook {
            holds: true,
            excess: LEAST_SHARE,
            seconds: FEWEST_SECONDS as f64,
        };
        let tried = self.get(rate);
        if let Some(tried) = tried {
            let kept = |at: usize| {
                let votes = tried.votes_on(at);
                2 * votes.iter().filter(|vote| vote.kept).count() >= votes.len()
            };
            outlook.holds = tried.votes().enumerate().all(|(at, _)| kept(at));
        }
        for (limit, allowed) in self.limits() {
            let share = self.estimate(rate, limit, allowed);
            let holds = share <= allowed;
            outlook.holds &= holds;
            outlook.excess = outlook.excess.max(share / allowed);
            let none = Counted::of(&[]);
            let view = View::to(holds);
            let new = none.with_events_of(self.event(rate, limit, &none, view));
            let mut missing = new.needed_at(share, allowed);
            for pool in self.pools(rate, limit, holds) {
                let seen = pool.beyond / pool.all.max(1.0);
                if (seen <= allowed) == holds {
                    missing = missing.min(pool.needed(allowed) - pool.all);
                }
            }
            outlook.seconds = outlook.seconds.max(missing * SPARE / rate);
        }
        if let Some(decision) = tried.and_then(|t| t.decision) {
            outlook.holds = decision;
        }
        outlook
    }
}
