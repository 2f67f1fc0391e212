//! `cargo xtask cost`: compares the CPU and memory cost of Tenbin with other load generators.
//!
//! Rates on a shared machine are unreliable, so the main figure is CPU time per operation. The
//! contenders run in alternating turns; medians are reported.

mod agents;
mod awake;
mod bare;
mod bare_files;
mod contender;
mod figure;
mod goal;
mod load_threads;
mod profiles;
mod report;
mod rival;
mod rows;
mod server;
mod turn;
mod viewer;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

pub(crate) use self::agents::with_agents;
use self::awake::Awake;
use self::contender::{Contender, Scene, Stable};
use self::rows::{Method, Row};
use self::turn::Spent;
use crate::shell;

/// Length in seconds of the short turn of [`Method::Beyond`]; long enough for responses of slow
/// servers.
const SHORT_SECONDS: u64 = 2;

/// The requested rows, turns and lengths.
struct Wish {
    /// Lower-case words that the name of a row must contain.
    words: Vec<String>,
    /// Number of turns per contender.
    turns: usize,
    /// Length of a turn, seconds.
    seconds: u64,
    /// Directory of the measured programs; `None` if they are to be built.
    programs: Option<PathBuf>,
}

/// The measured costs of a row.
struct Measured {
    row: Row,
    /// Costs per turn, or the reason why there are none, in the order of `row.contenders`.
    spent: Vec<Result<Vec<Spent>, String>>,
    commands: Vec<String>,
    seconds: u64,
}

/// Measures the rows whose name contains `words`, prints the table and saves the table in a dated
/// folder. `--turns N` and `--seconds N` in `words` change the turns, `--programs DIRECTORY` measures
/// programs that are already built.
pub(crate) fn run(words: &str) -> Result<()> {
    let wish = Wish::of(words)?;
    let built = match &wish.programs {
        // The path must be absolute, because contenders run in another directory.
        Some(directory) => std::path::absolute(directory)?,
        None => build()?,
    };
    let machine = machine()?;
    let mut measured = Vec::new();
    let stable = Stable { built: &built };
    let rows = rows::all(&stable).into_iter();
    for row in rows.chain(profiles::rows(&stable)) {
        let name = row.name.to_lowercase();
        if wish.words.iter().all(|word| name.contains(word.as_str())) {
            measured.push(measure(row, &built, &wish)?);
            // Saved after every row, because a complete run takes long.
            let folder = report::keep(&measured, &machine)?;
            println!("kept in {}", folder.display());
        }
    }
    if measured.is_empty() {
        bail!("no row has the words `{words}` in its name");
    }
    println!("\n{}", report::text(&measured));
    Ok(())
}

/// Runs the bare loop. Called in a separate process, which is measured like the other contenders.
pub(crate) fn bare_loop(address: &str, connections: &str, seconds: &str) -> Result<()> {
    let length = Duration::from_secs(seconds.parse().context("seconds")?);
    let connections = connections.parse().context("connections")?;
    println!("{}", bare::run(address, connections, length)?);
    Ok(())
}

/// Runs the bare loop over files, also in a separate process.
pub(crate) fn bare_files(directory: &str, rounds: &str, count: &str, size: &str) -> Result<()> {
    let rounds = rounds.parse().context("rounds")?;
    let count = count.parse().context("count")?;
    let size = size.parse().context("size")?;
    println!(
        "{}",
        bare_files::run(Path::new(directory), rounds, count, size)?
    );
    Ok(())
}

impl Wish {
    fn of(text: &str) -> Result<Self> {
        let mut wish = Self {
            words: Vec::new(),
            turns: 5,
            seconds: 5,
            programs: None,
        };
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "--turns" => wish.turns = value(word, words.next())?,
                "--seconds" => wish.seconds = value(word, words.next())?,
                "--programs" => wish.programs = Some(value(word, words.next())?),
                _ => wish.words.push(word.to_lowercase()),
            }
        }
        if wish.turns == 0 || wish.seconds == 0 {
            bail!("at least one turn of one second is needed");
        }
        Ok(wish)
    }
}

fn value<T: std::str::FromStr>(flag: &str, word: Option<&str>) -> Result<T> {
    word.and_then(|word| word.parse().ok())
        .with_context(|| format!("{flag} needs a value"))
}

