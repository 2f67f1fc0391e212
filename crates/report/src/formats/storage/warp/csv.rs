//! Reads warp's list of requests: `.csv.zst`, written with `--full`.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_verdict::lint::{Reported, Unit};

use crate::formats::imported::list::{List, Request};
use crate::formats::imported::requests::{NOT_ASKED_FOR, Requests};
use crate::formats::instant;
use crate::formats::lines::{Lines, fields};
use crate::formats::reader::{Fault, Selection};

/// Longer lines are no requests, bytes.
const LONGEST: u64 = 1 << 16;

const LIST: List = List {
    tool: "warp",
    unit: Unit::Objects,
    closed_loop: true,
    has_bytes: true,
    has_urls: true,
    ..List::PLAIN
};

/// Whether a file starts like warp's lists.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    beginning.starts_with(b"idx\t")
}

/// Reads a list line by line.
pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut lines = Lines::new(text, LONGEST);
    let columns = match lines.next()? {
        Some((number, line)) => Columns::of(number, &line)?,
        None => return Err(Fault::of_the_file("is empty")),
    };
    let mut requests = Requests::new(LIST, selection)?;
    let mut command_line = None;
    while let Some((number, line)) = lines.next()? {
        if let Some(comment) = line.strip_prefix('#') {
            command_line.get_or_insert_with(|| comment.trim().to_owned());
        } else if !line.is_empty() {
            let row = fields(&line, '\t');
            let added = requests.add(&columns.request(number, &row)?);
            added.map_err(|what| Fault::in_line(number, what))?;
        }
    }
    // warp writes no list without requests.
    if requests.read() == 0 {
        return Err(Fault::of_the_file(NOT_ASKED_FOR));
    }
    Ok(Reported {
        command_line,
        ..requests.finish()?
    })
}

/// The index of each field's column, which differs between versions of warp.
struct Columns {
    all: usize,
    op: usize,
    n_objects: usize,
    bytes: usize,
    endpoint: usize,
    error: usize,
    start: usize,
    end: usize,
    thread: Option<usize>,
    client: Option<usize>,
    first_byte: Option<usize>,
    duration: Option<usize>,
}

impl Columns {
    fn of(number: u64, line: &str) -> Result<Self, Fault> {
        let names = fields(line, '\t');
        let find = |name: &str| names.iter().position(|column| column == name);
        let need = |name: &str| {
            find(name).ok_or_else(|| {
                Fault::in_line(
                    number,
                    format!("has no column {name:?}, which warp's files have"),
                )
            })
        };
        Ok(Self {
            all: names.len(),
            op: need("op")?,
            n_objects: need("n_objects")?,
            bytes: need("bytes")?,
            endpoint: need("endpoint")?,
            error: need("error")?,
            start: need("start")?,
            end: need("end")?,
            thread: find("thread"),
            client: find("client_id"),
            first_byte: find("first_byte"),
            duration: find("duration_ns"),
        })
    }

    fn request<'a>(&self, line: u64, row: &'a [Cow<'_, str>]) -> Result<Request<'a>, Fault> {
        if row.len() != self.all {
            return Err(Fault::in_line(
                line,
                format!(
                    "has {} fields, not {} as the first line; it may be cut off",
                    row.len(),
                    self.all
                ),
            ));
        }
        let number = |at: usize, what: &str| {
            row[at].parse::<u64>().map_err(|_| {
                Fault::in_line(line, format!("{:?} is not a number of {what}", row[at]))
            })
        };
        let time = |at: usize| {
            instant::read(&row[at])
                .ok_or_else(|| Fault::in_line(line, format!("{:?} is not a timestamp", row[at])))
        };
        let (start, end) = (time(self.start)?, time(self.end)?);
        let between = u64::try_from(end - start)
            .map_err(|_| Fault::in_line(line, "the request ends before it starts"))?;
        let took = match self.duration {
            Some(at) => number(at, "nanoseconds")?,
            None => between,
        };
        let first_byte = match self.first_byte.filter(|&at| !row[at].is_empty()) {
            Some(at) => u64::try_from(time(at)? - start).ok(),
            None => None,
        };
        let text = |at: Option<usize>| at.map_or("", |at| &*row[at]);
        let error = &*row[self.error];
        Ok(Request {
            operation: &row[self.op],
            start,
            end,
            took,
            first_byte,
            objects: number(self.n_objects, "objects")?,
            bytes: number(self.bytes, "bytes")?,
            url: Some(&row[self.endpoint]),
            thread: Some((text(self.client), text(self.thread))),
            failure: Some(error).filter(|error| !error.is_empty()),
        })
    }
}
