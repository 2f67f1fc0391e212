//! The section with figures per host, for targets with several hosts.

use tenbin_result::format::{TIME, UNKNOWN, count, errors, percent};
use tenbin_result::{Document, ResultOf};

use crate::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        3,
        [
            "workload", "target", "host", "requests", "share", "errors", "errors by class",
            "service p50", "service p99",
        ],
    );
    for result in &document.results {
        for (host, [requests, share]) in result.hosts.iter().zip(shares(result)) {
            table.push([
                result.workload.clone().into(),
                result.target.clone().into(),
                host.host.clone().into(),
                requests.into(),
                share.into(),
                errors(host.failed, host.ok).into(),
                super::operations::tally(&host.errors).into(),
                Cell::Figure(TIME, host.p50),
                Cell::Figure(TIME, host.p99),
            ]);
        }
    }
    table.block().into_iter().collect()
}

/// For each host: the number of requests, and the host's share of all requests.
fn shares(result: &ResultOf) -> impl Iterator<Item = [String; 2]> {
    let all: u64 = result.hosts.iter().map(|host| host.ok + host.failed).sum();
    result.hosts.iter().map(move |host| {
        let mine = host.ok + host.failed;
        let share = (all > 0).then(|| percent(mine as f64 / all as f64));
        [count(mine), share.unwrap_or_else(|| UNKNOWN.to_owned())]
    })
}
