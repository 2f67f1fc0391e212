//! `benchmark.txt`: Go's benchmark format, which `benchstat` reads.
//!
//! One line a slice, so that whoever compares has the repetitions and never pooled
//! requests; those of the baseline first, then in the order of the run. `docs/s3-suite.md` says what every unit means.

mod line;
mod name;

use tenbin_result::{Document, SliceFigures};

/// Units of which more is better, which `benchstat` cannot know.
const HIGHER_IS_BETTER: &[&str] = &["ops/s"];

/// The whole file.
pub(crate) fn text(document: &Document) -> String {
    let mut text = head(document);
    for workload in &document.workloads {
        let errors_seen = document
            .results_of(&workload.name)
            .any(|result| result.failed > 0);
        // Without those in which nothing ended, the rest would look quicker than they were.
        let is_known = |slice: &SliceFigures| {
            let mut all = document.full_slices(&workload.name, &slice.target);
            all.all(|each| each.throughput.is_some())
        };
        let measured = |slice: &&SliceFigures| {
            // At another rate each: nothing to be repeated.
            let is_probe = slice.offered.is_some();
            let mine = slice.workload == workload.name && !slice.cut_short && !is_probe;
            mine && slice.ok > 0 && is_known(slice)
        };
        // benchstat compares with what comes first in the file: the baseline of the run.
        let mut slices: Vec<&SliceFigures> = document.slices.iter().filter(measured).collect();
        let baseline = document.baseline().map(|target| target.name.as_str());
        slices.sort_by_key(|slice| Some(slice.target.as_str()) != baseline);
        for slice in slices {
            let name = name::of(document, workload, &slice.target);
            text += &line::of(&name, slice, errors_seen, workload.is_sequential());
        }
    }
    text
}

/// What holds for every line.
fn head(document: &Document) -> String {
    let here = &document.environment;
    let platform = here.platform.as_deref().unwrap_or_default();
    let (os, architecture) = platform.split_once(' ').unwrap_or_default();
    let known = |value: &str| (!value.is_empty()).then(|| one_line(value));
    // benchstat compares only what agrees in all of these: what may differ between
    // two runs of one question is a comment.
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
    let units = HIGHER_IS_BETTER
        .iter()
        .map(|unit| format!("Unit {unit} better=higher\n"));
    configuration.chain(units).collect()
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
