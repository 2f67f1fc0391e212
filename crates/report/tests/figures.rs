//! Checks that each figure of a run has the same value wherever it is printed.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[allow(dead_code, reason = "made for all tests")]
mod made_up;

use made_up::{Run, screen, terminal};
use tenbin_plan::{Bound, Demand, Expectation, Figure as ExpectedFigure, Relation};
use tenbin_report::formats::format;
use tenbin_result::format::{is_factor, points};
use tenbin_result::{Comparison, Document, ResultOf};

/// The suite with its ramp, with the second target as the baseline. On `memory`, the machine is
/// slower in a few rounds, so that medians of columns differ from ratios paired by round, and one
/// slice contains most of the slow requests.
fn run() -> Run {
    let mut run = made_up::suite();
    run.plan.comparing.baseline = 1;
    run.plan.comparing.expect = vec![Expectation {
        demand: Demand::Expect,
        target: None,
        workload: None,
        figure: ExpectedFigure::Throughput,
        relation: Relation::Above,
        bound: Bound::Baseline(1.0),
    }];
    for slice in &mut run.slices {
        let slow = match (slice.target.as_str(), slice.round) {
            ("memory", 9..) => 0.6,
            ("durable", 0..7) => 0.8,
            _ => 1.0,
        };
        for op in &mut slice.ops {
            op.counts.ok = (op.counts.ok as f64 * slow) as u64;
            op.statuses = [(200, op.counts.ok)].into();
        }
        if slice.target == "memory" && slice.round == 4 {
            let op = &mut slice.ops[0];
            op.times
                .service
                .record_n(2_000_000_000, op.counts.ok / 5)
                .unwrap();
            op.times.response.clone_from(&op.times.service);
        }
    }
    run
}

fn exported(document: &Document, name: &str) -> String {
    String::from_utf8(format(name).unwrap().bytes(document)).unwrap()
}

/// The number at the start of a text, in the base unit: `4.11 k/s ±0.5 %`, `876 µs`, `4,006
/// (3,968–4,023)`.
fn number(text: &str) -> f64 {
    let text = text.trim().trim_start_matches("**");
    let end = text.find(|c: char| !(c.is_ascii_digit() || ",.".contains(c)));
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let value: f64 = digits
        .replace(',', "")
        .parse()
        .unwrap_or_else(|_| panic!("{text:?}"));
    let unit = rest
        .trim_start()
        .split([' ', '('])
        .next()
        .unwrap_or_default();
    let scale = match unit {
        "k/s" => 1e3,
        "M/s" => 1e6,
        "ns" => 1e-9,
        "µs" => 1e-6,
        "ms" => 1e-3,
        _ => 1.0,
    };
    value * scale
}

#[track_caller]
fn expect_same(found: f64, figure: f64, what: &str) {
    // Three significant digits.
    assert!(
        (found / figure - 1.0).abs() < 0.006,
        "{what}: {found} is not {figure}"
    );
}

/// The cells of a terminal table that follows `above`, with the header first. A name shared with
/// the row above is printed only once.
fn rows<'t>(text: &'t str, above: &str) -> Vec<Vec<&'t str>> {
    let begin = text.find(above).unwrap() + above.len();
    let table = text[begin..].trim_start().split("\n\n").next().unwrap();
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in table.lines() {
        let mut cells: Vec<&str> = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect();
        if line.starts_with(' ') {
            cells.insert(0, rows.last().unwrap()[0]);
        }
        rows.push(cells);
    }
    rows
}

fn result_of(document: &Document, workload: &str, target: &str) -> ResultOf {
    let mut results = document.results_of(workload);
    let found = results.find(|result| result.target == target);
    found.unwrap().clone()
}

fn primary(document: &Document) -> impl Iterator<Item = &Comparison> {
    document.comparisons.iter().filter(|each| each.primary)
}

