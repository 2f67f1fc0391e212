//! Named steps with their durations.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The completed steps.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(&'static str, Duration)>,
}

impl Steps {
    /// Runs one step and prints its name before and its duration after.
    pub(crate) fn run<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        println!("\n==> {name}");
        let start = Instant::now();
        let result = step().with_context(|| format!("step `{name}`"));
        let took = start.elapsed();
        let word = if result.is_ok() { "done" } else { "FAILED" };
        println!("<== {name}: {word} in {:.1} s", took.as_secs_f64());
        self.done.push((name, took));
        result
    }

    /// The duration of all steps.
    pub(crate) fn total(&self) -> Duration {
        self.done.iter().map(|(_, took)| *took).sum()
    }

    /// The duration of the step with this name; zero if it was not run.
    pub(crate) fn duration_of(&self, name: &str) -> Duration {
        let steps = self.done.iter().filter(|(done, _)| *done == name);
        steps.map(|(_, took)| *took).sum()
    }

    /// Prints the duration of every step and the total.
    pub(crate) fn print_times(&self) {
        println!();
        for (name, took) in self.done.iter().chain([&("together", self.total())]) {
            println!("{:>8.1} s  {name}", took.as_secs_f64());
        }
    }
}
