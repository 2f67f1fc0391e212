//! The roles of targets and workloads in a plan: baseline, twin, challengers.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::draft::Comparing;
use crate::patterns::HitSource;
use crate::plan::model::Plan;
use crate::plan::workload::Workload;
use crate::search_servers::SearchServer;
use crate::target::{Reach, Target};
use crate::work::SentTo;
use crate::work::http::draft::Patterns;

impl Plan {
    /// The target that the other targets are compared with; `None` in a plan without targets.
    pub fn baseline(&self) -> Option<&Target> {
        self.targets.get(self.comparing.baseline)
    }

    /// The target that stays the same in every run, if the plan names one.
    pub fn anchor(&self) -> Option<&Target> {
        self.targets.get(self.comparing.anchor?)
    }

    /// The baseline's twin, if any.
    pub fn twin(&self) -> Option<&Target> {
        self.targets.get(self.comparing.twin?)
    }

    /// The targets that are compared with the baseline, without its twin.
    pub fn challengers(&self) -> impl Iterator<Item = &Target> {
        let Comparing { baseline, twin, .. } = self.comparing;
        let others = self.targets.iter().enumerate();
        others
            .filter(move |(at, _)| *at != baseline && Some(*at) != twin)
            .map(|(_, target)| target)
    }

    /// The workloads that are compared with each other: the first is compared with all others.
    /// Empty, or at least two.
    pub fn compared_workloads(&self) -> impl Iterator<Item = &Workload> {
        let compared = self.comparing.workloads.iter();
        compared.filter_map(|at| self.workloads.get(*at))
    }

    /// A workload as sent to `target`. Of the workloads that draw from the same patterns and do not
    /// set `hits`, only the first reads hits. If the twin is the same server as the baseline, the
    /// keys of objects that are created for the run differ from the baseline's.
    pub fn work_on<'a>(&self, target: &Target, workload: &'a Workload) -> Cow<'a, Workload> {
        let is_twin = self.twin().is_some_and(|twin| twin.name == target.name);
        let sent = workload.kind.protocol().sent_to(&SentTo {
            names: self.names_of(target),
            is_same_server: is_twin && matches!(target.reach, Reach::Endpoint { .. }),
            cache_counters: target.searched.cache_counters.as_ref(),
            hits_are_read_elsewhere: self.hits_are_read_elsewhere(workload),
        });
        match sent {
            Some(kind) => Cow::Owned(Workload {
                kind,
                ..workload.clone()
            }),
            None => Cow::Borrowed(workload),
        }
    }

    /// Names under which `by_target` can have a request for a target, the most specific first: the
    /// name of the target, of its baseline (for a twin), of its sweep, and of its kind of server.
    pub(crate) fn names_of<'a>(&'a self, target: &'a Target) -> Vec<&'a str> {
        let is_twin = self.twin().is_some_and(|twin| twin.name == target.name);
        let baseline = self.baseline().filter(|_| is_twin);
        let of_sweep = |target: &'a Target| target.sweep.as_ref().map(|point| point.of.as_str());
        let kind = target.searched.status;
        let mut names = vec![target.name.as_str()];
        names.extend(baseline.map(|baseline| baseline.name.as_str()));
        names.extend(of_sweep(target));
        names.extend(baseline.and_then(of_sweep));
        names.extend(kind.map(SearchServer::name));
        names
    }

    /// Whether an earlier workload draws from the same patterns, as in a ramp, and reads their hits
    /// by default.
    fn hits_are_read_elsewhere(&self, workload: &Workload) -> bool {
        let by_default = |patterns: &&Patterns| patterns.hits == HitSource::Auto;
        let Some(patterns) = workload.patterns().filter(by_default) else {
            return false;
        };
        let before = self.workloads.iter();
        let before = before.take_while(|other| other.name != workload.name);
        let mut before = before.filter_map(Workload::patterns).filter(by_default);
        before.any(|other| Arc::ptr_eq(&other.set, &patterns.set))
    }

    /// Whether a workload is a phase, whose slices end when all its objects are handled.
    pub fn has_phases(&self) -> bool {
        let mut phases = self.workloads.iter().map(|work| work.kind.facts().phase());
        phases.any(|phase| phase.is_some())
    }

    /// The time of all slices with the minimum number of rounds: below [`Plan::forecast`] if the
    /// run can end by precision, otherwise equal.
    pub fn shortest(&self) -> Duration {
        self.lasting(self.rounds.count)
    }
}
