//! Converts result rows of hsbench and blobstore-bench to measurements.

use tenbin_verdict::lint::{Failed, Measurement, Percentile, Quote, Range, Reported, Said};

use crate::formats::reader::Fault;
use crate::formats::reported::checked;

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// The total of a mode in one loop.
pub(super) struct FileRow {
    pub(super) mode: String,
    /// Measured time, seconds.
    pub(super) seconds: Range,
    pub(super) ops: u64,
    /// Operations per second.
    pub(super) iops: Range,
    /// Shortest, mean, 99th percentile and longest time, milliseconds.
    pub(super) times: [Option<Range>; 4],
    pub(super) slowdowns: u64,
    pub(super) threads: Option<Said<u64>>,
    pub(super) quote: Quote,
}

/// Converts rows to measurements, skipping modes without operations.
pub(super) fn measured(rows: Vec<FileRow>) -> Result<Reported, Fault> {
    let done = rows
        .into_iter()
        .filter(|row| row.ops > 0 || row.slowdowns > 0);
    let measurements: Vec<Measurement> = done.map(FileRow::measurement).collect();
    if measurements.is_empty() {
        return Err(Fault::of_the_file(
            "has no total of a mode; it may be cut off",
        ));
    }
    checked("hsbench", measurements)
}

impl FileRow {
    fn measurement(self) -> Measurement {
        let quote = self.quote;
        let said = |value: Range| Said::new(value, quote.clone());
        let [min, mean, p99, max] = self
            .times
            .map(|millis| millis.map(|millis| millis.times(MILLI)));
        let percentile = p99.map(|time| Percentile {
            quantile: 0.99,
            time,
            quote: quote.clone(),
        });
        let failed = (self.slowdowns > 0).then(|| Failed {
            what: "slowdowns".to_owned(),
            count: self.slowdowns,
            counted: false,
            quote: quote.clone(),
        });
        // The printed length of a loop of a few milliseconds is 0.
        let is_timed = self.seconds.from > 0.0;
        Measurement {
            closed_loop: true,
            connections: self.threads,
            seconds: is_timed.then(|| said(self.seconds)),
            rate: (self.iops.to > 0.0).then(|| said(self.iops)),
            ended: Some(Said::new(self.ops, quote.clone())),
            failures: failed.into_iter().collect(),
            min: min.map(said),
            mean: mean.map(said),
            max: max.map(said),
            percentiles: percentile.into_iter().collect(),
            is_repetition: true,
            ..Measurement::new(&self.mode)
        }
    }
}
