//! Named steps, each with the time it took.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The steps done so far.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(&'static str, Duration)>,
}

impl Steps {
    /// Does one step, saying so before and after.
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

    /// Prints every step with its time, and their sum.
    pub(crate) fn print_times(&self) {
        let total: Duration = self.done.iter().map(|(_, took)| *took).sum();
        println!();
        for (name, took) in self.done.iter().chain([&("together", total)]) {
            println!("{:>8.1} s  {name}", took.as_secs_f64());
        }
    }
}
