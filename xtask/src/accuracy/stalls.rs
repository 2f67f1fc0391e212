//! Experiment 17: checks the percentiles of a run of eight slices with a server stall in one slice.

use anyhow::{Context, Result};
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::row;
use super::statistics::{quantile, times_served};

/// Options for eight slices without pauses and settling times, so that the log contains only
/// requests of the slices.
const SLICES: &[&str] = &[
    "--seed", "1", "--rounds", "8", "--slice", "3s", "--warmup", "0s", "--lead", "0s", "--gap",
    "0s", "--may-differ", "body",
];

/// Allowed relative difference between a percentile and the same percentile of the log.
const SHARE: f64 = 0.02;
const MILLIS: f64 = 2.0;

pub(super) fn one_of_eight(bench: &Bench) -> Result<Vec<Row>> {
    // More connections than waiting requests, so that every request arrives when due.
    let open = ["--rate", "200/s", "-c", "512"];
    let closed = ["-c", "64"];
    let mut rows = printed(
        bench,
        "fixed:1ms",
        &open,
        ["open loop, p90", "open loop, p99"],
    )?;
    rows.extend(printed(
        bench,
        "fixed:300ms",
        &closed,
        ["closed loop, p90", "closed loop, p99"],
    )?);
    Ok(rows)
}

/// Compares the printed p90 and p99 with those of the log, and checks that Tenbin reports the
/// stall.
fn printed(
    bench: &Bench,
    service: &str,
    load: &[&str],
    names: [&'static str; 2],
) -> Result<Vec<Row>> {
    let truth = bench.serve(&["--service", service, "--stall", "12500ms+2s"])?;
    let options: Vec<&str> = SLICES.iter().chain(load).copied().collect();
    let result = bench.result(&truth, &options)?;
    let log = truth.stop()?;
    let served = times_served(&log.served);
    let operation = &result["results"][0]["operations"][0];
    let mut rows = Vec::new();
    for (what, (name, q)) in names.into_iter().zip([("p90", 0.90), ("p99", 0.99)]) {
        let value = &operation[name]["value"];
        let found = value.as_f64().context("a percentile is missing")? * 1e3;
        let logged = quantile(&served, q);
        rows.push(row(
            what,
            format!("that of the log within 2 % and {MILLIS} ms"),
            format!("{found:.1} and {logged:.1} ms"),
            (found - logged).abs() <= SHARE * logged + MILLIS,
        ));
    }
    rows.push(stall_found(&result));
    Ok(rows)
}

fn stall_found(result: &Value) -> Row {
    let findings = result["findings"].as_array().into_iter().flatten();
    let mut stalls = findings.filter(|finding| finding["rule"] == "stalls");
    let evidence = stalls
        .next()
        .and_then(|finding| finding["evidence"].as_str());
    row(
        "the finding `stalls`",
        "present",
        evidence.unwrap_or("none").to_owned(),
        evidence.is_some(),
    )
}
