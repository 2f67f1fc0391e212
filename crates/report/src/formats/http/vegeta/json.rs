//! Reads the JSON of `vegeta report -type=json`.

use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use super::statuses;
use crate::formats::reader::Fault;
use crate::formats::reported::{Json, REQUESTS, checked, count};

/// Seconds in a nanosecond.
const NANO: f64 = 1e-9;
/// Relative error of a time that is read as a decimal number.
const EXACT: f64 = 1e-9;

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "vegeta")?;
    let whole = Json::of(&value);
    let mut of = Measurement::new(REQUESTS);
    let total = whole.need("requests")?.count()?.value;
    of.rate = whole.maybe("throughput", 1.0)?;
    let duration = whole.need("duration")?.number(NANO)?;
    let wait = whole.need("wait")?.number(NANO)?;
    let taken = Range::exactly(duration.value.from + wait.value.from);
    of.seconds = Some(Said::new(taken, duration.quote));
    let latencies = whole.need("latencies")?;
    of.min = latencies.maybe("min", NANO)?;
    of.mean = latencies.maybe("mean", NANO)?;
    of.max = latencies.maybe("max", NANO)?;
    // vegeta waits for the last response, which is no longer than the longest.
    let longest = of.max.as_ref().map(|max| max.value.to);
    if longest.is_some_and(|longest| wait.value.from > longest * (1.0 + EXACT)) {
        return Err(Fault::of_the_file(
            "contradicts itself: the wait for the last response is longer than the longest time",
        ));
    }
    for (name, member) in latencies.members() {
        let Some(percent) = name.strip_suffix("th").and_then(count) else {
            continue;
        };
        let time = member.number(NANO)?;
        of.add_percentile(percent as f64 / 100.0, time);
    }
    of.sort_percentiles();
    let by_status = whole.need("status_codes")?;
    let mut codes = Vec::new();
    for (code, member) in by_status.members() {
        let code = count(&code).ok_or_else(|| member.fault("under no status code"))?;
        codes.push((code, member.count()?.value));
    }
    statuses(&mut of, total, &codes, &by_status.quote())?;
    if let Some(bytes) = whole.get("bytes_in").and_then(|bytes| bytes.get("total")) {
        of.bytes = Some(bytes.count()?.value);
    }
    success(&whole, &of, total)?;
    checked("vegeta", vec![of])
}

/// Checks that the success ratio matches the counts of statuses.
fn success(whole: &Json<'_>, of: &Measurement, total: u64) -> Result<(), Fault> {
    let Some(said) = whole.maybe("success", 1.0)? else {
        return Ok(());
    };
    let ok = of.ended.as_ref().map_or(0, |said| said.value);
    let ratio = ok as f64 / total.max(1) as f64;
    if (ratio - said.value.from).abs() < 1e-9 {
        Ok(())
    } else {
        Err(Fault::of_the_file(format!(
            "contradicts itself: {}, and {ok} of {total} by status succeeded",
            said.quote.text
        )))
    }
}
