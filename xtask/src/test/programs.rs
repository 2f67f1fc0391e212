//! The test programs, and their order.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// Test programs that mostly wait: for leases to end, for a schedule, for a browser. They have a lane
/// of their own beside those of the cores. The first one keeps all cores busy on purpose.
const WAITING: &[&str] = &[
    "neighbour",
    "agents",
    "accessible",
    "accuracy",
    "agents_blob",
    "drnbench",
    "s3_busy",
    "examples",
    "doctor",
    "hub",
];

/// What keeps a core busy for a minute or more begins first, so that none of it runs alone at the
/// end. The first two measure nothing that a busy machine could change.
const LONG: &[&str] = &[
    "attacks",
    "--lib",
    "http",
    "capacity",
    "tutorials",
    "suite",
    "s3_versions",
    "comparison",
    "blob",
];

/// Arguments of `cargo test`.
pub(super) type Call = Vec<String>;

/// What to run at the same time, each queue in its order.
pub(super) struct Queues {
    /// One at a time.
    pub(super) waiting: Vec<Call>,
    /// One for each core at a time.
    pub(super) working: Vec<Call>,
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
    let (waiting, mut working) = (take(WAITING), take(LONG));
    working.extend(names.into_iter().map(call));
    Ok(Queues { waiting, working })
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
        let Queues { waiting, working } = all().expect("cargo metadata");
        for (queue, first) in [(&waiting, WAITING), (&working, LONG)] {
            for (call, name) in queue.iter().zip(first) {
                assert_eq!(
                    call.last().map(String::as_str),
                    Some(*name),
                    "no such program"
                );
            }
        }
        let all: Vec<&Call> = waiting.iter().chain(&working).collect();
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
