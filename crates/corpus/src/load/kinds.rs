//! The kinds of servers that data can be loaded into.

use super::droonga::Droonga;
use super::groonga::Groonga;
use super::opensearch::OpenSearch;
use super::sink::{Options, Sink};
use crate::error::Error;

/// A kind of server that data can be loaded into.
#[derive(Debug)]
pub struct Kind {
    /// Name on the command line.
    pub name: &'static str,
    /// Description for the help text, in one line.
    pub about: &'static str,
    /// Whether several servers are independent, so that each server receives all data.
    pub replicas: bool,
    /// Whether the key of a document stays a member of it, too: indexes take every member, tables
    /// only those with a column.
    pub keeps_key: bool,
    /// Whether the server takes a mapping, instead of a schema.
    pub takes_mapping: bool,
    /// Creates the [`Sink`] that sends data to servers of this kind.
    pub make: fn(&Options) -> Result<Box<dyn Sink>, Error>,
}

/// All kinds of servers that data can be loaded into.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "groonga",
        about: "Groonga over HTTP; several servers are replicas, and each gets everything",
        replicas: true,
        keeps_key: false,
        takes_mapping: false,
        make: |options| Ok(Box::new(Groonga::new(options)?)),
    },
    Kind {
        name: "opensearch",
        about: "OpenSearch through _bulk; the nodes of a cluster in turns",
        replicas: false,
        keeps_key: true,
        takes_mapping: true,
        make: |options| Ok(Box::new(OpenSearch::new(options)?)),
    },
    Kind {
        name: "droonga",
        about: "Droonga's forward protocol; the nodes in turns, commands to the first one only",
        replicas: false,
        keeps_key: false,
        takes_mapping: false,
        make: |options| Ok(Box::new(Droonga::new(options)?)),
    },
];
