//! A minimal loop around minio-go, the client library of warp: a lower bound of the cost of warp,
//! also on machines without warp.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

/// Name of the program in the table.
pub(super) const NAME: &str = "minio-go loop";

/// File name of the program.
pub(super) const PROGRAM: &str = "minio-go-loop";

/// Source directory of the program in the workspace.
const SOURCE: &str = "xtask/src/cost/rival";

/// Default installation path of Go.
const USUAL_PLACE: &str = "/usr/local/go/bin/go";

/// Builds the program to the path `program`. At the first build, Go downloads the modules and
/// verifies them with `go.sum`.
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
