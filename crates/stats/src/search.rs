//! The search for the highest rate that holds: what to try next, and what is known.
//!
//! Rates double until one fails, then the gap between the highest that held and the
//! lowest that failed is halved until it is small, and a longer probe proves the result
//! (the shape of nighthawk's adaptive load controller). All of it follows from the
//! probes made so far, so that a run read from disk ends where the live one did.

use serde::Serialize;

/// The gap between a rate that held and one that failed at which the search ends.
pub const SEARCH_PRECISION: f64 = 0.03;
/// A proof that fails is made again at so much less.
const STEP_BACK: f64 = 0.95;
/// Probes at one rate, if the first ones do not agree.
const MOST_VOTES: usize = 3;
/// Rates to be proven until the search gives up.
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
/// succeeds: a lower rate does not mend a wrong answer.
const MOST_FUTILE: usize = 2;

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
    /// Nothing: no operation was due, or none was told of. That decides nothing.
    Nothing,
}

/// What came of offering a rate once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// Operations a second that were offered, above 0.
    pub rate: f64,
    /// What it was for.
    pub purpose: Purpose,
    /// Every limit was kept.
    pub held: bool,
    /// It came so close to a limit that chance may have decided.
    pub borderline: bool,
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
    },
    /// Nothing more is to be learned.
    Done,
}

/// What the probes say of the highest rate that holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum HighestRate {
    /// This rate held in the proof.
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
    /// No rate held; this is the lowest that was tried.
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

/// What is known of one rate.
struct Tried {
    rate: f64,
    votes: Vec<bool>,
    /// One probe was enough.
    clear: bool,
}

impl Tried {
    fn decision(&self) -> Option<bool> {
        let held = self.votes.iter().filter(|held| **held).count();
        let failed = self.votes.len() - held;
        match self.votes.len() {
            1 => self.clear.then_some(held == 1),
            _ if held == failed => None,
            2 => Some(held == 2),
            _ => Some(held > failed),
        }
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
        let tried = self.tried(Purpose::Seek);
        let decided = |wanted: bool| {
            let of = tried.iter().filter(move |t| t.decision() == Some(wanted));
            of.map(|t| t.rate)
        };
        let failed = decided(false).reduce(f64::min);
        let below = |rate: &f64| failed.is_none_or(|failed| *rate < failed);
        let held = decided(true).filter(below).reduce(f64::max);
        (held, failed)
    }

    /// What to do next.
    pub fn next(&self) -> Step {
        let empty = self.probes.iter().filter(|p| p.ended == Yield::Nothing);
        if self.probes.len() >= MOST_PROBES || empty.count() >= MOST_EMPTY || self.is_futile() {
            return Step::Done;
        }
        let proofs = self.tried(Purpose::Proof);
        if let Some(last) = proofs.last() {
            return match last.decision() {
                None => proof(last.rate),
                Some(false) if proofs.len() < MOST_PROOFS => proof(rounded(last.rate * STEP_BACK)),
                Some(_) => Step::Done,
            };
        }
        if let Some(undecided) = self
            .tried(Purpose::Seek)
            .iter()
            .find(|t| t.decision().is_none())
        {
            return seek(undecided.rate);
        }
        let highest = rounded(self.start * 2f64.powi(MOST_DOUBLINGS));
        let lowest = rounded(self.start * 2f64.powi(-MOST_HALVINGS));
        match self.bracket() {
            (None, None) => seek(self.start),
            (Some(held), None) if held < highest => seek(rounded(held * 2.0)),
            (Some(held), None) => proof(held),
            (None, Some(failed)) if failed > lowest => seek(rounded(failed / 2.0)),
            (None, Some(_)) => Step::Done,
            (Some(held), Some(failed)) => self.between(held, failed),
        }
    }

