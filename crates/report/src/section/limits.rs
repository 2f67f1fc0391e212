//! What limited each workload on each target, and why one target is slower than another, on the first
//! screen.

use tenbin_result::{
    Comparison, Document, Interval, Limit, Message, Metric, MetricName, ResultOf, Trust, Value,
    message,
};
use tenbin_verdict::said_limit;

use crate::block::{Block, Look, Text};
use crate::language::{say, text};

/// Most comparisons of which the first screen says why a target is slower.
const MOST_WHYS: usize = 4;
/// Factor from 1 below which a part does not explain a difference.
const WORTH_SAYING: f64 = 1.03;
/// Share of a difference below which a part does not explain the difference.
const LEAST_PART: f64 = 0.1;
/// Largest number of requests served at a time, as a multiple of the requests in flight, that a core
/// that sleeps between requests of the probe explains. A larger number is an error of the
/// measurement, such as long requests that the slices leave out.
const MOST_SERVED: f64 = 1.25;
/// Shares of which the slower target can have more, and the least difference that explains something.
const SHARES: &[(&str, f64)] = &[
    ("new_connection_share", 0.2),
    ("backend_share", 0.1),
    ("storage_share", 0.2),
    ("core_wait_share", 0.2),
    ("throttled_share", 0.02),
    ("round_trip_share", 0.2),
    ("loss_share", 0.002),
];

/// The lines on limits and on slower targets, as a list.
pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let lines = limit_lines(document);
    if lines.is_empty() {
        Vec::new()
    } else {
        vec![Block::List(lines)]
    }
}

/// One line for each limit, and for each target and workload that have it; and one for each target
/// that is slower.
pub(crate) fn limit_lines(document: &Document) -> Vec<Text> {
    let mut alike: Vec<Vec<&Limit>> = Vec::new();
    for limit in &document.limits {
        let mut known = alike.iter_mut();
        match known.find(|known| is_alike(known[0], limit)) {
            Some(known) => known.push(limit),
            None => alike.push(vec![limit]),
        }
    }
    let lines = alike.iter().map(|alike| line(document, alike));
    let is_known = |it: &&Comparison| it.outcome.is_different() && it.trust != Trust::Invalid;
    let different = document.questions().filter(is_known);
    let whys = different.filter_map(|it| why(document, it));
    lines.chain(whys.take(MOST_WHYS)).collect()
}

fn is_alike(one: &Limit, other: &Limit) -> bool {
    one.cause == other.cause
        && one.certainty == other.certainty
        && one.candidates == other.candidates
}

fn line(document: &Document, alike: &[&Limit]) -> Text {
    let first = alike[0];
    let (evidence, advice) = said_limit(first, document.language);
    let line = message!(
        "limit-line",
        about = about(document, first),
        is_one = document.limits.len() == 1,
        evidence,
        more = alike.len() - 1,
        advice
    );
    Text::default()
        .and(Look::Strong, text(document, "limit"))
        .and(Look::Plain, say(document, &line))
}

/// The target, with the workload if there are several.
fn about(document: &Document, limit: &Limit) -> String {
    if document.workloads.len() > 1 {
        format!("{}, {}", limit.workload, limit.target)
    } else {
        limit.target.clone()
    }
}

/// Why one target of a comparison is slower. Throughput is the number of requests that are served at
/// a time ÷ the time of one request alone, so the ratio of two targets has these two parts; the first
/// clause has the larger one. CPU time, and what the slower target has more of, are in these parts.
fn why(document: &Document, found: &Comparison) -> Option<Text> {
    let is_throughput = matches!(found.metric, MetricName::Known(Metric::Throughput));
    let ratio = found.ratio.filter(|_| is_throughput)?.value;
    let (slow, fast) = if ratio < 1.0 {
        (&found.challenger, &found.baseline)
    } else {
        (&found.baseline, &found.challenger)
    };
    let of = |target: &str| {
        let mut limits = document.limits.iter();
        limits.find(|it| it.workload == found.workload && it.target == target)
    };
    let (of_slow, of_fast) = (of(slow)?, of(fast)?);
    let figures = |name: &str| Some((*of_slow.figures.get(name)?, *of_fast.figures.get(name)?));
    let mut parts = speed_parts(ratio.max(ratio.recip()), &figures);
    parts.extend(cpu_part(
        document,
        found,
        [slow, fast],
        figures("alone_seconds"),
    ));
    parts.extend(SHARES.iter().filter_map(|(name, least)| {
        let (slow, fast) = figures(name).filter(|(slow, fast)| slow - fast > *least)?;
        let clause = Message::new(&format!("why-{name}"));
        let clause = clause.with("slow", Value::Share(slow));
        Some(clause.with("fast", Value::Share(fast)))
    }));
    if parts.is_empty() {
        return None;
    }
    let line = message!(
        "why-line",
        slow,
        fast,
        is_only = document.workloads.len() == 1,
        workload = &found.workload,
        parts = Value::Clauses(parts)
    );
    let word = Text::default().and(Look::Strong, text(document, "why"));
    Some(word.and(Look::Plain, say(document, &line)))
}

