//! Experiment 16: checks the maximum-rate search on servers with a known limit.

use anyhow::{Context, Result};

use super::Row;
use super::against::Bench;
use super::judge::row;

/// Largest relative distance of a bound of the interval on the wrong side of the limit: the step
/// size of the search.
const SPARE: f64 = 0.03;

/// A server with a known limit.
struct Known {
    name: &'static str,
    server: &'static [&'static str],
    slo: &'static str,
    slice: &'static str,
    /// The limit, operations per second.
    limit: f64,
    /// Largest ratio of the upper to the lower bound of the interval.
    widest: f64,
}

pub(super) fn highest_rate(bench: &Bench) -> Result<Vec<Row>> {
    let known = [
        // M/D/4: p99 reaches 100 ms only just below the capacity.
        Known {
            name: "four workers of 10 ms",
            server: &["--workers", "4", "--service", "fixed:10ms"],
            slo: "p99<100ms",
            slice: "1s",
            limit: 400.0,
            widest: 1.15,
        },
        // M/M/1: p99 of the response time is ln 100 ÷ (μ − λ).
        Known {
            name: "one queue, exponential service of 1 ms",
            server: &["--single-queue", "--service", "exponential:1ms"],
            slo: "p99<50ms",
            slice: "2s",
            limit: 1_000.0 - 100f64.ln() / 0.050,
            widest: 1.35,
        },
        // Requests due in the first 30 ms of a pause wait for more than 20 ms.
        Known {
            name: "a pause of 50 ms every 4,500 requests",
            server: &["--rare-pause", "50ms/4500"],
            slo: "p99<20ms",
            slice: "2s",
            limit: 4_500.0 * 0.01 / 0.030,
            widest: 8.0,
        },
    ];
    known.iter().map(|known| searched(bench, known)).collect()
}

fn searched(bench: &Bench, known: &Known) -> Result<Row> {
    let truth = bench.serve(known.server)?;
    let options = ["--slo", known.slo, "--slice", known.slice, "--seed", "1"];
    let result = bench.result(&truth, &options)?;
    let search = &result["searches"][0];
    let end = |name: &str| {
        let value = search[name].as_f64();
        value.with_context(|| format!("the interval has no end {name:?}: {search}"))
    };
    let (low, high) = (end("rate")?, end("failed")?);
    let holds = low <= known.limit * (1.0 + SPARE) && known.limit * (1.0 - SPARE) <= high;
    Ok(row(
        known.name,
        format!(
            "an interval that holds {:.0}/s, at most × {} wide",
            known.limit, known.widest
        ),
        format!("{low:.0}–{high:.0}/s (× {:.2})", high / low),
        holds && high / low <= known.widest,
    ))
}
