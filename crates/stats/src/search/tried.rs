//! What is known of each rate that was tried, from the probes at it and at the rates next to it.

use super::{Probe, Purpose, Vote};
use crate::sequential::{Counted, FEWEST_SECONDS, Second};

/// Probes at a rate that prove it when they are no longer than a slice each: together they are as
/// long as a proof.
const AS_GOOD_AS_PROOF: usize = 3;
/// Seconds with a slow request that tell the size of an event, such as a pause.
const KNOWN_EVENTS: usize = 2;
/// Events that are expected before their absence says something: of 3 on average, none comes in
/// 5 % of all cases.
const EVENTS: f64 = 3.0;
/// A share that was not observed at all counts as this part of the allowed one in estimates.
const LEAST_SHARE: f64 = 0.05;
/// So many times the length that is needed, so that a probe seldom falls short by a little.
const SPARE: f64 = 1.2;

/// What is known of one rate, from all probes at it that count.
pub(super) struct Tried<'p> {
    pub(super) rate: f64,
    pub(super) probes: Vec<&'p Probe>,
    pub(super) decision: Option<bool>,
}

/// Which requests a decision is taken from. Requests that a stall of the machine may have delayed
/// count when a rate is to hold, and do not when it is to fail: either is the safe side.
#[derive(Debug, Clone, Copy)]
enum View {
    /// All of them.
    All,
    /// Those of seconds that are not void. Only seconds without an excess of slow requests are void, so
    /// that the share is larger in the others, if anything.
    NotVoid,
    /// Those beyond a limit count only where no stall can explain them.
    Certain,
}

impl View {
    /// In which a rate is to hold, or to fail.
    fn to(holds: bool) -> Self {
        if holds { Self::All } else { Self::Certain }
    }

    /// The seconds of each probe at a rate.
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

/// Every rate that was tried, in ascending order.
pub(super) struct Rates<'p>(pub(super) Vec<Tried<'p>>);

/// What a further probe at a rate is expected to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outlook {
    /// The rate is more likely to hold than to fail.
    pub(super) holds: bool,
    /// The share beyond a limit over the allowed one, of the limit where it is largest.
    pub(super) excess: f64,
    /// Length of the probes that decide it, seconds.
    pub(super) seconds: f64,
}

impl Tried<'_> {
    pub(super) fn has_proof(&self) -> bool {
        let mut counting = self.probes.iter().filter(|p| !p.ended.is_void());
        counting.any(|p| p.purpose == Purpose::Proof)
    }

    pub(super) fn is_proven(&self) -> bool {
        let counting = self.probes.iter().filter(|p| !p.ended.is_void());
        let is_long = self.has_proof() || counting.count() >= AS_GOOD_AS_PROOF;
        is_long && self.decision == Some(true)
    }

    /// Seconds that were measured, without those of void probes.
    pub(super) fn seconds(&self) -> usize {
        let counting = self.probes.iter().filter(|p| !p.ended.is_void());
        let shares = counting.filter_map(|p| p.shares.first());
        shares.map(|share| share.seconds.len()).sum()
    }

    /// What the probes say of a limit, without those that missed it while the machine stalled.
    fn votes_on(&self, at: usize) -> Vec<Vote> {
        let counts = |probe: &&&Probe| probe.votes[at].kept || !probe.is_disturbed;
        let probes = self.probes.iter().filter(counts);
        probes.map(|probe| probe.votes[at]).collect()
    }

    /// The majority of the probes; one is enough if it is clear.
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

    fn votes(&self) -> impl Iterator<Item = Option<bool>> {
        let votes = self.probes.iter().map(|p| p.votes.len()).min().unwrap_or(0);
        (0..votes).map(|at| self.vote(at))
    }
}

impl<'p> Rates<'p> {
    /// Of the probes that count.
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

