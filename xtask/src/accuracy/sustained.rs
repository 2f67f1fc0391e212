//! Experiment 18: compares a steady server with servers that save requests while they rest, and
//! checks that their lead is not reported as a verdict, or that the result states how large a
//! credit it could have found.

use anyhow::{Context, Result};
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::{row, within};

/// Sustained capacity of the server with a credit, requests per second.
const SUSTAINED: f64 = 700.0;
/// Options of the server with a credit: 8 connections at 5.7 ms reach about 1,390/s.
const RESTS: &[&str] = &[
    "--capacity", "700/s", "--service", "fixed:5.7ms", "--credit",
];
const STEADY: &[&str] = &["--capacity", "1000/s", "--service", "fixed:5.7ms"];
/// Short rounds; connections of both servers are the default of 8.
const ROUNDS: &[&str] = &["-c", "8", "--seed", "1"];
const TOLERANCE: f64 = 0.05;

pub(super) fn credits(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = found(
        bench,
        "500",
        &[],
        ["credit of 500: verdict", "sustained throughput"],
    )?;
    rows.extend(found(
        bench,
        "8000",
        &["--sustain", "30s"],
        [
            "credit of 8,000, --sustain 30s: verdict",
            "sustained throughput",
        ],
    )?);
    let result = compare(bench, "100000", &[])?;
    let (seconds, operations) = (
        sustained(&result, "seconds")?,
        sustained(&result, "operations")?,
    );
    rows.push(row(
        "credit of 100,000: the stretch that was measured",
        "its length and its requests, fewer than 100,000",
        format!("{seconds:.1} s, {operations} requests"),
        seconds > 0.0 && operations < 100_000.0,
    ));
    let other = bench.serve(STEADY)?;
    let steady = bench.serve(STEADY)?;
    let result = bench.compared(&steady, &other, ROUNDS)?;
    rows.push(row(
        "two steady servers: finding `sustained`",
        "none",
        format!("{}", findings(&result)),
        findings(&result) == 0,
    ));
    Ok(rows)
}

fn found(
    bench: &Bench,
    credit: &str,
    options: &[&str],
    names: [&'static str; 2],
) -> Result<Vec<Row>> {
    let result = compare(bench, credit, options)?;
    let comparisons = result["comparisons"].as_array().into_iter().flatten();
    let primary = comparisons.into_iter().find(|it| it["primary"] == true);
    let outcome = primary.context("no primary comparison")?["outcome"]["kind"].clone();
    let rate = sustained(&result, "throughput")?;
    Ok(vec![
        row(
            names[0],
            "withheld (not_sustained)",
            outcome.to_string(),
            outcome == "not_sustained",
        ),
        row(
            names[1],
            format!("within 5 % of {SUSTAINED}/s"),
            format!("{rate:.0}/s"),
            within(rate, SUSTAINED, TOLERANCE),
        ),
    ])
}

/// Compares a server with a credit of this number of requests with the steady server.
fn compare(bench: &Bench, credit: &str, options: &[&str]) -> Result<Value> {
    let server: Vec<&str> = RESTS.iter().copied().chain([credit]).collect();
    let rests = bench.serve(&server)?;
    let steady = bench.serve(STEADY)?;
    let all: Vec<&str> = ROUNDS.iter().chain(options).copied().collect();
    bench.compared(&rests, &steady, &all)
}

/// A figure of the continuous load on the first target.
fn sustained(result: &Value, figure: &str) -> Result<f64> {
    let found = &result["results"][0]["sustained"][figure];
    found
        .as_f64()
        .with_context(|| format!("no sustained {figure}"))
}

fn findings(result: &Value) -> usize {
    let all = result["findings"].as_array().into_iter().flatten();
    all.filter(|finding| finding["rule"] == "sustained").count()
}
