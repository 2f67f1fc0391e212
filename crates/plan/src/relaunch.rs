//! How often targets are started again during a run.

use std::time::Duration;

use crate::model::{Plan, Reach, Workload, WorkloadKind};
use crate::names::Named;

/// When targets are stopped and started again during a run.
///
/// Two processes of one program differ: in where their memory lies, in the seeds of their hash
/// tables, in the threads that meet on a core. Interleaving does not cancel that, and the interval
/// of a run with one process of each target does not contain it. Restarts make it part of the interval
/// (Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", 2009).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relaunch {
    /// Before each block where that is possible and starting takes at most
    /// [`Self::QUICK_START`]; otherwise never.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Before each block, with an empty data directory unless pages were loaded into it; the warm-up
    /// then comes at the start of every block.
    Block,
    /// Before each slice, on its data, and stopped after it; the warm-up then comes before every slice.
    Slice,
}

impl Relaunch {
    /// The longest time to start for which [`Self::Auto`] restarts a target.
    pub const QUICK_START: Duration = Duration::from_secs(2);

    /// Its name in plans.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

impl Named for Relaunch {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("never", Self::Never),
        ("block", Self::Block),
        ("slice", Self::Slice),
    ];
}

impl Plan {
    /// When targets are started again: never [`Relaunch::Auto`]. What that stands for holds if every
    /// target starts quickly.
    pub fn relaunch(&self) -> Relaunch {
        match self.rounds.relaunch {
            Relaunch::Auto if self.restarts_tell() => Relaunch::Block,
            Relaunch::Auto => Relaunch::Never,
            asked => asked,
        }
    }

    /// Why targets cannot be started again during the run; one sentence.
    pub(crate) fn why_no_restarts(&self) -> Option<String> {
        let has_state = |work: &&Workload| {
            !matches!(work.kind, WorkloadKind::Http(_)) || work.search().is_some()
        };
        if let Some(work) = self.workloads.iter().find(has_state) {
            return Some(format!(
                "relaunch is for plain HTTP requests in rounds, and workload {:?} is something else: \
                 objects that are made beforehand, or a search for a rate",
                work.name
            ));
        }
        let mut targets = self.targets.iter();
        let stays = targets.find(|target| !matches!(target.reach, Reach::Launched(_)))?;
        Some(format!(
            "relaunch restarts every target during the run, and target {:?} is not started by a \
             command: its caches alone would stay warm",
            stays.name
        ))
    }

    /// Whether restarts are possible and can become part of an interval: several targets, several
    /// blocks, and nothing in a target's memory that the question may be about.
    fn restarts_tell(&self) -> bool {
        let mut works = self.workloads.iter();
        self.targets.len() > 1
            && self.rounds.most() > self.rounds_per_block()
            && works.all(|work| work.patterns().is_none())
            && self.why_no_restarts().is_none()
    }
}
