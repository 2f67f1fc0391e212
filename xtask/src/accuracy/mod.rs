//! `cargo xtask accuracy`: checks the figures of Tenbin with a server whose response times are
//! known.
//!
//! Every experiment runs the release build against `tenbin serve truth` and compares the recorded
//! figures with the log of the server or with theory. `docs/accuracy.md` describes the purpose of
//! each experiment; crates/cli/tests/accuracy.rs contains short versions.

mod against;
mod capacity;
mod ceiling;
mod cpu_server;
mod experiment;
mod gates;
mod history;
mod judge;
mod nodes;
mod peer;
mod rates;
mod report;
mod sides;
mod stalls;
mod statistics;
mod sustained;
mod wake_up;

pub(crate) use cpu_server::serve as cpu_server;

use std::path::PathBuf;

use anyhow::{Result, ensure};

use self::against::Bench;
use self::experiment::{Experiment, How, PLAN};
use self::judge::Observed;
use crate::shell;

/// A check of an experiment: quantity, limit, measured value and result.
pub(crate) struct Row {
    /// The quantity that is checked.
    pub(crate) what: &'static str,
    /// The required value, in words.
    pub(crate) limit: String,
    pub(crate) found: String,
    pub(crate) passed: bool,
}

/// An experiment and its checks.
pub(crate) struct Outcome {
    pub(crate) experiment: &'static Experiment,
    pub(crate) rows: Vec<Row>,
}

/// Runs the experiments whose name contains `words` and prints their checks. A run of all
/// experiments is also saved in a dated folder. `programs` is a directory of programs that are
/// already built; without it, they are built.
///
/// # Errors
/// If a program cannot be built or run, or an experiment has failed.
pub(crate) fn run(words: &str, programs: Option<PathBuf>) -> Result<()> {
    let chosen: Vec<_> = PLAN.iter().filter(|one| one.name.contains(words)).collect();
    ensure!(
        !chosen.is_empty(),
        "no experiment has {words:?} in its name"
    );
    let bench = Bench::new(match programs {
        Some(directory) => directory,
        None => build()?,
    })?;
    let mut outcomes = Vec::new();
    for experiment in chosen {
        println!("\n{}. {}", experiment.number, experiment.name);
        let rows = perform(experiment, &bench)?;
        for row in &rows {
            let word = if row.passed { "pass" } else { "FAIL" };
            println!("  {word}  {}, {}: {}", row.what, row.limit, row.found);
        }
        outcomes.push(Outcome { experiment, rows });
    }
    let text = report::text(&outcomes, &crate::cost::machine()?);
    println!("\n{text}");
    // Only complete results are saved.
    if words.is_empty() {
        println!("kept in {}", report::keep(&text)?.display());
    }
    let rows = outcomes.iter().flat_map(|outcome| &outcome.rows);
    let failed = rows.filter(|row| !row.passed).count();
    ensure!(failed == 0, "{failed} rows failed");
    Ok(())
}

/// Builds the programs, and returns their directory.
fn build() -> Result<PathBuf> {
    shell::succeed(shell::cargo().args(["build", "--release", "-p", "tenbin"]))?;
    ceiling::build()?;
    Ok(against::built())
}

fn perform(experiment: &Experiment, bench: &Bench) -> Result<Vec<Row>> {
    match &experiment.how {
        How::Alone(perform) => perform(bench),
        How::Against {
            server,
            load,
            stop,
            judge,
        } => {
            let truth = bench.serve(server)?;
            let recorded = bench.load(&truth, load, stop.as_ref())?;
            let seen = Observed {
                log: truth.stop()?,
                recorded,
            };
            let mut rows = judge(&seen);
            rows.extend(judge::books(&seen));
            Ok(rows)
        }
    }
}
