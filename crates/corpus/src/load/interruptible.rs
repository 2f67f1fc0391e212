//! Runs a [`Sink`] (the servers to load into) on a separate thread, so that a load can be
//! interrupted while it waits for a response.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::sink::Sink;
use crate::error::Error;
use crate::groonga::{Command, Record};

/// How often to check whether the user has interrupted.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// How long to wait for a response after an interruption. A batch acknowledged within this time
/// need not be sent again.
const GRACE: Duration = Duration::from_millis(500);

type Call = Box<dyn FnOnce(&mut dyn Sink) + Send>;

/// A sink that stops waiting for the server when the user interrupts.
pub(super) struct InterruptibleSink<'a> {
    calls: mpsc::Sender<Call>,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> InterruptibleSink<'a> {
    pub(super) fn new(sink: Box<dyn Sink>, stop: &'a dyn Fn() -> bool) -> Result<Self, Error> {
        let (sender, calls) = mpsc::channel::<Call>();
        let mut sink = sink;
        // The thread ends when all callers are gone. If a server never responds, the thread ends
        // with the process.
        thread::Builder::new()
            .name("load".to_owned())
            .spawn(move || {
                for call in calls {
                    call(&mut *sink);
                }
            })
            .map_err(|error| Error::refused(format!("cannot start the loading thread: {error}")))?;
        Ok(Self {
            calls: sender,
            stop,
        })
    }

    fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Sink) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (response, responses) = mpsc::channel();
        let call: Call = Box::new(move |sink| {
            // Sending fails if the caller no longer waits; the response is then dropped.
            let _ = response.send(call(sink));
        });
        let gone = || {
            Error::refused(
                "the loading thread has ended unexpectedly; this is a bug in tenbin".to_owned(),
            )
        };
        self.calls.send(call).map_err(|_| gone())?;
        let mut asked: Option<Instant> = None;
        loop {
            match responses.recv_timeout(CHECK_INTERVAL) {
                Ok(response) => return Ok(response),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            if asked.is_none() && (self.stop)() {
                asked = Some(Instant::now());
            }
            if asked.is_some_and(|asked| asked.elapsed() >= GRACE) {
                return Err(Error::Stopped);
            }
        }
    }

    pub(super) fn greet(&self) -> Result<(), Error> {
        self.call(|sink| sink.greet())?
    }

    pub(super) fn command(&self, command: &Command, doubtful: bool) -> Result<(), Error> {
        let command = command.clone();
        self.call(move |sink| sink.command(&command, doubtful))?
    }

    pub(super) fn resumed_after(&self, done: u64) -> Result<(), Error> {
        self.call(move |sink| sink.resumed_after(done))
    }

    pub(super) fn executed_before(&self, command: &Command) -> Result<(), Error> {
        let command = command.clone();
        self.call(move |sink| sink.executed_before(&command))
    }

    pub(super) fn ready(&self, resumed: bool) -> Result<(), Error> {
        self.call(move |sink| sink.ready(resumed))?
    }

    pub(super) fn records(&self, records: Vec<Record>) -> Result<(), Error> {
        self.call(move |sink| sink.records(&records))?
    }

    pub(super) fn wait_until_received(&self) -> Result<(), Error> {
        self.call(|sink| sink.wait_until_received())?
    }

    pub(super) fn receipt_interval(&self) -> Result<(u64, Duration), Error> {
        self.call(|sink| sink.receipt_interval())
    }

    pub(super) fn finish(&self) -> Result<(), Error> {
        self.call(|sink| sink.finish())?
    }

    pub(super) fn count(&self, table: &str) -> Result<Option<u64>, Error> {
        let table = table.to_owned();
        self.call(move |sink| sink.count(&table))?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// A sink that responds to `greet` only.
    struct Unresponsive;

    impl Sink for Unresponsive {
        fn greet(&mut self) -> Result<(), Error> {
            Ok(())
        }

        fn command(&mut self, _command: &Command, _doubtful: bool) -> Result<(), Error> {
            Ok(())
        }

        fn records(&mut self, _records: &[Record]) -> Result<(), Error> {
            loop {
                thread::park();
            }
        }

        fn count(&mut self, table: &str) -> Result<Option<u64>, Error> {
            Ok(Some(table.len() as u64))
        }
    }

    #[test]
    fn an_unresponsive_server_is_abandoned_on_interruption() {
        let stop = AtomicBool::new(false);
        let is_asked = || stop.load(Ordering::Relaxed);
        let sink = InterruptibleSink::new(Box::new(Unresponsive), &is_asked).unwrap();
        assert_eq!(sink.count("Pages").unwrap(), Some(5));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(sink.count("Pages").unwrap(), Some(5), "it responds in time");
        assert!(matches!(sink.records(Vec::new()), Err(Error::Stopped)));
    }
}
