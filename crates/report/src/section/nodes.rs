//! The section on how throughput scales with the nodes of a cluster.

use tenbin_result::{Document, NodeScaling};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    by_cluster(&document.nodes)
        .iter()
        .flat_map(|ladders| of_cluster(ladders))
        .collect()
}

/// The blocks of one cluster: the ratios of the first node to the baseline, and of each cluster
/// size to the next smaller size.
fn of_cluster(ladders: &[&NodeScaling]) -> Vec<Block> {
    let mut table = Table::new(
        2,
        [
            "workload",
            "nodes",
            "against",
            "throughput ratio",
            "median time ratio",
            "p99 ratio",
        ],
    );
    for ladder in ladders {
        for step in &ladder.steps {
            table.push([
                ladder.workload.clone().into(),
                format!("{} ({})", step.what, step.target).into(),
                step.against.clone().into(),
                Cell::Ratio(step.throughput),
                Cell::Ratio(step.median),
                Cell::Ratio(step.p99),
            ]);
        }
    }
    let mut blocks = vec![Block::heading(ladders[0].cluster.clone())];
    blocks.extend(table.block());
    blocks.extend(Block::sentences(ladders.iter().map(|each| &each.sentence)));
    blocks
}

/// Groups the results by cluster, in order of first occurrence.
fn by_cluster(ladders: &[NodeScaling]) -> Vec<Vec<&NodeScaling>> {
    let mut clusters: Vec<Vec<&NodeScaling>> = Vec::new();
    for ladder in ladders {
        let mut known = clusters.iter_mut();
        match known.find(|known| known[0].cluster == ladder.cluster) {
            Some(known) => known.push(ladder),
            None => clusters.push(vec![ladder]),
        }
    }
    clusters
}
