//! The duration of the last successful run, which the next run prints before its first step.

use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, fs};

use anyhow::{Context, Result};

use crate::shell;
use crate::steps::Steps;

/// Durations of a run, in minutes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    all: u64,
    tests: u64,
}

impl Times {
    /// The durations of all steps, and of the step with the name `tests`.
    pub(super) fn of(steps: &Steps, tests: &str) -> Self {
        Self {
            all: minutes(steps.total()),
            tests: minutes(steps.duration_of(tests)),
        }
    }

    /// The durations of the last run; `None` before the first one.
    pub(super) fn last() -> Option<Self> {
        Self::parse(&fs::read_to_string(file()).ok()?)
    }

    /// Writes the durations for the next run.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub(super) fn keep(self) -> Result<()> {
        let file = file();
        fs::write(&file, format!("{} {}\n", self.all, self.tests))
            .with_context(|| format!("cannot write {}", file.display()))
    }

    fn parse(text: &str) -> Option<Self> {
        let (all, tests) = text.trim().split_once(' ')?;
        Some(Self {
            all: all.parse().ok()?,
            tests: tests.parse().ok()?,
        })
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, tests } = self;
        write!(
            f,
            "The last run took {all} minutes, of which the tests took {tests}."
        )
    }
}

fn minutes(duration: Duration) -> u64 {
    (duration.as_secs() + 30) / 60
}

/// The file: all minutes, a space, minutes of the tests.
fn file() -> PathBuf {
    shell::target_directory().join("test-minutes.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_writes_is_read() {
        let times = Times { all: 32, tests: 29 };
        assert_eq!(Times::parse("32 29\n"), Some(times));
        assert_eq!(
            times.to_string(),
            "The last run took 32 minutes, of which the tests took 29."
        );
        for text in ["", "32", "32 x", "32 29 1"] {
            assert_eq!(Times::parse(text), None, "{text:?}");
        }
        assert_eq!(minutes(Duration::from_secs(1744)), 29);
    }
}
