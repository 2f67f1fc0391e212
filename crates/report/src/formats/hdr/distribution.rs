//! Reads percentile distributions, as HdrHistogram prints them and its plotter reads them.

use tenbin_stats::printable_percentile;
use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported};

use crate::formats::judged;
use crate::formats::readable::readable;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, checked, count, decimal};

/// Name of the operation: what was measured is not in the file.
const VALUES: &str = "values";

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// Percentiles that are taken from the rows: those of the rows themselves follow from the number of
/// values and not from what anybody asked.
const TAKEN: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Whether the first line is the title of a distribution.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let first = readable(beginning).lines().next();
    first.is_some_and(is_title)
}

fn is_title(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.starts_with(&["Value", "Percentile", "TotalCount"])
}

/// One row: the share `quantile` of the values, `count` of them, is `value` or less.
struct Row<'a> {
    line: Line<'a>,
    value: Range,
    quantile: f64,
    count: u64,
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let with_points = with_points(content);
    let content = with_points.as_slice();
    let lines = Lines::of(content, &[])?;
    let rows = rows(&lines)?;
    let total = total(&lines, &rows)?;
    let mut of = Measurement::new(VALUES);
    of.samples = Some(total);
    let time = |name: &str, text: (Line<'_>, &str)| {
        let value = decimal(text.1).ok_or_else(|| text.0.no(name, text.1))?;
        Ok::<_, Fault>(text.0.said(value.times(MILLI)))
    };
    of.mean = Some(time("the mean", footer(&lines, "#[Mean", "Mean")?)?);
    of.max = Some(time("the longest time", footer(&lines, "#[Max", "Max")?)?);
    of.min = rows
        .first()
        .filter(|row| row.quantile == 0.0)
        .map(|row| row.line.said(row.value.times(MILLI)));
    of.percentiles = percentiles(&rows, total);
    let reported = checked("HdrHistogram", vec![of])?;
    Ok(Reported {
        judged: judged::of_file(content),
        caveats: vec![
            "the file does not say the unit of its values: they are read as milliseconds, as \
             HdrHistogram's plotter shows them"
                .to_owned(),
            "the values are times of something; how many requests there were, and how many failed, \
             is not in the file"
                .to_owned(),
        ],
        ..reported
    })
}

