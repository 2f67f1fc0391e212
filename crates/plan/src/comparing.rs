//! How targets are held against each other.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::expectation::Expectation;
use crate::model::{Launch, Plan, Reach, Rounds, Target, Workload, WorkloadKind};
use crate::percent::Percent;
use crate::s3::{DataSet, S3Work};

/// The margin of "equivalent" when nothing is said: 5 %.
pub const DEFAULT_MARGIN: Percent = Percent::of(5.0);

/// How targets are held against each other, and what is expected of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// Index into [`Plan::targets`] of the one that the others are compared with.
    pub baseline: usize,
    /// Index into [`Plan::targets`] of the baseline's twin, if there is one: what
    /// a comparison says of it is noise.
    pub twin: Option<usize>,
    /// How far apart two targets may be and still be equivalent.
    pub margin: Percent,
    /// What must be true of the figures, and what must not be.
    pub expect: Vec<Expectation>,
}

impl Default for Comparing {
    fn default() -> Self {
        Self {
            baseline: 0,
            twin: None,
            margin: DEFAULT_MARGIN,
            expect: Vec::new(),
        }
    }
}

/// When a run may end before its most rounds: once its figures are known well
/// enough, whatever they say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// Half the width of every deciding ratio's interval, as a share of the ratio:
    /// the interval of a ratio r lies within r ÷ (1 + this) and r × (1 + this).
    pub within: Percent,
    /// The most rounds; whole blocks.
    pub most: u32,
}

/// The place of a target in a sweep: one of several that differ in the values of
/// some parameters and in nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// What the plan calls the target that is swept.
    pub of: String,
    /// The value of every parameter here, in the order of the parameters.
    pub values: Vec<(String, String)>,
    /// How the plan says the target is launched, with the parameters' names in
    /// braces.
    pub template: Launch,
}

impl fmt::Display for SweepPoint {
    /// As `workers=4, threads=2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.values.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

impl Rounds {
    /// The most rounds there can be: `count` unless the run may end by precision.
    pub fn most(&self) -> u32 {
        self.until.map_or(self.count, |until| until.most)
    }
}

impl Plan {
    /// The target that the others are compared with; `None` in a plan without any.
    pub fn baseline(&self) -> Option<&Target> {
        self.targets.get(self.comparing.baseline)
    }

    /// The baseline's twin, if there is one.
    pub fn twin(&self) -> Option<&Target> {
        self.targets.get(self.comparing.twin?)
    }

    /// The targets that are compared with the baseline, its twin not among them.
    pub fn challengers(&self) -> impl Iterator<Item = &Target> {
        let Comparing { baseline, twin, .. } = self.comparing;
        let others = self.targets.iter().enumerate();
        others
            .filter(move |(at, _)| *at != baseline && Some(*at) != twin)
            .map(|(_, target)| target)
    }

    /// A workload as it is sent to a target. What the twin of a server that was there
    /// before lays out stands beside what the server's own arm does, and not on it.
    pub fn work_on<'a>(&self, target: &Target, workload: &'a Workload) -> Cow<'a, Workload> {
        let is_twin = self.twin().is_some_and(|twin| twin.name == target.name);
        let shares = is_twin && matches!(target.reach, Reach::Endpoint { .. });
        match &workload.kind {
            WorkloadKind::S3(work) if shares && work.data == DataSet::Fresh => {
                let given = work.prefix.as_deref().unwrap_or_default();
                let mut apart = workload.clone();
                apart.kind = WorkloadKind::S3(S3Work {
                    prefix: Some(format!("{given}twin/")),
                    ..work.clone()
                });
                Cow::Owned(apart)
            }
            _ => Cow::Borrowed(workload),
        }
    }

    /// The shortest time that the slices can take when the run may end by
    /// precision; as [`Plan::forecast`] otherwise.
    pub fn shortest(&self) -> Duration {
        self.lasting(self.rounds.count)
    }
}
