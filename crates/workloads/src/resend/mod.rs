//! Retries of refused requests: until they succeed while data is loaded before a run, and measured
//! with `retries`.
//!
//! Both keep the request as it was written. The inner workload sees only the last attempt, so it
//! needs no code for retries. A signature is valid for 15 minutes (Amazon S3 API reference,
//! "Signature calculations"), longer than any request is retried.

mod backoff;
mod governor;
mod ledger;
mod patient;
mod retrying;

pub use governor::{Governor, Refused};
pub use patient::{Patient, SENT_AGAIN};
pub(crate) use retrying::Retrying;
