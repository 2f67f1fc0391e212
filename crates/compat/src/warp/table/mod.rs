//! Every flag of warp, and how Tenbin treats it.

mod connection;
mod load;
mod object;
mod output;

use crate::flag::Flag;

/// Every flag. A flag can have several rows, each for different commands.
pub const FLAGS: &[&[Flag]] = &[connection::FLAGS, load::FLAGS, object::FLAGS, output::FLAGS];

pub(super) use load::AGENTS;

/// The commands that measure.
const MEASURING: &[&str] = &[
    "get", "put", "delete", "list", "stat", "mixed", "versioned", "retention", "multipart",
    "multipart-put", "append", "zip", "snowball", "fanout",
];

/// The commands that read results.
const READING: &[&str] = &["analyze", "cmp", "merge"];

/// The commands that measure and those that read results.
const ALL: &[&str] = &[
    "get", "put", "delete", "list", "stat", "mixed", "versioned", "retention", "multipart",
    "multipart-put", "append", "zip", "snowball", "fanout", "analyze", "cmp", "merge",
];
