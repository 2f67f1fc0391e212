//! `cargo xtask check`: static checks of the source code.

mod circles;
mod counters;
mod deny;
mod layers;
mod licences;
mod messages;
mod metadata;
mod paths;
mod printing;
mod protocols;
mod spdx;
mod tracked;
mod uses;

use anyhow::Result;

use crate::shell;
use crate::steps::Steps;

/// Runs all checks, up to the first failure.
pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    without_clippy(steps)?;
    steps.run("clippy", || {
        let arguments = "clippy --workspace --all-targets -- --deny warnings";
        shell::succeed(shell::cargo().args(arguments.split(' ')))
    })
}

/// Runs all checks but clippy, up to the first failure.
pub(crate) fn without_clippy(steps: &mut Steps) -> Result<()> {
    steps.run("format", || {
        shell::succeed(shell::cargo().args(["fmt", "--all", "--check"]))
    })?;
    steps.run("layers", layers::check)?;
    steps.run("circles of files", circles::check)?;
    steps.run("printing", printing::check)?;
    steps.run("protocols", protocols::check)?;
    steps.run("counters", counters::check)?;
    steps.run("messages", messages::check)?;
    steps.run("tracked files", tracked::check)?;
    steps.run("paths in pages", paths::check)?;
    steps.run("licences", licences::check)?;
    match deny::program() {
        Some(program) => steps.run("cargo-deny", || deny::check(&program)),
        None => {
            println!("\n{}", deny::MISSING);
            Ok(())
        }
    }
}
