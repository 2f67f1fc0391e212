//! The command line of drnbench-request-response, a benchmark of search servers that sweeps the
//! number of clients.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{
    At, Draft, Field, HttpDraft, List, LoadDraft, Sentence, TargetDraft, WorkloadDraft, sentence,
};

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::{Mistakes, at_least_one, not_a_port};
use crate::parse::{Given, Style, Table, World};

/// Name of the tool.
pub const NAME: &str = "drnbench-request-response";

const TOOL: &[&str] = &[NAME];

/// Name of the only target in the plan.
pub const TARGET: &str = "server";

/// Every flag of drnbench-request-response.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "duration",
        Kind::Decimal,
        "30",
        "duration of a step, seconds",
    ),
    Flag::new(
        TOOL,
        "wait",
        Kind::Decimal,
        "0.01",
        "think time of a client after each response, seconds",
    ),
    Flag::new(
        TOOL,
        "interval",
        Kind::Decimal,
        "10",
        "pause before every step but the first, seconds",
    ),
    Flag::new(
        TOOL,
        "start-n-clients",
        Kind::Whole,
        "0",
        "clients of the first step; 0 means 1",
    ),
    Flag::new(
        TOOL,
        "end-n-clients",
        Kind::Whole,
        "1",
        "maximum clients of the last step",
    ),
    Flag::new(
        TOOL,
        "step",
        Kind::Whole,
        "1",
        "increase of clients per step",
    ),
    Flag::new(
        TOOL,
        "n-slow-requests",
        Kind::Whole,
        "5",
        "number of slowest requests to list per step",
    ),
    Flag::new(
        TOOL,
        "n-fast-requests",
        Kind::Whole,
        "5",
        "number of fastest requests to list per step",
    ),
    Flag::new(
        TOOL,
        "mode",
        Kind::Text,
        "http",
        "http; the modes for Droonga's engine are refused",
    ),
    Flag::new(
        TOOL,
        "request-patterns-file",
        Kind::Text,
        "",
        "file of requests: one path per line, or groups in JSON",
    ),
    Flag::new(
        TOOL,
        "default-hosts",
        Kind::Text,
        "localhost",
        "hosts for requests, separated by commas, used in turn",
    ),
    Flag::new(
        TOOL,
        "default-host",
        Kind::Text,
        "",
        "alias of --default-hosts",
    ),
    Flag::new(
        TOOL,
        "default-port",
        Kind::Whole,
        "80",
        "default port of hosts",
    ),
    Flag::new(
        TOOL,
        "default-path",
        Kind::Text,
        "/",
        "default path of patterns",
    )
    .refused("patterns and groups state their paths in the file"),
    Flag::new(
        TOOL,
        "default-method",
        Kind::Text,
        "GET",
        "default method of patterns",
    ),
    Flag::new(
        TOOL,
        "default-timeout",
        Kind::Decimal,
        "5",
        "response timeout, seconds",
    ),
    Flag::new(
        TOOL,
        "cache-counters",
        Kind::Text,
        "",
        "where the server reports its cache hits: groonga, droonga, opensearch, a path, or none; \
        default: the first three are tried; added by Tenbin",
    ),
    Flag::new(
        TOOL,
        "output-path",
        Kind::Text,
        "",
        "CSV file for the result; default: drnbench-result.csv in the directory for temporary \
        files",
    ),
]];

const TABLE: Table = Table {
    style: Style::Getopt,
    tool: NAME,
    command: NAME,
    flags: FLAGS,
};

/// Maximum number of steps; a larger number is probably a mistake.
const MOST_STEPS: u64 = 1000;
/// Numbers of steps that `ramp` in a plan supports. For other numbers, the plan lists one workload
/// per step.
const RAMP_LEVELS: std::ops::RangeInclusive<usize> = 3..=64;
/// Largest value of a flag in seconds: one year.
const LONGEST: f64 = 365.0 * 86_400.0;

/// A parsed command line of drnbench-request-response.
pub type Parsed = crate::Parsed<RampJob>;

/// A measurement of drnbench-request-response.
#[derive(Debug, Clone, PartialEq)]
pub struct RampJob {
    /// Clients of each step, ascending, without duplicates.
    pub clients: Vec<u64>,
    /// Duration of a step.
    pub duration: Duration,
    /// Think time of a client after each response.
    pub wait: Duration,
    /// Pause between two steps.
    pub interval: Duration,
    /// Number of slowest requests to list.
    pub slow: u64,
    /// Number of fastest requests to list.
    pub fast: u64,
    /// File with the requests.
    pub patterns: String,
    /// `http://host:port` of every host.
    pub urls: Vec<String>,
    /// Request method of patterns without a method.
    pub method: String,
    /// Response timeout.
    pub timeout: Duration,
    /// Source of the server's cache counters, if given.
    pub cache_counters: Option<String>,
    /// CSV file for the result.
    pub output: Option<String>,
    /// Notes to print before the run.
    pub notes: Vec<Sentence>,
}

