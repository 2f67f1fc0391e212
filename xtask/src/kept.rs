//! Dated folders for saved results.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::shell;

/// Creates the folder for today's results of this kind in `bench/`, and returns its path.
///
/// # Errors
/// If the folder cannot be created.
pub(crate) fn folder(kind: &str) -> Result<PathBuf> {
    let date = shell::output_of(Command::new("date").arg("+%Y-%m-%d"))?;
    let folder = shell::workspace_root()
        .join("bench")
        .join(format!("{}-{kind}", date.trim()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Saves a page as `README.md` in the folder for today's results, and returns the folder.
///
/// # Errors
/// If the page cannot be written.
pub(crate) fn page(kind: &str, text: &str) -> Result<PathBuf> {
    let folder = folder(kind)?;
    std::fs::write(folder.join("README.md"), text)?;
    Ok(folder)
}
