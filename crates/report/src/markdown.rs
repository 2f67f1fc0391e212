//! `SUMMARY.md`: the report, to be read on GitHub or published.

mod asked;
mod capacity;
mod connections;
mod cost;
mod earlier;
mod nodes;
mod operations;
mod single;
mod stages;
mod suite;

use std::fmt::Write as _;

use crate::asked::schedule;
use crate::document::{Comparison, Document, Finding, OperationResult, Severity, Trust, Workload};
use crate::escape::{as_code, for_markdown};
use crate::flagged::flagged;
use crate::paired::paired;
use crate::terminal::verdict_word;
use crate::words::{
    BYTES, RATE, SHARE, TIME, UNKNOWN, count, digits, errors, intervals_together, plural, ratio,
    ratio_interval, trust, trust_meaning,
};

/// The whole page.
pub(crate) fn summary(document: &Document) -> String {
    let mut page = String::new();
    head(&mut page, document);
    let of_objects = suite::is_for(document);
    if of_objects {
        environment(&mut page, document);
        suite::overview(&mut page, document);
    }
    earlier::earlier(&mut page, document);
    asked::asked(&mut page, document);
    for workload in &document.workloads {
        results(&mut page, document, workload);
    }
    nodes::nodes(&mut page, document);
    capacity::capacities(&mut page, document);
    capacity::searches(&mut page, document);
    findings(&mut page, &document.findings);
    operations::operations(&mut page, document);
    connections::hosts(&mut page, document);
    connections::connections(&mut page, document);
    stages::stages(&mut page, document);
    single::singles(&mut page, document);
    cost::cost(&mut page, document);
    plan(&mut page, document);
    if !of_objects {
        environment(&mut page, document);
    }
    slices(&mut page, document);
    if of_objects {
        suite::raw(&mut page, document);
    }
    page
}

fn head(page: &mut String, document: &Document) {
    let run = &document.run;
    line(page, &format!("# {}", for_markdown(&run.name)));
    line(page, "");
    let incomplete = if run.complete {
        ""
    } else {
        " The run is incomplete."
    };
    let meaning = match document.trust {
        Trust::Valid if !document.findings.is_empty() => "the findings are worth knowing",
        other => trust_meaning(other),
    };
    line(
        page,
        &match document.only_ratios() {
            None => format!("**{}**: {meaning}.{incomplete}", trust(document.trust)),
            Some(because) => format!(
                "Ratio: **{}**: {meaning}.{incomplete} Absolute figures: **SUSPECT** because {}.",
                trust(document.trust),
                for_markdown(&because)
            ),
        },
    );
    line(page, "");
    for verdict in &document.verdicts {
        line(page, &format!("- {}.", for_markdown(verdict)));
    }
    line(page, "");
    line(
        page,
        &format!(
            "Run {}, begun {}. Ranges are intervals with at least 95 % confidence; a figure \
             without enough observations for one says so. `max` is the largest time of the \
             whole run: an extreme, which has no interval.{}",
            as_code(&run.id),
            run.started,
            intervals_together(document)
                .map_or_else(String::new, |together| format!(" {together}."))
        ),
    );
    asked::ended(page, document);
}

fn results(page: &mut String, document: &Document, workload: &Workload) {
    heading(page, 2, &for_markdown(&workload.name));
    line(
        page,
        &format!(
            "{}, {}.",
            for_markdown(&workload.description),
            for_markdown(&workload.load)
        ),
    );
    line(page, "");
    if document.is_unmeasured(&workload.name) {
        line(page, "Not measured: the run ended before.");
        return;
    }
    let mut table = Rows::new(
        page,
        &["target", "throughput", "p50", "p90", "p99", "max", "errors"],
    );
    for result in document.results_of(&workload.name) {
        let work: Vec<&OperationResult> = result.work().collect();
        let times = match work.as_slice() {
            [operation] => times_of(operation),
            [] => [UNKNOWN; 4].map(str::to_owned),
            _ => ["by operation below"; 4].map(str::to_owned),
        };
        let [p50, p90, p99, max] = times;
        table.row(&[
            for_markdown(&result.target),
            RATE.with_interval(result.throughput),
            p50,
            p90,
            p99,
            max,
            errors(result.failed, result.ok),
        ]);
    }
    comparisons(page, document, workload);
}

