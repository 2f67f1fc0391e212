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

    /// Prints the duration of every step and the total.
    pub(crate) fn print_times(&self) {
        let total: Duration = self.done.iter().map(|(_, took)| *took).sum();
        println!();
        for (name, took) in self.done.iter().chain([&("together", total)]) {
            println!("{:>8.1} s  {name}", took.as_secs_f64());
        }
    }
}
