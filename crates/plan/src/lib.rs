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
mod comparison;
mod context;
mod draft;
mod keys;
mod load;
mod naming;
mod observe;
pub mod patterns;
mod plan;
mod plan_file;
mod print;
mod relaunch;
mod resolve;
mod resolver;
pub mod rng;
mod script;
mod search_servers;
mod secrets;
mod sentence;
mod store;
mod system_error;
mod target;
mod units;
pub mod work;

pub use agents::OnLoss;
pub use bounded::{LARGEST_RESULT, open_input, open_own, read_bounded, read_own, read_regular};
pub use check::{Check, Comparison, Condition, Expression, JsonTest, NumberTest, TextTest};
pub use choose::{ByteRange, Choose, Prefixes};
pub use comparison::expectation::{Bound, Demand, Expectation, Relation};
pub use comparison::figure::{Figure, Quantile, Statistic};
pub use comparison::gate::{CountsAs, GateFigure};
pub use comparison::may_differ::MayDiffer;
pub use comparison::until::{Goal, Until};
pub use context::{Context, LookUp, OpenFile};
pub use draft::{
    Agents, AgentsDraft, CompareDraft, Comparing, Corpus, CorpusDraft, Draft, Gate, GateDraft,
    Load, LoadDraft, ObserveDraft, ObservedDraft, Output, OutputDraft, Rounds, RoundsDraft,
    WorkloadDraft, checked_note,
};
pub use keys::form::{Form, Kind};
pub use keys::page::text as toml_text;
pub use keys::row::{
    Exclusion, Flag, Key, KeyDefault, Need, Only, Scope, Section, Takes, Value, Yields,
};
pub use keys::scalar::{At, Entries, Field, KeyField, List, Scalar, SweepDraft};
pub use keys::schema::{SCHEMA_DIRECTIVE, schema_json};
pub use keys::sections::all_keys;
pub use keys::suggest::nearest_few;
pub use load::outage::OnOutage;
pub use load::probes::Probes;
pub use load::slo::{Limit, Slo};
pub use load::sustain::Sustain;
pub use load::think::Think;
pub use load::trace::Trace;
pub use load::{Arrivals, Pace, RateSearch};
pub use observe::{Observe, ObservePage, Processes, Token, Within};
pub use patterns::{
    ByTarget, CacheCounters, CacheDial, HitSource, Pattern, PatternFormat, PatternGroup,
    PatternOrder, PatternSet, Template,
};
pub use plan::corpus::ClusterSizes;
pub use plan::found::Found;
pub use plan::hypotheses::{fewest_blocks, hypotheses_within};
pub use plan::limit_probes::{LimitProbe, NoProbes};
pub use plan::model::Plan;
pub use plan::schedule::{
    GateBudget, LEAST_QUEUE, LONGEST_SLICE, MeasuredTime, Turn, rounds_per_block, schedule,
};
pub use plan::workload::Workload;
pub use plan::workload_settings::Setting;
pub use plan_file::mistake::{Mistake, NotOneOf};
pub use plan_file::problem::{Place, Problem, Refusal};
pub use relaunch::Relaunch;
pub use resolve::default_rounds;
pub use script::Script;
pub use search_servers::{
    CORPUS_PATTERNS, CorpusLanguage, CorpusSource, DEFAULT_CORPUS_SEED, DEFAULT_TERMS, SearchServer,
};
pub use secrets::environment::Variables as SecretVariables;
pub use secrets::secret::{KeySource, Secret};
pub use secrets::{
    Secrets, conceal_name, conceal_parameters, conceal_text, conceal_url, conceal_words,
    is_secret_name, quotable, quoted_line,
};
#[doc(hidden)]
pub use sentence::argument;
pub use sentence::{Argument, Sentence};
pub use store::Store;
pub use target::{
    Builtin, CONNECTIONS, CREDENTIALS, ClientCertificate, Connect, Credentials, DeadHosts, Files,
    Host, HttpVersion, IpVersion, Launch, Pin, Reach, Ready, ReadyDraft, STORES, Searched,
    SessionToken, Sessions, Signature, SweepPoint, TARGETS, Target, TargetDraft, Tls, TlsDraft,
    TlsVersion, WebIdentity,
};
pub use units::digits::grouped;
pub use units::percent::{Percent, percent, percents};
pub use units::sizes::{LARGEST_OBJECT, SizeRange, Sizes};
pub use units::{duration, rate, size};
pub use work::blob::{BlobDraft, BlobHash, BlobWork, LARGEST_PUT, Phase, Shares, blob_set_name};
pub use work::http::{ByTargetDraft, HttpDraft, HttpWork, Patterns, TemplateDraft};
pub use work::s3::{
    Checksum, ContentKind, DataSet, Encryption, KeyOrder, ListForm, Mix, Payload, RequestHeader,
    S3Draft, S3Operation, S3Work, Style,
};
pub use work::{
    Direction, Facts, FollowedRequest, LaidOut, LiteralTemplate, Operation, TemplateMeaning,
    TemplatePart, Traits, Transfer, WhenRefused, WorkDraft, WorkloadKind, blob, http, s3,
};
