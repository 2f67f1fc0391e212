//! Reads the text that warp prints, and Tenbin's output in the same format. The text contains rates
//! and times, but no number of requests.

use tenbin_verdict::lint::{Failed, Measurement, Percentile, Range, Reported, Said};

use crate::formats::judged::judged;
use crate::formats::readable::readable;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, checked, count, time, with_unit};

/// Start of an operation's first line; the second form occurs with `--full` and in Tenbin's output.
const TITLES: [&str; 2] = ["Report: ", "Operation: "];

/// Whether a text contains the first line of an operation.
pub(super) fn recognises(content: &[u8]) -> bool {
    let mut lines = readable(content).lines();
    lines.any(|line| title(line).is_some())
}

/// Parses `Report: GET. Concurrency: 8. Ran: 7s`.
fn title(line: &str) -> Option<(&str, &str)> {
    let rest = TITLES.iter().find_map(|title| line.strip_prefix(title))?;
    rest.split_once(". Concurrency: ")
}

/// Reads the figures by operation. The total of a mix does not count as an operation.
pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut measurements: Vec<Measurement> = Vec::new();
    let mut current: Option<Measurement> = None;
    for line in &lines.0 {
        if let Some((name, rest)) = title(line.text) {
            measurements.extend(current.take());
            if name != "Total" {
                current = Some(begun(line, name, rest)?);
            }
        } else if let Some(of) = &mut current {
            add(of, line)?;
        }
    }
    measurements.extend(current);
    // An operation with too few requests has a title but no figures.
    measurements.retain(|of| of.rate.is_some());
    if measurements.is_empty() {
        return Err(Fault::of_the_file(
            "has no operation with figures; it may be cut off",
        ));
    }
    Ok(judged(checked("warp", measurements)?, content))
}

fn begun(line: &Line<'_>, name: &str, rest: &str) -> Result<Measurement, Fault> {
    let mut of = Measurement::new(name);
    of.closed_loop = true;
    let (concurrency, ran) = rest.split_once(". Ran: ").unwrap_or((rest, ""));
    let concurrency = count(concurrency).ok_or_else(|| line.no("the concurrency", concurrency))?;
    of.connections = (concurrency > 0).then(|| line.said(concurrency));
    if !ran.is_empty() {
        let seconds = time(ran).ok_or_else(|| line.no("the time", ran))?;
        of.seconds = Some(line.said(seconds));
    }
    Ok(of)
}

fn add(of: &mut Measurement, line: &Line<'_>) -> Result<(), Fault> {
    let Some(item) = line.text.trim_start().strip_prefix("* ") else {
        return Ok(());
    };
    if let Some(average) = item.strip_prefix("Average: ") {
        let objects = average.rsplit(", ").next().unwrap_or(average);
        if objects != "unknown" {
            let rate = with_unit(objects, &[("obj/s", 1.0), ("req/s", 1.0)]);
            let rate = rate.ok_or_else(|| line.no("the average rate", objects))?;
            of.rate.get_or_insert(line.said(rate));
        }
    } else if let Some(times) = item
        .strip_prefix("Reqs: ")
        .or(item.strip_prefix("Latency: "))
    {
        for part in times.split(", ") {
            let (name, value) = part.split_once(": ").unwrap_or((part, ""));
            figure(of, line, name, value)?;
        }
        of.percentiles
            .sort_by(|one, other| one.quantile.total_cmp(&other.quantile));
    } else if let Some(errors) = item.strip_prefix("Errors: ") {
        let errors = line.count("the number of errors", errors)?;
        if errors.value > 0 {
            of.failures.push(Failed {
                what: "failed requests".to_owned(),
                count: errors.value,
                counted: false,
                quote: errors.quote,
            });
        }
    }
    Ok(())
}

fn figure(of: &mut Measurement, line: &Line<'_>, name: &str, value: &str) -> Result<(), Fault> {
    // Tenbin's output for a percentile that is only bounded or unknown.
    if value.starts_with("between ") || value == "unknown" || name == "unknown" {
        return Ok(());
    }
    let range = time(value).ok_or_else(|| line.no(name, value))?;
    let said: Said<Range> = line.said(range);
    match name {
        "Avg" | "avg" => of.mean = Some(said),
        "Fastest" | "min" => of.min = Some(said),
        "Slowest" | "max" => of.max = Some(said),
        "50%" | "median" => push(of, 0.5, said),
        "90%" | "p90" => push(of, 0.9, said),
        "99%" | "p99" => push(of, 0.99, said),
        "StdDev" => {}
        _ => return Err(line.no("a figure of times", name)),
    }
    Ok(())
}

fn push(of: &mut Measurement, quantile: f64, said: Said<Range>) {
    of.percentiles.push(Percentile {
        quantile,
        time: said.value,
        quote: said.quote,
    });
}
