//! Reads the CSV files that Locust writes with `--csv`: the statistics, and their history.

use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported, Said};

use crate::formats::cells::{Row, Table, cells};
use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Line, Lines, checked, count, percent, python_float};

/// The totals of the whole test.
pub(in crate::formats) const STATS: Format = Format {
    name: "locust",
    about: "the file _stats.csv that Locust writes with --csv",
    file: "locust_stats.csv",
    read: Some(Reader::new(
        |beginning| starts_with(beginning, "Type,Name,Request Count,Failure Count,"),
        Read::Figures("the statistics of Locust", stats),
    )),
    ..Format::PLAIN
};

/// Rows by time, of which the last has the totals.
pub(in crate::formats) const HISTORY: Format = Format {
    name: "locust-history",
    about: "the file _stats_history.csv that Locust writes with --csv",
    file: "locust_stats_history.csv",
    read: Some(Reader::new(
        |beginning| starts_with(beginning, "Timestamp,User Count,Type,Name,Requests/s,"),
        Read::Figures("the history of Locust", history),
    )),
    ..Format::PLAIN
};

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// The name of the row that sums all others.
const ALL: &str = "Aggregated";

/// What Locust writes in place of a time without a request.
const UNKNOWN: &str = "N/A";

fn starts_with(beginning: &[u8], columns: &str) -> bool {
    let first = readable(beginning).lines().next().unwrap_or_default();
    let first = first.trim_start_matches('\u{feff}').replace('"', "");
    first.starts_with(columns)
}

/// Names of the columns with totals, which differ between the two files.
struct Columns {
    requests: &'static str,
    failures: &'static str,
    median: &'static str,
    mean: &'static str,
    min: &'static str,
    max: &'static str,
    size: &'static str,
}

const OF_STATS: Columns = Columns {
    requests: "Request Count",
    failures: "Failure Count",
    median: "Median Response Time",
    mean: "Average Response Time",
    min: "Min Response Time",
    max: "Max Response Time",
    size: "Average Content Size",
};

const OF_HISTORY: Columns = Columns {
    requests: "Total Request Count",
    failures: "Total Failure Count",
    median: "Total Median Response Time",
    mean: "Total Average Response Time",
    min: "Total Min Response Time",
    max: "Total Max Response Time",
    size: "Total Average Content Size",
};

fn stats(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let table = Table::of(&lines, |line| cells(line, ','))?;
    let rate = table.need("Requests/s")?;
    let mut measurements = Vec::new();
    for row in &table.rows {
        let mut of = totals(&table, row, &OF_STATS)?;
        let text = row.cell(rate);
        let value = python_float(text).ok_or_else(|| row.line.no("the rate", text))?;
        let requests = of.ended.as_ref().map_or(0, |said| said.value);
        let value = if requests == 0 {
            Range::exactly(0.0)
        } else {
            value
        };
        of.rate = Some(row.line.said(value));
        let known = percentiles(&table, row)?;
        if requests > 0 && !known.is_empty() {
            of.percentiles = known;
        }
        measurements.push(of);
    }
    without_total(measurements)
}

/// Leaves out the row that sums all others, if there are others. Locust writes it last: a file
/// without it, or with another sum, is cut off.
fn without_total(mut measurements: Vec<Measurement>) -> Result<Reported, Fault> {
    let total = measurements.pop().filter(|of| of.operation == ALL);
    let total = total
        .ok_or_else(|| Fault::of_the_file(format!("has no last row {ALL:?}; it may be cut off")))?;
    let requests = |of: &Measurement| of.ended.as_ref().map_or(0, |said| said.value);
    let sum = measurements
        .iter()
        .fold(0_u64, |sum, of| sum.saturating_add(requests(of)));
    if measurements.is_empty() {
        return checked("locust", vec![total]);
    }
    if sum == requests(&total) {
        checked("locust", measurements)
    } else {
        Err(Fault::of_the_file(format!(
            "contradicts itself: {} requests in all, and {sum} by name",
            requests(&total)
        )))
    }
}

/// The figures that both files have. Locust counts failed requests among the requests, and their
/// times among the times.
fn totals(table: &Table<'_>, row: &Row<'_>, columns: &Columns) -> Result<Measurement, Fault> {
    let line = &row.line;
    let counted = |name: &str| line.count(name, row.cell(table.need(name)?));
    let requests = counted(columns.requests)?;
    let failures = counted(columns.failures)?;
    let mut of = Measurement::new(&name(table, row)?);
    of.add_failed("requests that Locust counts as failed", failures, true);
    let figure = |name: &str| -> Result<Range, Fault> {
        let text = row.cell(table.need(name)?);
        python_float(text).ok_or_else(|| line.no(name, text))
    };
    let (min, mean) = (figure(columns.min)?, figure(columns.mean)?);
    let (max, size) = (figure(columns.max)?, figure(columns.size)?);
    if requests.value > 0 {
        of.min = Some(line.said(min.times(MILLI)));
        of.mean = Some(line.said(mean.times(MILLI)));
        of.max = Some(line.said(max.times(MILLI)));
        // Locust divides the sum and writes all digits.
        of.bytes = Some((size.middle() * requests.value as f64).round() as u64);
        let median = row.cell(table.need(columns.median)?);
        if !matches!(median, "" | UNKNOWN) {
            of.percentiles.push(percentile(line, 0.5, median)?);
        }
    } else {
        of.bytes = Some(0);
    }
    of.ended = Some(requests);
    Ok(of)
}

