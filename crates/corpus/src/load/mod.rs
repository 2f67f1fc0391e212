//! Loads files of Groonga's commands into a server, in batches, so that a load that
//! was interrupted can go on: a batch that is sent again changes nothing, since its
//! records have keys.

mod attended;
mod droonga;
mod files;
mod groonga;
mod kinds;
mod opensearch;
mod pace;
mod sink;
mod state;

use std::time::{Duration, Instant};

use self::attended::Attended;
use crate::error::Error;
use crate::groonga::{Item, Record};

pub use files::{Files, in_directory, open};
pub(crate) use files::{fingerprint, hex};
pub use kinds::{KINDS, Kind};
pub use pace::Pace;
pub use sink::{Options, Sink};
pub use state::{Kept, state_file};

/// Bytes of records, roughly, that make a batch full.
const BATCH_BYTES: usize = 8 << 20;

/// How to load.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// Records of a batch.
    pub batch: usize,
    /// Most records a second; `None` for as many as go.
    pub rate: Option<f64>,
}

/// What a load tells while it goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Records that the servers have been sent, those before an interruption included.
    pub records: u64,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// Records a second since it was told last, about once a second.
    pub throughput: Option<f64>,
}

/// What a load has done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Records sent, those before an interruption included.
    pub records: u64,
    /// Records sent this time.
    pub now: u64,
    /// Commands carried out, those before an interruption included.
    pub commands: u64,
    /// Commands and records done, those before an interruption included.
    pub done: u64,
    /// How long it took this time.
    pub time: Duration,
    /// Tables with the number of their records, for a server that can be asked.
    pub tables: Vec<(String, Option<u64>)>,
    /// Whether it was stopped before its end.
    pub stopped: bool,
}

impl Summary {
    /// Records a second.
    pub fn throughput(&self) -> f64 {
        self.now as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Why a load did not come to its end, and how far it had come.
#[derive(Debug)]
pub struct Broken {
    /// What went wrong.
    pub error: Error,
    /// What had been done and is kept.
    pub summary: Summary,
}

/// Loads everything in `files` into `sink`, which is given up within a second when `stop`
/// says so, even if a server owes an answer.
///
/// # Errors
/// What went wrong; what had been loaded is kept, and the next load goes on there.
pub fn load(
    files: &mut Files,
    sink: Box<dyn Sink>,
    kept: &mut Kept,
    manner: &Manner,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Progress),
) -> Result<Summary, Box<Broken>> {
    let sink = Attended::new(sink, stop).map_err(|error| {
        let summary = Summary::default();
        Box::new(Broken { error, summary })
    })?;
    let mut loader = Loader::new(sink, kept, manner, stop, tell);
    let loaded = loader.all(files).and_then(|()| loader.end());
    let mut summary = loader.summary();
    match loaded {
        Err(Error::Stopped) => {
            summary.stopped = true;
            Ok(summary)
        }
        Ok(()) => {
            summary.stopped = stop() && !loader.complete;
            Ok(summary)
        }
        Err(error) => {
            if matches!(error, Error::Refused(_)) {
                loader.kept.forget_beginning();
            }
            Err(Box::new(Broken { error, summary }))
        }
    }
}

struct Loader<'a> {
    sink: Attended<'a>,
    kept: &'a mut Kept,
    manner: &'a Manner,
    stop: &'a dyn Fn() -> bool,
    tell: &'a mut dyn FnMut(Progress),
    pace: Pace,
    begun: Instant,
    batch: Vec<Record>,
    batch_bytes: usize,
    /// Items read, commands and records.
    seen: u64,
    /// Records read.
    records: u64,
    commands: u64,
    /// Records sent this time.
    sent: u64,
    /// Whether the sink has been told that records follow.
    ready: bool,
    settled: Instant,
    unsettled: u64,
    told: (Instant, u64),
    tables: Vec<String>,
    counted: Vec<(String, Option<u64>)>,
    complete: bool,
}

impl<'a> Loader<'a> {
    fn new(
        sink: Attended<'a>,
        kept: &'a mut Kept,
        manner: &'a Manner,
        stop: &'a dyn Fn() -> bool,
        tell: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let now = Instant::now();
        Self {
            sink,
            kept,
            manner,
            stop,
            tell,
            pace: Pace::new(manner.rate, now),
            begun: now,
            batch: Vec::new(),
            batch_bytes: 0,
            seen: 0,
            records: 0,
            commands: 0,
            sent: 0,
            ready: false,
            settled: now,
            unsettled: 0,
            told: (now, 0),
            tables: Vec::new(),
            counted: Vec::new(),
            complete: false,
        }
    }

    /// What one batch holds: less than a second's worth, so that the rate is even.
    fn batch_limit(&self) -> usize {
        let even = self
            .manner
            .rate
            .map_or(usize::MAX, |rate| (rate / 10.0) as usize);
        self.manner.batch.min(even).max(1)
    }

