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
    let mut caveats: Vec<String> = Vec::new();
    let unknown = measurements.iter().filter(|of| has_unknown_rate(of));
    for of in unknown {
        let caveat = format!(
            "{}: the throughput of a loop is unknown, because the file has neither its rate nor its length",
            of.operation
        );
        if !caveats.contains(&caveat) {
            caveats.push(caveat);
        }
    }
    let reported = checked("hsbench", measurements)?;
    Ok(Reported {
        caveats,
        ..reported
    })
}

/// Whether operations ended in a loop whose rate is unknown.
pub(super) fn has_unknown_rate(of: &Measurement) -> bool {
    of.rate.is_none() && of.ok() > Some(0)
}

impl FileRow {
    fn measurement(self) -> Measurement {
        let quote = self.quote;
        let said = |value: Range| Said::new(value, quote.clone());
        // blobstore-bench prints 0 without an operation.
        let is_known = self.ops > 0;
        let [min, mean, p99, max] = self.times.map(|millis| {
            let millis = millis.filter(|_| is_known);
            millis.map(|millis| millis.times(MILLI))
        });
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
        // A rate below half an operation per second prints as 0.
        let printed = (self.iops.from > 0.0).then_some(self.iops);
        let divided = (is_timed && self.ops > 0).then(|| Range {
            from: self.ops as f64 / self.seconds.to,
            to: self.ops as f64 / self.seconds.from,
        });
        Measurement {
            closed_loop: true,
            connections: self.threads,
            seconds: is_timed.then(|| said(self.seconds)),
            rate: printed.or(divided).map(said),
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
