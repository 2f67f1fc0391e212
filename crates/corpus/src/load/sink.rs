//! The interface to servers that data is loaded into.

use std::time::Duration;

use super::mapping::Mapping;
use crate::error::Error;
use crate::groonga::{Command, Record};
use tenbin_http::Login;

/// One or more servers that data is loaded into.
pub trait Sink: Send {
    /// Checks, before data is sent, that the server is of the expected kind.
    ///
    /// # Errors
    /// When the server is of another kind, or no server listens.
    fn greet(&mut self) -> Result<(), Error>;

    /// Executes a command. `doubtful`: the command may already have been executed.
    ///
    /// # Errors
    /// When the server refuses the command.
    fn command(&mut self, command: &Command, doubtful: bool) -> Result<(), Error>;

    /// Called before a resumed load, with the number of commands and records already processed.
    fn resumed_after(&mut self, _done: u64) {}

    /// Called for each command that was executed before an interruption.
    fn executed_before(&mut self, _command: &Command) {}

    /// Prepares the servers for records. `resumed`: an earlier load may have prepared them.
    ///
    /// # Errors
    /// When the server refuses the preparation.
    fn ready(&mut self, _resumed: bool) -> Result<(), Error> {
        Ok(())
    }

    /// Sends records of one table. The records may have been sent before.
    ///
    /// # Errors
    /// When the server does not store all of the records.
    fn records(&mut self, records: &[Record]) -> Result<(), Error>;

    /// Waits until the servers have received everything that was sent.
    ///
    /// # Errors
    /// When a server has not received everything.
    fn wait_until_received(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// [`Self::wait_until_received`] must be called after this number of records or this time,
    /// whichever comes first.
    fn receipt_interval(&self) -> (u64, Duration) {
        (1, Duration::ZERO)
    }

    /// Called after the last record.
    ///
    /// # Errors
    /// When a final request fails.
    fn finish(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Number of records in a table; `None` if the server does not report it.
    ///
    /// # Errors
    /// When the request fails.
    fn count(&mut self, table: &str) -> Result<Option<u64>, Error>;
}

/// Settings of a [`Sink`].
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// URLs or addresses of the servers.
    pub servers: Vec<String>,
    /// Authentication.
    pub login: Login,
    /// Tables that NDJSON and CSV documents are loaded into.
    pub documents: Vec<String>,
    /// Mappings and settings of the indexes of `documents`; `None`: those of the schema, or chosen
    /// by the server.
    pub mapping: Option<Mapping>,
    /// Shards of an index; `None` for the server's default.
    pub shards: Option<u32>,
    /// Replicas of an index; `None` for the server's default.
    pub replicas: Option<u32>,
    /// Segments per shard after the final merge of an index; `None` for no merge.
    pub force_merge: Option<u32>,
    /// Name of the data set (database), for Droonga.
    pub dataset: String,
}
