//! Generates the run directory of a run of ten hours within a few seconds.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

const SLICES: &str = "18000";
const SECONDS: &str = "2";

/// A generated run directory; removed on drop.
pub(super) struct LongRun {
    pub(super) directory: PathBuf,
    root: PathBuf,
}

/// Generates the run directory. `built` is the directory of Tenbin's programs.
pub(super) fn make(built: &Path) -> Result<LongRun> {
    let root = std::env::temp_dir().join(format!("tenbin-cost-long-{}", std::process::id()));
    let mut run = LongRun {
        directory: root.clone(),
        root,
    };
    let writer = built.join("examples/long_run");
    shell::succeed(Command::new(writer).arg(&run.root).args([SLICES, SECONDS]))?;
    let mut made = std::fs::read_dir(&run.root)?;
    run.directory = made.next().context("no run was written")??.path();
    Ok(run)
}

impl Drop for LongRun {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
