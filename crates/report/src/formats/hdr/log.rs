//! Reads interval logs: lines of start, length, longest value and a histogram.

use std::io::BufRead;
use std::ops::Range;

use hdrhistogram::Histogram;
use tenbin_plan::{Sentence, sentence};
use tenbin_record::{PackedHistogram, decode_histogram, merge};
use tenbin_verdict::lint::{Listed, Measurement, Range as Bounds, Reported, Unit};

use super::MAX_VALUE_DIVISOR;
use crate::formats::imported::{histogram, unquoted, with_figures};
use crate::formats::judged;
use crate::formats::lines::Lines;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::decimal;

/// Name of the values without a tag.
const UNTAGGED: &str = "values";
/// The word by which Tenbin's own logs say their unit.
const UNIT: &str = "nanoseconds";
/// Longest line, bytes, and most tags: more of them are none of a result.
const LONGEST: u64 = 2 << 20;
const MOST_TAGS: usize = 500;

/// How far the longest value of a line may be from that of its histogram, which has three digits,
/// in addition to the rounding of the line.
const SAME: f64 = 0.01;

/// Whether a file begins with the comment or the header of interval logs.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let mut lines = readable(beginning).lines().take(50);
    lines.any(|line| {
        line.starts_with("#[Histogram log format") || line.starts_with("\"StartTimestamp\",")
    })
}

/// Reads a log line by line.
pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    if selection.needs_requests() {
        return Err(Fault::of_the_file(
            "is a log of histograms, which holds no single requests to select",
        ));
    }
    let mut lines = Lines::new(text, LONGEST);
    let mut all: Vec<Tagged> = Vec::new();
    let mut has_unit = false;
    let mut trust = None;
    while let Some((number, line)) = lines.next()? {
        if line.starts_with('#') {
            has_unit |= line.contains(UNIT);
            trust = trust.or_else(|| judged::in_line(&line, number));
        } else if !line.starts_with('"') && !line.trim().is_empty() {
            let interval = interval(&line).map_err(|what| Fault::in_line(number, what))?;
            if selection.wants(interval.tag) {
                add(&mut all, interval).map_err(|what| Fault::in_line(number, what))?;
            }
        }
    }
    if let Some(number) = lines.cut() {
        return Err(Fault::in_line(
            number,
            "the last line has no end; the file may be cut off",
        ));
    }
    if all.is_empty() {
        return Err(Fault::of_the_file("has no histogram that was asked for"));
    }
    let mut caveats = vec![
        "the values are times of something; how many requests failed is not in the file".to_owned(),
    ];
    if !has_unit {
        caveats.push(
            "the file does not say the unit of its values: they are read as nanoseconds, as \
             HdrHistogram's programs do"
                .to_owned(),
        );
    }
    Ok(Reported {
        // What wrote a log, and whether its values are times of requests, is not in it.
        tool: "HdrHistogram",
        measurements: all.into_iter().map(Tagged::measurement).collect(),
        caveats,
        judged: trust,
        ..Reported::default()
    })
}

/// One line.
struct Interval<'a> {
    tag: &'a str,
    /// Seconds.
    time: Range<f64>,
    values: PackedHistogram,
}

/// All values with one tag.
struct Tagged {
    tag: String,
    values: Histogram<u64>,
    intervals: Vec<Range<f64>>,
}

fn interval(line: &str) -> Result<Interval<'_>, Sentence> {
    let (tag, rest) = match line.strip_prefix("Tag=") {
        Some(rest) => rest
            .split_once(',')
            .ok_or_else(|| sentence!("tag-alone", "has nothing behind its tag"))?,
        None => (UNTAGGED, line),
    };
    let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
    let [start, length, longest, encoded] = parts.as_slice() else {
        return Err(sentence!(
            "no-interval",
            "is not a start, a length, a longest value and a histogram"
        ));
    };
    let number = |what: &str, text: &str| {
        decimal(text).ok_or_else(|| sentence!("unexpected-value", "{what} is {text:?}", what, text))
    };
    let start = number("the start", start)?.middle();
    let length = number("the length", length)?.middle();
    let longest = number("the longest value", longest)?;
    let values = decode_histogram(encoded)?;
    let own = values.max() as f64 / MAX_VALUE_DIVISOR;
    let slack = SAME * own;
    if own + slack < longest.from || own - slack > longest.to {
        return Err(sentence!(
            "other-longest-value",
            "states {stated} as its longest value, and its histogram has {own} million: the unit is \
             not known, or the file is damaged",
            stated = longest.middle(),
            own
        ));
    }
    Ok(Interval {
        tag,
        time: start..start + length,
        values,
    })
}

fn add(all: &mut Vec<Tagged>, interval: Interval<'_>) -> Result<(), Sentence> {
    let at = match all.iter().position(|known| known.tag == interval.tag) {
        Some(at) => at,
        None if all.len() == MOST_TAGS => {
            return Err(sentence!(
                "many-tags",
                "is that of more than {most} tags",
                most = MOST_TAGS
            ));
        }
        None => {
            all.push(Tagged {
                tag: interval.tag.to_owned(),
                values: histogram(),
                intervals: Vec::new(),
            });
            all.len() - 1
        }
    };
    let tagged = &mut all[at];
    merge(&mut tagged.values, &interval.values);
    // Lines follow each other in time: one that goes on where the last one ended needs no place.
    match tagged.intervals.last_mut() {
        Some(last) if last.start <= interval.time.start && interval.time.start <= last.end => {
            last.end = last.end.max(interval.time.end);
        }
        _ => tagged.intervals.push(interval.time),
    }
    Ok(())
}

impl Tagged {
    fn measurement(mut self) -> Measurement {
        self.intervals
            .sort_by(|one, other| one.start.total_cmp(&other.start));
        let (mut covered, mut end) = (0.0, f64::NEG_INFINITY);
        for interval in &self.intervals {
            covered += (interval.end - interval.start.max(end)).max(0.0);
            end = end.max(interval.end);
        }
        let mut of = Measurement::new(&self.tag);
        of.seconds = (covered > 0.0).then(|| unquoted(Bounds::exactly(covered)));
        of.listed = Some(Box::new(Listed {
            objects: Some(self.values.len()),
            unit: Unit::Values,
            times: Some(self.values),
            ..Listed::default()
        }));
        with_figures(of)
    }
}