/// Builds all measured programs of Tenbin, and returns their directory.
fn build() -> Result<PathBuf> {
    for what in [
        "-p tenbin -p xtask",
        "-p tenbin --example long_run",
        "-p tenbin-workloads --example null",
    ] {
        let arguments = ["build", "--release"].into_iter().chain(what.split(' '));
        shell::succeed(shell::cargo().args(arguments))?;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    // The path must be absolute, because contenders run in another directory.
    Ok(std::path::absolute(target)?.join("release"))
}

fn measure(row: Row, built: &Path, wish: &Wish) -> Result<Measured> {
    println!("\n==> {} ({})", row.name, row.server.name());
    let mut spent: Vec<Result<Vec<Spent>, String>> = Vec::new();
    for contender in &row.contenders {
        let ready = contender.prepare();
        if let Err(why) = &ready {
            println!("{why}");
        }
        spent.push(ready.map(|()| Vec::new()));
    }
    let server = row.server.start(built)?;
    let _awake = row.core_awake.then(Awake::keep).transpose()?;
    let scene = Scene {
        url: &server.url,
        agents: &server.agents,
        seconds: wish.seconds,
    };
    let turns = match row.method {
        Method::Once => 1,
        Method::Whole | Method::Beyond | Method::AtOnce | Method::Counted => wish.turns,
    };
    let at_once = match row.method {
        Method::AtOnce => row.contenders.len(),
        Method::Whole | Method::Beyond | Method::Counted | Method::Once => 1,
    };
    for turn in 1..=turns {
        let groups = row.contenders.chunks(at_once);
        for (group, spent) in groups.zip(spent.chunks_mut(at_once)) {
            let mut ready: Vec<_> = group.iter().zip(spent).filter(|(_, s)| s.is_ok()).collect();
            let contenders: Vec<&Contender> = ready.iter().map(|(one, _)| *one).collect();
            let taken = take(&contenders, row.method, &scene)?;
            for ((contender, spent), taken) in ready.iter_mut().zip(taken) {
                match taken {
                    Ok(figure) => {
                        println!(
                            "turn {turn}: {:<14} {}",
                            contender.name,
                            shown(&row, &figure)
                        );
                        spent.iter_mut().for_each(|figures| figures.push(figure));
                    }
                    Err(error) => {
                        // A failed contender does not stop the other contenders.
                        let why = format!("{} failed: {error:#}", contender.name);
                        println!("{why}");
                        **spent = Err(why);
                    }
                }
            }
        }
    }
    let commands = row
        .contenders
        .iter()
        .map(|one| one.shown(&scene))
        .collect::<Result<_>>()?;
    Ok(Measured {
        row,
        spent,
        commands,
        seconds: wish.seconds,
    })
}

/// The figures of a turn, for the terminal.
fn shown(row: &Row, spent: &Spent) -> String {
    let figures = row.readings.iter().map(|reading| reading.figure);
    let figures =
        figures.filter_map(|figure| Some(format!("{:.3} {}", figure.of(spent)?, figure.unit())));
    figures.collect::<Vec<_>>().join(", ")
}

/// One turn of each contender, all at the same time.
fn take(
    contenders: &[&Contender],
    method: Method,
    scene: &Scene<'_>,
) -> Result<Vec<Result<Spent>>> {
    let run = |seconds| {
        let scene = Scene { seconds, ..*scene };
        let turns = contenders.iter().map(|contender| contender.turn(&scene));
        turns.collect::<Result<_>>().map(turn::take_at_once)
    };
    match method {
        Method::Whole | Method::Counted | Method::Once => run(scene.seconds),
        Method::Beyond | Method::AtOnce => {
            let short = run(SHORT_SECONDS)?.into_iter();
            let long = run(SHORT_SECONDS + scene.seconds)?.into_iter();
            Ok(short
                .zip(long)
                .map(|(short, long)| long?.beyond(short?))
                .collect())
        }
    }
}

/// Description of this machine, in one line.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_flags_are_told_apart() {
        let wish = Wish::of("S3 --turns 2 GET --seconds 3 --programs A/b").expect("a wish");
        assert_eq!(wish.words, ["s3", "get"]);
        assert_eq!((wish.turns, wish.seconds), (2, 3));
        assert_eq!(wish.programs, Some("A/b".into()));
        assert!(Wish::of("--turns").is_err());
        assert!(Wish::of("--seconds 0").is_err());
    }
}
