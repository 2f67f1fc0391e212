//! The test programs, and their order.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// Test programs that run beside the others. `neighbour` uses all cores, so it runs first, while the
/// others measure nothing. The rest mostly wait: for a lease, a schedule or a browser.
const BESIDE: &[&str] = &[
    "neighbour", "agents", "accessible", "crowded", "accuracy", "agents_blob", "drnbench",
    "s3_busy", "examples", "doctor", "hub", "telemetry", "ui", "vitals", "faults", "liars",
];

/// Test programs with a minute or more of work. They start first, so that the last program to end is
/// a short one. The first two check no measured figure but use much of the machine; the next two,
/// which check few, run beside them.
const LONG: &[&str] = &[
    "attacks", "--lib", "s3_versions", "blob", "http", "capacity", "tutorials", "suite",
    "comparison",
];

/// Test programs that check no measured figure. They run last, on every worker whose queue is empty,
/// so that no worker ends long before the others. The longest are first.
const LAST: &[&str] = &[
    "foreign", "processes", "packages", "page", "request_lists", "every_flag", "run", "formats",
    "interactive", "hdr_histogram", "wrapped", "--doc", "corpus", "earlier", "outputs",
    "arguments", "changed", "import",
];

/// Arguments of `cargo test`.
pub(super) type Call = Vec<String>;

/// Two queues of calls that run at the same time, and the calls that follow in both.
pub(super) struct Queues {
    /// One call runs at a time, beside those of `main`.
    pub(super) beside: Vec<Call>,
    /// One call per core runs at a time.
    pub(super) main: Vec<Call>,
    /// Calls for every worker whose own queue is empty.
    pub(super) last: Vec<Call>,
}

/// All test programs. Programs with the same name, in different crates, are one call.
pub(super) fn all() -> Result<Queues> {
    let text =
        shell::output_of(shell::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata prints no JSON")?;
    let mut names = names(&metadata);
    names.extend(["--lib", "--bins", "--doc"].map(str::to_owned));
    let mut take = |first: &[&str]| -> Vec<Call> {
        let taken = first.iter().filter_map(|name| names.take(*name));
        taken.map(call).collect()
    };
    let (beside, mut main, last) = (take(BESIDE), take(LONG), take(LAST));
    main.extend(names.into_iter().map(call));
    Ok(Queues { beside, main, last })
}

/// The arguments for a test program, or for all programs of a kind such as `--lib`.
fn call(name: String) -> Call {
    if name.starts_with("--") {
        return vec![name];
    }
    vec!["--test".to_owned(), name]
}

/// The names of all targets of the kind `test`.
fn names(metadata: &Value) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let tests = targets.filter(|target| target["kind"][0] == "test");
    let names = tests.filter_map(|target| target["name"].as_str());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_program_is_run_once() {
        let Queues { beside, main, last } = all().expect("cargo metadata");
        for (queue, first) in [(&beside, BESIDE), (&main, LONG), (&last, LAST)] {
            for (call, name) in queue.iter().zip(first) {
                assert_eq!(
                    call.last().map(String::as_str),
                    Some(*name),
                    "no such program"
                );
            }
        }
        let all: Vec<&Call> = beside.iter().chain(&main).chain(&last).collect();
        let unique: BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), all.len());
        let crates = shell::workspace_root().join("crates");
        for entry in std::fs::read_dir(crates.join("cli/tests")).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|end| end == "rs") {
                let name = path.file_stem().expect("a name").to_string_lossy();
                let call = call(name.into_owned());
                assert!(all.contains(&&call), "{call:?}");
            }
        }
    }
}
