//! The list of requests that `vegeta encode -to csv` writes: no header, and columns of fixed
//! meaning. Fields can contain line breaks.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_verdict::lint::Reported;

use super::hit::{Hit, Hits};
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::count;
use crate::formats::rows::Rows;

/// Longest row, bytes: it has the body of the response.
pub(super) const LONGEST: u32 = 1 << 26;

/// Digits of the nanoseconds since 1970, from the year 2001 on.
const DIGITS: usize = 19;

/// Number of columns of older versions, without method, URL and headers, and of newer ones.
const COLUMNS: [usize; 2] = [9, 12];

/// Whether the first fields of a file are a time in nanoseconds, a status, and three counts.
pub(super) fn recognises(beginning: &[u8]) -> bool {
    let first = beginning.split(|byte| *byte == b'\n').next();
    let mut fields = first.unwrap_or_default().split(|byte| *byte == b',');
    let mut is_of_digits = |lengths: &[usize]| {
        fields.next().is_some_and(|field| {
            field.iter().all(u8::is_ascii_digit)
                && (lengths.is_empty() || lengths.contains(&field.len()))
                && !field.is_empty()
        })
    };
    let starts = is_of_digits(&[DIGITS]) && is_of_digits(&[1, 3]);
    starts && is_of_digits(&[]) && is_of_digits(&[]) && is_of_digits(&[])
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut rows = Rows::new(text, ',', LONGEST);
    let mut hits = Hits::new(selection)?;
    while let Some((line, row)) = rows.next()? {
        let added = hits.add(&hit(line, row)?);
        added.map_err(|what| Fault::in_line(line, what))?;
    }
    hits.finish()
}

fn hit<'a>(line: u64, mut row: Vec<Cow<'a, str>>) -> Result<Hit<'a>, Fault> {
    if !COLUMNS.contains(&row.len()) {
        return Err(Fault::in_line(
            line,
            format!(
                "has {} fields, and vegeta writes 9 or 12; it may be damaged",
                row.len()
            ),
        ));
    }
    let number = |at: usize, what: &str| {
        count(&row[at]).ok_or_else(|| Fault::in_line(line, format!("{what} is {:?}", row[at])))
    };
    let signed = |at: usize, what: &str| {
        i64::try_from(number(at, what)?)
            .map_err(|_| Fault::in_line(line, format!("{what} is {:?}", row[at])))
    };
    number(3, "the number of bytes sent")?;
    Ok(Hit {
        start: Some(signed(0, "the time")?),
        status: number(1, "the status")?,
        nanoseconds: signed(2, "the latency")?,
        bytes_in: number(4, "the number of bytes")?,
        number: number(8, "the number of the request")?,
        error: std::mem::take(&mut row[5]),
        url: row.get_mut(10).map(std::mem::take).unwrap_or_default(),
    })
}