/// Parses the arguments of `drnbench-request-response`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let mut given = match TABLE.read_flags(
        arguments,
        world,
        sentence!(
            "request-response-about",
            "drnbench-request-response's command line on Tenbin's engine: exactly the number of clients \
            given, requests that never run out, no request sent twice, and a verdict."
        ),
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Parsed::Help(help)),
    };
    check_mode(&mut given);
    let job = RampJob {
        clients: clients(&mut given),
        duration: seconds(&mut given, "duration", 1.0),
        wait: seconds(&mut given, "wait", 0.0),
        interval: seconds(&mut given, "interval", 0.0),
        slow: given.whole("n-slow-requests"),
        fast: given.whole("n-fast-requests"),
        patterns: patterns(&mut given),
        urls: urls(&mut given),
        method: given.text("default-method").to_ascii_uppercase(),
        timeout: seconds(&mut given, "default-timeout", 0.001),
        cache_counters: given.some_text("cache-counters"),
        output: given.some_text("output-path"),
        notes: Vec::new(),
    };
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    Ok(Parsed::Measure(Box::new(RampJob {
        notes: given.notes,
        ..job
    })))
}

fn check_mode(given: &mut Given) {
    let mode = given.text("mode").to_owned();
    if mode != "http" {
        let why = sentence!(
            "drnbench-mode",
            "{mode:?} needs an engine that is no longer in the package registries; only http is supported, \
            which Droonga's HTTP server also accepts",
            mode
        );
        given.wrong("mode", why);
    }
}

/// The number of clients in each step; 0 becomes 1.
fn clients(given: &mut Given) -> Vec<u64> {
    let (start, end) = (given.whole("start-n-clients"), given.whole("end-n-clients"));
    let step = given.whole("step");
    match steps(start, end, step) {
        Ok(clients) => clients,
        Err((flag, why)) => {
            given.wrong(flag, why);
            Vec::new()
        }
    }
}

/// The number of clients in each step, as in drnbench: 0, 20 and 2 give 1, 2, 4 … 20.
///
/// # Errors
///
/// The name of the wrong flag, without dashes, and what is wrong.
pub fn steps(start: u64, end: u64, step: u64) -> Result<Vec<u64>, (&'static str, Sentence)> {
    if step == 0 {
        return Err(("step", at_least_one()));
    }
    if end < start || end == 0 {
        let why = sentence!(
            "drnbench-fewer-clients",
            "{end} clients are fewer than in the first step",
            end
        );
        return Err(("end-n-clients", why));
    }
    let after_the_first = (end - start) / step;
    if after_the_first >= MOST_STEPS {
        let why = sentence!(
            "drnbench-steps",
            "makes more than {most} steps, which is the limit",
            most = MOST_STEPS
        );
        return Err(("step", why));
    }
    let mut clients: Vec<u64> = (0..=after_the_first)
        .map(|at| (start + at * step).max(1))
        .collect();
    clients.dedup();
    Ok(clients)
}

fn seconds(given: &mut Given, flag: &'static str, least: f64) -> Duration {
    let seconds = given.decimal(flag);
    if !(least..=LONGEST).contains(&seconds) {
        let why = sentence!(
            "front-seconds",
            "must be from {least} to {longest} seconds",
            least,
            longest = LONGEST
        );
        given.wrong(flag, why);
        return Duration::ZERO;
    }
    Duration::from_secs_f64(seconds)
}

fn patterns(given: &mut Given) -> String {
    let patterns = given.text("request-patterns-file").to_owned();
    if patterns.is_empty() {
        let why = sentence!(
            "drnbench-no-patterns",
            "is missing; name a file of requests, one path per line or groups in JSON"
        );
        given.wrong("request-patterns-file", why);
    }
    patterns
}

