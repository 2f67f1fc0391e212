//! Plans of experiments: built from flags or TOML, validated, and printed as TOML.
//!
//! Command-line flags and plan files both become a [`Draft`]. [`Draft::resolve`] fills in the
//! defaults, refuses mistakes and returns a [`Plan`]. [`Plan::to_toml`] prints a plan, without its
//! secrets, as a plan file that resolves to the same plan.

mod agents;
mod bounded;
mod bucket;
mod check;
mod choose;
mod comparing;
mod concurrency_sweeps;
mod connect;
mod context;
mod corpus;
mod decimal;
mod digits;
mod draft;
pub mod duration;
mod expectation;
mod figure;
mod found;
mod hypotheses;
mod key;
mod keys;
mod literal;
mod load;
mod may_differ;
mod model;
mod name_count;
mod names;
mod observe;
mod outage;
mod output;
mod page;
pub mod patterns;
mod percent;
mod placeholders;
mod print;
mod printed;
mod problem;
mod ramp;
pub mod rate;
mod reach;
mod read;
mod references;
mod relaunch;
mod resolve;
mod resolver;
mod restarts;
pub mod rng;
mod roles;
mod rounds;
mod scalar;
mod schedule;
mod searched;
mod secret;
mod secrets;
mod settings;
mod settle;
pub mod size;
mod sizes;
mod slo;
mod step;
mod store;
mod stretches;
mod suggest;
mod sustain;
mod target;
mod think;
mod trace;
pub mod work;
mod workload;

pub use agents::{Agents, OnLoss};
pub use bounded::{LARGEST_RESULT, open_own, read_bounded, read_own, read_regular};
pub use check::{Check, Comparison, Condition, Expression, JsonTest, NumberTest, TextTest};
pub use choose::{ByteRange, Choose, Prefixes};
pub use comparing::{Comparing, DEFAULT_MARGIN, DEFAULT_START_NOISE, SweepPoint, Until};
pub use connect::{
    ClientCertificate, Connect, DeadHosts, Host, HttpVersion, IpVersion, Pin, Tls, TlsVersion,
};
pub use context::{Context, LookUp, OpenFile};
pub use corpus::ClusterSizes;
pub use digits::grouped;
pub use draft::{
    AgentsDraft, CompareDraft, CorpusDraft, Draft, LoadDraft, ObserveDraft, ObservedDraft,
    OutputDraft, ReadyDraft, RoundsDraft, TargetDraft, TlsDraft, WorkloadDraft,
};
pub use expectation::{Bound, Demand, Expectation, Relation};
pub use figure::{Figure, Quantile, Statistic};
pub use found::Found;
pub use hypotheses::{fewest_blocks, hypotheses_within};
pub use key::{Flag, Key, KeyDefault, Section, Takes, Value};
pub use load::{Arrivals, Load, Pace, RateSearch};
pub use may_differ::MayDiffer;
pub use model::Plan;
pub use observe::{Observe, ObservePage, Processes, Token};
pub use outage::OnOutage;
pub use output::Output;
pub use patterns::{
    ByTarget, CacheCounters, CacheDial, HitSource, Pattern, PatternFormat, PatternGroup,
    PatternOrder, PatternSet, Patterns, Template,
};
pub use percent::{Percent, percent};
pub use problem::{Place, Problem, Refusal};
pub use reach::{Builtin, Files, Launch, Reach, Ready};
pub use relaunch::Relaunch;
pub use resolve::default_rounds;
pub use rounds::Rounds;
pub use scalar::{At, Entries, Field, KeyField, List, Scalar, SweepDraft};
pub use schedule::{LONGEST_SLICE, Turn, rounds_per_block, schedule};
pub use searched::{
    CORPUS_PATTERNS, Corpus, CorpusLanguage, CorpusSource, DEFAULT_CORPUS_SEED, DEFAULT_TERMS,
    SearchServer, Searched,
};
pub use secret::{KeySource, Secret};
pub use secrets::{Secrets, is_secret_name};
pub use settings::Setting;
pub use sizes::{LARGEST_OBJECT, SizeRange, Sizes};
pub use slo::{Limit, Slo};
pub use store::Store;
pub use suggest::nearest_few;
pub use sustain::Sustain;
pub use target::{Credentials, SessionToken, Signature, Target};
pub use think::Think;
pub use trace::Trace;
pub use work::blob::{BlobDraft, BlobHash, BlobWork, LARGEST_PUT, Phase};
pub use work::http::{ByTargetDraft, HttpDraft, HttpWork, TemplateDraft};
pub use work::s3::{
    Checksum, ContentKind, DataSet, Encryption, KeyOrder, ListForm, Listing, Mix, Payload, S3Draft,
    S3Operation, S3Work, Stored,
};
pub use work::{
    Direction, Facts, FollowedRequest, LaidOut, LiteralTemplate, Operation, Traits, Transfer,
    WorkDraft, WorkloadKind, blob, http, s3,
};
pub use workload::Workload;
