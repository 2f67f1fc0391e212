//! The experiment as data: built from flags or TOML, validated, explained back.
//!
//! Two faces, one model. Command-line flags and plan files both become a
//! [`Draft`], whose [`resolve`](Draft::resolve) fills in the defaults, refuses
//! what cannot work and yields a [`Plan`]. A plan prints itself with
//! [`Plan::to_toml`] as a plan file that resolves to the same plan again, without
//! its secrets.

pub mod blob;
mod bounded;
mod comparing;
mod context;
mod decimal;
mod draft;
pub mod duration;
mod expectation;
mod figure;
mod found;
mod keys;
pub mod model;
mod names;
mod observe;
pub mod patterns;
mod percent;
mod placeholders;
mod print;
mod problem;
mod questions;
mod ramp;
pub mod rate;
mod relaunch;
mod resolve;
pub mod rng;
pub mod s3;
mod scalar;
mod schedule;
mod searched;
mod secrets;
mod settings;
pub mod size;
mod slo;
mod step;
mod suggest;
mod think;
mod trace;
mod way;

pub use blob::{BlobHash, BlobWork, LARGEST_PUT, Phase, Store};
pub use bounded::{LARGEST_RESULT, read_bounded, read_regular};
pub use comparing::{Comparing, DEFAULT_MARGIN, DEFAULT_START_NOISE, SweepPoint, Until};
pub use context::{Context, LookUp, OpenFile};
pub use draft::{
    ByTargetDraft, CorpusDraft, Draft, Field, KeyField, LoadDraft, ObserveDraft, ObservedDraft,
    ReadyDraft, RoundsDraft, TargetDraft, TemplateDraft, TlsDraft, WorkloadDraft,
};
pub use expectation::{Bound, Demand, Expectation, Relation};
pub use figure::{Figure, Quantile, Statistic};
pub use found::Found;
pub use model::*;
pub use observe::{Observe, ObservePage, Processes, Token};
pub use patterns::{
    ByTarget, CacheCounters, CacheDial, HitSource, Pattern, PatternFormat, PatternGroup,
    PatternOrder, PatternSet, Patterns, Template,
};
pub use percent::{Percent, percent};
pub use problem::{Place, Problem, Refusal};
pub use questions::{blocks_that_tell, questions_within};
pub use relaunch::Relaunch;
pub use resolve::usual_rounds;
pub use s3::{
    ByteRange, Checksum, Choose, ContentKind, DataSet, Encryption, KeyOrder, LARGEST_OBJECT,
    ListForm, Listing, Mix, Payload, Prefixes, S3Operation, S3Work, SizeRange, Sizes, Stored,
};
pub use scalar::{At, Entries, List, Scalar, SweepDraft};
pub use schedule::{LONGEST_SLICE, Turn, rounds_per_block, schedule};
pub use searched::{
    CORPUS_PATTERNS, ClusterSizes, Corpus, CorpusLanguage, CorpusSource, DEFAULT_CORPUS_SEED,
    DEFAULT_TERMS, SearchServer, Searched,
};
pub use secrets::Secrets;
pub use settings::Setting;
pub use slo::{Limit, Slo};
pub use suggest::nearest_few;
pub use think::Think;
pub use trace::Trace;
pub use way::{ClientCertificate, Host, HttpVersion, IpVersion, Pin, Tls, TlsVersion, Way};