    /// Seconds that were measured at such rates.
    pub(super) fn seconds(&self, at: impl Fn(f64) -> bool) -> usize {
        let rates = self.0.iter().filter(|tried| at(tried.rate));
        rates.map(Tried::seconds).sum()
    }

    /// The highest rate that held below the lowest that failed, and that one.
    pub(super) fn bracket(&self) -> (Option<f64>, Option<f64>) {
        let decided = |wanted: bool| {
            let of = self.0.iter().filter(move |t| t.decision == Some(wanted));
            of.map(|t| t.rate)
        };
        let failed = decided(false).reduce(f64::min);
        let below = |rate: &f64| failed.is_none_or(|failed| *rate < failed);
        (decided(true).filter(below).reduce(f64::max), failed)
    }

    /// The rates inside the bracket that could not be decided.
    pub(super) fn undecided(&self) -> Vec<f64> {
        let (held, failed) = self.bracket();
        let inside = |rate: &f64| {
            held.is_none_or(|held| held < *rate) && failed.is_none_or(|failed| *rate < failed)
        };
        let undecided = self.0.iter().filter(|t| t.decision.is_none());
        undecided.map(|t| t.rate).filter(inside).collect()
    }

    /// The shares that may be beyond each limit.
    fn limits(&self) -> impl Iterator<Item = (usize, f64)> {
        let probes = self.0.iter().flat_map(|t| &t.probes);
        let fewest = probes.min_by_key(|p| p.shares.len());
        let shares = fewest.map_or(&[][..], |p| p.shares.as_slice());
        shares.iter().map(|share| share.allowed).enumerate()
    }

    /// Whether every limit was kept; `None` where that is not known.
    fn decide(&self, tried: &Tried<'p>) -> Option<bool> {
        let shares = self.limits().map(|(limit, allowed)| {
            let shows = |holds: bool| {
                let mut pools = self.pools(tried.rate, limit, holds).into_iter();
                pools.any(|pool| pool.is_below(allowed) == Some(holds))
            };
            match shows(false) {
                true => Some(false),
                false => shows(true).then_some(true),
            }
        });
        let decisions: Vec<_> = shares.chain(tried.votes()).collect();
        match (decisions.contains(&Some(false)), decisions.contains(&None)) {
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => (!decisions.is_empty()).then_some(true),
        }
    }

    /// The probes at a rate, then those at the next rate as well, and so on: at higher rates to
    /// show that this one holds, at lower ones to show that it fails. No higher rate has a
    /// smaller share beyond a limit.
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

    /// Requests beyond a limit that count as one event at a rate where too few events were
    /// observed to tell, from the next higher rate where they were: a pause delays requests in
    /// proportion to the rate. 1 if events as frequent as there would not have been missed.
    fn event(&self, rate: f64, limit: usize, here: &Counted, view: View) -> f64 {
        if here.hit >= KNOWN_EVENTS {
            return 1.0;
        }
        let known = self.0.iter().filter(|t| t.rate > rate).find_map(|tried| {
            let there = counted(&view.of(tried, limit));
            // Where most requests are slow, events cannot be told apart.
            let is_known = there.hit >= KNOWN_EVENTS && there.beyond <= there.all / 2.0;
            is_known.then_some((there, tried.rate))
        });
        let Some((there, at)) = known else {
            return 1.0;
        };
        // They come with time or with requests.
        let part = (here.seconds as f64 / there.seconds as f64).min(here.all / there.all);
        match part * there.hit as f64 >= EVENTS * (1.0 + here.hit as f64) {
            true => 1.0,
            false => there.event * rate / at,
        }
    }

    /// The share beyond a limit at a rate that was tried, given that no higher rate has a smaller
    /// one: isotonic regression by its min-max formula (R. Barlow et al., *Statistical Inference
    /// under Order Restrictions*, 1972, section 1.2).
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

    /// The share at any rate: a power of the rate between two rates that were tried, and in
    /// proportion to the rate outside of them.
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

    /// What a probe at a rate is expected to show.
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
