//! A sink on a thread of its own, so that who loads can be told to stop while a server
//! owes an answer.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::sink::Sink;
use crate::error::Error;
use crate::groonga::{Command, Record};

/// How often it is asked whether to stop.
const STEP: Duration = Duration::from_millis(20);
/// How long an answer may take when somebody has asked to stop: one that comes in time need
/// not be asked for again.
const GRACE: Duration = Duration::from_millis(500);

type Call = Box<dyn FnOnce(&mut dyn Sink) + Send>;

/// A sink that may be left alone with a server that does not answer.
pub(super) struct Attended<'a> {
    calls: mpsc::Sender<Call>,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Attended<'a> {
    pub(super) fn new(sink: Box<dyn Sink>, stop: &'a dyn Fn() -> bool) -> Result<Self, Error> {
        let (sender, calls) = mpsc::channel::<Call>();
        let mut sink = sink;
        // It ends when nobody can call any more, or with the process where a server that
        // never answers holds it.
        thread::Builder::new()
            .name("load".to_owned())
            .spawn(move || {
                for call in calls {
                    call(&mut *sink);
                }
            })
            .map_err(|error| Error::Refused(format!("there is no thread to load with: {error}")))?;
        Ok(Self {
            calls: sender,
            stop,
        })
    }

    fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Sink) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, answers) = mpsc::channel();
        let call: Call = Box::new(move |sink| {
            // Nobody waits any more for what comes too late.
            let _ = answer.send(call(sink));
        });
        let gone = || Error::Refused("loading broke down; this is a fault in tenbin".to_owned());
        self.calls.send(call).map_err(|_| gone())?;
        let mut asked: Option<Instant> = None;
        loop {
            match answers.recv_timeout(STEP) {
                Ok(answer) => return Ok(answer),
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

    pub(super) fn going_on(&self, done: u64) -> Result<(), Error> {
        self.call(move |sink| sink.going_on(done))
    }

    pub(super) fn already(&self, command: &Command) -> Result<(), Error> {
        let command = command.clone();
        self.call(move |sink| sink.already(&command))
    }

    pub(super) fn ready(&self, resumed: bool) -> Result<(), Error> {
        self.call(move |sink| sink.ready(resumed))?
    }

    pub(super) fn records(&self, records: Vec<Record>) -> Result<(), Error> {
        self.call(move |sink| sink.records(&records))?
    }

    pub(super) fn settle(&self) -> Result<(), Error> {
        self.call(|sink| sink.settle())?
    }

    pub(super) fn settles(&self) -> Result<(u64, Duration), Error> {
        self.call(|sink| sink.settles())
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

    /// Answers nothing but greetings.
    struct Mute;

    impl Sink for Mute {
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
    fn a_server_that_never_answers_is_left_alone_when_somebody_asks_to_stop() {
        let stop = AtomicBool::new(false);
        let is_asked = || stop.load(Ordering::Relaxed);
        let sink = Attended::new(Box::new(Mute), &is_asked).unwrap();
        assert_eq!(sink.count("Pages").unwrap(), Some(5));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(sink.count("Pages").unwrap(), Some(5), "it answers in time");
        assert!(matches!(sink.records(Vec::new()), Err(Error::Stopped)));
    }
}
