//! Reads the text that sysbench prints at the end of a run, since version 1.0.

use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Line, Lines, checked, count, decimal, time};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "sysbench",
    about: "the text that sysbench prints at the end of a run",
    file: "sysbench.txt",
    read: Some(Reader::new(
        |beginning| {
            let text = readable(beginning);
            let has = |title: &str| text.lines().any(|line| line.trim() == title);
            has(TIMES) && has("Threads fairness:")
        },
        Read::Figures("the text of sysbench", reported),
    )),
    ..Format::PLAIN
};

const TIMES: &str = "Latency (ms):";
/// Lines about a database.
const DATABASE: [&str; 3] = ["SQL statistics:", "queries performed:", "transactions:"];

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// Half the width of a bar of sysbench's histogram, relative to its time: 1,024 bars from 1 µs to
/// 100 s, each wider than the one before by the same factor.
const HALF_BAR: f64 = 0.009_05;

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    lines.of_one_result(TIMES, "sysbench")?;
    // The last line.
    lines.need("execution time (avg/stddev):")?;
    let is_database = DATABASE.iter().any(|label| lines.find(label).is_some());
    let mut measurements = if is_database {
        database(&lines)?
    } else {
        vec![events(&lines)?]
    };
    for of in &mut measurements {
        of.connections = connections(&lines)?;
        // With a rate, an event waits for its time, and its latency includes the wait.
        of.closed_loop = lines.find("Target transaction rate:").is_none();
    }
    if let Some(first) = measurements.first_mut() {
        times(&lines, first)?;
    }
    checked("sysbench", measurements)
}

/// Reads the transactions, whose times are known, and their queries.
fn database(lines: &Lines<'_>) -> Result<Vec<Measurement>, Fault> {
    let mut transactions = rated(lines, "transactions", "transactions:")?;
    let mut queries = rated(lines, "queries", "queries:")?;
    // An error ends its transaction, which sysbench begins again.
    for label in ["ignored errors:", "reconnects:"] {
        let failed = per_second(lines, label)?.0;
        transactions.add_failed(label.trim_end_matches(':'), failed, false);
    }
    // Errors are counted with the transactions.
    queries.omits_failures = true;
    let (line, total) = lines.need("total number of events:")?;
    let events = line.count("the number of events", total)?;
    let ended = transactions.ended.as_ref().map_or(0, |said| said.value);
    if events.value != ended {
        return Err(line.fault(format!(
            "contradicts the number of transactions, which is {ended}"
        )));
    }
    Ok(vec![transactions, queries])
}

fn rated(lines: &Lines<'_>, operation: &str, label: &str) -> Result<Measurement, Fault> {
    let mut of = Measurement::new(operation);
    let (ended, rate) = per_second(lines, label)?;
    of.ended = Some(ended);
    of.rate = Some(rate);
    Ok(of)
}

/// Reads a line such as `transactions:    69     (33.99 per sec.)`.
fn per_second(lines: &Lines<'_>, label: &str) -> Result<(Said<u64>, Said<Range>), Fault> {
    let (line, text) = lines.need(label)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [number, rate, "per", "sec.)"] = words.as_slice() else {
        return Err(line.fault("is not a number and a rate"));
    };
    let rate = rate.strip_prefix('(').unwrap_or(rate);
    Ok((
        line.count("the number", number)?,
        line.decimal("the rate", rate)?,
    ))
}

/// Reads the events of a test without a database. The tests of processor and memory state a rate
/// of events.
fn events(lines: &Lines<'_>) -> Result<Measurement, Fault> {
    let mut of = Measurement::new("events");
    let (line, total) = lines.need("total number of events:")?;
    of.ended = Some(line.count("the number of events", total)?);
    of.omits_failures = true;
    let is_of = |labels: [&str; 2]| labels.iter().any(|label| lines.find(label).is_some());
    if is_of(["CPU speed:", "events per second:"]) {
        let (line, rate) = lines.need("events per second:")?;
        of.rate = Some(line.decimal("the rate", rate)?);
    } else if is_of(["Running memory speed test", "Total operations:"]) {
        let (line, text) = lines.need("Total operations:")?;
        of.rate = Some(operations(&line, text)?);
    } else {
        let (line, text) = lines.need("total time:")?;
        let taken = time(text).ok_or_else(|| line.no("the length of the run", text))?;
        of.seconds = Some(line.said(taken));
    }
    Ok(of)
}

/// Reads the rate of `Total operations: 63478 (63446.98 per second)`.
fn operations(line: &Line<'_>, text: &str) -> Result<Said<Range>, Fault> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [number, rate, "per", "second)"] = words.as_slice() else {
        return Err(line.fault("is not a number and a rate"));
    };
    line.count("the number of operations", number)?;
    line.decimal("the rate", rate.strip_prefix('(').unwrap_or(rate))
}

fn connections(lines: &Lines<'_>) -> Result<Option<Said<u64>>, Fault> {
    match lines.find("Number of threads:") {
        Some((line, text)) => line.count("the number of threads", text).map(Some),
        None => Ok(None),
    }
}

/// Reads the times, unless there was no event.
fn times(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    if of.ended.as_ref().is_some_and(|ended| ended.value == 0) {
        return Ok(());
    }
    let section = Lines(lines.section(TIMES, |line| line.trim().is_empty()));
    let time = |label: &str| -> Result<Said<Range>, Fault> {
        let (line, text) = section.need(label)?;
        let millis = line.decimal(label, text)?;
        Ok(Said::new(millis.value.times(MILLI), millis.quote))
    };
    of.min = Some(time("min:")?);
    of.mean = Some(time("avg:")?);
    of.max = Some(time("max:")?);
    time("sum:")?;
    for line in &section.0 {
        if let Some((name, text)) = line.text.split_once("percentile:") {
            of.percentiles.push(percentile(line, name, text)?);
        }
    }
    Ok(())
}

/// Reads a line such as `95th percentile:   38.25`.
fn percentile(line: &Line<'_>, name: &str, text: &str) -> Result<Percentile, Fault> {
    let percent = name.trim().strip_suffix("th").and_then(count);
    let percent = percent
        .filter(|percent| (1..100).contains(percent))
        .ok_or_else(|| line.fault("is not a percentile"))?;
    let millis = decimal(text.trim()).ok_or_else(|| line.no("the percentile", text))?;
    let bar = millis.middle() * HALF_BAR;
    Ok(Percentile::new(
        percent as f64 / 100.0,
        line.said(millis.wider(bar).times(MILLI)),
    ))
}
