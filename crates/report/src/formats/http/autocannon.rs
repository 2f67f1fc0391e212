//! Reads the JSON that autocannon prints.

use tenbin_verdict::lint::{Measurement, Percentile, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Json, REQUESTS, checked, decimal, is_json_of};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "autocannon",
    about: "the JSON that autocannon prints with --json",
    file: "autocannon.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "autocannon"),
        Read::Figures("the JSON of autocannon", reported),
    )),
    ..Format::PLAIN
};

/// Seconds in a millisecond. autocannon truncates every time to whole milliseconds.
const MILLI: f64 = 1e-3;
/// autocannon rounds the length of the run to hundredths of a second.
const HALF_HUNDREDTH: f64 = 0.005;

/// Members of `latency` that are no percentiles.
const NO_PERCENTILES: [&str; 6] = ["average", "mean", "stddev", "min", "max", "totalCount"];

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "autocannon")?;
    let whole = Json::of(&value);
    let mut of = Measurement::new(REQUESTS);
    of.connections = Some(whole.need("connections")?.count()?);
    // A connection with pipelining has several requests in flight.
    of.closed_loop = whole.need("pipelining")?.count()?.value == 1;
    let mut caveats = responses(&whole, &mut of)?;
    failures(&whole, &mut of)?;
    length(&whole, &mut of)?;
    let requests = whole.need("requests")?;
    let counted = requests.need("total")?.count()?.value;
    times(&whole.need("latency")?, counted, &mut of)?;
    caveats.extend(unanswered(&requests, counted, &of)?);
    caveats.push(
        "the file does not say whether autocannon was given a rate: with one, autocannon adds \
         times of requests that it could not send in time"
            .to_owned(),
    );
    let reported = checked("autocannon", vec![of])?;
    Ok(Reported {
        caveats,
        ..reported
    })
}

/// Reads the numbers of responses by class of status. The mean rate of the file is that of whole
/// seconds, so it is not the rate of the run.
fn responses(whole: &Json<'_>, of: &mut Measurement) -> Result<Vec<String>, Fault> {
    let mut caveats = Vec::new();
    let interim = whole.need("1xx")?.count()?.value;
    if interim > 0 {
        caveats.push(format!(
            "autocannon takes {interim} interim responses (status 1xx) for responses, also in its \
             times; the number of requests leaves them out"
        ));
    }
    let mut ended = whole.need("2xx")?.count()?;
    for class in ["3xx", "4xx", "5xx"] {
        let said = whole.need(class)?.count()?;
        ended.value = ended.value.saturating_add(said.value);
    }
    of.ended = Some(ended);
    Ok(caveats)
}

/// A sentence about requests that autocannon sent and counted neither as answered nor as failed:
/// more than the connections have in flight at the end of the run. autocannon sends requests again
/// whose connection the server closed.
fn unanswered(
    requests: &Json<'_>,
    answered: u64,
    of: &Measurement,
) -> Result<Option<String>, Fault> {
    let Some(sent) = requests.get("sent") else {
        return Ok(None);
    };
    let sent = sent.count()?.value;
    let in_flight = of.connections.as_ref().map_or(0, |said| said.value);
    let failed = of.failed().saturating_sub(of.failed_and_counted());
    let known = answered.saturating_add(failed).saturating_add(in_flight);
    Ok((of.closed_loop && sent > known).then(|| {
        format!(
            "autocannon counts {sent} requests as sent and {answered} as answered, and does not \
             say what became of the others; with a rate, it counts too many as sent"
        )
    }))
}

