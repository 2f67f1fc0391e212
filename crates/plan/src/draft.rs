//! A plan as it was written, by flags or in TOML: nothing filled in, nothing checked.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};

use crate::problem::{Findings, Place, Source};
use crate::scalar::{At, Entries, Field, KeyField, List, SweepDraft};
use crate::secrets::Secrets;
use crate::work::WorkDraft;

/// A plan as it was written. Both faces fill it: plan files through
/// [`Draft::from_toml`], flags field by field. [`Draft::resolve`] makes it a
/// [`Plan`](crate::Plan).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a plan")]
pub struct Draft {
    /// Short name of the experiment.
    pub name: Field,
    /// Seed of every random choice.
    pub seed: Field,
    /// Generator threads.
    pub threads: Field,
    /// Name of the target that the others are compared with.
    pub baseline: Field,
    /// Add a twin of the baseline.
    pub aa: Field,
    /// How far apart two targets may be and still be equivalent.
    pub margin: Field,
    /// How much two starts of one program may differ.
    pub start_noise: Field,
    /// The figure that decides every comparison, such as `cpu`.
    pub decide: Field,
    /// What must be true of the figures, such as `p99<20ms`.
    pub expect: Option<At<List>>,
    /// What is compared besides targets.
    pub compare: CompareDraft,
    /// What makes the run fail when it is proven, such as `throughput<0.95x baseline`.
    pub fail_if: Option<At<List>>,
    /// How slices follow each other.
    pub rounds: RoundsDraft,
    /// The load of every workload that does not say otherwise.
    pub load: LoadDraft,
    /// The pages that are searched.
    pub corpus: Option<At<CorpusDraft>>,
    /// The systems under test.
    #[serde(rename = "target")]
    pub targets: Vec<At<TargetDraft>>,
    /// The operations sent to every target.
    #[serde(rename = "workload")]
    pub workloads: Vec<At<WorkloadDraft>>,
    /// The plan file, if it came from one.
    #[serde(skip)]
    pub(crate) source: Option<Source>,
    /// What was wrong already while reading.
    #[serde(skip)]
    pub(crate) findings: Findings,
}

/// `[rounds]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as [rounds]")]
pub struct RoundsDraft {
    /// Number of rounds; with `until` the fewest.
    pub count: Field,
    /// How well the deciding figures must be known for the run to end, such as `±2%`.
    pub until: Field,
    /// With `until`: the most rounds.
    pub max_count: Field,
    /// Measured length of a slice.
    pub slice: Field,
    /// Rest between slices.
    pub gap: Field,
    /// Unmeasured work before the first slice.
    pub warmup: Field,
    /// Start every target anew before each of its slices.
    pub relaunch: Field,
    /// Unmeasured head of every slice.
    pub lead: Field,
    /// Measured time per target and workload: count × slice.
    pub duration: Field,
}

/// `[compare]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as [compare]")]
pub struct CompareDraft {
    /// Workloads that are compared with the first of them, on every target.
    pub workloads: Option<At<List>>,
}

/// `[corpus]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as [corpus]")]
pub struct CorpusDraft {
    /// Number of made-up pages.
    pub synthetic: Field,
    /// Dump of Wikipedia's articles.
    pub wikipedia: Field,
    /// What made-up pages are written in.
    pub language: Field,
    /// Seed of made-up pages.
    pub seed: Field,
    /// Most pages that are taken.
    pub max_records: Field,
    /// Most characters of a text.
    pub text_limit: Field,
    /// Where they are kept.
    pub directory: Field,
    /// Titles that requests are made of.
    pub terms: Field,
    /// What stands before a term in a request.
    pub base: Field,
}

/// `[load]`, and the `load` of a workload.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as [load]")]
pub struct LoadDraft {
    /// Connections over all threads.
    pub connections: Field,
    /// Levels of connections, a workload each, such as `1..256`.
    pub ramp: Field,
    /// Requests out at once on a connection.
    pub depth: Field,
    /// Arrivals a second; a closed loop without.
    pub rate: Field,
    /// `constant` or `poisson`.
    pub arrivals: Field,
    /// Arrivals a second at the end of a slice.
    pub rate_to: Field,
    /// Rates and how long each holds, such as `100/s for 1s`.
    pub steps: Option<At<List>>,
    /// File of arrival times.
    pub trace: Field,
    /// How many times as fast the trace is played.
    pub trace_speed: Field,
    /// Limits to find the highest rate within, such as `p99<10ms`.
    pub slo: Field,
    /// Rest of a connection after each answer, such as `100ms`.
    pub think: Field,
    /// Longest time for an answer.
    pub timeout: Field,
    /// Reuse connections.
    pub keep_alive: Field,
    /// How often every connection is opened in a slice.
    pub reopen: Field,
    /// Operations after which a slice ends.
    pub requests: Field,
}

