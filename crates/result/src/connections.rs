//! Connections of a workload to a target, and the results per host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;

/// Connection counts and connection times of one workload on one target, over all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Connections {
    /// Connections established, including connections opened during the settling time of a slice.
    pub opened: u64,
    /// Requests sent on a connection that had already carried a request.
    pub reused: u64,
    /// Connections closed by Tenbin: keep-alive disabled, a timeout, or the end of a slice.
    pub closed_by_client: u64,
    /// Connections closed by the target between responses.
    pub closed_by_server: u64,
    /// Failed or refused connection attempts.
    pub refused: u64,
    /// Connections reset or closed by the target in the middle of a response.
    pub reset: u64,
    /// Requests that the target left unprocessed and that were sent again, by cause. A request that
    /// is sent again stays one operation, timed from its first start.
    #[serde(default)]
    pub resent: Resent,
    /// Smallest number of concurrent HTTP/2 streams that the target allowed on a connection, if
    /// smaller than the planned number; null otherwise.
    #[serde(default)]
    pub streams_allowed: Option<u64>,
    /// Time from the first system call to an established socket: the TCP handshake, or the accept
    /// on a Unix socket. Excludes DNS lookups, which happen once before the run
    /// (`environment.targets.*.hosts.*.dns_ns`).
    pub connect: Option<SetupStep>,
    /// Time of the TLS handshake; null without TLS.
    pub tls: Option<SetupStep>,
    /// Time from the write of the first request on a connection to the first byte of the response.
    pub first_byte: Option<SetupStep>,
}

/// Requests that were sent again, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Resent {
    /// Requests that the target refused with REFUSED_STREAM (HTTP/2).
    pub refused_stream: u64,
    /// Requests that the target left unprocessed with GOAWAY (HTTP/2).
    pub goaway: u64,
    /// Pipelined requests on a connection whose end the target announced in an earlier response.
    pub closed: u64,
}

impl Resent {
    /// The requests of all causes.
    pub fn total(&self) -> u64 {
        self.refused_stream + self.goaway + self.closed
    }
}

/// Times of one connection phase; null if the phase was never timed. Connection phases are not part
/// of an operation's time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetupStep {
    /// Number of measurements.
    pub count: u64,
    /// Median.
    pub p50: Option<Figure>,
    /// 99th percentile.
    pub p99: Option<Figure>,
}

/// The figures of one host of a target for one workload, over all operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostResult {
    /// Name of the host.
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
