//! What can be loaded into.

use std::time::Duration;

use crate::error::Error;
use crate::groonga::{Command, Record};
use crate::http::Login;

/// A server, or several, that data is loaded into.
pub trait Sink: Send {
    /// Makes sure, before anything is sent, that what listens there is such a server.
    ///
    /// # Errors
    /// When it is none, or nothing listens.
    fn greet(&mut self) -> Result<(), Error>;

    /// Carries a command out. With `doubtful`, it may have been carried out before.
    ///
    /// # Errors
    /// When the server does not.
    fn command(&mut self, command: &Command, doubtful: bool) -> Result<(), Error>;

    /// Takes note that so many commands and records were done before an interruption.
    fn going_on(&mut self, _done: u64) {}

    /// Takes note of a command that was carried out before an interruption.
    fn already(&mut self, _command: &Command) {}

    /// Gets ready for records; `resumed` if an earlier load may have done so.
    ///
    /// # Errors
    /// When the server does not.
    fn ready(&mut self, _resumed: bool) -> Result<(), Error> {
        Ok(())
    }

    /// Sends records, all of one table. They may have been sent before.
    ///
    /// # Errors
    /// When the server does not take all of them.
    fn records(&mut self, records: &[Record]) -> Result<(), Error>;

    /// Makes sure that the servers have what was sent.
    ///
    /// # Errors
    /// When they do not.
    fn settle(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// After how many records, and how long, to settle.
    fn settles(&self) -> (u64, Duration) {
        (1, Duration::ZERO)
    }

    /// Nothing follows.
    ///
    /// # Errors
    /// When the server does not do what it is asked for at the end.
    fn finish(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// How many records a table has; `None` if the server cannot be asked.
    ///
    /// # Errors
    /// When the server does not say.
    fn count(&mut self, table: &str) -> Result<Option<u64>, Error>;
}

/// What a sink is made from.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the servers are.
    pub servers: Vec<String>,
    /// How they let us in.
    pub login: Login,
    /// Shards of an index, if not as many as the server thinks.
    pub shards: Option<u32>,
    /// Replicas of an index, if not as many as the server thinks.
    pub replicas: Option<u32>,
    /// Segments that each shard of an index is merged into at the end; as the server left them
    /// without.
    pub force_merge: Option<u32>,
    /// Name of the data set in messages.
    pub dataset: String,
}
