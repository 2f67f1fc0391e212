//! `cargo xtask test`: all checks and tests that a change must pass.

mod outcome;
mod programs;
mod times;

use std::process::ExitCode;

use anyhow::{Result, bail, ensure};

use self::outcome::{Counts, Outcome};
use self::times::Times;
use crate::steps::Steps;
use crate::{check, setup, shell, space};

/// Largest number of failed tests that are repeated alone. More failures are unlikely to be caused
/// by a busy machine.
const MOST_UNSTEADY: usize = 10;

/// The time that a run takes, as long as no run has measured it.
const USUAL_TIME: &str = "\
On two cores and a new machine, this takes about 37 minutes: 8 to install servers, check and build,
and 29 to run the tests. Later runs take about 32 minutes.";

/// What else a person should know before the first step.
const OUTLINE: &str = "\
It needs 14 GB of disk space. Servers are installed while the code is checked and built;
target/setup.log has the output of their installation.";

/// Name of the step that runs the tests.
const TESTS: &str = "unit, integration and end-to-end tests";

/// Runs all steps and stops at the first failed step. The last line of the output counts the tests.
/// A failed step without failed tests, such as clippy, counts as one failure, so that the line
/// reports zero failures only on success.
pub(crate) fn run() -> ExitCode {
    let mut steps = Steps::default();
    let mut counts = Counts::default();
    let result = all_steps(&mut steps, &mut counts);
    steps.print_times();
    if counts.ignored > 0 {
        println!(
            "{} tests are marked as ignored and did not run",
            counts.ignored
        );
    }
    if result.is_ok()
        && let Err(error) = Times::of(&steps, TESTS).keep()
    {
        println!("note: {error:#}");
    }
    if let Err(error) = &result {
        println!("error: {error:#}");
        counts.failed = counts.failed.max(1);
    }
    println!("{} passed, {} failed", counts.passed, counts.failed);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn all_steps(steps: &mut Steps, counts: &mut Counts) -> Result<()> {
    match Times::last() {
        Some(last) => println!("{last}\n{OUTLINE}"),
        None => println!("{USUAL_TIME}\n{OUTLINE}"),
    }
    space::check()?;
    let servers = steps.run("Debian packages", setup::start)?;
    check::without_clippy(steps)?;
    steps.run("clippy and build of the tests", || {
        shell::succeed(shell::cargo_with_clippy().args(["test", "--workspace", "--no-run"]))
    })?;
    steps.run("rest of the set-up, started before the checks", || {
        servers.wait()
    })?;
    steps.run(TESTS, || {
        let first = outcome::run_all(programs::all()?)?;
        counts.passed += first.counts.passed;
        counts.ignored += first.counts.ignored;
        if first.unsuccessful == 0 {
            ensure!(
                counts.passed > 0,
                "cargo test succeeded without running a single test"
            );
            return Ok(());
        }
        counts.failed = first.counts.failed;
        again(&first, counts)
    })
}

/// Repeats failed tests, each alone, because many tests measure real servers and a shared machine
/// can stall for a second at any time. Fails if a test fails again, and otherwise prints the names
/// of the repeated tests as unsteady.
fn again(first: &Outcome, counts: &mut Counts) -> Result<()> {
    let failed = &first.failed;
    let names: Vec<&str> = failed.iter().map(|test| test.name.as_str()).collect();
    let told = format!("tests failed: {}", first.counts.failed);
    // The list of failed tests is incomplete if a test program ended without its summary line.
    let is_known = names.len() as u64 == first.counts.failed && first.begun == first.ended;
    if names.is_empty() || names.len() > MOST_UNSTEADY || !is_known {
        bail!(told);
    }
    println!("==> once more, alone: {}", names.join(", "));
    for test in failed {
        let second = outcome::run_alone(test)?;
        if second.unsuccessful > 0 || second.counts.passed == 0 {
            bail!("{told}; failed again alone: {}", test.name);
        }
    }
    counts.passed += names.len() as u64;
    counts.failed = 0;
    println!(
        "unsteady: {} failed beside the others and passed alone: {}",
        names.len(),
        names.join(", ")
    );
    Ok(())
}
