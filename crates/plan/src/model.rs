//! What an experiment is, once every default is filled in and every mistake refused.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::blob::{BlobWork, Phase, Store};
use crate::comparing::{Comparing, SweepPoint, Until};
use crate::names::DEFAULT_REGION;
use crate::observe::Observe;
use crate::patterns::{ByTarget, HitSource, Patterns};
use crate::questions::FEWEST_LEVELS;
use crate::relaunch::Relaunch;
use crate::s3::S3Work;
use crate::searched::{Corpus, Searched};
use crate::secrets::Secrets;
use crate::slo::Slo;
use crate::think::Think;
use crate::trace::Trace;
use crate::way::Way;

/// targets × workloads × loads × rounds: the whole question.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Short name, used for the run directory (`runs/<date>-<name>`).
    pub name: String,
    /// Seed of every random choice: start arm, keys, content, arrivals.
    pub seed: u64,
    /// Generator threads.
    pub threads: usize,
    /// How slices follow each other.
    pub rounds: Rounds,
    /// The systems under test, in the order given; a twin of the baseline is the
    /// last.
    pub targets: Vec<Target>,
    /// The operations sent to every target.
    pub workloads: Vec<Workload>,
    /// How targets are held against each other.
    pub comparing: Comparing,
    /// The pages that are searched, if the plan makes any.
    pub corpus: Option<Corpus>,
}

impl Plan {
    /// Workloads in a closed loop that differ in their connections only, as positions
    /// among [`Plan::workloads`], the fewest connections first: ladders of three or more
    /// levels, among which there is an optimum to be found.
    pub fn ladders(&self) -> Vec<Vec<usize>> {
        self.ladders_of(FEWEST_LEVELS)
    }

    /// The same with at least so many levels. Of two with as many connections, the first
    /// is taken.
    pub fn ladders_of(&self, fewest: usize) -> Vec<Vec<usize>> {
        ladders_among(&self.workloads, fewest)
    }
}

/// The ladders among workloads that are in no plan yet.
pub(crate) fn ladders_among(workloads: &[Workload], fewest: usize) -> Vec<Vec<usize>> {
    let mut ladders: Vec<Vec<usize>> = Vec::new();
    for (at, workload) in workloads.iter().enumerate() {
        if workload.load.pace != Pace::Closed {
            continue;
        }
        let mut known = ladders.iter_mut();
        match known.find(|ladder| workloads[ladder[0]].is_level_beside(workload)) {
            Some(ladder) => ladder.push(at),
            None => ladders.push(vec![at]),
        }
    }
    let connections = |at: &usize| workloads[*at].load.connections;
    for ladder in &mut ladders {
        ladder.sort_by_key(connections);
        ladder.dedup_by_key(|at| connections(at));
    }
    ladders.retain(|ladder| ladder.len() >= fewest);
    ladders
}

/// How slices follow each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// Rounds: one slice of every target each. Two targets pair two rounds into
    /// one ABBA quad, so the count is even for them. The fewest when the run may
    /// end by precision.
    pub count: u32,
    /// The rounds that the plan asks for, where `count` is more: whole blocks.
    pub asked: Option<u32>,
    /// When the run may end, if not after `count` rounds.
    pub until: Option<Until>,
    /// Length of the measured window of one slice.
    pub slice: Duration,
    /// Rest between two slices.
    pub gap: Duration,
    /// Unmeasured work before the first slice of each workload on each target.
    pub warmup: Duration,
    /// When targets are started again during the run; see [`Plan::relaunch`].
    pub relaunch: Relaunch,
    /// Unmeasured head of every slice, from when its connections are open.
    pub lead: Duration,
}

/// How operations are issued.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Closed loop (a fixed number of connections) or open loop (arrivals).
    pub pace: Pace,
    /// Connections, over all threads. A target with several hosts gets as many to
    /// each of them; no more requests are out at once than with one.
    pub connections: usize,
    /// Closed loop: how long a connection rests after each answer.
    pub think: Option<Think>,
    /// Requests out at once on a connection, 1 to 1000: pipelined in HTTP/1.1,
    /// streams in HTTP/2. More than 1 only with `keep_alive`.
    pub depth: usize,
    /// An operation unanswered for this long, counted from its write (closed
    /// loop) or its intended start (open loop), has failed.
    pub timeout: Duration,
    /// Reuse connections. When false the client closes after every answer.
    pub keep_alive: bool,
    /// Open every connection again so that a slice has this many lives of it, 2 or more: servers
    /// whose workers share a listening socket spread connections by chance. HTTP/1.1 with
    /// `keep_alive` and a depth of 1 only.
    pub reopen: Option<u32>,
    /// End a slice after this many operations, if before its window is over.
    pub requests: Option<u64>,
}

