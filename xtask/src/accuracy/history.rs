//! Experiment 21: a history over two machines. The second is the first with half of the CPU time for
//! the servers, from a control group. Some runs after the move, the target becomes 5 % slower.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::Row;
use super::against::Bench;
use super::judge::row;
use super::nodes::example;
use crate::shell;

/// Runs in each phase.
const RUNS: usize = 12;
/// CPU time of a response, microseconds: of the anchor, and of the target before and after the change.
const COST: u32 = 200;
const SLOWER: u32 = 210;
/// CPU quota of each server on the second machine, percent of a core in periods of some milliseconds.
const HALF: &str = "50/10";
/// Largest error of a change, as a share.
const TOLERANCE: f64 = 0.03;
/// Longest time for a server to start.
const PATIENCE: Duration = Duration::from_secs(10);

/// Four connections, so that a server with one thread always has a request.
const PLAN: &str = r#"
baseline = "ref"
seed = 1

[rounds]
count = 12
slice = "200ms"
gap = "20ms"
warmup = "300ms"
sustain = "0"

[load]
connections = 4

[[workload]]
name = "get"
kind = "http"
"#;

/// Runs under the same conditions.
struct Phase {
    /// Name of the plan, and the end of the names of the runs.
    name: &'static str,
    /// Whether the servers have half of the CPU time.
    slow: bool,
    /// CPU time of a response of the target, microseconds.
    cost: u32,
    /// Version of the target in the plan.
    version: &'static str,
}

const PHASES: [Phase; 3] = [
    Phase {
        name: "fast",
        slow: false,
        cost: COST,
        version: "1",
    },
    Phase {
        name: "slow",
        slow: true,
        cost: COST,
        version: "1",
    },
    Phase {
        name: "slow-5",
        slow: true,
        cost: SLOWER,
        version: "2",
    },
];

pub(super) fn two_machines(bench: &Bench) -> Result<Vec<Row>> {
    let quota = example("stress-faq/quota.sh");
    let tried = shell::output_of(Command::new("sh").arg(quota).args([HALF, "true"]));
    if let Err(missing) = tried {
        return Ok(vec![row(
            "changes, with an anchor",
            "one",
            format!("not measured: a CPU quota needs root and control groups: {missing:#}"),
            false,
        )]);
    }
    let ports = [shell::free_port()?, shell::free_port()?];
    for phase in &PHASES {
        for _ in 0..RUNS {
            let _servers = [
                Server::start(ports[0], COST, phase.slow)?,
                Server::start(ports[1], phase.cost, phase.slow)?,
            ];
            bench.kept(&plan(ports, phase))?;
        }
    }
    let anchored = history(bench, &["--anchor", "ref"])?;
    let absolute = history(bench, &[])?;
    let mut rows = with_anchor(&anchored)?;
    rows.extend(without(&absolute)?);
    let text = bench.text(&["history", "runs"])?;
    let begin = "absolute figures: they change with the machine";
    rows.push(row(
        "without: warning",
        format!("\"{begin}…\""),
        text.contains(begin).to_string(),
        text.contains(begin),
    ));
    Ok(rows)
}

fn plan(ports: [u16; 2], phase: &Phase) -> String {
    let target = |name: &str, port: u16, version: &str| {
        format!(
            "[[target]]\nname = {name:?}\nurl = \"http://127.0.0.1:{port}/\"\nversion = {version:?}\n\
             observe = {{ port = true }}\n"
        )
    };
    let targets = [
        target("ref", ports[0], "1"),
        target("app", ports[1], phase.version),
    ];
    format!("name = {:?}\n{PLAN}{}", phase.name, targets.concat())
}

/// The only series of the target.
fn history(bench: &Bench, options: &[&str]) -> Result<Value> {
    let asked = ["history", "runs", "--target", "app", "--json"];
    let text = bench.text(&[&asked[..], options].concat())?;
    let history: Value = serde_json::from_str(&text)?;
    let series = &history["series"];
    ensure!(
        series.as_array().map(Vec::len) == Some(1),
        "not one series: {text}"
    );
    Ok(series[0].clone())
}

