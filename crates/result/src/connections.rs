//! What happened to the connections of a workload to a target, and the results of its hosts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// What happened to the connections of one workload to one target, over all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connections {
    /// Established, with those that a slice's unmeasured lead left open for it.
    pub opened: u64,
    /// Requests sent on a connection that had carried one before.
    pub reused: u64,
    /// Closed by Tenbin: keep-alive off, a timeout, the end of a slice.
    pub closed_by_client: u64,
    /// Closed by the target in good order, between responses.
    pub closed_by_server: u64,
    /// Attempts refused or failed.
    pub refused: u64,
    /// Reset or closed in the middle of a response.
    pub reset: u64,
    /// From the first step to an open socket: TCP's handshake, or a Unix socket's
    /// acceptance. Names are looked up once, before the run, and not in here: see
    /// the sum of `environment.targets.*.hosts.*.dns_ns`.
    pub connect: Option<SetupStep>,
    /// TLS handshakes; null without TLS.
    pub tls: Option<SetupStep>,
    /// From the write to the first byte of the first response on a connection.
    pub first_byte: Option<SetupStep>,
}

/// One step of opening connections; null where it was never timed. It is never
/// part of the time of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetupStep {
    /// How often it was timed.
    pub count: u64,
    /// Median.
    pub p50: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
}

/// One host of a target at one workload, over all operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostResult {
    /// Its name.
    pub host: String,
    /// Correct responses, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Failures by class; absent classes did not occur.
    pub errors: BTreeMap<String, u64>,
    /// Median service time.
    pub p50: Option<Figure>,
    /// 99th percentile of service time.
    pub p99: Option<Figure>,
}
