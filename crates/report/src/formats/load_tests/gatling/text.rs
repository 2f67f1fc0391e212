//! Reads the summary that Gatling prints: up to version 3.13 with `(OK=… KO=…)` behind each figure,
//! since then as a table with the columns Total, OK and KO.

use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use super::{Counts, MILLI, of_millis};
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, decimal};

/// Title of the section with the figures of the whole test.
const TITLE: &str = "---- Global Information ";

/// Title of the section with the texts of failures.
const ERRORS: &str = "---- Errors ";

/// What Gatling prints in place of a figure without a request.
const NONE: &str = "-";

pub(super) fn is_title(line: &str) -> bool {
    line.trim_start().starts_with(TITLE)
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    lines.of_one_result(TITLE, "Gatling")?;
    let lines = last_part(&lines);
    let rows = rows(&lines)?;
    let mut of = Measurement::new(REQUESTS);
    let requests = need(&rows, &["request count"])?;
    let [total, ok, ko] = requests.each(|cell| requests.counted(cell))?;
    let rates = need(&rows, &["mean throughput (rps)", "mean requests/sec"])?;
    let [rate, ok_rate, ko_rate] = rates.each(|cell| rates.rate(cell))?;
    for row in &rows {
        time(row, &mut of)?;
    }
    of.sort_percentiles();
    Counts {
        total,
        ok: requests.line.said(ok),
        ko: requests.line.said(ko),
        rate,
        ok_rate: rates.line.said(ok_rate),
        ko_rate,
    }
    .fill(&mut of)?;
    if let Some(kinds) = errors(&lines, ko) {
        of.failures = kinds;
    }
    checked("gatling", vec![of])
}

/// The lines from the title on. Before, there are counts and errors of the test so far.
fn last_part<'a>(lines: &Lines<'a>) -> Lines<'a> {
    let behind = lines.0.iter().skip_while(|line| !is_title(line.text));
    Lines(behind.copied().collect())
}

/// A line of the section: a name, and the figures of all requests, and of those that are OK and KO.
struct Row<'a> {
    line: Line<'a>,
    name: &'a str,
    cells: [&'a str; 3],
    /// Whether commas and spaces separate thousands, as in tables.
    is_grouped: bool,
}

fn rows<'a>(lines: &Lines<'a>) -> Result<Vec<Row<'a>>, Fault> {
    let ends = |line: &str| {
        let line = line.trim();
        line.starts_with("----") || line.starts_with("====") || line.is_empty()
    };
    let section = lines.section(TITLE, ends);
    section.into_iter().map(row).collect()
}

fn row(line: Line<'_>) -> Result<Row<'_>, Fault> {
    let damaged = || line.fault("is not a figure of all requests, of those OK and of those KO");
    let text = line.text.trim_start();
    let text = text.strip_prefix("> ").ok_or_else(damaged)?;
    let table: Vec<&str> = text.split('|').map(str::trim).collect();
    if let [name, total, ok, ko] = table.as_slice() {
        return Ok(Row {
            line,
            name,
            cells: [total, ok, ko],
            is_grouped: true,
        });
    }
    let (front, inner) = text.split_once("(OK=").ok_or_else(damaged)?;
    let (ok, ko) = inner
        .trim_end()
        .strip_suffix(')')
        .and_then(|inner| inner.split_once("KO="))
        .ok_or_else(damaged)?;
    let (name, total) = front.trim().rsplit_once(' ').ok_or_else(damaged)?;
    Ok(Row {
        line,
        name: name.trim(),
        cells: [total, ok.trim(), ko.trim()],
        is_grouped: false,
    })
}

fn need<'a, 'b>(rows: &'b [Row<'a>], names: &[&str]) -> Result<&'b Row<'a>, Fault> {
    let mut all = rows.iter();
    let found = all.find(|row| names.contains(&row.name));
    found
        .ok_or_else(|| Fault::of_the_file(format!("has no line {:?}; it may be cut off", names[0])))
}

