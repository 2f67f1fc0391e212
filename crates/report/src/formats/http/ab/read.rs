//! Reads the text that ab prints.

use tenbin_result::format::plural;
use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use crate::formats::judged::judged;
use crate::formats::readable::{is_long, readable};
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, decimal};

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// Start of an additional last line that only Tenbin prints.
const OWN_LINE: &str = "In microseconds:";

/// What ab prints first, and what it prints in place of a result when it gives up.
const BANNER: &str = "This is ApacheBench, Version ";
const GAVE_UP: &str = "\nTotal of ";

/// Whether a text contains the line `Server Software:` of ab.
pub(super) fn recognises(content: &[u8]) -> bool {
    let text = readable(content);
    let mut lines = text.lines();
    // Behind much output of -v, or without a result.
    let is_begun = || text.contains(BANNER) && (is_long(content) || text.contains(GAVE_UP));
    lines.any(|line| line.starts_with("Server Software:")) || is_begun()
}

/// Reads the figures that ab reports.
pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &["(longest request)"])?;
    lines.of_one_result("Concurrency Level:", "ab")?;
    if lines.find("Concurrency Level:").is_none()
        && let Some((line, text)) = lines.find(GAVE_UP.trim_start())
    {
        return Err(line.fault(format!(
            "ab gave up and printed no result: total of {text}; with -r it goes on after an error"
        )));
    }
    let mut of = Measurement::new(REQUESTS);
    of.closed_loop = true;
    let (line, text) = lines.need("Concurrency Level:")?;
    of.connections = Some(line.count("the concurrency", text)?);
    let (line, text) = lines.need("Time taken for tests:")?;
    let text = text.trim_end_matches("seconds").trim();
    of.seconds = Some(line.decimal("the measured time", text)?);
    let (line, text) = lines.need("Complete requests:")?;
    of.ended = Some(line.count("the number of requests", text)?);
    let other_lengths = failures(&lines, &mut of)?;
    keep_alive(&lines, &mut of)?;
    let (line, text) = lines.need("HTML transferred:")?;
    let text = text.trim_end_matches("bytes").trim();
    of.bytes = Some(line.count("the number of bytes", text)?.value);
    rate(&lines, &mut of)?;
    total_times(&lines, &mut of)?;
    percentiles(&lines, &mut of)?;
    let mut reported = checked("ab", vec![of])?;
    if other_lengths > 0 {
        reported.caveats.push(format!(
            "ab counts {} as failed because their length is not that of the first one; here they \
             are correct, as they are on a page whose length changes (ab -l does not count them)",
            plural(other_lengths, "response")
        ));
    }
    Ok(judged(reported, content))
}

/// Reads the failures, and returns the number of responses that ab counts as failed only because
/// their length is not that of the first one.
fn failures(lines: &Lines<'_>, of: &mut Measurement) -> Result<u64, Fault> {
    // Tenbin counts only correct responses as complete requests.
    let counted = lines.find(OWN_LINE).is_none();
    let (line, text) = lines.need("Failed requests:")?;
    let failed = line.count("the number of failed requests", text)?;
    let (mut unsent, mut other_lengths) = (0, 0);
    if let Some((parts, text)) = lines.find("(Connect:") {
        let text = format!("Connect: {}", text.trim_end_matches(')'));
        let mut sum = 0;
        for part in text.split(',') {
            let (name, number) = part.trim().split_once(": ").unwrap_or((part, ""));
            let number = count(number.trim()).ok_or_else(|| parts.no(name, number))?;
            sum += number;
            match name {
                // A refused connection is not a complete request.
                "Connect" => unsent += number,
                "Length" if counted => other_lengths += number,
                _ => {}
            }
        }
        if sum != failed.value {
            return Err(parts.fault(format!(
                "contradicts the number of failed requests, {}: the parts are {sum}",
                failed.value
            )));
        }
    }
    if failed.value == 0 {
        of.says_none_failed = Some(failed.quote.clone());
    }
    let complete = failed.value - unsent - other_lengths;
    for (count, counted) in [(complete, counted), (unsent, false)] {
        if count > 0 {
            of.failures.push(Failed {
                what: "failed requests".to_owned(),
                count,
                counted,
                quote: failed.quote.clone(),
            });
        }
    }
    if let Some((line, text)) = lines.find("Non-2xx responses:") {
        let others = line.count("the number of responses", text)?;
        let ended = of.ended.as_ref().map_or(0, |said| said.value);
        let count = if counted {
            others.value.min(ended.saturating_sub(complete))
        } else {
            0
        };
        if count > 0 {
            of.failures.push(Failed {
                what: "responses that are not 2xx".to_owned(),
                count,
                counted,
                quote: others.quote,
            });
        }
    }
    Ok(other_lengths)
}

