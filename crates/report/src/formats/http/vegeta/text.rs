//! Reads the text of `vegeta report`.

use tenbin_verdict::lint::{Measurement, Range, Reported};

use super::statuses;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, go_duration, percent};

/// Whether a line is the first one of a report. Old versions separate with tabs.
pub(super) fn is_first(line: &str) -> bool {
    line.strip_prefix("Requests")
        .is_some_and(|rest| rest.trim_start().starts_with("[total, rate"))
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &["Error Set:"])?;
    if lines.0.iter().filter(|line| is_first(line.text)).count() > 1 {
        return Err(Fault::of_the_file(
            "holds several reports of vegeta; write each to a separate file",
        ));
    }
    let mut of = Measurement::new(REQUESTS);
    let (line, row) = row(&lines, "Requests")?;
    let total = value(&line, &row, "total")?;
    let total = line.count("the number of requests", total)?.value;
    if let Some((_, rate)) = row.iter().find(|(name, _)| *name == "throughput") {
        of.rate = Some(line.decimal("the throughput", rate)?);
    }
    let (line, row) = self::row(&lines, "Duration")?;
    let taken = value(&line, &row, "total")?;
    of.seconds = Some(line.said(duration(&line, taken)?));
    let (line, row) = self::row(&lines, "Latencies")?;
    for (name, text) in row {
        let time = duration(&line, text)?;
        match name {
            "min" => of.min = Some(line.said(time)),
            "mean" => of.mean = Some(line.said(time)),
            "max" => of.max = Some(line.said(time)),
            percent => {
                let percent = count(percent)
                    .filter(|percent| *percent < 100)
                    .ok_or_else(|| line.no("a percentile", percent))?;
                of.add_percentile(percent as f64 / 100.0, line.said(time));
            }
        }
    }
    let (line, row) = self::row(&lines, "Status Codes")?;
    let codes = row.first().map_or("", |(_, text)| *text);
    let codes = codes.split_whitespace().map(|pair| {
        let pair = pair.split_once(':');
        let pair = pair.and_then(|(code, number)| Some((count(code)?, count(number)?)));
        pair.ok_or_else(|| line.fault("is not a list of statuses with counts"))
    });
    let codes = codes.collect::<Result<Vec<_>, Fault>>()?;
    statuses(&mut of, total, &codes, &line.quote())?;
    success(&lines, &of, total)?;
    checked("vegeta", vec![of])
}

/// Checks that the success ratio matches the counts of statuses.
fn success(lines: &Lines<'_>, of: &Measurement, total: u64) -> Result<(), Fault> {
    let (line, row) = row(lines, "Success")?;
    let text = value(&line, &row, "ratio")?;
    let printed = percent(text).ok_or_else(|| line.no("the ratio of successes", text))?;
    let ok = of.ended.as_ref().map_or(0, |said| said.value);
    let ratio = ok as f64 / total.max(1) as f64;
    let slack = 1e-9;
    if (printed.from - slack..=printed.to + slack).contains(&ratio) {
        Ok(())
    } else {
        Err(line.fault(format!(
            "contradicts the statuses: {ok} of {total} succeeded"
        )))
    }
}

/// The names in the brackets of a line, with their values.
type Row<'a> = Vec<(&'a str, &'a str)>;

fn row<'a>(lines: &Lines<'a>, label: &str) -> Result<(Line<'a>, Row<'a>), Fault> {
    let (line, rest) = lines.need(label)?;
    let inner = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (names, values) = inner.ok_or_else(|| line.fault("has no names in brackets"))?;
    let names: Vec<&str> = names.split(", ").collect();
    let values: Vec<&str> = match names.as_slice() {
        [_] => vec![values.trim()],
        _ => values.trim().split(", ").collect(),
    };
    if names.len() == values.len() {
        Ok((line, names.into_iter().zip(values).collect()))
    } else {
        Err(line.fault("has not the values named in its brackets"))
    }
}

fn value<'a>(line: &Line<'_>, row: &Row<'a>, name: &str) -> Result<&'a str, Fault> {
    let mut row = row.iter();
    row.find(|(own, _)| *own == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| line.fault(format!("has no value {name}")))
}

fn duration(line: &Line<'_>, text: &str) -> Result<Range, Fault> {
    go_duration(text).ok_or_else(|| line.no("a duration", text))
}
