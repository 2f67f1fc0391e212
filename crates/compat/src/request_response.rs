//! drnbench-request-response, the benchmark of search servers: one number of clients
//! after another.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{At, Draft, Field, HttpDraft, List, LoadDraft, TargetDraft, WorkloadDraft};

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::Mistakes;
use crate::parse::{Given, Style, Table, World};

/// The tool's name.
pub const NAME: &str = "drnbench-request-response";

const TOOL: &[&str] = &[NAME];

/// The one target of its plan.
pub const TARGET: &str = "server";

/// Every flag of drnbench-request-response.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "duration",
        Kind::Decimal,
        "30",
        "length of a step, seconds",
    ),
    Flag::new(
        TOOL,
        "wait",
        Kind::Decimal,
        "0.01",
        "rest of a client after each answer, seconds",
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
        "clients of the first step; 0 is 1",
    ),
    Flag::new(
        TOOL,
        "end-n-clients",
        Kind::Whole,
        "1",
        "most clients of the last step",
    ),
    Flag::new(
        TOOL,
        "step",
        Kind::Whole,
        "1",
        "clients that each step has more",
    ),
    Flag::new(
        TOOL,
        "n-slow-requests",
        Kind::Whole,
        "5",
        "how many of the slowest requests of a step are listed",
    ),
    Flag::new(
        TOOL,
        "n-fast-requests",
        Kind::Whole,
        "5",
        "how many of the fastest requests of a step are listed",
    ),
    Flag::new(
        TOOL,
        "mode",
        Kind::Text,
        "http",
        "http; the modes that speak to Droonga's engine are refused",
    ),
    Flag::new(
        TOOL,
        "request-patterns-file",
        Kind::Text,
        "",
        "file of requests: one path a line, or groups in JSON",
    ),
    Flag::new(
        TOOL,
        "default-hosts",
        Kind::Text,
        "localhost",
        "hosts, separated by commas, that requests go to in turns",
    ),
    Flag::new(
        TOOL,
        "default-host",
        Kind::Text,
        "",
        "the same as --default-hosts",
    ),
    Flag::new(
        TOOL,
        "default-port",
        Kind::Whole,
        "80",
        "port of hosts that name none",
    ),
    Flag::new(
        TOOL,
        "default-path",
        Kind::Text,
        "/",
        "path of patterns that have none",
    )
    .refused("a pattern or its group says its path in the file"),
    Flag::new(
        TOOL,
        "default-method",
        Kind::Text,
        "GET",
        "method of patterns that have none",
    ),
    Flag::new(
        TOOL,
        "default-timeout",
        Kind::Decimal,
        "5",
        "longest time for an answer, seconds",
    ),
    Flag::new(
        TOOL,
        "cache-counters",
        Kind::Text,
        "",
        "where the server reports its cache hits: groonga, droonga, opensearch, a path, or none; \
         without it the first three are tried; a flag of Tenbin's",
    ),
    Flag::new(
        TOOL,
        "observe",
        Kind::Text,
        "",
        "what tells the CPU use of the server: port:N, pid:N, name:PROGRAM, tenbin:URL, \
         prometheus:URL, or none; without it what listens on the port, where the hosts are this \
         machine; a flag of Tenbin's",
    ),
    Flag::new(
        TOOL,
        "output-path",
        Kind::Text,
        "",
        "file for the result as CSV; without it drnbench-result.csv in the directory for temporary \
         files",
    ),
]];

const TABLE: Table = Table {
    style: Style::Getopt,
    tool: NAME,
    command: NAME,
    flags: FLAGS,
};

/// More steps than this are surely a slip: each is a workload of its own.
const MOST_STEPS: u64 = 1000;
/// A ramp of a plan has at least and at most so many levels; others are workloads
/// written one by one.
const RAMP_LEVELS: std::ops::RangeInclusive<usize> = 3..=64;
/// The longest time that a flag of seconds may say: a year.
const LONGEST: f64 = 365.0 * 86_400.0;

/// What a command line of drnbench-request-response asks for.
pub type Asked = crate::Asked<RampJob>;

