//! Reads the JSON that fortio writes.

use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Json, REQUESTS, checked, is_json_of};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "fortio",
    about: "the JSON that fortio load writes with -json",
    file: "fortio.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "fortio"),
        Read::Figures("the JSON of fortio", reported),
    )),
    ..Format::PLAIN
};

/// Seconds in a nanosecond.
const NANO: f64 = 1e-9;

/// What fortio calls a success of gRPC, TCP and UDP.
const SUCCESSES: [&str; 2] = ["SERVING", "OK"];

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "fortio")?;
    let whole = Json::of(&value);
    let times = whole.need("DurationHistogram")?;
    let mut of = Measurement::new(REQUESTS);
    // With or without a rate, a connection has one request in flight.
    of.closed_loop = true;
    of.connections = Some(whole.need("NumThreads")?.count()?);
    of.seconds = Some(whole.need("ActualDuration")?.number(NANO)?);
    of.rate = Some(whole.need("ActualQPS")?.number(1.0)?);
    let ended = times.need("Count")?.count()?;
    of.min = times.maybe("Min", 1.0)?;
    of.mean = times.maybe("Avg", 1.0)?;
    of.max = times.maybe("Max", 1.0)?;
    percentiles(&times, ended.value, &mut of)?;
    if let Some(codes) = whole.get("RetCodes") {
        failures(&codes, ended.value, &mut of)?;
    }
    for name in ["HTTP10", "DisableKeepAlive"] {
        if let Some(member) = whole.get(name)
            && member.flag() == Some(true)
        {
            of.keep_alive = Some(Said::new(false, member.quote()));
        }
    }
    of.ended = Some(ended);
    checked("fortio", vec![of])
}

/// A bar of the histogram.
struct Bar {
    from: f64,
    to: f64,
    /// Values in this bar and in those before it.
    below: u64,
}

/// fortio has bars of values and places a percentile within its bar as if the values were spread
/// evenly: what is known is the bar.
fn percentiles(times: &Json<'_>, total: u64, of: &mut Measurement) -> Result<(), Fault> {
    let mut bars: Vec<Bar> = Vec::new();
    let mut below = 0_u64;
    for bar in times
        .get("Data")
        .map_or_else(Vec::new, |data| data.elements())
    {
        below = below.saturating_add(bar.need("Count")?.count()?.value);
        bars.push(Bar {
            from: bar.need("Start")?.number(1.0)?.value.from,
            to: bar.need("End")?.number(1.0)?.value.from,
            below,
        });
    }
    if below != total {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: the bars of the histogram have {below} times, and Count is {total}"
        )));
    }
    for member in times
        .get("Percentiles")
        .map_or_else(Vec::new, |percentiles| percentiles.elements())
    {
        let percent = member.need("Percentile")?.number(1.0)?.value.from;
        let value = member.need("Value")?.number(1.0)?.value.from;
        let quantile = (percent * 1e5).round() / 1e7;
        // Less than half a request below, so that rounding does not lead to the next bar.
        let rank = (quantile * total as f64 - 1e-6).ceil() as u64;
        let Some(bar) = bars.iter().find(|bar| bar.below >= rank.max(1)) else {
            continue;
        };
        // A value at the edge belongs to the bar before it.
        let (from, to) = (bar.from.min(value), bar.to.max(value));
        if quantile < 1.0 {
            of.add_percentile(quantile, Said::new(Range { from, to }, member.quote()));
        }
    }
    of.sort_percentiles();
    Ok(())
}

/// Results by code: a status, -1 for an error of the connection, or a word for other protocols.
/// fortio counts all of them in its rate and its times.
fn failures(codes: &Json<'_>, total: u64, of: &mut Measurement) -> Result<(), Fault> {
    let mut sum = 0_u64;
    for (code, member) in codes.members() {
        let number = member.count()?;
        sum = sum.saturating_add(number.value);
        let is_ok = match code.parse::<i64>() {
            Ok(status) => (100..400).contains(&status),
            Err(_) => SUCCESSES.contains(&code.as_str()),
        };
        if !is_ok && number.value > 0 {
            of.failures.push(Failed {
                what: match code.as_str() {
                    "-1" => "requests without a response".to_owned(),
                    code if code.parse::<i64>().is_ok() => format!("responses with status {code}"),
                    error => error.to_owned(),
                },
                count: number.value,
                counted: true,
                quote: number.quote,
            });
        }
    }
    if sum == total {
        Ok(())
    } else {
        Err(Fault::of_the_file(format!(
            "contradicts itself: {total} requests, and {sum} by result"
        )))
    }
}
