//! HdrHistogram's own program reads the interval log, and finds what the document says.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod installed;
#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use std::path::Path;
use std::process::Command;

use tenbin_result::{Document, ResultOf, SliceFigures};

/// Requests of a slice.
const REQUESTS: u64 = 30_000;

/// The PUTs of the pair in two quads, with a time of its own for each request.
fn run() -> made_up::Run {
    let mut run = made_up::pair();
    run.plan.workloads.truncate(1);
    run.plan.rounds.count = 4;
    run.slices.truncate(8);
    for slice in &mut run.slices {
        let scale = if slice.target == "durable" { 3.0 } else { 1.0 };
        let op = &mut slice.ops[0];
        op.counts.ok = REQUESTS;
        op.statuses = [(200, REQUESTS)].into();
        op.times.service.clear();
        for at in 0..REQUESTS {
            // Exponential times of at least 0.2 ms.
            let share = (at as f64 + 0.5) / REQUESTS as f64;
            let millis = 0.2 + scale * (1.0 + f64::from(slice.head.index) / 100.0) * -share.ln();
            // In steps of 20 µs: fewer different times take less of the time of this test.
            op.times
                .service
                .record((millis * 50.0) as u64 * 20_000)
                .unwrap();
        }
        op.times.response.clone_from(&op.times.service);
    }
    run
}

/// What `HistogramLogProcessor` writes for the histograms with a tag: a line of figures for each, then
/// the percentile distribution of all of them.
struct Processed {
    intervals: Vec<Interval>,
    distribution: String,
}

/// Times are in milliseconds. `all` has everything up to the end of the interval.
struct Interval {
    count: u64,
    p50: f64,
    max: f64,
    all: u64,
    all_at: [(f64, f64); 5],
}

fn processed(log: &Path, tag: &str) -> Processed {
    let output = log.with_file_name("processed");
    let java = |format: &[&str]| {
        let ran = Command::new("java")
            .arg("-cp")
            .arg(installed::hdr_histogram())
            .arg("org.HdrHistogram.HistogramLogProcessor")
            .arg("-i")
            .arg(log)
            .args(["-tag", tag])
            .args(format)
            .arg("-o")
            .arg(&output)
            .output()
            .expect("java, which `cargo xtask setup` installs");
        let said = [ran.stdout, ran.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(ran.status.success() && said.is_empty(), "{said}");
    };
    java(&["-csv"]);
    let table = std::fs::read_to_string(&output).unwrap();
    java(&[]);
    let distribution = std::fs::read_to_string(output.with_extension("hgrm")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with(['#', '"']));
    Processed {
        intervals: rows.map(interval).collect(),
        distribution,
    }
}

/// `"Timestamp","Int_Count","Int_50%","Int_90%","Int_Max","Total_Count","Total_50%", …`
fn interval(line: &str) -> Interval {
    let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(cells.len(), 12, "{line}");
    Interval {
        count: cells[1] as u64,
        p50: cells[2],
        max: cells[4],
        all: cells[5] as u64,
        all_at: [0.5, 0.9, 0.99, 0.999, 0.9999].map({
            let mut totals = cells[6..].iter();
            move |quantile| (quantile, *totals.next().unwrap())
        }),
    }
}

/// Java prints milliseconds with three decimals, or the end of the bucket with three digits.
fn is_near(millis: f64, seconds: f64) -> bool {
    (millis - seconds * 1e3).abs() <= 0.000_6 + millis * 0.001
}

#[test]
fn the_program_of_hdrhistogram_finds_the_figures_of_the_document() {
    let run = run();
    let document = run.document();
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("slices.hlog");
    let part = run.written_with(&document, "hlog").unwrap().remove(0);
    std::fs::write(&log, part.content).unwrap();
    let distributions = run.written_with(&document, "hgrm").unwrap();
    assert_eq!(document.results.len(), 2);
    for result in &document.results {
        let operation = &result.operations[0].operation;
        let tag = format!("{}/{}/{operation}", result.target, result.workload);
        let found = processed(&log, &tag);
        same_slices(&document, result, &found);
        same_percentiles(result, &found);
        let name = tag.replace('/', "-");
        let ours = distributions.iter().find(|part| part.name == name).unwrap();
        let ours = std::str::from_utf8(&ours.content).unwrap();
        same_distributions(ours, &found.distribution);
    }
}

/// Line by line. Java rounds the last of the twelve decimals of a percentile in another way.
fn same_distributions(ours: &str, theirs: &str) {
    // The program puts the times of the log above its table, and Tenbin its verdict below.
    let ours = || ours.lines().filter(|line| !line.starts_with("#[tenbin "));
    let theirs = theirs.lines().skip_while(|line| line.starts_with("#["));
    assert_eq!(ours().count(), theirs.clone().count());
    for (ours, theirs) in ours().zip(theirs) {
        let cells = |line: &str| -> Option<Vec<f64>> {
            let cells = line.split_whitespace();
            cells.map(|cell| cell.parse().ok()).collect()
        };
        match (cells(ours), cells(theirs)) {
            (Some(our_cells), Some(their_cells)) if our_cells.len() == their_cells.len() => {
                let mut pairs = our_cells.iter().zip(&their_cells);
                let same = pairs.all(|(one, other)| (one - other).abs() < 1.5e-12);
                assert!(same, "{ours}\n{theirs}");
            }
            _ => assert_eq!(ours, theirs),
        }
    }
}

fn same_slices(document: &Document, result: &ResultOf, found: &Processed) {
    let is_mine =
        |slice: &&SliceFigures| slice.target == result.target && slice.workload == result.workload;
    let slices: Vec<&SliceFigures> = document.slices.iter().filter(is_mine).collect();
    assert_eq!(found.intervals.len(), slices.len());
    for (interval, slice) in found.intervals.iter().zip(slices) {
        assert_eq!(Some(interval.count), slice.ok);
        assert!(
            is_near(interval.p50, slice.p50.unwrap()),
            "{}",
            interval.p50
        );
        assert!(
            is_near(interval.max, slice.max.unwrap()),
            "{}",
            interval.max
        );
    }
}

fn same_percentiles(result: &ResultOf, found: &Processed) {
    let last = found.intervals.last().unwrap();
    let ok: u64 = result
        .operations
        .iter()
        .filter_map(|operation| operation.counts.ok)
        .sum();
    assert_eq!(last.all, ok);
    for (quantile, millis) in last.all_at {
        let mut known = result.spectrum.iter();
        let ours = known.find(|at| at.quantile == quantile);
        let ours = ours.unwrap_or_else(|| panic!("p{} is unknown", quantile * 100.0));
        assert!(
            is_near(millis, ours.seconds),
            "{quantile}: {millis} {ours:?}"
        );
    }
}
