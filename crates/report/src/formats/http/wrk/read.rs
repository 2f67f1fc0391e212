//! Reads the text that wrk and wrk2 print.

use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use crate::formats::judged::judged;
use crate::formats::readable::readable;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, time};
use crate::formats::unread;

/// Title of the latency distribution of wrk, and start of the titles of wrk2.
const DISTRIBUTION: &str = "Latency Distribution";
/// Title of wrk2's distribution of times from the intended start.
const CORRECTED: &str = "Latency Distribution (HdrHistogram - Recorded Latency)";

/// Whether a text contains wrk's first line.
pub(super) fn recognises(content: &[u8]) -> bool {
    readable(content)
        .lines()
        .any(|line| line.starts_with("Running ") && line.contains(" test @ "))
}

/// Reads the figures that wrk or wrk2 reports.
pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    // The table of autocannon begins like wrk's text.
    let text = readable(content);
    if text.contains("│ Stat ")
        && let Some(hint) = unread::hint(text)
    {
        return Err(Fault::of_the_file(hint));
    }
    let mut lines = Lines::of(without_script(content), &["B"])?;
    for line in &mut lines.0 {
        // What a terminal shows of the key that ended the run.
        line.text = line.text.strip_prefix("^C").unwrap_or(line.text);
    }
    if how_many_runs(content) > 1 {
        return Err(Fault::of_the_file(
            "holds several results of wrk; write each to a separate file",
        ));
    }
    let is_wrk2 = is_wrk2(&lines);
    let mut of = Measurement::new(REQUESTS);
    of.closed_loop = !is_wrk2;
    of.fills_in = !is_wrk2;
    of.connections = Some(connections(&lines)?);
    thread_stats(&lines, &mut of)?;
    percentiles(&lines, &mut of)?;
    totals(&lines, &mut of)?;
    failures(&lines, &mut of)?;
    let reported = checked(if is_wrk2 { "wrk2" } else { "wrk" }, vec![of])?;
    Ok(judged(reported, content))
}

/// What only lines of wrk2 start with: the title of its distribution, and what it prints when it
/// has measured for ten seconds.
const WRK2: [&str; 2] = [CORRECTED, "Thread calibration:"];

/// Whether wrk2 printed the text, or its variant whose column of the longest time is p99.
fn is_wrk2(lines: &Lines<'_>) -> bool {
    let is_known = WRK2.iter().any(|label| lines.find(label).is_some());
    is_known || has_p99(lines)
}

/// Whether the column after the deviation is p99, as in the variant of wrk2 of DeathStarBench.
fn has_p99(lines: &Lines<'_>) -> bool {
    lines
        .find("Thread Stats")
        .is_some_and(|(_, names)| names.split_whitespace().nth(2) == Some("99%"))
}

/// The text up to the last line of wrk, `Transfer/sec:`. The function `done` of a Lua script prints
/// any text behind it.
fn without_script(content: &[u8]) -> &[u8] {
    let mut lines = content.split_inclusive(|byte| *byte == b'\n');
    let mut length = 0;
    let is_last = |line: &[u8]| line.trim_ascii_start().starts_with(b"Transfer/sec:");
    let found = lines.any(|line| {
        length += line.len();
        is_last(line)
    });
    if found { &content[..length] } else { content }
}

/// Number of first lines of wrk.
fn how_many_runs(content: &[u8]) -> usize {
    let lines = content.split(|byte| *byte == b'\n');
    lines.filter(|line| recognises(line)).count()
}

fn connections(lines: &Lines<'_>) -> Result<Said<u64>, Fault> {
    let mut all = lines.0.iter();
    let line = all.find(|line| line.text.contains(" threads and "));
    let line = line.ok_or_else(|| {
        Fault::of_the_file("has no line \"threads and connections\"; it may be cut off")
    })?;
    let words: Vec<&str> = line.text.split_whitespace().collect();
    match words.as_slice() {
        [threads, "threads", "and", connections, "connections"] => {
            count(threads).ok_or_else(|| line.no("the number of threads", threads))?;
            line.count("the number of connections", connections)
        }
        _ => Err(line.fault("is not wrk's line of threads and connections")),
    }
}

