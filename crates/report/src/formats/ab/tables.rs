//! Reads the file of percentages that ab writes with `-e`, and the list of requests that ab writes
//! with `-g`.

use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::{Measurement, Percentile, Quote, Range, Reported, Said};

use crate::formats::judged::judged;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, decimal};

/// First line of the file that ab writes with `-e`.
pub(super) const PERCENTAGES_HEAD: &str = "Percentage served,Time in ms";
/// First line of the file that ab writes with `-g`.
pub(super) const REQUESTS_HEAD: &str = "starttime\tseconds\tctime\tdtime\tttime\twait";

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

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
            _ => of.percentiles.push(Percentile {
                quantile: percent as f64 / 100.0,
                time,
                quote: line.quote(),
            }),
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

/// Reads the file that ab writes with `-g`: the total time of each request, in whole milliseconds.
/// The file contains no count, so a file cut off at the end of a line cannot be recognised.
pub(super) fn requests(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut times: Vec<(u64, Line<'_>)> = Vec::new();
    for line in lines.0.iter().skip(1) {
        times.push((total(line)?, *line));
    }
    times.sort_by_key(|(millis, _)| *millis);
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err(Fault::of_the_file("has no request"));
    };
    let range = |millis: u64| Range {
        from: (millis as f64 - 0.5).max(0.0) * MILLI,
        to: (millis as f64 + 0.5) * MILLI,
    };
    let n = times.len() as u64;
    let quote = Quote {
        line: Some(1),
        text: format!("{n} rows below {:?}", REQUESTS_HEAD.replace('\t', " ")),
    };
    let sum: u64 = times.iter().map(|(millis, _)| millis).sum();
    let mean = sum as f64 / n as f64;
    let mut of = Measurement::new(REQUESTS);
    of.ended = Some(Said::new(n, quote.clone()));
    of.omits_failures = true;
    of.min = Some(first.1.said(range(first.0)));
    of.max = Some(last.1.said(range(last.0)));
    of.mean = Some(Said::new(
        Range {
            from: (mean - 0.5).max(0.0) * MILLI,
            to: (mean + 0.5) * MILLI,
        },
        quote,
    ));
    for quantile in COMPUTED.into_iter().filter(|q| printable_percentile(*q, n)) {
        let at = ((quantile * n as f64).ceil() as usize).clamp(1, times.len()) - 1;
        let (millis, line) = times[at];
        of.percentiles.push(Percentile {
            quantile,
            time: range(millis),
            quote: line.quote(),
        });
    }
    checked("ab", vec![of])
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
    if connect.checked_add(processing) == Some(total) {
        Ok(total)
    } else {
        Err(line.fault("contradicts itself: ctime and dtime are not ttime"))
    }
}
