//! Several load machines that measure one experiment: the messages between the coordinator and the
//! agents over NATS, their clocks, and the hub, a NATS server with a safe configuration.
//!
//! This crate knows neither plans nor workloads: it carries a plan as text, and samples of the
//! engine.

mod creds;
mod error;
pub mod hub;
pub mod subjects;

pub use creds::Creds;
pub use error::ClusterError;
