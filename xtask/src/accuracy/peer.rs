//! Experiment 14: compares median latencies with those of other load generators, at low load.

use std::process::Command;

use anyhow::{Context, Result};

use super::Row;
use super::against::{Bench, Truth};
use super::judge::row;
use crate::shell;

/// Number of runs of each generator. The runs alternate; the median run counts.
const TURNS: usize = 3;
const SECONDS: &str = "5s";

/// Another load generator: name, arguments for connections and URL, and a parser that returns the
/// median in milliseconds from the output.
struct Peer {
    name: &'static str,
    arguments: fn(&str, &str) -> Vec<String>,
    median: fn(&str) -> Option<f64>,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "wrk",
        arguments: |connections, url| {
            words(&[
                "-t", "1", "-c", connections, "-d", SECONDS, "--latency", url,
            ])
        },
        median: |said| time(after(said, "50%")?),
    },
    Peer {
        name: "oha",
        arguments: |connections, url| {
            let format = ["--no-tui", "--output-format", "json"];
            let load = ["-z", SECONDS, "-c", connections, url];
            words(&[&format[..], &load].concat())
        },
        median: |said| {
            let said: serde_json::Value = serde_json::from_str(said).ok()?;
            Some(said["latencyPercentiles"]["p50"].as_f64()? * 1e3)
        },
    },
];

/// Allowed difference for the time between the socket and the clock of a generator, milliseconds.
/// For responses of about 20 µs, this time differs by more than 5 % between generators.
const OWN: f64 = 0.01;

/// Service time of the server, and number of connections.
const LOADS: &[(&str, &str)] = &[("fixed:5ms", "8"), ("fixed:0s", "1")];

pub(super) fn perform(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for peer in PEERS {
        if shell::find_program(peer.name).is_none() {
            println!("  {} is not installed", peer.name);
            continue;
        }
        for (service, connections) in LOADS {
            let truth = bench.serve(&["--service", service])?;
            rows.push(compare(bench, &truth, peer, service, connections)?);
        }
    }
    anyhow::ensure!(!rows.is_empty(), "there is nothing to compare with");
    Ok(rows)
}

fn compare(
    bench: &Bench,
    truth: &Truth,
    peer: &Peer,
    service: &str,
    connections: &str,
) -> Result<Row> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let options = ["--slice", SECONDS, "-c", connections, "--threads", "1"];
        let recorded = bench.load(truth, &options, None)?;
        ours.push(recorded.service.value_at_quantile(0.5) as f64 / 1e6);
        let arguments = (peer.arguments)(connections, &truth.url);
        let said = shell::output_of(Command::new(peer.name).args(arguments))?;
        let median = (peer.median)(&said)
            .with_context(|| format!("{} did not say its median: {said}", peer.name))?;
        theirs.push(median);
    }
    let (ours, theirs) = (middle(ours), middle(theirs));
    Ok(row(
        "median beside that of another generator",
        "within 5 % or 0.01 ms",
        format!(
            "{ours:.4} ms and {theirs:.4} ms of {} ({:+.1} %), {service}, {connections} connections",
            peer.name,
            (ours / theirs - 1.0) * 100.0
        ),
        (ours - theirs).abs() <= OWN.max(0.05 * theirs),
    ))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The word after `word`.
fn after<'a>(said: &'a str, word: &str) -> Option<&'a str> {
    let mut words = said.split_whitespace();
    words.find(|&one| one == word)?;
    words.next()
}

/// Parses `61.00us`, `5.07ms` or `1.00s` to milliseconds.
fn time(text: &str) -> Option<f64> {
    for (unit, millis) in [("us", 1e-3), ("ms", 1.0), ("s", 1e3)] {
        if let Some(number) = text.strip_suffix(unit) {
            return Some(number.parse::<f64>().ok()? * millis);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_median_of_wrk() {
        let said = "  Latency Distribution\n     50%   71.00us\n     75%    5.12ms\n";
        let median = (PEERS[0].median)(said).expect("a median");
        assert!((median - 0.071).abs() < 1e-9, "{median}");
        assert_eq!(time("5.12ms"), Some(5.12));
        assert_eq!(time("1.50s"), Some(1500.0));
    }
}
