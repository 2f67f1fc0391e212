//! The test programs, and their order.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// Test programs that take a minute or more. They begin first, so that none of them runs alone at
/// the end.
const LONG: &[&str] = &[
    "agents",
    "http",
    "attacks",
    "capacity",
    "suite",
    "tutorials",
    "s3_versions",
    "comparison",
];

/// What one call of `cargo test` runs, as arguments of cargo. Programs with the same name, in
/// different crates, are one call.
pub(super) fn all() -> Result<Vec<Vec<String>>> {
    let text =
        shell::output_of(shell::cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata prints no JSON")?;
    let names = names(&metadata);
    let is_long = |name: &&String| LONG.contains(&name.as_str());
    let long = LONG.iter().filter_map(|name| names.get(*name));
    let short = names.iter().filter(|name| !is_long(name));
    let one = |name: &String| vec!["--test".to_owned(), name.clone()];
    let mut all: Vec<_> = long.map(one).collect();
    all.push(vec!["--lib".to_owned()]);
    all.extend(short.map(one));
    all.push(vec!["--bins".to_owned()]);
    all.push(vec!["--doc".to_owned()]);
    Ok(all)
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
    fn every_test_program_is_run_once_and_long_ones_first() {
        let all = all().expect("cargo metadata");
        for (call, name) in all.iter().zip(LONG) {
            assert_eq!(call[1], **name, "no test program has this name");
        }
        let unique: BTreeSet<_> = all.iter().collect();
        assert_eq!(unique.len(), all.len());
        let crates = shell::workspace_root().join("crates");
        for entry in std::fs::read_dir(crates.join("cli/tests")).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|end| end == "rs") {
                let name = path.file_stem().expect("a name").to_string_lossy();
                let call = ["--test".to_owned(), name.into_owned()];
                assert!(all.iter().any(|one| *one == call), "{call:?}");
            }
        }
    }
}
