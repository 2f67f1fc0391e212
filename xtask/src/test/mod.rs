//! `cargo xtask test`: all checks and tests that a change must pass.

use std::io::{BufRead, BufReader, Write};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::steps::Steps;
use crate::{check, setup, shell, space};

/// Largest number of failed tests that are repeated alone. More failures are unlikely to be caused
/// by a busy machine.
const MOST_UNSTEADY: usize = 3;

/// What a person should know before the first step.
const OUTLINE: &str = "\
On two cores and a new machine, this takes about 35 minutes: 10 to install servers, check and build,
and 25 to run the tests. Later runs take about 25 minutes. Servers are installed while the code is
checked and built; target/setup.log has the output of their installation.";

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
    println!("{OUTLINE}");
    space::check()?;
    let servers = steps.run("Debian packages", setup::start)?;
    check::run(steps)?;
    steps.run("build the tests", || {
        shell::succeed(shell::cargo().args(["test", "--workspace", "--no-run"]))
    })?;
    steps.run("rest of the set-up, started before the checks", || {
        servers.wait()
    })?;
    steps.run("unit, integration and end-to-end tests", || {
        let first = cargo_test(&[])?;
        counts.passed += first.counts.passed;
        counts.ignored += first.counts.ignored;
        if first.succeeded {
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
    let names = &first.failed;
    let told = format!("{} tests failed", first.counts.failed);
    // The list of failed tests is incomplete if a test program ended without its summary line.
    let is_known = names.len() as u64 == first.counts.failed && first.begun == first.ended;
    if names.is_empty() || names.len() > MOST_UNSTEADY || !is_known {
        bail!(told);
    }
    println!("==> once more, alone: {}", names.join(", "));
    for name in names {
        // One call per test, so that each test runs alone; some test programs accept only one name.
        let second = cargo_test(&["--", "--exact", name])?;
        if !second.succeeded || second.counts.passed == 0 {
            bail!("{told}, and alone as well: {name}");
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

/// Result of one call of `cargo test`.
struct Outcome {
    succeeded: bool,
    counts: Counts,
    /// Number of test programs that printed their first line.
    begun: u64,
    /// Number of test programs that printed their summary line.
    ended: u64,
    /// Names of the failed tests.
    failed: Vec<String>,
}

/// Runs the tests, prints their output and counts the results.
fn cargo_test(options: &[&str]) -> Result<Outcome> {
    let mut child = shell::cargo()
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo cannot be run")?;
    let output = child.stdout.take().expect("standard output is piped");
    let mut counts = Counts::default();
    let (mut begun, mut ended) = (0, 0);
    let mut failed = Vec::new();
    let mut out = std::io::stdout().lock();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read the output of cargo test")?;
        out.write_all(&line)?;
        out.write_all(b"\n")?;
        let line = String::from_utf8_lossy(&line);
        counts.add(&line);
        begun += u64::from(is_beginning(&line));
        ended += u64::from(line.starts_with("test result: "));
        failed.extend(failed_test(&line).map(str::to_owned));
    }
    drop(out);
    let status = child.wait().context("cannot wait for cargo test")?;
    Ok(Outcome {
        succeeded: status.success(),
        counts,
        begun,
        ended,
        failed,
    })
}

/// Whether a line is the first line of a test program, such as `running 3 tests`.
fn is_beginning(line: &str) -> bool {
    let count = line.strip_prefix("running ");
    count.is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
}

/// The name of the test in a line such as `test a::b ... FAILED`.
fn failed_test(line: &str) -> Option<&str> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    // Some test programs pad names with spaces.
    let name = name.trim_end();
    (!name.contains(' ')).then_some(name)
}

/// Numbers of tests by result, over all test programs.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Counts {
    /// Adds the numbers of a line of test output if the line is a summary:
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
    fn the_names_of_failed_tests_are_read() {
        assert_eq!(failed_test("test a::b ... FAILED"), Some("a::b"));
        assert_eq!(failed_test("test a::b ... ok"), None);
        assert_eq!(failed_test("test a     ... FAILED"), Some("a"));
        assert_eq!(failed_test("a test prints: test a ... FAILED"), None);
        assert_eq!(failed_test("test result: FAILED. 1 passed"), None);
    }

    #[test]
    fn a_test_program_that_begins_is_told_from_other_lines() {
        assert!(is_beginning("running 1 test"));
        assert!(is_beginning("running 12 tests"));
        assert!(!is_beginning("     Running tests/http.rs"));
        assert!(!is_beginning("test running 3 tests ... ok"));
    }

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
