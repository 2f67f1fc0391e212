//! The operations sent, and under which load.

use std::time::Duration;

use crate::load::{Load, Pace, RateSearch};
use crate::patterns::{HitSource, Patterns};
use crate::rounds::Rounds;
use crate::work::{Facts, WorkloadKind};

/// The operations sent, what counts as a correct response, and the load.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Unique name, for example `put-1KiB`.
    pub name: String,
    /// What is sent.
    pub kind: WorkloadKind,
    /// How it is issued.
    pub load: Load,
    /// Read the times of server stages from the headers of responses.
    pub stages: bool,
}

impl Workload {
    /// What there is to know about what is sent, whatever its protocol is.
    pub fn facts(&self) -> &dyn Facts {
        self.kind.facts()
    }

    /// The search that finds its rate, if one does.
    pub fn search(&self) -> Option<&RateSearch> {
        match &self.load.pace {
            Pace::Search(search) => Some(search),
            _ => None,
        }
    }

    /// How hits are read from responses; `None` where requests are not drawn from patterns.
    pub fn hits(&self) -> Option<&HitSource> {
        self.patterns().map(|patterns| &patterns.hits)
    }

    /// The patterns that its requests are drawn from, if they are.
    pub fn patterns(&self) -> Option<&Patterns> {
        self.facts().patterns()
    }

    /// Whether the two differ in nothing but their names and connections.
    pub(crate) fn is_level_beside(&self, other: &Self) -> bool {
        let mut load = other.load.clone();
        load.connections = self.load.connections;
        self.kind == other.kind && self.load == load && self.stages == other.stages
    }

    /// Whether a slice may end before its time: by a count of operations, because
    /// they have used up the objects created for them, or with the last operation of a trace.
    pub fn may_end_early(&self) -> bool {
        self.is_counted() || matches!(self.load.pace, Pace::Trace(_))
    }

    /// Whether targets that are compared are sent the same requests, counted, so that a slice of the
    /// slower one lasts longer: in a closed loop, where it matters which requests are sent.
    pub(crate) fn may_be_stretched(&self) -> bool {
        self.facts().has_sequence()
            && self.load.pace == Pace::Closed
            && self.load.requests.is_none()
    }

    /// The unmeasured head of its slices: none where every operation counts and
    /// some would be lost to it. A trace has none in it.
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
