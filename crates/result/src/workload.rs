//! The workloads of a run, as in `result.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// Description of the requests.
    pub description: String,
    /// Description of the load.
    pub load: String,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// Connections, over all threads; null in an imported result that does not say it.
    pub connections: Option<u64>,
    /// Open loop with a fixed rate: mean arrivals per second.
    pub rate: Option<f64>,
    /// Machine-readable description of the requests; null in documents of older versions.
    #[serde(default)]
    pub subject: Option<Subject>,
    /// All settings by key; null in documents of older versions. Two workloads can be compared only
    /// if their settings are equal.
    #[serde(default)]
    pub settings: Option<Vec<Setting>>,
}

/// One setting of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its key in the plan file.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Whether this is the default value for the same operations on the same number of objects of
    /// the same size.
    pub usual: bool,
}

/// Machine-readable description of a workload's requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// `http` or `s3`.
    pub kind: String,
    /// The operations and their shares; one entry if the workload is not a mix.
    pub operations: Vec<Share>,
    /// Object size in bytes, if all objects have one size.
    pub object_bytes: Option<u64>,
    /// Distinct objects.
    pub objects: Option<u64>,
    /// Part size in bytes, if objects are sent or read in parts.
    pub part_bytes: Option<u64>,
}

impl Workload {
    /// Whether operations were sent one at a time, on one connection.
    pub fn is_sequential(&self) -> bool {
        // As `describe::load` writes a depth above 1.
        let is_deep = self.load.contains(" with up to ");
        self.closed_loop && self.connections == Some(1) && !is_deep
    }
}

/// An operation and its share of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Name of the operation, as in plans; the method for plain HTTP.
    pub operation: String,
    /// Name of the operation in the protocol's documentation, for example `PutObject`.
    pub interface: String,
    /// Its share, relative to the sum of all shares.
    pub share: f64,
}
