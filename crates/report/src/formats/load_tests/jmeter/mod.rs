//! Reads JMeter's results of single samples (JTL), as CSV and as XML.

mod csv;
mod tags;
mod xml;

use std::borrow::Cow;

use tenbin_verdict::lint::Rounding;

use crate::formats::format::Format;
use crate::formats::imported::list::{List, Request};
use crate::formats::reader::{Read, Reader};
use crate::formats::reported::count;

/// What JMeter writes with `-l`.
pub(in crate::formats) const CSV: Format = Format {
    name: "jmeter-csv",
    about: "the samples that JMeter writes as CSV (.jtl)",
    file: "jmeter.csv",
    read: Some(Reader::new(csv::recognises, Read::Requests(csv::read))),
    ..Format::PLAIN
};

/// What JMeter writes with `output_format=xml`.
pub(in crate::formats) const XML: Format = Format {
    name: "jmeter-xml",
    about: "the samples that JMeter writes as XML (.jtl)",
    file: "jmeter.xml",
    read: Some(Reader::new(xml::recognises, Read::Requests(xml::read))),
    ..Format::PLAIN
};

/// Nanoseconds in a millisecond.
const MILLI: u64 = 1_000_000;

/// Times are whole milliseconds.
const LIST: List = List {
    tool: "JMeter",
    rounding: Rounding {
        times: MILLI,
        clock: MILLI,
    },
    has_bytes: true,
    ..List::PLAIN
};

/// Start of the message of a transaction, which is the sum of other samples.
const TRANSACTION: &str = "Number of samples in transaction";

/// One sample, with the texts of its fields. A missing field is empty.
#[derive(Default)]
struct Sample<'a> {
    /// Milliseconds since 1970. JMeter's own properties let this be the start.
    time: Cow<'a, str>,
    elapsed: Cow<'a, str>,
    label: Cow<'a, str>,
    /// `true` or `false`.
    success: Cow<'a, str>,
    code: Cow<'a, str>,
    message: Cow<'a, str>,
    /// Message of the assertion that failed.
    assertion: Cow<'a, str>,
    bytes: Cow<'a, str>,
    latency: Cow<'a, str>,
    url: Cow<'a, str>,
    /// Number of samples in the row.
    samples: Cow<'a, str>,
}

impl Sample<'_> {
    /// The sample as a request. The error is a clause about the sample.
    fn request<'a>(&'a self, failure: &'a mut String) -> Result<Request<'a>, String> {
        let number =
            |what: &str, text: &str| count(text).ok_or_else(|| format!("the {what} is {text:?}"));
        let or_0 = |what: &str, text: &str| match text {
            "" => Ok(0),
            text => number(what, text),
        };
        let nanoseconds = |what: &str, text: &str| {
            let known = number(what, text)?.checked_mul(MILLI);
            known
                .and_then(|known| i64::try_from(known).ok())
                .ok_or_else(|| format!("the {what} is {text:?}"))
        };
        if count(&self.time).is_none() {
            return Err(format!(
                "the time {:?} is not in milliseconds since 1970: run JMeter with \
                 -Jjmeter.save.saveservice.timestamp_format=ms",
                self.time
            ));
        }
        if !matches!(&*self.samples, "" | "1") {
            return Err(format!(
                "is the sum of {} samples, and sums are not read",
                self.samples
            ));
        }
        let start = nanoseconds("time", &self.time)?;
        let took = nanoseconds("elapsed time", &self.elapsed)?;
        let end = start.checked_add(took).ok_or("has no end")?;
        let latency = or_0("latency", &self.latency)?;
        let first_byte = latency
            .checked_mul(MILLI)
            .filter(|it| (1..=took as u64).contains(it));
        let failed = self.has_failed()?;
        if failed {
            self.describe(failure);
        }
        Ok(Request {
            operation: &self.label,
            start,
            end,
            took: took as u64,
            first_byte,
            objects: 1,
            bytes: or_0("number of bytes", &self.bytes)?,
            url: Some(&self.url),
            failure: failed.then_some(failure.as_str()),
            ..Request::default()
        })
    }

    fn has_failed(&self) -> Result<bool, String> {
        match &*self.success {
            "true" => Ok(false),
            "false" => Ok(true),
            other => Err(format!("the success is {other:?}")),
        }
    }

    /// Why the sample failed: its assertion if the response was correct otherwise.
    fn describe(&self, text: &mut String) {
        text.clear();
        let is_ok = self.code.starts_with(['2', '3']);
        let parts: &[&str] = match &*self.assertion {
            _ if self.message.starts_with(TRANSACTION) => &[&self.message],
            "" if is_ok => &["failed assertion"],
            assertion if is_ok => &[assertion],
            _ => &[&self.code, &self.message],
        };
        for part in parts.iter().filter(|part| !part.is_empty()) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(part);
        }
        if text.is_empty() {
            text.push_str("failed");
        }
    }
}
