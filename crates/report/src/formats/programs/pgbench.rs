//! Reads the text that pgbench prints at the end of a run.

use std::collections::BTreeMap;

use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Line, Lines, checked, count, decimal};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "pgbench",
    about: "the text that pgbench prints at the end of a run",
    file: "pgbench.txt",
    read: Some(Reader::new(
        |beginning| {
            let text = readable(beginning);
            let has = |label: &str| text.lines().any(|line| line.starts_with(label));
            has(TYPE) && has(CLIENTS)
        },
        Read::Figures("the text of pgbench", reported),
    )),
    ..Format::PLAIN
};

const TYPE: &str = "transaction type: ";
const CLIENTS: &str = "number of clients: ";
const PROCESSED: &str = "number of transactions actually processed: ";
const FAILED: &str = "number of failed transactions: ";
const RATE: &str = "tps = ";
/// The last line of a run in which a client was aborted.
const INCOMPLETE: &str = "Run was aborted; the above results are incomplete";
/// The type of the transactions of several scripts.
const SEVERAL: &str = "multiple scripts";
/// First words of the part about a script.
const SCRIPT: &str = "SQL script ";
/// What lines of such a part start with.
const OF_SCRIPT: &str = " - ";

/// Kinds of failures, printed with --failures-detailed.
const KINDS: [&str; 3] = [
    "serialization failures", "deadlock failures", "other failures",
];

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    lines.of_one_result(TYPE, "pgbench")?;
    let (total, scripts) = parts(&lines);
    let (line, kind) = total.need(TYPE)?;
    if kind.is_empty() {
        return Err(line.no("the type of the transactions", kind));
    }
    let mut caveats = Vec::new();
    let whole = run(&total, kind, &mut caveats)?;
    let measurements = if !scripts.is_empty() {
        of_scripts(&scripts, &whole)?
    } else if kind == SEVERAL && whole.rate.is_some() {
        return Err(line.fault(format!(
            "{SEVERAL:?} have no section for each script; the file may be cut off"
        )));
    } else {
        vec![whole]
    };
    let reported = checked("pgbench", measurements)?;
    let aborted = lines.0.iter().filter(|line| is_abortion(line.text));
    Ok(Reported {
        caveats,
        aborted: aborted.map(Line::quote).collect(),
        ..reported
    })
}

/// Whether pgbench says in this line that a client or the run ended before its time: `client 1 aborted
/// in command 4`.
fn is_abortion(line: &str) -> bool {
    let of_client = || {
        let (_, rest) = line.split_once("client ")?;
        let (number, rest) = rest.split_once(' ')?;
        Some(count(number).is_some() && rest.contains("aborted"))
    };
    line.contains(INCOMPLETE) || of_client().unwrap_or(false)
}

/// Splits the text into the part about the whole run and those about its scripts.
fn parts<'a>(lines: &Lines<'a>) -> (Lines<'a>, Vec<Lines<'a>>) {
    let is_start = |line: &Line<'_>| line.text.starts_with(SCRIPT);
    let all = &lines.0;
    let starts: Vec<usize> = (0..all.len()).filter(|at| is_start(&all[*at])).collect();
    let first = starts.first().copied().unwrap_or(all.len());
    let ends = starts.iter().skip(1).copied().chain([all.len()]);
    let scripts = starts.iter().zip(ends);
    (
        Lines(all[..first].to_vec()),
        scripts
            .map(|(start, end)| Lines(all[*start..end].to_vec()))
            .collect(),
    )
}

