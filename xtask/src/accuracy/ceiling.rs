//! Experiment 1: the highest rate of the engine without a server.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::Row;
use super::against::Bench;
use super::judge::row;
use crate::shell;

const CONNECTIONS: &str = "64";

pub(super) fn build() -> Result<()> {
    let example = ["-p", "tenbin-engine", "--example", "get"];
    shell::succeed(shell::cargo().args(["build", "--release"]).args(example))
}

/// Compares the rate of the engine without a server with its rate on a server without delays.
pub(super) fn perform(bench: &Bench) -> Result<Vec<Row>> {
    let truth = bench.serve(&[])?;
    let address = truth
        .url
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let reached = rate(&bench.programs, address)?;
    let ceiling = rate(&bench.programs, "null")?;
    Ok(vec![
        row(
            "cost of an operation without a server",
            "reported",
            format!("{:.0} ns", 1e9 / ceiling),
            ceiling > 0.0,
        ),
        row(
            "rate without a server ÷ rate with one",
            "at least 10",
            format!("{:.1} ({ceiling:.0}/s ÷ {reached:.0}/s)", ceiling / reached),
            ceiling >= 10.0 * reached,
        ),
    ])
}

/// Correct responses per second on one thread in a closed loop.
fn rate(programs: &Path, carrier: &str) -> Result<f64> {
    let said = shell::output_of(
        Command::new(programs.join("examples/get")).args([carrier, CONNECTIONS, "3"]),
    )?;
    let words: Vec<&str> = said.split_whitespace().collect();
    words
        .windows(2)
        .find(|pair| pair[0] == "rate")
        .and_then(|pair| pair[1].strip_suffix("/s")?.parse().ok())
        .with_context(|| format!("no rate in {said:?}"))
}
