//! Experiment 20: real gates on servers with a known difference, on an idle machine and beside other
//! programs that take 60 % of every core.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::row;
use crate::busy::Busy;

/// Gates for each row.
const GATES: usize = 3;
/// Share of each core that other programs take, percent.
const TAKEN: &str = "60";
/// CPU time of a response of the base, microseconds.
const MICROS: u32 = 200;
/// How much more CPU time the candidate spends, percent, with the names of the rows.
const EFFECTS: [(u32, [&str; 2]); 3] = [
    (0, ["idle, equal", "60 % taken, equal"]),
    (5, ["idle, 5 % slower", "60 % taken, 5 % slower"]),
    (10, ["idle, 10 % slower", "60 % taken, 10 % slower"]),
];
/// Shorter than by default, so that a gate takes less than a minute.
const SHORT: [&str; 10] = [
    "--slice", "400ms", "--lead", "50ms", "--gap", "50ms", "--warmup", "200ms", "--connections",
    "4",
];

/// What a row demands of its gates.
#[derive(Clone, Copy)]
enum Demand {
    /// All pass.
    Pass,
    /// All find a regression.
    Regression,
    /// Right at the margin, each passes with a probability of at most 5 %.
    AtMargin,
}

pub(super) fn real_gates(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for at in 0..2 {
        let _busy = match at {
            0 => None,
            _ => Some(Busy::start(TAKEN)?),
        };
        for (percent, names) in EFFECTS {
            let demand = match percent {
                0 => Demand::Pass,
                5 => Demand::AtMargin,
                _ => Demand::Regression,
            };
            let gates = (0..GATES).map(|_| gate(bench, percent));
            let gates = gates.collect::<Result<Vec<Decided>>>()?;
            rows.push(judged(names[at], demand, &gates));
        }
    }
    Ok(rows)
}

/// What a gate decided.
struct Decided {
    outcome: String,
    /// The figure from which the decision follows.
    by: Option<String>,
    rounds: u64,
}

/// A gate on a candidate that spends more CPU time than the base by this percentage.
fn gate(bench: &Bench, percent: u32) -> Result<Decided> {
    let this = std::env::current_exe()?;
    let launch = |name: &str, micros: u32| {
        let program = this.display();
        format!("{name}='{program}' cpu-server {{port}} {micros}")
    };
    let slower = MICROS * (100 + percent) / 100;
    let targets = [launch("base", MICROS), launch("candidate", slower)];
    let launched = ["--launch", &targets[0], "--launch", &targets[1]];
    let result = bench.gate(&[&launched[..], &SHORT].concat())?;
    let gate = &result["gate"];
    let outcome = gate["outcome"].as_str().context("no outcome")?.to_owned();
    let figures = gate["figures"].as_array().context("no figures")?;
    let deciding = figures.iter().find(|figure| figure["decides"] == true);
    let metric = |figure: &Value| figure["metric"].as_str().map(str::to_owned);
    Ok(Decided {
        outcome,
        by: deciding.and_then(metric),
        rounds: gate["rounds"].as_u64().context("no rounds")?,
    })
}

fn judged(name: &'static str, demand: Demand, gates: &[Decided]) -> Row {
    let count = |outcome: &str| gates.iter().filter(|it| it.outcome == outcome).count();
    let (passed, failed) = (count("pass"), count("regression"));
    let (limit, holds) = match demand {
        Demand::Pass => ("all pass", passed == gates.len()),
        Demand::Regression => ("all find a regression", failed == gates.len()),
        Demand::AtMargin => ("at most one passes", passed <= 1),
    };
    row(name, limit, summary(gates), holds)
}

/// The decisions with the figures from which they follow, and the rounds.
fn summary(gates: &[Decided]) -> String {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for gate in gates {
        let by = gate.by.as_ref().map(|by| format!(" by {by}"));
        let kind = format!("{}{}", gate.outcome, by.unwrap_or_default());
        *kinds.entry(kind).or_default() += 1;
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let rounds: Vec<String> = gates.iter().map(|it| it.rounds.to_string()).collect();
    format!("{}; rounds {}", kinds.join(", "), rounds.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(outcome: &str) -> Decided {
        Decided {
            outcome: outcome.to_owned(),
            by: (outcome != "cannot_tell").then(|| "throughput".to_owned()),
            rounds: 12,
        }
    }

    #[test]
    fn one_wrong_gate_fails_a_row_except_at_the_margin() {
        let holds = |demand, outcomes: &[&str]| {
            let gates: Vec<Decided> = outcomes.iter().map(|it| decided(it)).collect();
            judged("gates", demand, &gates).passed
        };
        assert!(holds(Demand::Pass, &["pass", "pass"]));
        assert!(!holds(Demand::Pass, &["pass", "cannot_tell"]));
        assert!(holds(Demand::Regression, &["regression", "regression"]));
        assert!(!holds(Demand::Regression, &["regression", "pass"]));
        assert!(holds(
            Demand::AtMargin,
            &["pass", "cannot_tell", "regression"]
        ));
        assert!(!holds(Demand::AtMargin, &["pass", "pass", "regression"]));
        let all = [decided("pass"), decided("cannot_tell"), decided("pass")];
        assert_eq!(
            summary(&all),
            "1 cannot_tell, 2 pass by throughput; rounds 12, 12, 12"
        );
    }
}