impl Load {
    /// A closed loop on so many connections, with nothing else asked for.
    pub fn closed(connections: usize) -> Self {
        Self {
            pace: Pace::Closed,
            think: None,
            connections,
            depth: 1,
            timeout: Duration::from_secs(30),
            keep_alive: true,
            reopen: None,
            requests: None,
        }
    }
}

/// When the next operation is due. Rates are over all threads, and operations are
/// timed from their intended start, except in a closed loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Pace {
    /// As soon as the connection is free.
    Closed,
    /// At a constant rate, evenly spaced.
    Constant {
        /// Operations a second.
        per_second: f64,
    },
    /// At a constant mean rate, at random: a Poisson process drawn from the seed.
    Poisson {
        /// Operations a second, on average.
        per_second: f64,
    },
    /// At a rate that goes linearly from one value at the start of a slice's
    /// window to another at its end.
    Ramp {
        /// Operations a second at the start, and before it.
        from: f64,
        /// Operations a second at the end.
        to: f64,
        /// How they are spread.
        arrivals: Arrivals,
    },
    /// At one rate after another.
    Steps {
        /// Operations a second, and for how long from there on. The first also
        /// holds before the window, the last to its end.
        steps: Vec<(f64, Duration)>,
        /// How they are spread.
        arrivals: Arrivals,
    },
    /// At times read from a file, from the start of a slice's window on.
    Trace(Trace),
    /// At one rate after another, a slice each, until the highest is found at which
    /// an objective is met. Such a workload takes no part in the rounds.
    Search(RateSearch),
}

/// The search for the highest rate at which an objective is met.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSearch {
    /// What has to be met.
    pub slo: Slo,
    /// Operations a second to begin with; a short look in a closed loop tells when
    /// not set.
    pub from: Option<f64>,
    /// How operations are spread.
    pub arrivals: Arrivals,
}

impl RateSearch {
    /// How long a search takes at most, leads, drains and pauses included, as a multiple of a
    /// slice.
    pub const MOST_SLICES: u32 = 60;

    /// How long the final proof takes, as a multiple of a slice.
    pub const PROOF_SLICES: u32 = 3;

    /// The pace of one probe.
    pub fn pace_at(&self, per_second: f64) -> Pace {
        match self.arrivals {
            Arrivals::Constant => Pace::Constant { per_second },
            Arrivals::Poisson => Pace::Poisson { per_second },
        }
    }
}

impl Pace {
    /// How many operations are due in a window of `length` seconds, on average
    /// where they come at random: the integral of the rate. `None` for a closed
    /// loop, where the answers decide.
    pub fn due_within(&self, length: f64) -> Option<f64> {
        match self {
            Self::Closed | Self::Search(_) => None,
            Self::Constant { per_second } | Self::Poisson { per_second } => {
                Some(per_second * length)
            }
            Self::Ramp { from, to, .. } => Some((from + to) / 2.0 * length),
            Self::Steps { steps, .. } => Some(due_in_steps(steps, length)),
            Self::Trace(trace) => Some(trace.due_within(length) as f64),
        }
    }
}

fn due_in_steps(steps: &[(f64, Duration)], length: f64) -> f64 {
    let (mut due, mut left) = (0.0, length);
    for (rate, time) in steps {
        let time = time.as_secs_f64().min(left);
        due += rate * time;
        left -= time;
    }
    due + steps.last().map_or(0.0, |(rate, _)| rate * left)
}

/// How operations that are due at some rate are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly: one whenever the integral of the rate reaches a whole number.
    Constant,
    /// At random: a Poisson process of that rate, drawn from the seed.
    Poisson,
}

