//! `cargo xtask why`: set-ups with a known limit, and what the line `limit:` of a result says of each.

mod set_ups;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::set_ups::{SET_UPS, SetUp};
use crate::busy::Busy;
use crate::{faq, kept, setup, shell};

/// Directory of the servers.
const SERVERS: &str = "examples/stress-faq";
/// Options of a run over a network path.
const FAR: [&str; 4] = [
    "--launch-url",
    "server=http://10.99.0.2:{port}/",
    "--ready",
    "server=port",
];
/// Options of every run.
const EACH: &str = "--duration 12s --rounds 12 --gap 50ms --warmup 500ms --quiet";
/// Share of the set-ups whose limit must be found, by the busy share of the machine, percent.
const GOALS: [(u32, f64); 3] = [(0, 28.0 / 30.0), (40, 24.0 / 30.0), (80, 18.0 / 30.0)];

/// Runs the set-ups whose description has one of `words` (all without words), and prints a table of
/// what was found. If `busy` is given, other programs use that percentage of each core meanwhile.
///
/// # Errors
/// If a run fails, a wrong limit is called established, or fewer limits are found than the goal.
pub(crate) fn run(words: &[&str], busy: Option<&str>) -> Result<()> {
    let tenbin = faq::build()?;
    let busy = busy.map(Busy::start).transpose()?;
    let mut table = String::from("| set-up | limit | | |\n|---|---|---|---|\n");
    let (mut all, mut found, mut wrong) = (0, 0, Vec::new());
    let is_meant = |what: &str| words.is_empty() || words.iter().any(|word| what.contains(word));
    for set_up in SET_UPS.iter().filter(|it| is_meant(it.what)) {
        println!("==> {}", set_up.what);
        let limit = limit_of(&tenbin, set_up)?;
        let text = |key: &str| limit[key].as_str().unwrap_or("unknown").replace('|', "\\|");
        let (cause, certainty) = (text("cause"), text("certainty"));
        let is_right = set_up.right.contains(&cause.as_str())
            || (busy.is_some() && cause == "other_programs" && set_up.needs_cpu());
        all += 1;
        found += usize::from(is_right);
        if !is_right && certainty == "established" {
            wrong.push(set_up.what);
        }
        let mark = if is_right { "right" } else { "**wrong**" };
        println!("{cause}, {certainty} ({mark}): {}\n", text("evidence"));
        writeln!(
            table,
            "| {} | `{cause}`, {certainty} | {mark} | {} |",
            set_up.what,
            text("evidence")
        )?;
    }
    println!("{table}\n{found} of {all}");
    let percent = busy.as_ref().map_or(0, Busy::percent);
    if words.is_empty() {
        let beside = busy
            .as_ref()
            .map_or(String::new(), |busy| format!(", {}", busy.words()));
        let machine = crate::cost::machine()?;
        let rule = match busy {
            None => "",
            Some(_) => "; where CPU is the limit, so are the other programs that use it",
        };
        let page = format!(
            "# Limits\n\n`cargo xtask why`: set-ups with a known limit, and the limit that the result \
             names{beside}. {found} of {all} are right{rule}.\n\n{table}\n{machine}.\n"
        );
        let name = match percent {
            0 => "why".to_owned(),
            percent => format!("why-busy-{percent}"),
        };
        println!("kept in {}", kept::page(&name, &page)?.display());
    }
    if !wrong.is_empty() {
        bail!("a wrong limit is called established: {}", wrong.join(", "));
    }
    let goal = GOALS.iter().rev().find(|(from, _)| percent >= *from);
    let goal = goal.map_or(1.0, |(_, share)| *share);
    if words.is_empty() && (found as f64) < goal * f64::from(all) {
        bail!(
            "{found} of {all} limits were found, fewer than {:.0} %",
            goal * 100.0
        );
    }
    Ok(())
}

/// The limit in the result of a run.
fn limit_of(tenbin: &Path, set_up: &SetUp) -> Result<Value> {
    let servers = shell::workspace_root().join(SERVERS);
    let runs = shell::workspace_root().join("target/tmp/why");
    if runs.exists() {
        std::fs::remove_dir_all(&runs)?;
    }
    let upload = shell::workspace_root().join("target/tmp/why-upload");
    std::fs::create_dir_all(upload.parent().context("a directory")?)?;
    std::fs::write(&upload, [b'x'; 256 << 10])?;
    let options = set_up
        .options
        .replace("{upload}", &upload.to_string_lossy());
    let options = shlex::split(&options).context("a quote is open")?;
    let mut command = match set_up.path {
        None => Command::new(tenbin),
        Some(path) => {
            let mut command = Command::new("unshare");
            command.args(["--net", "python3", "network_path.py"]);
            command.args(path.split(' ')).arg(tenbin);
            command
        }
    };
    command
        .current_dir(&servers)
        .env("PATH", setup::path_with_servers()?)
        .args(["http", "--launch", &format!("server={}", set_up.server)])
        .args(options);
    if set_up.path.is_some() {
        command.args(FAR);
    }
    command.args(EACH.split(' ')).arg("--out").arg(&runs);
    let output = command
        .output()
        .with_context(|| format!("`{}` cannot be run", shell::show(&command)))?;
    // An INVALID run (exit code 6) also has a result.
    if !matches!(output.status.code(), Some(0 | 6)) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", set_up.what, said.trim());
    }
    let run = std::fs::read_dir(&runs)?
        .next()
        .with_context(|| format!("{}: no run was kept", set_up.what))??;
    let result = std::fs::read_to_string(run.path().join("result.json"))?;
    let result: Value = serde_json::from_str(&result)?;
    Ok(result["limits"][0].clone())
}
