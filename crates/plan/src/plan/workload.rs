//! A workload: operations, the responses that count as correct, and the load.

use std::time::Duration;

use crate::draft::{Load, Rounds};
use crate::load::{Pace, RateSearch};
use crate::patterns::HitSource;
use crate::work::http::draft::Patterns;
use crate::work::{Facts, WorkloadKind};

/// The operations sent, the responses that count as correct, and the load.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Unique name, for example `put-1KiB`.
    pub name: String,
    /// The operations, by protocol.
    pub kind: WorkloadKind,
    /// The load.
    pub load: Load,
    /// Read the times of server stages from response headers.
    pub stages: bool,
}

impl Workload {
    /// The facts about the work, in a form common to all protocols.
    pub fn facts(&self) -> &dyn Facts {
        self.kind.facts()
    }

    /// The maximum-rate search of this workload, if any.
    pub fn search(&self) -> Option<&RateSearch> {
        match &self.load.pace {
            Pace::Search(search) => Some(search),
            _ => None,
        }
    }

    /// How hits are read from responses; `None` if requests are not drawn from patterns.
    pub fn hits(&self) -> Option<&HitSource> {
        self.patterns().map(|patterns| &patterns.hits)
    }

    /// The patterns that requests are drawn from, if any.
    pub fn patterns(&self) -> Option<&Patterns> {
        self.facts().patterns()
    }

    /// Whether two workloads differ only in their names and connections.
    pub(crate) fn is_level_beside(&self, other: &Self) -> bool {
        let mut load = other.load.clone();
        load.connections = self.load.connections;
        self.kind == other.kind && self.load == load && self.stages == other.stages
    }

    /// Whether a slice can end before its time: after a number of operations, when all objects
    /// created for the slice are used up, or with the last operation of a trace.
    pub fn may_end_early(&self) -> bool {
        self.is_counted() || matches!(self.load.pace, Pace::Trace(_))
    }

    /// Whether compared targets are sent the same number of requests, so that a slice of a slower
    /// target lasts longer: in a closed loop without `requests` whose result depends on which
    /// requests are sent.
    pub(crate) fn may_be_stretched(&self) -> bool {
        self.facts().has_sequence()
            && self.load.pace == Pace::Closed
            && self.load.requests.is_none()
    }

    /// The settling time of the workload's slices. Zero if a slice ends after a number of
    /// operations or uses up its objects, because every operation must be measured. With a trace,
    /// the settling time is always that of the plan, and no operations are sent in it.
    pub fn lead(&self, rounds: &Rounds) -> Duration {
        let none_in_it = matches!(self.load.pace, Pace::Trace(_));
        if self.is_counted() && !none_in_it {
            return Duration::ZERO;
        }
        rounds.lead
    }

    fn is_counted(&self) -> bool {
        self.facts().uses_up() || self.load.requests.is_some()
    }
}
