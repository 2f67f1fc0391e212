//! What the nodes of a cluster are worth: the cost of the first, the gain of each further
//! one.

use serde::Serialize;
use tenbin_plan::{ClusterSizes, Plan, Target, Workload};
use tenbin_record::Slice;
use tenbin_stats::{CONFIDENCE, Measured, ratio};

use crate::blocks::Blocks;
use crate::evidence::is_closed;
use crate::metric::{Direction, Metric};
use crate::words;
use tenbin_result::{Finding, Trust};

/// One cluster at one workload, size after size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeLadder {
    /// What the plan calls the cluster.
    pub cluster: String,
    /// Name of the workload.
    pub workload: String,
    /// From each size to the next, the smallest first.
    pub steps: Vec<NodeStep>,
    /// How far all of that can be trusted.
    pub trust: Trust,
}

/// From one size of a cluster to the next; or, first of all, from the baseline, which is no
/// cluster, to the smallest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeStep {
    /// Name of the target.
    pub target: String,
    /// Its nodes.
    pub nodes: usize,
    /// Name of the target that it is held against.
    pub against: String,
    /// Nodes of that; `None` where it is the baseline and no size of the cluster.
    pub against_nodes: Option<usize>,
    /// Throughput divided by that of the other: block by block.
    pub throughput: Measured,
    /// The same of the median time.
    pub median: Measured,
    /// By what the median time is meant: service time in a closed loop, response time in an
    /// open one.
    pub median_of: Metric,
    /// The same of the 99th percentile.
    pub p99: Measured,
}

/// Every cluster of the plan with two steps' worth of targets, at every workload. Rates
/// that are searched for are compared elsewhere.
pub(crate) fn node_ladders(plan: &Plan, slices: &[Slice]) -> Vec<NodeLadder> {
    let clusters = plan.clusters();
    let workloads = plan.workloads.iter().filter(|work| work.search().is_none());
    let of_workload = |workload| {
        let blocks = Blocks::of(workload, slices);
        let ladders = clusters.iter().filter_map(|sizes| {
            let steps = steps(plan, workload, sizes, &blocks);
            (!steps.is_empty()).then(|| NodeLadder {
                cluster: sizes.cluster.clone(),
                workload: workload.name.clone(),
                steps,
                trust: Trust::Valid,
            })
        });
        ladders.collect::<Vec<_>>()
    };
    workloads.flat_map(of_workload).collect()
}

fn steps(
    plan: &Plan,
    workload: &Workload,
    sizes: &ClusterSizes,
    blocks: &Blocks<'_>,
) -> Vec<NodeStep> {
    let targets = sizes.targets.iter().map(|at| &plan.targets[*at]);
    let targets: Vec<&Target> = targets.collect();
    let outside = plan
        .baseline()
        .filter(|baseline| targets.iter().all(|target| target.name != baseline.name));
    let first = outside.into_iter().chain(targets.first().copied());
    let first: Vec<&Target> = first.collect();
    let pairs = first.windows(2).chain(targets.windows(2));
    pairs
        .filter_map(|pair| match pair {
            [other, target] => {
                let is_outside = outside.is_some_and(|outside| outside.name == other.name);
                Some(step(workload, blocks, target, other, is_outside))
            }
            _ => None,
        })
        .collect()
}

fn step(
    workload: &Workload,
    blocks: &Blocks<'_>,
    target: &Target,
    other: &Target,
    is_outside: bool,
) -> NodeStep {
    let of = |metric| {
        let logs = blocks.log_ratios(metric, &other.name, &target.name);
        ratio(&logs, CONFIDENCE)
    };
    let (median, p99) = match is_closed(workload) {
        true => (Metric::SERVICE_P50, Metric::SERVICE_P99),
        false => (Metric::RESPONSE_P50, Metric::RESPONSE_P99),
    };
    NodeStep {
        target: target.name.clone(),
        nodes: target.host_count(),
        against: other.name.clone(),
        against_nodes: (!is_outside).then(|| other.host_count()),
        throughput: of(Metric::Throughput),
        median: of(median),
        median_of: median,
        p99: of(p99),
    }
}

impl NodeLadder {
    /// Lowers the trust to what the findings leave of it.
    pub(crate) fn heed(&mut self, findings: &[Finding]) {
        let steps = self.steps.iter();
        let sides: Vec<&str> = steps
            .flat_map(|step| [step.target.as_str(), step.against.as_str()])
            .collect();
        let concerns = |finding: &&Finding| finding.concerns(&self.workload, &sides);
        self.trust = Trust::after(findings.iter().filter(concerns));
    }

    /// What it says, without a full stop. When the numbers cannot be believed it says that
    /// instead.
    pub fn sentence(&self) -> String {
        let Self {
            cluster, workload, ..
        } = self;
        let steps: Vec<String> = self.steps.iter().map(NodeStep::clause).collect();
        let claim = format!("{cluster} at {workload}: {}", steps.join("; "));
        let about = format!("what nodes of {cluster} are worth at {workload}");
        self.trust.qualify(claim, &about)
    }
}

impl NodeStep {
    /// What stands before the figures: which nodes these are.
    pub fn what(&self) -> String {
        match self.against_nodes {
            None if self.nodes == 1 => "the first node".to_owned(),
            None => format!("the first {} nodes", self.nodes),
            Some(before) if self.nodes == before + 1 => format!("node {}", self.nodes),
            Some(before) => format!("nodes {} to {}", before + 1, self.nodes),
        }
    }