/// A system under test.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Unique name: letters, digits, `-`, `_`, `.`; in a sweep, `@` and `=` too.
    pub name: String,
    /// Where it is, or how it comes to be.
    pub reach: Reach,
    /// How connections get there.
    pub way: Way,
    /// S3 credentials, if it wants any.
    pub credentials: Option<Credentials>,
    /// S3 region.
    pub region: String,
    /// How S3 requests are signed.
    pub signature: Signature,
    /// What blob workloads speak to it, where it is reached by HTTP.
    pub store: Store,
    /// Bytes that the objects or blobs of a built-in store in memory may take; half of the free
    /// memory without.
    pub memory: Option<u64>,
    /// Its version, as the plan says it, for the report.
    pub version: Option<String>,
    /// Its place in a sweep, if it is one of several that differ in a value alone.
    pub sweep: Option<SweepPoint>,
    /// Where the figures of what it uses come from, if not from having launched it.
    pub observe: Option<Observe>,
    /// What it is as a server that searches.
    pub searched: Searched,
    /// Values in its URL and environment that nothing printed shows.
    pub secrets: Secrets,
}

impl Target {
    /// A target with nothing else said of it.
    pub fn new(name: impl Into<String>, reach: Reach) -> Self {
        Self {
            name: name.into(),
            reach,
            way: Way::default(),
            credentials: None,
            region: DEFAULT_REGION.to_owned(),
            signature: Signature::default(),
            store: Store::default(),
            memory: None,
            version: None,
            sweep: None,
            observe: None,
            searched: Searched::default(),
            secrets: Secrets::default(),
        }
    }

    /// Whether somebody answers there: a directory or a dummy has nobody, and what is
    /// done on it is done by Tenbin's own threads.
    pub fn has_server(&self) -> bool {
        !matches!(self.reach, Reach::Files(_) | Reach::Builtin(Builtin::Dummy))
    }

    /// A URL of this target without its secrets.
    pub fn shown_url(&self, url: &Url) -> String {
        self.secrets.conceal(url.as_str())
    }
}

/// How S3 requests are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signature {
    /// AWS Signature Version 4.
    #[default]
    V4,
    /// AWS Signature Version 2, for servers that know no other.
    V2,
    /// Not at all: requests are anonymous, whatever credentials there are.
    None,
}

/// Where a target is, or how it comes to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Reach {
    /// It is simply there.
    Endpoint {
        /// Base URL (`http://host:port/path` or `https://…`); of several hosts
        /// that of the first.
        url: Url,
    },
    /// Tenbin launches it.
    Launched(Launch),
    /// One of Tenbin's own servers, run as a child process.
    Builtin(Builtin),
    /// A directory, for blobs in files.
    Files(Files),
}

impl Reach {
    /// Whether it is reached by connections at all.
    pub fn has_connections(&self) -> bool {
        !matches!(self, Self::Files(_) | Self::Builtin(Builtin::Dummy))
    }

    /// What blob workloads speak there, where a plan says `given` of it: a built-in server
    /// speaks what it speaks.
    pub fn store(&self, given: Store) -> Store {
        match self {
            Self::Builtin(Builtin::S3Memory | Builtin::S3Durable) => Store::S3,
            _ => given,
        }
    }
}

/// A directory with blobs in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The directory; a resolved plan has it absolute.
    pub path: PathBuf,
    /// Whether a file is synced to disk, and its directory with it, before it counts as
    /// stored.
    pub sync: bool,
}

/// A command that Tenbin starts, observes and stops.
///
/// `{port}`, `{data}`, `{access_key}` and `{secret_key}` in `command` (not the
/// secret key there: process titles are public), `env`, `url` and `ready` stand
/// for: a free port chosen for it; a fresh directory inside the run directory,
/// removed afterwards; its credentials, made up for the run when none are given.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Extra environment.
    pub env: BTreeMap<String, String>,
    /// Addresses of this machine, a process on each; one process on 127.0.0.1 when empty.
    /// `{host}` stands for the address.
    pub nodes: Vec<IpAddr>,
    /// Working directory; Tenbin's own when not set. A resolved plan always
    /// sets it: to the directory of the plan file when nothing else was asked for.
    pub directory: Option<PathBuf>,
    /// Base URL once it is up, with placeholders.
    pub url: String,
    /// How to tell that it is up.
    pub ready: Ready,
    /// How long it may take to come up.
    pub ready_within: Duration,
    /// How long it may take to stop when asked, before it is killed.
    pub stop_within: Duration,
}

/// How to tell that a launched target is up.
#[derive(Debug, Clone, PartialEq)]
pub enum Ready {
    /// Its URL's port accepts connections.
    Port,
    /// This URL (with placeholders) answers with any status below 500.
    Url(String),
    /// Its output contains this text.
    Log(String),
}

