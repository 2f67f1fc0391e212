//! The load generators that are compared.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};

use super::Work;
use crate::shell;

/// What one turn took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    /// CPU seconds of the generator, user and system, its children included.
    pub(crate) cpu_seconds: f64,
    /// Correct answers.
    pub(crate) requests: u64,
}

impl Spent {
    /// CPU microseconds a request.
    pub(crate) fn micros_per_request(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.requests as f64
    }
}

/// A load generator, and how to read its result.
pub(crate) struct Contender {
    /// Name in the table.
    pub(crate) name: &'static str,
    /// Debian's package, or how else to get it.
    from: &'static str,
    program: String,
    /// Arguments for connections, URL and seconds.
    arguments: fn(usize, &str, u64) -> Vec<String>,
    /// Answers, from what it printed.
    requests: fn(&str) -> Option<u64>,
}

/// Every contender, ours first. `built` is where our own programs are.
fn all(built: &Path) -> Vec<Contender> {
    let own = |name: &str| built.join(name).display().to_string();
    let contender = |name, from, program: String, arguments, requests| Contender {
        name,
        from,
        program,
        arguments,
        requests,
    };
    let peer = |name: &'static str, from, arguments, requests| {
        contender(name, from, name.to_owned(), arguments, requests)
    };
    vec![
        contender(
            "tenbin",
            "",
            own("tenbin"),
            tenbin_arguments,
            tenbin_requests,
        ),
        contender("bare loop", "", own("xtask"), bare_arguments, bare_requests),
        peer("wrk", "wrk", wrk_arguments, wrk_requests),
        peer("ab", "apache2-utils", ab_arguments, ab_requests),
        peer(
            "h2load",
            "nghttp2-client",
            h2load_arguments,
            h2load_requests,
        ),
        peer("hey", "hey", hey_arguments, hey_requests),
        peer("oha", "`cargo install oha`", oha_arguments, oha_requests),
    ]
}

/// Those that are there; says which are not, and how to get them.
pub(crate) fn installed(built: &Path) -> Vec<Contender> {
    let (here, missing): (Vec<_>, Vec<_>) = all(built).into_iter().partition(|contender| {
        Path::new(&contender.program).is_absolute()
            || shell::find_program(&contender.program).is_some()
    });
    for contender in missing {
        println!("{} is not installed ({})", contender.name, contender.from);
    }
    here
}

impl Contender {
    /// Does the work once, alone on the first core.
    pub(crate) fn turn(&self, work: &Work, url: &str, length: Duration) -> Result<Spent> {
        let before = cpu_of_children()?;
        let said = shell::output_of(&mut self.command(work, url, length))?;
        let cpu_seconds = cpu_of_children()? - before;
        let requests = (self.requests)(&said)
            .filter(|&count| count > 0)
            .with_context(|| format!("{} did not say how many requests it made", self.name))?;
        Ok(Spent {
            cpu_seconds,
            requests,
        })
    }

    /// Its command line, for the record.
    pub(crate) fn shown(&self, work: &Work, url: &str, length: Duration) -> String {
        let program = Path::new(&self.program)
            .file_name()
            .map_or_else(|| self.program.clone(), |name| name.display().to_string());
        let arguments = (self.arguments)(work.connections, url, length.as_secs());
        format!("{program} {}", arguments.join(" "))
    }

    fn command(&self, work: &Work, url: &str, length: Duration) -> Command {
        let mut command = Command::new("taskset");
        command
            .args(["--cpu-list", "0", &self.program])
            .args((self.arguments)(work.connections, url, length.as_secs()))
            .current_dir(std::env::temp_dir());
        command
    }
}

fn cpu_of_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the CPU time")?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The number before `after` in the first line that has it.
fn number_before(said: &str, after: &str) -> Option<u64> {
    let before = said
        .lines()
        .find_map(|line| Some(line.split_once(after)?.0))?;
    before.split_whitespace().next_back()?.parse().ok()
}

/// The number after `before` in the first line that has it.
fn number_after(said: &str, before: &str) -> Option<u64> {
    let after = said
        .lines()
        .find_map(|line| Some(line.split_once(before)?.1))?;
    after.split_whitespace().next()?.parse().ok()
}

fn tenbin_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    // Without a lead every request counts, as it does for the peers.
    words(&format!(
        "http --target nginx={url} --connections {connections} --threads 1 --slice {seconds}s \
         --rounds 1 --warmup 0s --lead 0s --json --quiet --out tenbin-cost"
    ))
}

fn tenbin_requests(said: &str) -> Option<u64> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    document["results"][0]["ok"].as_u64()
}

fn bare_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    words(&format!("bare-loop {address} {connections} {seconds}"))
}

fn bare_requests(said: &str) -> Option<u64> {
    said.trim().parse().ok()
}

fn wrk_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    words(&format!("-t 1 -c {connections} -d {seconds}s {url}"))
}

fn wrk_requests(said: &str) -> Option<u64> {
    number_before(said, " requests in ")
}

fn ab_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    // -t alone would end after 50,000 requests.
    words(&format!(
        "-q -k -c {connections} -t {seconds} -n 100000000 {url}"
    ))
}

fn ab_requests(said: &str) -> Option<u64> {
    number_after(said, "Complete requests:")
}

fn h2load_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    words(&format!("--h1 -t 1 -c {connections} -D {seconds} {url}"))
}

fn h2load_requests(said: &str) -> Option<u64> {
    number_before(said, " succeeded,")
}

fn hey_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    words(&format!("-z {seconds}s -c {connections} -cpus 1 {url}"))
}

fn hey_requests(said: &str) -> Option<u64> {
    number_before(said, " responses")
}

fn oha_arguments(connections: usize, url: &str, seconds: u64) -> Vec<String> {
    words(&format!(
        "-z {seconds}s -c {connections} --no-tui --output-format json {url}"
    ))
}

fn oha_requests(said: &str) -> Option<u64> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    document["statusCodeDistribution"]["200"].as_u64()
}
