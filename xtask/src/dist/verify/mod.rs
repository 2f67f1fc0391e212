//! Checks of what was built: it is run, not only looked at.

mod binary;
mod debian;
mod files;
mod image;
mod measure;
mod root;
mod rpm;

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::layout::Layout;
use super::release::Release;

pub(super) use self::binary::{check as binary, is_static};
pub(super) use self::image::check as image;

/// Checks the packages of one architecture. Those of this machine's are installed, used and removed.
///
/// # Errors
///
/// If a check fails.
pub(super) fn packages(layout: &Layout, release: &Release, into: &Path) -> Result<()> {
    debian::check(layout, release, into)?;
    rpm::check(layout, release, into)
}

/// Checks that a list of parts names the program and its crates.
///
/// # Errors
///
/// If the list cannot be parsed, or lacks a crate.
pub(super) fn sbom(file: &Path) -> Result<()> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let list: serde_json::Value = serde_json::from_slice(&text)?;
    ensure!(
        list["bomFormat"] == "CycloneDX",
        "{} is no list of CycloneDX",
        file.display()
    );
    let parts = list["components"].as_array().map_or(&[][..], Vec::as_slice);
    for name in ["rustls", "tenbin-engine", "zstd-sys"] {
        ensure!(
            parts.iter().any(|part| part["name"] == name),
            "{} lacks the crate {name}",
            file.display()
        );
    }
    println!("SBOM: {} crates", parts.len());
    Ok(())
}