/// The checks of the ratios to the anchor.
fn with_anchor(series: &Value) -> Result<Vec<Row>> {
    let changes = changes(series);
    let truth = f64::from(COST) / f64::from(SLOWER);
    let mut rows = vec![row(
        "with the anchor: changes at the move, and in all",
        "none, and 1",
        format!(
            "{}, and {}",
            at(series, &changes, RUNS)?.len(),
            changes.len()
        ),
        changes.len() == 1 && at(series, &changes, RUNS)?.is_empty(),
    )];
    let injected = at(series, &changes, 2 * RUNS)?;
    rows.push(row(
        "with the anchor: run of the injected change",
        format!("{} ± 1 run", name_of(series, 2 * RUNS)),
        names(&changes),
        injected.len() == 1,
    ));
    let Some(change) = injected.first() else {
        return Ok(rows);
    };
    let size = number(&change["ratio"]["value"])?;
    let ends = &change["ratio"]["interval"];
    rows.push(row(
        "with the anchor: size of the injected change",
        format!("{} within 3 points, worse", percent(truth)),
        format!(
            "{} ({} … {})",
            percent(size),
            percent(number(&ends["low"])?),
            percent(number(&ends["high"])?)
        ),
        (size - truth).abs() <= TOLERANCE && change["better"] == false,
    ));
    rows.push(row(
        "with the anchor: what else changed then",
        "the version of the target",
        circumstances(change),
        circumstances(change) == "version of app 1 → 2",
    ));
    Ok(rows)
}

/// The checks of the absolute figures.
fn without(series: &Value) -> Result<Vec<Row>> {
    let changes = changes(series);
    let moved = at(series, &changes, RUNS)?;
    let Some(change) = moved.first() else {
        return Ok(vec![row(
            "without: the move",
            format!("{} ± 1 run", name_of(series, RUNS)),
            names(&changes),
            false,
        )]);
    };
    let size = number(&change["ratio"]["value"])?;
    let said = circumstances(change);
    Ok(vec![
        row(
            "without: the move",
            format!("{} ± 1 run", name_of(series, RUNS)),
            names(&changes),
            true,
        ),
        row(
            "without: size of the move",
            "worse; -50.0 % on an idle machine",
            percent(size),
            change["better"] == false,
        ),
        row(
            "without: what else changed then",
            "the CPU quota of the target",
            said.clone(),
            said == "cpu_quota of app unlimited → 0.5",
        ),
    ])
}

fn changes(series: &Value) -> Vec<&Value> {
    series["changes"].as_array().into_iter().flatten().collect()
}

/// The changes whose first run is at most one run from the run with this index.
fn at<'a>(series: &Value, changes: &[&'a Value], index: usize) -> Result<Vec<&'a Value>> {
    let points = series["points"].as_array().context("no runs")?;
    let place = |change: &Value| {
        points
            .iter()
            .position(|point| point["run"] == change["run"])
    };
    let is_near = |change: &&&Value| place(change).is_some_and(|it| it.abs_diff(index) <= 1);
    Ok(changes.iter().filter(is_near).copied().collect())
}

fn name_of(series: &Value, index: usize) -> &str {
    series["points"][index]["run"].as_str().unwrap_or("missing")
}

fn names(changes: &[&Value]) -> String {
    let names = changes.iter().filter_map(|change| change["run"].as_str());
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// What else changed, as in `version of app 1 → 2`.
fn circumstances(change: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = change["changed"].as_array().into_iter().flatten();
    let said = all.map(|it| {
        let of = it["of"]
            .as_str()
            .map_or_else(String::new, |of| format!(" of {of}"));
        format!(
            "{}{of} {} → {}",
            text(&it["what"]),
            text(&it["before"]),
            text(&it["after"])
        )
    });
    said.collect::<Vec<_>>().join(", ")
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a figure is missing")
}

fn percent(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}

/// A server whose responses cost a known CPU time, perhaps in a control group; stopped on drop.
struct Server(Child);

impl Server {
    fn start(port: u16, cost: u32, slow: bool) -> Result<Self> {
        let program: PathBuf = std::env::current_exe()?;
        let mut command = if slow {
            let mut limited = Command::new("sh");
            limited
                .arg(example("stress-faq/quota.sh"))
                .arg(HALF)
                .arg(program);
            limited
        } else {
            Command::new(program)
        };
        command.args(["cpu-server", &port.to_string(), &cost.to_string()]);
        // The shell says that the server was terminated.
        let server = Self(command.stderr(Stdio::null()).spawn()?);
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(started.elapsed() < PATIENCE, "the server does not start");
            thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The script stops the server and removes its control group. Failures do not matter for a
        // server that has ended.
        let _ = kill(Pid::from_raw(self.0.id() as i32), Signal::SIGTERM);
        let _ = self.0.wait();
    }
}
