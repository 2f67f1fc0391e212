//! Checks of a binary: it needs no file of the system, is small, and runs.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::measure;
use crate::dist::layout::Layout;
use crate::shell;

/// Largest size of a binary in bytes.
const LARGEST: u64 = 15_000_000;

/// Checks a binary, in an emulator if it is for another architecture.
///
/// # Errors
///
/// If the binary needs a library, is too large, contains a directory of this machine, or does not
/// measure.
pub(crate) fn check(layout: &Layout) -> Result<()> {
    let binary = layout.binary();
    let bytes = binary.metadata()?.len();
    ensure!(
        bytes <= LARGEST,
        "{} has {bytes} bytes; at most {LARGEST} are allowed",
        binary.display()
    );
    ensure!(
        is_static(&binary)?,
        "{} needs libraries of the system",
        binary.display()
    );
    let content = std::fs::read(&binary)?;
    let root = shell::workspace_root();
    let own = root.as_os_str().as_encoded_bytes();
    ensure!(
        !content.windows(own.len()).any(|window| window == own),
        "{} contains the directory {}",
        binary.display(),
        root.display()
    );
    let command = || layout.architecture.command(&binary);
    let version = shell::output_of(command().arg("--version"))?;
    measure::briefly(&command)?;
    println!("{}: {bytes} bytes, static, {}", layout.name, version.trim());
    Ok(())
}

/// Whether a binary has neither a program interpreter nor a library that it needs.
pub(crate) fn is_static(binary: &Path) -> Result<bool> {
    let headers = shell::output_of(
        Command::new("readelf")
            .args(["--wide", "--program-headers", "--dynamic"])
            .arg(binary),
    )?;
    Ok(!headers.contains("INTERP") && !headers.contains("(NEEDED)"))
}