/// Reads the figures of the whole run.
fn run(lines: &Lines<'_>, kind: &str, caveats: &mut Vec<String>) -> Result<Measurement, Fault> {
    let mut of = Measurement::new(kind);
    // With a rate, a transaction waits for its time, and its latency counts from that time.
    of.closed_loop = lines.find("rate limit schedule lag:").is_none();
    let (line, clients) = lines.need(CLIENTS)?;
    of.connections = Some(line.count("the number of clients", clients)?);
    let (line, processed) = lines.need(PROCESSED)?;
    let (ended, planned) = match processed.split_once('/') {
        Some((ended, planned)) => (ended, Some(planned)),
        None => (processed, None),
    };
    let ended = line.count("the number of transactions", ended)?;
    let is_empty = ended.value == 0 && lines.find(RATE).is_none();
    of.ended = Some(ended.clone());
    failures(lines, "", &mut of)?;
    if let Some(planned) = planned {
        let planned = line.count("the number of planned transactions", planned)?;
        if planned.value > ended.value.saturating_add(of.failed()) {
            caveats.push(format!(
                "pgbench processed {} of {} planned transactions, because clients stopped early",
                ended.value, planned.value
            ));
        }
    }
    // pgbench ends its text here if no transaction was tried.
    if is_empty {
        return Ok(of);
    }
    of.rate = Some(rate(lines)?);
    let mean = latency(lines, "")?;
    of.mean =
        Some(mean.ok_or_else(|| {
            Fault::of_the_file("has no line \"latency average\"; it may be cut off")
        })?);
    if deviation(lines, "")?.is_none() {
        caveats.push(
            "pgbench did not measure the latency: its mean is the length of the run times the \
             number of clients, divided by the number of transactions"
                .to_owned(),
        );
    }
    Ok(of)
}

/// Reads the transactions per second: without the time to connect, if pgbench prints both.
fn rate(lines: &Lines<'_>) -> Result<Said<Range>, Fault> {
    let is_with = |line: &Line<'_>| line.text.contains("including connections establishing");
    let mut all = lines.0.iter();
    let line = all.find(|line| line.after(RATE).is_some() && !is_with(line));
    let line = line.ok_or_else(|| {
        Fault::of_the_file(format!("has no last line {RATE:?}; it may be cut off"))
    })?;
    let text = line.after(RATE).unwrap_or_default();
    let (number, how) = text.split_once(" (").unwrap_or((text, ""));
    if !how.ends_with(')') {
        return Err(line.no("the rate", text));
    }
    line.decimal("the rate", number)
}

/// Reads the mean latency, which old versions print with a colon.
fn latency(lines: &Lines<'_>, start: &str) -> Result<Option<Said<Range>>, Fault> {
    let labels = [" = ", ": "].map(|sign| format!("{start}latency average{sign}"));
    milliseconds(lines, &labels)
}

fn deviation(lines: &Lines<'_>, start: &str) -> Result<Option<Said<Range>>, Fault> {
    let labels = [" = ", ": "].map(|sign| format!("{start}latency stddev{sign}"));
    milliseconds(lines, &labels)
}

fn milliseconds(lines: &Lines<'_>, labels: &[String]) -> Result<Option<Said<Range>>, Fault> {
    let found = labels
        .iter()
        .find_map(|label| lines.find(label.trim_start()));
    let Some((line, text)) = found else {
        return Ok(None);
    };
    let text = text
        .strip_suffix("(including failures)")
        .unwrap_or(text)
        .trim();
    let time = text.strip_suffix(" ms").and_then(decimal);
    let time = time.ok_or_else(|| line.no("the latency", text))?;
    Ok(Some(line.said(time.times(MILLI))))
}

/// Reads the failed and the skipped transactions, which the numbers of transactions leave out.
/// Versions before 15 stop a client whose transaction fails, and print no number.
fn failures(lines: &Lines<'_>, start: &str, of: &mut Measurement) -> Result<(), Fault> {
    let start = start.trim_start();
    let skipped = format!("{start}number of transactions skipped: ");
    if let Some(skipped) = number(lines, &skipped)? {
        fail(of, "skipped transactions", skipped);
    }
    let Some(failed) = number(lines, &format!("{start}{FAILED}"))? else {
        of.omits_failures = true;
        return Ok(());
    };
    let mut by_kind = Vec::new();
    for kind in KINDS {
        if let Some(said) = number(lines, &format!("{start}number of {kind}: "))? {
            by_kind.push((kind, said));
        }
    }
    let sum = by_kind
        .iter()
        .fold(0_u64, |sum, (_, said)| sum.saturating_add(said.value));
    if by_kind.is_empty() {
        fail(of, "failed transactions", failed);
    } else if sum == failed.value {
        for (kind, said) in by_kind {
            fail(of, kind, said);
        }
    } else {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {:?}, and {sum} by kind of failure",
            failed.quote.text
        )));
    }
    Ok(())
}

