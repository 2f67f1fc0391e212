//! Workloads define which requests are sent and which responses are correct.
//!
//! Each [`Kind`] of workload turns a workload of the plan into a [`Prepared`] workload for one
//! target: setup stages, measured workers and cleanup stages. Every worker implements the engine's
//! `Workload` trait. This crate opens no sockets, reads no clock and starts no threads on the
//! request path.
//!
//! To add a kind, create a folder with an implementation of [`Kind`] and a line in [`KINDS`].

pub mod blob;
mod delegate;
mod error;
pub mod http;
mod intern;
mod kind;
mod kinds;
pub mod null;
mod prepared;
mod range;
mod read_back;
mod redirect;
mod remote;
mod resend;
mod responses;
pub mod s3;
mod samples;
mod sequence;
mod shared;
mod site;
mod text;
mod zipf;

pub use tenbin_plan::rng;

pub use blob::Blob;
pub use error::WorkloadError;
pub use kind::{BucketAddress, Kind, ProbeResponse, TargetProbe};
pub use kinds::{KINDS, buckets, place, prepare, probe_target, protocol};
pub use prepared::{
    AgentSide, CleanUp, Leftover, NoSequence, Observation, Prepared, Reading, Sequence, SetUp,
    Stage, Stateless, StoresNothing,
};
pub use read_back::{ReadBack, Uncheckable};
pub use redirect::redirected;
pub use remote::{SliceReport, SliceState};
pub use resend::{Governor, Patient, Refused, SENT_AGAIN};
pub use responses::{
    ExpectedResponse, Portrait, ResponseComparison, Sameness, Unchecked, UnexpectedResponses,
};
pub use samples::{
    CacheForecast, CountedPatterns, HostHits, PatternCounts, PatternHits, RequestSample,
    SliceSamples,
};
pub use sequence::Position;
pub use site::{BlobAccess, Site};
pub use text::grouped;

/// Value of the `User-Agent` header that Tenbin sends.
pub const USER_AGENT: &str = concat!("tenbin/", env!("CARGO_PKG_VERSION"));
