//! Writes the file: its configuration, then one line per slice.

use std::collections::BTreeSet;

use tenbin_result::{Document, SliceFigures};

use super::{line, name};
use crate::formats::judged::mark;

/// Units that the file declares as higher-is-better for `benchstat`.
const HIGHER_IS_BETTER: &[&str] = &["ops/s"];

/// The whole file.
pub(crate) fn text(document: &Document) -> String {
    let mut text = head(document);
    for workload in &document.workloads {
        let errors_seen = document
            .results_of(&workload.name)
            .any(|result| result.failed > Some(0));
        // Leaving out only the slices in which nothing completed would make a target look faster.
        let has_gaps: BTreeSet<&str> = document
            .slices
            .iter()
            .filter(|slice| slice.workload == workload.name && !slice.cut_short)
            .filter(|slice| slice.throughput.is_none())
            .map(|slice| slice.target.as_str())
            .collect();
        // The format needs the number of operations.
        let measured = |slice: &&SliceFigures| {
            // Probes run at different rates, so they are not repetitions.
            let is_probe = slice.offered.is_some();
            let of_workload = slice.workload == workload.name && !slice.cut_short && !is_probe;
            of_workload && slice.ok > Some(0) && !has_gaps.contains(slice.target.as_str())
        };
        // benchstat compares with the first lines of the file, so the run's baseline comes first.
        let mut slices: Vec<&SliceFigures> = document.slices.iter().filter(measured).collect();
        let baseline = document.baseline().map(|target| target.name.as_str());
        slices.sort_by_key(|slice| Some(slice.target.as_str()) != baseline);
        for (slice, ok) in slices
            .into_iter()
            .filter_map(|slice| Some((slice, slice.ok?)))
        {
            let name = name::benchmark_name(document, workload, &slice.target);
            text += &line::slice_line(&name, (slice, ok), errors_seen, workload.is_sequential());
        }
    }
    text
}

/// The configuration lines, which apply to all lines below.
fn head(document: &Document) -> String {
    let here = &document.environment;
    let platform = here.platform.as_deref().unwrap_or_default();
    let (os, architecture) = platform.split_once(' ').unwrap_or_default();
    let known = |value: &str| (!value.is_empty()).then(|| one_line(value));
    // benchstat compares only lines with equal configuration. Values that can differ between two
    // runs of the same plan are therefore comments.
    let lines = [
        ("# run", known(&document.run.id)),
        ("# tenbin", here.tenbin_version.as_deref().and_then(known)),
        ("goos", known(os)),
        ("goarch", known(go_architecture(architecture))),
        ("pkg", Some("tenbin".to_owned())),
        ("cpu", here.cpu_model.as_deref().and_then(known)),
        ("host", here.hostname.as_deref().and_then(known)),
    ];
    let configuration = lines
        .into_iter()
        .filter_map(|(key, value)| Some(format!("{key}: {}\n", value?)));
    let judged = format!("# {}\n", mark(document));
    let units = HIGHER_IS_BETTER
        .iter()
        .map(|unit| format!("Unit {unit} better=higher\n"));
    configuration.chain([judged]).chain(units).collect()
}

/// Go's name for an architecture.
fn go_architecture(ours: &str) -> &str {
    match ours {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

fn one_line(value: &str) -> String {
    let harmless = |c: char| if c.is_control() { '?' } else { c };
    value.chars().map(harmless).collect()
}
