//! The section on how throughput scales with the nodes of a cluster.

use tenbin_result::{Document, NodeScaling};
use tenbin_verdict::sentences;

use crate::block::{Block, Cell, Table};
use crate::language::say;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    by_cluster(&document.nodes)
        .iter()
        .flat_map(|scalings| of_cluster(document, scalings))
        .collect()
}

/// The blocks of one cluster: the ratios of the first node to the baseline, and of each cluster
/// size to the next smaller size.
fn of_cluster(document: &Document, scalings: &[&NodeScaling]) -> Vec<Block> {
    let mut table = Table::new(
        2,
        [
            "workload", "nodes", "against", "throughput ratio", "median time ratio", "p99 ratio",
        ],
    );
    for scaling in scalings {
        for step in &scaling.steps {
            table.push([
                scaling.workload.clone().into(),
                format!(
                    "{} ({})",
                    say(document, &sentences::of_added_nodes(step)),
                    step.target
                )
                .into(),
                step.against.clone().into(),
                Cell::Ratio(step.throughput),
                Cell::Ratio(step.median),
                Cell::Ratio(step.p99),
            ]);
        }
    }
    let mut blocks = vec![Block::heading(scalings[0].cluster.clone())];
    blocks.extend(table.block());
    let sentences = scalings
        .iter()
        .map(|each| say(document, &sentences::of_nodes(each)));
    blocks.extend(Block::sentences(&sentences.collect::<Vec<_>>()));
    blocks
}

/// Groups the results by cluster, in order of first occurrence.
fn by_cluster(scalings: &[NodeScaling]) -> Vec<Vec<&NodeScaling>> {
    let mut clusters: Vec<Vec<&NodeScaling>> = Vec::new();
    for scaling in scalings {
        let mut known = clusters.iter_mut();
        match known.find(|known| known[0].cluster == scaling.cluster) {
            Some(known) => known.push(scaling),
            None => clusters.push(vec![scaling]),
        }
    }
    clusters
}
