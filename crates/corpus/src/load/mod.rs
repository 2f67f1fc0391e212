//! Loads Groonga commands and records, or documents, into a server, in batches. An interrupted
//! load can be resumed: records have keys, so sending a batch again does not duplicate records.

mod bulk;
mod droonga;
mod files;
mod groonga;
mod interruptible;
mod kinds;
mod mapping;
mod opensearch;
mod rate_limit;
mod sink;
mod state;

use std::time::{Duration, Instant};

use tenbin_plan::sentence;

use self::interruptible::InterruptibleSink;
use crate::error::Error;
use crate::groonga::{Item, Record};

pub use crate::packed::is_packed;
pub use files::{Files, in_directory, open};
pub(crate) use files::{fingerprint, hex};
pub use kinds::{KINDS, Kind};
pub use mapping::Mapping;
pub use rate_limit::RateLimit;
pub use sink::{Options, Sink};
pub use state::{SavedProgress, state_file};

/// Approximate size of a full batch, bytes.
const BATCH_BYTES: usize = 8 << 20;

/// Settings of a load.
#[derive(Debug, Clone, Copy)]
pub struct LoadOptions {
    /// Maximum records per batch.
    pub batch: usize,
    /// Maximum records per second; `None` for no limit.
    pub rate: Option<f64>,
}

/// Progress of a load, reported during the load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Records sent, including those before an interruption.
    pub records: u64,
    /// Bytes read so far from all files.
    pub bytes: u64,
    /// Records per second since the last reported rate; `None` if the last rate was reported less
    /// than a second ago.
    pub throughput: Option<f64>,
}

/// Result of a load.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Records sent, including those before an interruption.
    pub records: u64,
    /// Records sent by this run, without those before an interruption.
    pub now: u64,
    /// Commands executed, including those before an interruption.
    pub commands: u64,
    /// Commands and records processed, including those before an interruption.
    pub done: u64,
    /// Duration of this run.
    pub time: Duration,
    /// Tables with their numbers of records, after a complete load or a refusal; `None` if the
    /// server does not report the number.
    pub tables: Vec<(String, Option<u64>)>,
    /// Whether the load was interrupted.
    pub stopped: bool,
}

impl Summary {
    /// Records per second in this run.
    pub fn throughput(&self) -> f64 {
        self.now as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Error of a load, with the progress up to the error.
#[derive(Debug)]
pub struct Broken {
    /// The error.
    pub error: Error,
    /// Progress up to the error.
    pub summary: Summary,
}

/// Loads all of `files` into `sink`. When `stop` returns true, the load ends within a second, even
/// if a server does not respond.
///
/// # Errors
/// The error of the input or server. Unless the input is standard input, the progress is saved and
/// the next load resumes from it.
pub fn load(
    files: &mut Files,
    sink: Box<dyn Sink>,
    kept: &mut SavedProgress,
    options: &LoadOptions,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Progress),
) -> Result<Summary, Box<Broken>> {
    let sink = InterruptibleSink::new(sink, stop).map_err(|error| {
        let summary = Summary::default();
        Box::new(Broken { error, summary })
    })?;
    let mut loader = Loader::new(sink, kept, options, stop, tell);
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
            match &error {
                Error::Refused(_) | Error::Exists { .. } => loader.kept.forget_beginning(),
                Error::Rejected { .. } => summary.tables = loader.stored(),
                _ => {}
            }
            Err(Box::new(Broken { error, summary }))
        }
    }
}

struct Loader<'a> {
    sink: InterruptibleSink<'a>,
    kept: &'a mut SavedProgress,
    options: &'a LoadOptions,
    stop: &'a dyn Fn() -> bool,
    tell: &'a mut dyn FnMut(Progress),
    pace: RateLimit,
    started: Instant,
    batch: Vec<Record>,
    batch_bytes: usize,
    /// Commands and records read.
    seen: u64,
    /// Records read.
    records: u64,
    commands: u64,
    /// Records sent by this run.
    sent: u64,
    /// Whether the servers have been prepared for records.
    ready: bool,
    confirmed_at: Instant,
    unconfirmed: u64,
    /// When the throughput was last reported, and the records sent by then.
    reported: (Instant, u64),
    tables: Vec<String>,
    counted: Vec<(String, Option<u64>)>,
    complete: bool,
}

