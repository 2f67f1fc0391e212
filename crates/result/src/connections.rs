//! Connections of a workload to a target, and the results per host.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// Connections of one workload to one target, over all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connections {
    /// Connections established, including those opened during the settling time of a slice.
    pub opened: u64,
    /// Requests sent on a connection that had carried a request before.
    pub reused: u64,
    /// Closed by Tenbin: keep-alive off, a timeout, the end of a slice.
    pub closed_by_client: u64,
    /// Closed by the target between responses.
    pub closed_by_server: u64,
    /// Failed or refused connection attempts.
    pub refused: u64,
    /// Reset or closed by the target in the middle of a response.
    pub reset: u64,
    /// From the first system call to an established socket: the TCP handshake, or the acceptance on
    /// a Unix socket. DNS lookups are not included: they happen once, before the run
    /// (`environment.targets.*.hosts.*.dns_ns`).
    pub connect: Option<SetupStep>,
    /// TLS handshakes; null without TLS.
    pub tls: Option<SetupStep>,
    /// From the request's write to the first byte of the first response on a connection.
    pub first_byte: Option<SetupStep>,
}

/// One phase of opening connections; null if it was never timed. Never part of the time of an
/// operation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetupStep {
    /// Number of samples.
    pub count: u64,
    /// Median.
    pub p50: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
}

/// One host of a target for one workload, over all operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostResult {
    /// Its name.
    pub host: String,
    /// Correct responses, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Failures by class; classes that did not occur are absent.
    pub errors: BTreeMap<String, u64>,
    /// Median service time.
    pub p50: Option<Figure>,
    /// 99th percentile of service time.
    pub p99: Option<Figure>,
}
