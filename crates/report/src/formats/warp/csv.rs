//! Reads warp's list of requests: `.csv.zst`, written with `--full`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::BufRead;

use tenbin_verdict::lint::{Measurement, Reported, SECOND, Second};

use super::instant;
use crate::formats::imported::{Counted, histogram, record, unquoted, with_figures};
use crate::formats::lines::{Lines, fields};
use crate::formats::reader::{Fault, Selection};

/// Longer lines are no requests, bytes.
const LONGEST: u64 = 1 << 16;

/// Maximum number of distinct operations, such as `GET`; warp's files never have more.
const MOST_OPERATIONS: usize = 64;

/// Maximum number of threads counted for one operation; further threads are not counted.
const MOST_THREADS: usize = 100_000;

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
    let mut reading = Reading::new(selection);
    while let Some((number, line)) = lines.next()? {
        if let Some(comment) = line.strip_prefix('#') {
            reading.comment(comment.trim());
        } else if !line.is_empty() {
            let row = fields(&line);
            reading.add(&columns.request(number, &row)?)?;
        }
    }
    reading.finish()
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

/// One parsed line.
struct Request<'a> {
    line: u64,
    operation: &'a str,
    objects: u64,
    bytes: u64,
    endpoint: &'a str,
    error: &'a str,
    start: i64,
    end: i64,
    /// Duration of the request, nanoseconds.
    took: u64,
    /// Time to the first byte, nanoseconds.
    first_byte: Option<u64>,
    client: &'a str,
    thread: &'a str,
}

impl Columns {
    fn of(number: u64, line: &str) -> Result<Self, Fault> {
        let names = fields(line);
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
        Ok(Request {
            line,
            operation: &row[self.op],
            objects: number(self.n_objects, "objects")?,
            bytes: number(self.bytes, "bytes")?,
            endpoint: &row[self.endpoint],
            error: &row[self.error],
            start,
            end,
            took,
            first_byte,
            client: text(self.client),
            thread: text(self.thread),
        })
    }
}

struct Reading<'a> {
    selection: &'a Selection,
    operations: Vec<Listing>,
    command_line: Option<String>,
    /// Start of the first request in the file, nanoseconds since 1970.
    origin: Option<i64>,
    seen: u64,
}

/// The requests of one operation.
#[derive(Default)]
struct Listing {
    name: String,
    counted: Counted,
    /// Hashes of the thread names, which can be long.
    threads: BTreeSet<u64>,
}

impl<'a> Reading<'a> {
    fn new(selection: &'a Selection) -> Self {
        Self {
            selection,
            operations: Vec::new(),
            command_line: None,
            origin: None,
            seen: 0,
        }
    }

    fn comment(&mut self, text: &str) {
        self.command_line.get_or_insert_with(|| text.to_owned());
    }

    fn add(&mut self, request: &Request<'_>) -> Result<(), Fault> {
        if !self.takes(request) {
            return Ok(());
        }
        let listing = self.listing(request)?;
        if listing.threads.len() < MOST_THREADS {
            let mut hasher = DefaultHasher::new();
            (request.client, request.thread).hash(&mut hasher);
            listing.threads.insert(hasher.finish());
        }
        let counted = &mut listing.counted;
        counted.listed.extend((request.start, request.end));
        // A failed request never counts as throughput, whatever its size.
        if !request.error.is_empty() {
            counted.fail(request.error, 1);
            return Ok(());
        }
        let too_much = || {
            Fault::in_line(
                request.line,
                "the sum of all sizes overflows 64 bits; the file may be damaged",
            )
        };
        counted.ok += 1;
        let bytes = counted.bytes.checked_add(request.bytes);
        counted.bytes = bytes.ok_or_else(too_much)?;
        let listed = &mut counted.listed;
        let objects = listed.objects.unwrap_or(0).checked_add(request.objects);
        listed.objects = Some(objects.ok_or_else(too_much)?);
        record(&mut listed.times, request.took);
        if let Some(first_byte) = request.first_byte {
            record(&mut listed.first_byte, first_byte);
        }
        let second = request.end.div_euclid(SECOND);
        let part = Second {
            objects: request.objects as f64,
            bytes: request.bytes as f64,
        };
        if !listed.add_second(second, part) {
            return Err(Fault::in_line(
                request.line,
                "the run is longer than a million seconds; the file may be damaged",
            ));
        }
        Ok(())
    }

    /// Whether the selection includes this request.
    fn takes(&mut self, request: &Request<'_>) -> bool {
        let origin = *self.origin.get_or_insert(request.start);
        let selection = self.selection;
        let skip = i64::try_from(selection.skip.as_nanos()).unwrap_or(i64::MAX);
        let wanted = selection.wants(request.operation)
            && selection
                .host
                .as_deref()
                .is_none_or(|host| is_host(request.endpoint, host))
            && request.start - origin >= skip;
        if !wanted {
            return false;
        }
        self.seen += 1;
        let number = self.seen;
        number > selection.offset
            && selection
                .limit
                .is_none_or(|limit| number - selection.offset <= limit)
    }

    fn listing(&mut self, request: &Request<'_>) -> Result<&mut Listing, Fault> {
        let known = self
            .operations
            .iter()
            .position(|listing| listing.name == request.operation);
        let at = match known {
            Some(at) => at,
            None if self.operations.len() == MOST_OPERATIONS => {
                return Err(Fault::in_line(
                    request.line,
                    format!(
                        "names more than {MOST_OPERATIONS} operations, which warp does not have"
                    ),
                ));
            }
            None => {
                let mut listing = Listing {
                    name: request.operation.to_owned(),
                    ..Listing::default()
                };
                let listed = &mut listing.counted.listed;
                (listed.objects, listed.times) = (Some(0), Some(histogram()));
                self.operations.push(listing);
                self.operations.len() - 1
            }
        };
        Ok(&mut self.operations[at])
    }

    fn finish(self) -> Result<Reported, Fault> {
        if self.operations.is_empty() {
            return Err(Fault::of_the_file("has no request that was asked for"));
        }
        let operations = self.operations.into_iter();
        Ok(Reported {
            tool: "warp",
            command_line: self.command_line,
            measurements: operations.map(Listing::measurement).collect(),
            ..Reported::default()
        })
    }
}

impl Listing {
    fn measurement(self) -> Measurement {
        let mut of = self.counted.measurement(&self.name, true);
        of.closed_loop = true;
        of.connections = Some(unquoted(self.threads.len() as u64));
        with_figures(of)
    }
}

/// Whether an endpoint, which includes the scheme, is the wanted host.
fn is_host(endpoint: &str, wanted: &str) -> bool {
    let bare = endpoint
        .split_once("://")
        .map_or(endpoint, |(_, host)| host);
    endpoint == wanted || bare == wanted
}
