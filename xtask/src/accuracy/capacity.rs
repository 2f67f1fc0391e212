//! Experiment 15: checks the knee and the number of workers that Tenbin finds for a server with a
//! known capacity.

use anyhow::{Context, Result};
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::{row, within};

/// Largest relative error of the capacity.
const TOLERANCE: f64 = 0.05;
const LIMIT: &str = "within 5 %";

/// Number of workers of the server.
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
