//! `cargo xtask accuracy`: what Tenbin reports about a server whose truth is known.
//!
//! Every experiment runs the released program against `tenbin serve truth` and
//! holds what it recorded against the server's log or against theory.

mod experiment;
mod observed;

use anyhow::Result;

use self::experiment::{Experiment, PLAN};
use self::observed::Observed;
use crate::shell;

/// What was asked, what was found, and whether it is good enough.
pub(crate) struct Row {
    pub(crate) asked: &'static str,
    pub(crate) found: String,
    pub(crate) passed: bool,
}

/// Runs every experiment and prints its rows.
///
/// # Errors
/// A program cannot be built or run, or an experiment has failed.
pub(crate) fn run() -> Result<()> {
    shell::succeed(shell::cargo().args(["build", "--release", "-p", "tenbin"]))?;
    let mut failed = 0;
    for experiment in PLAN {
        println!("\n{}", experiment.name);
        let observed = observe(experiment)?;
        let counts = observed.counts();
        for row in std::iter::once(counts).chain((experiment.judge)(&observed)) {
            let word = if row.passed { "pass" } else { "FAIL" };
            println!("  {word}  {}: {}", row.asked, row.found);
            failed += usize::from(!row.passed);
        }
    }
    anyhow::ensure!(failed == 0, "{failed} rows failed");
    Ok(())
}

fn observe(experiment: &Experiment) -> Result<Observed> {
    Observed::make(experiment.server, experiment.load)
}
