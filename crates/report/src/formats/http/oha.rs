//! Reads the JSON that oha prints.

use tenbin_verdict::lint::{Measurement, Reported, Said};

use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{Json, REQUESTS, checked, is_json_of};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "oha",
    about: "the JSON that oha prints",
    file: "oha.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "oha"),
        Read::Figures("the JSON of oha", reported),
    )),
    ..Format::PLAIN
};

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "oha")?;
    let whole = Json::of(&value);
    let summary = whole.need("summary")?;
    let mut of = Measurement::new(REQUESTS);
    of.closed_loop = true;
    of.seconds = Some(summary.need("total")?.number(1.0)?);
    of.rate = Some(summary.need("requestsPerSec")?.number(1.0)?);
    of.min = summary.maybe("fastest", 1.0)?;
    of.mean = summary.maybe("average", 1.0)?;
    of.max = summary.maybe("slowest", 1.0)?;
    of.bytes = match summary.get("totalData") {
        Some(bytes) => Some(bytes.count()?.value),
        None => None,
    };
    if let Some(share) = summary.get("successRate")
        && share.number(1.0)?.value.from >= 1.0
    {
        of.says_none_failed = Some(share.quote());
    }
    let answered = responses(&whole, &mut of)?;
    percentiles(&whole, &mut of)?;
    let timed = histogram(&whole)?;
    if timed.is_some_and(|timed| timed != answered) {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: the histogram has {} times and there are {answered} responses",
            timed.unwrap_or_default()
        )));
    }
    of.samples = Some(answered);
    checked("oha", vec![of])
}

/// Reads statuses and errors, and returns the number of responses.
fn responses(whole: &Json<'_>, of: &mut Measurement) -> Result<u64, Fault> {
    let statuses = whole.need("statusCodeDistribution")?;
    let mut answered = 0_u64;
    for (status, member) in statuses.members() {
        let said = member.count()?;
        answered = answered.saturating_add(said.value);
        let code: u16 = status
            .parse()
            .map_err(|_| member.fault("under no status code"))?;
        if code >= 400 {
            of.add_failed(format!("responses with status {code}"), said, true);
        }
    }
    let mut ended = answered;
    if let Some(errors) = whole.get("errorDistribution") {
        for (what, member) in errors.members() {
            let said = member.count()?;
            ended = ended.saturating_add(said.value);
            of.add_failed(what, said, true);
        }
    }
    of.ended = Some(Said::new(ended, statuses.quote()));
    Ok(answered)
}

fn percentiles(whole: &Json<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let Some(all) = whole.get("latencyPercentiles") else {
        return Ok(());
    };
    for (name, member) in all.members() {
        // oha writes null without a response.
        let Some(time) = all.maybe(&name, 1.0)? else {
            continue;
        };
        let percent: Option<f64> = name.strip_prefix('p').and_then(|text| text.parse().ok());
        let percent = percent
            .filter(|percent| (0.0..100.0).contains(percent))
            .ok_or_else(|| member.fault("under no percentile"))?;
        of.add_percentile((percent * 1e5).round() / 1e7, time);
    }
    of.sort_percentiles();
    Ok(())
}

/// Number of times in the histogram, if the file has one.
fn histogram(whole: &Json<'_>) -> Result<Option<u64>, Fault> {
    let Some(bars) = whole.get("responseTimeHistogram") else {
        return Ok(None);
    };
    let mut sum = 0_u64;
    for (_, bar) in bars.members() {
        sum = sum.saturating_add(bar.count()?.value);
    }
    Ok(Some(sum))
}
