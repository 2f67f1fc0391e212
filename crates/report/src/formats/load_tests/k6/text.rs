//! The text at the end of a test, of versions up to 0.5x and since 1.0.

use tenbin_verdict::lint::{Quote, Range, Reported, Said};

use super::{FailedRate, Summary};
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, count, go_duration, percent, printed};

/// The section of the whole test, since version 1.0. Sections of groups and scenarios follow.
const TOTAL: &str = "█ TOTAL RESULTS";
/// What titles of sections start with.
const TITLE: &str = "█";
/// Marks of thresholds before the name of a metric.
const MARKS: [&str; 2] = ["✓ ", "✗ "];

/// A line `http_reqs......: 48450  2421.506268/s`.
pub(super) fn is_request_metric(line: &str) -> bool {
    metric(line).is_some_and(|(name, _)| name == "http_reqs")
}

/// A line such as `running (0m01.0s), 50/50 VUs, 30 complete and 0 interrupted iterations`.
pub(super) fn is_progress(line: &str) -> bool {
    line.starts_with("running (") && line.contains(" VUs, ") && line.ends_with(" iterations")
}

/// Name and values of a metric: the name is followed by points and a colon.
fn metric(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = MARKS
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line);
    let (dotted, values) = line.split_once(": ")?;
    let name = dotted.trim_end_matches('.');
    (name.len() < dotted.len()).then_some((name, values.trim()))
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let part = total(&lines)?;
    let find = |name: &str| {
        let mut all = part.iter();
        all.find_map(|line| {
            let (own, values) = metric(line.text)?;
            (own == name).then_some((*line, values))
        })
    };
    let need = |name: &str| {
        find(name).ok_or_else(|| {
            Fault::of_the_file(format!(
                "has no metric {name}, which k6 prints for HTTP; it may be cut off"
            ))
        })
    };
    let (line, values) = need("http_reqs")?;
    let (requests, rate) = values
        .split_once(char::is_whitespace)
        .ok_or_else(|| line.fault("is not a count and a rate"))?;
    let rate = rate.trim();
    let rate = match rate.strip_suffix("/s") {
        Some(rate) => line.decimal("the rate", rate)?,
        None => return Err(line.no("the rate", rate)),
    };
    let (times, duration) = need("http_req_duration")?;
    let failed = match find("http_req_failed") {
        Some((line, share)) => Some(failed(&line, share)?),
        None => None,
    };
    let clients = match find("vus") {
        Some((line, values)) => Some(clients(&line, values)?),
        None => None,
    };
    Summary {
        requests: line.count("the number of requests", requests)?,
        rate: Some(rate),
        seconds: None,
        times: statistics(&times, duration)?,
        failed,
        clients,
    }
    .reported()
}

/// The lines about the whole test.
fn total<'a>(lines: &Lines<'a>) -> Result<Vec<Line<'a>>, Fault> {
    let part = match lines.find(TOTAL) {
        Some(_) => lines.section(TOTAL, |line| line.trim_start().starts_with(TITLE)),
        None => lines.0.clone(),
    };
    let several = part
        .iter()
        .filter(|line| is_request_metric(line.text))
        .count()
        > 1;
    if several || lines.how_many(TOTAL) > 1 {
        Err(Fault::of_the_file(
            "holds several summaries of k6; write each to a separate file",
        ))
    } else {
        Ok(part)
    }
}

/// `avg=1.17ms min=264.58µs med=798.87µs max=48.17ms p(90)=2.08ms p(95)=3.06ms`.
fn statistics(line: &Line<'_>, values: &str) -> Result<Vec<(String, Said<Range>)>, Fault> {
    let mut all = Vec::new();
    for pair in values.split_whitespace() {
        let (name, text) = pair
            .split_once('=')
            .ok_or_else(|| line.no("a statistic", pair))?;
        // The number of values, which is that of the requests.
        if name == "count" {
            count(text).ok_or_else(|| line.no("the count", text))?;
            continue;
        }
        let time = truncated(text).ok_or_else(|| line.no(name, text))?;
        all.push((name.to_owned(), line.said(time)));
    }
    Ok(all)
}

/// A duration that was truncated, or rounded with `--summary-time-unit`, to two digits; from a
/// minute on to whole seconds. Trailing zeros are left out.
fn truncated(text: &str) -> Option<Range> {
    let printed = go_duration(text)?;
    // The middle of a rounded 0 is above 0.
    let value = if text.contains(|c: char| ('1'..='9').contains(&c)) {
        printed.middle()
    } else {
        0.0
    };
    let unit_at = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let step = match &text[unit_at..] {
        // k6 prints `0s` for exactly 0, and `0.00s` for what a fixed unit hides.
        _ if value == 0.0 && !text.contains('.') => 0.0,
        "ns" => 1e-9,
        "µs" | "us" => 1e-8,
        "ms" => 1e-5,
        // `1m30s` has no unit but seconds and minutes.
        "s" if text[..unit_at].contains(['m', 'h']) => 1.0,
        "s" => 1e-2,
        _ => return None,
    };
    Some(Range::around(value, step))
}

/// `0.12% ✓ 4 ✗ 3296`, where ✓ counts failures, or `6.75% 10 out of 148`.
fn failed(line: &Line<'_>, values: &str) -> Result<FailedRate, Fault> {
    let words: Vec<&str> = values.split_whitespace().collect();
    let (share, failed, of) = match words.as_slice() {
        [share, "✓", failed, "✗", rest] => {
            let sum = count(failed).zip(count(rest));
            (
                share,
                count(failed),
                sum.and_then(|(one, other)| one.checked_add(other)),
            )
        }
        [share, failed, "out", "of", of] => (share, count(failed), count(of)),
        _ => return Err(line.fault("is not a share of failures with its counts")),
    };
    let numbers = failed.zip(of).zip(percent(share));
    let ((failed, of), share) = numbers.ok_or_else(|| line.no("the share of failures", values))?;
    Ok(FailedRate {
        failed,
        of,
        share: Some(share),
        quote: line.quote(),
    })
}

/// `50 min=50 max=50`.
fn clients(line: &Line<'_>, values: &str) -> Result<(u64, u64, Quote), Fault> {
    let end = |name: &str| {
        let mut words = values.split_whitespace();
        let text = words.find_map(|word| word.strip_prefix(name));
        let number = text.and_then(printed);
        let number = number.filter(|number| number.fract() == 0.0);
        number.ok_or_else(|| line.no("the number of VUs", values))
    };
    Ok((end("min=")? as u64, end("max=")? as u64, line.quote()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_clients_can_start_at_0() {
        let lines = Lines::of(b"vus: 14 min=0 max=1198\n", &[]).unwrap();
        let (least, most, _) = clients(&lines.0[0], "14     min=0            max=1198").unwrap();
        assert_eq!((least, most), (0, 1_198));
    }

    #[test]
    fn durations_lie_within_the_last_digit() {
        for (text, from, to) in [
            ("1.17ms", 0.001_16, 0.001_18),
            ("264.58µs", 264.57e-6, 264.59e-6),
            ("193ns", 192e-9, 194e-9),
            ("3s", 2.99, 3.01),
            ("1m30s", 89.0, 91.0),
            ("0s", 0.0, 0.0),
        ] {
            let read = truncated(text).unwrap();
            let is_near = |one: f64, other: f64| (one - other).abs() < 1e-12;
            assert!(
                is_near(read.from, from) && is_near(read.to, to),
                "{text}: {read:?}"
            );
        }
        for wrong in ["", "1", "ms", "1.17xs", "-1ms"] {
            assert_eq!(truncated(wrong), None, "{wrong}");
        }
    }
}
