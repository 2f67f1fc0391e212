//! Tasks of the repository, run as `cargo xtask <task>`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people at a terminal"
)]

mod accuracy;
mod browser;
mod busy;
mod check;
mod cost;
mod dist;
mod docs;
mod faq;
mod faults;
mod hlog;
mod kept;
mod liars;
mod load_machines;
mod pictures;
mod setup;
mod shell;
mod space;
mod statistics;
mod steps;
mod support;
mod test;
mod why;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::steps::Steps;

const HELP: &str = "\
cargo xtask <task>

  setup           install what the tests need: nginx, wrk, MinIO, Versity S3 Gateway, rclone,
                  nats-server, SQLAlchemy, axe-core, kubernetes-validate, taplo,
                  check-jsonschema, actionlint
  setup --check   only say what is there and what is missing
  setup --deny    install cargo-deny, which `check` then runs (a build of some minutes)
  setup --dist    install what `dist` needs
  check           format, clippy, layers, circles of files, printing, protocols, licences, tracked files
  test            setup, check, then every test; ends with `N passed, N failed`
  cost [WORDS]    (only the work whose name has these words)
                  CPU a request beside other generators, kept in bench/ (minutes; wants a quiet machine)
  cost --turns N --seconds N --programs DIRECTORY [WORDS]
                  number and length of turns, and programs that are already built (tenbin, xtask and the
                  examples null and long_run); nothing is built then
  accuracy [WORDS]
                  (only the experiments whose name has these words)
                  what Tenbin reports about a server whose truth is known, kept in bench/
                  (half an hour; wants a quiet machine; as root, for CPU quotas)
  accuracy --programs DIRECTORY [WORDS]
                  the same with programs that are already built (tenbin and the example get)
  liars           servers that save work under load and say that all is well, and honest servers whose
                  responses vary: which are found, and which are accused (two minutes)
  statistics      how often verdicts are right: simulated comparisons of which the truth is
                  known, and published tables that contradict themselves, kept in bench/ (minutes)
  statistics ROWS only some of the simulated rows: pairs, sweep, single, sustained, runs, gate, bisect, history or
                  published; nothing is kept. `gate` lists 1,000 gates a row beside other methods (minutes)
  statistics --real
                  the same and 20 real comparisons of a server with itself, and 20 by
                  three agents (minutes)
  statistics --reruns
                  20 pairs of runs of one experiment under changing load, kept in bench/ (minutes)
  faults [WORDS]  (only the faults whose name has these words)
                  agents, coordinators, hubs, networks, terminals, standard error and targets lost at
                  random moments, 20 times each, kept in bench/ (twenty minutes; as root, for the
                  networks and a full disk)
  faults agents   only those of runs with agents; `faults single`: only the others (ten minutes)
  faults WORDS --seed N
                  the same at other moments
  faq [WORDS]     (only the plans whose name has one of these words)
                  the situations of a stress-testing FAQ, each set up for real, and whether the right
                  finding is named first (ten minutes; as root, for the one from far away)
  faq --busy PERCENT [WORDS]
                  the same while other programs take PERCENT of each core
  why [WORDS]     set-ups with a known limit: what the line `limit:` says of each (five minutes; wants a
                  quiet machine; as root, for a longer network)
  why --busy PERCENT [WORDS]
                  the same beside other programs that use so much of each core
  support [WORDS] (only the operations whose name has these words)
                  which S3 operation works on which server, written into docs/s3.md (five minutes)
  dist [ARCHITECTURE…]
                  what people install, in target/dist: static binaries for x86_64 and aarch64 in archives,
                  .deb and .rpm, a container image, SBOM and checksums; then installs and runs them
                  (some minutes for each architecture; installs the tools that are missing)
  dist [--dynamic] --binary FILE --into DIRECTORY
                  archive, .deb and .rpm of a static binary for this machine, and their checks; --dynamic
                  accepts a binary that needs libraries, for packages that are only tested here
  docs            the documentation as a site with search, in target/book; installs mdBook if it is missing
  pictures        the recording of `tenbin quickstart` in README.md and the pictures of pages in docs/images
                  (two minutes after the release build; wants a quiet machine)
  pictures --programs DIRECTORY
                  the same with a tenbin that is already built
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<ExitCode> {
    // Where relative paths of arguments start.
    let start = std::env::current_dir()?;
    std::env::set_current_dir(shell::workspace_root())?;
    if asks_for_help(arguments) {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    match arguments {
        ["setup"] => setup::install()?,
        ["setup", "--check"] => setup::check()?,
        ["setup", "--deny"] => setup::install_deny()?,
        ["setup", "--dist"] => dist::install_tools()?,
        ["check"] => check::run(&mut Steps::default())?,
        ["accuracy", "--programs", directory, words @ ..] => {
            accuracy::run(&words.join(" "), Some(start.join(directory)))?;
        }
        ["accuracy", words @ ..] => accuracy::run(&words.join(" "), None)?,
        ["faults", words @ ..] => faults::run(&words.join(" "))?,
        ["liars"] => liars::run()?,
        ["statistics"] => statistics::run(false)?,
        ["statistics", "--real"] => statistics::run(true)?,
        ["statistics", "--reruns"] => statistics::reruns::run()?,
        ["statistics", rows] => statistics::rows(rows)?,
        ["cost", words @ ..] => cost::run(&words.join(" "))?,
        [task @ ("faq" | "why"), _, words @ ..] if words.contains(&"--busy") => {
            bail!("write --busy PERCENT before the words: cargo xtask {task} --busy 80 WORDS")
        }
        ["faq", "--busy", percent, words @ ..] => faq::run(words, Some(percent))?,
        ["faq", words @ ..] => faq::run(words, None)?,
        ["why", "--busy", percent, words @ ..] => why::run(words, Some(percent))?,
        ["why", words @ ..] => why::run(words, None)?,
        // Internal: a busy program that `--busy` starts.
        ["busy-loop", percent] => busy::busy_loop(percent)?,
        // Internal: a server that `accuracy` measures as a separate process.
        ["cpu-server", port, micros] => accuracy::cpu_server(port, micros)?,
        ["support", words @ ..] => support::run(&words.join(" "))?,
        ["docs"] => docs::run()?,
        ["pictures"] => pictures::run(None)?,
        ["pictures", "--programs", directory] => pictures::run(Some(start.join(directory)))?,
        ["dist", "--binary", binary, "--into", directory] => {
            dist::package_binary(&start.join(binary), &start.join(directory), false)?;
        }
        ["dist", "--dynamic", "--binary", binary, "--into", directory] => {
            dist::package_binary(&start.join(binary), &start.join(directory), true)?;
        }
        ["dist", architectures @ ..] => dist::run(architectures)?,
        // Internal: a contender that `cost` measures as a separate process.
        ["bare-loop", address, connections, seconds] => {
            cost::bare_loop(address, connections, seconds)?;
        }
        ["with-agents", count, arguments @ ..] => return cost::with_agents(count, arguments),
        ["bare-files", directory, rounds, count, size] => {
            cost::bare_files(directory, rounds, count, size)?;
        }
        ["test"] => return Ok(test::run()),
        other => bail!("no task `{}`\n\n{HELP}", other.join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether an argument asks for help, also after a task, which would treat the argument as a row
/// name.
fn asks_for_help(arguments: &[&str]) -> bool {
    arguments.iter().all(|word| *word == "help")
        || arguments.iter().any(|word| ["--help", "-h"].contains(word))
}
