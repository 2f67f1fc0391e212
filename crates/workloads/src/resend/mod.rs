//! Requests that are sent again after the server refused them: patiently before a run, and
//! measured with `retries`.
//!
//! Both keep the request as it was written. The workload inside learns of the last attempt
//! only, so it needs no code for retries. A signature stays valid for 15 minutes (Amazon S3
//! API reference, "Signature calculations"), longer than any request is sent again.

mod backoff;
mod governor;
mod ledger;
mod patient;
mod retrying;

pub use governor::{Governor, Refused};
pub use patient::{Patient, SENT_AGAIN};
pub(crate) use retrying::Retrying;