impl LoadDraft {
    /// This load, completed by `other` where it says nothing. A rate, steps, a
    /// trace, a think time or a ramp of its own takes the place of whatever of these
    /// the other has, and so does an objective, whose rate may be the other's.
    pub(crate) fn or(self, other: &Self) -> Self {
        let (rate, steps) = (self.rate.is_some(), self.steps.is_some());
        let (trace, think) = (self.trace.is_some(), self.think.is_some());
        let (ramp, slo) = (self.ramp.is_some(), self.slo.is_some());
        let unless = |this: bool, field: &Field| field.clone().filter(|_| !this);
        let not_by_rate = steps || trace || think || ramp;
        let not_by_trace = rate || steps || think || ramp || slo;
        let not_by_ramp = rate || steps || trace || slo;
        Self {
            ramp: self
                .ramp
                .or_else(|| unless(not_by_ramp || self.connections.is_some(), &other.ramp)),
            connections: self
                .connections
                .or_else(|| unless(ramp, &other.connections)),
            rate: self.rate.or_else(|| unless(not_by_rate, &other.rate)),
            arrivals: self
                .arrivals
                .or_else(|| unless(trace || think || ramp, &other.arrivals)),
            rate_to: self
                .rate_to
                .or_else(|| unless(not_by_rate || slo, &other.rate_to)),
            slo: self.slo.or_else(|| unless(not_by_rate, &other.slo)),
            depth: self.depth.or_else(|| other.depth.clone()),
            steps: self.steps.or_else(|| {
                other
                    .steps
                    .clone()
                    .filter(|_| !(rate || trace || think || ramp || slo))
            }),
            trace: self.trace.or_else(|| unless(not_by_trace, &other.trace)),
            trace_speed: self
                .trace_speed
                .or_else(|| unless(not_by_trace, &other.trace_speed)),
            think: self
                .think
                .or_else(|| unless(rate || steps || trace || slo, &other.think)),
            timeout: self.timeout.or_else(|| other.timeout.clone()),
            keep_alive: self.keep_alive.or_else(|| other.keep_alive.clone()),
            reopen: self.reopen.or_else(|| other.reopen.clone()),
            requests: self.requests.or_else(|| other.requests.clone()),
        }
    }
}

/// One `[[target]]`: `url` or `urls` alone, `command` with its companions, or `builtin`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as [[target]]")]
pub struct TargetDraft {
    /// Unique name.
    pub name: Field,
    /// Base URL; with placeholders for a launched target.
    pub url: Field,
    /// Program and arguments, as a list or as one line with shell-like quotes.
    pub command: Option<At<List>>,
    /// Extra environment of the command.
    pub env: Option<At<Entries>>,
    /// Addresses with a process each, or how many.
    pub nodes: Option<At<List>>,
    /// As what the plan's pages are loaded into it.
    pub corpus: Field,
    /// As what its nodes are counted.
    pub status: Field,
    /// The cluster that it is one size of.
    pub cluster: Field,
    /// Where it reports what its cache has done.
    pub cache_counters: Field,
    /// Working directory of the command.
    pub directory: Field,
    /// How to tell that it is up.
    pub ready: Option<At<ReadyDraft>>,
    /// How long it may take to come up.
    pub ready_within: Field,
    /// How long it may take to stop.
    pub stop_within: Field,
    /// Name of a built-in server.
    pub builtin: Field,
    /// Memory that the objects of `s3-memory`, or the blobs of `blob`, may take.
    pub memory: Field,
    /// Its version, for the report.
    pub version: Field,
    /// S3 access key, literally.
    pub access_key: KeyField,
    /// Environment variable that holds the S3 access key.
    pub access_key_env: Field,
    /// S3 secret key, literally.
    pub secret_key: KeyField,
    /// Environment variable that holds the S3 secret key.
    pub secret_key_env: Field,
    /// File that holds the S3 secret key.
    pub secret_key_file: Field,
    /// Token of a session, literally.
    pub session_token: KeyField,
    /// Environment variable that holds the token of a session.
    pub session_token_env: Field,
    /// File that holds the token of a session.
    pub session_token_file: Field,
    /// `v4`, `v2` or `none`.
    pub signature: Field,
    /// S3 region.
    pub region: Field,
    /// What blob workloads speak: `blobstore` or `s3`.
    pub store: Field,
    /// Base URLs of several hosts, each with an optional weight.
    pub urls: Option<At<List>>,
    /// `1.1` or `2`.
    pub http: Field,
    /// How TLS is spoken.
    pub tls: Option<At<TlsDraft>>,
    /// Unix socket to connect to.
    pub unix: Field,
    /// Addresses of names, as `name:port:address,…`.
    pub resolve: Option<At<List>>,
    /// `4` or `6`.
    pub ip_version: Field,
    /// Address that connections come from.
    pub source: Field,
    /// Values of parameters, each of which makes a target of its own.
    pub sweep: Option<At<SweepDraft>>,
    /// Where the figures of what it uses come from.
    pub observe: Option<At<ObservedDraft>>,
    /// What is kept out of everything that is printed: found while the draft is resolved.
    #[serde(skip)]
    pub secrets: Secrets,
}

