//! How targets are held against each other.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::expectation::Expectation;
use crate::figure::Figure;
use crate::model::{HttpWork, Launch, Plan, Reach, Rounds, Target, Workload, WorkloadKind};
use crate::patterns::{HitSource, Patterns};
use crate::percent::Percent;
use crate::s3::{DataSet, S3Work};
use crate::searched::SearchServer;

/// The margin of "equivalent" when nothing is said: 5 %.
pub const DEFAULT_MARGIN: Percent = Percent::of(5.0);

/// How much two starts of one program may differ when nothing is said: 5 %. Of a server in
/// CPython, eight starts on one machine had CPU times per request with a standard deviation of 2.6 %
/// (Tenbin's own measurement), and two of them therefore differ by more than 5 % one time in six.
pub const DEFAULT_START_NOISE: Percent = Percent::of(5.0);

/// How targets are held against each other, and what is expected of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// Index into [`Plan::targets`] of the one that the others are compared with.
    pub baseline: usize,
    /// Index into [`Plan::targets`] of the baseline's twin, if there is one: what
    /// a comparison says of it is noise.
    pub twin: Option<usize>,
    /// Indices into [`Plan::workloads`] of those that are compared with the first of them on
    /// every target; none, or two and more.
    pub workloads: Vec<usize>,
    /// How far apart two targets may be and still be equivalent.
    pub margin: Percent,
    /// How much two starts of one program may differ: a smaller difference between targets that ran
    /// in one process each is not called one.
    pub start_noise: Percent,
    /// What must be true of the figures, and what must not be.
    pub expect: Vec<Expectation>,
    /// The figure that decides every comparison; by the load when not set: throughput in a closed
    /// loop, the median response time in an open loop.
    pub decide: Option<Figure>,
}

impl Default for Comparing {
    fn default() -> Self {
        Self {
            baseline: 0,
            twin: None,
            workloads: Vec::new(),
            margin: DEFAULT_MARGIN,
            start_noise: DEFAULT_START_NOISE,
            expect: Vec::new(),
            decide: None,
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

    /// The workloads that are compared with each other, the one that the others are compared
    /// with first; none, or two and more.
    pub fn compared_workloads(&self) -> impl Iterator<Item = &Workload> {
        let compared = self.comparing.workloads.iter();
        compared.filter_map(|at| self.workloads.get(*at))
    }

    /// A workload as it is sent to a target. Patterns that several workloads share are asked
    /// for their hits with the first of them. What the twin of a server that was there
    /// before lays out stands beside what the server's own arm does, and not on it.
    pub fn work_on<'a>(&self, target: &Target, workload: &'a Workload) -> Cow<'a, Workload> {
        let is_twin = self.twin().is_some_and(|twin| twin.name == target.name);
        let shares = is_twin && matches!(target.reach, Reach::Endpoint { .. });
        if let (Some(own), WorkloadKind::Http(http)) =
            (&target.searched.cache_counters, &workload.kind)
            && let Some(patterns) = &http.patterns
            && patterns.counters.as_ref() != Some(own)
        {
            let counted = Workload {
                kind: WorkloadKind::Http(HttpWork {
                    patterns: Some(Patterns {
                        counters: Some(own.clone()),
                        ..patterns.clone()
                    }),
                    ..http.clone()
                }),
                ..workload.clone()
            };
            return Cow::Owned(self.work_on(target, &counted).into_owned());
        }
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
            WorkloadKind::Http(http) if http.by_target().is_some() => {
                self.in_words_of(target, workload, http)
            }
            WorkloadKind::Http(http) if self.is_asked_elsewhere(workload) => {
                let mut same = workload.clone();
                let patterns = http.patterns.clone().map(|patterns| Patterns {
                    hits: HitSource::Off,
                    ..patterns
                });
                same.kind = WorkloadKind::Http(HttpWork {
                    patterns,
                    ..http.clone()
                });
                Cow::Owned(same)
            }
            _ => Cow::Borrowed(workload),
        }
    }

    /// What requests of `by_target` may be called for a target, the most special first: its
    /// name, that of the target that it is a twin or a variant of, the kind of server that it is.
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

    /// The workload with the requests of `by_target` for this target.
    fn in_words_of<'a>(
        &self,
        target: &Target,
        workload: &'a Workload,
        http: &HttpWork,
    ) -> Cow<'a, Workload> {
        let requests = http
            .by_target()
            .and_then(|by_target| by_target.requests(by_target.name_for(&self.names_of(target))?));
        let (Some((template, set)), Some(patterns)) = (requests, &http.patterns) else {
            return Cow::Borrowed(workload);
        };
        let hits = match (&patterns.hits, self.is_asked_elsewhere(workload)) {
            (_, true) => HitSource::Off,
            (HitSource::Auto, _) => template.said_hits(),
            (said, _) => said.clone(),
        };
        let mut own = workload.clone();
        own.kind = WorkloadKind::Http(HttpWork {
            patterns: Some(Patterns {
                hits,
                set: Arc::clone(set),
                by_target: None,
                ..patterns.clone()
            }),
            ..http.clone()
        });
        Cow::Owned(own)
    }

    /// Whether an earlier workload draws from the same patterns, as the levels of a ramp do:
    /// by default they are asked for their hits once.
    fn is_asked_elsewhere(&self, workload: &Workload) -> bool {
        let by_default = |patterns: &&Patterns| patterns.hits == HitSource::Auto;
        let Some(patterns) = workload.patterns().filter(by_default) else {
            return false;
        };
        let before = self.workloads.iter();
        let before = before.take_while(|other| other.name != workload.name);
        let mut before = before.filter_map(Workload::patterns).filter(by_default);
        before.any(|other| Arc::ptr_eq(&other.set, &patterns.set))
    }

    /// The shortest time that the slices can take when the run may end by
    /// precision; as [`Plan::forecast`] otherwise.
    pub fn shortest(&self) -> Duration {
        self.lasting(self.rounds.count)
    }
}