fn comparisons(page: &mut String, document: &Document, workload: &Workload) {
    let mut is_shown = false;
    let with_others = document.comparisons_with_workloads(&workload.name);
    let of_targets = document.comparisons_of(&workload.name);
    let mut comparisons = of_targets
        .map(|comparison| (comparison, String::new()))
        .chain(with_others.map(|c| (c, format!(" on {}", for_markdown(&c.workload)))))
        .peekable();
    if comparisons.peek().is_none() {
        return;
    }
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "compared by",
            "ratio",
            "interval",
            "verdict",
            "winner",
            "p, corrected where it decides",
        ],
    );
    for (comparison, place) in comparisons {
        let by = format!(
            "{}, {} ÷ {}{place}",
            comparison.metric_phrase,
            for_markdown(&comparison.challenger),
            for_markdown(&comparison.baseline)
        );
        table.row(&[
            if comparison.primary && comparison.level_of.is_none() {
                format!("**{by}** (decides)")
            } else {
                by
            },
            comparison
                .ratio
                .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value)),
            ratio_interval(comparison.ratio),
            verdict_word(comparison).to_owned(),
            winner(comparison).map_or_else(|| "none".to_owned(), for_markdown),
            comparison
                .adjusted_p
                .or(comparison.p)
                .map_or_else(|| UNKNOWN.to_owned(), digits),
        ]);
        if let Some(without) = comparison.without_flagged {
            let [verdict, winner, p] = ["", "", ""].map(str::to_owned);
            let by = format!("{} without flagged slices", comparison.metric_phrase);
            let (value, interval) = (ratio(without.value), ratio_interval(Some(without)));
            table.row(&[by, value, interval, verdict, winner, p]);
            is_shown = true;
        }
    }
    let flagged = flagged(document, &workload.name).filter(|_| is_shown);
    let paired = paired(document, document.comparisons_of(&workload.name));
    for told in flagged.into_iter().chain(paired) {
        line(page, "");
        line(page, &format!("{}.", for_markdown(&told)));
    }
}

/// The better side, when the verdict has one.
fn winner(comparison: &Comparison) -> Option<&str> {
    match verdict_word(comparison) {
        "faster" | "cheaper" => Some(&comparison.challenger),
        "slower" | "dearer" => Some(&comparison.baseline),
        _ => None,
    }
}

fn findings(page: &mut String, findings: &[Finding]) {
    heading(page, 2, "Findings");
    if findings.is_empty() {
        line(page, "None.");
        return;
    }
    let mut table = Rows::new(
        page,
        &["severity", "rule", "about", "blame", "evidence", "advice"],
    );
    for finding in findings {
        let about: Vec<String> = [&finding.workload, &finding.target]
            .into_iter()
            .flatten()
            .map(|name| for_markdown(name))
            .collect();
        table.row(&[
            severity(finding.severity).to_owned(),
            as_code(&finding.rule),
            if about.is_empty() {
                "the run".to_owned()
            } else {
                about.join(", ")
            },
            finding.blame.clone(),
            for_markdown(&finding.evidence),
            for_markdown(&finding.advice),
        ]);
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Suspect => "**suspect**",
        Severity::Invalid => "**invalid**",
    }
}

/// p50, p90, p99, max.
fn times_of(operation: &OperationResult) -> [String; 4] {
    let [p50, p90, p99] =
        [operation.p50, operation.p90, operation.p99].map(|figure| TIME.with_interval(figure));
    [p50, p90, p99, TIME.maybe(operation.max)]
}