/// The `observe` of a target: one way, or a list of ways whose figures are added up.
#[derive(Debug, Clone)]
pub enum ObservedDraft {
    /// Written as a table.
    One(Box<ObserveDraft>),
    /// Written as a list of tables, or by several flags.
    Several(Vec<At<ObserveDraft>>),
}

impl<'de> Deserialize<'de> for ObservedDraft {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObservedVisitor;

        impl<'de> Visitor<'de> for ObservedVisitor {
            type Value = ObservedDraft;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a table such as { pid = 1234 } or { tenbin = \"https://…\" }, or a list of them",
                )
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ObservedDraft, A::Error> {
                let draft = ObserveDraft::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ObservedDraft::One(Box::new(draft)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<ObservedDraft, A::Error> {
                let all = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(ObservedDraft::Several(all))
            }
        }

        deserializer.deserialize_any(ObservedVisitor)
    }
}

/// A way to observe a target: one of its first five keys.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { pid = 1234 } or { tenbin = \"https://…\" }"
)]
pub struct ObserveDraft {
    /// Number of a process of this machine.
    pub pid: Field,
    /// TCP port that a process of this machine listens on; `true` for that of the URL.
    pub port: Field,
    /// Name of processes of this machine.
    pub name: Field,
    /// URL of a `tenbin observe`.
    pub tenbin: Field,
    /// URL of a page in Prometheus' text format.
    pub prometheus: Field,
    /// Of a process exporter's groups: the target's.
    pub group: Field,
    /// Environment variable that holds the token of the page.
    pub token_env: Field,
    /// File that holds the token of the page.
    pub token_file: Field,
    /// File with the authorities to trust.
    pub ca: Field,
    /// Accept any certificate.
    pub insecure: Field,
}

/// The `tls` of a target.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as { ca = \"ca.pem\" }"
)]
pub struct TlsDraft {
    /// File with the authorities to trust.
    pub ca: Field,
    /// File with the certificate to show to the server.
    pub cert: Field,
    /// File with its private key.
    pub key: Field,
    /// Accept any certificate.
    pub insecure: Field,
    /// Name to ask for and to find in the certificate.
    pub server_name: Field,
    /// Resume earlier sessions.
    pub resume: Field,
    /// `1.2` or `1.3`.
    pub version: Field,
}

impl TlsDraft {
    /// Everything that was given, by its key.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, Place)> {
        [
            ("ca", &self.ca),
            ("cert", &self.cert),
            ("key", &self.key),
            ("insecure", &self.insecure),
            ("server_name", &self.server_name),
            ("resume", &self.resume),
            ("version", &self.version),
        ]
        .into_iter()
        .filter_map(|(key, field)| Some((key, field.as_ref()?.place)))
    }
}

/// The `ready` of a target: exactly one of its keys.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table: { port = true }, { url = \"…\" } or { log = \"…\" }"
)]
pub struct ReadyDraft {
    /// `true`: the port of its URL accepts connections.
    pub port: Field,
    /// This URL answers.
    pub url: Field,
    /// Its output contains this text.
    pub log: Field,
}

/// One `[[workload]]`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a table such as [[workload]]"
)]
pub struct WorkloadDraft {
    /// Unique name.
    pub name: Field,
    /// Name of its protocol, in a plan file; flags set `work` only.
    pub kind: Field,
    /// The keys of its protocol. In a plan file they stand among the others.
    pub work: Option<WorkDraft>,
    /// Read what targets tell of their own stages.
    pub stages: Field,
    /// What differs from the load of the plan.
    pub load: LoadDraft,
}

impl WorkloadDraft {
    /// A workload of which nothing but the work is said.
    pub fn of(work: impl Into<WorkDraft>) -> Self {
        Self {
            work: Some(work.into()),
            ..Self::default()
        }
    }
}
