//! Writes drnbench's report on a terminal.

use std::fmt::Write as _;

use tenbin_record::RecordedSample;
use tenbin_result::Document;
use tenbin_result::format::{percent, plural, ratio};

use super::result_file::float;
use super::sweep::{NANOS, Step, Sweep};
use crate::escape::for_terminal;
use crate::foreign::last_lines;

/// The requests that the report lists for each step.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<'a> {
    /// Number of slowest requests listed.
    pub slow: usize,
    /// Number of fastest requests listed.
    pub fast: usize,
    /// URL of each host, as `http://host:port/`.
    pub urls: &'a [String],
}

/// Writes drnbench's report on every step, then the findings, then the verdict.
pub fn text(sweep: &Sweep, listed: &Listed<'_>, document: &Document) -> String {
    let mut text = String::new();
    for step in &sweep.steps {
        report(&mut text, step, listed);
    }
    not_observed(&mut text, sweep);
    text.push_str(&last_lines(document));
    text
}

/// Says how to observe the server's cache hits and CPU use, each only if unknown in at least one
/// step. The benchmark tutorial of Droonga, the search engine that drnbench was written for, checks
/// every step with these figures.
pub(super) fn not_observed(text: &mut String, sweep: &Sweep) {
    let steps = || sweep.steps.iter();
    let mut say = |what: &str, how: &str| {
        let _ = writeln!(text, "{what} not observed in every step: {how}");
    };
    if steps().any(|step| step.cache_hits().is_none()) {
        say(
            "Cache hits were",
            "name the page that reports them with --cache-counters groonga, droonga, opensearch \
             or a path",
        );
    }
    if steps().any(|step| step.busy_cores().is_none()) {
        say(
            "The CPU of the server was",
            "name its processes with --observe port:N, pid:N or name:PROGRAM, or run tenbin \
             observe on its machine and add --observe tenbin:URL",
        );
    }
}

/// Writes the figures of one step, and the requests that are listed for it.
pub(super) fn report(text: &mut String, step: &Step, listed: &Listed<'_>) {
    let clients = step.clients;
    let unknown = || "unknown".to_owned();
    let number = |value: Option<f64>| value.map_or_else(unknown, float);
    let ending = if clients == 1 { "" } else { "s" };
    let _ = writeln!(text, "{clients} client{ending}:");
    let rate = number(step.per_second());
    let _ = writeln!(
        text,
        "Total requests: {} ({rate} queries per second)",
        step.total
    );
    text.push_str("Status:\n");
    let mut shares: Vec<(u16, f64)> = step
        .statuses
        .keys()
        .filter_map(|status| Some((*status, step.percentage(*status)?)))
        .collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (status, share) in shares {
        let _ = writeln!(text, "  {status}: {} %", float(share));
    }
    text.push_str("Elapsed time:\n");
    let _ = writeln!(text, "  min:     {} sec", number(step.min));
    let _ = writeln!(text, "  max:     {} sec", number(step.max));
    let _ = writeln!(text, "  average: {} sec", number(step.average()));
    let little = step.little().map_or_else(unknown, ratio);
    let _ = writeln!(
        text,
        "Little's law: {little} (queries per second times average and wait, over clients; 1 is \
         right)"
    );
    let hits = step.cache_hits().map_or_else(
        || "not observed".to_owned(),
        |(share, lookups)| format!("{} of {}", percent(share), plural(lookups, "lookup")),
    );
    let _ = writeln!(text, "Cache hits of the server: {hits}");
    let cpu = step.busy_cores().map_or_else(
        || "not observed".to_owned(),
        |cores| format!("{} (100 % is one core)", percent(cores)),
    );
    let _ = writeln!(text, "CPU of the server: {cpu}");
    singles(text, "slow", &step.slowest, listed.slow, listed.urls);
    singles(text, "fast", &step.fastest, listed.fast, listed.urls);
    text.push('\n');
}

/// Writes the first `most` of the requests `all`.
pub(super) fn singles(
    text: &mut String,
    word: &str,
    all: &[RecordedSample],
    most: usize,
    urls: &[String],
) {
    if most == 0 {
        return;
    }
    let _ = writeln!(text, "Top {most} {word} requests:");
    text.push_str(" [time: method status index url]\n");
    for single in all.iter().take(most) {
        let (method, path) = single
            .request
            .split_once(' ')
            .unwrap_or(("", &single.request));
        let status = match single.status {
            Some(status) => status.to_string(),
            None => "0(aborted)".to_owned(),
        };
        let index = single
            .number
            .map_or("-".to_owned(), |number| number.to_string());
        let named = single.host.as_ref().map(|host| format!("http://{host}"));
        let only = || urls.first().map(|url| url.trim_end_matches('/').to_owned());
        let host = named.or_else(only).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:.6} sec: {} {status} {index} {}{}",
            single.ns as f64 / NANOS,
            for_terminal(method),
            for_terminal(&host),
            for_terminal(path)
        );
    }
}
