//! JMeter's samples as CSV. The columns are those that JMeter was told to save.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_verdict::lint::Reported;

use super::{LIST, Sample};
use crate::formats::imported::list::List;
use crate::formats::imported::requests::Requests;
use crate::formats::lines::fields;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::count;
use crate::formats::rows::{Columns, Rows};

/// Name of the first column.
const FIRST: &str = "timeStamp";

/// Separators that JMeter's manual names.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Longest row, bytes: it can have the message of an assertion.
const LONGEST: u32 = 1 << 18;

/// Digits of the milliseconds since 1970, from the year 2001 on.
const DIGITS: usize = 13;

/// Least number of columns of a file without their names.
const LEAST: usize = 12;

pub(super) fn recognises(beginning: &[u8]) -> bool {
    let first = first_line(beginning);
    separator(first).is_some() || is_nameless(first)
}

fn first_line(beginning: &[u8]) -> &str {
    readable(beginning).lines().next().unwrap_or_default()
}

/// The separator of the names in the first line.
fn separator(first: &str) -> Option<char> {
    let after = first.strip_prefix(FIRST)?.chars().next();
    let separator = after.filter(|after| SEPARATORS.contains(after))?;
    let mut names = first.split(separator);
    names.any(|name| name == "elapsed").then_some(separator)
}

/// Whether the first line is a sample: a time, a duration, and whether it was a success.
fn is_nameless(first: &str) -> bool {
    let row = fields(first, ',');
    let is_of_digits = |at: usize| row.get(at).is_some_and(|field| count(field).is_some());
    let says_success = |field: &Cow<'_, str>| field == "true" || field == "false";
    row.len() >= LEAST
        && row[0].len() == DIGITS
        && is_of_digits(0)
        && is_of_digits(1)
        && row.iter().any(says_success)
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let beginning = text.fill_buf().map_err(|error| Fault::reading(1, &error))?;
    let Some(separator) = separator(first_line(beginning)) else {
        return Err(Fault::in_line(
            1,
            "has no column names: run JMeter with \
             -Jjmeter.save.saveservice.print_field_names=true",
        ));
    };
    let mut rows = Rows::new(text, separator, LONGEST);
    let Some((_, names)) = rows.next()? else {
        return Err(Fault::of_the_file("is empty"));
    };
    let columns = Columns::of(&names, "JMeter");
    let places = Places::of(&columns)?;
    let list = List {
        has_urls: columns.find("URL").is_some(),
        has_bytes: columns.find("bytes").is_some(),
        ..LIST
    };
    let mut requests = Requests::new(list, selection)?;
    let mut failure = String::new();
    while let Some((line, mut row)) = rows.next()? {
        columns.check(line, &row)?;
        if row[places.time] == FIRST {
            return Err(Fault::in_line(
                line,
                "has the names of the columns again, as at the start of another file; put each file \
                 apart",
            ));
        }
        let sample = places.sample(&mut row);
        let request = sample.request(&mut failure);
        let request = request.map_err(|what| Fault::in_line(line, what))?;
        let added = requests.add(&request);
        added.map_err(|what| Fault::in_line(line, what))?;
    }
    requests.finish()
}

/// The index of each column that is read.
struct Places {
    time: usize,
    elapsed: usize,
    label: usize,
    success: usize,
    code: Option<usize>,
    message: Option<usize>,
    assertion: Option<usize>,
    bytes: Option<usize>,
    latency: Option<usize>,
    url: Option<usize>,
    samples: Option<usize>,
}

impl Places {
    fn of(columns: &Columns) -> Result<Self, Fault> {
        Ok(Self {
            time: columns.need(FIRST)?,
            elapsed: columns.need("elapsed")?,
            label: columns.need("label")?,
            success: columns.need("success")?,
            code: columns.find("responseCode"),
            message: columns.find("responseMessage"),
            assertion: columns.find("failureMessage"),
            bytes: columns.find("bytes"),
            latency: columns.find("Latency"),
            url: columns.find("URL"),
            samples: columns.find("SampleCount"),
        })
    }

    fn sample<'a>(&self, row: &mut [Cow<'a, str>]) -> Sample<'a> {
        let mut take = |at: usize| std::mem::take(&mut row[at]);
        let mut maybe = |at: Option<usize>| at.map(&mut take).unwrap_or_default();
        Sample {
            time: maybe(Some(self.time)),
            elapsed: maybe(Some(self.elapsed)),
            label: maybe(Some(self.label)),
            success: maybe(Some(self.success)),
            code: maybe(self.code),
            message: maybe(self.message),
            assertion: maybe(self.assertion),
            bytes: maybe(self.bytes),
            latency: maybe(self.latency),
            url: maybe(self.url),
            samples: maybe(self.samples),
        }
    }
}
