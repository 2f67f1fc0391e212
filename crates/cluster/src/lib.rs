//! Several load machines that measure one experiment: the messages between the coordinator and the
//! agents over NATS, their clocks, and the hub, a NATS server with a safe configuration.
//!
//! This crate knows neither plans nor workloads: it carries a plan as text, and samples of the
//! engine. Of `tenbin-plan` it uses only the sentences.

use std::time::Duration;

mod agent;
mod bus;
mod clock;
mod coordinator;
mod creds;
mod error;
pub mod hub;
mod interfaces;
mod message;
mod parts;
pub mod subjects;

pub use agent::{LoadMachine, News, serve};
pub use bus::Server;
pub use coordinator::{Coordinator, ListedAgent, PartOfAgent, Slice, SliceOfAll};
pub use creds::Creds;
pub use error::ClusterError;
pub use interfaces::reachable_addresses;
pub use message::{AgentProcess, Assignment, CpuOfMachine, Introduction, SliceDone, SliceOrder};

/// An agent without a heartbeat from the coordinator for this time stops sending; the
/// coordinator gives up an agent without a heartbeat for this time.
pub const LEASE_TIME: Duration = Duration::from_secs(3);
/// Interval of the heartbeats.
const BEAT: Duration = Duration::from_secs(1);
