//! What is released: the version, and the time that all files of the packages have.

use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// A version of Tenbin.
pub(super) struct Release {
    pub(super) version: String,
    /// Time of the commit in seconds since 1970, or `SOURCE_DATE_EPOCH` if that is set: two builds of
    /// a commit have the same times in their packages.
    pub(super) epoch: u64,
}

impl Release {
    /// Reads the version from the manifest of the workspace, and the time from git.
    ///
    /// # Errors
    ///
    /// If there is no version, or no time.
    pub(super) fn read() -> Result<Self> {
        let manifest: toml::Table = std::fs::read_to_string("Cargo.toml")?.parse()?;
        let version = manifest["workspace"]["package"]["version"].as_str();
        let version = version.context("Cargo.toml has no workspace.package.version")?;
        let given = std::env::var("SOURCE_DATE_EPOCH").ok();
        let time = match given {
            Some(time) => time,
            None => time_of_commit().context("set SOURCE_DATE_EPOCH outside a git checkout")?,
        };
        let epoch = time.trim().parse();
        let epoch = epoch.with_context(|| format!("{time:?} are no seconds since 1970"))?;
        Ok(Self {
            version: version.to_owned(),
            epoch,
        })
    }
}

/// The time of the commit of these sources. Fails if they are unpacked in another checkout.
fn time_of_commit() -> Result<String> {
    let git = |words: &[&str]| shell::output_of(Command::new("git").args(words));
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    git(&["log", "-1", "--format=%ct"])
}