#[test]
fn the_table_of_the_terminal_has_the_figures_of_the_document() {
    let document = run().document();
    let text = screen(&document, 220, false);
    let main = rows(&text, "interleaved · equivalence margin ±5 %");
    for result in &document.results {
        if result.work().count() > 1 {
            continue;
        }
        let (workload, target) = (&result.workload, &result.target);
        let (table, row) = match workload.strip_prefix("get-1MB-c") {
            None => {
                let mut all = main.iter();
                let row = all.find(|row| row[0] == workload && row[1] == target);
                (main.clone(), row.unwrap().clone())
            }
            Some(level) => {
                let table = rows(&text, &format!("\n{target} at get-1MB\n"));
                let named = |row: &&Vec<&str>| row[0].split(' ').next() == Some(level);
                let row = table.iter().find(named).unwrap().clone();
                (table, row)
            }
        };
        let column = |name: &str| table[0].iter().position(|head| *head == name).unwrap();
        let operation = result.work().next().unwrap();
        let what = format!("{workload} of {target}");
        for (name, figure) in [
            ("throughput", result.throughput),
            ("p50", operation.p50),
            ("p99", operation.p99),
        ] {
            let shown = number(row[column(name)]);
            expect_same(shown, figure.unwrap().value, &format!("{name} at {what}"));
        }
    }
}

#[test]
fn the_pages_files_and_charts_have_them_too() {
    let run = run();
    let document = run.document();
    let page = exported(&document, "markdown");
    let of = |workload: &str, target: &str| result_of(&document, workload, target);

    // SUMMARY.md: the tables over all workloads.
    let throughput = page.split_once("### Throughput (ops/s)").unwrap().1;
    let row = throughput
        .lines()
        .find(|line| line.starts_with("| ListObjectsV2"))
        .unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    for (cell, target) in cells[2..].iter().zip(["memory", "durable"]) {
        let figure = of("list-1000", target).throughput.unwrap();
        expect_same(number(cell), figure.value, "throughput in SUMMARY.md");
    }

    // ramp.csv and drnbench's file must match digit by digit.
    let csv = exported(&document, "ramp");
    let parts = run.written("drnbench").unwrap();
    let mut levels = 0;
    for row in csv.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let (target, workload) = (cells[1], cells[2]);
        let result = of(workload, target);
        let operation = result.work().next().unwrap();
        for (column, figure) in [
            (4, result.throughput),
            (10, operation.p50),
            (13, operation.p90),
            (16, operation.p99),
        ] {
            assert_eq!(
                cells[column].parse::<f64>().unwrap(),
                figure.unwrap().value,
                "{row}"
            );
        }
        let name = format!("{target}-get-1MB");
        let part = parts.iter().find(|part| part.name == name).unwrap();
        let file = std::str::from_utf8(&part.content).unwrap();
        let begin = format!("{},", cells[3]);
        let step = file
            .lines()
            .skip(1)
            .find(|line| line.starts_with(&begin))
            .unwrap();
        let rate: f64 = step.split(',').nth(2).unwrap().parse().unwrap();
        assert!(
            (rate / result.throughput.unwrap().value - 1.0).abs() < 1e-9,
            "{step}"
        );
        levels += 1;
    }
    assert_eq!(levels, 6);

    // The points of the chart must lie on a line when plotted against the figures of the levels.
    let chart = exported(&document, "ramp-throughput");
    let heights: Vec<f64> = chart
        .lines()
        .filter(|line| line.contains("><title>"))
        .map(|line| {
            let (_, place) = line.split_once("translate(").unwrap();
            let (place, _) = place.split_once(')').unwrap();
            place.split_once(' ').unwrap().1
        })
        .map(|height| height.parse().unwrap())
        .collect();
    let figures: Vec<f64> = document
        .concurrency_sweeps
        .iter()
        .flat_map(|sweep| &sweep.levels)
        .map(|level| level.throughput.unwrap().value)
        .collect();
    assert_eq!(heights.len(), figures.len(), "{chart}");
    let slope = (heights[1] - heights[0]) / (figures[1] - figures[0]);
    for (height, figure) in heights.iter().zip(&figures) {
        let expected = heights[0] + slope * (figure - figures[0]);
        assert!(
            (height - expected).abs() < 1.0,
            "{height} {expected}: {figure}"
        );
    }
}

