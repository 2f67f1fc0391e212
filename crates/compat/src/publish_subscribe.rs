//! drnbench-publish-subscribe: subscribers that stay, twice as many in every step.

use std::time::Duration;

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::Mistakes;
use crate::parse::{Given, Style, Table, World};

/// The tool's name.
pub const NAME: &str = "drnbench-publish-subscribe";

const TOOL: &[&str] = &[NAME];

const NO_ENGINE: &str =
    "Droonga can no longer be installed; start a server and name it with --hosts";

/// Every flag of drnbench-publish-subscribe.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "start-n-subscribers",
        Kind::Whole,
        "1000",
        "subscribers of the first step; each further one has twice as many",
    ),
    Flag::new(TOOL, "n-steps", Kind::Whole, "10", "steps"),
    Flag::new(
        TOOL,
        "n-publishings",
        Kind::Whole,
        "1000",
        "messages of a step",
    ),
    Flag::new(
        TOOL,
        "timeout",
        Kind::Decimal,
        "10",
        "longest time without any message once all have been published, seconds",
    ),
    Flag::new(
        TOOL,
        "hosts",
        Kind::Text,
        "localhost",
        "hosts, separated by commas, that subscribers go round; a flag of Tenbin's",
    ),
    Flag::new(
        TOOL,
        "protocol-adapter-port",
        Kind::Whole,
        "80",
        "port of hosts that name none",
    ),
    Flag::new(
        TOOL,
        "subscribe-path",
        Kind::Text,
        "/subscribe",
        "path whose answer never ends; a flag of Tenbin's",
    ),
    Flag::new(
        TOOL,
        "publish-path",
        Kind::Text,
        "/publish",
        "path that messages are posted to; a flag of Tenbin's",
    ),
    Flag::new(
        TOOL,
        "feed-file",
        Kind::Text,
        "",
        "file with a message, {id} standing for what tells it from others",
    ),
    Flag::new(
        TOOL,
        "output-path",
        Kind::Text,
        "",
        "file for the result as CSV; without it drnbench-publish-subscribe-result.csv in the \
         directory for temporary files",
    ),
    Flag::new(
        TOOL,
        "subscribe-request-file",
        Kind::Text,
        "",
        "request to subscribe",
    )
    .refused("say --subscribe-path"),
    Flag::new(
        TOOL,
        "protocol-adapter-receive-port",
        Kind::Text,
        "",
        "port for the engine",
    )
    .refused(NO_ENGINE),
    Flag::new(
        TOOL,
        "protocol-adapter-application-dir",
        Kind::Text,
        "",
        "directory of the HTTP server",
    )
    .refused(NO_ENGINE),
    Flag::new(TOOL, "node", Kind::Text, "", "Node.js").refused(NO_ENGINE),
    Flag::new(TOOL, "node-options", Kind::List, "", "options for Node.js").refused(NO_ENGINE),
    Flag::new(
        TOOL,
        "engine-config-path",
        Kind::Text,
        "",
        "directory of the engine",
    )
    .refused(NO_ENGINE),
    Flag::new(TOOL, "fluentd", Kind::Text, "", "fluentd").refused(NO_ENGINE),
    Flag::new(
        TOOL,
        "fluentd-options",
        Kind::List,
        "",
        "options for fluentd",
    )
    .refused(NO_ENGINE),
]];

const TABLE: Table = Table {
    style: Style::Getopt,
    tool: NAME,
    command: NAME,
    flags: FLAGS,
};

/// Steps double, so that more of them would have more subscribers than there are ports.
const MOST_STEPS: u64 = 30;
const MOST_SUBSCRIBERS: u64 = 100_000;
/// The message that is fed when nothing else is said.
const USUAL_MESSAGE: &str = "{\"id\":\"{id}\",\"type\":\"watch.publish\"}";
/// What stands for the mark in a message.
const MARK: &str = "{id}";

/// What a command line of drnbench-publish-subscribe asks for.
pub type Asked = crate::Asked<FeedJob>;

