//! Experiment 16: the highest rate of servers whose limit is known.

use anyhow::{Context, Result};

use super::Row;
use super::against::Bench;
use super::judge::row;

/// How far from the limit an end of the interval may lie on the wrong side: the steps of a search.
const SPARE: f64 = 0.03;

/// A server with a known limit.
struct Known {
    name: &'static str,
    server: &'static [&'static str],
    slo: &'static str,
    slice: &'static str,
    /// Operations a second.
    limit: f64,
    /// Most that the upper end of the interval may be of the lower.
    widest: f64,
}

pub(super) fn highest_rate(bench: &Bench) -> Result<Vec<Row>> {
    let known = [
        // M/D/4: a queue of p99 < 100 ms is all but reached at the capacity itself.
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
        // Of a pause the requests of the first 30 ms wait for more than 20 ms.
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
