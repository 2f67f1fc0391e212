//! `cargo metadata`: the packages of the workspace and their dependencies.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// The part of `cargo metadata` that the checks read.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    /// The dependency graph; `None` for metadata without dependencies.
    resolve: Option<Resolve>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Package {
    id: String,
    pub(super) name: String,
    pub(super) version: String,
    /// Licence as an SPDX expression.
    pub(super) license: Option<String>,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `dev` or `build`; `None` for a normal dependency.
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
    /// Reads the packages of the workspace.
    pub(super) fn of_workspace() -> Result<Self> {
        Self::read(&["--no-deps"])
    }

    /// Reads the packages of the workspace and all their dependencies on this platform.
    pub(super) fn of_everything() -> Result<Self> {
        let about = shell::output_of(std::process::Command::new("rustc").arg("-vV"))?;
        let host = about
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .context("`rustc -vV` names no host")?;
        Self::read(&["--filter-platform", host])
    }

    /// The packages in the dependency graph, or all packages without a graph.
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
