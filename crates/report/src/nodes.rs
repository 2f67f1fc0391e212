//! The table of what nodes are worth, for terminals and pages alike. Names are left as they
//! are: whoever prints a cell makes it harmless.

use crate::document::{Figure, NodeLadder};
use crate::words::{UNKNOWN, ratio, ratio_interval};

pub(crate) const HEAD: [&str; 6] = [
    "workload",
    "nodes",
    "against",
    "throughput ratio",
    "median time ratio",
    "p99 ratio",
];

/// A row for each step of one cluster at every workload.
pub(crate) fn rows(ladders: &[&NodeLadder]) -> Vec<Vec<String>> {
    let of_ladder = |ladder: &&NodeLadder| {
        let workload = ladder.workload.clone();
        let steps = ladder.steps.iter().map(move |step| {
            vec![
                workload.clone(),
                format!("{} ({})", step.what, step.target),
                step.against.clone(),
                shown(step.throughput),
                shown(step.median),
                shown(step.p99),
            ]
        });
        steps.collect::<Vec<_>>()
    };
    ladders.iter().flat_map(of_ladder).collect()
}

/// Those of the same cluster together, in the order in which they first come.
pub(crate) fn by_cluster(ladders: &[NodeLadder]) -> Vec<Vec<&NodeLadder>> {
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

fn shown(figure: Option<Figure>) -> String {
    match figure {
        None => UNKNOWN.to_owned(),
        Some(known) => format!("{} ({})", ratio(known.value), ratio_interval(figure)),
    }
}
