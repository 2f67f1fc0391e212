//! The load generator: worker threads, connections, TLS, HTTP/1.1, HTTP/2, pacing, clock and stop
//! rules.
//!
//! The engine runs one slice at a time: an uninterrupted measurement of one workload on one target.
//! The engine knows no protocol above HTTP and prints nothing. A [`Workload`] prepares each request
//! and judges each response; each thread reports a [`Sample`] about once a second.
//!
//! Four traits make parts replaceable: [`pacer::Pacer`] for pacing, [`stop::StopRule`] for
//! stopping, [`Protocol`] for protocols, and [`driver::Driver`] for drivers (byte streams, HTTP/2,
//! files, null, and a simulation in virtual time). A protocol whose responses arrive in the order
//! of the requests needs only a [`stream::Framing`]. The [`scheduler`] decides what is sent when
//! and records the results; the driver only sends and receives.

pub mod address;
pub mod clock;
mod dialing;
pub mod drive;
pub mod driver;
mod equal;
pub mod error;
pub mod exchange;
pub mod failure;
pub mod files;
pub mod histogram;
pub mod http1;
pub mod http2;
pub mod null;
pub mod opened;
pub mod operation;
pub mod order;
pub mod pacer;
pub mod protocol;
mod reactor;
pub mod request_list;
pub mod request_log;
pub mod route;
pub mod sample;
pub mod scheduler;
#[cfg(test)]
mod simulation;
pub mod spread;
pub mod stages;
mod start_barrier;
pub mod stop;
pub mod stream;
mod tally;
pub mod think;
mod thread_time;
mod transport;

pub use address::{Address, Host};
pub use drive::{Destination, Drive, EngineError, Finished, Part, SliceEvent, drive};
pub use equal::equal;
pub use error::ErrorClass;
pub use exchange::{
    BodyUse, Exchange, InFile, Judgement, Loss, Moment, Next, RequestOutcome, ResponseHead, Role,
    Transaction, Workload,
};
pub use operation::{Counter, Counts, HostFigures, Operation, Setup, SetupStep, Timed, Times};
pub use protocol::{HTTP1, HTTP2, StreamProtocol};
pub use request_list::{ListedRequest, RequestList};
pub use request_log::RequestLog;
pub use route::{Protocol, Route, Share};
pub use sample::{
    HostSample, LATE_BUCKETS, LATE_FROM_LOG2, Ledger, OpSample, Pause, Sample, SetupSample,
};
pub use spread::Spread;
pub use stages::StageSums;
pub use start_barrier::StartGate;
pub use stop::shares;
pub use transport::TcpFigures;