fn urls(given: &mut Given) -> Vec<String> {
    let port = given.whole("default-port");
    if !(1..=65_535).contains(&port) {
        given.wrong("default-port", not_a_port());
    }
    let is_single = given.is_given("default-host");
    if is_single && given.is_given("default-hosts") {
        let why = sentence!(
            "drnbench-same-flag",
            "is the same flag as --default-hosts; leave one out"
        );
        given.wrong("default-host", why);
    }
    let flag = if is_single {
        "default-host"
    } else {
        "default-hosts"
    };
    let mut urls: Vec<String> = Vec::new();
    let hosts = given.text(flag).to_owned();
    for host in hosts.split(',').map(str::trim) {
        let url = url(host, port);
        if urls.contains(&url) {
            let why = sentence!(
                "drnbench-host-twice",
                "names {host} twice; name each host once",
                host
            );
            given.wrong(flag, why);
        } else if !host.is_empty() {
            urls.push(url);
        }
    }
    if urls.is_empty() {
        given.wrong(flag, sentence!("drnbench-no-host", "contains no host"));
    }
    urls
}

/// The URL of a host, with `port` unless `host` contains a port. An IPv6 address with a port needs
/// brackets.
fn url(host: &str, port: u64) -> String {
    let own_port = host
        .rsplit_once(':')
        .is_some_and(|(name, port)| port.parse::<u16>().is_ok() && !name.contains(':'));
    let bare_ipv6 = host.matches(':').count() > 1 && !host.starts_with('[');
    if own_port || host.starts_with('[') && host.contains("]:") {
        format!("http://{host}/")
    } else if bare_ipv6 {
        format!("http://[{host}]:{port}/")
    } else {
        format!("http://{host}:{port}/")
    }
}

impl RampJob {
    /// The plan: one target, one round, and one workload that sweeps the numbers of clients; for
    /// fewer than 3 or more than 64 numbers, one workload for each. `counters` is the source of the
    /// server's cache counters.
    pub fn draft(&self, counters: Option<&str>) -> Draft {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("drnbench"));
        draft.targets = vec![At::nowhere(self.target())];
        draft.workloads = self.workloads(counters);
        draft.load.timeout = field("--default-timeout", self.timeout);
        draft.load.keep_alive = Some(At::nowhere(false));
        if !self.wait.is_zero() {
            draft.load.think = field("--wait", self.wait);
        }
        draft.rounds.count = Some(At::nowhere(1_u64));
        draft.rounds.slice = field("--duration", self.duration);
        draft.rounds.gap = field("--interval", self.interval);
        draft.rounds.warmup = Some(At::nowhere("0s"));
        draft
    }

    fn target(&self) -> TargetDraft {
        let mut target = TargetDraft {
            name: Some(At::nowhere(TARGET)),
            ..TargetDraft::default()
        };
        match self.urls.as_slice() {
            [url] => target.url = Some(At::flag("--default-hosts", url.as_str())),
            urls => {
                let each = urls.iter();
                let each = each.map(|url| At::flag("--default-hosts", url.as_str()));
                let list = List::Many(each.collect());
                target.urls = Some(At::flag("--default-hosts", list));
            }
        }
        target
    }

    fn workloads(&self, counters: Option<&str>) -> Vec<At<WorkloadDraft>> {
        let clients: Vec<String> = self.clients.iter().map(u64::to_string).collect();
        if RAMP_LEVELS.contains(&clients.len()) {
            let load = LoadDraft {
                ramp: Some(At::flag("--end-n-clients", clients.join(","))),
                ..LoadDraft::default()
            };
            return vec![At::nowhere(self.workload("search", load, counters))];
        }
        let one = |clients: &u64| {
            let load = LoadDraft {
                connections: Some(At::flag("--end-n-clients", *clients)),
                ..LoadDraft::default()
            };
            At::nowhere(self.workload(&format!("search-c{clients}"), load, counters))
        };
        self.clients.iter().map(one).collect()
    }

    fn workload(&self, name: &str, load: LoadDraft, counters: Option<&str>) -> WorkloadDraft {
        let file = self.patterns.as_str();
        let mut workload = WorkloadDraft::of(HttpDraft {
            patterns: Some(At::flag("--request-patterns-file", file)),
            method: Some(At::flag("--default-method", self.method.as_str())),
            slowest: Some(At::flag("--n-slow-requests", self.slow.max(self.fast))),
            cache_counters: counters.map(|known| At::flag("--cache-counters", known)),
            ..HttpDraft::default()
        });
        workload.name = Some(At::nowhere(name));
        workload.load = load;
        workload
    }
}

fn field(flag: &'static str, time: Duration) -> Field {
    Some(At::flag(flag, Time(time).to_string()))
}

/// The flags as a Markdown table, for the documentation.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
