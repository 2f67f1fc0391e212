//! Reads the text that h2load prints.

use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Line, Lines, REQUESTS, checked, count, time, with_unit};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "h2load",
    about: "the text that h2load prints",
    file: "h2load.txt",
    read: Some(Reader::new(
        |beginning| {
            let mut lines = readable(beginning).lines();
            lines.any(|line| line.starts_with("finished in ") && line.contains(" req/s, "))
        },
        Read::Figures("the text of h2load", reported),
    )),
    ..Format::PLAIN
};

/// Labels of the row of request times: of versions up to 1.69, and since 1.70.
const REQUEST_TIMES: [&str; 2] = ["time for request", "request"];

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &["%"])?;
    lines.of_one_result("finished in ", "h2load")?;
    let mut of = Measurement::new(REQUESTS);
    // The text does not contain the number of streams per client, so Little's law cannot be
    // checked.
    of.closed_loop = false;
    of.connections = clients(&lines)?;
    let (line, text) = lines.need("finished in ")?;
    let parts: Vec<&str> = text.split(", ").collect();
    let [seconds, rate, _] = parts.as_slice() else {
        return Err(line.fault("is not h2load's line of time and rate"));
    };
    let seconds = time(seconds).ok_or_else(|| line.no("the time", seconds))?;
    // The time includes a warm-up whose requests do not count.
    let main = main_duration(&lines)?.filter(|main| main.value.to < seconds.from);
    of.seconds = Some(main.unwrap_or_else(|| line.said(seconds)));
    let rate = with_unit(rate, &[("req/s", 1.0)]).ok_or_else(|| line.no("the rate", rate))?;
    of.rate = Some(line.said(rate));
    requests(&lines, &mut of)?;
    let (line, text) = lines.need("traffic:")?;
    of.bytes = Some(data_bytes(&line, text)?);
    request_times(&lines, &mut of)?;
    checked("h2load", vec![of])
}

/// Reads lines such as `spawning thread #0: 16 total client(s).`, one per thread.
fn clients(lines: &Lines<'_>) -> Result<Option<Said<u64>>, Fault> {
    let mut sum: Option<Said<u64>> = None;
    for line in &lines.0 {
        let Some(text) = line.after("spawning thread #") else {
            continue;
        };
        let number = text
            .split_once(": ")
            .and_then(|(_, rest)| count(rest.split(' ').next()?))
            .ok_or_else(|| line.fault("has no number of clients"))?;
        let known = sum.map_or(0, |sum| sum.value);
        sum = Some(line.said(known.saturating_add(number)));
    }
    Ok(sum)
}

/// Reads the measured time from a line such as `spawning thread #0: 8 total client(s). Timing-based
/// test with 10s of warm-up time and 300s of main duration for measurements.`
fn main_duration(lines: &Lines<'_>) -> Result<Option<Said<Range>>, Fault> {
    let mut all = lines.0.iter();
    let Some((line, before)) = all.find_map(|line| {
        let before = line.text.split_once(" of main duration")?.0;
        Some((line, before))
    }) else {
        return Ok(None);
    };
    let text = before.rsplit(' ').next().unwrap_or_default();
    let main = time(text).ok_or_else(|| line.no("the main duration", text))?;
    // The duration was asked for, so it is not rounded.
    Ok(Some(line.said(Range::exactly(main.middle()))))
}

/// Parses numbers with their names, such as `448441 done, 0 failed`.
fn numbers<'a>(line: &Line<'_>, text: &'a str) -> Result<Vec<(u64, &'a str)>, Fault> {
    let parts = text.split(',').map(|part| {
        let (number, name) = part.trim().split_once(' ').unwrap_or((part, ""));
        count(number)
            .map(|number| (number, name))
            .ok_or_else(|| line.no("a number of requests", number))
    });
    parts.collect()
}

