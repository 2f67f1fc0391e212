//! `cargo xtask cost`: what the generator itself costs, beside its peers.
//!
//! A rate on a shared machine means little; CPU seconds a request, of all
//! contenders in turn in the same run, mean more. Medians are quoted.

mod bare;
mod contender;
mod nginx;
mod report;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use self::contender::{Contender, Spent};
use self::nginx::Nginx;
use crate::shell;

/// Times every contender has its turn.
const TURNS: usize = 5;
/// How long one turn lasts.
const TURN: Duration = Duration::from_secs(5);

/// One kind of work, done by every contender.
pub(crate) struct Work {
    /// What it is, for the table.
    pub(crate) name: &'static str,
    /// Keep-alive connections.
    pub(crate) connections: usize,
}

/// Everything that is measured.
const WORK: &[Work] = &[
    Work {
        name: "keep-alive GET, 12-byte answer, 64 connections",
        connections: 64,
    },
    Work {
        name: "keep-alive GET, 12-byte answer, 1 connection",
        connections: 1,
    },
    Work {
        name: "keep-alive GET, 12-byte answer, 1,000 connections",
        connections: 1000,
    },
];

/// What the contenders spent on one kind of work: a row a contender, a figure a turn.
pub(crate) struct Measured {
    pub(crate) work: &'static Work,
    pub(crate) spent: Vec<(&'static str, Vec<Spent>)>,
    pub(crate) commands: Vec<String>,
}

/// Measures the work whose name has these words, prints the table and keeps it in
/// a dated folder.
pub(crate) fn run(words: &str) -> Result<()> {
    shell::succeed(shell::cargo().args(["build", "--release", "-p", "tenbin", "-p", "xtask"]))?;
    let built = shell::workspace_root().join("target/release");
    let contenders = contender::installed(&built);
    let nginx = Nginx::start()?;
    let measured = WORK
        .iter()
        .filter(|work| work.name.contains(words))
        .map(|work| measure(work, &contenders, &nginx.url()))
        .collect::<Result<Vec<_>>>()?;
    drop(nginx);
    let text = report::text(&measured, &machine()?);
    println!("\n{text}");
    let folder = report::keep(&text, &measured)?;
    println!("kept in {}", folder.display());
    Ok(())
}

/// The bare loop as a process of its own, so that it is measured like the others.
pub(crate) fn bare_loop(address: &str, connections: &str, seconds: &str) -> Result<()> {
    let length = Duration::from_secs(seconds.parse().context("seconds")?);
    let connections = connections.parse().context("connections")?;
    println!("{}", bare::run(address, connections, length)?);
    Ok(())
}

fn measure(work: &'static Work, contenders: &[Contender], url: &str) -> Result<Measured> {
    let mut spent: Vec<_> = contenders
        .iter()
        .map(|one| (one.name, Vec::new()))
        .collect();
    for turn in 0..TURNS {
        for (contender, (_, figures)) in contenders.iter().zip(&mut spent) {
            let figure = contender.turn(work, url, TURN)?;
            println!(
                "turn {} of {TURNS}: {:<10} {:6.3} µs a request, {:.0} requests a second",
                turn + 1,
                contender.name,
                figure.micros_per_request(),
                figure.requests as f64 / TURN.as_secs_f64(),
            );
            figures.push(figure);
        }
    }
    let commands = contenders
        .iter()
        .map(|one| one.shown(work, url, TURN))
        .collect();
    Ok(Measured {
        work,
        spent,
        commands,
    })
}

/// The machine that this runs on, in one line.
pub(crate) fn machine() -> Result<String> {
    let kernel = shell::output_of(Command::new("uname").arg("-sr"))?;
    let cpu = std::fs::read_to_string("/proc/cpuinfo").context("cannot read /proc/cpuinfo")?;
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown CPU", |rest| {
            rest.trim_start_matches([' ', '\t', ':'])
        });
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    Ok(format!("{}, {model}, {cores} cores", kernel.trim()))
}
