//! Runs test programs and reads what they print.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};

use super::programs::{Call, Queues};
use crate::shell;

/// Result of calls of `cargo test`.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Number of calls that failed.
    pub(super) unsuccessful: u64,
    pub(super) counts: Counts,
    /// Number of test programs that printed their first line.
    pub(super) begun: u64,
    /// Number of test programs that printed their summary line.
    pub(super) ended: u64,
    /// The failed tests.
    pub(super) failed: Vec<Failed>,
}

/// A failed test.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Failed {
    /// The call of `cargo test` that ran it.
    call: Call,
    pub(super) name: String,
}

/// Numbers of tests by result.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) ignored: u64,
}

/// Makes all calls. Each call runs one test at a time, so that no core waits for the longest test of a
/// program. Prints the output of a call when the call ends.
///
/// # Errors
///
/// If cargo cannot be run. Failed tests are no error.
pub(super) fn run_all(Queues { beside, main, last }: Queues) -> Result<Outcome> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let all = beside.len() + main.len() + last.len();
    let [beside, main, last] = [beside, main, last].map(|calls| Mutex::new(VecDeque::from(calls)));
    let done = Mutex::new((0, Outcome::default()));
    let next_of = |queue: &Mutex<VecDeque<Call>>| locked(queue).pop_front();
    let run_queue = |queue: &Mutex<VecDeque<Call>>| -> Result<()> {
        loop {
            let Some(call) = next_of(queue).or_else(|| next_of(&last)) else {
                return Ok(());
            };
            let start = Instant::now();
            let (outcome, text) = cargo_test(&call)?;
            let mut done = locked(&done);
            done.0 += 1;
            let took = start.elapsed().as_secs_f64();
            print!("{text}");
            println!("[{} of {all}] {} in {took:.1} s", done.0, call.join(" "));
            done.1.add(outcome);
        }
    };
    let queues = std::iter::once(&beside).chain(std::iter::repeat_n(&main, cores));
    std::thread::scope(|scope| {
        let workers: Vec<_> = queues
            .map(|queue| scope.spawn(|| run_queue(queue)))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        let ends = joined.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ends.collect::<Result<()>>()
    })?;
    let (_, outcome) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(outcome)
}

/// Repeats a failed test alone, and prints the output.
///
/// # Errors
///
/// If cargo cannot be run.
pub(super) fn run_alone(Failed { call, name }: &Failed) -> Result<Outcome> {
    // Some test programs accept only one name.
    let only = ["--", "--exact", name].map(str::to_owned);
    let (outcome, text) = cargo_test(&[call, &only[..]].concat())?;
    print!("{text}");
    Ok(outcome)
}

/// One call of `cargo test` with one test at a time, and what it printed. Features are always those
/// of the whole workspace: with others, cargo would build the dependencies again.
fn cargo_test(arguments: &[String]) -> Result<(Outcome, String)> {
    let mut command = shell::cargo_with_clippy();
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(arguments)
        .env("RUST_TEST_THREADS", "1");
    let output = command.output().context("cargo cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut outcome = Outcome::read(arguments, &text);
    outcome.unsuccessful = u64::from(!output.status.success());
    let notes = String::from_utf8_lossy(&output.stderr);
    Ok((outcome, format!("{notes}{text}")))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outcome {
    /// Reads `text`, the standard output of the test programs of `call`. The names of failed tests
    /// come from the list before a summary, because other output can interrupt the line of a test.
    fn read(call: &[String], text: &str) -> Self {
        let mut outcome = Self::default();
        let mut listed = Vec::new();
        for line in text.lines() {
            outcome.counts.add(line);
            outcome.begun += u64::from(is_beginning(line));
            outcome.ended += u64::from(line.starts_with("test result: "));
            if line == "failures:" {
                listed.clear();
            } else if let Some(name) = line.strip_prefix("    ") {
                listed.push(name.trim_end().to_owned());
            } else if line.starts_with("test result: FAILED") {
                let failed = listed.drain(..).map(|name| Failed {
                    call: call.to_vec(),
                    name,
                });
                outcome.failed.extend(failed);
            }
        }
        outcome
    }

    fn add(&mut self, other: Self) {
        self.unsuccessful += other.unsuccessful;
        self.counts.passed += other.counts.passed;
        self.counts.failed += other.counts.failed;
        self.counts.ignored += other.counts.ignored;
        self.begun += other.begun;
        self.ended += other.ended;
        self.failed.extend(other.failed);
    }
}

/// Whether a line is the first line of a test program, such as `running 3 tests`.
fn is_beginning(line: &str) -> bool {
    let count = line.strip_prefix("running ");
    count.is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
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
        let text = "\
running 2 tests
test fine ... ok
test a::b ... output of a server
FAILED

failures:

---- a::b stdout ----
failures:
    of the test itself

failures:
    a::b

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

running 1 test
test c ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
";
        let call = ["--test", "a"].map(str::to_owned).to_vec();
        let outcome = Outcome::read(&call, text);
        let name = "a::b".to_owned();
        assert_eq!(outcome.failed, [Failed { call, name }]);
        assert_eq!((outcome.begun, outcome.ended), (2, 2));
        assert_eq!((outcome.counts.passed, outcome.counts.failed), (2, 1));
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
