//! Reads the text that hey prints.

use tenbin_verdict::lint::{Failed, Measurement, Percentile, Range, Reported, Said};

use crate::formats::readable::readable;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, time};
use crate::formats::unread;

/// Maximum number of results from which hey computes its histogram and percentiles.
pub(super) const KEPT: u64 = 1_000_000;

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &["responses"])?;
    // The text of oha begins like hey's.
    if lines.find("Success rate:").is_some()
        && let Some(hint) = unread::hint(readable(content))
    {
        return Err(Fault::of_the_file(hint));
    }
    lines.of_one_result("Requests/sec:", "hey")?;
    let mut of = Measurement::new(REQUESTS);
    of.closed_loop = true;
    let seconds = |label: &str| -> Result<Option<Said<Range>>, Fault> {
        let (line, text) = lines.need(label)?;
        // The mean of no response.
        if text.starts_with("NaN") {
            return Ok(None);
        }
        let value = time(text.trim_end_matches('.')).ok_or_else(|| line.no(label, text))?;
        Ok(Some(line.said(value)))
    };
    of.seconds = seconds("Total:")?;
    of.max = seconds("Slowest:")?;
    of.min = seconds("Fastest:")?;
    of.mean = seconds("Average:")?;
    let (line, text) = lines.need("Requests/sec:")?;
    of.rate = Some(line.decimal("the rate", text)?);
    if let Some((line, text)) = lines.find("Total data:") {
        let text = text.trim_end_matches("bytes").trim();
        of.bytes = Some(line.count("the number of bytes", text)?.value);
    }
    for line in lines.section("Latency distribution:", |line| line.trim().is_empty()) {
        let percentile = percentile(&line)?;
        // hey fills its table up with these rows if there are too few responses.
        if percentile.quantile > 0.0 {
            of.percentiles.push(percentile);
        }
    }
    let answered = responses(&lines, &mut of)?;
    histogram(&lines, answered)?;
    of.samples = Some(answered.min(KEPT));
    checked("hey", vec![of])
}

/// Reads a line such as ` 99% in 0.0040 secs`.
fn percentile(line: &Line<'_>) -> Result<Percentile, Fault> {
    let row = line.text.trim().split_once("% in ");
    // Some versions double the percent sign.
    let row = row.and_then(|(percent, text)| {
        let text = text.trim_end_matches('.');
        Some((count(percent.trim_end_matches('%'))?, time(text)?))
    });
    let (percent, time) = row
        .filter(|(percent, _)| *percent < 100)
        .ok_or_else(|| line.fault("is not a percentile"))?;
    Ok(Percentile::new(percent as f64 / 100.0, line.said(time)))
}

/// Reads statuses and errors, and returns the number of responses.
fn responses(lines: &Lines<'_>, of: &mut Measurement) -> Result<u64, Fault> {
    let title = "Status code distribution:";
    let ends = |line: &str| line.trim().is_empty();
    let (mut answered, mut quote) = (0_u64, None);
    for line in lines.section(title, ends) {
        let (status, rest) = bracketed(&line)?;
        let number = rest.strip_suffix("responses").unwrap_or(rest).trim();
        let number = line.count("the number of responses", number)?;
        answered = answered.saturating_add(number.value);
        quote.get_or_insert(number.quote.clone());
        if status >= 400 {
            of.failures.push(Failed {
                what: format!("responses with status {status}"),
                count: number.value,
                counted: true,
                quote: number.quote,
            });
        }
    }
    let mut ended = answered;
    for line in lines.section("Error distribution:", ends) {
        let (number, what) = bracketed(&line)?;
        ended = ended.saturating_add(number);
        quote.get_or_insert(line.quote());
        of.failures.push(Failed {
            what: what.to_owned(),
            count: number,
            counted: true,
            quote: line.quote(),
        });
    }
    let quote =
        quote.ok_or_else(|| Fault::of_the_file(format!("has no {title:?}; it may be cut off")))?;
    of.ended = Some(Said::new(ended, quote));
    Ok(answered)
}

/// Parses a line such as `[200] 175219 responses`.
fn bracketed<'a>(line: &Line<'a>) -> Result<(u64, &'a str), Fault> {
    let inner = line.text.trim().strip_prefix('[');
    let parts = inner.and_then(|inner| inner.split_once(']'));
    let parts = parts.and_then(|(number, rest)| Some((count(number)?, rest.trim())));
    parts.ok_or_else(|| line.fault("is not a number in brackets and a text"))
}

/// Checks that the bars of the histogram add up to the number of responses, but at most to the
/// number of results that hey keeps.
fn histogram(lines: &Lines<'_>, answered: u64) -> Result<(), Fault> {
    let mut sum = 0_u64;
    for line in lines.section("Response time histogram:", |line| line.trim().is_empty()) {
        let bar = line.text.split_once('[');
        let bar = bar.and_then(|(_, rest)| count(rest.split_once(']')?.0));
        sum = sum.saturating_add(bar.ok_or_else(|| line.fault("is not a bar of the histogram"))?);
    }
    if sum == answered.min(KEPT) {
        Ok(())
    } else {
        Err(Fault::of_the_file(format!(
            "contradicts itself: the histogram has {sum} times and there are {answered} responses"
        )))
    }
}
