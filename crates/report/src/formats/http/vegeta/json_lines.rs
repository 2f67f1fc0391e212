//! The list of requests that `vegeta encode` writes as JSON: one object in each line.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use tenbin_verdict::lint::Reported;

use super::csv::LONGEST;
use super::hit::{Hit, Hits};
use crate::formats::instant;
use crate::formats::lines::Lines;
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::is_json_of;

/// The members that are read. Body and headers are passed over.
#[derive(Deserialize)]
struct Encoded<'a> {
    seq: u64,
    code: u16,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    latency: i64,
    bytes_in: u64,
    #[serde(borrow)]
    error: Cow<'a, str>,
    #[serde(borrow, default)]
    url: Cow<'a, str>,
}

/// Whether the first line is a request. The body, of which the beginning can have a part, comes
/// after the members that are looked for.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let first = beginning.split(|byte| *byte == b'\n').next();
    is_json_of(first.unwrap_or_default(), "vegeta encode")
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut lines = Lines::new(text, u64::from(LONGEST));
    let mut hits = Hits::new(selection)?;
    while let Some((number, line)) = lines.next_whole()? {
        if line.is_empty() {
            continue;
        }
        let added = hits.add(&hit(number, &line)?);
        added.map_err(|what| Fault::in_line(number, what))?;
    }
    hits.finish()
}

fn hit(number: u64, line: &str) -> Result<Hit<'_>, Fault> {
    let encoded: Encoded<'_> = serde_json::from_str(line).map_err(|error| {
        let whole = error.to_string();
        let what = whole.split(" at line ").next().unwrap_or_default();
        Fault::in_line(
            number,
            format!("is not what vegeta writes: {what}; it may be damaged"),
        )
    })?;
    let start = instant::read(&encoded.timestamp).ok_or_else(|| {
        let what = format!("{:?} is not a timestamp", encoded.timestamp);
        Fault::in_line(number, what)
    })?;
    Ok(Hit {
        number: encoded.seq,
        status: u64::from(encoded.code),
        start: Some(start),
        nanoseconds: encoded.latency,
        bytes_in: encoded.bytes_in,
        error: encoded.error,
        url: encoded.url,
    })
}
