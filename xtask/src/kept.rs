//! Where tables of figures are kept.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::shell;

/// The folder of today's figures of that kind under `bench/`, which is there then.
///
/// # Errors
/// It cannot be made.
pub(crate) fn folder(kind: &str) -> Result<PathBuf> {
    let date = shell::output_of(Command::new("date").arg("+%Y-%m-%d"))?;
    let folder = shell::workspace_root()
        .join("bench")
        .join(format!("{}-{kind}", date.trim()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Keeps a page of them there.
///
/// # Errors
/// It cannot be written.
pub(crate) fn page(kind: &str, text: &str) -> Result<PathBuf> {
    let folder = folder(kind)?;
    std::fs::write(folder.join("README.md"), text)?;
    Ok(folder)
}