/// Reads mean and longest time, unless no response arrived.
fn thread_stats(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    lines.need("Thread Stats")?;
    let section = lines.section("Thread Stats", |line| line.contains("requests in"));
    let Some((line, rest)) = section
        .iter()
        .find_map(|line| Some((line, line.after("Latency ")?)))
    else {
        return Ok(());
    };
    let words: Vec<&str> = rest.split_whitespace().collect();
    match words.as_slice() {
        // Without a response, wrk2 prints `-nan` or `nan`, and Tenbin prints `unknown`.
        [mean, ..] if mean.trim_start_matches('-').starts_with("nan") || *mean == "unknown:" => {
            Ok(())
        }
        [mean, deviation, max, share] => {
            let read = |what: &str, text: &str| time(text).ok_or_else(|| line.no(what, text));
            of.mean = Some(line.said(read("the mean latency", mean)?));
            read("the standard deviation", deviation)?;
            if has_p99(lines) {
                of.add_percentile(0.99, line.said(read("p99", max)?));
            } else {
                of.max = Some(line.said(read("the longest latency", max)?));
            }
            if share.ends_with('%') {
                Ok(())
            } else {
                Err(line.no("the share within the deviation", share))
            }
        }
        _ => Err(line.fault("is not wrk's line of latencies")),
    }
}

fn percentiles(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let ends = |line: &str| {
        line.trim().is_empty() || line.contains(" requests in ") || line.starts_with("---")
    };
    for line in lines.section(DISTRIBUTION, ends) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let [percent, latency] = words.as_slice() else {
            return Err(line.fault("is not a percentile"));
        };
        let quantile = crate::formats::reported::percent(percent)
            .ok_or_else(|| line.no("the percentile", percent))?;
        if *latency == "unknown" {
            continue;
        }
        let latency = time(latency).ok_or_else(|| line.no("the latency", latency))?;
        let quantile = (quantile.middle() * 1e7).round() / 1e7;
        if quantile >= 1.0 {
            of.max.get_or_insert_with(|| line.said(latency));
        } else if of.percentile(quantile).is_none() {
            of.add_percentile(quantile, line.said(latency));
        }
    }
    of.sort_percentiles();
    if let Some((line, rest)) = lines.0.iter().find_map(|line| {
        let rest = line.text.strip_prefix("#[Max ")?;
        Some((line, rest.rsplit_once('=')?.1))
    }) {
        let total = rest.trim().trim_end_matches(']').trim();
        of.samples = Some(count(total).ok_or_else(|| line.no("the total count", total))?);
    }
    Ok(())
}

/// Reads ` 504960 requests in 3.10s, 77.05MB read` and the rate.
fn totals(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let mut all = lines.0.iter();
    let line = all.find(|line| line.text.contains(" requests in "));
    let line =
        line.ok_or_else(|| Fault::of_the_file("has no line \"requests in\"; it may be cut off"))?;
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [requests, "requests", "in", taken, ..] = words.as_slice() else {
        return Err(line.fault("is not wrk's line of requests"));
    };
    of.ended = Some(line.count("the number of requests", requests)?);
    let taken = taken.trim_end_matches(',');
    let seconds: Range = time(taken).ok_or_else(|| line.no("the measured time", taken))?;
    of.seconds = Some(line.said(seconds));
    let (line, rate) = lines.need("Requests/sec:")?;
    if rate != "unknown" {
        of.rate = Some(line.decimal("the rate", rate)?);
    }
    lines.need("Transfer/sec:").map(|_| ())
}

fn failures(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    if let Some((line, rest)) = lines.find("Socket errors:") {
        for part in rest.split(',') {
            let (kind, number) = part.trim().rsplit_once(' ').unwrap_or((part, ""));
            let failed = failed(line, &format!("socket errors: {kind}"), number, false)?;
            of.failures.extend(failed);
        }
    }
    if let Some((line, number)) = lines.find("Non-2xx or 3xx responses:") {
        let failed = failed(line, "responses that are not 2xx or 3xx", number, true)?;
        of.failures.extend(failed);
    }
    Ok(())
}

fn failed(
    line: Line<'_>,
    what: &str,
    number: &str,
    counted: bool,
) -> Result<Option<Failed>, Fault> {
    let said = line.count("the number of failures", number)?;
    Ok((said.value > 0).then(|| Failed {
        what: what.to_owned(),
        count: said.value,
        counted,
        quote: said.quote,
    }))
}
