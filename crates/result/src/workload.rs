//! The workloads of a run, as in `result.json`.

use serde::{Deserialize, Serialize};

use crate::message::Message;

/// A workload: the requests and the load.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Workload {
    /// Name of the workload.
    pub name: String,
    /// Description of the requests.
    pub description: String,
    /// Method and path, if all requests to all targets have the same; otherwise null.
    #[serde(default)]
    pub request: Option<String>,
    /// Description of the load.
    pub load: String,
    /// The description of the load as data; absent in documents of older versions and in imported
    /// results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_data: Option<Message>,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// Connections, over all threads; null if an imported file does not state it.
    pub connections: Option<u64>,
    /// Most requests at one time on each connection; null in documents of older versions and in
    /// imported results.
    #[serde(default)]
    pub depth: Option<u64>,
    /// Requests after which each slice ends unless its time is over before; absent if slices end by
    /// time, in documents of older versions and in imported results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Mean arrivals per second in an open loop with a fixed rate; otherwise null.
    pub rate: Option<f64>,
    /// Machine-readable description of the requests; null in documents of older versions.
    #[serde(default)]
    pub subject: Option<Subject>,
    /// All settings by key; null in documents of older versions. Two workloads are comparable only
    /// if their settings are equal.
    #[serde(default)]
    pub settings: Option<Vec<Setting>>,
    /// Settling time: unmeasured load before the window of a slice, seconds; absent in documents of
    /// older versions and in imported results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling_seconds: Option<f64>,
}

/// One setting of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// Key of the setting in the plan file.
    pub key: String,
    /// Value of the setting, as in the plan file.
    pub value: String,
    /// Whether the value is the default. Always false for `http` workloads. Always true for the
    /// operations and object sizes of other workloads, and for the number of objects of `s3`
    /// workloads.
    pub usual: bool,
}

/// Machine-readable description of a workload's requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subject {
    /// Protocol of the workload: `http`, `s3` or `blob`.
    pub kind: String,
    /// The operations and their shares; a single entry if the workload is not a mix.
    pub operations: Vec<Share>,
    /// Object size in bytes; null if objects differ in size.
    pub object_bytes: Option<u64>,
    /// Number of distinct objects.
    pub objects: Option<u64>,
    /// Part size in bytes; null if objects are not sent or read in parts.
    pub part_bytes: Option<u64>,
    /// Whether the requests are searches of a full-text search server. Absent if they are not, and in
    /// documents of older versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub searches: bool,
}

impl Workload {
    /// Whether operations are known to have been sent one at a time: a closed loop with one
    /// connection and no pipelining.
    pub fn is_sequential(&self) -> bool {
        self.closed_loop && self.connections == Some(1) && self.depth == Some(1)
    }
}

/// An operation and its share of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// Name of the operation in plans; for plain HTTP, the method.
    pub operation: String,
    /// Name of the operation in the protocol's documentation, for example `PutObject`.
    pub interface: String,
    /// Weight of the operation: its fraction of the requests is this number divided by the sum of
    /// the weights of all operations.
    pub share: f64,
}
