//! The command line of drnbench-publish-subscribe, a benchmark with permanent subscribers whose
//! number doubles in every step.

use std::time::Duration;

use tenbin_plan::{Sentence, sentence};

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::{Mistakes, not_a_port, unreadable};
use crate::parse::{Given, Style, Table, World};

/// Name of the tool.
pub const NAME: &str = "drnbench-publish-subscribe";

const TOOL: &[&str] = &[NAME];

const NO_ENGINE: &str = "Tenbin does not start Droonga; start a server and name it with --hosts";

/// Every flag of drnbench-publish-subscribe.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "start-n-subscribers",
        Kind::Whole,
        "1000",
        "subscribers of the first step; each further step doubles them",
    ),
    Flag::new(TOOL, "n-steps", Kind::Whole, "10", "steps"),
    Flag::new(
        TOOL,
        "n-publishings",
        Kind::Whole,
        "1000",
        "messages per step",
    ),
    Flag::new(
        TOOL,
        "timeout",
        Kind::Decimal,
        "10",
        "maximum time without a message after all were published, seconds",
    ),
    Flag::new(
        TOOL,
        "hosts",
        Kind::Text,
        "localhost",
        "hosts of subscribers, separated by commas; added by Tenbin",
    ),
    Flag::new(
        TOOL,
        "protocol-adapter-port",
        Kind::Whole,
        "80",
        "default port of hosts",
    ),
    Flag::new(
        TOOL,
        "subscribe-path",
        Kind::Text,
        "/subscribe",
        "path of the stream of messages; added by Tenbin",
    ),
    Flag::new(
        TOOL,
        "publish-path",
        Kind::Text,
        "/publish",
        "path for posting messages; added by Tenbin",
    ),
    Flag::new(
        TOOL,
        "feed-file",
        Kind::Text,
        "",
        "file with a message that contains {id}, which is replaced by a unique number",
    ),
    Flag::new(
        TOOL,
        "output-path",
        Kind::Text,
        "",
        "CSV file for the result; default: drnbench-publish-subscribe-result.csv in the \
        directory for temporary files",
    ),
    Flag::new(
        TOOL,
        "subscribe-request-file",
        Kind::Text,
        "",
        "subscription request",
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

/// Maximum number of steps. Subscribers double in each step, so more steps would need more ports
/// than exist.
const MOST_STEPS: u64 = 30;
const MOST_SUBSCRIBERS: u64 = 100_000;
/// The default message.
const USUAL_MESSAGE: &str = "{\"id\":\"{id}\",\"type\":\"watch.publish\"}";
/// The placeholder for the id of a message.
const MARK: &str = "{id}";

/// A parsed command line of drnbench-publish-subscribe.
pub type Parsed = crate::Parsed<FeedJob>;

/// A measurement of drnbench-publish-subscribe.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedJob {
    /// Subscribers of the first step.
    pub subscribers: u64,
    /// Number of steps; each step after the first doubles the subscribers.
    pub steps: u64,
    /// Messages per step.
    pub messages: u64,
    /// Maximum time without receiving a message.
    pub timeout: Duration,
    /// `host:port` of every host.
    pub hosts: Vec<String>,
    /// Path from which subscribers receive messages.
    pub subscribe: String,
    /// Path for posting messages.
    pub publish: String,
    /// The message to post; `{id}` is replaced with the id of the message.
    pub message: String,
    /// CSV file for the result.
    pub output: Option<String>,
    /// Notes to print before the run.
    pub notes: Vec<Sentence>,
}

/// Parses the arguments of `drnbench-publish-subscribe`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let mut given = match TABLE.read_flags(
        arguments,
        world,
        sentence!(
            "publish-subscribe-about",
            "drnbench-publish-subscribe's command line: subscribers over HTTP streaming, counted by \
            the messages that they receive."
        ),
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Parsed::Help(help)),
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
    Ok(Parsed::Measure(Box::new(FeedJob {
        notes: given.notes,
        ..job
    })))
}

fn check_counts(given: &mut Given) {
    given.need_at_least_one(&["start-n-subscribers", "n-steps", "n-publishings"]);
    let steps = given.whole("n-steps");
    let doublings = u32::try_from(steps.saturating_sub(1).min(MOST_STEPS)).unwrap_or(0);
    let last = given
        .whole("start-n-subscribers")
        .saturating_mul(1 << doublings);
    if steps > MOST_STEPS || last > MOST_SUBSCRIBERS {
        let why = sentence!(
            "drnbench-subscribers",
            "the last of {steps} steps has {last} subscribers or more; there are at most {most}",
            steps,
            last,
            most = MOST_SUBSCRIBERS
        );
        given.wrong("n-steps", why);
    }
}

fn timeout(given: &mut Given) -> Duration {
    let seconds = given.decimal("timeout");
    if !(0.1..=3600.0).contains(&seconds) {
        let why = sentence!(
            "front-seconds",
            "must be from {least} to {longest} seconds",
            least = 0.1,
            longest = 3600
        );
        given.wrong("timeout", why);
        return Duration::ZERO;
    }
    Duration::from_secs_f64(seconds)
}

fn hosts(given: &mut Given) -> Vec<String> {
    let port = given.whole("protocol-adapter-port");
    if !(1..=65_535).contains(&port) {
        given.wrong("protocol-adapter-port", not_a_port());
    }
    let hosts = given.text("hosts").split(',').map(str::trim);
    let hosts: Vec<String> = hosts
        .filter(|host| !host.is_empty())
        .map(|host| {
            if host.contains(':') {
                host.to_owned()
            } else {
                format!("{host}:{port}")
            }
        })
        .collect();
    let visible = |host: &String| host.bytes().all(|byte| byte.is_ascii_graphic());
    if hosts.is_empty() || !hosts.iter().all(visible) {
        given.wrong("hosts", sentence!("drnbench-no-host", "contains no host"));
    }
    hosts
}

fn path(given: &mut Given, flag: &'static str) -> String {
    let path = given.text(flag).to_owned();
    let visible = path.bytes().all(|byte| byte.is_ascii_graphic());
    if !path.starts_with('/') || !visible {
        let why = sentence!(
            "drnbench-no-path",
            "{path:?} is not a path; write for example \"/subscribe\"",
            path
        );
        given.wrong(flag, why);
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
            let why = sentence!(
                "drnbench-no-mark",
                "{file} does not contain {mark}, which is needed to identify messages",
                file,
                mark = MARK
            );
            given.wrong("feed-file", why);
            String::new()
        }
        Err(error) => {
            given.wrong("feed-file", unreadable(&file, &error));
            String::new()
        }
    }
}

/// The flags as a Markdown table, for the documentation.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
