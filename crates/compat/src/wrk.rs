//! The command lines of wrk, a closed-loop HTTP benchmark with many connections, and of wrk2, a
//! variant with a constant request rate.

use std::time::Duration;

use tenbin_plan::sentence;

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::Mistakes;
use crate::parse::{Given, Style, Table, World};
use crate::web::{Scheme, Server, WebJob, servers, take_connection};

const TOOL: &[&str] = &["wrk", "wrk2"];

/// Every flag of wrk and wrk2. Both command lines accept the flags of both tools.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "connections",
        Kind::Text,
        "10",
        "connections, for example 200 or 1k",
    )
    .short("c"),
    Flag::new(
        TOOL,
        "duration",
        Kind::Text,
        "10s",
        "duration, for example 10s, 2m or 1h",
    )
    .short("d"),
    Flag::new(TOOL, "threads", Kind::Text, "2", "threads").short("t"),
    Flag::new(TOOL, "script", Kind::Text, "", "Lua script")
        .short("s")
        .refused(
            "scripts are not supported; put different requests into a file for `tenbin http \
            --patterns FILE`, and use -X, -H and --body-file for one method, header or body \
            (docs/coming-from.md; `tenbin plan http` prints a plan to start from)",
        ),
    Flag::new(TOOL, "header", Kind::List, "", "header line, repeatable").short("H"),
    Flag::new(
        TOOL,
        "latency",
        Kind::Switch,
        "",
        "print the latency distribution",
    )
    .short("L"),
    Flag::new(
        TOOL,
        "rate",
        Kind::Text,
        "",
        "of wrk2, which requires a rate: requests per second over all connections, for example 2000 \
        or 2k; latencies are measured from when each request was due",
    )
    .short("R"),
    Flag::new(
        TOOL,
        "u_latency",
        Kind::Switch,
        "",
        "of wrk2: also print latencies measured from when requests were sent",
    )
    .short("U"),
    Flag::new(
        TOOL,
        "batch_latency",
        Kind::Switch,
        "",
        "of wrk2: latency of a whole batch of pipelined requests",
    )
    .short("B")
    .noted("requests are not pipelined, so a batch is one request"),
    Flag::new(TOOL, "timeout", Kind::Text, "2s", "response timeout").short("T"),
    Flag::new(TOOL, "version", Kind::Switch, "", "print the version").short("v"),
    Flag::new(
        TOOL,
        "insecure",
        Kind::Switch,
        "",
        "accept any certificate, as wrk always does; added by Tenbin",
    ),
]];

const WRK: Table = Table {
    style: Style::Getopt,
    tool: "wrk",
    command: "wrk",
    flags: FLAGS,
};

const WRK2: Table = Table {
    tool: "wrk2",
    command: "wrk2",
    ..WRK
};

/// A parsed command line of wrk.
pub type Parsed = crate::Parsed<WrkJob>;

/// A measurement requested by a wrk command line.
#[derive(Debug, Clone, PartialEq)]
pub struct WrkJob {
    /// Settings that wrk shares with other HTTP benchmarks.
    pub web: WebJob,
    /// Total duration.
    pub duration: Duration,
    /// Whether the latency distribution is printed.
    pub latency: bool,
    /// With a rate: whether the distribution of service times is printed as well.
    pub uncorrected: bool,
}

/// Parses the arguments of `wrk`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let about = sentence!(
        "wrk-about",
        "wrk's command line on Tenbin's engine: percentiles of the actual measurements, \
        timeouts and failures that never count as throughput, and a verdict."
    );
    match WRK.read(arguments, world, about) {
        Ok(given) => measure(given),
        Err(help) => Ok(Parsed::Help(help)),
    }
}

/// Parses the arguments of `wrk2`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse_wrk2(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let about = sentence!(
        "wrk2-about",
        "wrk2's command line on Tenbin's engine: a constant rate, latencies from when each \
        request was due, timeouts and failures that never count as throughput, and a verdict."
    );
    let mut given = match WRK2.read(arguments, world, about) {
        Ok(given) => given,
        Err(help) => return Ok(Parsed::Help(help)),
    };
    if !given.is_given("rate") && !given.switch("version") {
        let why = sentence!(
            "wrk2-needs-rate",
            "is missing; wrk2 sends requests at a constant rate, for example -R 2000; use tenbin \
            wrk for as many requests as the server responds to"
        );
        given.wrong("rate", why);
    }
    measure(given)
}

