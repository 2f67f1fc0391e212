//! Reads the JSON of Gatling's report: the tree of groups and requests, or the figures of all
//! requests.

use tenbin_result::format::count;
use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use super::{Counts, of_millis};
use crate::formats::reader::Fault;
use crate::formats::reported::{Json, checked};

/// The percentiles that Gatling has unless its configuration names others.
const USUAL: [f64; 4] = [0.5, 0.75, 0.95, 0.99];

/// The percentiles of versions that have two of them.
const USUAL_TWO: [f64; 2] = [0.95, 0.99];

/// How deep groups can be in each other.
const DEEPEST: usize = 64;

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "Gatling")?;
    let whole = Json::of(&value);
    let mut requests = Vec::new();
    let total = match whole.get("stats") {
        Some(stats) => {
            leaves(&whole, DEEPEST, &mut requests)?;
            measurement(&stats, name(&whole)?)?
        }
        None => measurement(&whole, name(&whole)?)?,
    };
    let sum = requests
        .iter()
        .fold(0_u64, |sum, of| sum.saturating_add(all(of)));
    if !requests.is_empty() && sum != all(&total) {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {} requests in all, and {} by name",
            count(all(&total)),
            count(sum)
        )));
    }
    if requests.is_empty() {
        requests.push(total);
    }
    let mut reported = checked("gatling", requests)?;
    reported.caveats.push(
        "the file does not say which percentiles it has: they are read as those of Gatling's \
         default configuration"
            .to_owned(),
    );
    Ok(reported)
}

fn all(of: &Measurement) -> u64 {
    let ok = of.ended.as_ref().map_or(0, |said| said.value);
    ok.saturating_add(of.failed())
}

/// The path of a request with its groups, or its name.
fn name<'a>(node: &Json<'a>) -> Result<&'a str, Fault> {
    let path = node.get("path").and_then(|path| path.text());
    let name = node.need("name")?;
    let own = name.text().ok_or_else(|| name.fault("no text"))?;
    Ok(path.filter(|path| !path.is_empty()).unwrap_or(own))
}

/// The requests below a group. The figures of a group are sums of its requests.
fn leaves(group: &Json<'_>, deepest: usize, to: &mut Vec<Measurement>) -> Result<(), Fault> {
    if deepest == 0 {
        return Err(Fault::of_the_file(format!(
            "has more than {DEEPEST} groups in each other; it may be damaged"
        )));
    }
    let contents = group.get("contents");
    for (_, node) in contents.map_or_else(Vec::new, |contents| contents.members()) {
        match node.need("type")?.text() {
            Some("GROUP") => leaves(&node, deepest - 1, to)?,
            Some("REQUEST") => to.push(measurement(&node.need("stats")?, name(&node)?)?),
            _ => return Err(node.need("type")?.fault("neither a group nor a request")),
        }
    }
    Ok(())
}

fn measurement(stats: &Json<'_>, name: &str) -> Result<Measurement, Fault> {
    let mut of = Measurement::new(name);
    let requests = stats.need("numberOfRequests")?;
    let rates = stats.need("meanNumberOfRequestsPerSecond")?;
    let ok = requests.need("ok")?.count()?;
    if ok.value > 0 {
        of.min = Some(time(&stats.need("minResponseTime")?)?);
        of.mean = Some(time(&stats.need("meanResponseTime")?)?);
        of.max = Some(time(&stats.need("maxResponseTime")?)?);
        percentiles(stats, &mut of)?;
    }
    Counts {
        total: requests.need("total")?.count()?.value,
        ok,
        ko: requests.need("ko")?.count()?,
        rate: rates.need("total")?.number(1.0)?.value,
        ok_rate: rates.need("ok")?.number(1.0)?,
        ko_rate: rates.need("ko")?.number(1.0)?.value,
    }
    .fill(&mut of)?;
    Ok(of)
}

fn percentiles(stats: &Json<'_>, of: &mut Measurement) -> Result<(), Fault> {
    let members = stats.members().into_iter();
    let all: Vec<String> = members
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("percentiles"))
        .collect();
    let usual: &[f64] = match all.len() {
        0 => return Ok(()),
        2 => &USUAL_TWO,
        _ => &USUAL,
    };
    for (quantile, number) in usual.iter().zip(1..) {
        let time = time(&stats.need(&format!("percentiles{number}"))?)?;
        of.add_percentile(*quantile, time);
    }
    Ok(())
}

/// The time of the requests that are OK. Gatling rounds to milliseconds.
fn time(member: &Json<'_>) -> Result<Said<Range>, Fault> {
    let millis = member.need("ok")?.count()?;
    Ok(Said::new(of_millis(millis.value), millis.quote))
}