fn tally<K: ToString>(counts: &std::collections::BTreeMap<K, u64>) -> String {
    if counts.is_empty() {
        return "none".to_owned();
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(key, n)| format!("{}: {}", for_markdown(&key.to_string()), count(*n)))
        .collect();
    parts.join(", ")
}

fn plan(page: &mut String, document: &Document) {
    heading(page, 2, "Plan");
    let run = &document.run;
    line(
        page,
        &format!(
            "{} for each target and workload, {} s of warm-up, {}, seed {}. \
             `plan.toml` beside this file repeats the run.",
            schedule(document),
            run.warmup_seconds,
            plural(run.threads, "generator thread"),
            run.seed
        ),
    );
    line(page, "");
    let mut table = Rows::new(page, &["target", "what", "version", "server header"]);
    for target in &document.targets {
        let known = document.environment.targets.get(&target.name);
        let code = |text: Option<&String>| text.map_or_else(|| UNKNOWN.to_owned(), |t| as_code(t));
        table.row(&[
            for_markdown(&target.name),
            as_code(&target.description),
            code(known.and_then(|known| known.version.as_ref())),
            code(known.and_then(|known| known.server_header.as_ref())),
        ]);
    }
}

fn environment(page: &mut String, document: &Document) {
    heading(page, 2, "Environment");
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
        ("open files allowed", whole(here.nofile_limit)),
        ("clock", here.clock_source.clone()),
        (
            "one clock reading",
            here.clock_call_ns.map(|ns| TIME.of(ns / 1e9)),
        ),
        ("tenbin", here.tenbin_version.clone()),
        ("built with", here.rustc_version.clone()),
    ];
    let mut table = Rows::new(page, &["", ""]);
    for (name, value) in rows {
        table.row(&[
            name.to_owned(),
            value.map_or_else(|| UNKNOWN.to_owned(), |value| for_markdown(&value)),
        ]);
    }
}

fn slices(page: &mut String, document: &Document) {
    heading(page, 2, "Appendix: every slice");
    line(
        page,
        "Raw figures of single slices, in the order of the run. They have no intervals; the \
         tables above are made from them.",
    );
    line(page, "");
    let mut table = Rows::new(
        page,
        &[
            "slice",
            "block",
            "round",
            "workload",
            "target",
            "start",
            "length",
            "ok",
            "backlog",
            "failed",
            "throughput",
            "p50",
            "p99",
            "max",
            "server CPU",
            "server memory",
            "busiest thread",
            "whole",
        ],
    );
    for slice in &document.slices {
        table.row(&[
            slice.index.to_string(),
            slice.block.to_string(),
            slice.round.to_string(),
            for_markdown(&slice.workload),
            for_markdown(&slice.target),
            format!("{:.1} s", slice.start),
            format!("{:.3} s", slice.seconds),
            count(slice.ok),
            count(slice.backlog),
            count(slice.failed),
            RATE.maybe(slice.throughput),
            TIME.maybe(slice.p50),
            TIME.maybe(slice.p99),
            TIME.maybe(slice.max),
            TIME.maybe(slice.server_cpu),
            BYTES.maybe(slice.server_rss_bytes.map(|bytes| bytes as f64)),
            SHARE.of(slice.client_busiest_thread),
            if slice.cut_short { "cut short" } else { "yes" }.to_owned(),
        ]);
    }
}

fn heading(page: &mut String, level: usize, text: &str) {
    line(page, "");
    line(page, &format!("{} {text}", "#".repeat(level)));
    line(page, "");
}

fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

/// Rows of a table, written as they come. Cells must be escaped already.
struct Rows<'a> {
    page: &'a mut String,
}

impl<'a> Rows<'a> {
    fn new(page: &'a mut String, head: &[&str]) -> Self {
        let mut table = Self { page };
        table.row(
            &head
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect::<Vec<_>>(),
        );
        table.row(&vec!["---".to_owned(); head.len()]);
        table
    }

    fn row(&mut self, cells: &[String]) {
        let _ = writeln!(self.page, "| {} |", cells.join(" | "));
    }
}