    fn all(&mut self, files: &mut Files) -> Result<(), Error> {
        let done = self.kept.done();
        // Before anything is kept: there is nothing to go on with at the wrong server.
        self.sink.greet()?;
        self.sink.going_on(done)?;
        // From here on a command may have been carried out although nobody was told.
        self.kept.save()?;
        while !(self.stop)() {
            let Some(item) = files.next() else {
                self.flush(files.bytes())?;
                self.complete = true;
                return Ok(());
            };
            let item = match item {
                Ok(item) => item,
                Err(error) => {
                    // What stood before it is good.
                    self.flush(files.bytes())?;
                    self.settle()?;
                    return Err(error);
                }
            };
            self.seen += 1;
            match item {
                Item::Command(command) => {
                    if self.seen <= done {
                        self.commands += 1;
                        self.sink.already(&command)?;
                        continue;
                    }
                    self.flush(files.bytes())?;
                    // The one that follows what is kept may have been carried out.
                    let doubtful = self.kept.was_resumed() && self.seen == done + 1;
                    self.sink.command(&command, doubtful)?;
                    self.commands += 1;
                    self.kept.has_sent(1, 0);
                    self.settle()?;
                }
                Item::Record(record) => self.take(record, done, files)?,
            }
        }
        self.flush(files.bytes())
    }

    fn take(&mut self, record: Record, done: u64, files: &Files) -> Result<(), Error> {
        self.records += 1;
        if !self.tables.iter().any(|table| **table == *record.table) {
            self.tables.push(record.table.to_string());
        }
        if self.seen <= done {
            return Ok(());
        }
        if record.key().is_none() {
            return Err(Error::Malformed {
                name: files.current().to_owned(),
                place: record.place,
                reason: "the record has no _key: loaded again after an interruption it would be \
                         there twice"
                    .to_owned(),
            });
        }
        let other_table = self
            .batch
            .first()
            .is_some_and(|first| first.table != record.table);
        if other_table {
            self.flush(files.bytes())?;
        }
        self.batch_bytes += size_of_value(&record);
        self.batch.push(record);
        if self.batch.len() >= self.batch_limit() || self.batch_bytes >= BATCH_BYTES {
            self.flush(files.bytes())?;
        }
        Ok(())
    }

    /// Sends what is gathered: the items after those sent so far.
    fn flush(&mut self, bytes: u64) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.make_ready()?;
        let count = self.batch.len() as u64;
        self.batch_bytes = 0;
        self.sink.records(std::mem::take(&mut self.batch))?;
        self.sent += count;
        self.unsettled += count;
        self.kept.has_sent(count, count);
        let (settles_every, settles_within) = self.sink.settles()?;
        if self.unsettled >= settles_every || self.settled.elapsed() >= settles_within {
            self.settle()?;
        }
        self.report(bytes);
        self.pace.wait(self.sent, self.stop);
        Ok(())
    }

    /// What is there already is ours only if an earlier load came this far and was not
    /// refused.
    fn make_ready(&mut self) -> Result<(), Error> {
        if self.ready {
            return Ok(());
        }
        let again = self.kept.makes_ready()?;
        let made = self.sink.ready(again);
        if matches!(made, Err(Error::Refused(_))) && !again {
            self.kept.is_not_ready()?;
        }
        self.ready = made.is_ok();
        made
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.sink.settle()?;
        self.settled = Instant::now();
        self.unsettled = 0;
        self.kept.save()
    }

    fn report(&mut self, bytes: u64) {
        let (last, sent) = self.told;
        let elapsed = last.elapsed();
        let throughput = (elapsed >= Duration::from_secs(1)).then(|| {
            self.told = (Instant::now(), self.sent);
            (self.sent - sent) as f64 / elapsed.as_secs_f64()
        });
        (self.tell)(Progress {
            records: self.kept.records(),
            bytes,
            throughput,
        });
    }

    fn end(&mut self) -> Result<(), Error> {
        self.settle()?;
        if !self.complete {
            return Ok(());
        }
        self.sink.finish()?;
        for table in &self.tables {
            let count = self.sink.count(table)?;
            self.counted.push((table.clone(), count));
        }
        self.kept.remove();
        Ok(())
    }

    fn summary(&self) -> Summary {
        Summary {
            records: self.kept.records(),
            now: self.sent,
            commands: self.commands,
            done: self.kept.sent(),
            time: self.begun.elapsed(),
            tables: self.counted.clone(),
            stopped: false,
        }
    }
}

/// Bytes that a record takes, roughly.
fn size_of_value(record: &Record) -> usize {
    use crate::json::Json;
    fn of(value: &Json) -> usize {
        match value {
            Json::Text(text) => text.len() + 3,
            Json::List(items) => items.iter().map(of).sum::<usize>() + 2,
            Json::Map(members) => {
                let size = |(key, value): &(String, Json)| key.len() + 4 + of(value);
                members.iter().map(size).sum::<usize>() + 2
            }
            _ => 8,
        }
    }
    of(&record.value)
}
