//! Counters and latency histograms since the start of the run, by target, workload and operation.

use std::collections::BTreeMap;
use std::time::SystemTime;

use tenbin_engine::{ErrorClass, Role};
use tenbin_plan::Plan;
use tenbin_record::{LiveSecond, PackedHistogram};
use tenbin_runner::Progress;

/// The labels of a counter: target, workload and operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub(super) target: String,
    pub(super) workload: String,
    pub(super) operation: String,
    pub(super) role: &'static str,
}

/// Totals of one operation.
#[derive(Debug, Clone)]
pub(super) struct Totals {
    /// Correct operations.
    pub(super) ok: u64,
    /// Body bytes of correct operations.
    pub(super) bytes: u64,
    /// Failures by class; every class has an entry.
    pub(super) errors: BTreeMap<&'static str, u64>,
    /// Service times of correct operations, nanoseconds.
    pub(super) service: PackedHistogram,
    /// Response times of correct operations, nanoseconds; empty in a closed loop.
    pub(super) response: PackedHistogram,
}

impl Totals {
    fn new() -> Self {
        let classes = ErrorClass::ALL.iter();
        Self {
            ok: 0,
            bytes: 0,
            errors: classes.map(|class| (class.name(), 0)).collect(),
            service: PackedHistogram::new(),
            response: PackedHistogram::new(),
        }
    }

    fn add(&mut self, second: &LiveSecond) {
        self.ok += second.counts.ok;
        self.bytes += second.counts.payload;
        for (class, count) in &second.errors {
            *self.errors.entry(class.name()).or_default() += count;
        }
        self.service.add(&second.service);
        self.response.add(&second.response);
    }
}

/// The metrics of a run.
#[derive(Debug, Clone)]
pub(super) struct Metrics {
    /// Name of the run.
    pub(super) run: String,
    /// When the run started.
    pub(super) started: SystemTime,
    /// Totals of every operation measured so far.
    pub(super) totals: BTreeMap<Subject, Totals>,
    /// CPU seconds used during slices, by target; only observed targets have an entry.
    pub(super) cpu_seconds: BTreeMap<String, f64>,
    /// Number of the running slice, from 1; `None` before the first.
    pub(super) slice: Option<u64>,
    /// Number of slices; `None` if unknown.
    pub(super) slices: Option<u64>,
    /// For every target: whether a slice is running on the target.
    pub(super) active: BTreeMap<String, bool>,
    workload: String,
    target: String,
    /// Slice and second whose CPU time was added last. Every operation of a second reports the same
    /// CPU time, which must be added only once.
    counted: Option<(u32, u64)>,
}

impl Metrics {
    pub(super) fn new(plan: &Plan) -> Self {
        let targets = plan.targets.iter();
        Self {
            run: plan.name.clone(),
            started: SystemTime::now(),
            totals: BTreeMap::new(),
            cpu_seconds: BTreeMap::new(),
            slice: None,
            slices: None,
            active: targets.map(|it| (it.name.clone(), false)).collect(),
            workload: String::new(),
            target: String::new(),
            counted: None,
        }
    }

    pub(super) fn observe(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Started {
                slices, started, ..
            } => {
                self.slices = (*slices > 0).then_some(*slices as u64);
                self.started = *started;
            }
            Progress::Slice {
                index,
                target,
                workload,
                ..
            } => {
                self.slice = Some(*index as u64 + 1);
                (*target).clone_into(&mut self.target);
                (*workload).clone_into(&mut self.workload);
                for (name, is_active) in &mut self.active {
                    *is_active = name == target;
                }
            }
            Progress::Second { second } => self.second(second),
            Progress::Measured { .. } => {
                self.active.values_mut().for_each(|active| *active = false);
            }
            _ => {}
        }
    }

    fn second(&mut self, second: &LiveSecond) {
        let subject = Subject {
            target: self.target.clone(),
            workload: self.workload.clone(),
            operation: second.counts.operation.clone(),
            role: role(second.role),
        };
        let totals = self.totals.entry(subject).or_insert_with(Totals::new);
        totals.add(second);
        let interval = (second.counts.slice, second.second);
        if self.counted != Some(interval)
            && let Some(used) = second.server.and_then(|server| server.cpu_seconds)
        {
            self.counted = Some(interval);
            *self.cpu_seconds.entry(self.target.clone()).or_default() += used;
        }
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Request => "request",
        Role::Step => "sub_request",
        Role::Transaction => "transaction",
        Role::Poll => "poll",
        Role::Effect => "effect",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use tenbin_plan::{Comparing, Output, Rounds};

    use super::super::seconds::tests::part;
    use super::*;

    /// Metrics of two operations on two targets.
    pub(in crate::telemetry) fn metrics() -> Metrics {
        let mut metrics = Metrics {
            active: BTreeMap::from([("a".to_owned(), false), ("b\"\\\n".to_owned(), false)]),
            ..Metrics::new(&plan())
        };
        for (index, target) in ["a", "b\"\\\n"].into_iter().enumerate() {
            metrics.observe(&Progress::Slice {
                index,
                round: 0,
                target,
                workload: "mix",
            });
            for (number, operation) in [(0, "GET"), (0, "PUT"), (1, "GET"), (1, "PUT")] {
                let mut second = part(number, operation, 10);
                second.counts.slice = index as u32;
                metrics.observe(&Progress::Second { second: &second });
            }
        }
        metrics.slices = Some(8);
        metrics
    }

    fn plan() -> Plan {
        let second = std::time::Duration::from_secs(1);
        Plan {
            name: "made-up".to_owned(),
            seed: 1,
            threads: 1,
            rounds: Rounds {
                asked: None,
                count: 1,
                until: None,
                slice: second,
                gap: second,
                warmup: second,
                relaunch: tenbin_plan::Relaunch::Never,
                lead: second,
                sustain: tenbin_plan::Sustain::Off,
                on_outage: tenbin_plan::OnOutage::default(),
                probes: tenbin_plan::Probes::default(),
            },
            targets: Vec::new(),
            workloads: Vec::new(),
            comparing: Comparing::default(),
            output: Output::default(),
            agents: None,
            corpus: None,
            gate: None,
        }
    }

    #[test]
    fn operations_are_summed_and_cpu_time_counts_once_a_second() {
        let metrics = metrics();
        assert_eq!(metrics.totals.len(), 4);
        let (subject, totals) = metrics.totals.first_key_value().unwrap();
        assert_eq!((&*subject.target, &*subject.operation), ("a", "GET"));
        assert_eq!((totals.ok, totals.bytes), (20, 200));
        assert_eq!((totals.errors["status"], totals.errors["timeout"]), (2, 0));
        assert_eq!(totals.service.len(), 20);
        assert_eq!(metrics.cpu_seconds["a"], 1.0);
        assert_eq!(metrics.slice, Some(2));
        assert!(!metrics.active["a"] && metrics.active["b\"\\\n"]);
    }
}
