//! The list of requests that `vegeta attack` writes: a stream of gob.

use std::io::BufRead;

use tenbin_verdict::lint::{Listed, Reported, SECOND, Second, Unit};

use super::gob::{Field, Gob, INT, STRING, UINT};
use crate::formats::imported::{Counted, histogram, record, with_figures};
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::REQUESTS;

/// Seconds from the year 1, from which Go counts, to 1970.
const YEAR_1: i64 = 62_135_596_800;

/// The definition of the type comes first. Its bytes are enough to recognise it.
const DEFINITION: usize = 512;

/// Name of the type and of a field, each with its length before it.
const MARKS: [&[u8]; 3] = [b"\x06Result", b"\x09Timestamp", b"\x07Latency"];

pub(super) fn recognises(beginning: &[u8]) -> bool {
    let definition = &beginning[..beginning.len().min(DEFINITION)];
    let has = |mark: &[u8]| definition.windows(mark.len()).any(|part| part == mark);
    MARKS.into_iter().all(has)
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    if selection.needs_requests() {
        return Err(Fault::of_the_file(
            "is a list of requests of vegeta, of which none can be selected; read the whole file",
        ));
    }
    let mut gob = Gob::new(text);
    let mut counted = Counted {
        listed: Listed {
            objects: Some(0),
            unit: Unit::Requests,
            times: Some(histogram()),
            ..Listed::default()
        },
        ..Counted::default()
    };
    let (mut last, mut count): (Option<u64>, u64) = (None, 0);
    while let Some(fields) = gob.next("Result")? {
        let request = Request::read(&mut gob, &fields)?;
        gob.finish()?;
        last = last.max(Some(request.number));
        count += 1;
        request.add_to(&mut counted, &gob)?;
    }
    match last {
        None => Err(Fault::of_the_file("has no request")),
        // vegeta numbers its requests from 0.
        Some(last) if last >= count => Err(Fault::of_the_file(format!(
            "has {count} requests, and one is number {last}: requests are missing; the file may be \
             cut off"
        ))),
        // vegeta sends at a rate. Its throughput has only responses with a status from 200 to 399.
        Some(_) => Ok(Reported {
            tool: "vegeta",
            measurements: vec![with_figures(counted.measurement(REQUESTS, false))],
            ..Reported::default()
        }),
    }
}

/// One result. A field without a value is 0 or empty.
#[derive(Default)]
struct Request {
    number: u64,
    status: u64,
    /// Nanoseconds since 1970.
    start: Option<i64>,
    nanoseconds: i64,
    bytes_in: u64,
    error: String,
}

impl Request {
    fn read(gob: &mut Gob<'_>, fields: &[Field]) -> Result<Self, Fault> {
        let mut request = Self::default();
        gob.each_field(|gob, at| {
            let field = fields.get(at).ok_or_else(|| gob.malformed())?;
            match (field.name.as_str(), field.type_id) {
                ("Seq", UINT) => request.number = gob.uint()?,
                ("Code", UINT) => request.status = gob.uint()?,
                ("Latency", INT) => request.nanoseconds = gob.int()?,
                ("BytesIn", UINT) => request.bytes_in = gob.uint()?,
                ("Error", STRING) => request.error = gob.text()?,
                ("Timestamp", type_id) => {
                    let bytes = gob.opaque(type_id)?;
                    let start = time(&bytes).ok_or_else(|| gob.fault("has no time"))?;
                    request.start = Some(start);
                }
                (_, type_id) => gob.skip(type_id)?,
            }
            Ok(())
        })?;
        Ok(request)
    }

    fn add_to(self, counted: &mut Counted, gob: &Gob<'_>) -> Result<(), Fault> {
        let start = self.start.ok_or_else(|| gob.fault("has no start"))?;
        let took = u64::try_from(self.nanoseconds).map_err(|_| gob.fault("has a time below 0"))?;
        let end = start.checked_add(self.nanoseconds);
        let end = end.ok_or_else(|| gob.fault("has no end"))?;
        counted.listed.extend((start, end));
        if !(200..400).contains(&self.status) {
            let text = match self.error.as_str() {
                "" => format!("status {}", self.status),
                error => error.to_owned(),
            };
            counted.fail(&text, 1);
            return Ok(());
        }
        let too_much =
            || gob.fault("makes the sum of bytes overflow 64 bits; the file may be damaged");
        counted.ok += 1;
        counted.bytes = counted
            .bytes
            .checked_add(self.bytes_in)
            .ok_or_else(too_much)?;
        let listed = &mut counted.listed;
        listed.objects = Some(counted.ok);
        record(&mut listed.times, took);
        let part = Second {
            objects: 1.0,
            bytes: self.bytes_in as f64,
        };
        if listed.add_second(end.div_euclid(SECOND), part) {
            Ok(())
        } else {
            Err(gob.fault("makes the run longer than a million seconds"))
        }
    }
}

/// Go's encoding of a time: a version, seconds since the year 1, nanoseconds, and the time zone.
fn time(bytes: &[u8]) -> Option<i64> {
    let (version, rest) = bytes.split_first()?;
    let is_known = matches!((version, rest.len()), (1, 14) | (2, 15));
    let (seconds, rest) = rest.split_first_chunk::<8>().filter(|_| is_known)?;
    let nanoseconds = i32::from_be_bytes(*rest.first_chunk::<4>()?);
    let seconds = i64::from_be_bytes(*seconds).checked_sub(YEAR_1)?;
    let nanoseconds = Some(nanoseconds).filter(|nanos| (0..SECOND as i32).contains(nanos))?;
    seconds
        .checked_mul(SECOND)?
        .checked_add(i64::from(nanoseconds))
}