/// Reads the line of requests on kept-alive connections, which ab prints only with `-k`.
fn keep_alive(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    of.keep_alive = match lines.find("Keep-Alive requests:") {
        Some((line, text)) => {
            let kept = line.count("the number of requests with keep-alive", text)?;
            Some(line.said(kept.value > 0))
        }
        None => {
            let (line, _) = lines.need("Complete requests:")?;
            Some(line.said(false))
        }
    };
    Ok(())
}

fn rate(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let (line, text) = lines.need("Requests per second:")?;
    let Some(rate) = text.split_whitespace().next().filter(|it| *it != "unknown") else {
        return Ok(());
    };
    let rate = line.decimal("the rate", rate)?;
    let (line, text) = lines.need("Time per request:")?;
    let each = text.split_whitespace().next().unwrap_or_default();
    let each = line.decimal("the time per request", each)?;
    // ab computes this time from rate and concurrency.
    let clients = |rate: f64, millis: f64| rate * millis * MILLI;
    let connections = of.connections.as_ref().map(|said| said.value as f64);
    let (low, high) = (
        clients(rate.value.from, each.value.from),
        clients(rate.value.to, each.value.to),
    );
    if connections.is_some_and(|known| known < low * 0.999 || known > high * 1.001) {
        return Err(line.fault(
            "contradicts the rate and the concurrency: rate times time is not the concurrency",
        ));
    }
    of.rate = Some(rate);
    Ok(())
}

/// Reads the row `Total:` of the connection times, in whole milliseconds.
fn total_times(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let section = lines.section("Connection Times (ms)", |line| line.trim().is_empty());
    let Some((line, text)) = section
        .iter()
        .find_map(|line| Some((line, line.after("Total:")?)))
    else {
        return Ok(());
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = |what: &str, text: &str| -> Result<Said<Range>, Fault> {
        let number = decimal(text).ok_or_else(|| line.no(what, text))?;
        Ok(line.said(number.times(MILLI)))
    };
    let mut ends = |min: &str, mean: &str, max: &str| {
        of.min = Some(read("the shortest time", min)?);
        of.mean = Some(read("the mean time", mean)?);
        of.max = Some(read("the longest time", max)?);
        Ok(())
    };
    match words.as_slice() {
        ["unknown"] => Ok(()),
        [min, mean, deviation, median, max] => {
            read("the standard deviation", deviation)?;
            read("the median", median)?;
            ends(min, mean, max)
        }
        // With `-S`.
        [min, mean, max] => ends(min, mean, max),
        _ => Err(line.fault("is not ab's line of total times")),
    }
}

fn percentiles(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let title = "Percentage of the requests served within a certain time (ms)";
    for line in lines.section(title, |line| line.trim().is_empty()) {
        let (percent, millis) = row(&line)?;
        if percent < 100 {
            of.add_percentile(percent as f64 / 100.0, line.said(millis.times(MILLI)));
        }
    }
    Ok(())
}

/// Reads a row such as ` 50% 1`; the last row ends with `(longest request)`.
fn row(line: &Line<'_>) -> Result<(u64, Range), Fault> {
    let mut words = line.text.split_whitespace();
    let percent = words.next().and_then(|word| count(word.strip_suffix('%')?));
    let millis = words.next().and_then(decimal);
    percent
        .zip(millis)
        .filter(|(percent, _)| *percent <= 100)
        .ok_or_else(|| line.fault("is not a row of percentages"))
}
