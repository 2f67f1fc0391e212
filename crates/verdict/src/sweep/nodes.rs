//! The scaling of a cluster: the first node compared with a server outside clusters, and the gain
//! from each additional node.

use tenbin_plan::{ClusterSizes, Plan, Target, Workload};
use tenbin_record::Slice;
use tenbin_result::{
    Figure, Finding, Message, Metric, NodeScaling, NodeStep, Trust, Value, message,
};
use tenbin_stats::{CONFIDENCE, ratio};

use crate::compare::blocks::Blocks;
use crate::evidence::is_closed;
use crate::findings::messages::{Messages, change_ends, qualified};

/// The scaling of every cluster of the plan with at least two sizes, for every workload except
/// maximum-rate searches. The findings limit the trust.
pub(crate) fn node_scaling(
    plan: &Plan,
    slices: &[Slice],
    findings: &[Finding],
) -> Vec<NodeScaling> {
    let clusters = plan.clusters();
    let workloads = plan.workloads.iter().filter(|work| work.search().is_none());
    let of_workload = |workload| {
        let blocks = Blocks::of(workload, slices);
        let scalings = clusters.iter().filter_map(|sizes| {
            let steps = steps(plan, workload, sizes, &blocks);
            (!steps.is_empty()).then(|| scaling(workload, sizes, steps, findings))
        });
        scalings.collect::<Vec<_>>()
    };
    workloads.flat_map(of_workload).collect()
}

fn scaling(
    workload: &Workload,
    sizes: &ClusterSizes,
    steps: Vec<NodeStep>,
    findings: &[Finding],
) -> NodeScaling {
    let (cluster, workload) = (&sizes.cluster, &workload.name);
    let sides: Vec<&str> = steps
        .iter()
        .flat_map(|step| [step.target.as_str(), step.against.as_str()])
        .collect();
    let concerning = findings.iter();
    let trust = Trust::after(concerning.filter(|finding| finding.concerns(workload, &sides)));
    let mut found = NodeScaling {
        cluster: cluster.clone(),
        workload: workload.clone(),
        sentence: String::new(),
        steps,
        trust,
    };
    found.sentence = Messages::NONE.in_english(&sentence(&found));
    found
}

/// The result in one sentence without a full stop. For untrusted numbers, the sentence states that
/// the numbers cannot be trusted.
pub(crate) fn sentence(found: &NodeScaling) -> Message {
    let of = |id: &str| {
        let message = Message::new(id).with("cluster", &found.cluster);
        message.with("workload", &found.workload)
    };
    let steps = Value::Clauses(found.steps.iter().map(clause).collect());
    let claim = of("nodes-gain").with("steps", steps);
    qualified(found.trust, claim, of("about-nodes"))
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
        Figure::of(ratio(&logs, CONFIDENCE))
    };
    let (median, p99) = if is_closed(workload) {
        (Metric::SERVICE_P50, Metric::SERVICE_P99)
    } else {
        (Metric::RESPONSE_P50, Metric::RESPONSE_P99)
    };
    let nodes = target.host_count() as u64;
    let against_nodes = (!is_outside).then(|| other.host_count() as u64);
    NodeStep {
        what: Messages::NONE.in_english(&added(nodes, against_nodes)),
        target: target.name.clone(),
        nodes,
        against: other.name.clone(),
        against_nodes,
        throughput: of(Metric::Throughput),
        median: of(median),
        p99: of(p99),
    }
}

/// The name of the added nodes.
pub(crate) fn added(nodes: u64, against: Option<u64>) -> Message {
    let before = against.unwrap_or(0);
    message!(
        "nodes-added",
        kind = Value::word(if against.is_some() { "more" } else { "first" }),
        count = nodes.saturating_sub(before),
        next = Value::Plain(before + 1),
        last = Value::Plain(nodes)
    )
}

fn clause(step: &NodeStep) -> Message {
    let count = step.nodes.saturating_sub(step.against_nodes.unwrap_or(0));
    let verb = |verb| message!("node-verb", verb = Value::word(verb), count);
    let of = |id: &str| {
        let what = added(step.nodes, step.against_nodes);
        Message::new(id).with("what", what)
    };
    let Some(figure) = step.throughput else {
        let changes = match step.against_nodes {
            None => verb("costs"),
            Some(_) => verb("adds"),
        };
        return of("node-unknown").with("changes", changes);
    };
    let against = |id: &str| {
        let message = of(id).with("against", &step.against);
        message.with("change", Value::Change(figure.value))
    };
    let Some(found) = figure.interval else {
        return against("node-gives").with("gives", verb("gives"));
    };
    let said = match (found.low > 1.0, found.high < 1.0) {
        (false, false) => against("node-cannot-tell")
            .with("adds", verb("adds"))
            .with("costs", verb("costs")),
        (adds, _) => {
            let changes = verb(if adds { "adds" } else { "costs" });
            against("node-changes").with("changes", changes)
        }
    };
    said.with("ends", change_ends(figure.value, found.low, found.high))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tenbin_plan::{Launch, Reach, Ready};

    use super::*;
    use crate::testing::{Made, Run};

    /// A run of a server without a cluster, and of clusters with one, two and three nodes.
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
        let found = node_scaling_of(&run([1_000, 800, 1_500, 1_500], 24));
        assert_eq!(
            found,
            [
                "replicas at search: the first node costs throughput relative to direct (−20 %, \
                 −20 … −20 %); node 2 adds throughput relative to one (× 1.875, 1.875–1.875); \
                 cannot tell whether node 3 adds or costs throughput against two (+0.0 %, +0.0 … \
                 +0.0 %)"
            ]
        );
    }

    fn node_scaling_of(run: &Run) -> Vec<String> {
        let scalings = node_scaling(&run.plan, &run.slices, &[]);
        scalings
            .into_iter()
            .map(|scaling| scaling.sentence)
            .collect()
    }

    #[test]
    fn sizes_are_taken_by_their_nodes_whatever_their_order_in_the_plan() {
        let mut run = run([1_000, 800, 1_500, 2_000], 24);
        run.plan.targets.reverse();
        run.plan.comparing.baseline = 3;
        let scaling = &node_scaling(&run.plan, &run.slices, &[])[0];
        let steps: Vec<(&str, u64, Option<u64>)> = scaling
            .steps
            .iter()
            .map(|step| (step.target.as_str(), step.nodes, step.against_nodes))
            .collect();
        assert_eq!(
            steps,
            [("one", 1, None), ("two", 2, Some(1)), ("three", 3, Some(2))]
        );
        let times: Vec<f64> = scaling
            .steps
            .iter()
            .filter_map(|step| Some(step.median?.value))
            .collect();
        assert!((times[0] - 1.25).abs() < 0.01, "{times:?}");
    }

    #[test]
    fn few_blocks_have_no_interval_and_none_have_no_figure() {
        let found = node_scaling_of(&run([1_000, 800, 1_500, 1_500], 4));
        assert!(found[0].contains("gives −20 % throughput relative to direct (interval unknown)"));
        let found = node_scaling_of(&run([1_000, 800, 1_500, 1_500], 4).interrupted(3));
        assert!(
            found[0].contains("how much the first node costs is unknown"),
            "{found:?}"
        );
        assert_eq!(node_scaling_of(&Run::pair(8)), [""; 0]);
    }

    #[test]
    fn a_baseline_in_the_cluster_is_its_first_size() {
        let mut run = run([1_000, 800, 1_500, 1_500], 24);
        run.plan.comparing.baseline = 1;
        let steps = node_scaling(&run.plan, &run.slices, &[]).remove(0).steps;
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[0].what, "node 2");
    }
}
