//! Reads the file of percentages that ab writes with `-e`, and the list of requests that ab writes
//! with `-g`.

use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::{Listed, Measurement, Quote, Range, Reported, Said, Unit};

use crate::formats::imported::record;
use crate::formats::judged::judged;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, decimal};

/// First line of the file that ab writes with `-e`.
pub(super) const PERCENTAGES_HEAD: &str = "Percentage served,Time in ms";
/// First line of the file that ab writes with `-g`.
pub(super) const REQUESTS_HEAD: &str = "starttime\tseconds\tctime\tdtime\tttime\twait";

/// Number of columns of the list of requests.
const COLUMNS: usize = 6;
/// Text of a column that is unknown, which gnuplot leaves out.
pub(super) const UNKNOWN: &str = "NaN";

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;
/// Nanoseconds in a second.
const NANOS: f64 = 1e9;

/// Reads the file that ab writes with `-e`: percentiles. The file does not contain the number of
/// requests.
pub(super) fn percentages(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut of = Measurement::new(REQUESTS);
    let mut last = None;
    for line in lines.0.iter().skip(1) {
        let mut cells = line.text.split(',');
        let row = cells.next().zip(cells.next());
        let row = row.and_then(|(percent, millis)| Some((count(percent)?, decimal(millis)?)));
        let (percent, millis) = row.ok_or_else(|| line.fault("is not a percentage and a time"))?;
        if last.map_or(percent != 0, |last| percent != last + 1) {
            return Err(line.fault(format!("{percent} is not the next percentage")));
        }
        last = Some(percent);
        let time = millis.times(MILLI);
        match percent {
            0 => of.min = Some(line.said(time)),
            100 => of.max = Some(line.said(time)),
            _ => of.add_percentile(percent as f64 / 100.0, line.said(time)),
        }
    }
    // ab's file ends with 99, Tenbin's file with 100.
    if last.is_none_or(|last| !(99..=100).contains(&last)) {
        return Err(Fault::of_the_file("has no row of 99 %; it may be cut off"));
    }
    Ok(judged(checked("ab", vec![of])?, content))
}

/// Percentiles computed from the list of requests.
const COMPUTED: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// A row of the list of requests.
struct Row<'a> {
    /// The total time, nanoseconds.
    nanos: u64,
    /// Half a unit of the last digit of the time, seconds.
    half: f64,
    line: Line<'a>,
}

impl Row<'_> {
    fn range(&self) -> Range {
        Range::around(self.nanos as f64 / NANOS, self.half)
    }
}

/// Reads the file that ab writes with `-g`: the total time of each request, in whole milliseconds;
/// in Tenbin's file, with three decimals. The file contains no count, so a file cut off at the end
/// of a line cannot be recognised.
pub(super) fn requests(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let rows = lines.0.iter().skip(1).map(row);
    let mut rows = rows.collect::<Result<Vec<Row<'_>>, Fault>>()?;
    rows.sort_by_key(|row| row.nanos);
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Err(Fault::of_the_file("has no request"));
    };
    let n = rows.len() as u64;
    let quote = Quote {
        line: Some(1),
        text: format!("{n} rows below {:?}", REQUESTS_HEAD.replace('\t', " ")),
    };
    let sum: u64 = rows.iter().map(|row| row.nanos).sum();
    let mean = Range::around(sum as f64 / n as f64 / NANOS, first.half.max(last.half));
    let mut of = Measurement::new(REQUESTS);
    of.ended = Some(Said::new(n, quote.clone()));
    of.omits_failures = true;
    of.min = Some(first.line.said(first.range()));
    of.max = Some(last.line.said(last.range()));
    of.mean = Some(Said::new(mean, quote));
    for quantile in COMPUTED.into_iter().filter(|q| printable_percentile(*q, n)) {
        let at = ((quantile * n as f64).ceil() as usize).clamp(1, rows.len()) - 1;
        of.add_percentile(quantile, rows[at].line.said(rows[at].range()));
    }
    let mut listed = Listed {
        objects: Some(n),
        unit: Unit::Requests,
        ..Listed::default()
    };
    // The rows are in the order of their times, and their starts are whole seconds.
    let single = listed.single.get_or_insert_default();
    for row in &rows {
        single.add_time(row.nanos);
        record(&mut listed.times, row.nanos);
    }
    of.listed = Some(Box::new(listed));
    Ok(judged(checked("ab", vec![of])?, content))
}

/// Reads a row. In Tenbin's file, only the total time of a request is known.
fn row<'a>(line: &Line<'a>) -> Result<Row<'a>, Fault> {
    let cells: Vec<&str> = line.text.split('\t').take(COLUMNS + 2).collect();
    let others = [1, 2, 3, 5].map(|at| cells.get(at).copied().unwrap_or_default());
    if cells.len() == COLUMNS + 1 && others == [UNKNOWN; 4] {
        let millis = decimal(cells[4]).ok_or_else(|| line.no("ttime", cells[4]))?;
        let half = (millis.to - millis.from) / 2.0;
        return Ok(Row {
            nanos: ((millis.from + half) * MILLI * NANOS).round() as u64,
            half: half * MILLI,
            line: *line,
        });
    }
    Ok(Row {
        nanos: total(line)?.saturating_mul(1_000_000),
        half: 0.5 * MILLI,
        line: *line,
    })
}

/// Reads the column `ttime` of a row.
fn total(line: &Line<'_>) -> Result<u64, Fault> {
    let cells: Vec<&str> = line.text.split('\t').collect();
    let [_, seconds, connect, processing, total, wait] = cells.as_slice() else {
        return Err(line.fault("has not the six columns of ab"));
    };
    let read = |what: &str, text: &str| count(text).ok_or_else(|| line.no(what, text));
    read("seconds", seconds)?;
    read("wait", wait)?;
    let (connect, processing) = (read("ctime", connect)?, read("dtime", processing)?);
    let total = read("ttime", total)?;
    // Each column is rounded alone.
    let is_sum = |sum: u64| sum.abs_diff(total) <= 1;
    if connect.checked_add(processing).is_some_and(is_sum) {
        Ok(total)
    } else {
        Err(line.fault("contradicts itself: ctime and dtime are not ttime"))
    }
}
