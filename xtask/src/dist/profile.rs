//! The profile `dist` in `Cargo.toml` inherits from `release`, which optimises many packages less so
//! that it builds fast.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::shell;

/// Names of the packages with an optimisation level in a profile.
fn packages(profile: &Value) -> BTreeSet<String> {
    let packages = profile.get("package").and_then(Value::as_table);
    let with_level = packages
        .into_iter()
        .flatten()
        .filter(|(_, settings)| settings.get("opt-level").is_some());
    with_level.map(|(name, _)| name.clone()).collect()
}

#[test]
fn dist_sets_the_level_of_every_package_that_release_optimises_less() {
    let manifest = std::fs::read_to_string(shell::workspace_root().join("Cargo.toml"));
    let manifest: Table = manifest.expect("the manifest").parse().expect("TOML");
    let profiles = &manifest["profile"];
    let release = packages(&profiles["release"]);
    let dist = packages(&profiles["dist"]);
    let missing: Vec<_> = release.difference(&dist).collect();
    assert!(missing.is_empty(), "no level in dist: {missing:?}");
}

/// docs/architecture.md explains why the profiles differ.
#[test]
fn a_panic_ends_only_the_program_of_the_packages() {
    let manifest = std::fs::read_to_string(shell::workspace_root().join("Cargo.toml"));
    let manifest: Table = manifest.expect("the manifest").parse().expect("TOML");
    let profiles = &manifest["profile"];
    assert_eq!(profiles["release"]["panic"].as_str(), Some("unwind"));
    assert_eq!(profiles["dist"]["panic"].as_str(), Some("abort"));
}
