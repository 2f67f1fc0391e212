//! Whether targets are restarted during a run.

use crate::plan::model::Plan;
use crate::plan::workload::Workload;
use crate::relaunch::Relaunch;
use crate::target::Reach;
use crate::{Sentence, sentence};

impl Plan {
    /// When targets are restarted. [`Relaunch::Auto`] is resolved on the assumption that every
    /// target starts within [`Relaunch::QUICK_START`].
    pub fn relaunch(&self) -> Relaunch {
        match self.rounds.relaunch {
            Relaunch::Auto if self.restarts_are_useful() => Relaunch::Block,
            Relaunch::Auto => Relaunch::Never,
            other => other,
        }
    }

    /// Whether every target can be restarted during the run: Tenbin starts it, and the workloads need
    /// no data that it stores.
    pub fn can_relaunch(&self) -> bool {
        self.why_no_restarts().is_none()
    }

    /// Why targets cannot be restarted during the run, as one sentence; `None` if they can.
    pub(crate) fn why_no_restarts(&self) -> Option<Sentence> {
        let has_state = |work: &&Workload| !work.facts().can_relaunch() || work.search().is_some();
        if let Some(work) = self.workloads.iter().find(has_state) {
            return Some(sentence!(
                "relaunch-http",
                "relaunch supports only plain HTTP workloads that run in rounds; workload \
                    {name:?} is of another kind or is a maximum-rate search (slo)",
                name = work.name
            ));
        }
        let mut targets = self.targets.iter();
        let stays = targets.find(|target| !matches!(target.reach, Reach::Launched(_)))?;
        Some(sentence!(
            "relaunch-launched",
            "relaunch must restart every target, but target {name:?} is not started by a \
                command, so only the caches of this target would stay warm; use command to start \
                the target, or leave out relaunch",
            name = stays.name
        ))
    }

    /// Whether restarts are possible and useful. With several targets and several blocks, restarts
    /// make the interval include the variation between starts. With patterns, a run can measure
    /// caches, which a restart would empty.
    fn restarts_are_useful(&self) -> bool {
        let mut works = self.workloads.iter();
        self.targets.len() > 1
            && self.rounds.most() > self.rounds_per_block()
            && works.all(|work| work.patterns().is_none())
            && self.why_no_restarts().is_none()
    }
}
