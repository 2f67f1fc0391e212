//! The sections about hosts and connections.

use super::{Rows, heading, line, tally};
use crate::connections::{NOT_TIMED, is_timed, name_lookup, shares, steps};
use crate::document::Document;
use crate::escape::for_markdown;
use crate::words::{TIME, UNKNOWN, count, errors};

pub(super) fn hosts(page: &mut String, document: &Document) {
    if document
        .results
        .iter()
        .all(|result| result.hosts.is_empty())
    {
        return;
    }
    heading(page, 2, "Hosts");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "host",
            "requests",
            "share",
            "errors",
            "errors by class",
            "service p50",
            "service p99",
        ],
    );
    for result in &document.results {
        for (host, [requests, share]) in result.hosts.iter().zip(shares(result)) {
            table.row(&[
                for_markdown(&result.workload),
                for_markdown(&result.target),
                for_markdown(&host.host),
                requests,
                share,
                errors(host.failed, host.ok),
                tally(&host.errors),
                TIME.with_interval(host.p50),
                TIME.with_interval(host.p99),
            ]);
        }
    }
}

pub(super) fn connections(page: &mut String, document: &Document) {
    let known = || {
        let results = document.results.iter();
        results.filter_map(|result| Some((result, result.connections.as_ref()?)))
    };
    if known().all(|(_, connections)| connections.opened == 0 && !is_timed(connections)) {
        return;
    }
    heading(page, 2, "Connections");
    line(
        page,
        "Opening connections is timed step by step and is no part of any time above. Counts are \
         over all slices. The first answer's first byte is counted once a connection, from the \
         write of its first request, and may take longer than with later ones. \
         Names are looked up once, before the run, so that DNS is a single observation.",
    );
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "opened",
            "reused",
            "closed by Tenbin",
            "closed by server",
            "refused",
            "reset",
            "DNS (once)",
            "connect p50",
            "connect p99",
            "TLS p50",
            "TLS p99",
            "first answer's first byte p50",
            "first answer's first byte p99",
        ],
    );
    for (result, connections) in known() {
        let mut row = vec![for_markdown(&result.workload), for_markdown(&result.target)];
        let counts = [
            connections.opened,
            connections.reused,
            connections.closed_by_client,
            connections.closed_by_server,
            connections.refused,
            connections.reset,
        ];
        row.extend(counts.map(count));
        let lookup = name_lookup(document, &result.target);
        row.push(lookup.unwrap_or_else(|| UNKNOWN.to_owned()));
        for (_, step) in steps(connections) {
            match step {
                Some(step) => row.extend([step.p50, step.p99].map(|f| TIME.with_interval(f))),
                None => row.extend([NOT_TIMED; 2].map(str::to_owned)),
            }
        }
        table.row(&row);
    }
}
