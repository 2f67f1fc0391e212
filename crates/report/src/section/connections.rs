//! The section on connections: counts, and the time of each connection phase.

use tenbin_result::format::{TIME, UNKNOWN, count};
use tenbin_result::{Connections, Document};

use crate::block::{Block, Cell, NOT_TIMED, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let known = || {
        let results = document.results.iter();
        results.filter_map(|result| Some((result, result.connections.as_ref()?)))
    };
    if known().all(|(_, connections)| connections.opened == 0 && !is_timed(connections)) {
        return Vec::new();
    }
    let any_resent = known().any(|(_, connections)| connections.resent.total() > 0);
    let mut table = Table::new(
        2,
        [
            "workload",
            "target",
            "opened",
            "reused",
            "closed by Tenbin",
            "closed by server",
            "refused",
            "reset",
            "sent again",
            "DNS (once)",
            "connect p50",
            "connect p99",
            "TLS p50",
            "TLS p99",
            "first response's first byte p50",
            "first response's first byte p99",
        ],
    );
    for (result, connections) in known() {
        let mut row: Vec<Cell> = vec![result.workload.clone().into(), result.target.clone().into()];
        let counts = [
            connections.opened, connections.reused, connections.closed_by_client,
            connections.closed_by_server, connections.refused, connections.reset,
        ];
        row.extend(counts.map(|n| Cell::from(count(n))));
        // A column without a value is not printed.
        row.push(if any_resent {
            count(connections.resent.total()).into()
        } else {
            UNKNOWN.into()
        });
        let lookup = name_lookup(document, &result.target);
        row.push(lookup.unwrap_or_else(|| UNKNOWN.to_owned()).into());
        for phase in [connections.connect, connections.tls, connections.first_byte] {
            match phase {
                Some(phase) => row.extend([phase.p50, phase.p99].map(|f| Cell::Figure(TIME, f))),
                None => row.extend([NOT_TIMED; 2].map(Cell::from)),
            }
        }
        table.push(row);
    }
    let about = "Opening a connection is timed by phase and is not part of the time of any operation. \
    Counts are over all slices. The first response's first byte is measured once per \
    connection, from the write of its first request. Names are resolved once, before \
    the run, so DNS is a single observation.";
    let mut blocks = vec![Block::Paragraph(about.into())];
    blocks.extend(table.block());
    blocks
}

/// Whether any connection phase was timed.
fn is_timed(connections: &Connections) -> bool {
    let phases = [connections.connect, connections.tls, connections.first_byte];
    phases.iter().any(Option::is_some)
}

/// Time of the DNS lookups of the target's host names, one observation each.
fn name_lookup(document: &Document, target: &str) -> Option<String> {
    let known = document.environment.targets.get(target)?;
    Some(TIME.of(known.name_lookup_ns()? as f64 / 1e9))
}
