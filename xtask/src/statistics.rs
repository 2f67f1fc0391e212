//! `cargo xtask statistics`: checks the error rates of the verdict with comparisons whose true
//! ratio is known.
//!
//! An example program of `tenbin-verdict` runs the simulated comparisons, because this crate must
//! not depend on `tenbin-verdict`. The real comparisons compare a built-in server with itself.

pub(crate) mod reruns;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::load_machines::LoadMachines;
use crate::{kept, shell};

/// Number of simulated comparisons per table row.
const COMPARISONS: &str = "200";
/// Number of agents in the second half of the real comparisons.
const AGENTS: usize = 3;
/// Number of real comparisons of a server with itself.
const REAL: u32 = 20;
/// Largest number of these comparisons that can have the verdict "different". With a false-positive
/// rate of 5 % each, a larger number has a probability of 1 %.
const MOST_DIFFERENT: usize = 4;

/// Runs the simulated comparisons and, if `real`, also the real comparisons. Prints the tables and
/// saves the tables in a dated folder.
///
/// # Errors
/// If a program cannot be built or run, or a row has failed.
pub(crate) fn run(real: bool) -> Result<()> {
    let (mut text, passed) = simulated(&[])?;
    print!("{text}");
    let mut failed = !passed;
    if real {
        let (table, passed) = compared_with_itself()?;
        print!("\n{table}");
        text += &format!("\n{table}");
        failed |= !passed;
    }
    let machine = crate::cost::machine()?;
    println!("\nkept in {}", keep(&text, &machine, real)?.display());
    ensure!(!failed, "a row failed");
    Ok(())
}

/// Prints the rows with this name: `pairs`, `sweep`, `single`, `sustained`, `runs`, `gate`, `bisect`,
/// `history` or `published`. Saves nothing.
///
/// # Errors
/// If the program cannot be built or run, no rows have this name, or a row has failed.
pub(crate) fn rows(name: &str) -> Result<()> {
    let (text, passed) = simulated(&[COMPARISONS, name])?;
    print!("{text}");
    ensure!(passed, "a row failed, or no row is called {name:?}");
    Ok(())
}

/// Runs the simulation; returns the table and whether every row passed.
fn simulated(arguments: &[&str]) -> Result<(String, bool)> {
    let output = shell::cargo()
        .args(["run", "--quiet", "--package", "tenbin-verdict"])
        .args(["--example", "statistics", "--"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    let text = String::from_utf8(output.stdout).context("the table is no text")?;
    ensure!(
        text.contains("| what | must be |"),
        "the experiments printed no table"
    );
    Ok((text, output.status.success()))
}

/// Compares a built-in server with itself repeatedly; returns the table and whether the test
/// passed.
fn compared_with_itself() -> Result<(String, bool)> {
    shell::succeed(shell::cargo().args(["build", "--release", "-p", "tenbin"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let tenbin = std::path::absolute(target.join("release/tenbin"))?;
    let scratch = std::env::temp_dir().join(format!("tenbin-statistics-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let server = Server::start(&tenbin)?;
    let mut table = String::from("| what | must be | found | |\n|---|---|---|---|\n");
    let mut all_passed = true;
    for agents in [0, AGENTS] {
        let agents = match agents {
            0 => None,
            count => Some(LoadMachines::start_with(&tenbin, &scratch, count)?),
        };
        let (who, options) = match &agents {
            None => (String::new(), Vec::new()),
            Some(agents) => (format!(" by {AGENTS} agents"), agents.options()),
        };
        let mut words = Vec::new();
        for number in 0..REAL {
            let (word, ratio) = against_itself(&tenbin, &server.url, &scratch, &options)?;
            println!("{}.{who} {word}, ratio {ratio}", number + 1);
            words.push(word);
        }
        if let Some(agents) = agents {
            agents.end()?;
        }
        let is_different = |word: &&String| matches!(word.as_str(), "faster" | "slower");
        let different = words.iter().filter(is_different).count();
        let equivalent = words.iter().filter(|word| *word == "equivalent").count();
        let passed = different <= MOST_DIFFERENT;
        all_passed &= passed;
        let _ = writeln!(
            table,
            "| {REAL} real comparisons of one built-in server with itself{who}: called different | \
             at most {MOST_DIFFERENT} | {different}, and {equivalent} equivalent | {} |",
            if passed { "pass" } else { "**FAIL**" }
        );
    }
    drop(server);
    let _ = std::fs::remove_dir_all(&scratch);
    Ok((table, all_passed))
}

/// A running built-in server; stopped when dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(tenbin: &Path) -> Result<Self> {
        let mut child = Command::new(tenbin)
            .args(["serve", "http", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .context("tenbin cannot be run")?;
        let output = child.stdout.take().context("the server has no output")?;
        let mut first = String::new();
        BufReader::new(output).read_line(&mut first)?;
        let url = first
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .map(str::to_owned);
        match url {
            Some(url) => Ok(Self { child, url }),
            None => {
                let _ = child.kill();
                bail!("the server did not say where it listens, but {first:?}")
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compares the server with itself once; returns the verdict, and the ratio with its confidence
/// interval.
fn against_itself(
    tenbin: &Path,
    url: &str,
    scratch: &Path,
    options: &[String],
) -> Result<(String, String)> {
    let output = Command::new(tenbin)
        .args(["http", "--target", &format!("a={url}")])
        .args(["--target", &format!("b={url}"), "--connections", "4"])
        .args(["--slice", "300ms", "--lead", "50ms", "--gap", "50ms"])
        .args(["--warmup", "200ms", "--quiet", "--json", "--out"])
        .arg(scratch)
        .args(options)
        .stderr(Stdio::inherit())
        .output()
        .context("tenbin cannot be run")?;
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("tenbin printed no result")?;
    let comparisons = document["comparisons"].as_array();
    let mut comparisons = comparisons.into_iter().flatten();
    let primary = comparisons.find(|one| one["primary"] == true);
    let primary = primary.context("the result has no comparison")?;
    let word = primary["outcome"]["kind"].as_str().unwrap_or("unknown");
    let figure = |path: &str| {
        let value = primary["ratio"].pointer(path).and_then(|it| it.as_f64());
        value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.3}"))
    };
    let [value, low, high] = ["/value", "/interval/low", "/interval/high"].map(figure);
    Ok((word.to_owned(), format!("{value} ({low}–{high})")))
}

fn keep(text: &str, machine: &str, real: bool) -> Result<PathBuf> {
    let option = if real { " --real" } else { "" };
    let page = format!(
        "# Statistics\n\n`cargo xtask statistics{option}`: comparisons of which the truth is known, \
         judged by the code that judges runs. What each row proves is in \
         [accuracy](../../docs/accuracy.md#the-verdict). {text}\n{machine}.\n"
    );
    kept::page("statistics", &page)
}
