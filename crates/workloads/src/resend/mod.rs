//! Retries of refused requests: [`Patient`] retries unmeasured requests that load data before a
//! run; [`Retrying`] retries measured requests, if the plan sets `retries`.
//!
//! Requests are sent again unchanged. The inner workload sees only the last attempt, so it needs no
//! code for retries. Signatures stay valid for 15 minutes (Amazon S3 API reference, "Signature
//! calculations"), longer than the retries of a request take.

mod backoff;
mod governor;
mod ledger;
mod patient;
mod retrying;

pub use governor::{Governor, Refused};
pub use patient::{Patient, SENT_AGAIN};
pub(crate) use retrying::Retrying;