impl<'a> Loader<'a> {
    fn new(
        sink: InterruptibleSink<'a>,
        kept: &'a mut SavedProgress,
        options: &'a LoadOptions,
        stop: &'a dyn Fn() -> bool,
        tell: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let now = Instant::now();
        Self {
            sink,
            kept,
            options,
            stop,
            tell,
            pace: RateLimit::new(options.rate, now),
            started: now,
            batch: Vec::new(),
            batch_bytes: 0,
            seen: 0,
            records: 0,
            commands: 0,
            sent: 0,
            ready: false,
            confirmed_at: now,
            unconfirmed: 0,
            reported: (now, 0),
            tables: Vec::new(),
            counted: Vec::new(),
            complete: false,
        }
    }

    /// Maximum records per batch. With a rate limit, a batch has at most the records of 0.1 s, so
    /// that the rate is even.
    fn batch_limit(&self) -> usize {
        let even = self
            .options
            .rate
            .map_or(usize::MAX, |rate| (rate / 10.0) as usize);
        self.options.batch.min(even).max(1)
    }

    fn all(&mut self, files: &mut Files) -> Result<(), Error> {
        let done = self.kept.done();
        // Checked before progress is saved: a load into the wrong server must not be resumed.
        self.sink.greet()?;
        self.sink.resumed_after(done)?;
        // Saved before the first command: from here on, a command can be executed without a
        // response.
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
                    // The records before the invalid item are valid: send them.
                    self.flush(files.bytes())?;
                    self.wait_until_received()?;
                    return Err(error);
                }
            };
            self.seen += 1;
            match item {
                Item::Command(command) => {
                    if self.seen <= done {
                        self.commands += 1;
                        self.sink.executed_before(&command)?;
                        continue;
                    }
                    self.flush(files.bytes())?;
                    // The first command of a resumed load may have been executed before the
                    // interruption.
                    let doubtful = self.kept.was_resumed() && self.seen == done + 1;
                    self.sink.command(&command, doubtful)?;
                    self.commands += 1;
                    self.kept.has_sent(1, 0);
                    self.wait_until_received()?;
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
                reason: sentence!(
                    "record-without-key",
                    "the record has no _key, so a load that is resumed after an interruption would \
                     add it twice"
                ),
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

    /// Sends the collected records as one batch.
    fn flush(&mut self, bytes: u64) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.make_ready()?;
        let count = self.batch.len() as u64;
        self.batch_bytes = 0;
        self.sink.records(std::mem::take(&mut self.batch))?;
        self.sent += count;
        self.unconfirmed += count;
        self.kept.has_sent(count, count);
        let (every_records, every_time) = self.sink.receipt_interval()?;
        if self.unconfirmed >= every_records || self.confirmed_at.elapsed() >= every_time {
            self.wait_until_received()?;
        }
        self.report(bytes);
        self.pace.wait(self.sent, self.stop);
        Ok(())
    }

    /// Prepares the servers before the first batch. An existing index is accepted only if an
    /// earlier run of this load may have created the index.
    fn make_ready(&mut self) -> Result<(), Error> {
        if self.ready {
            return Ok(());
        }
        let again = self.kept.makes_ready()?;
        let made = self.sink.ready(again);
        let refused = matches!(made, Err(Error::Refused(_) | Error::Exists { .. }));
        if refused && !again {
            self.kept.is_not_ready()?;
        }
        self.ready = made.is_ok();
        made
    }

    fn wait_until_received(&mut self) -> Result<(), Error> {
        self.sink.wait_until_received()?;
        self.confirmed_at = Instant::now();
        self.unconfirmed = 0;
        self.kept.save()
    }

    fn report(&mut self, bytes: u64) {
        let (last, sent) = self.reported;
        let elapsed = last.elapsed();
        let throughput = (elapsed >= Duration::from_secs(1)).then(|| {
            self.reported = (Instant::now(), self.sent);
            (self.sent - sent) as f64 / elapsed.as_secs_f64()
        });
        (self.tell)(Progress {
            records: self.kept.records(),
            bytes,
            throughput,
        });
    }

    fn end(&mut self) -> Result<(), Error> {
        self.wait_until_received()?;
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

    /// The records that each table holds after the server has refused some.
    fn stored(&self) -> Vec<(String, Option<u64>)> {
        let count = |table: &String| (table.clone(), self.sink.count(table).ok().flatten());
        self.tables.iter().map(count).collect()
    }

    fn summary(&self) -> Summary {
        Summary {
            records: self.kept.records(),
            now: self.sent,
            commands: self.commands,
            done: self.kept.sent(),
            time: self.started.elapsed(),
            tables: self.counted.clone(),
            stopped: false,
        }
    }
}

/// Approximate size of a record, bytes.
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
