//! Reads the JSON report that Artillery writes since version 2.

use std::collections::BTreeMap;

use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Json, REQUESTS, checked, is_json_of};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "artillery",
    about: "the JSON report that artillery run writes with --output",
    file: "artillery.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "artillery"),
        Read::Figures("the JSON report of Artillery", reported),
    )),
    ..Format::PLAIN
};

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;
/// Artillery measures times in whole milliseconds of the clock: a time can be off by one.
const STEP: f64 = 1.0;
/// Largest relative error of a percentile, by the histogram that Artillery uses.
const ERROR: f64 = 0.01;

/// What names of counters and times begin with, for all requests and for those of an endpoint.
const CODES: &str = "http.codes.";
const ERRORS: &str = "errors.";
const TIMES: &str = "http.response_time";
const ENDPOINT: &str = "plugins.metrics-by-endpoint.";
const ENDPOINT_TIMES: &str = "plugins.metrics-by-endpoint.response_time.";
/// Largest number of kinds of errors that a sentence names.
const MOST_NAMED: usize = 10;
/// Counters that do not belong to a protocol.
const ANY_PROTOCOL: [&str; 3] = ["vusers.", ERRORS, "plugins."];

/// Errors whose texts begin so are those of responses, which Artillery counts by status too.
const UNEXPECTED: [&str; 4] = [
    "Failed capture or match", "Failed expectations", "FailedExpectationError", "Error",
];

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "Artillery")?;
    let aggregate = Json::of(&value).need("aggregate")?;
    let counters = aggregate.need("counters")?;
    let length = length(&aggregate)?;
    let mut caveats =
        vec!["the times of Artillery end with the first byte of the response".to_owned()];
    let mut endpoints = endpoints(&aggregate, &counters)?;
    let measurements = if endpoints.len() > 1 {
        for of in &mut endpoints {
            divide(of, &length);
        }
        caveats.extend(errors_of_none(&counters, &endpoints)?);
        endpoints
    } else {
        let mut of = all_requests(&aggregate, &counters)?;
        divide(&mut of, &length);
        vec![of]
    };
    let reported = checked("artillery", measurements)?;
    Ok(Reported {
        caveats,
        ..reported
    })
}

/// The time from the first to the last counted event; `None` if there was none.
fn length(aggregate: &Json<'_>) -> Result<Option<Said<Range>>, Fault> {
    let (Some(first), Some(last)) = (
        aggregate.maybe("firstCounterAt", MILLI)?,
        aggregate.maybe("lastCounterAt", MILLI)?,
    ) else {
        return Ok(None);
    };
    let seconds = last.value.middle() - first.value.middle();
    let range = Range::around(seconds, MILLI);
    Ok((seconds > MILLI).then(|| Said::new(range, last.quote)))
}

/// Divides the number of responses by the length of the run: the rate of the file is the mean over
/// windows of time, in whole requests.
fn divide(of: &mut Measurement, length: &Option<Said<Range>>) {
    let (Some(ended), Some(length)) = (&of.ended, length) else {
        return;
    };
    let rate = Range {
        from: ended.value as f64 / length.value.to,
        to: ended.value as f64 / length.value.from,
    };
    of.rate = Some(Said::new(rate, length.quote.clone()));
    of.seconds = Some(length.clone());
}

fn all_requests(aggregate: &Json<'_>, counters: &Json<'_>) -> Result<Measurement, Fault> {
    let mut of = Measurement::new(REQUESTS);
    let members = counters.members();
    let has = |start: &str| members.iter().any(|(name, _)| name.starts_with(start));
    let is_foreign = |name: &str| !ANY_PROTOCOL.iter().any(|start| name.starts_with(start));
    if !has("http.") && members.iter().any(|(name, _)| is_foreign(name)) {
        return Err(Fault::of_the_file(
            "has no HTTP requests, and those of other protocols are not read",
        ));
    }
    let mut codes = Vec::new();
    for (name, member) in &members {
        if let Some(code) = name.strip_prefix(CODES) {
            codes.push((code.to_owned(), member.clone()));
        }
    }
    let sum = responses(&codes, &mut of)?;
    let ended = if has("http.") {
        match counters.get("http.responses") {
            Some(responses) => responses.count()?,
            // No request had a response.
            None if sum == 0 => Said::new(0, counters.need("http.requests")?.quote()),
            None => counters.need("http.responses")?.count()?,
        }
    } else {
        Said::new(0, counters.quote())
    };
    if ended.value != sum {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {} responses, and {sum} by status",
            ended.value
        )));
    }
    of.ended = Some(ended);
    let mut left = sum.saturating_sub(of.failed());
    for (name, member) in &members {
        if let Some(what) = name.strip_prefix(ERRORS) {
            error(what, &member.count()?, &mut left, &mut of);
        }
    }
    times(aggregate, TIMES, &mut of)?;
    Ok(of)
}

