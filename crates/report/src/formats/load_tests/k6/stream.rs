//! The stream that k6 writes with `--out json`: one JSON object in each line, which defines a metric
//! or is a point of one.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use tenbin_verdict::lint::Reported;

use super::point::{DURATION, FAILED, OTHER_PROTOCOLS, Points, Tags};
use crate::formats::instant;
use crate::formats::lines::Lines;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::{is_json_of, odd_exponent};

/// Longest line, bytes.
const LONGEST: u64 = 1 << 20;

/// One line.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    metric: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(borrow)]
    data: Data<'a>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Metric,
    Point,
}

/// What a point says. The definition of a metric has other members.
#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow, default)]
    time: Cow<'a, str>,
    value: Option<f64>,
    #[serde(borrow)]
    tags: Option<Tags<'a>>,
}

/// Whether the first line is one of a stream.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let first = readable(beginning).lines().next().unwrap_or_default();
    is_json_of(first.as_bytes(), "k6 --out") && serde_json::from_str::<Envelope<'_>>(first).is_ok()
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut lines = Lines::new(text, LONGEST);
    let mut points = Points::new(selection)?;
    let marks = [DURATION, FAILED].map(|metric| format!("\"{metric}\""));
    let others = OTHER_PROTOCOLS.map(|start| format!("\"metric\":\"{start}"));
    while let Some((number, line)) = lines.next_whole()? {
        let object = line.trim();
        if !object.starts_with('{') || !object.ends_with('}') {
            return Err(Fault::in_line(
                number,
                "is no JSON object, which every line of k6 is; the file may be damaged",
            ));
        }
        // Most lines are points of other metrics, and parsing them would take most of the time.
        if marks.iter().any(|mark| line.contains(mark.as_str())) {
            add(&mut points, number, &line)?;
        } else if others.iter().any(|mark| line.contains(mark.as_str())) {
            points.note_other();
        }
    }
    points.finish()
}

fn add(points: &mut Points<'_>, number: u64, line: &str) -> Result<(), Fault> {
    let damaged = |what: &str| {
        let what = format!("is not what k6 writes: {what}; it may be damaged");
        Fault::in_line(number, what)
    };
    let envelope: Envelope<'_> = serde_json::from_str(line).map_err(|error| {
        let whole = error.to_string();
        damaged(whole.split(" at line ").next().unwrap_or_default())
    })?;
    let metric = &*envelope.metric;
    if envelope.kind == Kind::Metric || ![DURATION, FAILED].contains(&metric) {
        return Ok(());
    }
    if odd_exponent(line.as_bytes()).is_some() {
        return Err(damaged("a number has an exponent without sign"));
    }
    let data = envelope.data;
    let value = data.value.ok_or_else(|| damaged("a point has no value"))?;
    let end = instant::read(&data.time)
        .ok_or_else(|| damaged(&format!("{:?} is not a timestamp", data.time)))?;
    let tags = data.tags.unwrap_or_default();
    let added = points.add(metric, end, value, &tags);
    added.map_err(|what| Fault::in_line(number, what))
}