impl Row<'_> {
    fn each<T>(&self, read: impl Fn(&str) -> Result<T, Fault>) -> Result<[T; 3], Fault> {
        let [total, ok, ko] = self.cells;
        Ok([read(total)?, read(ok)?, read(ko)?])
    }

    /// Parses a count.
    fn counted(&self, cell: &str) -> Result<u64, Fault> {
        let known = match cell {
            NONE => Some(0),
            cell if self.is_grouped => count(&ungrouped(cell)),
            cell => count(cell),
        };
        known.ok_or_else(|| self.line.no(self.name, cell))
    }

    /// Parses a rate. Without groups, a comma is the decimal sign of a language.
    fn rate(&self, cell: &str) -> Result<Range, Fault> {
        let known = match cell {
            NONE => Some(Range::exactly(0.0)),
            cell if self.is_grouped => grouped_decimal(cell),
            cell => decimal(&cell.replacen(',', ".", 1)),
        };
        known.ok_or_else(|| self.line.no(self.name, cell))
    }

    /// The time of the requests that are OK, seconds.
    fn time(&self) -> Result<Option<Said<Range>>, Fault> {
        let [_, ok, _] = self.cells;
        if ok == NONE {
            return Ok(None);
        }
        // Figures are whole milliseconds.
        let whole = self.counted(ok).map(of_millis);
        let time = whole.or_else(|_| Ok(self.rate(ok)?.times(MILLI)))?;
        Ok(Some(self.line.said(time)))
    }
}

/// A number without the signs between its thousands.
fn ungrouped(cell: &str) -> String {
    let is_sign = |c: char| matches!(c, ',' | '.' | '\'' | '’') || c.is_whitespace();
    let groups: Vec<&str> = cell.split(is_sign).collect();
    let are_whole = groups.iter().skip(1).all(|group| group.len() == 3);
    if are_whole {
        groups.concat()
    } else {
        cell.to_owned()
    }
}

/// Parses a number of a table, which has at most two decimals: `7,030.21`, `7.030,21` or `7,030`.
fn grouped_decimal(cell: &str) -> Option<Range> {
    match cell.rfind([',', '.']) {
        Some(at) if cell.len() - at <= 3 => {
            decimal(&format!("{}.{}", ungrouped(&cell[..at]), &cell[at + 1..]))
        }
        _ => decimal(&ungrouped(cell)),
    }
}

fn time(row: &Row<'_>, of: &mut Measurement) -> Result<(), Fault> {
    match row.name.trim_end_matches(" (ms)") {
        "min response time" => of.min = row.time()?,
        "mean response time" => of.mean = row.time()?,
        "max response time" => of.max = row.time()?,
        name => {
            let ordinal = name
                .strip_prefix("response time ")
                .and_then(|rest| rest.strip_suffix(" percentile"));
            if let (Some(ordinal), Some(time)) = (ordinal, row.time()?) {
                let quantile =
                    quantile(ordinal).ok_or_else(|| row.line.no("the percentile", ordinal))?;
                of.add_percentile(quantile, time);
            }
        }
    }
    Ok(())
}

/// Parses `99th` or `99.9th`.
fn quantile(ordinal: &str) -> Option<f64> {
    let mut endings = ["th", "st", "nd", "rd"].into_iter();
    let digits = endings.find_map(|ending| ordinal.strip_suffix(ending))?;
    let percent = decimal(&digits.replacen(',', ".", 1))?.middle();
    (percent < 100.0).then(|| (percent * 1e5).round() / 1e7)
}

/// The texts of failures with their numbers, if they are all failures.
fn errors(lines: &Lines<'_>, ko: u64) -> Option<Vec<Failed>> {
    let mut kinds: Vec<Failed> = Vec::new();
    let ends = |line: &str| line.trim().starts_with("====") || line.trim().is_empty();
    for line in lines.section(ERRORS, ends) {
        if let Some((what, count)) = error(&line) {
            kinds.push(Failed {
                what: what.to_owned(),
                count,
                counted: false,
                quote: line.quote(),
            });
        }
    }
    let sum = kinds
        .iter()
        .fold(0_u64, |sum, kind| sum.saturating_add(kind.count));
    (sum == ko && ko > 0).then_some(kinds)
}

/// Parses a line such as `> status.find.is(200), but actually found 500    686 (94.74%)`.
fn error<'a>(line: &Line<'a>) -> Option<(&'a str, u64)> {
    let text = line.text.trim().strip_prefix("> ")?;
    let (front, share) = text.rsplit_once('(')?;
    let _ = share.strip_suffix("%)")?;
    let (what, number) = front.trim_end().rsplit_once(' ')?;
    Some((what.trim_end(), count(&ungrouped(number))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_the_signs_of_their_form() {
        for (text, expected) in [
            ("7,030.21", 7_030.21),
            ("7.030,21", 7_030.21),
            ("7,420.7", 7_420.7),
            ("40,5", 40.5),
            ("1,484,140", 1_484_140.0),
            ("7\u{202f}030,2", 7_030.2),
            ("5", 5.0),
        ] {
            let read = grouped_decimal(text).map(Range::middle);
            assert!((read.unwrap() - expected).abs() < 1e-9, "{text}: {read:?}");
        }
        assert_eq!(grouped_decimal("7,0e0.21"), None);
        assert_eq!(grouped_decimal("12,34,567.8"), None);
    }
}