/// A ramp as drnbench-request-response does it.
#[derive(Debug, Clone, PartialEq)]
pub struct RampJob {
    /// Clients of each step, fewest first, each once.
    pub clients: Vec<u64>,
    /// Length of a step.
    pub duration: Duration,
    /// Rest of a client after each answer.
    pub wait: Duration,
    /// Pause between two steps.
    pub interval: Duration,
    /// How many of the slowest requests are listed.
    pub slow: u64,
    /// How many of the fastest requests are listed.
    pub fast: u64,
    /// File of requests.
    pub patterns: String,
    /// `http://host:port` of every host.
    pub urls: Vec<String>,
    /// Method of patterns that have none.
    pub method: String,
    /// Longest time for an answer.
    pub timeout: Duration,
    /// Where the server reports its cache hits, if that is given.
    pub cache_counters: Option<String>,
    /// What tells the CPU use of the server, if that is given.
    pub observe: Option<String>,
    /// File for the result.
    pub output: Option<String>,
    /// What is to be said, once each, before the run.
    pub notes: Vec<String>,
}

/// Reads what stands behind `drnbench-request-response`.
///
/// # Errors
///
/// Everything that is wrong with it, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Asked, Mistakes> {
    let mut given = match TABLE.read_flags(
        arguments,
        world,
        "drnbench-request-response's command line on Tenbin's engine: as many clients as it \
         says, requests that never run out, no request sent twice, and a verdict.",
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Asked::Help(help)),
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
        observe: given.some_text("observe"),
        output: given.some_text("output-path"),
        notes: Vec::new(),
    };
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    Ok(Asked::Measure(Box::new(RampJob {
        notes: given.notes,
        ..job
    })))
}

fn check_mode(given: &mut Given) {
    let mode = given.text("mode").to_owned();
    if mode != "http" {
        let wrong = format!(
            "{mode:?} speaks to an engine that can no longer be installed; only http is left, \
             which Droonga's HTTP server answers as well"
        );
        given.wrong("mode", &wrong);
    }
}

/// From the first number of clients in steps up to the last, with 0 as 1.
fn clients(given: &mut Given) -> Vec<u64> {
    let (start, end) = (given.whole("start-n-clients"), given.whole("end-n-clients"));
    let step = given.whole("step");
    match steps(start, end, step) {
        Ok(clients) => clients,
        Err((flag, why)) => {
            given.wrong(flag, &why);
            Vec::new()
        }
    }
}

/// The numbers of clients of a ramp as drnbench means it: 0, 20 and 2 are 1, 2, 4 … 20.
///
/// # Errors
///
/// The flag that is wrong, without dashes, and what is wrong with it.
pub fn steps(start: u64, end: u64, step: u64) -> Result<Vec<u64>, (&'static str, String)> {
    if step == 0 {
        return Err(("step", "must be at least 1".to_owned()));
    }
    if end < start || end == 0 {
        let why = format!("{end} clients are fewer than the first step has");
        return Err(("end-n-clients", why));
    }
    let after_the_first = (end - start) / step;
    if after_the_first >= MOST_STEPS {
        let why = format!("makes more than {MOST_STEPS} steps, the most there are");
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
        given.wrong(flag, &format!("must be from {least} to {LONGEST} seconds"));
        return Duration::ZERO;
    }
    Duration::from_secs_f64(seconds)
}

fn patterns(given: &mut Given) -> String {
    let patterns = given.text("request-patterns-file").to_owned();
    if patterns.is_empty() {
        given.wrong(
            "request-patterns-file",
            "is missing; name a file of requests, one path a line or groups in JSON",
        );
    }
    patterns
}

fn urls(given: &mut Given) -> Vec<String> {
    let port = given.whole("default-port");
    if !(1..=65_535).contains(&port) {
        given.wrong("default-port", "a port is a number from 1 to 65535");
    }
    let flag = match given.is_given("default-host") && !given.is_given("default-hosts") {
        true => "default-host",
        false => "default-hosts",
    };
    let mut urls: Vec<String> = Vec::new();
    let hosts = given.text(flag).to_owned();
    for host in hosts.split(',').map(str::trim) {
        let url = url(host, port);
        if urls.contains(&url) {
            given.wrong(flag, &format!("names {host} twice; name each host once"));
        } else if !host.is_empty() {
            urls.push(url);
        }
    }
    if urls.is_empty() {
        given.wrong(flag, "names no host");
    }
    urls
}

/// A host may name its port; one of IPv6 stands in brackets then.
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
    /// The plan: one target, a workload for each number of clients, one round. `counters` names where
    /// the server reports its cache counters.
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

/// The flags for the documentation, as a Markdown table.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
