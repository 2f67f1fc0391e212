//! Reads the requests one by one, so that memory does not grow with their number.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_plan::sentence;
use tenbin_result::format::TIME;
use tenbin_verdict::lint::{Listed, Measurement, Reported, SECOND, Second, Unit as Counts};

use super::columns::{ColumnMap, Role, separator};
use super::outcome::{Status, is_no_error};
use super::steps::Steps;
use super::unit::{Unit, number};
use crate::formats::cells::cells;
use crate::formats::imported::requests::OTHERS;
use crate::formats::imported::{Counted, histogram, record, widen, with_figures};
use crate::formats::instant;
use crate::formats::lines::Lines;
use crate::formats::reader::Fault;
use crate::formats::reported::{REQUESTS, count};

/// Longer lines are no requests, bytes.
const LONGEST: u64 = 1 << 16;

/// Maximum number of distinct operations; the requests of further operations are counted together.
/// Each has a separate histogram.
const MOST_OPERATIONS: usize = 64;

/// Step of a clock from which on the rate of a short test is unknown, seconds.
const COARSE: f64 = 0.1;

/// Maximum length of the names of columns in an error, characters.
const MOST_NAMES: usize = 200;

/// Reads a list of requests by a map of its columns.
pub(in crate::formats) fn read(text: &mut dyn BufRead, map: &ColumnMap) -> Result<Reported, Fault> {
    let mut lines = Lines::new(text, LONGEST);
    let Some((_, first)) = lines.next()? else {
        return Err(Fault::of_the_file("is empty"));
    };
    let mut table = Table::of(first.trim_start_matches('\u{feff}'), map)?;
    let mut list = List::default();
    // A row with a quoted cell can have several lines.
    let (mut text, mut begin) = (String::new(), 0);
    while let Some((number, line)) = lines.next()? {
        if text.is_empty() {
            if line.is_empty() {
                continue;
            }
            begin = number;
        } else {
            text.push('\n');
        }
        text.push_str(&line);
        match cells(&text, table.separator) {
            Some(row) => {
                let request = table.request(begin, &row)?;
                list.add(map, &request)?;
                text.clear();
            }
            None if text.len() > LONGEST as usize => break,
            None => {}
        }
    }
    if !text.is_empty() {
        return Err(Fault::in_line(
            begin,
            "has a quote without an end; the file may be cut off",
        ));
    }
    if let Some(last) = lines.cut() {
        return Err(Fault::in_line(
            last,
            "the last line has no end; the file may be cut off",
        ));
    }
    if table.zeros > 0 && table.zeros == list.read {
        return Err(Fault::of_the_file(ALL_ZERO));
    }
    list.clock = table.starts.clock();
    list.reported(map)
}

/// The refusal of a list of which every status is 0.
const ALL_ZERO: &str = "has the status 0 in every row, which is no status of HTTP; if 0 means that \
                        the request succeeded, name the column as error=";

/// Where the columns of the map are.
struct Table {
    separator: char,
    /// Number of columns.
    all: usize,
    columns: Vec<(Role, usize)>,
    duration: Option<Unit>,
    /// Unit of the times; found from the first one if the map does not say it.
    time: Option<Unit>,
    is_time_given: bool,
    starts: Steps,
    /// Requests that failed by the status 0.
    zeros: u64,
}

/// A parsed row.
struct Request<'a> {
    line: u64,
    operation: &'a str,
    /// Nanoseconds since 1970.
    start: Option<i64>,
    /// Nanoseconds, and half of the last digit.
    took: Option<(u64, f64)>,
    /// Why the request failed.
    failure: Option<String>,
    bytes: Option<u64>,
}

impl Table {
    fn of(first: &str, map: &ColumnMap) -> Result<Self, Fault> {
        let separator = separator(first);
        let names = cells(first, separator)
            .ok_or_else(|| Fault::in_line(1, "has a quote without an end"))?;
        let mut table = Self {
            separator,
            all: names.len(),
            columns: Vec::new(),
            duration: None,
            time: None,
            is_time_given: false,
            starts: Steps::default(),
            zeros: 0,
        };
        for column in map.columns() {
            let at = names.iter().position(|name| name.trim() == column.name);
            let at = at.ok_or_else(|| no_column(&column.name, &names))?;
            table.columns.push((column.role, at));
            match column.role {
                Role::Duration => {
                    let unit = column.unit.or_else(|| Unit::of_name(&column.name));
                    table.duration = Some(unit.ok_or_else(|| no_unit(&column.name))?);
                }
                Role::Time => {
                    table.time = column.unit;
                    table.is_time_given = column.unit.is_some();
                }
                Role::Status | Role::Error | Role::Bytes | Role::Operation => {}
            }
        }
        Ok(table)
    }