fn requests(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let (line, text) = lines.need("requests:")?;
    let all = numbers(&line, text)?;
    let number = |name: &str| {
        let mut all = all.iter();
        all.find(|(_, own)| *own == name)
            .map(|(number, _)| *number)
            .ok_or_else(|| line.fault(format!("has no number of requests {name}")))
    };
    let (done, succeeded, failed) = (number("done")?, number("succeeded")?, number("failed")?);
    let errored = number("errored")?;
    // Versions up to 1.3 have no timeouts.
    let timeout = number("timeout").unwrap_or(0);
    // A request that a closed connection kept from being sent failed, and is not always done.
    let ended = succeeded.saturating_add(failed);
    let is_lost = errored > 0 && ended == number("total")?;
    if (ended != done && !is_lost) || errored > failed {
        return Err(line.fault(format!(
            "contradicts itself: {succeeded} succeeded and {failed} failed of {done} done"
        )));
    }
    let (statuses, text) = lines.need("status codes:")?;
    let codes = numbers(&statuses, text)?;
    let answered = codes.iter();
    let answered = answered.fold(0_u64, |sum, (number, _)| sum.saturating_add(*number));
    if answered.saturating_add(errored) < done {
        return Err(statuses.fault(format!(
            "contradicts the requests: {answered} responses and {errored} errors of {done} done"
        )));
    }
    // The rate includes all requests with a response, whatever the status.
    of.ended = Some(line.said(ended - errored));
    for (number, name) in codes {
        if number > 0 && matches!(name, "4xx" | "5xx") {
            of.failures.push(Failed {
                what: format!("responses {name}"),
                count: number,
                counted: true,
                quote: statuses.quote(),
            });
        }
    }
    for (number, name) in [
        (errored - timeout.min(errored), "errored"),
        (timeout, "timeout"),
    ] {
        if number > 0 {
            of.failures.push(Failed {
                what: name.to_owned(),
                count: number,
                counted: false,
                quote: line.quote(),
            });
        }
    }
    Ok(())
}

/// Parses text such as `…, 5.13MB (5381388) data`, or `…, 5381388 bytes data` of versions up to 1.5.
fn data_bytes(line: &Line<'_>, text: &str) -> Result<u64, Fault> {
    let data = text.rsplit_once(", ").map(|(_, data)| data);
    let inner = data.and_then(|data| match data.split_once('(') {
        Some((_, rest)) => rest.strip_suffix(") data"),
        None => data.strip_suffix(" bytes data"),
    });
    inner
        .and_then(count)
        .ok_or_else(|| line.fault("has no number of bytes of data"))
}

/// Reads the row of request times, below a line with the column names.
fn request_times(lines: &Lines<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let mut all = lines.0.iter();
    let (line, text) = all
        .find_map(|line| {
            let (label, text) = line.text.split_once(':')?;
            REQUEST_TIMES
                .contains(&label.trim())
                .then_some((*line, text))
        })
        .ok_or_else(|| {
            Fault::of_the_file("has no row of the times of requests; it may be cut off")
        })?;
    let head = lines
        .0
        .iter()
        .rev()
        .find(|head| head.number < line.number && head.text.trim_start().starts_with("min "));
    let head =
        head.ok_or_else(|| line.fault("has no line with the names of the columns above it"))?;
    let names = head.text.replace("+/- sd", "within");
    let names: Vec<&str> = names.split_whitespace().collect();
    let values: Vec<&str> = text.split_whitespace().collect();
    if names.len() != values.len() {
        return Err(line.fault("has not the columns named above it"));
    }
    for (name, value) in names.into_iter().zip(values) {
        let read = || -> Result<Said<Range>, Fault> {
            let time = time(value).ok_or_else(|| line.no(name, value))?;
            Ok(line.said(time))
        };
        match name {
            "min" => of.min = Some(read()?),
            "max" => of.max = Some(read()?),
            "mean" => of.mean = Some(read()?),
            "median" => of.add_percentile(0.5, read()?),
            "p95" => of.add_percentile(0.95, read()?),
            "p99" => of.add_percentile(0.99, read()?),
            "within" if value.ends_with('%') => {}
            "sd" => read().map(|_| ())?,
            _ => return Err(line.no(name, value)),
        }
    }
    Ok(())
}