/// Tenbin's own servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Answers every request with a small fixed body.
    Http,
    /// S3 object store in memory.
    S3Memory,
    /// S3 object store on disk that syncs before it answers.
    S3Durable,
    /// The access layer of a blob store, in memory.
    Blob,
    /// No server at all: every operation is done at once. It shows what Tenbin itself
    /// costs.
    Dummy,
}

/// An S3 access key and its secret.
#[derive(Clone, PartialEq)]
pub struct Credentials {
    /// Access key id: not secret, yet not printed either.
    pub access_key: String,
    /// The secret.
    pub secret_key: Secret,
    /// Where the access key came from.
    pub access_key_source: KeySource,
    /// Where the secret came from.
    pub secret_key_source: KeySource,
    /// What goes along with keys that are good for a session only.
    pub session_token: Option<SessionToken>,
}

/// What goes along with keys that are good for a session only.
#[derive(Clone, PartialEq)]
pub struct SessionToken {
    /// The token.
    pub secret: Secret,
    /// Where it came from.
    pub source: KeySource,
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

impl Credentials {
    /// Keys given literally.
    pub fn literal(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self::from_one_source(access_key, secret_key, KeySource::Literal)
    }

    /// Keys made up for this run.
    pub fn generated(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self::from_one_source(access_key, secret_key, KeySource::Generated)
    }

    fn from_one_source(
        access_key: impl Into<String>,
        secret_key: impl Into<String>,
        source: KeySource,
    ) -> Self {
        Self {
            access_key: access_key.into(),
            secret_key: Secret::new(secret_key),
            access_key_source: source.clone(),
            secret_key_source: source,
            session_token: None,
        }
    }
}

/// Where a key came from, so that a printed plan can name it without showing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// Written in the plan file or on the command line.
    Literal,
    /// Read from this environment variable.
    Env(String),
    /// Read from this file.
    File(PathBuf),
    /// Made up for this run.
    Generated,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

/// Text that must appear in no file, log, process title or error.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for signing and for the environment of a launched target.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The operations sent, what counts as a correct answer, and under which load.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Unique name, for example `put-1KiB`.
    pub name: String,
    /// What is sent.
    pub kind: WorkloadKind,
    /// How it is issued.
    pub load: Load,
    /// Read what targets tell of their own stages in the heads of their answers.
    pub stages: bool,
}

impl Workload {
    /// The search that finds its rate, if one does.
    pub fn search(&self) -> Option<&RateSearch> {
        match &self.load.pace {
            Pace::Search(search) => Some(search),
            _ => None,
        }
    }

    /// How hits are read from responses; `None` where requests are not drawn from patterns.
    pub fn hits(&self) -> Option<&HitSource> {
        self.patterns().map(|patterns| &patterns.hits)
    }

    /// The patterns that its requests are drawn from, if they are.
    pub fn patterns(&self) -> Option<&Patterns> {
        match &self.kind {
            WorkloadKind::Http(work) => work.patterns.as_ref(),
            WorkloadKind::S3(_) | WorkloadKind::Blob(_) => None,
        }
    }

    /// Whether the two differ in nothing but their names and connections.
    fn is_level_beside(&self, other: &Self) -> bool {
        let mut load = other.load.clone();
        load.connections = self.load.connections;
        self.kind == other.kind && self.load == load && self.stages == other.stages
    }

    /// Whether a slice may end before its time: by a count of operations, because
    /// they use up what was laid out for them, or with the last of a trace.
    pub fn may_end_early(&self) -> bool {
        self.is_counted() || matches!(self.load.pace, Pace::Trace(_))
    }

    /// Whether targets that are compared are sent the same requests, counted, so that a slice of the
    /// slower one lasts longer: in a closed loop, where it matters which requests are sent.
    pub(crate) fn may_be_stretched(&self) -> bool {
        let has_sequence = match &self.kind {
            WorkloadKind::Http(work) => work.patterns.is_some(),
            WorkloadKind::S3(work) => work.has_sequence(),
            WorkloadKind::Blob(work) => work.phase == Phase::Get,
        };
        has_sequence && self.load.pace == Pace::Closed && self.load.requests.is_none()
    }

    /// The unmeasured head of its slices: none where every operation counts and
    /// some would be lost to it. A trace has none in it.
    pub fn lead(&self, rounds: &Rounds) -> Duration {
        let none_in_it = matches!(self.load.pace, Pace::Trace(_));
        if self.is_counted() && !none_in_it {
            return Duration::ZERO;
        }
        rounds.lead
    }