/// Reads a number and its share, such as `12 (0.120%)`; versions before 15 have `12 (0.120 %)`.
fn number(lines: &Lines<'_>, label: &str) -> Result<Option<Said<u64>>, Fault> {
    let Some((line, text)) = lines.find(label) else {
        return Ok(None);
    };
    let parts = text.split_once(" (").and_then(|(number, share)| {
        let share = share.strip_suffix("%)")?;
        decimal(share.strip_suffix(' ').unwrap_or(share))?;
        Some(number)
    });
    let number = parts.ok_or_else(|| line.fault("is not a number and its share"))?;
    line.count("the number of transactions", number).map(Some)
}

fn fail(of: &mut Measurement, what: &str, said: Said<u64>) {
    of.add_failed(what, said, false);
}

/// Reads the figures of each script. Together, the scripts have all transactions of the run.
fn of_scripts(scripts: &[Lines<'_>], whole: &Measurement) -> Result<Vec<Measurement>, Fault> {
    let mut all: Vec<Measurement> = Vec::new();
    for lines in scripts {
        all.push(script(lines, whole)?);
    }
    let mut shared: BTreeMap<String, usize> = BTreeMap::new();
    for of in &all {
        *shared.entry(of.operation.clone()).or_default() += 1;
    }
    for (of, number) in all.iter_mut().zip(1..) {
        // The same script given twice is no repetition.
        if shared.get(&of.operation).is_some_and(|times| *times > 1) {
            of.operation = format!("{} (script {number})", of.operation);
        }
    }
    let ended = |of: &Measurement| of.ended.as_ref().map_or(0, |said| said.value);
    let sum = all
        .iter()
        .fold(0_u64, |sum, of| sum.saturating_add(ended(of)));
    if sum != ended(whole) {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: the scripts have {sum} transactions and the run has {}; it may be \
             cut off",
            ended(whole)
        )));
    }
    Ok(all)
}

fn script(lines: &Lines<'_>, whole: &Measurement) -> Result<Measurement, Fault> {
    let (line, text) = lines.need(SCRIPT)?;
    let name = text
        .split_once(": ")
        .filter(|(number, name)| number.parse::<u32>().is_ok() && !name.is_empty())
        .ok_or_else(|| line.fault("is not the number and the name of a script"))?;
    let mut of = Measurement::new(name.1);
    of.closed_loop = whole.closed_loop;
    of.connections.clone_from(&whole.connections);
    let mut all = lines.0.iter();
    let line = all
        .find(|line| line.text.starts_with(OF_SCRIPT) && line.text.contains(" transactions ("))
        .ok_or_else(|| line.fault("is followed by no number of transactions"))?;
    // Since version 19, the number of this line includes failures.
    let processed = lines.find(&format!("- {PROCESSED}"));
    let (line, text) = match processed {
        Some(processed) => processed,
        None => (*line, line.after("- ").unwrap_or_default()),
    };
    let number = text.split_whitespace().next().unwrap_or_default();
    of.ended = Some(line.count("the number of transactions", number)?);
    if let Some((_, rate)) = text.rsplit_once("tps = ") {
        let rate = rate
            .strip_suffix(')')
            .ok_or_else(|| line.no("the rate", rate))?;
        of.rate = Some(line.decimal("the rate", rate)?);
    } else if !text.ends_with("of total)") {
        return Err(line.fault("is not a number of transactions and its share"));
    }
    failures(lines, OF_SCRIPT, &mut of)?;
    of.mean = latency(lines, OF_SCRIPT)?;
    Ok(of)
}
