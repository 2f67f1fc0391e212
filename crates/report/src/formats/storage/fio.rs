//! Reads the JSON that fio writes: reads, writes and trims of every job.

use std::collections::BTreeMap;

use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Json, checked, decimal, is_json_of};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "fio",
    about: "the JSON that fio writes with --output-format=json or json+",
    file: "fio.json",
    read: Some(Reader::new(
        |beginning| is_json_of(document(beginning), "fio"),
        Read::Figures("the JSON of fio", reported),
    )),
    ..Format::PLAIN
};

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;
/// fio writes rates with six digits after the point; before version 3, with two.
const RATE: f64 = 5e-7;
const OLD_RATE: f64 = 5e-3;
/// Largest relative difference of two numbers that are the same.
const SAME: f64 = 1e-9;

/// What jobs do, as fio calls it. `mixed` stands for all of them with unified_rw_reporting.
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];
const MIXED: &str = "mixed";

/// Times, with their length in seconds: of whole operations, and from their submission on. Before
/// version 3, fio wrote microseconds.
const TIMES: [(&str, f64); 4] = [
    ("lat_ns", 1e-9),
    ("clat_ns", 1e-9),
    ("lat", 1e-6),
    ("clat", 1e-6),
];

/// Number of bits of a value that fio's histogram keeps after the first.
const BITS: u32 = 6;

/// The document without the notes that fio writes before it.
fn document(content: &[u8]) -> &[u8] {
    let mut lines = content.split_inclusive(|byte| *byte == b'\n');
    let mut at = 0;
    let is_start = lines.any(|line| {
        let is_start = line.trim_ascii() == b"{";
        at += if is_start { 0 } else { line.len() };
        is_start
    });
    if is_start { &content[at..] } else { content }
}

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(document(content), "fio")?;
    let jobs = Json::of(&value).need("jobs")?.elements();
    let names = names(&jobs)?;
    let (mut measurements, mut caveats) = (Vec::new(), Vec::new());
    for (job, name) in jobs.iter().zip(names) {
        measurements.extend(operations(job, &name, &mut caveats)?);
    }
    let reported = checked("fio", measurements)?;
    Ok(Reported {
        caveats,
        ..reported
    })
}

/// The names of the jobs. Jobs that share a name, as those of `numjobs`, are numbered, because they
/// are no repetitions.
fn names(jobs: &[Json<'_>]) -> Result<Vec<String>, Fault> {
    let mut names: Vec<&str> = Vec::new();
    for job in jobs {
        let name = job.need("jobname")?;
        names.push(name.text().ok_or_else(|| name.fault("no text"))?);
    }
    let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &names {
        *shared.entry(name).or_default() += 1;
    }
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let numbered = names.iter().map(|name| {
        let number = numbers.entry(name).or_default();
        *number += 1;
        match shared.get(name) {
            Some(2..) => format!("{name} (job {number})"),
            _ => (*name).to_owned(),
        }
    });
    Ok(numbered.collect())
}

/// The kinds of operations that a job did.
fn operations(
    job: &Json<'_>,
    name: &str,
    caveats: &mut Vec<String>,
) -> Result<Vec<Measurement>, Fault> {
    let mut all = Vec::new();
    for direction in DIRECTIONS {
        if let Some(part) = job.get(direction) {
            all.extend(operation(&part, &format!("{name} {direction}"))?);
        }
    }
    // Beside several others, this is their sum.
    if all.len() < 2
        && let Some(part) = job.get(MIXED)
    {
        let mixed = operation(&part, name)?;
        all = mixed.map_or(all, |mixed| vec![mixed]);
    }
    if all.is_empty() {
        let quote = job.need("jobname")?.quote();
        all.push(Measurement {
            ended: Some(Said::new(0, quote)),
            ..Measurement::new(name)
        });
    }
    failures(job, &mut all, caveats)?;
    if let Some(sync) = job.get("sync")
        && let Some(number) = sync.get("total_ios")
        && number.count()?.value > 0
    {
        note(caveats, "fsync calls are left out");
    }
    Ok(all)
}

/// Reads the operations of one kind; `None` if the job did not do any.
fn operation(part: &Json<'_>, name: &str) -> Result<Option<Measurement>, Fault> {
    let ended = part.need("total_ios")?.count()?;
    if ended.value == 0 {
        return Ok(None);
    }
    let mut of = Measurement::new(name);
    // Before version 3, io_bytes counted KiB.
    let is_new = ["lat_ns", "clat_ns"]
        .iter()
        .any(|name| part.get(name).is_some());
    if is_new {
        of.bytes = Some(part.need("io_bytes")?.count()?.value);
    }
    rate(part, ended.value, is_new, &mut of)?;
    of.ended = Some(ended);
    times(part, &mut of)?;
    Ok(Some(of))
}

/// Reads the rate and the length of the run, which is 0 below a millisecond.
fn rate(part: &Json<'_>, ended: u64, is_new: bool, of: &mut Measurement) -> Result<(), Fault> {
    let runtime = part.need("runtime")?.number(1.0)?;
    let rate = part.need("iops")?.number(1.0)?;
    let millis = runtime.value.middle();
    if millis == 0.0 {
        return Ok(());
    }
    let slack = if is_new { RATE } else { OLD_RATE };
    let range = Range::around(rate.value.middle(), slack);
    let divided = ended as f64 / (millis * MILLI);
    let is_right = (range.from * (1.0 - SAME)..=range.to * (1.0 + SAME)).contains(&divided);
    if is_new && !is_right {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {}, {millis} ms and {ended} operations",
            rate.quote.text
        )));
    }
    of.seconds = Some(Said::new(
        Range::around(millis, 1.0).times(MILLI),
        runtime.quote,
    ));
    of.rate = Some(Said::new(range, rate.quote));
    Ok(())
}

