//! The stream that k6 writes with `--out csv`: one point of a metric in each row.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_verdict::lint::{Reported, SECOND};

use super::point::{DURATION, FAILED, OTHER_PROTOCOLS, Points, Tags};
use crate::formats::instant;
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::{count, printed};
use crate::formats::rows::{Columns, Rows};

/// Start of the first line. The columns of the tags follow.
const HEAD: &[u8] = b"metric_name,timestamp,metric_value,";

/// Longest row, bytes.
const LONGEST: u32 = 1 << 20;

/// Digits of the time since 1970 from the year 2001 on, with the unit in nanoseconds: k6 has an
/// option for the unit.
const UNITS: [(usize, u64); 4] = [(10, SECOND as u64), (13, 1_000_000), (16, 1_000), (19, 1)];

pub(super) fn recognises(beginning: &[u8]) -> bool {
    beginning.starts_with(HEAD)
}

/// The index of each column, of which the tags depend on k6's options.
struct Places {
    columns: Columns,
    metric: usize,
    time: usize,
    value: usize,
    tags: [Option<usize>; 7],
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut rows = Rows::new(text, ',', LONGEST);
    let Some((_, names)) = rows.next()? else {
        return Err(Fault::of_the_file("is empty"));
    };
    let places = Places::of(Columns::of(&names, "k6"))?;
    let mut points = Points::new(selection)?;
    let mut unit = None;
    while let Some((line, row)) = rows.next()? {
        places.columns.check(line, &row)?;
        let metric = &*row[places.metric];
        if ![DURATION, FAILED].contains(&metric) {
            if OTHER_PROTOCOLS
                .iter()
                .any(|start| metric.starts_with(start))
            {
                points.note_other();
            }
            continue;
        }
        let no = |what: &str, text: &str| Fault::in_line(line, format!("{what} is {text:?}"));
        let (time, value) = (&row[places.time], &row[places.value]);
        let (end, own) = instant(time).ok_or_else(|| no("the time", time))?;
        if *unit.get_or_insert(own) != own {
            return Err(no("the time, in another unit than before,", time));
        }
        points.set_clock(if own == 1 { 0 } else { own });
        let value = printed(value).ok_or_else(|| no("the value", value))?;
        let added = points.add(metric, end, value, &places.tags(&row));
        added.map_err(|what| Fault::in_line(line, what))?;
    }
    let mut reported = points.finish()?;
    if unit == Some(SECOND as u64) {
        reported.caveats.push(
            "k6 wrote its times in whole seconds, so that the rate of a short test is unknown; \
             K6_CSV_TIME_FORMAT=unix_nano writes exact ones"
                .to_owned(),
        );
    }
    Ok(reported)
}

impl Places {
    fn of(columns: Columns) -> Result<Self, Fault> {
        Ok(Self {
            metric: columns.need("metric_name")?,
            time: columns.need("timestamp")?,
            value: columns.need("metric_value")?,
            tags: [
                "method", "name", "url", "status", "error", "error_code", "expected_response",
            ]
            .map(|tag| columns.find(tag)),
            columns,
        })
    }

    fn tags<'a>(&self, row: &'a [Cow<'_, str>]) -> Tags<'a> {
        let [
            method,
            name,
            url,
            status,
            error,
            error_code,
            expected_response,
        ] = self
            .tags
            .map(|at| Cow::Borrowed(at.map_or("", |at| &*row[at])));
        Tags {
            method,
            name,
            url,
            status,
            error,
            error_code,
            expected_response,
        }
    }
}

/// A time in nanoseconds since 1970, and the unit to which it is cut, nanoseconds.
fn instant(text: &str) -> Option<(i64, u64)> {
    if let Some(number) = count(text) {
        let (_, unit) = UNITS.iter().find(|(digits, _)| *digits == text.len())?;
        let nanoseconds = i64::try_from(number.checked_mul(*unit)?).ok()?;
        return Some((nanoseconds, *unit));
    }
    // Go leaves out zeros at the end, so that the digits do not show the unit.
    let unit = if text.contains('.') { 1 } else { SECOND as u64 };
    Some((instant::read(text)?, unit))
}
