//! Files of paths, which all have the same response.

use anyhow::{Context as _, Result};

/// A file with this number of different paths of the same length, in the directory of temporary
/// files. Returns its name.
pub(crate) fn file(count: usize) -> Result<String> {
    let name = format!("tenbin-cost-paths-{count}.txt");
    let lines: String = (0..count).map(|at| format!("/item/{at:05}\n")).collect();
    std::fs::write(std::env::temp_dir().join(&name), lines)
        .with_context(|| format!("cannot write {name}"))?;
    Ok(name)
}