#[test]
fn a_ratio_is_the_same_in_tables_sentences_and_expectations() {
    let document = run().document();
    let (text, page) = (
        terminal(&document, 400, false),
        exported(&document, "markdown"),
    );
    for comparison in primary(&document) {
        let ratio = comparison.ratio.unwrap();
        let interval = ratio.interval.unwrap();
        let shown = format!("{:.3}", ratio.value);
        let ends = format!("{:.3}–{:.3}", interval.low, interval.high);
        let (change, ends_of_change) = if is_factor(ratio.value) {
            (format!("× {shown}"), ends.clone())
        } else {
            let points = [ratio.value, interval.low, interval.high].map(points);
            let [change, low, high] = points;
            (format!("{change} %"), format!("{low} … {high} %"))
        };
        for part in [change, ends_of_change] {
            assert!(
                comparison.sentence.contains(&part),
                "{part}: {comparison:?}"
            );
        }
        let mut expectations = document.expectations.iter();
        let expected = expectations
            .find(|each| each.workload == comparison.workload)
            .unwrap();
        assert_eq!(expected.figure, Some(ratio));
        let place = format!("{shown} | {ends}");
        assert!(page.contains(&place), "{place} in SUMMARY.md");
        let mut rows = text
            .lines()
            .filter(|line| line.contains(&shown) && line.contains(&ends));
        assert!(rows.next().is_some(), "{shown} {ends}");
    }
}

/// The median of ratios differs from the ratio of medians.
#[test]
fn a_ratio_that_is_not_the_quotient_of_the_columns_says_so() {
    let document = run().document();
    let comparison = primary(&document).next().unwrap();
    let of = |target: &str| {
        let mut results = document.results_of(&comparison.workload);
        let result = results.find(|result| result.target == target).unwrap();
        result.throughput.unwrap().value
    };
    let quotient = of(&comparison.challenger) / of(&comparison.baseline);
    let ratio = comparison.ratio.unwrap().value;
    assert!((ratio / quotient).ln().abs() > 0.02, "{ratio} {quotient}");
    let told = format!("throughput of memory ÷ durable {ratio:.3}, by the columns {quotient:.3}");
    let text = terminal(&document, 2_000, false);
    assert!(text.contains(&told), "{told} in {text}");
    assert!(text.contains("paired by round"));
    let page = exported(&document, "markdown");
    assert!(page.contains(&told), "{told}");

    let even = made_up::pair().document();
    assert!(!terminal(&even, 2_000, false).contains("paired by round"));
}

/// Most requests are fast and a third is slow: the median is short, but the mean is long and the
/// throughput low.
#[test]
fn a_median_that_the_throughput_denies_names_both_winners() {
    let mut run = made_up::suite();
    for slice in &mut run.slices {
        if slice.workload == "list-1000" && slice.target == "durable" {
            let op = &mut slice.ops[0];
            let mean =
                slice.head.connections as f64 * slice.end.seconds / op.counts.ok as f64 * 1e9;
            op.times.service.clear();
            for (factor, percent) in [(0.3, 70), (2.633, 30)] {
                let count = op.counts.ok * percent / 100;
                op.times
                    .service
                    .record_n((mean * factor) as u64, count)
                    .unwrap();
            }
            op.times.response.clone_from(&op.times.service);
        }
    }
    let page = exported(&run.document(), "markdown");
    let latency = page.split_once("### Median latency").unwrap().1;
    let mut rows = latency.lines();
    let row = rows
        .find(|line| line.starts_with("| ListObjectsV2"))
        .unwrap();
    assert!(
        row.contains("durable by the median, memory by throughput"),
        "{row}"
    );
}

