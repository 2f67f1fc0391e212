//! The text, with or without the distribution of times that `-l` adds.

use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported, Said};

use super::{CLASSES, Counts, truncated};
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, checked, count, time};

/// Labels of the lines that stand for missing statistics.
const TOO_LITTLE: &str = "There wasn't enough data to compute statistics for";

/// Whether a line is the head of the statistics.
pub(super) fn is_head(line: &str) -> bool {
    line.split_whitespace()
        .eq(["Statistics", "Avg", "Stdev", "Max"])
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    // bombardier does not end its last line.
    let lines = Lines::of(content, &["/s"])?;
    lines.of_one_result("HTTP codes:", "bombardier")?;
    let mut of = counts(&lines)?.measurement();
    of.connections = connections(&lines)?;
    rate(&lines, &mut of)?;
    times(&lines, &mut of)?;
    let (line, moved) = lines.need("Throughput:")?;
    if !moved.ends_with("/s") {
        return Err(line.no("the throughput in bytes", moved));
    }
    let reported = checked("bombardier", vec![of])?;
    Ok(Reported {
        caveats: vec![
            "the text has no measured length of the run: the rate is the mean over short windows, \
             and can differ from the number of requests divided by the time"
                .to_owned(),
        ],
        ..reported
    })
}

fn counts(lines: &Lines<'_>) -> Result<Counts, Fault> {
    let (line, _) = lines.need("1xx - ")?;
    let mut parts = line.text.trim().split(", ");
    let mut part = |class: &str| {
        let number = parts
            .next()
            .and_then(|part| part.strip_prefix(class)?.strip_prefix(" - "))
            .ok_or_else(|| line.fault("is not bombardier's line of statuses"))?;
        line.count("the number of responses", number)
    };
    let [first, second, third, fourth, fifth] = CLASSES;
    let by_class = [
        part(first)?,
        part(second)?,
        part(third)?,
        part(fourth)?,
        part(fifth)?,
    ];
    let (line, number) = lines.need("others - ")?;
    let others = line.count("the number of other results", number)?;
    let ends = |line: &str| line.trim_start().starts_with("Throughput:");
    let mut errors = Vec::new();
    for line in lines.section("Errors:", ends) {
        let (what, number) = line
            .text
            .trim()
            .rsplit_once(" - ")
            .ok_or_else(|| line.fault("is not an error and its number"))?;
        errors.push((what.to_owned(), line.count("the number of errors", number)?));
    }
    Ok(Counts {
        by_class,
        others,
        errors,
    })
}

/// `Bombarding http://… for 10s using 50 connection(s)`, unless bombardier prints the result alone.
fn connections(lines: &Lines<'_>) -> Result<Option<Said<u64>>, Fault> {
    let Some((line, text)) = lines.find("Bombarding ") else {
        return Ok(None);
    };
    let number = text
        .strip_suffix(" connection(s)")
        .and_then(|text| Some(text.rsplit_once(" using ")?.1))
        .ok_or_else(|| line.fault("is not bombardier's line of connections"))?;
    line.count("the number of connections", number).map(Some)
}

/// Reads mean, deviation and maximum of the rate.
fn rate(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    if lines.find(&format!("{TOO_LITTLE} requests")).is_some() {
        return Ok(());
    }
    let (line, text) = lines.need("Reqs/sec ")?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [mean, deviation, max] = words.as_slice() else {
        return Err(line.fault("is not bombardier's line of rates"));
    };
    line.decimal("the deviation of the rate", deviation)?;
    line.decimal("the highest rate", max)?;
    of.rate = Some(line.decimal("the rate", mean)?);
    Ok(())
}

/// Reads mean and maximum of the times, and the percentiles.
fn times(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    if lines.find(&format!("{TOO_LITTLE} latencies")).is_some() {
        return Ok(());
    }
    let (line, text) = lines.need("Latency ")?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [mean, deviation, max] = words.as_slice() else {
        return Err(line.fault("is not bombardier's line of latencies"));
    };
    read_time(&line, "the deviation of the latency", deviation)?;
    of.mean = Some(line.said(read_time(&line, "the mean latency", mean)?));
    of.max = Some(line.said(read_time(&line, "the longest latency", max)?));
    let ends = |line: &str| line.trim_start().starts_with("HTTP codes:");
    for line in lines.section("Latency Distribution", ends) {
        of.percentiles.push(percentile(&line)?);
    }
    // bombardier does not print them in order.
    of.sort_percentiles();
    Ok(())
}

/// Reads a line such as `     99%     9.10ms`.
fn percentile(line: &Line<'_>) -> Result<Percentile, Fault> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [percent, latency] = words.as_slice() else {
        return Err(line.fault("is not a percentile"));
    };
    let percent = percent
        .strip_suffix('%')
        .and_then(count)
        .filter(|percent| *percent < 100)
        .ok_or_else(|| line.no("the percentile", percent))?;
    Ok(Percentile::new(
        percent as f64 / 100.0,
        line.said(read_time(line, "the latency", latency)?),
    ))
}

fn read_time(line: &Line<'_>, what: &str, text: &str) -> Result<Range, Fault> {
    let time = time(text).ok_or_else(|| line.no(what, text))?;
    Ok(truncated(time))
}
