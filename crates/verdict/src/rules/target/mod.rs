//! Rules on limits of a target and delays of its responses.

pub(crate) mod backend_cpu;
pub(crate) mod development_server;
pub(crate) mod overload;
pub(crate) mod quantised;
pub(crate) mod server_cpu;
pub(crate) mod slow_stage;
pub(crate) mod stalls;
pub(crate) mod tail_signature;
pub(crate) mod uneven_workers;
pub(crate) mod worker_limit;