/// Reads the times that have percentiles, which depend on the options; those of whole operations if
/// none has.
fn times(part: &Json<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let mut known = TIMES
        .iter()
        .filter_map(|(name, unit)| Some((part.get(name)?, *unit)));
    let with_percentiles = known
        .clone()
        .find(|(times, _)| times.get("percentile").is_some());
    let Some((times, unit)) = with_percentiles.or_else(|| known.next()) else {
        return Ok(());
    };
    if let Some(samples) = times.get("N") {
        of.samples = Some(samples.count()?.value);
        if of.samples == Some(0) {
            return Ok(());
        }
    }
    of.min = times.maybe("min", unit)?;
    of.mean = times.maybe("mean", unit)?;
    of.max = times.maybe("max", unit)?;
    for (name, member) in times
        .get("percentile")
        .map_or_else(Vec::new, |percentiles| percentiles.members())
    {
        let percent: f64 = decimal(&name)
            .and_then(|_| name.parse().ok())
            .filter(|percent| *percent <= 100.0)
            .ok_or_else(|| member.fault("under no percentile"))?;
        let quantile = (percent * 1e5).round() / 1e7;
        let value = member.count()?;
        // Before version 3, fio filled up a short list with zeros.
        if quantile > 0.0 && quantile < 1.0 {
            of.add_percentile(
                quantile,
                Said::new(bar(value.value).times(unit), value.quote),
            );
        }
    }
    of.sort_percentiles();
    Ok(())
}

/// The bar of fio's histogram whose middle this value is. The bars double in width with every power
/// of two.
fn bar(middle: u64) -> Range {
    let width = match middle.checked_ilog2().and_then(|it| it.checked_sub(BITS)) {
        Some(doubled) => 2_f64.powi(doubled as i32),
        None => 0.0,
    };
    let is_exact = width <= 1.0;
    Range::around(middle as f64, if is_exact { 0.0 } else { width / 2.0 })
}

/// Adds the errors of a job, which fio does not tell apart by kind of operation.
fn failures(
    job: &Json<'_>,
    all: &mut [Measurement],
    caveats: &mut Vec<String>,
) -> Result<(), Fault> {
    let error = job.need("error")?.count()?;
    let (count, quote) = match job.get("total_err") {
        Some(total) => {
            let total = total.count()?;
            (total.value.max(u64::from(error.value > 0)), total.quote)
        }
        None => (u64::from(error.value > 0), error.quote),
    };
    let several = all.len() > 1;
    let Some(first) = all.first_mut().filter(|_| count > 0) else {
        return Ok(());
    };
    if several {
        note(
            caveats,
            "the file does not say which operations of a job its errors belong to; they are \
             counted with the first kind",
        );
    }
    let ended = first.ended.as_ref().map_or(0, |said| said.value);
    let count = if ended > 0 { count.min(ended) } else { count };
    first.failures.push(Failed {
        what: match (error.value, count) {
            (0, 1) => "error".to_owned(),
            (0, _) => "errors".to_owned(),
            (number, 1) => format!("error, number {number} of the operating system"),
            (number, _) => format!("errors, one of them number {number} of the operating system"),
        },
        count,
        counted: ended > 0,
        quote,
    });
    Ok(())
}

/// Adds a sentence unless it is there: many jobs can be alike.
fn note(caveats: &mut Vec<String>, sentence: &str) {
    if !caveats.iter().any(|known| known == sentence) {
        caveats.push(sentence.to_owned());
    }
}
