//! What the command lines of web servers' benchmarks have in common: one request
//! over and over, on so many connections, for so long or so often.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{At, Draft, List, Place, TargetDraft, TlsDraft, WorkloadDraft};

/// Most slices that one measurement is parted into: as many as a plan has rounds
/// when nothing else is asked for.
const MOST_SLICES: u64 = 8;
/// Fewest slices that give an interval.
const FEWEST_SLICES: u64 = 6;
/// A slice is not made shorter than this.
const SHORTEST_SLICE: Duration = Duration::from_millis(500);
/// Nor is it made of fewer requests on each connection.
const FEWEST_REQUESTS: u64 = 20;
/// A measurement that ends by its requests has an end all the same.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// What a command line asks for, with its tool's defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct WebJob {
    /// Name of the tool, which becomes that of the plan.
    pub tool: &'static str,
    /// URL of the request.
    pub url: String,
    /// Connections.
    pub connections: u64,
    /// Threads, if the tool has them.
    pub threads: Option<u64>,
    /// Use connections again.
    pub keep_alive: bool,
    /// Requests after which it ends.
    pub requests: Option<u64>,
    /// Time after which it ends.
    pub time: Option<Duration>,
    /// Longest time for an answer.
    pub timeout: Duration,
    /// Request method.
    pub method: String,
    /// `Name: value` lines. Some of them hold secrets.
    pub headers: Vec<String>,
    /// File with the request's body.
    pub body_file: Option<String>,
    /// Address that connections come from.
    pub source: Option<String>,
    /// Accept any certificate.
    pub insecure: bool,
    /// File with a client certificate and its key.
    pub certificate: Option<String>,
    /// What is to be said, once each, before the run.
    pub notes: Vec<String>,
}

impl WebJob {
    /// Into how many slices it is parted, so that its figures have intervals: one if
    /// they would be too short for that, or not all alike.
    pub fn slices(&self) -> u64 {
        let parted = |count: &u64| match (self.requests, self.time) {
            (Some(requests), None) => {
                requests.is_multiple_of(*count)
                    && requests / count >= FEWEST_REQUESTS * self.connections
            }
            (None, Some(time)) => time / (*count as u32) >= SHORTEST_SLICE,
            // Which of the two ends it is not known before.
            _ => false,
        };
        let mut counts = (FEWEST_SLICES..=MOST_SLICES).rev();
        counts.find(parted).unwrap_or(1)
    }

    /// The plan: one target, one request, as many rounds as it has slices.
    pub fn draft(&self) -> Draft {
        let slices = self.slices();
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere(self.tool));
        draft.threads = self.threads.map(|threads| At::flag("-t", threads));
        draft.targets = vec![At::nowhere(self.target())];
        draft.workloads = vec![At::nowhere(self.workload())];
        draft.load.connections = Some(At::flag("-c", self.connections));
        draft.load.keep_alive = Some(At::nowhere(self.keep_alive));
        draft.load.timeout = Some(At::nowhere(Time(self.timeout).to_string()));
        draft.load.requests = self.requests.map(|all| At::flag("-n", all / slices));
        let length = self.time.map_or(NO_LIMIT, |time| time / slices as u32);
        draft.rounds.slice = Some(At::nowhere(Time(length).to_string()));
        draft.rounds.count = Some(At::nowhere(slices));
        draft.rounds.warmup = Some(At::nowhere("0s"));
        draft.rounds.gap = Some(At::nowhere("0s"));
        draft
    }

    fn target(&self) -> TargetDraft {
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
        TargetDraft {
            name: Some(At::nowhere("server")),
            url: Some(At::nowhere(self.url.as_str())),
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
        WorkloadDraft {
            name: Some(At::nowhere("request")),
            kind: Some(At::nowhere("http")),
            method: Some(At::nowhere(self.method.as_str())),
            headers: (!self.headers.is_empty())
                .then(|| At::flag("-H", List::Many(headers.collect()))),
            body_file: self.body_file.as_deref().map(At::nowhere),
            ..WorkloadDraft::default()
        }
    }
}

/// Takes `Connection: close` and its like out of header lines, since it is the client
/// that must close then: whether connections are used again, if the lines say so.
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

/// A URL as these tools take it: with its scheme, and with a path.
///
/// # Errors
///
/// What is wrong with it, and what to write.
pub(crate) fn check_url(tool: &str, url: Option<&String>) -> Result<String, String> {
    let Some(url) = url else {
        return Err(format!(
            "{tool}: the URL is missing; write it last, for example http://127.0.0.1:8080/"
        ));
    };
    let has_scheme = url.starts_with("http://") || url.starts_with("https://");
    if !has_scheme {
        return Err(format!(
            "{tool}: {url:?} is not a URL with http:// or https://; write for example \
             http://127.0.0.1:8080/"
        ));
    }
    Ok(url.clone())
}

/// The note on how a measurement is parted, where it is.
pub(crate) fn parted(job: &WebJob) -> Option<String> {
    let slices = job.slices();
    let each = match (job.requests, job.time) {
        (Some(requests), _) => format!("{} requests", requests / slices),
        (None, Some(time)) => Time(time / slices as u32).to_string(),
        (None, None) => return None,
    };
    (slices > 1).then(|| {
        format!("measured as {slices} slices of {each}, so that its figures have intervals")
    })
}