/// Counts the responses by status, and those from 400 as failures.
fn responses(codes: &[(String, Json<'_>)], of: &mut Measurement) -> Result<u64, Fault> {
    let mut sum = 0_u64;
    for (code, member) in codes {
        let status: u16 = code
            .parse()
            .map_err(|_| member.fault("under no status code"))?;
        let said = member.count()?;
        sum = sum.saturating_add(said.value);
        if status >= 400 {
            of.add_failed(format!("responses with status {status}"), said, true);
        }
    }
    Ok(sum)
}

/// Adds an error. Responses with unexpected content are no other requests; `left` is the number of
/// responses that have not failed yet.
fn error(what: &str, said: &Said<u64>, left: &mut u64, of: &mut Measurement) {
    let is_response = UNEXPECTED.iter().any(|text| what.starts_with(text));
    let count = if is_response {
        let count = said.value.min(*left);
        *left -= count;
        count
    } else {
        said.value
    };
    let said = Said::new(count, said.quote.clone());
    of.add_failed(what, said, is_response);
}

/// The counters of an endpoint: responses by status, and errors.
#[derive(Default)]
struct Endpoint<'a> {
    codes: Vec<(String, Json<'a>)>,
    errors: Vec<(String, Json<'a>)>,
}

/// The requests of each endpoint, which a plugin counts.
fn endpoints(aggregate: &Json<'_>, counters: &Json<'_>) -> Result<Vec<Measurement>, Fault> {
    let mut all: BTreeMap<String, Endpoint<'_>> = BTreeMap::new();
    for (name, member) in counters.members() {
        let Some(rest) = name.strip_prefix(ENDPOINT) else {
            continue;
        };
        if let Some((name, code)) = rest.rsplit_once(".codes.") {
            let endpoint = all.entry(name.to_owned()).or_default();
            endpoint.codes.push((code.to_owned(), member));
        } else if let Some((name, what)) = rest.rsplit_once(".errors.") {
            let endpoint = all.entry(name.to_owned()).or_default();
            endpoint.errors.push((what.to_owned(), member));
        }
    }
    all.into_iter()
        .map(|(name, endpoint)| endpoint.measurement(&name, aggregate))
        .collect()
}

impl Endpoint<'_> {
    fn measurement(&self, name: &str, aggregate: &Json<'_>) -> Result<Measurement, Fault> {
        let mut of = Measurement::new(name);
        let sum = responses(&self.codes, &mut of)?;
        let first = self.codes.first().or(self.errors.first());
        let quote = first.map(|(_, member)| member.quote()).unwrap_or_default();
        of.ended = Some(Said::new(sum, quote));
        let mut left = sum.saturating_sub(of.failed());
        for (what, member) in &self.errors {
            error(what, &member.count()?, &mut left, &mut of);
        }
        times(aggregate, &format!("{ENDPOINT_TIMES}{name}"), &mut of)?;
        Ok(of)
    }
}

/// A sentence about the errors that no endpoint has.
fn errors_of_none(counters: &Json<'_>, endpoints: &[Measurement]) -> Result<Option<String>, Fault> {
    let mut known: BTreeMap<&str, u64> = BTreeMap::new();
    for failed in endpoints.iter().flat_map(|of| &of.failures) {
        let count = known.entry(&failed.what).or_default();
        *count = count.saturating_add(failed.count);
    }
    let mut rest: Vec<String> = Vec::new();
    for (name, member) in counters.members() {
        let Some(what) = name.strip_prefix(ERRORS) else {
            continue;
        };
        let known = known.get(what).copied().unwrap_or_default();
        let number = member.count()?.value.saturating_sub(known);
        if number > 0 {
            rest.push(format!("{number} {what}"));
        }
    }
    if rest.len() > MOST_NAMED {
        let others = rest.len() - MOST_NAMED;
        rest.truncate(MOST_NAMED);
        rest.push(format!("and {others} other kinds"));
    }
    Ok((!rest.is_empty()).then(|| {
        format!(
            "the file does not say to which endpoints these errors belong: {}",
            rest.join(", ")
        )
    }))
}

/// Reads the times with this name, which early versions called histograms.
fn times(aggregate: &Json<'_>, name: &str, of: &mut Measurement) -> Result<(), Fault> {
    let kinds = ["summaries", "histograms"].iter();
    let mut found = kinds.filter_map(|kind| aggregate.get(kind)?.get(name));
    let Some(times) = found.next() else {
        return Ok(());
    };
    let samples = times.need("count")?.count()?;
    let ended = of.ended.as_ref().map_or(0, |said| said.value);
    if samples.value != ended {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {}, and there are {ended} responses",
            samples.quote.text
        )));
    }
    if ended == 0 {
        return Ok(());
    }
    let read = |member: &Json<'_>, error: f64| -> Result<Said<Range>, Fault> {
        let millis = member.number(1.0)?;
        let value = millis.value.middle();
        let range = Range::around(value, value * error + STEP).times(MILLI);
        Ok(Said::new(range, millis.quote))
    };
    of.min = Some(read(&times.need("min")?, 0.0)?);
    of.mean = Some(read(&times.need("mean")?, 0.0)?);
    of.max = Some(read(&times.need("max")?, 0.0)?);
    for (name, member) in times.members() {
        if let Some(digits) = name.strip_prefix('p') {
            let time = read(&member, ERROR)?;
            of.add_percentile(
                quantile(digits).ok_or_else(|| member.fault("under no percentile"))?,
                time,
            );
        }
    }
    of.sort_percentiles();
    Ok(())
}

/// The quantile of the digits of `p99` or `p999`.
fn quantile(digits: &str) -> Option<f64> {
    let is_number = digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value: f64 = format!("0.{digits}").parse().ok()?;
    is_number.then_some(value)
}
