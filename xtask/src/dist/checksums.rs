//! `SHA256SUMS`: the checksums of all files, as sha256sum reads them.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

const NAME: &str = "SHA256SUMS";

/// Names of the files in a directory, in order.
pub(super) fn files(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let name = entry.file_name().into_string();
            names.push(name.ok().context("a file name is not UTF-8")?);
        }
    }
    names.sort();
    Ok(names)
}

/// Writes the checksums of all files of a directory.
///
/// # Errors
///
/// If a file cannot be read or written.
pub(super) fn write(directory: &Path) -> Result<()> {
    let mut names = files(directory)?;
    names.retain(|name| name != NAME);
    let sums = shell::output_of(Command::new("sha256sum").args(names).current_dir(directory))?;
    std::fs::write(directory.join(NAME), sums)?;
    Ok(())
}

/// Fails if a file does not match.
///
/// # Errors
///
/// If sha256sum finds a difference.
pub(super) fn verify(directory: &Path) -> Result<()> {
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", "--quiet", NAME]);
    shell::output_of(check.current_dir(directory)).map(drop)
}
