//! Checks that crates depend only on the crates that the table of layers allows.

use anyhow::{Result, bail};

use super::metadata::{Metadata, Package};

/// The crates from the lowest to the highest layer, each with its allowed dependencies. For tests
/// (dev-dependencies), every crate earlier in the list is allowed.
const WAY: &[(&str, &[&str])] = &[
    ("tenbin-http", &[]),
    ("tenbin-plan", &[]),
    ("tenbin-compat", &["tenbin-plan"]),
    ("tenbin-stats", &[]),
    ("tenbin-corpus", &["tenbin-http", "tenbin-plan"]),
    ("tenbin-pubsub", &["tenbin-http"]),
    ("tenbin-targets", &["tenbin-http", "tenbin-plan"]),
    ("tenbin-engine", &["tenbin-plan"]),
    ("tenbin-workloads", &["tenbin-plan", "tenbin-engine"]),
    ("tenbin-record", &["tenbin-plan", "tenbin-engine"]),
    ("tenbin-cluster", &["tenbin-plan", "tenbin-engine"]),
    (
        "tenbin-result",
        &["tenbin-plan", "tenbin-record", "tenbin-stats"],
    ),
    (
        "tenbin-verdict",
        &[
            "tenbin-plan", "tenbin-record", "tenbin-stats", "tenbin-result",
        ],
    ),
    (
        "tenbin-report",
        &[
            "tenbin-plan", "tenbin-record", "tenbin-stats", "tenbin-result", "tenbin-verdict",
        ],
    ),
    (
        "tenbin-runner",
        &[
            "tenbin-http", "tenbin-plan", "tenbin-corpus", "tenbin-targets", "tenbin-engine",
            "tenbin-workloads", "tenbin-record", "tenbin-cluster",
        ],
    ),
    (
        "tenbin",
        &[
            "tenbin-http", "tenbin-plan", "tenbin-compat", "tenbin-stats", "tenbin-corpus",
            "tenbin-pubsub", "tenbin-targets", "tenbin-engine", "tenbin-workloads",
            "tenbin-record", "tenbin-cluster", "tenbin-result", "tenbin-verdict", "tenbin-report",
            "tenbin-runner",
        ],
    ),
    ("xtask", &[]),
];

/// Fails with a list of all forbidden dependencies.
pub(super) fn check() -> Result<()> {
    let metadata = Metadata::of_workspace()?;
    let offences = offences(&metadata.packages);
    if !offences.is_empty() {
        bail!(
            "{}\nthe allowed arrows are in xtask/src/check/layers.rs",
            offences.join("\n")
        );
    }
    println!(
        "{} crates, no arrow against the way",
        metadata.packages.len()
    );
    Ok(())
}

fn offences(packages: &[Package]) -> Vec<String> {
    let of_this_workspace = |name: &str| packages.iter().any(|package| package.name == name);
    let mut offences = Vec::new();
    for package in packages {
        let Some(place) = place_of(&package.name) else {
            offences.push(format!("{} has no place on the way yet", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            if !of_this_workspace(&dependency.name) {
                continue;
            }
            let in_tests = dependency.kind.as_deref() == Some("dev");
            let allowed = WAY[place].1.contains(&dependency.name.as_str())
                || in_tests && place_of(&dependency.name).is_some_and(|other| other <= place);
            if !allowed {
                let kind = if in_tests { " (in tests)" } else { "" };
                offences.push(format!("{} -> {}{kind}", package.name, dependency.name));
            }
        }
    }
    offences
}

fn place_of(name: &str) -> Option<usize> {
    WAY.iter().position(|(crate_name, _)| *crate_name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(sample: &str) -> Vec<Package> {
        let mut packages: Vec<Package> = WAY
            .iter()
            .map(|(name, _)| package(name, "[]"))
            .filter(|package| !sample.contains(&format!("{} uses", package.name)))
            .collect();
        packages.extend(sample.lines().map(|line| {
            let (name, uses) = line.trim().split_once(" uses ").expect("a sample line");
            let dependencies: Vec<String> = uses
                .split(", ")
                .map(|used| {
                    let (name, kind) = match used.strip_suffix(" in tests") {
                        Some(name) => (name, r#""dev""#),
                        None => (used, "null"),
                    };
                    format!(r#"{{"name": "{name}", "kind": {kind}}}"#)
                })
                .collect();
            package(name, &format!("[{}]", dependencies.join(",")))
        }));
        packages
    }

    fn package(name: &str, dependencies: &str) -> Package {
        let text = format!(
            r#"{{"id": "{name}", "name": "{name}", "version": "0.1.0", "license": null, "dependencies": {dependencies}}}"#
        );
        serde_json::from_str(&text).expect("a package")
    }

    #[test]
    fn arrows_along_the_way_pass() {
        let sample = packages(
            "tenbin-record uses tenbin-plan, tenbin-engine, serde
             tenbin-engine uses tenbin-plan, tenbin-targets in tests, tenbin-engine in tests",
        );
        assert_eq!(offences(&sample), [""; 0]);
    }

    #[test]
    fn arrows_against_the_way_are_named() {
        let sample = packages(
            "tenbin-engine uses tenbin-plan, tenbin-workloads
             tenbin-verdict uses tenbin-engine
             tenbin-targets uses tenbin-runner in tests
             tenbin-attic uses tenbin-plan",
        );
        assert_eq!(
            offences(&sample),
            [
                "tenbin-engine -> tenbin-workloads",
                "tenbin-verdict -> tenbin-engine",
                "tenbin-targets -> tenbin-runner (in tests)",
                "tenbin-attic has no place on the way yet",
            ]
        );
    }
}