/// The parts of a throughput ratio above 1 that explain a noticeable share of its logarithm, the
/// larger one first. `figures` has a figure of the slower and the faster target.
fn speed_parts(ratio: f64, figures: &dyn Fn(&str) -> Option<(f64, f64)>) -> Vec<Message> {
    let Some((alone, served)) = figures("alone_seconds").zip(figures("served")) else {
        return Vec::new();
    };
    let mut parts = vec![part("why-alone", alone, alone.0 / alone.1, Value::Seconds)];
    let shares = figures("served_share").unwrap_or((1.0, 1.0));
    if shares.0.max(shares.1) <= MOST_SERVED {
        let served = (served.0 / shares.0.max(1.0), served.1 / shares.1.max(1.0));
        parts.push(part(
            "why-served",
            served,
            served.1 / served.0,
            Value::Ratio,
        ));
    }
    parts.sort_by(|one, other| other.0.total_cmp(&one.0));
    let explains = |times: f64| times > WORTH_SAYING && times.ln() >= LEAST_PART * ratio.ln();
    let parts = parts.into_iter().filter(|(times, _)| explains(*times));
    parts.map(|(_, clause)| clause).collect()
}

/// The CPU time for a request, if the slower target certainly needs more and that explains a
/// noticeable share of the difference: of the time between two responses, and of the time of one
/// request alone, if known. A request of 40 ms is not slow because of 6 µs of CPU time.
fn cpu_part(
    document: &Document,
    found: &Comparison,
    [slow, fast]: [&str; 2],
    alone: Option<(f64, f64)>,
) -> Option<Message> {
    let of = |target: &str| {
        let mut results = document.results_of(&found.workload);
        results.find(|it| it.target == target)
    };
    let (of_slow, of_fast) = (of(slow)?, of(fast)?);
    let cpu = (of_slow.server_cpu?.value, of_fast.server_cpu?.value);
    let ratio = cpu_ratio(document, found, slow)?;
    let between_responses = |result: &ResultOf| Some(result.throughput?.value.recip());
    let apart = between_responses(of_slow)? - between_responses(of_fast)?;
    let apart_alone = alone.map_or(0.0, |(slow, fast)| slow - fast);
    let explains = cpu.0 - cpu.1 >= LEAST_PART * apart.max(apart_alone);
    let (times, clause) = part("why-cpu", cpu, cpu.0 / cpu.1, Value::Seconds);
    let is_said = times > WORTH_SAYING && ratio.1.low > 1.0 && explains;
    is_said.then(|| with_interval(clause, ratio))
}

/// The CPU time of the slower target ÷ that of the faster one, paired by block, with its interval.
fn cpu_ratio(document: &Document, found: &Comparison, slow: &str) -> Option<(f64, Interval)> {
    let is_same = |it: &&Comparison| {
        matches!(it.metric, MetricName::Known(Metric::ServerCpu))
            && it.workload == found.workload
            && it.baseline == found.baseline
            && it.challenger == found.challenger
    };
    let cpu = document.comparisons.iter().find(is_same)?;
    let (value, interval) = (cpu.ratio?.value, cpu.ratio?.interval?);
    if cpu.challenger == slow {
        return Some((value, interval));
    }
    let inverse = Interval {
        low: interval.high.recip(),
        high: interval.low.recip(),
        confidence: interval.confidence,
    };
    (interval.low > 0.0).then(|| (value.recip(), inverse))
}

fn with_interval(clause: Message, (value, interval): (f64, Interval)) -> Message {
    clause
        .with("times", Value::Ratio(value))
        .with("low", Value::Ratio(interval.low))
        .with("high", Value::Ratio(interval.high))
        .with("confidence", Value::Fixed(100.0 * interval.confidence, 0))
}

/// A part of a difference: how many times as slow it makes the target, and its clause.
fn part(id: &str, of: (f64, f64), times: f64, unit: fn(f64) -> Value) -> (f64, Message) {
    let clause = Message::new(id)
        .with("times", Value::Ratio(of.0 / of.1))
        .with("slow", unit(of.0))
        .with("fast", unit(of.1));
    (times, clause)
}