/// The method and the name, as Locust prints them.
fn name(table: &Table<'_>, row: &Row<'_>) -> Result<String, Fault> {
    let (method, name) = (row.cell(table.need("Type")?), row.cell(table.need("Name")?));
    Ok(match method {
        "" | "None" => name.to_owned(),
        method => format!("{method} {name}"),
    })
}

/// The percentiles of the statistics, whose columns are named by their percentage.
fn percentiles(table: &Table<'_>, row: &Row<'_>) -> Result<Vec<Percentile>, Fault> {
    let mut known = Vec::new();
    for (at, name) in table.names() {
        let Some(share) = percent(name) else {
            continue;
        };
        let quantile = (share.middle() * 1e7).round() / 1e7;
        let text = row.cell(at);
        if text != UNKNOWN {
            known.push(percentile(&row.line, quantile, text)?);
        }
    }
    // The last one is the longest time, rounded.
    known.retain(|each| each.quantile < 1.0);
    known.sort_by(|one, other| one.quantile.total_cmp(&other.quantile));
    Ok(known)
}

fn percentile(line: &Line<'_>, quantile: f64, text: &str) -> Result<Percentile, Fault> {
    let time = rounded(text).ok_or_else(|| line.no("a percentile", text))?;
    Ok(Percentile::new(quantile, line.said(time.times(MILLI))))
}

/// Parses a percentile. Locust counts times by two significant digits from 100 ms.
fn rounded(text: &str) -> Option<Range> {
    let Some(millis) = count(text) else {
        return python_float(text);
    };
    let half = match millis {
        0..100 => 0.5,
        100..1_000 => 5.0,
        1_000..10_000 => 50.0,
        _ => 500.0,
    };
    Some(Range::around(millis as f64, half))
}

fn history(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let table = Table::of(&lines, |line| cells(line, ','))?;
    let mut last: Vec<Measurement> = Vec::new();
    let mut course = Course::default();
    for row in &table.rows {
        let of = totals(&table, row, &OF_HISTORY)?;
        percentiles(&table, row)?;
        let line = &row.line;
        let counted = |name: &str| line.count(name, row.cell(table.need(name)?));
        let (time, users) = (counted("Timestamp")?, counted("User Count")?);
        if of.operation == ALL {
            course.add(time.value, &of, users);
        }
        match last
            .iter_mut()
            .find(|known| known.operation == of.operation)
        {
            Some(known) => *known = of,
            None => last.push(of),
        }
    }
    let named = table.need("Name")?;
    let last_row = table.rows.last();
    if last_row.is_none_or(|row| row.cell(named) != ALL) {
        return Err(Fault::of_the_file(format!(
            "does not end with a row {ALL:?}; it may be cut off"
        )));
    }
    // The sum is the last row of each second.
    last.sort_by_key(|of| of.operation == ALL);
    for of in &mut last {
        of.connections = course.users.clone().filter(|_| course.is_steady);
        of.seconds = course.seconds(of);
    }
    let mut reported = without_total(last)?;
    reported.caveats.push(
        "the percentiles in this file are those of the last ten seconds and are left out; the \
         length of the test is known to a few seconds only"
            .to_owned(),
    );
    Ok(reported)
}

/// The course of the test, from the rows that sum all others.
#[derive(Default)]
struct Course {
    /// Time of the last row before the first request.
    idle: Option<u64>,
    /// Time of the first row after the first request.
    started: Option<u64>,
    /// Time of the last row before the last request.
    before_end: u64,
    /// Time of the first row after the last request.
    ended: u64,
    /// Time of the row before.
    previous: u64,
    requests: u64,
    /// Whether Locust dropped the requests so far, so that the start is unknown.
    is_reset: bool,
    users: Option<Said<u64>>,
    /// Whether the number of users did not change while requests were sent.
    is_steady: bool,
}

impl Course {
    fn add(&mut self, time: u64, of: &Measurement, users: Said<u64>) {
        let requests = of.ended.as_ref().map_or(0, |said| said.value);
        let previous = std::mem::replace(&mut self.previous, time);
        if requests == 0 && self.requests == 0 {
            self.idle = Some(time);
            return;
        }
        self.is_reset |= requests < self.requests;
        if requests <= self.requests {
            return;
        }
        let started = *self.started.get_or_insert(time);
        self.before_end = previous.max(started);
        self.ended = time;
        self.requests = requests;
        match &self.users {
            None => {
                self.is_steady = users.value > 0;
                self.users = Some(users);
            }
            Some(known) => self.is_steady &= known.value == users.value,
        }
    }

    /// The length of the test between the bounds that the rows give.
    fn seconds(&self, of: &Measurement) -> Option<Said<Range>> {
        let (idle, started) = (self.idle?, self.started?);
        let quote = of.ended.as_ref()?.quote.clone();
        let range = Range {
            // Locust cuts off the fraction of a second.
            from: self.before_end.saturating_sub(started.saturating_add(1)) as f64,
            to: self.ended.saturating_sub(idle) as f64 + 1.0,
        };
        (!self.is_reset && range.from <= range.to).then(|| Said::new(range, quote))
    }
}
