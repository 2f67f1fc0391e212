//! Common parts of the command lines of HTTP benchmarks: one repeated request on a number of
//! connections, for a duration or a number of requests.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{
    At, Draft, HttpDraft, List, Place, Scalar, Sentence, TargetDraft, TlsDraft, WorkloadDraft,
    conceal_url, default_rounds, sentence,
};

/// Slice length of a measurement limited only by its number of requests: 24 hours, because every
/// slice must end.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// Shortest slice of a plan.
const SHORTEST_SLICE: Duration = Duration::from_millis(100);

/// A parsed command line, with the tool's defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct WebJob {
    /// Name of the tool and of the plan.
    pub tool: &'static str,
    /// The servers: one target, or several that are compared.
    pub servers: Vec<Server>,
    /// Connections.
    pub connections: u64,
    /// Threads, if the tool has them.
    pub threads: Option<u64>,
    /// Requests per second over all connections; `None` for a closed loop.
    pub rate: Option<u64>,
    /// Whether connections are kept alive.
    pub keep_alive: bool,
    /// Number of requests after which the measurement ends.
    pub requests: Option<u64>,
    /// Duration after which the measurement ends.
    pub time: Option<Duration>,
    /// Response timeout.
    pub timeout: Duration,
    /// Request method.
    pub method: String,
    /// `Name: value` lines. Values can be secret.
    pub headers: Vec<String>,
    /// File with the request's body.
    pub body_file: Option<String>,
    /// Local address of connections.
    pub source: Option<String>,
    /// Whether any certificate is accepted.
    pub insecure: bool,
    /// File with a client certificate and its key.
    pub certificate: Option<String>,
    /// Notes to print before the run, once each.
    pub notes: Vec<Sentence>,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The name, if given as `name=URL`.
    pub name: Option<String>,
    /// URL of the request.
    pub url: String,
}

impl WebJob {
    /// Slices per target: one for a single target, as in the original tool; for several targets,
    /// enough slices to show a difference.
    pub fn slices(&self) -> u32 {
        match self.servers.len() {
            0 | 1 => 1,
            several => default_rounds(several, several - 1),
        }
    }

    /// Requests per slice; `None` if the measurement is not limited by requests.
    fn requests_of_slice(&self) -> Option<u64> {
        let slices = u64::from(self.slices());
        self.requests.map(|all| all.div_ceil(slices))
    }

    /// Duration of a slice; `None` if the measurement is not limited by time.
    fn time_of_slice(&self) -> Option<Duration> {
        self.time.map(|time| time / self.slices())
    }

    /// The plan: one request, and one target per server.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere(self.tool));
        draft.threads = self.threads.map(|threads| At::flag("-t", threads));
        let servers = self.servers.iter();
        draft.targets = servers.map(|one| At::nowhere(self.target(one))).collect();
        draft.workloads = vec![At::nowhere(self.workload())];
        draft.load.connections = Some(At::flag("-c", self.connections));
        draft.load.rate = self.rate.map(|rate| At::flag("-R", rate));
        draft.load.keep_alive = Some(At::nowhere(self.keep_alive));
        draft.load.timeout = Some(At::nowhere(Time(self.timeout).to_string()));
        draft.load.requests = self.requests_of_slice().map(|each| At::flag("-n", each));
        let length = self.time_of_slice().unwrap_or(NO_LIMIT);
        draft.rounds.slice = Some(At::nowhere(Time(length).to_string()));
        draft.rounds.count = Some(At::nowhere(u64::from(self.slices())));
        if self.servers.len() < 2 {
            draft.rounds.warmup = Some(At::nowhere("0s"));
            draft.rounds.gap = Some(At::nowhere("0s"));
        }
        draft
    }

    fn target(&self, server: &Server) -> TargetDraft {
        let certificate = |flag| {
            let file = self.certificate.as_deref();
            file.map(|file| At::flag(flag, file))
        };
        let tls = TlsDraft {
            cert: certificate("-E"),
            key: certificate("-E"),
            insecure: self.insecure.then(|| At::flag("--insecure", true)),
            ..TlsDraft::default()
        };
        let wants_tls = self.insecure || self.certificate.is_some();
        let alone = (self.servers.len() < 2).then_some("server");
        let name = server.name.as_deref().or(alone);
        TargetDraft {
            name: name.map(At::nowhere),
            url: Some(At::nowhere(server.url.as_str())),
            source: self.source.as_deref().map(|source| At::flag("-B", source)),
            tls: wants_tls.then(|| At::nowhere(tls)),
            ..TargetDraft::default()
        }
    }

    fn workload(&self) -> WorkloadDraft {
        let headers = self.headers.iter().map(|line| At {
            place: Place::Flag("-H"),
            value: line.as_str().into(),
        });
        // wrk and ab accept redirects like any other response.
        let expect = ["2xx", "3xx"].map(|class| At::nowhere(Scalar::from(class)));
        let mut workload = WorkloadDraft::of(HttpDraft {
            method: Some(At::nowhere(self.method.as_str())),
            headers: (!self.headers.is_empty())
                .then(|| At::flag("-H", List::Many(headers.collect()))),
            body_file: self.body_file.as_deref().map(At::nowhere),
            expect: Some(At::nowhere(List::Many(expect.into()))),
            ..HttpDraft::default()
        });
        workload.name = Some(At::nowhere("request"));
        workload
    }

    /// The mistake if the duration is too short for several targets, otherwise `None`.
    pub(crate) fn too_short(&self) -> Option<Sentence> {
        let is_short = self.servers.len() > 1 && self.time_of_slice()? < SHORTEST_SLICE;
        is_short.then(|| {
            let slices = self.slices();
            sentence!(
                "front-too-short",
                "{targets} targets take turns in {slices} slices each, and a slice takes at least \
                 {shortest}; give at least {least}",
                targets = self.servers.len(),
                slices,
                shortest = Time(SHORTEST_SLICE),
                least = Time(SHORTEST_SLICE * slices)
            )
        })
    }

    /// A note that several targets take turns, and in how many slices; `None` for one target. The
    /// original tools support only one target.
    pub(crate) fn turns(&self) -> Option<Sentence> {
        let targets = self.servers.len();
        if targets < 2 {
            return None;
        }
        let slices = self.slices();
        let each = match (self.requests_of_slice(), self.time_of_slice()) {
            (Some(requests), _) => {
                sentence!("requests", "{requests} requests", requests)
            }
            (None, Some(time)) => sentence!("time", "{time}", time = Time(time)),
            (None, None) => return None,
        };
        let turns = sentence!(
            "targets-take-turns",
            "{targets} targets take turns: {slices} slices of {each} on each, after a warm-up; a \
             difference can be shown at 95 % confidence with that number of slices",
            targets,
            slices,
            each
        );
        Some(turns.with_part("each", [each]))
    }
}

