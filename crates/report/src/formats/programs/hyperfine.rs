//! Reads the JSON that hyperfine exports: every run of every command is a repetition.

use std::collections::BTreeMap;

use tenbin_verdict::lint::{Failed, Measurement, Quote, Range, Reported, Said, series};
use tenbin_verdict::{Measure, Series};

use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::reported::{Json, checked, is_json_of};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "hyperfine",
    about: "the JSON that hyperfine writes with --export-json",
    file: "hyperfine.json",
    read: Some(Reader {
        recognises: |beginning| is_json_of(beginning, "hyperfine"),
        read: Read::Content(|file, selection| {
            let content = whole(file, selection, "the JSON of hyperfine")?;
            let reported = reported(&content)?;
            let speeds = series(&reported).into_iter();
            // The other runs of such a command are not its median.
            let known = speeds.filter(|speeds| {
                let mut all = reported.measurements.iter();
                !all.any(|of| of.operation == speeds.workload && is_too_short(of))
            });
            let times = known.map(|speeds| Series {
                measure: Measure::Time,
                ..speeds
            });
            Ok(Content::Repetitions(times.collect()))
        }),
        reported: Some(reported),
    }),
    ..Format::PLAIN
};

/// Largest accepted relative difference of the mean from that of the times.
const MEAN: f64 = 1e-6;

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "hyperfine")?;
    let results = Json::of(&value).need("results")?.elements();
    let names = names(&results)?;
    let (mut measurements, mut caveats) = (Vec::new(), Vec::new());
    for (result, command) in results.iter().zip(&names) {
        let of_command = match result.get("times") {
            Some(times) => runs(command, result, &times)?,
            None => vec![summary(command, result)?],
        };
        let short = of_command.iter().filter(|of| is_too_short(of)).count();
        if short > 0 {
            caveats.push(format!(
                "{command}: {short} of {} times are 0 s, too short to be measured, so the speed of the \
                 command is unknown",
                of_command.len()
            ));
        }
        measurements.extend(of_command);
    }
    let reported = checked("hyperfine", measurements)?;
    Ok(Reported {
        caveats,
        ..reported
    })
}

/// Whether a run or the mean of a command took 0 s.
fn is_too_short(of: &Measurement) -> bool {
    of.mean.as_ref().is_some_and(|mean| mean.value.to <= 0.0)
}

/// The names of the results: the commands with their parameters, which `--parameter-list` varies, also
/// under one `--command-name`. Results that still share a name are numbered, because they are no
/// repetitions.
fn names(results: &[Json<'_>]) -> Result<Vec<String>, Fault> {
    let mut names: Vec<String> = Vec::new();
    for result in results {
        let command = result.need("command")?;
        let command = command.text().ok_or_else(|| command.fault("no text"))?;
        let parameters = result.get("parameters");
        let parameters = parameters.map_or_else(Vec::new, |parameters| parameters.members());
        let parameters = parameters.iter().map(|(name, value)| {
            let quote = value.quote().text;
            let other = quote.split_once(": ").map_or("", |(_, value)| value);
            format!("{name}={}", value.text().unwrap_or(other))
        });
        let parameters: Vec<String> = parameters.collect();
        names.push(if parameters.is_empty() {
            command.to_owned()
        } else {
            format!("{command} ({})", parameters.join(", "))
        });
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let numbered = names.iter().map(|name| {
        let number = numbers.entry(name).or_default();
        *number += 1;
        match counts.get(name.as_str()) {
            Some(2..) => format!("{name} (result {number})"),
            _ => name.clone(),
        }
    });
    Ok(numbered.collect())
}

/// The runs of a command, one measurement each.
fn runs(command: &str, result: &Json<'_>, times: &Json<'_>) -> Result<Vec<Measurement>, Fault> {
    let codes = result
        .get("exit_codes")
        .map_or_else(Vec::new, |codes| codes.elements());
    let mut all = Vec::new();
    for (at, time) in times.elements().iter().enumerate() {
        let time = time.number(1.0)?;
        let seconds = time.value.middle();
        let rate = Range::exactly(1.0 / seconds);
        all.push(Measurement {
            rate: (seconds > 0.0).then(|| Said::new(rate, time.quote.clone())),
            ended: Some(Said::new(1, time.quote.clone())),
            failures: codes.get(at).and_then(failed).into_iter().collect(),
            mean: Some(time.clone()),
            seconds: Some(time),
            is_repetition: true,
            ..Measurement::new(command)
        });
    }
    agreement(result, &all, codes.len())?;
    Ok(all)
}

/// Checks that the runs have the mean of the file, and one exit code each.
fn agreement(result: &Json<'_>, runs: &[Measurement], codes: usize) -> Result<(), Fault> {
    if codes != 0 && codes != runs.len() {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {} times and {codes} exit codes of a command",
            runs.len()
        )));
    }
    let times = runs.iter().filter_map(|of| of.seconds.as_ref());
    let sum: f64 = times.map(|said| said.value.middle()).sum();
    let mean = sum / runs.len().max(1) as f64;
    let said = result.need("mean")?.number(1.0)?;
    let difference = (said.value.middle() - mean).abs();
    if difference > MEAN * mean {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {}, and the mean of the times is {mean} s",
            said.quote.text
        )));
    }
    Ok(())
}

/// A run that did not end with exit code 0. A run that a signal ended has none.
fn failed(code: &Json<'_>) -> Option<Failed> {
    let (what, quote) = match code.count() {
        Ok(said) if said.value == 0 => return None,
        Ok(said) => (format!("exit code {}", said.value), said.quote),
        Err(_) => ("run without exit code".to_owned(), code.quote()),
    };
    Some(Failed {
        what,
        count: 1,
        counted: true,
        quote,
    })
}

/// The figures of a command whose single times the file lacks.
fn summary(command: &str, result: &Json<'_>) -> Result<Measurement, Fault> {
    let mut of = Measurement::new(command);
    let mean = result.need("mean")?.number(1.0)?;
    let codes = result
        .get("exit_codes")
        .map_or_else(Vec::new, |codes| codes.elements());
    of.omits_failures = codes.is_empty();
    of.failures = codes.iter().filter_map(failed).collect();
    let runs = codes.len() as u64;
    of.ended = (runs > 0).then(|| Said::new(runs, Quote::default()));
    let seconds = mean.value.middle();
    let rate = Range::exactly(1.0 / seconds);
    of.rate = (seconds > 0.0).then(|| Said::new(rate, mean.quote.clone()));
    of.mean = Some(mean);
    of.min = result.maybe("min", 1.0)?;
    of.max = result.maybe("max", 1.0)?;
    if let Some(median) = result.maybe("median", 1.0)? {
        of.add_percentile(0.5, median);
    }
    Ok(of)
}
