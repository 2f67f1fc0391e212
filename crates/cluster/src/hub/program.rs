//! The program `nats-server`.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tenbin_plan::sentence;

use super::{ARGUMENTS, Hub};
use crate::error::ClusterError;

/// File name of the program.
const PROGRAM: &str = "nats-server";

/// A program that reports that it is `nats-server`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NatsServer {
    program: PathBuf,
}

impl NatsServer {
    /// Finds the program, at the given path or else in `PATH`, and runs it with `--version`.
    ///
    /// # Errors
    /// If there is no such program, with how to install it, or if it is another program.
    pub fn find(given: Option<&Path>) -> Result<Self, ClusterError> {
        let program = match given {
            Some(path) => std::path::absolute(path).map_err(|error| cannot_run(path, &error))?,
            None => in_path().ok_or_else(|| {
                ClusterError::Hub(sentence!(
                    "no-nats-server",
                    "no {program} in PATH; run `apt install nats-server` or `go install \
                     github.com/nats-io/nats-server/v2@v2.15.2`, or give --nats-server PATH",
                    program = PROGRAM
                ))
            })?,
        };
        let output = run(Command::new(&program).arg("--version"))
            .map_err(|error| cannot_run(&program, &error))?;
        let said = text_of(&output);
        if !output.status.success() || !said.contains(PROGRAM) {
            return Err(ClusterError::Hub(sentence!(
                "other-than-nats-server",
                "{file} is not {program}: with --version it prints \"{line}\"",
                file = program.display(),
                program = PROGRAM,
                line = said.lines().next().unwrap_or_default()
            )));
        }
        Ok(Self { program })
    }

    /// Absolute path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Lets the program check the configuration of the hub.
    ///
    /// # Errors
    /// What the program says about the configuration.
    pub fn check(&self, hub: &Hub) -> Result<(), ClusterError> {
        let mut command = Command::new(&self.program);
        command
            .arg("-t")
            .args(ARGUMENTS)
            .current_dir(&hub.directory);
        let output = run(&mut command).map_err(|error| cannot_run(&self.program, &error))?;
        if output.status.success() {
            return Ok(());
        }
        Err(ClusterError::Hub(sentence!(
            "hub-configuration-rejected",
            "{program} rejects the configuration in {directory}: {text}",
            program = self.program.display(),
            directory = hub.directory.display(),
            text = text_of(&output)
        )))
    }
}

fn in_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter_map(|directory| std::path::absolute(directory.join(PROGRAM)).ok())
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn run(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null()).output()
}

/// What a program printed.
fn text_of(output: &Output) -> String {
    let all = [output.stderr.as_slice(), &output.stdout].concat();
    String::from_utf8_lossy(&all).trim().to_owned()
}

fn cannot_run(program: &Path, error: &io::Error) -> ClusterError {
    ClusterError::Hub(sentence!(
        "cannot-run-program",
        "cannot run {program}: {error}",
        program = program.display(),
        error
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_is_refused() {
        let error = NatsServer::find(Some(Path::new("/bin/echo"))).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("/bin/echo is not nats-server"),
            "{error}"
        );
        let error = NatsServer::find(Some(Path::new("/nowhere/nats-server"))).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot run /nowhere/nats-server: "),
            "{error}"
        );
    }
}
