//! The probes after the rounds: each workload on each target for a moment with one connection, and
//! with twice its connections. What limits a target is known by what changes with the load.

use std::time::Duration;

use crate::load::Pace;
use crate::load::probes::Probes;
use crate::plan::model::Plan;
use crate::plan::schedule::Turn;
use crate::plan::workload::Workload;
use crate::relaunch::Relaunch;
use crate::sentence;
use crate::sentence::Sentence;
use crate::units::duration::Time;

/// Longest time of one probe with its settling time and pause, as a share of the measured time of
/// its workload on its target. There are at most two.
const SHARE: f64 = 0.05;
/// Shortest window of a probe. A run that is too short for such windows has no probes.
const SHORTEST: Duration = Duration::from_millis(200);
/// Longest window of a probe.
const LONGEST: Duration = Duration::from_secs(3);
/// Settling time of a probe, as a share of its window.
const LEAD: f64 = 0.25;

/// A short slice with another number of connections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitProbe {
    /// The workload and the target.
    pub turn: Turn,
    /// Connections, over all threads.
    pub connections: usize,
    /// Settling time.
    pub lead: Duration,
    /// Length of the measured window.
    pub window: Duration,
}

/// Why a workload has no probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoProbes {
    /// The plan turns them off.
    TurnedOff,
    /// The plan is one of a gate, which runs none unless it is asked to.
    OfGate,
    /// The run is so short that they would take more than a tenth of its time.
    TooShort,
    /// Other numbers of connections cannot be tried, or tell nothing.
    NotPossible,
}

impl Plan {
    /// The probes after `rounds` rounds, in the order of the run: workload by workload, first one
    /// connection on every target except the twin, then twice the connections.
    pub fn limit_probes(&self, rounds: u32) -> Vec<LimitProbe> {
        let Some((lead, window)) = self.probe_times(rounds) else {
            return Vec::new();
        };
        let block = rounds.div_ceil(self.rounds_per_block());
        let twin = self.comparing.twin;
        let workloads = 0..self.workloads.len();
        let workloads = workloads.filter(|at| self.no_limit_probes(*at, rounds).is_none());
        let loads = workloads.flat_map(|workload| {
            let connections = self.workloads[workload].load.connections;
            let one = (connections > 1).then_some(1);
            let loads = one.into_iter().chain([connections.saturating_mul(2)]);
            loads.map(move |connections| (workload, connections))
        });
        let probes = loads.flat_map(|(workload, connections)| {
            let targets = (0..self.targets.len()).filter(move |target| Some(*target) != twin);
            targets.map(move |target| LimitProbe {
                turn: Turn {
                    block,
                    round: rounds,
                    workload,
                    target,
                },
                connections,
                lead,
                window,
            })
        });
        probes.collect()
    }

    /// The time of each probe after `rounds` rounds, with settling time and pause.
    pub(crate) fn times_of_limit_probes(&self, rounds: u32) -> impl Iterator<Item = Duration> {
        let probes = self.limit_probes(rounds).into_iter();
        probes.map(move |it| it.lead + it.window + self.rounds.gap)
    }

    /// What the run announces about its probes; `None` if it has none.
    pub fn limit_probe_note(&self) -> Option<Sentence> {
        let probes = self.limit_probes(self.rounds.most());
        let window = probes.first()?.window;
        let time = Time(Duration::from_millis(window.as_millis() as u64));
        let most = probes.iter().map(|it| it.connections).max()?;
        Some(sentence!(
            "limit-probes",
            "after the rounds, every target is loaded for {time} each with 1 connection and with up \
             to {most}, twice the connections, to find what limits it (--probes none turns this off)",
            time,
            most
        ))
    }

    /// Why a workload has no probes after `rounds` rounds; `None` if it has probes.
    pub fn no_limit_probes(&self, workload: usize, rounds: u32) -> Option<NoProbes> {
        if self.rounds.probes == Probes::None {
            let is_gate = self.gate.is_some();
            return Some(if is_gate {
                NoProbes::OfGate
            } else {
                NoProbes::TurnedOff
            });
        }
        if self.relaunch() == Relaunch::Slice || !self.can_probe(workload) {
            return Some(NoProbes::NotPossible);
        }
        self.probe_times(rounds)
            .is_none()
            .then_some(NoProbes::TooShort)
    }

    /// Settling time and window of a probe; `None` if the run is too short for probes.
    fn probe_times(&self, rounds: u32) -> Option<(Duration, Duration)> {
        let measured = self.rounds.slice.saturating_mul(rounds);
        let time = measured.mul_f64(SHARE).checked_sub(self.rounds.gap)?;
        let window = time.div_f64(1.0 + LEAD).min(LONGEST);
        (window >= SHORTEST).then_some((window.mul_f64(LEAD), window))
    }

    /// Whether other numbers of connections can be tried: the levels of a concurrency sweep tell as
    /// much, and operations that use up their objects or observe others cannot be repeated.
    fn can_probe(&self, at: usize) -> bool {
        let work = &self.workloads[at];
        let facts = work.facts();
        let is_level = || {
            let mut sweeps = self.concurrency_sweeps().into_iter();
            sweeps.any(|levels| levels.contains(&at))
        };
        is_closed(work)
            && self.agents.is_none()
            && !facts.uses_up()
            && facts.phase().is_none()
            && facts.observing_connections() == 0
            && !is_level()
    }
}

fn is_closed(work: &Workload) -> bool {
    matches!(work.load.pace, Pace::Closed)
        && work.load.think.is_none()
        && work.load.requests.is_none()
}
