//! JMeter's samples as XML. A sample can contain samples of its parts, which are not counted: the
//! time of a sample includes the time of its parts.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_verdict::lint::Reported;

use super::tags::{Tag, Tags};
use super::{LIST, Sample};
use crate::formats::imported::list::List;
use crate::formats::imported::requests::Requests;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Selection};

/// Name of the outermost element.
const WHOLE: &str = "testResults";

/// Names of the elements with a sample.
const SAMPLES: [&str; 2] = ["httpSample", "sample"];

/// Whether the first element is that of JMeter's results.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let text = readable(beginning)
        .trim_start_matches('\u{feff}')
        .trim_start();
    let text = match text.strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or("", |(_, rest)| rest),
        None => text,
    };
    let name = text.trim_start().strip_prefix('<');
    let after = name.and_then(|name| name.strip_prefix(WHOLE));
    after.is_some_and(|after| after.starts_with([' ', '>', '/', '\n', '\r']))
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut tags = Tags::new(text);
    let list = List {
        has_urls: true,
        ..LIST
    };
    let mut requests = Requests::new(list, selection)?;
    // The open sample and its line.
    let mut open: Option<(u64, Sample<'static>)> = None;
    let (mut depth, mut is_whole) = (0_u64, false);
    while let Some((line, tag)) = tags.next()? {
        if is_whole {
            return Err(Fault::in_line(
                line,
                "follows the end of the results; write each result to a separate file",
            ));
        }
        let mut part = None;
        match tag {
            Tag::Open {
                name,
                attributes,
                has_content,
            } => {
                if depth == 1 {
                    open = Some((line, sample(line, name, attributes)?));
                }
                part = Part::of(name, depth).filter(|_| has_content);
                depth += u64::from(has_content);
            }
            Tag::Close { name } => {
                if depth == 0 || (depth == 1) != (name == WHOLE) {
                    return Err(Fault::in_line(
                        line,
                        format!("closes {name}, which is not open; the file may be damaged"),
                    ));
                }
                depth -= 1;
            }
        }
        if let (Some(part), Some((_, sample))) = (part, &mut open) {
            part.keep(sample, tags.text()?);
        }
        if depth == 1
            && let Some((line, sample)) = open.take()
        {
            add(&mut requests, line, &sample)?;
        }
        is_whole = depth == 0;
    }
    if is_whole {
        requests.finish()
    } else {
        Err(Fault::of_the_file(format!(
            "has no end of {WHOLE}; the file is cut off, or JMeter still writes it"
        )))
    }
}

/// A part of a sample whose text is kept.
#[derive(Clone, Copy)]
enum Part {
    Url,
    Assertion,
}

impl Part {
    /// The part in an element of an outer sample, or of its assertion, at this depth.
    fn of(name: &str, depth: u64) -> Option<Self> {
        match (name, depth) {
            ("java.net.URL", 2) => Some(Self::Url),
            ("failureMessage", 3) => Some(Self::Assertion),
            _ => None,
        }
    }

    fn keep(self, sample: &mut Sample<'_>, text: String) {
        match self {
            Self::Url => sample.url = text.into(),
            Self::Assertion => sample.assertion = text.into(),
        }
    }
}

fn add(requests: &mut Requests<'_>, line: u64, sample: &Sample<'_>) -> Result<(), Fault> {
    let mut failure = String::new();
    let request = sample.request(&mut failure);
    let request = request.map_err(|what| Fault::in_line(line, what))?;
    let added = requests.add(&request);
    added.map_err(|what| Fault::in_line(line, what))
}

/// The sample in the attributes of an element.
fn sample(
    line: u64,
    name: &str,
    attributes: Vec<(&str, Cow<'_, str>)>,
) -> Result<Sample<'static>, Fault> {
    if !SAMPLES.contains(&name) {
        return Err(Fault::in_line(
            line,
            format!("the element {name} is no sample of JMeter since version 2.1"),
        ));
    }
    let mut sample = Sample::default();
    for (attribute, value) in attributes {
        let field = match attribute {
            "ts" => &mut sample.time,
            "t" => &mut sample.elapsed,
            "lb" => &mut sample.label,
            "s" => &mut sample.success,
            "rc" => &mut sample.code,
            "rm" => &mut sample.message,
            "by" => &mut sample.bytes,
            "lt" => &mut sample.latency,
            "sc" => &mut sample.samples,
            _ => continue,
        };
        *field = Cow::Owned(value.into_owned());
    }
    Ok(sample)
}
