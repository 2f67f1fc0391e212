//! The list of the parts of the program (SBOM), in CycloneDX's format.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::architecture::Architecture;
use super::release::Release;
use super::tools;
use crate::shell;

/// The package of the program.
const PROGRAM: &str = "crates/cli";

/// Writes `tenbin-<version>-<target>.cdx.json`: the crates in the program differ between targets.
///
/// # Errors
///
/// If cargo-cyclonedx cannot be installed or fails.
pub(super) fn write(
    architecture: &Architecture,
    release: &Release,
    into: &Path,
) -> Result<PathBuf> {
    let name = format!("tenbin-{}-{}.cdx", release.version, architecture.triple);
    let file = format!("{name}.json");
    let mut command = Command::new(tools::cyclonedx()?);
    command
        .args(["cyclonedx", "--manifest-path"])
        .arg(format!("{PROGRAM}/Cargo.toml"))
        .args(["--format", "json", "--override-filename", &name])
        .args(["--no-build-deps", "--target", architecture.triple])
        .env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    let written = shell::output_of(&mut command);
    let list = fs::read_to_string(Path::new(PROGRAM).join(&file));
    remove_all(&file)?;
    written?;
    let list = list.with_context(|| format!("cargo-cyclonedx has written no {file}"))?;
    let root = shell::workspace_root();
    let root = root.to_str().context("a path in UTF-8 is needed")?;
    ensure!(
        list.contains("CycloneDX"),
        "cargo-cyclonedx has written no list"
    );
    // Directories of this machine are part of the names of the crates of this repository.
    let to = into.join(&file);
    fs::write(&to, list.replace(root, ""))
        .with_context(|| format!("cannot write {}", to.display()))?;
    Ok(to)
}

/// cargo-cyclonedx writes a list beside the manifest of every member of the workspace.
fn remove_all(file: &str) -> Result<()> {
    let mut members = vec![PathBuf::from("xtask")];
    for member in fs::read_dir("crates")? {
        members.push(member?.path());
    }
    for member in members {
        let list = member.join(file);
        if list.exists() {
            fs::remove_file(list)?;
        }
    }
    Ok(())
}
