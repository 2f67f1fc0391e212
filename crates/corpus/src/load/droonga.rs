//! Loads into Droonga, with messages over the forward protocol.

use std::time::Duration;

use super::sink::{Options, Sink};
use crate::droonga::{Address, Converter, Nodes};
use crate::error::Error;
use crate::groonga::{Command, Item, Record};

/// The nodes of a Droonga cluster.
#[derive(Debug)]
pub(super) struct Droonga {
    nodes: Nodes,
    converter: Converter,
}

impl Droonga {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let servers = options.servers.iter();
        let addresses: Vec<Address> = servers
            .map(|text| text.parse().map_err(|why: String| Error::refused(why)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            nodes: Nodes::new(addresses),
            converter: Converter::new(options.dataset.as_str()),
        })
    }
}

impl Sink for Droonga {
    /// Does nothing: the protocol has no responses.
    fn greet(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Skips message numbers, so that a message sent again keeps its id.
    fn resumed_after(&mut self, done: u64) {
        self.converter.skip(done);
    }

    /// Sends to the first node only: Droonga cannot order commands that arrive at several nodes.
    fn command(&mut self, command: &Command, _doubtful: bool) -> Result<(), Error> {
        let message = self.converter.message(&Item::Command(command.clone()));
        self.nodes.send_first(&message)
    }

    fn records(&mut self, records: &[Record]) -> Result<(), Error> {
        for record in records {
            let message = self.converter.message(&Item::Record(record.clone()));
            self.nodes.send(&message)?;
        }
        self.nodes.flush()
    }

    fn wait_until_received(&mut self) -> Result<(), Error> {
        self.nodes.wait_until_read()
    }

    fn receipt_interval(&self) -> (u64, Duration) {
        (1_000, Duration::from_secs(10))
    }

    fn count(&mut self, _table: &str) -> Result<Option<u64>, Error> {
        Ok(None)
    }
}
