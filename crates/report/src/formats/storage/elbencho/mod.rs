//! Reads the results of elbencho: the files that it writes with `--csvfile` and `--jsonfile`.

mod csv;
mod json;

use tenbin_verdict::lint::{Measurement, Quote, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{checked, is_json_of};

/// A row for each phase.
pub(in crate::formats) const CSV: Format = Format {
    name: "elbencho",
    about: "the CSV file that elbencho writes with --csvfile",
    file: "elbencho.csv",
    read: Some(Reader::new(
        |beginning| {
            let first = readable(beginning).lines().next().unwrap_or_default();
            let first = first.trim_start_matches('\u{feff}').to_lowercase();
            first.starts_with("iso date,label,path type,")
        },
        Read::Figures("the CSV of elbencho", csv::reported),
    )),
    ..Format::PLAIN
};

/// A JSON document for each phase.
pub(in crate::formats) const JSON: Format = Format {
    name: "elbencho-json",
    about: "the JSON file that elbencho writes with --jsonfile",
    file: "elbencho.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "elbencho"),
        Read::Figures("the JSON of elbencho", json::reported),
    )),
    ..Format::PLAIN
};

/// Seconds in a microsecond.
const MICRO: f64 = 1e-6;

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// What elbencho writes about one phase, when its last thread had finished.
struct Phase {
    /// Name of the phase, such as `WRITE`, with the label of the run.
    name: String,
    /// Settings of the run, with their names.
    settings: Vec<(String, String)>,
    /// Threads of all hosts.
    threads: u64,
    /// Operations that a thread has in flight.
    depth: u64,
    /// Length of the phase, seconds.
    seconds: Range,
    /// Files, directories or objects.
    entries: Done,
    /// Single reads and writes.
    io: Done,
    bytes: Option<u64>,
    quote: Quote,
}

/// Operations of one kind.
#[derive(Default)]
struct Done {
    count: Option<u64>,
    rate: Option<Range>,
    /// Shortest, mean and longest time, seconds.
    times: [Option<Range>; 3],
}

/// The range of a number whose fraction elbencho cuts off.
fn truncated(number: u64, unit: f64) -> Range {
    Range {
        from: number as f64 * unit,
        to: (number as f64 + 1.0) * unit,
    }
}

/// The measurements of the phases. Phases of one name have different settings, or repeat each other.
fn reported(mut phases: Vec<Phase>) -> Result<Reported, Fault> {
    if phases.is_empty() {
        return Err(Fault::of_the_file("has no phase; it may be cut off"));
    }
    let names: Vec<String> = (0..phases.len()).map(|at| distinct(&phases, at)).collect();
    for (phase, name) in phases.iter_mut().zip(&names) {
        phase.name.clone_from(name);
    }
    let mut measurements = Vec::new();
    for phase in phases {
        let again = names.iter().filter(|name| **name == phase.name).count();
        measurements.push(phase.measurement(again > 1));
    }
    checked("elbencho", measurements)
}

/// The name of a phase, with as many settings as tell it from all others of this name.
fn distinct(phases: &[Phase], at: usize) -> String {
    let own = &phases[at];
    let alike = phases.iter().filter(|other| other.name == own.name);
    let mut others: Vec<&Phase> = alike.collect();
    let mut name = own.name.clone();
    for setting in &own.settings {
        let before = others.len();
        others.retain(|other| other.settings.contains(setting));
        if others.len() < before {
            let (what, value) = setting;
            name += &format!(", {what} {value}");
        }
    }
    name
}

impl Phase {
    fn measurement(self, is_repetition: bool) -> Measurement {
        let is_empty = |done: &Done| done.count.is_none() && done.rate.is_none();
        // Directories and files of more than one block are entries; a phase on one large file or a
        // block device has none.
        let is_of_io = is_empty(&self.entries) && !is_empty(&self.io);
        let (done, in_flight) = if is_of_io {
            (self.io, self.threads.saturating_mul(self.depth.max(1)))
        } else {
            (self.entries, self.threads)
        };
        let quote = self.quote;
        let said = |value: Range| Said::new(value, quote.clone());
        let [min, mean, max] = done.times;
        let ended = done.count.or((!is_of_io).then_some(0));
        Measurement {
            closed_loop: true,
            connections: (in_flight > 0).then(|| Said::new(in_flight, quote.clone())),
            seconds: (self.seconds.from > 0.0).then(|| said(self.seconds)),
            rate: done.rate.map(said),
            ended: ended.map(|count| Said::new(count, quote.clone())),
            omits_failures: true,
            bytes: self.bytes,
            min: min.map(said),
            mean: mean.map(said),
            max: max.map(said),
            is_repetition,
            ..Measurement::new(&self.name)
        }
    }
}

/// The name of the reads of a phase that reads and writes at once.
fn of_reads(name: &str) -> String {
    format!("{name}, its reads")
}

/// The name of a phase with the label of its run.
fn labelled(phase: &str, label: &str) -> String {
    match label {
        "" => phase.to_owned(),
        label => format!("{phase} {label}"),
    }
}
