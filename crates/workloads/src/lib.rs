//! What to send, and what counts as a correct answer.
//!
//! A [`Kind`] of workload turns a planned workload and a target into a
//! [`Prepared`] one: stages of set-up and tidying around measured workers, every
//! one of them an engine `Workload`. Nothing here owns a socket, a thread on the
//! path of a request, or a clock.
//!
//! A new kind is a folder with one [`Kind`], and its line in [`KINDS`].

pub mod blob;
mod error;
pub mod http;
mod kind;
mod lasting;
pub mod null;
mod range;
mod resend;
mod responses;
pub mod s3;
mod sequence;
mod shared;
mod single;
mod site;
mod text;
mod zipf;

pub use tenbin_plan::rng;

pub use blob::Blob;
pub use error::WorkloadError;
pub use kind::{Kind, Leftover, Look, Prepared, Seen, Stage, look, place, prepare};
pub use resend::{Governor, Patient, Refused, SENT_AGAIN};
pub use responses::{ExpectedResponse, ResponsesSeen, Sameness, UnexpectedResponses};
pub use sequence::Position;
pub use single::{
    AskedPatterns, CacheForecast, HostAsked, PatternAsked, PatternSeen, SingleSeen, SinglesSeen,
};
pub use site::{Means, Site};
pub use text::grouped;

/// Every kind of workload, in the order of [`tenbin_plan::work::protocols`]. The only place where one
/// is registered.
pub const KINDS: &[&dyn Kind] = &[&http::Http, &s3::S3, &blob::Blob];

/// What Tenbin calls itself in `User-Agent`.
pub const USER_AGENT: &str = concat!("tenbin/", env!("CARGO_PKG_VERSION"));