    fn clause(&self) -> String {
        let Measured::Interval(found) = self.throughput else {
            return match self.throughput.value() {
                Some(value) => format!(
                    "{} {} {} times the throughput of {} (interval unknown)",
                    self.what(),
                    self.verb(),
                    words::ratio(value),
                    self.against
                ),
                None => format!("what {} {} is unknown", self.what(), self.worth()),
            };
        };
        let gains = match Metric::Throughput.direction() {
            Direction::HigherIsBetter => (found.low > 1.0, found.high < 1.0),
            Direction::LowerIsBetter => (found.high < 1.0, found.low > 1.0),
        };
        let change = words::percent((found.value - 1.0).abs());
        let (what, against) = (self.what(), &self.against);
        let said = match gains {
            (true, _) => format!("{what} gains {change} of the throughput of {against}"),
            (_, true) => format!("{what} costs {change} of the throughput of {against}"),
            _ => format!("cannot tell whether {what} gains or costs throughput against {against}"),
        };
        format!(
            "{said} (ratio {}, {}–{})",
            words::ratio(found.value),
            words::ratio(found.low),
            words::ratio(found.high)
        )
    }

    fn verb(&self) -> &'static str {
        match self.what().contains("nodes") {
            true => "make",
            false => "makes",
        }
    }

    fn worth(&self) -> &'static str {
        match self.against_nodes {
            None => "costs",
            Some(_) => "gains",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tenbin_plan::{Launch, Reach, Ready};

    use super::*;
    use crate::testing::{Made, Run};

    /// A server asked directly, and one, two and three nodes of a cluster.
    fn run(rates: [u64; 4], rounds: u32) -> Run {
        let names = ["direct", "one", "two", "three"];
        let mut run = Run::new(&names, &["search"], rounds);
        for (nodes, target) in run.plan.targets.iter_mut().enumerate().skip(1) {
            target.reach = Reach::Launched(Launch {
                command: vec!["groonga".to_owned()],
                nodes: (1..=nodes as u8)
                    .map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)))
                    .collect(),
                env: Default::default(),
                directory: None,
                url: "http://{host}:{port}/".to_owned(),
                ready: Ready::Port,
                ready_within: Default::default(),
                stop_within: Default::default(),
            });
            target.searched.cluster = Some("replicas".to_owned());
        }
        for slice in &mut run.slices {
            let at = names.iter().position(|name| *name == slice.target);
            let rate = rates[at.unwrap()];
            Made(slice).answers(rate, 2.0 / rate as f64);
        }
        run
    }

    #[test]
    fn the_first_node_costs_and_each_further_one_gains() {
        let found = node_ladders_of(&run([1_000, 800, 1_500, 1_500], 24));
        assert_eq!(
            found,
            [
                "replicas at search: the first node costs 20 % of the throughput of direct (ratio \
                 0.800, 0.800–0.800); node 2 gains 87.5 % of the throughput of one (ratio 1.875, \
                 1.875–1.875); cannot tell whether node 3 gains or costs throughput against two \
                 (ratio 1.000, 1.000–1.000)"
            ]
        );
    }

    fn node_ladders_of(run: &Run) -> Vec<String> {
        let ladders = node_ladders(&run.plan, &run.slices);
        ladders.iter().map(NodeLadder::sentence).collect()
    }

    #[test]
    fn sizes_are_taken_by_their_nodes_whatever_their_order_in_the_plan() {
        let mut run = run([1_000, 800, 1_500, 2_000], 24);
        run.plan.targets.reverse();
        run.plan.comparing.baseline = 3;
        let ladder = &node_ladders(&run.plan, &run.slices)[0];
        let steps: Vec<(&str, usize, Option<usize>)> = ladder
            .steps
            .iter()
            .map(|step| (step.target.as_str(), step.nodes, step.against_nodes))
            .collect();
        assert_eq!(
            steps,
            [("one", 1, None), ("two", 2, Some(1)), ("three", 3, Some(2))]
        );
        let times: Vec<f64> = ladder
            .steps
            .iter()
            .filter_map(|step| step.median.value())
            .collect();
        assert!((times[0] - 1.25).abs() < 0.01, "{times:?}");
    }

    #[test]
    fn few_blocks_have_no_interval_and_none_have_no_figure() {
        let found = node_ladders_of(&run([1_000, 800, 1_500, 1_500], 4));
        assert!(found[0].contains("makes 0.800 times the throughput of direct (interval unknown)"));
        let found = node_ladders_of(&run([1_000, 800, 1_500, 1_500], 4).interrupted(3));
        assert!(
            found[0].contains("what the first node costs is unknown"),
            "{found:?}"
        );
        assert_eq!(node_ladders_of(&Run::pair(8)), [""; 0]);
    }

    #[test]
    fn a_baseline_in_the_cluster_is_its_first_size() {
        let mut run = run([1_000, 800, 1_500, 1_500], 24);
        run.plan.comparing.baseline = 1;
        let steps = node_ladders(&run.plan, &run.slices).remove(0).steps;
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[0].what(), "node 2");
    }
}
