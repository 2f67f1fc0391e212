//! What a run sent, as `result.json` has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What is sent, in words.
    pub description: String,
    /// How it is issued, in words.
    pub load: String,
    /// True for a closed loop, false for an open one.
    pub closed_loop: bool,
    /// Connections, over all threads.
    pub connections: u64,
    /// Open loop at one rate: arrivals a second, on average.
    pub rate: Option<f64>,
    /// What is sent, for machines; null in documents of versions that did not say.
    #[serde(default)]
    pub subject: Option<Subject>,
    /// What is sent, setting by setting, by key; null in documents of versions that
    /// did not say. Two workloads may be compared only when these agree.
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
    /// It is what the same operations on as many objects of that size have when
    /// nothing else is asked for.
    pub usual: bool,
}

/// What a workload sends, for machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// `http` or `s3`.
    pub kind: String,
    /// The operations and their shares; one of them if it is no mix.
    pub operations: Vec<Share>,
    /// Bytes of an object, where objects have one size.
    pub object_bytes: Option<u64>,
    /// Distinct objects.
    pub objects: Option<u64>,
    /// Bytes of a part, where objects are sent or read in parts.
    pub part_bytes: Option<u64>,
}

impl Workload {
    /// Whether one operation was sent at a time, on one connection.
    pub fn is_sequential(&self) -> bool {
        // As `describe::load` writes a depth above 1.
        let is_deep = self.load.contains(" with up to ");
        self.closed_loop && self.connections == 1 && !is_deep
    }
}

/// How often an operation is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Its name, as in plans; the method of plain HTTP.
    pub operation: String,
    /// What the interface calls it, for example `PutObject`.
    pub interface: String,
    /// Its share, relative to the sum of all shares.
    pub share: f64,
}
