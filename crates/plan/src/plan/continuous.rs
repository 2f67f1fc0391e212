//! The continuous stretches after the rounds: one for each workload and target, without rests, so
//! that a server cannot live on what it saved while other targets had the load.

use std::time::Duration;

use crate::draft::Load;
use crate::load::Pace;
use crate::load::sustain::Sustain;
use crate::plan::model::Plan;
use crate::plan::schedule::Turn;
use crate::plan::workload::Workload;
use crate::relaunch::Relaunch;
use crate::sentence;
use crate::sentence::Sentence;
use crate::units::duration::Time;
use crate::units::percent::Percent;

/// Default length of a stretch, as a share of the measured time of a workload on a target.
const DEFAULT_SHARE: Percent = Percent::of(20.0);

/// Fewest blocks of a run that has stretches by default. With fewer blocks no difference can be
/// significant, and a stretch of at least a block's share would take more than 20 % of the time.
const FEWEST_BLOCKS: u32 = 5;

impl Plan {
    /// The stretches after `rounds` rounds, in the order of the run: workload by workload, on every
    /// target except the twin. All stretches of a workload have the same block and round, which
    /// follow those of the rounds.
    pub fn stretches(&self, rounds: u32) -> Vec<Turn> {
        let block = rounds.div_ceil(self.rounds_per_block());
        let twin = self.comparing.twin;
        let targets = || (0..self.targets.len()).filter(|target| Some(*target) != twin);
        let workloads = (0..self.workloads.len())
            .filter(|workload| self.stretch_of(*workload, rounds).is_some());
        let turns = workloads.flat_map(|workload| {
            targets().map(move |target| Turn {
                block,
                round: rounds,
                workload,
                target,
            })
        });
        turns.collect()
    }

    /// Length of the stretch of a workload after `rounds` rounds; `None` without a stretch.
    pub fn stretch_of(&self, workload: usize, rounds: u32) -> Option<Duration> {
        let work = self.workloads.get(workload)?;
        let length = self.stretch_length(rounds)?;
        (self.no_stretch(workload, work).is_none()).then_some(length)
    }

    /// The load of a stretch of `length`: the load of the workload, without its number of requests
    /// if the plan sets the length of the stretch, otherwise with as many requests as the slices
    /// have in this time.
    pub fn stretch_load(&self, work: &Workload, length: Duration) -> Load {
        let slices = length.as_secs_f64() / self.rounds.slice.as_secs_f64().max(1e-9);
        let requests = work.load.requests.filter(|_| !self.is_sustain_timed());
        Load {
            requests: requests.map(|requests| (requests as f64 * slices).ceil() as u64),
            ..work.load.clone()
        }
    }

    /// The time of each stretch after `rounds` rounds, with settling time and pause.
    pub(crate) fn times_of_stretches(&self, rounds: u32) -> impl Iterator<Item = Duration> {
        let turns = self.stretches(rounds).into_iter();
        turns.filter_map(move |turn| {
            let length = self.stretch_of(turn.workload, rounds)?;
            Some(length + self.rounds.lead + self.rounds.gap)
        })
    }

    /// What the run announces about its stretches; `None` if it has none and the plan asks for
    /// none.
    pub fn stretch_note(&self) -> Option<Sentence> {
        let rounds = self.rounds.most();
        let length = self.stretch_length(self.rounds.count)?;
        let without: Vec<Sentence> = self
            .workloads
            .iter()
            .enumerate()
            .filter_map(|(at, work)| {
                let why = self.no_stretch(at, work)?;
                let not_for = sentence!(
                    "not-for",
                    "\"{workload}\": {why}",
                    workload = work.name,
                    why
                );
                Some(not_for.with_part("why", [why]))
            })
            .collect();
        let texts: Vec<&str> = without.iter().map(Sentence::text).collect();
        let not_for = match texts.as_slice() {
            [] => String::new(),
            texts => format!("; not for {}", texts.join("; for ")),
        };
        let note = if self.stretches(rounds).is_empty() {
            sentence!(
                "no-stretch",
                "no target gets a continuous stretch after the rounds{without}",
                without = not_for
            )
        } else {
            sentence!(
                "stretch",
                "after the rounds, every target is loaded for {time} without a rest, to find servers \
                 that are fast only after rests (--sustain 0 turns this off){without}",
                time = Time(length),
                without = not_for
            )
        };
        let is_for_all = without.is_empty();
        Some(
            note.with("for_all", is_for_all)
                .with_part("without", without),
        )
    }

    /// Whether the plan sets the length of stretches as a time.
    fn is_sustain_timed(&self) -> bool {
        matches!(self.rounds.sustain, Sustain::Time(_))
    }

    /// Length of a stretch after `rounds` rounds; `None` without stretches.
    fn stretch_length(&self, rounds: u32) -> Option<Duration> {
        let block = self.rounds_per_block();
        let share = match self.rounds.sustain {
            Sustain::Off => return None,
            Sustain::Time(time) => return Some(time),
            Sustain::Share(share) => share,
            Sustain::Auto => {
                let is_judged =
                    self.challengers().next().is_some() || !self.comparing.workloads.is_empty();
                let has_blocks = self.rounds.count >= FEWEST_BLOCKS * block;
                (is_judged && has_blocks).then_some(DEFAULT_SHARE)?
            }
        };
        let of_all = self
            .rounds
            .slice
            .saturating_mul(rounds)
            .mul_f64(share.share());
        Some(of_all.max(self.rounds.slice.saturating_mul(block)))
    }

    /// Why a workload has no stretch; `None` if it can have one.
    fn no_stretch(&self, at: usize, work: &Workload) -> Option<Sentence> {
        let later_level = || {
            let sweeps = self.concurrency_sweeps();
            let levels = sweeps.into_iter().find(|levels| levels.contains(&at));
            levels.is_some_and(|levels| {
                let connections = |at: &usize| self.workloads[*at].load.connections;
                levels.iter().max_by_key(|at| connections(at)) != Some(&at)
            })
        };
        match work.load.pace {
            Pace::Search(_) => {
                return Some(sentence!(
                    "search-has-proof",
                    "a maximum-rate search already ends with a longer step"
                ));
            }
            Pace::Ramp { .. } | Pace::Steps { .. } | Pace::Trace(_) => {
                return Some(sentence!("rate-changes", "the rate changes within a slice"));
            }
            Pace::Closed | Pace::Constant { .. } | Pace::Poisson { .. } => {}
        }
        if work.facts().uses_up() {
            return Some(sentence!(
                "uses-up-objects",
                "the operations use up their objects"
            ));
        }
        if self.relaunch() == Relaunch::Slice {
            return Some(sentence!(
                "cold-caches",
                "every slice starts with cold caches"
            ));
        }
        later_level().then(|| {
            sentence!(
                "highest-level-only",
                "only the highest level of a sweep has one"
            )
        })
    }
}