    fn is_counted(&self) -> bool {
        let uses_up = match &self.kind {
            WorkloadKind::Http(_) => false,
            WorkloadKind::S3(work) => work.uses_up(),
            // Every blob counts: what one phase stores the next reads.
            WorkloadKind::Blob(_) => true,
        };
        uses_up || self.load.requests.is_some()
    }
}

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkloadKind {
    /// One plain HTTP request, over and over, or many in some order.
    Http(HttpWork),
    /// S3 operations on many objects.
    S3(S3Work),
    /// A phase on blobs.
    Blob(BlobWork),
}

/// One plain HTTP request, over and over, or many in some order.
#[derive(Clone, PartialEq)]
pub struct HttpWork {
    /// Request method.
    pub method: String,
    /// Path and query; the target URL's own when not set.
    pub path: Option<String>,
    /// Extra headers, in order. A value may be secret.
    pub headers: Vec<(String, String)>,
    /// The same headers as a printed plan shows them: `{env:NAME}` in place of
    /// what came from the environment or has to come from there next time.
    pub printed_headers: Vec<(String, String)>,
    /// Request body.
    pub body: Vec<u8>,
    /// Values in `path`, `body` and the templates of `patterns` that nothing printed shows.
    pub secrets: Secrets,
    /// The file that `body` was read from, if it was.
    pub body_file: Option<PathBuf>,
    /// Statuses that count as success; any 2xx when empty.
    pub expect: Vec<u16>,
    /// What may differ between responses to the same request, of one target and of several.
    pub may_differ: MayDiffer,
    /// The content of every response is compared with what it was before the run, not of some.
    pub verify: bool,
    /// The requests that are drawn from in place of a single one: each has its own
    /// method, path and body, and the headers of the work but for its own.
    pub patterns: Option<Patterns>,
}

/// What may differ between responses to the same request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MayDiffer {
    /// The length of the body, as sent: it may be compressed, for example.
    pub size: bool,
    /// `Content-Type` and `Content-Encoding`.
    pub headers: bool,
    /// The content of the body, decoded.
    pub body: bool,
}

impl MayDiffer {
    /// The length as sent alone.
    pub const SIZE: Self = Self {
        size: true,
        ..Self::NOTHING
    };
    /// Headers alone.
    pub const HEADERS: Self = Self {
        headers: true,
        ..Self::NOTHING
    };
    /// The content, and the length with it.
    pub const BODY: Self = Self {
        size: true,
        body: true,
        ..Self::NOTHING
    };
    const NOTHING: Self = Self {
        size: false,
        headers: false,
        body: false,
    };

    /// What may differ by one or the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            size: self.size || other.size,
            headers: self.headers || other.headers,
            body: self.body || other.body,
        }
    }

    /// The names of what may differ, as in plans.
    pub fn names(self) -> Vec<&'static str> {
        let is_whole = self.body && self.size;
        let named = [
            (self.size && !is_whole, "size"),
            (self.headers, "headers"),
            (self.body, "body"),
        ];
        let set = named.into_iter().filter(|(is_set, _)| *is_set);
        set.map(|(_, name)| name).collect()
    }
}

impl fmt::Debug for HttpWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpWork")
            .field("method", &self.method)
            .field("path", &self.shown_path())
            .field("headers", &self.printed_headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("body_file", &self.body_file)
            .field("expect", &self.expect)
            .field("may_differ", &self.may_differ)
            .field("verify", &self.verify)
            .field("patterns", &self.patterns)
            .finish()
    }
}

impl HttpWork {
    /// Whether a response with this status counts as success.
    pub fn counts_as_success(&self, status: u16) -> bool {
        match self.expect.as_slice() {
            [] => (200..300).contains(&status),
            expected => expected.contains(&status),
        }
    }

    /// `path` without its secrets.
    pub fn shown_path(&self) -> Option<String> {
        Some(self.secrets.conceal(self.path.as_ref()?))
    }

    /// The requests that differ between targets, if they do.
    pub fn by_target(&self) -> Option<&ByTarget> {
        self.patterns.as_ref()?.by_target.as_ref()
    }

    /// A request of that method with nothing else asked for.
    pub fn plain(method: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            path: None,
            headers: Vec::new(),
            printed_headers: Vec::new(),
            body: Vec::new(),
            secrets: Secrets::default(),
            body_file: None,
            expect: Vec::new(),
            may_differ: MayDiffer::default(),
            verify: false,
            patterns: None,
        }
    }
}
