//! Worker threads, connections, HTTP/1.1, pacing, clock, stop rules.
//!
//! The engine knows no protocol above HTTP and prints nothing. It asks a
//! [`Workload`] for the next request and for its judgement of the answer, and
//! hands out a [`Sample`] about once a second.

pub mod error;
pub mod exchange;
pub mod histogram;
pub mod sample;

pub use error::ErrorClass;
pub use exchange::{AnswerHead, BodyUse, Exchange, Judgement, Moment, Next, Workload};
pub use sample::{Ledger, OpSample, Sample};
