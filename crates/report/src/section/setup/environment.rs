//! The section on the machine and the software versions.

use tenbin_result::Document;
use tenbin_result::format::{BYTES, TIME, UNKNOWN, count};

use crate::block::{Block, Cell, Table};

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let here = &document.environment;
    let whole = |n: Option<u64>| n.map(count);
    let rows = [
        ("host", here.hostname.clone()),
        ("platform", here.platform.clone()),
        ("kernel", here.kernel.clone()),
        ("CPU", here.cpu_model.clone()),
        ("cores", whole(here.cores)),
        (
            "memory",
            here.memory_bytes.map(|bytes| BYTES.of(bytes as f64)),
        ),
        ("frequency governor", here.governor.clone()),
        ("open file limit", whole(here.nofile_limit)),
        ("clock", here.clock_source.clone()),
        (
            "cost of reading the clock",
            here.clock_call_ns.map(|ns| TIME.of(ns / 1e9)),
        ),
        ("tenbin", here.tenbin_version.clone()),
        ("built with", here.rustc_version.clone()),
    ];
    let log = here.request_log.as_ref();
    let log = log.map_or_else(Vec::new, |log| {
        let missing = log.dropped + log.over_limit;
        vec![
            ("log of requests", Some(log.files.join(", "))),
            ("requests in the log", whole(Some(log.requests))),
            ("requests missing in the log", whole(Some(missing))),
        ]
    });
    let mut table = Table::new(1, ["", ""]);
    for (name, value) in rows.into_iter().chain(log) {
        table.push([
            name.into(),
            Cell::from(value.unwrap_or_else(|| UNKNOWN.to_owned())),
        ]);
    }
    table.block().into_iter().collect()
}
