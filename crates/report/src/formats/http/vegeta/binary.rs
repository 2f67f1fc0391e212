//! The list of requests that `vegeta attack` writes: a stream of gob.

use std::io::BufRead;

use tenbin_verdict::lint::{Reported, SECOND};

use super::gob::{Field, Gob, INT, STRING, UINT};
use super::hit::{Hit, Hits};
use crate::formats::reader::{Fault, Selection};

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
    let mut gob = Gob::new(text);
    let mut hits = Hits::new(selection)?;
    while let Some(fields) = gob.next("Result")? {
        let hit = hit(&mut gob, &fields)?;
        gob.finish()?;
        hits.add(&hit).map_err(|what| gob.fault(what))?;
    }
    hits.finish()
}

fn hit(gob: &mut Gob<'_>, fields: &[Field]) -> Result<Hit<'static>, Fault> {
    let mut hit = Hit::default();
    gob.each_field(|gob, at| {
        let field = fields.get(at).ok_or_else(|| gob.malformed())?;
        match (field.name.as_str(), field.type_id) {
            ("Seq", UINT) => hit.number = gob.uint()?,
            ("Code", UINT) => hit.status = gob.uint()?,
            ("Latency", INT) => hit.nanoseconds = gob.int()?,
            ("BytesIn", UINT) => hit.bytes_in = gob.uint()?,
            ("Error", STRING) => hit.error = gob.text()?.into(),
            ("URL", STRING) => hit.url = gob.text()?.into(),
            ("Timestamp", type_id) => {
                let bytes = gob.opaque(type_id)?;
                let start = time(&bytes).ok_or_else(|| gob.fault("has no time"))?;
                hit.start = Some(start);
            }
            (_, type_id) => gob.skip(type_id)?,
        }
        Ok(())
    })?;
    Ok(hit)
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