#[test]
fn a_finding_has_the_percentile_of_the_table() {
    let document = run().document();
    let mut findings = document.findings.iter();
    let stalls = findings.find(|finding| finding.rule == "stalls").unwrap();
    let phrase = ": p99 is ";
    let told = number(stalls.evidence.split_once(phrase).unwrap().1);
    let workload = stalls.workload.as_deref().unwrap();
    let mut results = document.results_of(workload);
    let result = results.find(|result| result.target == "memory").unwrap();
    let mut figures = result.work().map(|operation| operation.p99.unwrap().value);
    expect_same(told, figures.next().unwrap(), &stalls.evidence);
}

/// The percentages in a text, as printed.
fn percentages(text: &str) -> Vec<&str> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let before = text.match_indices(" %").map(|(at, _)| &text[..at]);
    let numbers = before.filter_map(|before| before.rsplit(|c| !is_number(c)).next());
    let numbers = numbers.filter(|number| number.parse::<f64>().is_ok());
    numbers.collect()
}

/// The relative uncertainty of the figures of a result: the longer side of each interval, in
/// percent.
fn spreads(result: &ResultOf) -> Vec<f64> {
    let of_operations = result
        .work()
        .flat_map(|work| [work.p50, work.p90, work.p99]);
    let figures = of_operations.chain([result.throughput]).flatten();
    let spreads = figures.filter_map(|figure| {
        let interval = figure.interval?;
        let longer = (figure.value - interval.low).max(interval.high - figure.value);
        Some(longer / figure.value * 100.0)
    });
    spreads.collect()
}

#[test]
fn a_percentage_has_the_same_text_in_findings_and_tables() {
    let mut uneven = made_up::single();
    for (at, slice) in uneven.slices.iter_mut().enumerate() {
        let op = &mut slice.ops[0];
        let count = op.counts.ok;
        op.times.service.clear();
        op.times
            .service
            .record_n(200_000 + 137_000 * at as u64, count)
            .unwrap();
        op.times.response.clone_from(&op.times.service);
    }
    let runs = [
        uneven,
        run(),
        made_up::pair(),
        made_up::telling(),
        made_up::three(),
        made_up::invalid(),
        made_up::reconnecting(),
        made_up::multipart(),
    ];
    let mut compared = 0;
    for run in &runs {
        let document = run.document();
        let text = terminal(&document, 2_000, false);
        let spreads: Vec<f64> = document.results.iter().flat_map(spreads).collect();
        for finding in &document.findings {
            for told in percentages(&finding.evidence) {
                let is_this = |spread: &&f64| format!("{spread:.1}") == told;
                if spreads.iter().any(|spread| is_this(&spread)) {
                    let shown = format!("±{told} %");
                    assert!(
                        text.contains(&shown),
                        "{shown} of {} in {text}",
                        finding.evidence
                    );
                    compared += 1;
                }
            }
        }
        let wide = document
            .findings
            .iter()
            .find(|finding| finding.rule == "too_wide");
        let told = wide.and_then(|wide| wide.evidence.split_once("is known to ± "));
        if let Some((told, _)) = told.and_then(|(_, told)| told.split_once(" only")) {
            assert!(text.contains(&format!("±{told}")), "±{told} in {text}");
        }
    }
    assert!(compared > 0, "no finding has the spread of a figure");
}

/// `benchstat -col /target` compares with the target whose lines come first.
#[test]
fn the_baseline_of_the_run_comes_first_for_benchstat() {
    let mut run = made_up::suite();
    run.plan.comparing.baseline = 1;
    let document = run.document();
    let text = exported(&document, "go");
    for workload in ["get-1MB-c1", "list-1000"] {
        let result = document.results_of(workload);
        assert!(result.count() > 0);
    }
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("Benchmark"))
        .collect();
    assert!(lines[0].contains("/target=durable/"), "{}", lines[0]);
    let mut names: Vec<&str> = Vec::new();
    for line in &lines {
        let name = line.split("/target=").next().unwrap();
        if !names.contains(&name) {
            names.push(name);
            assert!(line.contains("/target=durable/"), "{line}");
        }
    }
    assert!(names.len() > 1);
}