    fn request<'a>(&mut self, line: u64, row: &'a [Cow<'_, str>]) -> Result<Request<'a>, Fault> {
        if row.len() != self.all {
            return Err(Fault::in_line(
                line,
                sentence!(
                    "other-cells",
                    "has {cells} cells, not {columns} as the first line; the file may be cut off",
                    cells = row.len(),
                    columns = self.all
                ),
            ));
        }
        let failure = self.failure(line, row)?;
        let operation = self.cell(Role::Operation, row).unwrap_or_default();
        Ok(Request {
            line,
            operation: if operation.is_empty() {
                REQUESTS
            } else {
                operation
            },
            start: self.start(line, row)?,
            took: match self.cell(Role::Duration, row) {
                // A failed request can have no duration.
                Some("") if failure.is_some() => None,
                _ => self.took(line, row)?,
            },
            bytes: match self.cell(Role::Bytes, row) {
                // A failed request can have no size.
                Some(cell) if failure.is_none() => Some(count(cell).ok_or_else(|| {
                    let why = sentence!("no-bytes", "{cell:?} is not a number of bytes", cell);
                    Fault::in_line(line, why)
                })?),
                _ => None,
            },
            failure,
        })
    }

    fn cell<'a>(&self, role: Role, row: &'a [Cow<'_, str>]) -> Option<&'a str> {
        let mut columns = self.columns.iter();
        let (_, at) = columns.find(|(own, _)| *own == role)?;
        row.get(*at).map(|cell| cell.trim())
    }

    fn failure(&mut self, line: u64, row: &[Cow<'_, str>]) -> Result<Option<String>, Fault> {
        let error = self.cell(Role::Error, row).unwrap_or_default();
        if !is_no_error(error) {
            return Ok(Some(error.to_owned()));
        }
        let Some(status) = self.cell(Role::Status, row) else {
            return Ok(None);
        };
        match Status::of(status) {
            Status::Right => Ok(None),
            Status::Failed(why) => Ok(Some(why)),
            Status::Zero => {
                self.zeros += 1;
                Ok(Some("responses with status 0".to_owned()))
            }
            Status::Unknown => Err(Fault::in_line(
                line,
                sentence!(
                    "no-http-status",
                    "{status:?} is not a status of HTTP; name a column with statuses from 100 to \
                     999, or a column with the errors as error=",
                    status
                ),
            )),
        }
    }

    /// The start of a request: a number since 1970, or a time such as `2026-01-30T09:00:00Z`.
    fn start(&mut self, line: u64, row: &[Cow<'_, str>]) -> Result<Option<i64>, Fault> {
        let Some(cell) = self.cell(Role::Time, row) else {
            return Ok(None);
        };
        if cell.contains(':') {
            let time = instant::read(cell).ok_or_else(|| no_date(line, cell))?;
            let digits = cell.split_once('.').map_or(0, |(_, rest)| {
                rest.bytes().take_while(u8::is_ascii_digit).count()
            });
            let digit = 10_u64.pow(9_u32.saturating_sub(digits as u32));
            self.starts.add(time, digit);
            return Ok(Some(time));
        }
        let text = self.with_point(cell);
        if !self.is_time_given {
            let unit = Unit::of_instant(&text).ok_or_else(|| no_time(line, cell))?;
            if self.time.is_some_and(|known| known != unit) {
                return Err(Fault::in_line(
                    line,
                    sentence!(
                        "other-unit",
                        "{cell:?} is a time in another unit than those above",
                        cell
                    ),
                ));
            }
            self.time = Some(unit);
        }
        let number = self.time.and_then(|unit| number(&text, unit));
        let number = number.ok_or_else(|| no_time(line, cell))?;
        let time = i64::try_from(number.nanos).map_err(|_| no_time(line, cell))?;
        self.starts.add(time, (2.0 * number.half) as u64);
        Ok(Some(time))
    }

    fn took(&self, line: u64, row: &[Cow<'_, str>]) -> Result<Option<(u64, f64)>, Fault> {
        let (Some(cell), Some(unit)) = (self.cell(Role::Duration, row), self.duration) else {
            return Ok(None);
        };
        let number = number(&self.with_point(cell), unit);
        let number = number.ok_or_else(|| {
            let why = sentence!("no-length", "{cell:?} is not a duration from 0", cell);
            Fault::in_line(line, why)
        })?;
        Ok(Some((number.nanos, number.half)))
    }

    /// A number with a decimal point: files with semicolons can have commas.
    fn with_point(&self, cell: &str) -> String {
        match self.separator {
            ';' => cell.replacen(',', ".", 1),
            _ => cell.to_owned(),
        }
    }
}

fn no_column(name: &str, names: &[Cow<'_, str>]) -> Fault {
    let names: String = names.join(", ").chars().take(MOST_NAMES).collect();
    Fault::in_line(
        1,
        sentence!(
            "no-such-column",
            "has no column {name:?}; its columns are {names}",
            name,
            names
        ),
    )
}

fn no_unit(name: &str) -> Fault {
    Fault::in_line(
        1,
        sentence!(
            "column-without-unit",
            "the name of the column {name:?} does not end with a unit; write duration_s={name}, or \
             duration_ms, duration_us or duration_ns",
            name
        ),
    )
}

fn no_time(line: u64, cell: &str) -> Fault {
    Fault::in_line(
        line,
        sentence!(
            "no-unix-time",
            "{cell:?} is not a time since 1970; for times that count from another moment, write \
             time_s=, time_ms=, time_us= or time_ns=",
            cell
        ),
    )
}

fn no_date(line: u64, cell: &str) -> Fault {
    Fault::in_line(
        line,
        sentence!(
            "no-date-with-zone",
            "{cell:?} is not a date with its zone: write it as 2026-01-30T09:00:00.123Z, or with \
             the difference to UTC as 2026-01-30T09:00:00.123+09:00",
            cell
        ),
    )
}

/// The requests by operation.
#[derive(Default)]
struct List {
    operations: Vec<Operation>,
    /// Rows that were read.
    read: u64,
    /// The step of the clock that wrote the starts, nanoseconds.
    clock: u64,
}

/// The requests of one operation.
struct Operation {
    name: String,
    counted: Counted,
    /// Half of the last digit of the most precise duration, nanoseconds.
    half: f64,
}

impl List {
    fn add(&mut self, map: &ColumnMap, request: &Request<'_>) -> Result<(), Fault> {
        self.read += 1;
        let operation = self.operation(map, request.operation);
        let counted = &mut operation.counted;
        let too_much = || {
            Fault::in_line(
                request.line,
                "is too large together with the rows above; the file may be damaged",
            )
        };
        let (took, half) = request.took.unwrap_or((0, f64::INFINITY));
        operation.half = operation.half.min(half);
        let end = match request.start {
            Some(start) => {
                let length = i64::try_from(took).map_err(|_| too_much())?;
                let end = start.checked_add(length).ok_or_else(too_much)?;
                counted.listed.extend((start, end));
                let single = counted.listed.single.get_or_insert_default();
                if request.took.is_none() && map.has(Role::Duration) {
                    single.add_start(start);
                } else {
                    single.add(start, took, request.failure.is_none());
                }
                Some(end)
            }
            None => None,
        };
        if let Some(failure) = &request.failure {
            counted.fail(failure, 1);
            return Ok(());
        }
        counted.ok += 1;
        let bytes = request.bytes.unwrap_or(0);
        counted.bytes = counted.bytes.checked_add(bytes).ok_or_else(too_much)?;
        if request.took.is_some() {
            record(&mut counted.listed.times, took);
        }
        if let Some(end) = end {
            let part = Second {
                objects: 1.0,
                bytes: bytes as f64,
            };
            if !counted.listed.add_second(end.div_euclid(SECOND), part) {
                return Err(Fault::in_line(
                    request.line,
                    "the run is longer than a million seconds; the file may be damaged",
                ));
            }
        }
        Ok(())
    }

    fn operation(&mut self, map: &ColumnMap, name: &str) -> &mut Operation {
        let find = |all: &[Operation], name: &str| all.iter().position(|of| of.name == name);
        let is_full = self.operations.len() >= MOST_OPERATIONS;
        let name = match find(&self.operations, name) {
            None if is_full => OTHERS,
            _ => name,
        };
        let at = find(&self.operations, name).unwrap_or_else(|| {
            self.operations.push(Operation::new(name, map));
            self.operations.len() - 1
        });
        &mut self.operations[at]
    }

    fn reported(mut self, map: &ColumnMap) -> Result<Reported, Fault> {
        if self.operations.is_empty() {
            self.operations.push(Operation::new(REQUESTS, map));
        }
        let mut caveats = Vec::new();
        if !map.has(Role::Time) {
            caveats
                .push("no column says when the requests started: the rate is unknown".to_owned());
        }
        if self.operations.len() > MOST_OPERATIONS {
            caveats.push(format!(
                "the column of operations has more than {MOST_OPERATIONS} different names; the \
                 requests with further names are counted together as {OTHERS}"
            ));
        }
        let step = self.clock as f64 / SECOND as f64;
        if step >= COARSE {
            caveats.push(format!(
                "the times of the list are multiples of {}, so that the rate of a short test is \
                 unknown",
                TIME.of(step)
            ));
        }
        let clock = self.clock;
        let operations = self.operations.into_iter().map(|mut own| {
            own.counted.listed.rounding.clock = clock;
            own
        });
        Ok(Reported {
            tool: "a list of requests",
            measurements: operations.map(|own| own.measurement(map)).collect(),
            caveats,
            ..Reported::default()
        })
    }
}

impl Operation {
    fn new(name: &str, map: &ColumnMap) -> Self {
        let listed = Listed {
            unit: Counts::Requests,
            times: map.has(Role::Duration).then(histogram),
            ..Listed::default()
        };
        Self {
            name: name.to_owned(),
            counted: Counted {
                listed,
                ..Counted::default()
            },
            half: f64::INFINITY,
        }
    }

    fn measurement(mut self, map: &ColumnMap) -> Measurement {
        self.counted.listed.objects = Some(self.counted.ok);
        let mut of = with_figures(self.counted.measurement(&self.name, true));
        of.omits_failures = !map.has(Role::Status) && !map.has(Role::Error);
        if !map.has(Role::Bytes) {
            of.bytes = None;
        }
        if self.half.is_finite() {
            widen(&mut of, self.half / 1e9);
        }
        of
    }
}
