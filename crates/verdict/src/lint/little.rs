//! Figures that violate Little's law.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{RATE, TIME, ratio};
use tenbin_stats::median;

use super::{Files, LintFinding, Measurement, Reported, measurements, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

/// Accepted excess of ρ = throughput × (mean time + think time) ÷ connections above 1: 3 % as in
/// runs of Tenbin, plus 2 % because tools do not state which requests at the ends of a run count.
/// Rounding and one request per connection are accepted in addition.
const TOLERANCE: f64 = 0.05;
/// Tool that rounds the number of clients up to a multiple of its processes.
const ROUNDS_UP: &str = "drnbench";

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "little",
    summary: Texts {
        english: "the figures violate Little's law: rate × mean time exceeds the number of connections",
        japanese: "数値がリトルの法則に反する(レート × 平均時間が同時接続数を超える)",
    },
    severities: &[Severity::Invalid],
    explanation: pages!("little"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = measurements(files);
    // The rule `filled_in` reports tools that add times.
    let own = all.filter(|(_, of)| !of.fills_in);
    own.filter_map(|(file, of)| finding(file, of)).collect()
}

fn finding(file: &Reported, of: &Measurement) -> Option<LintFinding> {
    let (least, printed) = excess(of)?;
    let connections = of.connections.as_ref()?;
    let (rate, mean) = (of.rate.as_ref()?, of.mean.as_ref()?);
    let think = of.think.unwrap_or(0.0);
    let wait = match of.think {
        Some(think) => format!(" + the tool's usual pause of {}", TIME.of(think)),
        None => String::new(),
    };
    let in_flight = printed * connections.value as f64;
    let active = (file.tool == ROUNDS_UP).then(|| (in_flight / usual(file).unwrap_or(1.0)).round());
    let really = active.map_or_else(String::new, |clients| {
        format!("; {clients} clients were active")
    });
    Some(LintFinding {
        rule: RULE.name,
        severity: Severity::Invalid,
        operation: Some(of.operation.clone()),
        evidence: sentence!(
            "lint-little",
            "{rate} × ({mean}{wait}) is {in_flight} requests in flight, but the file says {connections}: \
             ratio {printed}, at least {least} with all rounding{really}",
            rate = RATE.of(rate.value.middle()),
            mean = TIME.of(mean.value.middle()),
            wait,
            in_flight = ratio(rate.value.middle() * (mean.value.middle() + think)),
            connections = connections.value,
            printed = ratio(printed),
            least = ratio(least),
            really
        )
        .with("wait", of.think.map_or_else(String::new, |think| format!(" + {}", TIME.of(think))))
        .with("really", active.map_or_else(|| "none".to_owned(), |clients| clients.to_string())),
        advice: match file.tool {
            ROUNDS_UP => sentence!(
                "lint-little-drnbench",
                "plot the row at the number of active clients, or measure again: drnbench rounds clients up \
                 to a multiple of its processes"
            ),
            "warp" => sentence!(
                "lint-little-warp",
                "use the times of warp's .csv.zst, written with --full: the average of a report is a mean of \
                 means of windows, in which a short window counts as much as a long one"
            ),
            _ => sentence!(
                "lint-little-other",
                "do not use the rate together with the times: one of them, or the number of connections, is \
                 wrong"
            ),
        },
        quotes: quotes(file, [&connections.quote, &rate.quote, &mean.quote]),
    })
}

/// ρ = X·(R + Z)/N, the least that rounding allows and as printed, if it is too high for the
/// connections of the file.
pub fn excess(of: &Measurement) -> Option<(f64, f64)> {
    // A request for several objects has one time.
    if !of.closed_loop || !of.rate_counts_requests() {
        return None;
    }
    let connections = of.connections.as_ref()?.value as f64;
    let (rate, mean) = (of.rate.as_ref()?.value, of.mean.as_ref()?.value);
    let think = of.think.unwrap_or(0.0);
    let rho = |rate: f64, mean: f64| rate * (mean + think) / connections;
    let least = rho(rate.from, mean.from);
    let printed = rho(rate.middle(), mean.middle());
    (connections > 0.0 && least > 1.0 + TOLERANCE + at_the_ends(of)).then_some((least, printed))
}

/// Share of the measured time by which the requests of a connection may last longer than that time:
/// the last one may be counted although it ends later, which matters where requests wait until they
/// are given up. Without a longest time: one mean request per connection.
pub fn at_the_ends(of: &Measurement) -> f64 {
    let longest = of.max.as_ref().map_or(0.0, |max| max.value.to);
    let one_request = match (&of.connections, &of.ended) {
        (Some(connections), Some(ended)) if ended.value > 0 => {
            connections.value as f64 / ended.value as f64
        }
        _ => 0.0,
    };
    of.elapsed()
        .map_or(0.0, |seconds| longest / seconds)
        .max(one_request)
}

/// Median ρ of the measurements whose ρ is not too high: below 1, because clients lose a little
/// time between requests.
fn usual(file: &Reported) -> Option<f64> {
    let right = file.measurements.iter().filter(|of| excess(of).is_none());
    let rho = right.filter_map(|of| {
        let connections = of.connections.as_ref()?.value as f64;
        let mean = of.mean.as_ref()?.value.middle() + of.think.unwrap_or(0.0);
        Some(of.rate.as_ref()?.value.middle() * mean / connections)
    });
    let rho: Vec<f64> = rho.collect();
    median(&rho, tenbin_stats::CONFIDENCE).value()
}
