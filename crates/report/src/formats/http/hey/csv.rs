//! Reads the list of requests that hey prints with `-o csv`: one row for each response, with times
//! in seconds of four decimals.

use std::borrow::Cow;
use std::io::BufRead;

use tenbin_verdict::lint::{Reported, Rounding, SECOND};

use super::text::KEPT;
use crate::formats::imported::list::{Clock, List, Request};
use crate::formats::imported::requests::{Requests, failure_text};
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::{REQUESTS, count, printed};
use crate::formats::rows::{Columns, Rows};

/// First line of the list.
const HEAD: &str = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,\
                    status-code,offset";

/// Longer lines are no requests, bytes.
const LONGEST: u32 = 1 << 12;

/// Half a unit of the last digit, nanoseconds.
const HALF_A_DIGIT: u64 = 50_000;

const LIST: List = List {
    tool: "hey",
    clock: Clock::Run,
    rounding: Rounding {
        times: HALF_A_DIGIT,
        // The first start and the last end are both sums of rounded figures.
        clock: 3 * HALF_A_DIGIT,
    },
    omits_failures: true,
    ..List::PLAIN
};

pub(super) fn recognises(beginning: &[u8]) -> bool {
    let first = beginning.split(|byte| *byte == b'\n').next();
    first.is_some_and(|line| line.trim_ascii_end() == HEAD.as_bytes())
}

pub(super) fn read(text: &mut dyn BufRead, selection: &Selection) -> Result<Reported, Fault> {
    let mut rows = Rows::new(text, ',', LONGEST);
    let Some((_, names)) = rows.next()? else {
        return Err(Fault::of_the_file("is empty"));
    };
    let columns = Columns::of(&names, "hey");
    let mut requests = Requests::new(LIST, selection)?;
    while let Some((line, row)) = rows.next()? {
        columns.check(line, &row)?;
        add(&mut requests, line, &row)?;
    }
    let is_full = requests.read() == KEPT;
    let mut reported = requests.finish()?;
    let caveats = &mut reported.caveats;
    caveats.push("hey leaves requests without a response out of this list".to_owned());
    if is_full {
        caveats.push(format!(
            "hey lists only the first {KEPT} responses: there may have been more"
        ));
    }
    Ok(reported)
}

fn add(requests: &mut Requests<'_>, line: u64, row: &[Cow<'_, str>]) -> Result<(), Fault> {
    let [time, connect, dns, write, delay, body, status, offset] = row else {
        return Err(Fault::in_line(line, "has not the columns of hey"));
    };
    let no = |what: &str, text: &str| Fault::in_line(line, format!("{what} is {text:?}"));
    let nanoseconds = |what: &str, text: &str| {
        let seconds = printed(text).ok_or_else(|| no(what, text))?;
        let nanoseconds = (seconds * SECOND as f64).round();
        let is_known = nanoseconds < i64::MAX as f64 / 4.0;
        is_known
            .then_some(nanoseconds as i64)
            .ok_or_else(|| no(what, text))
    };
    let (took, start) = (
        nanoseconds("the response time", time)?,
        nanoseconds("the offset", offset)?,
    );
    for (what, text) in [
        ("DNS+dialup", connect),
        ("DNS", dns),
        ("Request-write", write),
        ("Response-delay", delay),
        ("Response-read", body),
    ] {
        nanoseconds(what, text)?;
    }
    let code = count(status).ok_or_else(|| no("the status", status))?;
    // As in the text of hey, a response with a status below 400 is no failure.
    let failure = (code >= 400).then(|| failure_text(status, ""));
    let request = Request {
        operation: REQUESTS,
        start,
        end: start + took,
        took: took as u64,
        objects: 1,
        failure: failure.as_deref(),
        ..Request::default()
    };
    let added = requests.add(&request);
    added.map_err(|what| Fault::in_line(line, what))
}
