//! What an operation cost either side.

use super::{Rows, heading, line};
use crate::cost::{
    ABOUT_GROUPS, ABOUT_WHOLE_HOST, by_program, company, covered, has_rows, is_of_host, memory,
    named, plain,
};
use crate::document::Document;
use crate::escape::for_markdown;
use crate::words::{BYTES, SHARE, TIME};

pub(super) fn cost(page: &mut String, document: &Document) {
    of_servers(page, document);
    of_groups(page, document);
    of_generator(page, document);
}

fn of_servers(page: &mut String, document: &Document) {
    heading(page, 2, "Cost of the server");
    if !document.results.iter().any(has_rows) {
        line(
            page,
            "Unknown: no target was observed. Tenbin observes the targets that it launches; \
             `--observe` (in a plan `observe`) names the processes of other targets.",
        );
        left_out(page, document);
        return;
    }
    line(
        page,
        "Memory at start and end was looked at once, its peak about once a second. What is \
         written may still lie in the kernel's memory when a slice ends, and be written in a later \
         one.",
    );
    if document.results.iter().any(is_of_host) {
        line(page, "");
        let mut about = ABOUT_WHOLE_HOST.to_owned();
        about[..1].make_ascii_uppercase();
        line(page, &format!("{about}."));
    }
    left_out(page, document);
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "CPU per operation",
            "operations per core-second",
            "memory at start",
            "peak memory",
            "memory at end",
            "bytes read per operation",
            "bytes written per operation",
            "bytes written per byte stored",
            "waits per operation",
            "lost cores per operation",
        ],
    );
    for result in &document.results {
        table.row(&[
            for_markdown(&result.workload),
            for_markdown(&named(result)),
            TIME.with_interval(result.server_cpu),
            plain(result.per_core_second),
            memory(result.rss_start_bytes),
            memory(result.peak_rss_bytes),
            memory(result.rss_end_bytes),
            BYTES.with_interval(result.read_bytes),
            BYTES.with_interval(result.written_bytes),
            plain(result.written_per_stored),
            plain(result.voluntary_switches),
            plain(result.involuntary_switches),
        ]);
        for (name, process) in by_program(result) {
            let mut row: [String; 12] = Default::default();
            row[0] = for_markdown(&result.workload);
            row[1] = format!("{}: {}", for_markdown(&result.target), for_markdown(&name));
            row[2] = TIME.with_interval(process.cpu);
            row[5] = memory(process.rss_bytes);
            table.row(&row);
        }
    }
}

/// What the figures of each target leave out.
fn left_out(page: &mut String, document: &Document) {
    let mut told: Vec<String> = Vec::new();
    for about in document
        .results
        .iter()
        .filter_map(|result| covered(document, result))
    {
        if !told.contains(&about) {
            let mut sentence = about.clone();
            sentence[..1].make_ascii_uppercase();
            line(page, "");
            line(page, &format!("{}.", for_markdown(&sentence)));
            told.push(about);
        }
    }
}

fn of_groups(page: &mut String, document: &Document) {
    let known = document
        .results
        .iter()
        .filter_map(|result| Some((result, result.group.as_ref()?)));
    let mut known = known.peekable();
    if known.peek().is_none() {
        return;
    }
    heading(page, 3, "Control groups");
    let mut about = ABOUT_GROUPS.to_owned();
    about[..1].make_ascii_uppercase();
    line(page, &format!("{about}."));
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "shared with",
            "CPU per operation",
            "memory at end",
            "peak memory",
            "stopped by its quota",
            "bytes read per operation",
            "bytes written per operation",
        ],
    );
    for (result, group) in known {
        table.row(&[
            for_markdown(&result.workload),
            for_markdown(&result.target),
            company(group.alone).to_owned(),
            TIME.with_interval(group.cpu),
            memory(group.memory_bytes),
            memory(group.memory_peak_bytes),
            SHARE.with_interval(group.throttled),
            BYTES.with_interval(group.read_bytes),
            BYTES.with_interval(group.written_bytes),
        ]);
    }
}

fn of_generator(page: &mut String, document: &Document) {
    heading(page, 2, "Cost of the generator");
    line(
        page,
        "The generator is Tenbin itself: what it used says nothing about the memory or the CPU of \
         a server.",
    );
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "workload",
            "target",
            "CPU per operation",
            "bytes allocated per operation",
            "allocations per operation",
            "busiest thread",
        ],
    );
    for result in &document.results {
        table.row(&[
            for_markdown(&result.workload),
            for_markdown(&result.target),
            TIME.with_interval(result.client_cpu),
            BYTES.with_interval(result.client_allocated_bytes),
            plain(result.client_allocations),
            SHARE.with_interval(result.client_busiest_thread),
        ]);
    }
}
