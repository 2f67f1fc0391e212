//! `cargo xtask test`: everything a change has to pass.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::steps::Steps;
use crate::{check, setup, shell};

/// Runs all of it and stops at the first step that fails. The last line of the
/// output counts the tests; a step that failed without a failing test (clippy,
/// say) counts as one failure, so that the line never says all is well when it
/// is not.
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
    steps.run("set-up", setup::install)?;
    check::run(steps)?;
    steps.run("build the tests", || {
        shell::succeed(shell::cargo().args(["test", "--workspace", "--no-run"]))
    })?;
    steps.run("unit, integration and end-to-end tests", || {
        cargo_test(
            shell::cargo().args(["test", "--workspace", "--no-fail-fast"]),
            counts,
        )
    })
}

/// Runs the tests, passing their output through while counting.
fn cargo_test(command: &mut Command, counts: &mut Counts) -> Result<()> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo cannot be run")?;
    let output = child.stdout.take().expect("standard output is piped");
    let mut out = std::io::stdout().lock();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read the output of cargo test")?;
        out.write_all(&line)?;
        out.write_all(b"\n")?;
        counts.add(&String::from_utf8_lossy(&line));
    }
    drop(out);
    let status = child.wait().context("cannot wait for cargo test")?;
    if !status.success() {
        bail!("{} tests failed (cargo test: {status})", counts.failed);
    }
    if counts.passed == 0 {
        bail!("cargo test succeeded without running a single test");
    }
    Ok(())
}

/// Tests by how they ended, over all test programs.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counts {
    /// Adds a line of test output if it is a summary:
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn add(&mut self, line: &str) {
        let Some(summary) = line.strip_prefix("test result: ") else {
            return;
        };
        let figures = summary.split_once(". ").map_or("", |(_, rest)| rest);
        for part in figures.split(';') {
            let Some((number, word)) = part.trim().split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_add_up_and_other_lines_count_nothing() {
        let mut counts = Counts::default();
        for line in [
            "running 4 tests",
            "test a ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "a test printed: test result: ok. 9 passed; 9 failed",
            "test result: FAILED. 20 passed; 2 failed; 0 ignored; 0 measured; 5 filtered out; finished in 1.20s",
        ] {
            counts.add(line);
        }
        assert_eq!(
            counts,
            Counts {
                passed: 23,
                failed: 2,
                ignored: 1
            }
        );
    }
}