/// Messages fed to subscribers, as drnbench-publish-subscribe does it.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedJob {
    /// Subscribers of the first step.
    pub subscribers: u64,
    /// Steps, each with twice as many.
    pub steps: u64,
    /// Messages of a step.
    pub messages: u64,
    /// The longest silence.
    pub timeout: Duration,
    /// `host:port` of every host.
    pub hosts: Vec<String>,
    /// Path whose answer never ends.
    pub subscribe: String,
    /// Path that messages are posted to.
    pub publish: String,
    /// A message, with `{id}` in it.
    pub message: String,
    /// File for the result.
    pub output: Option<String>,
    /// What is to be said, once each, before the run.
    pub notes: Vec<String>,
}

/// Reads what stands behind `drnbench-publish-subscribe`.
///
/// # Errors
///
/// Everything that is wrong with it, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Asked, Mistakes> {
    let mut given = match TABLE.read_flags(
        arguments,
        world,
        "drnbench-publish-subscribe's command line: subscribers over HTTP streaming, counted by \
         the messages that reach them.",
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Asked::Help(help)),
    };
    check_counts(&mut given);
    let job = FeedJob {
        subscribers: given.whole("start-n-subscribers"),
        steps: given.whole("n-steps"),
        messages: given.whole("n-publishings"),
        timeout: timeout(&mut given),
        hosts: hosts(&mut given),
        subscribe: path(&mut given, "subscribe-path"),
        publish: path(&mut given, "publish-path"),
        message: message(&mut given, world),
        output: given.some_text("output-path"),
        notes: Vec::new(),
    };
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    Ok(Asked::Measure(Box::new(FeedJob {
        notes: given.notes,
        ..job
    })))
}

fn check_counts(given: &mut Given) {
    for flag in ["start-n-subscribers", "n-steps", "n-publishings"] {
        if given.whole(flag) == 0 {
            given.wrong(flag, "must be at least 1");
        }
    }
    let steps = given.whole("n-steps");
    let doublings = u32::try_from(steps.saturating_sub(1).min(MOST_STEPS)).unwrap_or(0);
    let last = given
        .whole("start-n-subscribers")
        .saturating_mul(1 << doublings);
    if steps > MOST_STEPS || last > MOST_SUBSCRIBERS {
        let wrong = format!(
            "the last of {steps} steps has {last} subscribers or more; there are at most \
             {MOST_SUBSCRIBERS}"
        );
        given.wrong("n-steps", &wrong);
    }
}

fn timeout(given: &mut Given) -> Duration {
    let seconds = given.decimal("timeout");
    if !(0.1..=3600.0).contains(&seconds) {
        given.wrong("timeout", "must be from 0.1 to 3600 seconds");
        return Duration::ZERO;
    }
    Duration::from_secs_f64(seconds)
}

fn hosts(given: &mut Given) -> Vec<String> {
    let port = given.whole("protocol-adapter-port");
    if !(1..=65_535).contains(&port) {
        given.wrong(
            "protocol-adapter-port",
            "a port is a number from 1 to 65535",
        );
    }
    let hosts = given.text("hosts").split(',').map(str::trim);
    let hosts: Vec<String> = hosts
        .filter(|host| !host.is_empty())
        .map(|host| match host.contains(':') {
            true => host.to_owned(),
            false => format!("{host}:{port}"),
        })
        .collect();
    let visible = |host: &String| host.bytes().all(|byte| byte.is_ascii_graphic());
    if hosts.is_empty() || !hosts.iter().all(visible) {
        given.wrong("hosts", "names no host");
    }
    hosts
}

fn path(given: &mut Given, flag: &'static str) -> String {
    let path = given.text(flag).to_owned();
    let visible = path.bytes().all(|byte| byte.is_ascii_graphic());
    if !path.starts_with('/') || !visible {
        let wrong = format!("{path:?} is no path; write for example \"/subscribe\"");
        given.wrong(flag, &wrong);
    }
    path
}

fn message(given: &mut Given, world: &World<'_>) -> String {
    let Some(file) = given.some_text("feed-file") else {
        return USUAL_MESSAGE.to_owned();
    };
    match (world.read)(&file) {
        Ok(text) if text.contains(MARK) => text,
        Ok(_) => {
            let wrong = format!(
                "{file} has no {MARK} in it, and messages could not be told from each other"
            );
            given.wrong("feed-file", &wrong);
            String::new()
        }
        Err(error) => {
            given.wrong("feed-file", &format!("{file} cannot be read: {error}"));
            String::new()
        }
    }
}

/// The flags for the documentation, as a Markdown table.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
