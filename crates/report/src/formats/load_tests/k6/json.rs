//! The JSON summaries: the object of `handleSummary`, the flat one of `--summary-export`, and the
//! list of metrics of `--new-machine-readable-summary`.

use tenbin_verdict::lint::{Quote, Range, Reported, Said};

use super::{FailedRate, Summary};
use crate::formats::reader::Fault;
use crate::formats::reported::Json;

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// Members of a trend that are no statistics.
const NO_STATISTICS: [&str; 2] = ["count", "thresholds"];

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "k6")?;
    let whole = Json::of(&value);
    let requests = need(&whole, "http_reqs")?;
    let mut times = Vec::new();
    for (name, member) in need(&whole, "http_req_duration")?.members() {
        if !NO_STATISTICS.contains(&name.as_str()) {
            times.push((name, member.number(MILLI)?));
        }
    }
    let clients = match values(&whole, "vus") {
        Some(vus) => Some(clients(&vus)?),
        None => None,
    };
    let seconds = match whole.get("state") {
        Some(state) => state.maybe("testRunDurationMs", MILLI)?,
        None => match whole.get("config") {
            Some(config) => config.maybe("duration", 1.0)?,
            None => None,
        },
    };
    let count = requests.need("count")?.count()?;
    let rate = match requests.maybe("rate", 1.0)? {
        Some(rate) => Some(rate),
        // The machine-readable summary leaves the division to its reader.
        None => seconds.as_ref().and_then(|said: &Said<Range>| {
            let seconds = said.value.middle();
            let rate = Range::exactly(count.value as f64 / seconds);
            (seconds > 0.0).then(|| Said::new(rate, said.quote.clone()))
        }),
    };
    Summary {
        requests: count,
        rate,
        seconds,
        times,
        failed: match values(&whole, "http_req_failed") {
            Some(values) => Some(failed(&values)?),
            None => None,
        },
        clients,
    }
    .reported()
}

fn need<'a>(whole: &Json<'a>, name: &str) -> Result<Json<'a>, Fault> {
    values(whole, name).ok_or_else(|| {
        Fault::of_the_file(format!(
            "has no metric {name}, which k6 writes; it may be damaged"
        ))
    })
}

/// The values of a metric, in any of the three forms.
fn values<'a>(whole: &Json<'a>, name: &str) -> Option<Json<'a>> {
    if let Some(results) = whole.get("results") {
        let all = results.get("metrics")?.elements();
        let is_it = |metric: &Json<'_>| metric.get("name").and_then(|it| it.text()) == Some(name);
        return all.into_iter().find(is_it)?.get("values");
    }
    let metric = whole.get("metrics")?.get(name)?;
    Some(metric.get("values").unwrap_or(metric))
}

/// `passes` counts requests for which "failed" is true.
fn failed(values: &Json<'_>) -> Result<FailedRate, Fault> {
    let (failed, of) = match values.get("matches") {
        Some(matches) => (matches.count()?, values.need("total")?.count()?.value),
        None => {
            let passes = values.need("passes")?.count()?;
            let fails = values.need("fails")?.count()?.value;
            let of = passes.value.saturating_add(fails);
            (passes, of)
        }
    };
    let share = match values.get("rate").or_else(|| values.get("value")) {
        Some(share) => Some(share.number(1.0)?.value),
        None => None,
    };
    Ok(FailedRate {
        failed: failed.value,
        of,
        share,
        quote: failed.quote,
    })
}

fn clients(vus: &Json<'_>) -> Result<(u64, u64, Quote), Fault> {
    let (least, most) = (vus.need("min")?.count()?, vus.need("max")?.count()?);
    Ok((least.value, most.value, most.quote))
}
