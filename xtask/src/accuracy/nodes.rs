//! Experiment 19: compares three real Groongas with one. A control group limits each to a share of
//! a core, so that three nodes fit on a small machine and serve three times what one serves.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::{row, within};
use crate::shell;

/// CPU quota of a node, percent of a core. Its periods are short, because a window may hold one period
/// more or less than its length.
const PERCENT: u32 = 20;
const PERIOD_MS: u32 = 10;
const NODES: f64 = 3.0;
/// Largest relative error of the ratio.
const TOLERANCE: f64 = 0.1;
/// Largest relative difference between the quotas and the CPU time that the nodes used.
const USED: f64 = 0.1;
/// The limits that are the CPU quota: see `tenbin explain limit`.
const RIGHT: [&str; 2] = ["cpu_quota", "few_cores"];

/// Every search is sent to every node without a cache, and each node has all pages.
const PLAN: &str = r#"
name = "nodes"
baseline = "one"
seed = 1

[corpus]
synthetic = 200
text_limit = 500
terms = 50
# Computes some milliseconds over all pages. The CPU time of short searches depends on how often cores
# sleep, and would differ between the targets.
base = "/d/select?table=Pages&limit=1&output_columns=_key&filter=edit_distance(text,%22tenbin%22)%3E0&term="

[rounds]
count = 12
slice = "1s"
gap = "100ms"
warmup = "500ms"
sustain = "0"

[load]
# A node pauses when its quota is used up. The others need requests meanwhile.
connections = 24
# Groonga closes after every response.
keep_alive = false

[[workload]]
name = "search"
kind = "http"
patterns = "{corpus}"
hits = "groonga"
"#;

pub(super) fn three_against_one(bench: &Bench) -> Result<Vec<Row>> {
    if let Err(missing) = check_quotas() {
        return Ok(vec![row(
            "throughput of three nodes ÷ one",
            "measured",
            format!("not measured: {missing:#}"),
            false,
        )]);
    }
    let plan = format!("{PLAN}{}{}", target("one", 1), target("three", 3));
    let result = bench.planned(&plan)?;
    let mut rows = vec![ratio(&result)?, trust(&result)];
    for (name, what, nodes) in [
        ("one", ["cores of one node", "limit of one node"], 1.0),
        (
            "three",
            ["cores of three nodes", "limit of three nodes"],
            NODES,
        ),
    ] {
        let mut limits = result["limits"].as_array().into_iter().flatten();
        let limit = limits.find(|limit| limit["target"] == name);
        rows.extend(of_node(limit.context("a limit is missing")?, what, nodes)?);
    }
    Ok(rows)
}

/// Checks that the servers can be limited: the programs are there, and this user may create control
/// groups.
fn check_quotas() -> Result<()> {
    shell::find_program("groonga").context("install groonga (`cargo xtask setup`)")?;
    let quota = example("stress-faq/quota.sh");
    shell::output_of(Command::new("sh").arg(quota).args([&limit(), "true"])).context(
        "a CPU quota needs root and control groups at /sys/fs/cgroup: version 2, or version 1 with \
         the controller cpu",
    )?;
    Ok(())
}

/// The table of a target in the plan.
fn target(name: &str, nodes: u32) -> String {
    let command = format!(
        "sh '{}' {} sh '{}' {{host}} {{port}} {{data}} --cache-limit 0",
        example("stress-faq/quota.sh").display(),
        limit(),
        example("search/groonga.sh").display()
    );
    format!(
        "[[target]]\nname = {name:?}\nnodes = {nodes}\ncorpus = \"groonga\"\ncommand = {command:?}\n\
         ready = {{ url = \"http://{{host}}:{{port}}/d/status\" }}\n"
    )
}

/// The first argument of `quota.sh`.
fn limit() -> String {
    format!("{PERCENT}/{PERIOD_MS}")
}

pub(super) fn example(file: &str) -> PathBuf {
    shell::workspace_root().join("examples").join(file)
}

fn ratio(result: &Value) -> Result<Row> {
    let comparisons = result["comparisons"].as_array().into_iter().flatten();
    let mut comparisons = comparisons.filter(|it| it["primary"] == true);
    let ratio = &comparisons.next().context("no primary comparison")?["ratio"];
    let number = |value: &Value| value.as_f64().context("the ratio has no interval");
    let value = number(&ratio["value"])?;
    let low = number(&ratio["interval"]["low"])?;
    let high = number(&ratio["interval"]["high"])?;
    Ok(row(
        "throughput of three nodes ÷ one",
        format!("{NODES} within {:.0} %", 100.0 * TOLERANCE),
        format!("{value:.3} ({low:.3} to {high:.3})"),
        within(value, NODES, TOLERANCE),
    ))
}

fn trust(result: &Value) -> Row {
    let trust = &result["trust"];
    row(
        "trust",
        "not INVALID",
        trust.as_str().unwrap_or("unknown").to_owned(),
        trust == "valid" || trust == "suspect",
    )
}

/// The CPU time that the nodes used, which makes the true ratio known, and what limited them.
fn of_node(limit: &Value, [cores, what]: [&'static str; 2], nodes: f64) -> Result<[Row; 2]> {
    let quota = nodes * f64::from(PERCENT) / 100.0;
    let used = limit["figures"]["target_cores"].as_f64();
    let used = used.context("the CPU time of a target is unknown")?;
    let text = |key: &str| limit[key].as_str().unwrap_or("unknown");
    Ok([
        row(
            cores,
            format!("their quota of {quota:.1} within {:.0} %", 100.0 * USED),
            format!("{used:.3}"),
            within(used, quota, USED),
        ),
        row(
            what,
            "the CPU quota, `cpu_quota` or `few_cores`",
            format!(
                "`{}`, {}: {}",
                text("cause"),
                text("certainty"),
                text("evidence")
            ),
            RIGHT.contains(&text("cause")),
        ),
    ])
}
