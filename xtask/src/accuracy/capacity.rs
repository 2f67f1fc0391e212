//! Experiments 15 and 16: the knee, the workers and the highest rate of servers whose
//! capacity is known.

use anyhow::{Context, Result};
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::{row, within};

/// How far from the truth a capacity may be found.
const TOLERANCE: f64 = 0.05;
const LIMIT: &str = "within 5 %";

/// Workers, each busy for this long with one request.
const WORKERS: f64 = 4.0;
const SERVICE_SECONDS: f64 = 0.010;
const WORKERS_OPTIONS: &[&str] = &["--workers", "4", "--service", "fixed:10ms"];

pub(super) fn ramp(bench: &Bench) -> Result<Vec<Row>> {
    let truth = bench.serve(WORKERS_OPTIONS)?;
    let options = [
        "--ramp", "1..64", "--rounds", "8", "--slice", "2s", "--gap", "100ms", "--seed", "1",
    ];
    let result = bench.result(&truth, &options)?;
    let capacity = &result["capacities"][0];
    let knee = &capacity["knee"];
    let most = number(&capacity["peak"]["value"])?;
    let workers = number(&capacity["workers"]["value"])?;
    let sides = number(&capacity["hysteresis"]["value"])?;
    Ok(vec![
        row(
            "knee",
            "4 connections",
            format!("{} (found: {})", knee["connections"], knee["found"]),
            knee["connections"] == 4 && knee["found"] == true,
        ),
        near("largest throughput", most, WORKERS / SERVICE_SECONDS, "/s"),
        near("workers", workers, WORKERS, ""),
        near("down against up", sides, 1.0, ""),
    ])
}

pub(super) fn highest_rate(bench: &Bench) -> Result<Vec<Row>> {
    // M/D/4: a queue of p99 < 100 ms is all but reached at the capacity itself.
    let fixed = searched(bench, WORKERS_OPTIONS, "p99<100ms", "4s")?;
    // M/M/1: p99 of the response time is ln 100 ÷ (μ − λ).
    let one_queue = ["--single-queue", "--service", "exponential:1ms"];
    let random = searched(bench, &one_queue, "p99<50ms", "10s")?;
    let (mu, limit) = (1_000.0, 0.050);
    Ok(vec![
        near(
            "four workers of 10 ms",
            fixed,
            WORKERS / SERVICE_SECONDS,
            "/s",
        ),
        near(
            "one queue, exponential service of 1 ms",
            random,
            mu - 100f64.ln() / limit,
            "/s",
        ),
    ])
}

fn searched(bench: &Bench, server: &[&str], slo: &str, slice: &str) -> Result<f64> {
    let truth = bench.serve(server)?;
    let options = ["--slo", slo, "--slice", slice, "--seed", "1"];
    let result = bench.result(&truth, &options)?;
    let search = &result["searches"][0];
    anyhow::ensure!(search["outcome"] == "proven", "not proven: {search}");
    number(&search["rate"])
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a figure is missing")
}

fn near(what: &'static str, found: f64, truth: f64, unit: &str) -> Row {
    row(
        what,
        format!("{LIMIT} of {truth:.1}{unit}"),
        format!("{found:.2}{unit} ({:+.1} %)", (found / truth - 1.0) * 100.0),
        within(found, truth, TOLERANCE),
    )
}
