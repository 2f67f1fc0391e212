//! Reads the JSON file: one document per phase, one per line.

use serde_json::Value;
use tenbin_verdict::lint::{Range, Reported};

use super::{Done, MICRO, MILLI, Phase, labelled, of_reads, truncated};
use crate::formats::reader::Fault;
use crate::formats::reported::{Json, count};

/// Members of the settings that do not tell two phases of one name apart.
const NO_SETTINGS: [&str; 2] = ["version", "command"];

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let mut phases = Vec::new();
    for value in documents(content)? {
        phases.extend(phases_of(&Json::of(&value))?);
    }
    super::reported(phases)
}

/// One document in each line, or in the whole file if its lines are no documents.
fn documents(content: &[u8]) -> Result<Vec<Value>, Fault> {
    let lines = content.split(|byte| *byte == b'\n').zip(1..);
    let lines: Vec<(&[u8], u64)> = lines
        .filter(|(line, _)| !line.trim_ascii().is_empty())
        .collect();
    let first = lines.first().map(|(line, _)| line.trim_ascii());
    if first.is_none_or(|line| !line.ends_with(b"}")) {
        return Ok(vec![Json::parse(content, "elbencho")?]);
    }
    let parse = |(line, number): (&[u8], u64)| {
        Json::parse(line, "elbencho").map_err(|fault| Fault {
            line: Some(number),
            ..fault
        })
    };
    lines.into_iter().map(parse).collect()
}

fn phases_of(whole: &Json<'_>) -> Result<Vec<Phase>, Fault> {
    let done = whole.need("last_done")?;
    let latency = done.get("latency");
    let times = |name: &str| latency.as_ref().and_then(|latency| latency.get(name));
    let (entries, io) = (times("entries"), times("IO"));
    let mut phases = vec![phase(whole, &done, [&entries, &io])?];
    if let Some(reads) = done.get("rwmix_read") {
        let reads = phase(whole, &reads, [&of_reads_in(&entries), &of_reads_in(&io)])?;
        phases.push(Phase {
            name: of_reads(&reads.name),
            ..reads
        });
    }
    Ok(phases)
}

/// The times of the reads, beside those of the writes.
fn of_reads_in<'a>(times: &Option<Json<'a>>) -> Option<Json<'a>> {
    times.as_ref()?.get("rwmix_read")
}

fn phase(
    whole: &Json<'_>,
    done: &Json<'_>,
    [of_entries, of_io]: [&Option<Json<'_>>; 2],
) -> Result<Phase, Fault> {
    let kind = whole.need("phase_type")?;
    let name = kind.text().ok_or_else(|| kind.fault("no text"))?;
    let label = whole.get("label").and_then(|label| label.text());
    let config = whole.need("config")?;
    let settings = config.members().into_iter();
    let settings = settings.filter(|(name, _)| !NO_SETTINGS.contains(&name.as_str()));
    let settings = settings.filter_map(|(name, member)| Some((name, shown(&member)?)));
    let elapsed = whole.need("last_done")?.need("elapsed_time_ms")?;
    let rate = |name: &str| -> Result<Option<Range>, Fault> {
        Ok(maybe(done, name)?.map(|rate| truncated(rate, 1.0)))
    };
    Ok(Phase {
        name: labelled(name, label.unwrap_or_default()),
        settings: settings.collect(),
        threads: number(&config.need("threads")?)?.saturating_mul(number(&config.need("hosts")?)?),
        depth: maybe(&config, "io_depth")?.unwrap_or(1),
        seconds: truncated(number(&elapsed)?, MILLI),
        entries: Done {
            count: maybe(done, "entries")?,
            rate: rate("entries/s")?,
            times: times(of_entries)?,
        },
        io: Done {
            count: None,
            rate: rate("iops")?,
            times: times(of_io)?,
        },
        bytes: maybe(done, "bytes")?,
        quote: elapsed.quote(),
    })
}

fn times(of: &Option<Json<'_>>) -> Result<[Option<Range>; 3], Fault> {
    let Some(of) = of else {
        return Ok([None; 3]);
    };
    let time = |name: &str| -> Result<Option<Range>, Fault> {
        Ok(maybe(of, name)?.map(|micros| truncated(micros, MICRO)))
    };
    Ok([time("min_us")?, time("avg_us")?, time("max_us")?])
}

fn maybe(of: &Json<'_>, name: &str) -> Result<Option<u64>, Fault> {
    of.get(name).map(|member| number(&member)).transpose()
}

/// A number, which elbencho writes as a text.
fn number(member: &Json<'_>) -> Result<u64, Fault> {
    match member.text() {
        Some(text) => count(text).ok_or_else(|| member.fault("no number")),
        None => Ok(member.count()?.value),
    }
}

/// A setting as text; `None` for groups of settings.
fn shown(member: &Json<'_>) -> Option<String> {
    match member.text() {
        Some(text) => Some(text.to_owned()),
        None => Some(member.count().ok()?.value.to_string()),
    }
}