/// The rows of the only distribution of the file.
fn rows<'a>(lines: &Lines<'a>) -> Result<Vec<Row<'a>>, Fault> {
    let titles = lines.0.iter().filter(|line| is_title(line.text));
    if let Some(second) = titles.skip(1).last() {
        return Err(
            second.fault("begins another percentile distribution; write each to a separate file")
        );
    }
    let mut rows: Vec<Row<'_>> = Vec::new();
    let lines_of_rows = lines.0.iter().skip(1);
    for line in lines_of_rows.filter(|line| !line.text.trim().is_empty()) {
        if line.text.trim_start().starts_with('#') {
            break;
        }
        let row = row(line)?;
        if let Some(last) = rows.last()
            && (row.value.to < last.value.from
                || row.quantile < last.quantile
                || row.count < last.count)
        {
            return Err(line.fault("contradicts itself: the row is below the one before it"));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The number of values, which the last row must have reached.
fn total(lines: &Lines<'_>, rows: &[Row<'_>]) -> Result<u64, Fault> {
    // HdrHistogram for Python writes the name of the column, and a count with decimals.
    let (line, text) = footer(lines, "#[Max", "Total count")
        .or_else(|missing| footer(lines, "#[Max", "TotalCount").map_err(|_| missing))?;
    let whole = text.trim_end_matches('0').strip_suffix('.').unwrap_or(text);
    let total = count(whole).ok_or_else(|| line.no("the total count", text))?;
    match rows.last() {
        Some(last) if last.quantile >= 1.0 && last.count == total => Ok(total),
        _ => {
            Err(line
                .fault("the rows do not end with all values; the file may be cut off or damaged"))
        }
    }
}

fn percentiles(rows: &[Row<'_>], total: u64) -> Vec<Percentile> {
    let printable = TAKEN
        .into_iter()
        .filter(|it| printable_percentile(*it, total));
    let between = printable.filter_map(|quantile| {
        let below = rows.iter().rfind(|row| row.quantile <= quantile)?;
        let above = rows.iter().find(|row| row.quantile >= quantile)?;
        Some(Percentile {
            quantile,
            time: Range {
                from: below.value.from.min(above.value.from) * MILLI,
                to: above.value.to * MILLI,
            },
            quote: above.line.quote(),
        })
    });
    between.collect()
}

/// The text with points in its numbers. Java prints them with the commas of the locale.
fn with_points(content: &[u8]) -> Vec<u8> {
    let rows = content.split(|byte| *byte == b'\n').skip(1);
    let mut rows = rows
        .map(<[u8]>::trim_ascii)
        .filter(|row| !row.is_empty() && !row.starts_with(b"#"));
    let has = |row: &[u8], mark: u8| row.contains(&mark);
    let is_comma = rows
        .next()
        .is_some_and(|row| has(row, b',') && !has(row, b'.'));
    if !is_comma {
        return content.to_vec();
    }
    let digit = |at: Option<usize>| {
        at.and_then(|at| content.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let is_decimal = |at: usize| digit(at.checked_sub(1)) && digit(at.checked_add(1));
    let bytes = content.iter().enumerate();
    let bytes = bytes.map(|(at, byte)| {
        if *byte == b',' && is_decimal(at) {
            b'.'
        } else {
            *byte
        }
    });
    bytes.collect()
}

fn row<'a>(line: &Line<'a>) -> Result<Row<'a>, Fault> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    // The last row has no quotient.
    let ([value, quantile, total] | [value, quantile, total, _]) = words.as_slice() else {
        return Err(line.fault("is not a value, a percentile and a count"));
    };
    let read = |what: &str, text: &str| decimal(text).ok_or_else(|| line.no(what, text));
    let number = read("the percentile", quantile)?.middle();
    if number > 1.0 {
        return Err(line.no("the percentile", quantile));
    }
    Ok(Row {
        line: *line,
        value: read("the value", value)?,
        quantile: number,
        count: count(total).ok_or_else(|| line.no("the count", total))?,
    })
}

/// A figure below the rows, such as `#[Max = 12.345, Total count = 678]`.
fn footer<'a>(lines: &Lines<'a>, start: &str, name: &str) -> Result<(Line<'a>, &'a str), Fault> {
    let mut all = lines.0.iter();
    let found = all.find_map(|line| {
        let inner = line.text.trim().strip_prefix("#[")?.strip_suffix(']')?;
        let figures = inner
            .split(',')
            .filter(|_| line.text.trim_start().starts_with(start));
        let mut pairs = figures.filter_map(|figure| figure.split_once('='));
        let (_, value) = pairs.find(|(own, _)| own.trim() == name)?;
        Some((*line, value.trim()))
    });
    found.ok_or_else(|| {
        Fault::of_the_file(format!(
            "has no line {start:?} with {name:?}; it may be cut off"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Value Percentile TotalCount 1/(1-Percentile)\n\n\
                        1.0 0.0 1 1.0\n20.0 1.0 1000\n\
                        #[Mean = 2.1, StdDeviation = 1.5]\n\
                        #[Max = 20.0, Total count = 1000]\n\
                        #[Buckets = 20, SubBuckets = 2048]\n";

    #[test]
    fn a_second_distribution_is_refused() {
        assert!(reported(TEXT.as_bytes()).is_ok());
        let fault = reported(TEXT.repeat(2).as_bytes()).unwrap_err();
        assert_eq!(fault.line, Some(8));
        assert!(
            fault
                .what
                .text()
                .contains("another percentile distribution")
        );
    }

    #[test]
    fn the_footer_of_python_is_read() {
        for total in ["TotalCount     =         1000", "TotalCount = 1000.00"] {
            let text = TEXT.replace("Total count = 1000", total);
            let read = reported(text.as_bytes()).unwrap();
            assert_eq!(read.measurements[0].samples, Some(1000));
        }
        assert!(reported(TEXT.replace("count = 1000", "count = 1000.5").as_bytes()).is_err());
    }
}
