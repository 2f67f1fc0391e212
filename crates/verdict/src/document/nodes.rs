//! What nodes are worth, for the document.

use crate as verdict;

use tenbin_result::{Figure, NodeLadder, NodeStep};

pub(super) fn ladders(assessment: &verdict::Assessment) -> Vec<NodeLadder> {
    let ladders = assessment.nodes.iter().map(|ladder| NodeLadder {
        cluster: ladder.cluster.clone(),
        workload: ladder.workload.clone(),
        steps: ladder.steps.iter().map(step).collect(),
        trust: ladder.trust,
        sentence: ladder.sentence(),
    });
    ladders.collect()
}

fn step(step: &verdict::NodeStep) -> NodeStep {
    NodeStep {
        what: step.what(),
        target: step.target.clone(),
        nodes: step.nodes as u64,
        against: step.against.clone(),
        against_nodes: step.against_nodes.map(|nodes| nodes as u64),
        throughput: Figure::of(step.throughput),
        median: Figure::of(step.median),
        p99: Figure::of(step.p99),
    }
}