fn failures(whole: &Json<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let by_class = ["4xx", "5xx"].map(|class| whole.need(class).and_then(|it| it.count()));
    let [client, server] = by_class;
    let (client, server) = (client?, server?);
    let failed = client.value.saturating_add(server.value);
    let statuses = statuses(whole)?;
    let sum = statuses
        .iter()
        .fold(0_u64, |sum, (_, said)| sum.saturating_add(said.value));
    if statuses.is_empty() {
        of.add_failed("responses with status 4xx", client, true);
        of.add_failed("responses with status 5xx", server, true);
    } else if sum == failed {
        for (status, said) in statuses {
            of.add_failed(format!("responses with status {status}"), said, true);
        }
    } else {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {failed} responses with status 4xx or 5xx, and {sum} by status"
        )));
    }
    let timeouts = whole.need("timeouts")?.count()?;
    let mut errors = whole.need("errors")?.count()?;
    errors.value = errors.value.saturating_sub(timeouts.value);
    of.add_failed("errors of connections", errors, false);
    of.add_failed("timeouts", timeouts, false);
    if let Some(mismatches) = whole.get("mismatches") {
        let mut mismatches = mismatches.count()?;
        // A response with a wrong status can have an unexpected body as well.
        mismatches.value = mismatches.value.min(of.ok().unwrap_or_default());
        of.add_failed("unexpected response bodies", mismatches, true);
    }
    Ok(())
}

/// The numbers of responses with a status from 400, which old versions do not write.
fn statuses(whole: &Json<'_>) -> Result<Vec<(u64, Said<u64>)>, Fault> {
    let mut all = Vec::new();
    for (status, member) in whole
        .get("statusCodeStats")
        .map_or_else(Vec::new, |statuses| statuses.members())
    {
        let code: u64 = status
            .parse()
            .map_err(|_| member.fault("under no status code"))?;
        if code >= 400 {
            all.push((code, member.need("count")?.count()?));
        }
    }
    Ok(all)
}

/// Reads the length of the run, and divides the number of responses by it.
fn length(whole: &Json<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let said = whole.need("duration")?.number(1.0)?;
    let seconds = Range::around(said.value.middle(), HALF_HUNDREDTH);
    of.rate = of.ended.as_ref().and_then(|ended| {
        let rate = Range {
            from: ended.value as f64 / seconds.to,
            to: ended.value as f64 / seconds.from,
        };
        (seconds.from > 0.0).then(|| Said::new(rate, said.quote.clone()))
    });
    of.seconds = Some(Said::new(seconds, said.quote));
    Ok(())
}

/// Reads the times of `counted` responses.
fn times(latency: &Json<'_>, counted: u64, of: &mut Measurement) -> Result<(), Fault> {
    let samples = match latency.get("totalCount") {
        Some(samples) => samples.count()?.value,
        None => counted,
    };
    of.samples = Some(samples);
    // With a rate, autocannon records more times than there were responses.
    of.fills_in = samples > counted;
    if samples == 0 {
        return Ok(());
    }
    let read = |member: &Json<'_>| -> Result<Said<Range>, Fault> {
        let exact = member.number(MILLI)?;
        Ok(Said::new(
            Range::around(exact.value.middle(), MILLI),
            exact.quote,
        ))
    };
    of.mean = Some(read(&latency.need("average")?)?);
    of.max = Some(read(&latency.need("max")?)?);
    for (name, member) in latency.members() {
        if NO_PERCENTILES.contains(&name.as_str()) {
            continue;
        }
        let time = read(&member)?;
        of.add_percentile(
            quantile(&name).ok_or_else(|| member.fault("under no percentile"))?,
            time,
        );
    }
    of.sort_percentiles();
    // autocannon leaves out the times below a millisecond when it looks for the shortest.
    let min = read(&latency.need("min")?)?;
    let is_least = |first: &Percentile| first.time.middle() >= min.value.middle();
    let is_shortest = of.percentiles.first().is_none_or(is_least);
    of.min = is_shortest.then_some(min);
    Ok(())
}

/// The quantile of `p99` or `p97_5`, or of `p999`, which versions up to 2 write for 99.9.
fn quantile(name: &str) -> Option<f64> {
    let mut percent = name.strip_prefix('p')?.replace('_', ".");
    if percent.len() > 2 && percent.bytes().all(|byte| byte == b'9') {
        percent.insert(2, '.');
    }
    let percent = decimal(&percent)?.middle();
    (percent < 100.0).then_some((percent * 1e5).round() / 1e7)
}