/// Removes `Connection` header lines, because Tenbin decides when to close connections. Returns
/// whether the last of these lines keeps connections alive; `None` without such lines.
pub(crate) fn take_connection(headers: &mut Vec<String>) -> Option<bool> {
    let mut keep = None;
    headers.retain(|line| {
        let Some((name, value)) = line.split_once(':') else {
            return true;
        };
        if !name.trim().eq_ignore_ascii_case("connection") {
            return true;
        }
        keep = Some(!value.trim().eq_ignore_ascii_case("close"));
        false
    });
    keep
}

/// Whether a tool reads a URL without a scheme as `http://`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Yes, if a path follows the host.
    Optional,
    /// No.
    Required,
}

/// The servers of a command line: URLs as in the original tool, optionally with a name
/// (`name=URL`).
///
/// # Errors
///
/// For each wrong URL, what is wrong and what to write.
pub(crate) fn servers(
    tool: &str,
    operands: &[String],
    scheme: Scheme,
) -> Result<Vec<Server>, Vec<Sentence>> {
    if operands.is_empty() {
        return Err(vec![sentence!(
            "front-no-url",
            "{tool}: the URL is missing; write it last, for example http://127.0.0.1:8080/",
            tool
        )]);
    }
    let read = operands.iter().map(|operand| server(operand, scheme));
    let (servers, wrong): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
    if wrong.is_empty() {
        return Ok(servers.into_iter().flatten().collect());
    }
    let wrong = wrong.into_iter().filter_map(Result::err);
    Err(wrong
        .map(|why| sentence!("front-of-tool", "{tool}: {why}", tool, why))
        .collect())
}

fn server(operand: &str, scheme: Scheme) -> Result<Server, Sentence> {
    let has_scheme = |url: &str| url.starts_with("http://") || url.starts_with("https://");
    let named = operand.split_once('=');
    let named = named.filter(|(name, _)| !name.is_empty() && !name.contains(['/', ':', '?']));
    let (name, url) = match named {
        Some((name, url)) => (Some(name.to_owned()), url),
        None => (None, operand),
    };
    let url = if has_scheme(url) {
        url.to_owned()
    } else if scheme == Scheme::Optional
        && !url.contains("://")
        && url.find('/').is_some_and(|at| at > 0)
    {
        format!("http://{url}")
    } else {
        let url = conceal_url(url);
        return Err(match scheme {
            Scheme::Required => sentence!(
                "front-url-scheme",
                "{url:?} is not a URL with http:// or https://; write for example \
                 http://127.0.0.1:8080/",
                url
            ),
            Scheme::Optional => sentence!(
                "front-url-path",
                "{url:?} is not a URL with a path; write for example 127.0.0.1:8080/ or \
                 https://example.com/",
                url
            ),
        });
    };
    Ok(Server { name, url })
}
