//! What further nodes of a cluster are worth.

use tenbin_result::{Document, NodeLadder};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    by_cluster(&document.nodes)
        .iter()
        .flat_map(|ladders| of_cluster(ladders))
        .collect()
}

/// The cost of the first node and the gain of each further one.
fn of_cluster(ladders: &[&NodeLadder]) -> Vec<Block> {
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

/// Those of the same cluster together, in the order in which they first come.
fn by_cluster(ladders: &[NodeLadder]) -> Vec<Vec<&NodeLadder>> {
    let mut clusters: Vec<Vec<&NodeLadder>> = Vec::new();
    for ladder in ladders {
        let mut known = clusters.iter_mut();
        match known.find(|known| known[0].cluster == ladder.cluster) {
            Some(known) => known.push(ladder),
            None => clusters.push(vec![ladder]),
        }
    }
    clusters
}
