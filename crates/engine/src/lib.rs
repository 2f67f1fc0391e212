//! The load generator: worker threads, connections, TLS, HTTP/1.1, HTTP/2, pacing, clock and stop
//! rules.
//!
//! The engine knows no protocol above HTTP and prints nothing. A [`Workload`] prepares each
//! request and judges each response; the engine returns a [`Sample`] per thread about once a
//! second.
//!
//! Three parts are replaceable behind traits: pacing ([`pacer::Pacer`]), stopping
//! ([`stop::StopRule`]) and the driver that sends the requests ([`driver::Driver`]: HTTP/1.1,
//! HTTP/2, files, null, and a simulation in virtual time). The [`scheduler`] decides what is sent
//! when, and records the results; the driver only sends and receives.

pub mod clock;
mod dialing;
pub mod drive;
pub mod driver;
pub mod error;
pub mod exchange;
pub mod failure;
pub mod files;
pub mod histogram;
pub mod http1;
pub mod http2;
pub mod null;
pub mod opened;
pub mod order;
pub mod pacer;
mod reactor;
pub mod route;
pub mod sample;
pub mod scheduler;
#[cfg(test)]
mod simulation;
pub mod spread;
pub mod stages;
mod start_barrier;
pub mod stop;
mod tally;
pub mod think;
mod thread_time;
mod transport;

pub use drive::{Destination, Drive, EngineError, Finished, News, drive};
pub use error::ErrorClass;
pub use exchange::{
    AnswerHead, BodyUse, Exchange, InFile, Judgement, Moment, Next, Role, Seen, Whole, Workload,
};
pub use route::{Address, Host, Protocol, Route};
pub use sample::{
    HostSample, LATE_BUCKETS, LATE_FROM_LOG2, Ledger, OpSample, Pause, Sample, SetupSample,
};
pub use spread::Spread;
pub use stages::StageSums;
pub use stop::shares;
pub use transport::TcpFigures;
