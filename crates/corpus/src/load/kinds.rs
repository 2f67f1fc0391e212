//! The kinds of servers that can be loaded.

use super::droonga::Droonga;
use super::groonga::Groonga;
use super::opensearch::OpenSearch;
use super::sink::{Options, Sink};
use crate::error::Error;

/// A kind of server.
#[derive(Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Its servers know nothing of each other, so that each gets everything.
    pub replicas: bool,
    /// Makes the sink.
    pub make: fn(&Options) -> Result<Box<dyn Sink>, Error>,
}

/// Every kind of server that can be loaded into.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "groonga",
        about: "Groonga over HTTP; several servers are replicas, and each gets everything",
        replicas: true,
        make: |options| Ok(Box::new(Groonga::new(options)?)),
    },
    Kind {
        name: "opensearch",
        about: "OpenSearch through _bulk; the nodes of a cluster in turns",
        replicas: false,
        make: |options| Ok(Box::new(OpenSearch::new(options)?)),
    },
    Kind {
        name: "droonga",
        about: "Droonga's forward protocol; the nodes in turns, commands to the first one only",
        replicas: false,
        make: |options| Ok(Box::new(Droonga::new(options)?)),
    },
];
