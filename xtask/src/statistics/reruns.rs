//! `cargo xtask statistics --reruns`: runs an experiment, runs it again while another load is on
//! the machine, and counts how often the unchanged target is called faster or slower.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Server;
use crate::busy::Busy;
use crate::{kept, shell};

/// Number of pairs of runs.
const PAIRS: usize = 20;
/// Largest number of pairs in which the unchanged target may be called faster or slower. With a
/// rate of 5 %, a larger number has a probability of 2 %.
const MOST_CALLED: usize = 3;
/// Load of other programs, percent of every core, during the earlier and the later run; used in
/// turn.
const LOADS: [(u32, u32); 10] = [
    (0, 0),
    (0, 100),
    (100, 0),
    (0, 50),
    (50, 100),
    (25, 75),
    (100, 100),
    (75, 10),
    (0, 25),
    (50, 50),
];

/// Runs the pairs, prints the table and saves the table in a dated folder.
///
/// # Errors
/// If a program cannot be built or run, or more pairs than allowed are called faster or slower.
pub(crate) fn run() -> Result<()> {
    let tenbin = binary()?;
    let scratch = std::env::temp_dir().join(format!("tenbin-reruns-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let servers = [Server::start(&tenbin)?, Server::start(&tenbin)?];
    let mut table = String::from(
        "| load before, after | control, after ÷ before | slices alone | with the variation between runs | \
         verdict |\n|---|---|---|---|---|\n",
    );
    let (mut called, mut naive) = (0, 0);
    for number in 0..PAIRS {
        let (before, after) = LOADS[number % LOADS.len()];
        let into = scratch.join(number.to_string());
        let found = pair(&tenbin, &servers, &into, before, after)?;
        println!("{}. {before} %, then {after} %: {found:?}", number + 1);
        called += usize::from(matches!(found.word.as_str(), "faster" | "slower"));
        naive += usize::from(found.slices_exclude_one);
        let _ = writeln!(
            table,
            "| {before} %, {after} % | {} | {} | {} | {} |",
            found.control, found.slices, found.interval, found.word
        );
    }
    drop(servers);
    let _ = std::fs::remove_dir_all(&scratch);
    let summary = format!(
        "{called} of {PAIRS} pairs of runs of one experiment called faster or slower, at most \
         {MOST_CALLED} allowed; the intervals from the slices alone exclude no change in {naive}."
    );
    println!("{table}\n{summary}");
    let machine = crate::cost::machine()?;
    let page = format!(
        "# Reruns\n\n`cargo xtask statistics --reruns`: two built-in servers, one of them the baseline, and the \
         same run again; other programs use a share of every core. {summary}\n\n{table}\n{machine}.\n"
    );
    println!("kept in {}", kept::page("reruns", &page)?.display());
    ensure!(
        called <= MOST_CALLED,
        "too many pairs are called faster or slower"
    );
    Ok(())
}

/// The program to test: that of the variable `TENBIN_BINARY`, or a release build.
fn binary() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("TENBIN_BINARY") {
        return Ok(PathBuf::from(named));
    }
    shell::succeed(shell::cargo().args(["build", "--release", "-p", "tenbin"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    Ok(std::path::absolute(target.join("release/tenbin"))?)
}

/// What `tenbin rerun` said about the unchanged target.
#[derive(Debug)]
struct Found {
    word: String,
    control: String,
    slices: String,
    slices_exclude_one: bool,
    interval: String,
}

fn pair(
    tenbin: &Path,
    servers: &[Server; 2],
    into: &Path,
    before: u32,
    after: u32,
) -> Result<Found> {
    let load = |percent: u32| match percent {
        0 => Ok(None),
        some => Busy::start(&some.to_string()).map(Some),
    };
    let first = {
        let _busy = load(before)?;
        let targets = [
            format!("old={}", servers[0].url),
            format!("new={}", servers[1].url),
        ];
        let mut command = Command::new(tenbin);
        command.args(["http", "--target", &targets[0], "--target", &targets[1]]);
        command.args(["--connections", "4", "--slice", "200ms", "--lead", "50ms"]);
        command.args(["--gap", "20ms", "--warmup", "200ms"]);
        document(command, into)?
    };
    let directory = first["run"]["directory"].as_str();
    let directory = directory.context("the run has no directory")?.to_owned();
    let second = {
        let _busy = load(after)?;
        let mut command = Command::new(tenbin);
        command.args(["rerun", &directory]);
        document(command, into)?
    };
    let changes = second["earlier"]["changes"].as_array();
    let changes = changes.context("the second run is not compared with the first")?;
    let of = |name: &str| changes.iter().find(|change| change["target"] == name);
    let target = of("new").context("the target is not compared")?;
    let control = of("old").map_or(&Value::Null, |control| &control["ratio"]);
    let slices = Relative::of(&first).zip(Relative::of(&second));
    let slices = slices.map(|(then, now)| now.against(&then));
    Ok(Found {
        word: target["change"].as_str().unwrap_or("unknown").to_owned(),
        control: shown(control),
        slices_exclude_one: slices.is_some_and(|(low, high)| low > 1.0 || high < 1.0),
        slices: slices.map_or_else(
            || "unknown".to_owned(),
            |(low, high)| format!("{low:.3}–{high:.3}"),
        ),
        interval: shown(&target["divided"]),
    })
}

/// Runs a command, and reads the result that it prints.
fn document(mut command: Command, into: &Path) -> Result<Value> {
    let output = command
        .args(["--quiet", "--json", "--out"])
        .arg(into)
        .stderr(Stdio::inherit())
        .output()
        .context("tenbin cannot be run")?;
    serde_json::from_slice(&output.stdout).context("tenbin printed no result")
}

fn shown(figure: &Value) -> String {
    let part = |path: &str| {
        let value = figure.pointer(path).and_then(Value::as_f64);
        value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.3}"))
    };
    let [value, low, high] = ["/value", "/interval/low", "/interval/high"].map(part);
    format!("{value} ({low}–{high})")
}

/// The log ratio of the two targets in the blocks of one run, as the comparison in the run has it.
struct Relative {
    value: f64,
    half: f64,
}

impl Relative {
    fn of(document: &Value) -> Option<Self> {
        let comparisons = document["comparisons"].as_array()?;
        let primary = comparisons.iter().find(|one| one["primary"] == true)?;
        let figure = |path: &str| primary["ratio"].pointer(path).and_then(Value::as_f64);
        let (low, high) = (figure("/interval/low")?, figure("/interval/high")?);
        Some(Self {
            value: figure("/value")?.ln(),
            half: (high.ln() - low.ln()) / 2.0,
        })
    }

    /// The ratio of both runs' ratios with an interval from the slices alone.
    fn against(&self, earlier: &Self) -> (f64, f64) {
        let (value, half) = (self.value - earlier.value, self.half.hypot(earlier.half));
        ((value - half).exp(), (value + half).exp())
    }
}
