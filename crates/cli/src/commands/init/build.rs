//! Builds the server of a plan before it is tried.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use tenbin_plan::{Plan, Reach, sentence};

use crate::errors::InitError;
use crate::output;

/// Runs the build command if a program that the plan starts is missing. The output of the command
/// goes to standard error.
///
/// # Errors
/// If the command cannot be run, or fails.
pub(super) fn build_missing(plan: &Plan, out: &Path, build: &str) -> Result<(), InitError> {
    let directory = out.parent().unwrap_or(Path::new(""));
    let missing = plan.targets.iter().find_map(|target| {
        let Reach::Launched(launch) = &target.reach else {
            return None;
        };
        let program = launch.command.first()?;
        (program.contains('/') && !directory.join(program).exists()).then_some(program)
    });
    let Some(program) = missing else {
        return Ok(());
    };
    output::say_note(&sentence!(
        "init-building",
        "{program} is missing; building it: {build}",
        program = program,
        build = build
    ));
    let failed = |why: String| InitError::Build {
        build: build.to_owned(),
        why,
    };
    let status = Command::new("sh")
        .args(["-c", build])
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .map_err(|error| failed(error.to_string()))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(status.to_string()))
    }
}
