//! What a run writes and serves in addition to its run directory.

use std::net::SocketAddr;

/// What a run writes and serves in addition to its run directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Additional files to write, each `FORMAT` or `FORMAT=FILE`. A relative `FILE` in a plan
    /// starts at the plan's directory.
    pub export: Vec<String>,
    /// Port of the live page; 0 for a free port. `None` for no page.
    pub live: Option<u16>,
    /// Address at which Tenbin serves metrics for a Prometheus server; port 0 for a free port.
    pub prometheus: Option<SocketAddr>,
    /// URL to which metrics are sent by OTLP over HTTP, including its path, without user and
    /// password.
    pub otlp: Option<String>,
}
