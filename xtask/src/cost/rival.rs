//! A small program of our own on minio-go, the client library of warp: what warp
//! costs at least, where warp itself cannot be had.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// Its name in the table.
pub(super) const NAME: &str = "minio-go loop";

/// Its name as a file.
pub(super) const PROGRAM: &str = "minio-go-loop";

/// Where its source lies in the workspace.
const SOURCE: &str = "xtask/src/cost/rival";

/// Where Go unpacks itself when nobody puts it on the path.
const USUAL_PLACE: &str = "/usr/local/go/bin/go";

/// Builds it as `program`; Go fetches the modules, and checks them against `go.sum`,
/// the first time.
pub(super) fn build(program: &Path) -> Result<()> {
    let go = shell::find_program("go")
        .or_else(|| Some(USUAL_PLACE.into()).filter(|go: &std::path::PathBuf| go.is_file()))
        .context("Go is missing; install it from https://go.dev/dl/")?;
    let mut command = Command::new(go);
    command
        .args(["build", "-trimpath", "-buildvcs=false", "-o"])
        .arg(program)
        .arg(".")
        .current_dir(shell::workspace_root().join(SOURCE));
    shell::output_of(&mut command).map(drop)
}
