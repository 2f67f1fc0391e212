//! What cargo knows about the packages of the workspace and below it.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// The part of `cargo metadata` that the checks read.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    /// The dependency graph; not there when dependencies were not asked for.
    resolve: Option<Resolve>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Package {
    id: String,
    pub(super) name: String,
    pub(super) version: String,
    /// SPDX expression.
    pub(super) license: Option<String>,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `dev`, `build`, or nothing for a normal one.
    pub(super) kind: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
}

impl Metadata {
    /// The crates of the workspace.
    pub(super) fn of_workspace() -> Result<Self> {
        Self::read(&["--no-deps"])
    }

    /// The crates of the workspace and everything they use on this machine.
    pub(super) fn of_everything() -> Result<Self> {
        let about = shell::output_of(std::process::Command::new("rustc").arg("-vV"))?;
        let host = about
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .context("`rustc -vV` names no host")?;
        Self::read(&["--filter-platform", host])
    }

    /// The packages in the dependency graph; without one, all.
    pub(super) fn used_packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| {
            self.resolve
                .as_ref()
                .is_none_or(|graph| graph.nodes.iter().any(|node| node.id == package.id))
        })
    }

    fn read(arguments: &[&str]) -> Result<Self> {
        let text = shell::output_of(
            shell::cargo()
                .args(["metadata", "--format-version", "1"])
                .args(arguments),
        )?;
        serde_json::from_str(&text).context("cannot read the answer of cargo metadata")
    }
}
