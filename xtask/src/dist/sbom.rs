//! The list of the parts of the program (SBOM), in CycloneDX's format.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::architecture::ARCHITECTURES;
use super::release::Release;
use super::tools;
use crate::shell;

/// Writes `tenbin-<version>.cdx.json`.
///
/// # Errors
///
/// If cargo-cyclonedx cannot be installed or fails.
pub(super) fn write(release: &Release, into: &Path) -> Result<PathBuf> {
    // cargo-cyclonedx writes beside the manifest of every member of the workspace. A copy of the
    // manifests keeps the checkout clean.
    let name = format!("tenbin-{}.cdx", release.version);
    let mut command = Command::new(tools::cyclonedx()?);
    command
        .args(["cyclonedx", "--manifest-path", "crates/cli/Cargo.toml"])
        .args(["--format", "json", "--describe", "crate"])
        .args([
            "--target",
            ARCHITECTURES[0].triple,
            "--override-filename",
            &name,
        ])
        .env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    shell::output_of(&mut command)?;
    let file = format!("{name}.json");
    let to = into.join(&file);
    std::fs::rename(Path::new("crates/cli").join(&file), &to)
        .with_context(|| format!("cargo-cyclonedx has written no {file}"))?;
    Ok(to)
}
