//! Builds the server of a plan before it is tried.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tenbin_plan::{Plan, Reach, sentence};

use crate::commands::init::answers::Server;
use crate::commands::init::project;
use crate::errors::InitError;
use crate::output;

/// A program that does not exist, and the command that builds this program.
pub(super) struct Missing {
    pub(super) program: String,
    pub(super) build: String,
}

/// The program of a server of the plan in `out`, if the program does not exist and the project in the
/// working directory has a known way to build it.
pub(super) fn missing_of(server: &Server, out: &Path) -> Option<Missing> {
    let directory = out.parent().unwrap_or(Path::new(""));
    let program = server.program()?;
    if !project::is_relative(&program) || place(directory, &program).exists() {
        return None;
    }
    let build = project::build_of(Path::new("."), Some(&program))?;
    Some(Missing { program, build })
}

/// Runs the build command if a program that the plan starts is missing. The output of the command
/// goes to standard error.
///
/// # Errors
/// If the command cannot be run, or fails, or if a program is missing after it.
pub(super) fn build_missing(plan: &Plan, out: &Path, build: &str) -> Result<(), InitError> {
    let directory = out.parent().unwrap_or(Path::new(""));
    let Some(program) = missing(plan, directory).first().copied() else {
        return Ok(());
    };
    output::say_note(&sentence!(
        "init-building",
        "{program} is missing; building it: {build}",
        program,
        build
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
    if !status.success() {
        return Err(failed(status.to_string()));
    }
    match missing(plan, directory).first() {
        None => Ok(()),
        Some(program) => Err(InitError::NotBuilt {
            build: build.to_owned(),
            program: place(directory, program),
        }),
    }
}

/// The programs that the plan starts and that do not exist.
fn missing<'a>(plan: &'a Plan, directory: &Path) -> Vec<&'a str> {
    let programs = plan.targets.iter().filter_map(|target| {
        let Reach::Launched(launch) = &target.reach else {
            return None;
        };
        launch.command.first().map(String::as_str)
    });
    let is_missing = |program: &&str| program.contains('/') && !place(directory, program).exists();
    programs.filter(is_missing).collect()
}

/// Where a program of a plan in a directory is: `./server` in `ci` is `ci/server`.
fn place(directory: &Path, program: &str) -> PathBuf {
    directory.join(program.strip_prefix("./").unwrap_or(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_beside_the_plan() {
        for (directory, program, found) in [
            ("", "./server", "server"),
            ("ci", "./server", "ci/server"),
            ("ci", "target/server", "ci/target/server"),
            ("ci", "/usr/bin/server", "/usr/bin/server"),
        ] {
            assert_eq!(place(Path::new(directory), program), Path::new(found));
        }
    }
}