fn measure(mut given: Given) -> Result<Parsed, Mistakes> {
    let tool = given.tool();
    if given.switch("version") {
        return Ok(Parsed::Version);
    }
    let connections = count(&mut given, "connections");
    let threads = count(&mut given, "threads");
    let duration = time(&mut given, "duration");
    let timeout = time(&mut given, "timeout");
    let (headers, keep_alive) = headers(&mut given);
    let (urls, rest) = urls_and_rest(&given.operands);
    if let Some(argument) = rest.first() {
        given.mistakes.push(sentence!(
            "wrk-script-argument",
            "{tool}: {argument:?} after the URL is an argument for a script, and scripts are not supported; \
            leave it out",
            tool,
            argument
        ));
    }
    let servers = servers(tool, urls, Scheme::Required).unwrap_or_else(|mistakes| {
        given.mistakes.extend(mistakes);
        Vec::new()
    });
    let rate = given.is_given("rate").then(|| count(&mut given, "rate"));
    for flag in ["u_latency", "batch_latency"] {
        if given.switch(flag) && rate.is_none() && tool == WRK.tool {
            let why = sentence!("wrk-needs-rate", "needs a rate; set one with -R");
            given.wrong(flag, why);
        }
    }
    if threads > connections {
        let why = sentence!("wrk-threads", "must not be more than the connections");
        given.wrong("threads", why);
    }
    let insecure = is_insecure(&mut given, &servers);
    let mut web = WebJob {
        tool,
        servers,
        connections,
        threads: Some(threads),
        rate,
        keep_alive,
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
        given.wrong("duration", why);
    }
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    web.notes.extend(web.turns());
    Ok(Parsed::Measure(Box::new(WrkJob {
        web,
        duration,
        latency: given.switch("latency") || given.switch("u_latency"),
        uncorrected: given.switch("u_latency"),
    })))
}

/// The headers of the requests, and whether connections are kept alive.
fn headers(given: &mut Given) -> (Vec<String>, bool) {
    let mut headers = given.list("header").to_vec();
    let keep_alive = take_connection(&mut headers).unwrap_or(true);
    if !keep_alive {
        given.note(sentence!(
            "wrk-close",
            "--header: the client closes the connection after every response; \
            the time to open connections is measured separately from requests"
        ));
    }
    (headers, keep_alive)
}

/// Whether any certificate is accepted.
fn is_insecure(given: &mut Given, servers: &[Server]) -> bool {
    let insecure = given.switch("insecure");
    let is_tls = |server: &Server| server.url.starts_with("https://");
    if servers.iter().any(is_tls) && !insecure {
        given.note(sentence!(
            "wrk-certificates",
            "certificates are checked, which wrk never does; --insecure accepts any certificate"
        ));
    }
    insecure
}

/// Splits operands into URLs (the first operand, and the operands directly after it that contain
/// `://`) and arguments for a script.
fn urls_and_rest(operands: &[String]) -> (&[String], &[String]) {
    let is_url = |operand: &String| operand.contains("://");
    let more = operands.iter().skip(1).take_while(|one| is_url(one));
    operands.split_at(operands.len().min(1 + more.count()))
}

/// Reads an integer of 1 or more; k, M and G are powers of 1000.
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
            let why = sentence!(
                "wrk-no-number",
                "{text:?} is not an integer of 1 or more",
                text
            );
            given.wrong(flag, why);
            1
        }
    }
}

/// Reads a duration; a number without a unit is in seconds.
fn time(given: &mut Given, flag: &'static str) -> Duration {
    let text = given.text(flag).to_owned();
    let read = scaled(&text, &[("", 1), ("s", 1), ("m", 60), ("h", 3_600)]);
    match read {
        Some(seconds) if seconds > 0 => Duration::from_secs(seconds),
        _ => {
            let why = sentence!(
                "wrk-no-duration",
                "{text:?} is not a duration; write for example 10s or 2m",
                text
            );
            given.wrong(flag, why);
            Duration::from_secs(1)
        }
    }
}

/// Reads an integer with one of these units, in upper or lower case.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    digits.parse::<u64>().ok()?.checked_mul(*factor)
}

/// The flags as a Markdown table, for the documentation.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