    /// What the probes say.
    pub fn found(&self) -> HighestRate {
        if self.is_futile() {
            return HighestRate::Futile { tried: self.start };
        }
        let (held, failed) = self.bracket();
        let proofs = self.tried(Purpose::Proof);
        let disproven = proofs.iter().filter(|p| p.decision() == Some(false));
        let failed = disproven.map(|p| p.rate).chain(failed).reduce(f64::min);
        if let Some(proof) = proofs.iter().find(|p| p.decision() == Some(true)) {
            return HighestRate::Proven {
                rate: proof.rate,
                failed: failed.filter(|failed| *failed > proof.rate),
            };
        }
        let disproven = || proofs.iter().filter(|p| p.decision() == Some(false));
        if let Some(highest) = disproven().map(|p| p.rate).reduce(f64::max) {
            let lowest = disproven().map(|p| p.rate).fold(highest, f64::min);
            return HighestRate::Disproven {
                briefly: self.held_below(lowest),
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

    /// The highest rate below this one that held in a short probe.
    fn held_below(&self, rate: f64) -> Option<f64> {
        let tried = self.tried(Purpose::Seek);
        let stands = tried
            .iter()
            .filter(|t| t.rate < rate && t.decision() == Some(true));
        stands.map(|t| t.rate).reduce(f64::max)
    }

    fn is_futile(&self) -> bool {
        let of = |ended| self.probes.iter().filter(move |p| p.ended == ended).count();
        of(Yield::Work) == 0 && of(Yield::OnlyFailures) >= MOST_FUTILE
    }

    /// Between a rate that held and one that failed.
    fn between(&self, held: f64, failed: f64) -> Step {
        let middle = rounded((held * failed).sqrt());
        let narrow = failed <= held * (1.0 + SEARCH_PRECISION);
        if !narrow && held < middle && middle < failed {
            return seek(middle);
        }
        // One hiccup far below the limit would have drawn the search down to it: a
        // failure is believed only when it comes twice.
        let tried = self.tried(Purpose::Seek);
        let once = tried.iter().any(|t| t.rate == failed && t.votes.len() == 1);
        if once { seek(failed) } else { proof(held) }
    }

    /// Every rate that was tried for this, in the order of its first probe.
    fn tried(&self, purpose: Purpose) -> Vec<Tried> {
        let mut tried: Vec<Tried> = Vec::new();
        for probe in self
            .probes
            .iter()
            .filter(|p| p.purpose == purpose && p.ended != Yield::Nothing)
        {
            match tried.iter_mut().find(|t| t.rate == probe.rate) {
                Some(known) if known.votes.len() < MOST_VOTES => known.votes.push(probe.held),
                Some(_) => {}
                None => tried.push(Tried {
                    rate: probe.rate,
                    votes: vec![probe.held],
                    clear: !probe.borderline,
                }),
            }
        }
        tried
    }
}

fn seek(rate: f64) -> Step {
    Step::Probe {
        rate,
        purpose: Purpose::Seek,
    }
}

fn proof(rate: f64) -> Step {
    Step::Probe {
        rate,
        purpose: Purpose::Proof,
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

    /// Uniform in 0…1, the same every time.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        fn exponential(&mut self, mean: f64) -> f64 {
            -mean * (1.0 - self.roll()).ln()
        }
    }

    /// Runs a search to its end against a server that answers whether a rate held,
    /// and whether that was close.
    fn run(start: f64, mut server: impl FnMut(f64, Purpose) -> (bool, bool)) -> Search {
        let mut search = Search::new(start);
        while let Step::Probe { rate, purpose } = search.next() {
            let (held, borderline) = server(rate, purpose);
            search.learn(Probe {
                rate,
                purpose,
                held,
                borderline,
                ended: Yield::Work,
            });
            assert!(search.probes.len() <= MOST_PROBES);
        }
        search
    }

    fn within(search: &Search, truth: f64, share: f64) {
        let found = search.found();
        let rate = found.rate().unwrap_or_else(|| panic!("{found:?}"));
        assert!(
            (rate / truth - 1.0).abs() <= share,
            "{rate}, not {truth}: {:?}",
            search.probes
        );
    }

    #[test]
    fn a_fixed_capacity_is_bracketed_within_the_precision() {
        for (start, capacity) in [(100.0, 1_000.0), (1_000.0, 999.0), (9e3, 37.0), (1.0, 1e6)] {
            let search = run(start, |rate, _| (rate <= capacity, false));
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
        let search = run(100.0, |rate, _| (rate <= 450.0, false));
        let rates: Vec<f64> = search.probes.iter().map(|probe| probe.rate).collect();
        assert_eq!(rates[..4], [100.0, 200.0, 400.0, 800.0]);
        let last = search.probes.last().unwrap();
        assert_eq!(last.purpose, Purpose::Proof);
    }

    #[test]
    fn one_queue_of_random_service_is_found_where_theory_puts_it() {
        // M/M/1: p99 of the response is ln 100 ÷ (μ − λ). Below 50 ms at μ = 1,000 while
        // λ < 907.9. Probes of 20 s, proofs of 60 s.
        let (service, limit) = (1_000.0, 0.050);
        let truth = service - 100f64.ln() / limit;
        for seed in 0..6 {
            let mut dice = Dice(seed);
            let search = run(100.0, |rate, purpose| {
                let seconds = if purpose == Purpose::Proof {
                    60.0
                } else {
                    20.0
                };
                let p99 = p99_of_one_queue(&mut dice, rate, service, seconds);
                (p99 <= limit, (p99 / limit - 1.0).abs() < 0.1)
            });
            within(&search, truth, 0.06);
        }
    }

    fn p99_of_one_queue(dice: &mut Dice, rate: f64, service: f64, seconds: f64) -> f64 {
        let (mut now, mut free) = (0.0, 0.0);
        let mut responses = Vec::new();
        while now < seconds {
            now += dice.exponential(1.0 / rate);
            free = f64::max(now, free) + dice.exponential(1.0 / service);
            responses.push(free - now);
        }
        responses.sort_by(f64::total_cmp);
        responses[responses.len() * 99 / 100]
    }

    #[test]
    fn a_hiccup_on_the_way_up_is_found_out() {
        let mut probes = 0;
        let search = run(100.0, |rate, _| {
            probes += 1;
            (rate <= 5_000.0 && probes != 3, false)
        });
        within(&search, 5_000.0, SEARCH_PRECISION);
    }

    #[test]
    fn noise_neither_misleads_nor_keeps_the_search_going() {
        let capacity = 1_000.0;
        let mut far_off = 0;
        for seed in 0..200 {
            let mut dice = Dice(seed);
            // Around the capacity chance decides, and one probe in a hundred is spoiled.
            let search = run(60.0, |rate, _| {
                let seen = rate * (1.0 + 0.03 * (2.0 * dice.roll() - 1.0));
                let spoiled = dice.roll() < 0.01;
                let close = (rate / capacity - 1.0).abs() < 0.03;
                (seen <= capacity && !spoiled, close)
            });
            let found = search.found().rate().unwrap();
            far_off += usize::from((found / capacity - 1.0).abs() > 0.08);
        }
        assert!(far_off <= 4, "{far_off} of 200 are more than 8 % off");
    }

    #[test]
    fn what_comes_close_is_tried_again_and_the_majority_decides() {
        let mut search = Search::new(100.0);
        let learn = |search: &mut Search, held| {
            let Step::Probe { rate, purpose } = search.next() else {
                panic!("it is over")
            };
            search.learn(Probe {
                rate,
                purpose,
                held,
                borderline: true,
                ended: Yield::Work,
            });
            rate
        };
        assert_eq!(learn(&mut search, true), 100.0);
        assert_eq!(search.found(), HighestRate::Unknown);
        assert_eq!(learn(&mut search, false), 100.0);
        assert_eq!(learn(&mut search, true), 100.0);
        assert_eq!(search.bracket(), (Some(100.0), None));
        assert_eq!(learn(&mut search, false), 200.0);
        assert_eq!(learn(&mut search, false), 200.0);
        assert_eq!(search.bracket(), (Some(100.0), Some(200.0)));
    }

    #[test]
    fn a_proof_that_fails_steps_back() {
        let mut proofs = Vec::new();
        let search = run(100.0, |rate, purpose| match purpose {
            Purpose::Seek => (rate <= 1_000.0, false),
            Purpose::Proof => {
                proofs.push(rate);
                (rate <= 930.0, false)
            }
        });
        assert!(proofs.len() >= 2, "{proofs:?}");
        assert!((proofs[1] / proofs[0] - STEP_BACK).abs() < 1e-3);
        let HighestRate::Proven { rate, failed } = search.found() else {
            panic!("{:?}", search.found());
        };
        assert!(rate <= 930.0 && failed == proofs.iter().rev().nth(1).copied());
    }

    #[test]
    fn a_proof_that_comes_close_is_made_again() {
        let mut proofs = 0;
        let search = run(100.0, |rate, purpose| match purpose {
            Purpose::Seek => (rate <= 1_000.0, false),
            Purpose::Proof => {
                proofs += 1;
                (proofs > 1, true)
            }
        });
        assert_eq!(proofs, 3);
        within(&search, 1_000.0, SEARCH_PRECISION);
    }

    #[test]
    fn what_cannot_be_proven_is_not_claimed() {
        let search = run(100.0, |rate, purpose| {
            (purpose == Purpose::Seek && rate <= 1_000.0, false)
        });
        let HighestRate::Disproven {
            briefly: Some(briefly),
            failed,
            highest,
        } = search.found()
        else {
            panic!("{:?}", search.found());
        };
        assert!(briefly < failed && failed < highest && highest <= 1_000.0);
        assert_eq!(search.found().rate(), None);
        let never = run(100.0, |_, _| (false, false));
        assert!(matches!(never.found(), HighestRate::Below { .. }));
        assert!(never.probes.len() <= 12, "{}", never.probes.len());
    }

    /// Runs a search whose probes all end like this, and gives the rates that it tried.
    fn all_end_in(ended: Yield) -> (Vec<f64>, HighestRate) {
        let mut search = Search::new(8.0);
        while let Step::Probe { rate, purpose } = search.next() {
            search.learn(Probe {
                rate,
                purpose,
                held: false,
                borderline: false,
                ended,
            });
        }
        let rates = search.probes.iter().map(|probe| probe.rate).collect();
        (rates, search.found())
    }

    #[test]
    fn what_only_fails_is_not_asked_ever_more_slowly() {
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
        let search = run(100.0, |rate, _| (rate <= 1_000.0, false));
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
