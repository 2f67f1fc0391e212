//! Reads Gatling's `simulation.log`, which is text up to version 3.12.0 and binary since.

use std::io::BufRead;

use tenbin_result::format::plural;
use tenbin_verdict::lint::{Reported, Rounding};

use crate::formats::format::Format;
use crate::formats::imported::list::{List, Request};
use crate::formats::imported::requests::Requests;
use crate::formats::lines::Lines;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader, Selection};
use crate::formats::reported::count;

pub(in crate::formats) const LOG: Format = Format {
    name: "gatling-log",
    about: "the simulation.log of Gatling 3, as text",
    file: "simulation.log",
    read: Some(Reader::new(
        |beginning| is_text(readable(beginning)) || binary_version(beginning).is_some(),
        Read::Requests(read),
    )),
    ..Format::PLAIN
};

/// Nanoseconds in a millisecond.
const MILLI: i64 = 1_000_000;

/// Start and end are whole milliseconds.
const LIST: List = List {
    tool: "Gatling",
    rounding: Rounding {
        times: MILLI as u64,
        clock: MILLI as u64,
    },
    ..List::PLAIN
};

/// Longest line, bytes.
const LONGEST: u64 = 1 << 18;

/// Longest name of a version, bytes.
const LONGEST_VERSION: usize = 32;

/// The end of a request that never ended.
const NO_END: &str = "-9223372036854775808";

/// Whether a text begins with the line `RUN`: class, name, start, description and version. Lines of
/// assertions can precede it.
fn is_text(text: &str) -> bool {
    let mut lines = text.lines();
    let run = lines.find(|line| !line.starts_with("ASSERTION\t"));
    let fields: Vec<&str> = run.unwrap_or_default().split('\t').collect();
    let last = fields.last().copied().unwrap_or_default();
    fields.len() >= 6 && fields[0] == "RUN" && version(last).is_some()
}

/// The major and the minor number of a version such as `3.9.5`.
fn version(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.trim().split(['.', '-']);
    Some((count(numbers.next()?)?, count(numbers.next()?)?))
}

/// The version in a binary log: a byte 0, the length of the version, and the version.
fn binary_version(beginning: &[u8]) -> Option<&str> {
    let length = beginning.strip_prefix(&[0])?.first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length) as usize;
    let text = beginning.get(5..)?.get(..length.min(LONGEST_VERSION))?;
    let text = str::from_utf8(text).ok()?;
    version(text).map(|_| text)
}

fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let beginning = text.fill_buf().map_err(|error| Fault::reading(1, &error))?;
    if let Some(version) = binary_version(beginning) {
        return Err(Fault::of_the_file(format!(
            "is the binary log of Gatling {version}, which cannot be read: only Gatling up to \
             version 3.12.0 writes a text"
        )));
    }
    let mut lines = Lines::new(text, LONGEST);
    let mut requests = Requests::new(LIST, selection)?;
    let (mut first, mut errors) = (None, 0_u64);
    let mut operation = String::new();
    while let Some((number, line)) = lines.next_whole()? {
        let fault = |what: String| Fault::in_line(number, what);
        let fields: Vec<&str> = line.split('\t').collect();
        match (fields[0], first) {
            ("RUN", None) => first = Some(first_field(&fields).map_err(fault)?),
            ("RUN", Some(_)) => {
                return Err(fault(
                    "begins another run; write each log to a separate file".to_owned(),
                ));
            }
            ("REQUEST", Some(first)) => {
                let fields = fields.get(first..).unwrap_or_default();
                let request = request(fields, &mut operation).map_err(fault)?;
                let added = requests.add(&request);
                added.map_err(|what| Fault::in_line(number, what))?;
            }
            ("ERROR", _) => errors += 1,
            // A group is the sum of its requests.
            ("USER" | "GROUP", Some(_)) | ("ASSERTION" | "", _) => {}
            (other, _) => {
                return Err(fault(format!(
                    "{other:?} begins no line of Gatling; the file may be damaged"
                )));
            }
        }
    }
    let mut reported = requests.finish()?;
    if errors > 0 {
        reported.caveats.push(format!(
            "the log has {} of Gatling that belong to no request",
            plural(errors, "error")
        ));
    }
    Ok(reported)
}

/// Where the fields of a request begin. Before version 3.4, the number of the user comes first.
fn first_field(run: &[&str]) -> Result<usize, String> {
    let text = run.last().copied().unwrap_or_default();
    match version(text) {
        Some((3, 0..=3)) => Ok(2),
        Some((3, _)) => Ok(1),
        _ => Err(format!(
            "is of Gatling {text:?}, and only logs of version 3 are read"
        )),
    }
}

/// Groups, name, start, end, status, and the message of a failure.
fn request<'a>(fields: &[&'a str], operation: &'a mut String) -> Result<Request<'a>, String> {
    let ([groups, name, start, end, status] | [groups, name, start, end, status, _]) = fields
    else {
        return Err("has not the fields of a request; it may be damaged".to_owned());
    };
    let message = fields.get(5).map_or("", |message| message.trim());
    let time = |what: &str, text: &str| {
        let nanoseconds =
            count(text).and_then(|millis| i64::try_from(millis).ok()?.checked_mul(MILLI));
        nanoseconds.ok_or_else(|| format!("the {what} is {text:?}"))
    };
    let start = time("start", start)?;
    let (end, is_ended) = match *end {
        NO_END => (start, false),
        end => (time("end", end)?, true),
    };
    let took = u64::try_from(end - start).map_err(|_| "ends before it starts")?;
    let failure = match *status {
        "OK" if is_ended => None,
        "OK" | "KO" if !is_ended => Some("no response"),
        "KO" if message.is_empty() => Some("KO"),
        "KO" => Some(message),
        other => return Err(format!("the status is {other:?}")),
    };
    path(operation, groups, name);
    Ok(Request {
        operation,
        start,
        end,
        took,
        objects: 1,
        failure,
        ..Request::default()
    })
}

/// The name of a request behind the names of its groups, as in Gatling's own report.
fn path(into: &mut String, groups: &str, name: &str) {
    into.clear();
    for group in groups.split(',').filter(|group| !group.is_empty()) {
        into.push_str(group);
        into.push_str(" / ");
    }
    into.push_str(name);
}
