//! The section on the cost of an operation for server and load generator.

use tenbin_result::Document;
use tenbin_result::format::{BYTES, SHARE, TIME};

use crate::block::{Block, Cell, Table};
use crate::cost::{
    ABOUT_GROUPS, ABOUT_WHOLE_HOST, by_program, company, covered, covers_whole_host, has_rows,
    memory, named,
};

/// Columns of the table of servers.
const SERVERS: [&str; 12] = [
    "workload", "target", "CPU/op", "ops/core-second", "RSS at start", "peak RSS", "RSS at end",
    "read/op", "written/op", "written/stored", "voluntary switches/op", "involuntary switches/op",
];
/// Index of the column for CPU time.
const CPU: usize = 2;
/// Index of the column for peak memory.
const PEAK: usize = 5;

pub(super) fn of_servers(document: &Document) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut table = Table::new(2, SERVERS);
    for result in document.results.iter().filter(|result| has_rows(result)) {
        table.push([
            result.workload.clone().into(),
            named(result).into(),
            Cell::Figure(TIME, result.server_cpu),
            Cell::Number(result.per_core_second),
            memory(result.rss_start_bytes).into(),
            memory(result.peak_rss_bytes).into(),
            memory(result.rss_end_bytes).into(),
            Cell::Figure(BYTES, result.read_bytes),
            Cell::Figure(BYTES, result.written_bytes),
            Cell::Number(result.written_per_stored),
            Cell::Number(result.voluntary_switches),
            Cell::Number(result.involuntary_switches),
        ]);
        for (name, process) in by_program(result) {
            let mut row = vec![Cell::empty(); SERVERS.len()];
            row[0] = result.workload.clone().into();
            row[1] = format!("{}: {name}", result.target).into();
            row[CPU] = Cell::Figure(TIME, process.cpu);
            row[PEAK] = memory(process.rss_bytes).into();
            table.push(row);
        }
    }
    match table.block() {
        None => blocks.push(Block::Paragraph(
            "Not measured: no target was observed. Tenbin observes the targets that it launches; \
             --observe (in a plan `observe`) names the processes of other targets."
                .into(),
        )),
        Some(table) => blocks.push(table),
    }
    let mut notes: Vec<String> = Vec::new();
    for about in document
        .results
        .iter()
        .filter_map(|result| covered(document, result))
    {
        if !notes.contains(&about) {
            notes.push(about);
        }
    }
    if document.results.iter().any(covers_whole_host) {
        notes.push(ABOUT_WHOLE_HOST.to_owned());
    }
    if document.results.iter().any(has_rows) {
        notes.push(
            "memory at start and end is one observation each, its peak about one per second; written \
            data may still be in the page cache when a slice ends, and then counts in a later \
            slice"
            .to_owned(),
        );
    }
    blocks.extend(Block::sentences(&notes));
    blocks.extend(of_groups(document));
    blocks
}

fn of_groups(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        2,
        [
            "workload", "target", "shared with", "CPU/op", "memory at end", "peak memory",
            "throttled", "read/op", "written/op",
        ],
    );
    for result in &document.results {
        let Some(group) = &result.group else { continue };
        table.push([
            result.workload.clone().into(),
            result.target.clone().into(),
            company(group.alone).into(),
            Cell::Figure(TIME, group.cpu),
            memory(group.memory_bytes).into(),
            memory(group.memory_peak_bytes).into(),
            Cell::Figure(SHARE, group.throttled),
            Cell::Figure(BYTES, group.read_bytes),
            Cell::Figure(BYTES, group.written_bytes),
        ]);
    }
    match table.block() {
        None => Vec::new(),
        Some(table) => vec![
            Block::heading("Control groups"),
            table,
            Block::sentence(ABOUT_GROUPS),
        ],
    }
}

pub(super) fn of_generator(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        2,
        [
            "workload", "target", "CPU/op", "allocated/op", "allocations/op", "busiest thread",
        ],
    );
    for result in &document.results {
        table.push([
            result.workload.clone().into(),
            result.target.clone().into(),
            Cell::Figure(TIME, result.client_cpu),
            Cell::Figure(BYTES, result.client_allocated_bytes),
            Cell::Number(result.client_allocations),
            Cell::Figure(SHARE, result.client_busiest_thread),
        ]);
    }
    let about = "Resource use of Tenbin itself, not of a server.";
    let mut blocks = vec![Block::Paragraph(about.into())];
    blocks.extend(table.block());
    blocks
}
