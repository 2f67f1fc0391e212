//! The JSON.

use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use super::{Counts, STEP, truncated};
use crate::formats::reader::Fault;
use crate::formats::reported::{Json, checked, count};

/// How the document begins, after the lines that bombardier prints before it without `-p r`.
const START: &[u8] = b"\n{\"spec\":";
/// How these lines begin.
const INTRO: &[u8] = b"Bombarding ";

/// The document without the lines before it.
pub(super) fn document(content: &[u8]) -> &[u8] {
    if !content.starts_with(INTRO) {
        return content;
    }
    let mut places = content.windows(START.len());
    let before = places.position(|place| place == START);
    before.map_or(content, |at| &content[at..])
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(document(content), "bombardier")?;
    let whole = Json::of(&value);
    let result = whole.need("result")?;
    let mut of = counts(&result)?.measurement();
    of.connections = Some(whole.need("spec")?.need("numberOfConnections")?.count()?);
    let taken = result.need("timeTakenSeconds")?.number(1.0)?;
    // The rate of the file is the mean over short windows, not that of the run.
    of.rate = of.ended.as_ref().and_then(|ended| {
        let seconds = taken.value.middle();
        let rate = Range::exactly(ended.value as f64 / seconds);
        (seconds > 0.0).then(|| Said::new(rate, taken.quote.clone()))
    });
    of.seconds = Some(taken);
    if let Some(latency) = result.get("latency") {
        times(&latency, &mut of)?;
    }
    checked("bombardier", vec![of])
}

fn counts(result: &Json<'_>) -> Result<Counts, Fault> {
    let number = |name: &str| result.need(name)?.count();
    let mut errors = Vec::new();
    for error in result
        .get("errors")
        .map_or_else(Vec::new, |errors| errors.elements())
    {
        let what = error.need("description")?;
        let what = what.text().ok_or_else(|| what.fault("no text"))?;
        errors.push((what.to_owned(), error.need("count")?.count()?));
    }
    Ok(Counts {
        by_class: [
            number("req1xx")?,
            number("req2xx")?,
            number("req3xx")?,
            number("req4xx")?,
            number("req5xx")?,
        ],
        others: number("others")?,
        errors,
    })
}

/// Reads the times, in microseconds.
fn times(latency: &Json<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let time = |member: &Json<'_>| -> Result<Said<Range>, Fault> {
        let exact = member.number(STEP)?;
        Ok(Said::new(truncated(exact.value), exact.quote))
    };
    of.mean = Some(time(&latency.need("mean")?)?);
    of.max = Some(time(&latency.need("max")?)?);
    for (name, member) in latency
        .get("percentiles")
        .map_or_else(Vec::new, |all| all.members())
    {
        let percent = count(name.trim())
            .filter(|percent| *percent < 100)
            .ok_or_else(|| member.fault("under no percentile"))?;
        let time = time(&member)?;
        of.add_percentile(percent as f64 / 100.0, time);
    }
    of.sort_percentiles();
    Ok(())
}
