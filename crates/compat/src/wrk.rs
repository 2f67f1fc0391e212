//! wrk, the HTTP benchmark with a closed loop on many connections, and wrk2, the same
//! at a constant rate.

use std::time::Duration;

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::Mistakes;
use crate::parse::{Given, Style, Table, World};
use crate::web::{Scheme, WebJob, servers, take_connection};

const TOOL: &[&str] = &["wrk"];

/// Every flag of wrk.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "connections",
        Kind::Text,
        "10",
        "connections, such as 200 or 1k",
    )
    .short("c"),
    Flag::new(
        TOOL,
        "duration",
        Kind::Text,
        "10s",
        "how long, such as 10s, 2m or 1h",
    )
    .short("d"),
    Flag::new(TOOL, "threads", Kind::Text, "2", "threads").short("t"),
    Flag::new(TOOL, "script", Kind::Text, "", "Lua script")
        .short("s")
        .refused(
            "scripts are not run; a plan file says the same: method, headers, body, several \
             [[workload]]s (`tenbin plan http` prints one to start from)",
        ),
    Flag::new(TOOL, "header", Kind::List, "", "header line, repeatable").short("H"),
    Flag::new(
        TOOL,
        "latency",
        Kind::Switch,
        "",
        "print the distribution of latencies",
    )
    .short("L"),
    Flag::new(
        TOOL,
        "rate",
        Kind::Text,
        "",
        "wrk2's: requests a second over all connections, such as 2000 or 2k; latencies count \
         from when each request was due",
    )
    .short("R"),
    Flag::new(
        TOOL,
        "u_latency",
        Kind::Switch,
        "",
        "wrk2's: print latencies from when requests were sent as well",
    )
    .short("U"),
    Flag::new(
        TOOL,
        "batch_latency",
        Kind::Switch,
        "",
        "wrk2's: latency of a whole batch of pipelined requests",
    )
    .short("B")
    .noted("requests are not pipelined, so a batch is one request"),
    Flag::new(
        TOOL,
        "timeout",
        Kind::Text,
        "2s",
        "longest time for an answer",
    )
    .short("T"),
    Flag::new(TOOL, "version", Kind::Switch, "", "print the version").short("v"),
    Flag::new(
        TOOL,
        "insecure",
        Kind::Switch,
        "",
        "accept any certificate, as wrk always does; a flag of Tenbin's",
    ),
]];

const TABLE: Table = Table {
    style: Style::Getopt,
    tool: "wrk",
    command: "wrk",
    flags: FLAGS,
};

/// What a command line of wrk asks for.
pub type Asked = crate::Asked<WrkJob>;

/// A measurement as wrk would do it.
#[derive(Debug, Clone, PartialEq)]
pub struct WrkJob {
    /// What is measured.
    pub web: WebJob,
    /// How long in all.
    pub duration: Duration,
    /// Print the distribution of latencies.
    pub latency: bool,
    /// With a rate: print the distribution of service times as well.
    pub uncorrected: bool,
}

/// Reads what stands behind `wrk`.
///
/// # Errors
///
/// Everything that is wrong with it, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Asked, Mistakes> {
    let mut given = match TABLE.read(
        arguments,
        world,
        "wrk's command line on Tenbin's engine: percentiles of what was really measured, \
         timeouts and failures never counted as throughput, and a verdict.",
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Asked::Help(help)),
    };
    if given.switch("version") {
        return Ok(Asked::Version);
    }
    let connections = count(&mut given, "connections");
    let threads = count(&mut given, "threads");
    let duration = time(&mut given, "duration");
    let timeout = time(&mut given, "timeout");
    let mut headers = given.list("header").to_vec();
    let keep_alive = take_connection(&mut headers);
    if keep_alive == Some(false) {
        given.note(
            "--header: connections are closed by the client after every answer, whatever the \
             server does; opening them is timed apart from requests"
                .to_owned(),
        );
    }
    let (urls, rest) = urls_and_rest(&given.operands);
    if let Some(argument) = rest.first() {
        given.mistakes.push(format!(
            "wrk: {argument:?} after the URL is an argument for a script, and scripts are not run; \
             leave it out"
        ));
    }
    let servers = servers("wrk", urls, Scheme::Required).unwrap_or_else(|mistakes| {
        given.mistakes.extend(mistakes);
        Vec::new()
    });
    let rate = given.is_given("rate").then(|| count(&mut given, "rate"));
    for flag in ["u_latency", "batch_latency"] {
        if given.switch(flag) && rate.is_none() {
            given.wrong(flag, "is for a rate; give one with -R");
        }
    }
    if threads > connections {
        given.wrong("threads", "there must be at least one connection for each");
    }
    let insecure = given.switch("insecure");
    let is_tls = |server: &crate::Server| server.url.starts_with("https://");
    if servers.iter().any(is_tls) && !insecure {
        given.note(
            "certificates are checked, which wrk never does; --insecure accepts any".to_owned(),
        );
    }
    let mut web = WebJob {
        tool: "wrk",
        servers,
        connections,
        threads: Some(threads),
        rate,
        keep_alive: keep_alive.unwrap_or(true),
        requests: None,
        time: Some(duration),
        timeout,
        method: "GET".to_owned(),
        headers,
        body_file: None,
        source: None,
        insecure,
        certificate: None,
        notes: std::mem::take(&mut given.notes),
    };
    if let Some(why) = web.too_short() {
        given.wrong("duration", &why);
    }
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    web.notes.extend(web.turns());
    Ok(Asked::Measure(Box::new(WrkJob {
        web,
        duration,
        latency: given.switch("latency") || given.switch("u_latency"),
        uncorrected: given.switch("u_latency"),
    })))
}

/// The operands that may be URLs: the first, and each one after it that looks like one.
/// What remains is for a script.
fn urls_and_rest(operands: &[String]) -> (&[String], &[String]) {
    let is_url = |operand: &String| operand.contains("://");
    let more = operands.iter().skip(1).take_while(|one| is_url(one));
    operands.split_at(operands.len().min(1 + more.count()))
}

/// A whole number of 1 or more; k, M and G are powers of 1000.
fn count(given: &mut Given, flag: &'static str) -> u64 {
    let text = given.text(flag).to_owned();
    let read = scaled(
        &text,
        &[
            ("", 1),
            ("k", 1_000),
            ("m", 1_000_000),
            ("g", 1_000_000_000),
        ],
    );
    match read {
        Some(number) if number > 0 => number,
        _ => {
            given.wrong(flag, &format!("{text:?} is not a number of 1 or more"));
            1
        }
    }
}

/// A length of time; a bare number is seconds.
fn time(given: &mut Given, flag: &'static str) -> Duration {
    let text = given.text(flag).to_owned();
    let read = scaled(&text, &[("", 1), ("s", 1), ("m", 60), ("h", 3_600)]);
    match read {
        Some(seconds) if seconds > 0 => Duration::from_secs(seconds),
        _ => {
            let wrong = format!("{text:?} is not a length of time; write for example 10s or 2m");
            given.wrong(flag, &wrong);
            Duration::from_secs(1)
        }
    }
}

/// A whole number with one of these units, in either case.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    digits.parse::<u64>().ok()?.checked_mul(*factor)
}

/// The flags for the documentation, as a Markdown table.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
