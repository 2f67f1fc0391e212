//! Chart of what a difference in speed costs the server: ratio of speeds against ratio of CPU times
//! per operation.

use tenbin_result::format::ratio;
use tenbin_result::{Comparison, Document, Figure, Message, Metric, Value, message};

use super::super::claims::{metric, verdict_word};
use super::super::closing::interval;
use crate::block::{Block, Cell, Table};
use crate::chart::{Chart, Drawing, Plane, PlanePoint};
use crate::cost::{ABOUT_WHOLE_HOST, covers_whole_host};
use crate::language;

const TITLE: &str = "Cost and speed";
/// Maximum number of points.
const POINTS: usize = 60;

/// The comparisons of speed and cost for one workload and challenger.
struct Pair<'a> {
    speed: &'a Comparison,
    /// Ratio of the speeds, above 1 if the challenger is faster.
    faster: Figure,
    cpu: &'a Comparison,
    cost: Figure,
}

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let works = document.workloads.iter();
    let pairs = works.flat_map(|work| {
        let challengers = document.challengers();
        challengers.filter_map(|it| pair(document, &work.name, &it.name))
    });
    let pairs: Vec<Pair<'_>> = pairs.collect();
    let Some(baseline) = document.baseline() else {
        return Vec::new();
    };
    match pairs.as_slice() {
        [] => Vec::new(),
        [only] => vec![
            Block::heading(TITLE),
            Block::sentence(&one(document, &baseline.name, only)),
        ],
        several => vec![Block::Chart(Box::new(chart(
            document, &baseline.name, several,
        )))],
    }
}

/// A single pair as a sentence: a chart with one point says no more.
fn one(document: &Document, baseline: &str, pair: &Pair<'_>) -> String {
    let ends = |figure: Figure| interval(figure.interval.map(|ends| (ends.low, ends.high)));
    let sentence = message!(
        "one-cost-and-speed",
        workload = &pair.speed.workload,
        speed = speed_of(pair.speed),
        faster = Value::Ratio(pair.faster.value),
        speed_interval = ends(pair.faster),
        cost = Value::Ratio(pair.cost.value),
        cost_interval = ends(pair.cost),
        challenger = &pair.speed.challenger,
        baseline,
        host = document.results.iter().any(covers_whole_host),
        scope = language::text(document, ABOUT_WHOLE_HOST)
    );
    language::say(document, &sentence)
}

/// The chart of several pairs.
fn chart(document: &Document, baseline: &str, pairs: &[Pair<'_>]) -> Chart {
    let mut table = Table::new(
        2,
        [
            "workload", "target", "speed", "speed ratio", "verdict", "CPU/op ratio", "cost verdict",
        ],
    );
    for pair in pairs.iter().take(POINTS) {
        table.push([
            pair.speed.workload.clone().into(),
            pair.speed.challenger.clone().into(),
            language::say(document, &speed_of(pair.speed)).into(),
            Cell::Ratio(Some(pair.faster)),
            verdict_word(pair.speed).into(),
            Cell::Ratio(Some(pair.cost)),
            verdict_word(pair.cpu).into(),
        ]);
    }
    Chart {
        title: TITLE.to_owned(),
        about: about(document, baseline, pairs),
        drawing: Drawing::Plane(Plane {
            axes: axes(document, baseline, pairs),
            quarters: [
                "slower, costs more", "faster, costs more", "slower, costs less",
                "faster, costs less",
            ]
            .map(str::to_owned),
            points: pairs
                .iter()
                .take(POINTS)
                .map(|pair| point(document, pair))
                .collect(),
        }),
        table: Some(table),
        file: Some("cost-and-speed.svg"),
    }
}

/// Finds the comparison of speed (the primary one, otherwise throughput) and the comparison of CPU
/// time; `None` if either has no ratio.
fn pair<'a>(document: &'a Document, workload: &'a str, challenger: &'a str) -> Option<Pair<'a>> {
    let all = || {
        let all = document.comparisons_of(workload);
        all.filter(|it| it.challenger == challenger && !it.twin && it.ratio.is_some())
    };
    let cpu = all().find(|it| it.metric == Metric::ServerCpu)?;
    let decides = all().find(|it| it.primary && it.metric != Metric::ServerCpu);
    let speed = decides.or_else(|| all().find(|it| it.metric == Metric::Throughput))?;
    Some(Pair {
        faster: if speed.higher_is_better {
            speed.ratio?
        } else {
            inverse(speed.ratio?)?
        },
        cost: cpu.ratio?,
        speed,
        cpu,
    })
}

/// Converts a ratio of times to a ratio of speeds: a third of the time is three times as fast.
fn inverse(figure: Figure) -> Option<Figure> {
    let interval = figure.interval.filter(|ends| ends.low > 0.0);
    (figure.value > 0.0).then(|| Figure { interval, ..figure }.inverse())
}

fn speed_of(comparison: &Comparison) -> Message {
    if comparison.higher_is_better {
        metric(comparison)
    } else {
        message!("inverse-of", metric = metric(comparison))
    }
}

/// The axes of speed and of cost.
fn axes(document: &Document, baseline: &str, pairs: &[Pair<'_>]) -> [String; 2] {
    let mut speeds: Vec<Message> = pairs.iter().map(|pair| speed_of(pair.speed)).collect();
    speeds.dedup();
    let speed = match speeds.as_slice() {
        [only] => only.clone(),
        _ => message!("decides-as-speed"),
    };
    [speed, message!("cpu-per-operation")].map(|figure| {
        let axis = message!("ratio-to", figure, baseline);
        language::say(document, &axis)
    })
}

fn about(document: &Document, baseline: &str, pairs: &[Pair<'_>]) -> String {
    let about = message!(
        "about-cost-and-speed",
        baseline,
        host = document.results.iter().any(covers_whole_host),
        scope = language::text(document, ABOUT_WHOLE_HOST),
        others = pairs.len() > POINTS,
        shown = POINTS,
        all = pairs.len()
    );
    language::say(document, &about)
}

fn point(document: &Document, pair: &Pair<'_>) -> PlanePoint {
    let several = document.challengers().nth(1).is_some();
    let mut targets = document.targets.iter();
    let place = targets.position(|target| target.name == pair.speed.challenger);
    let doubt = pair.speed.trust.max(pair.cpu.trust);
    PlanePoint {
        place: place.unwrap_or_default(),
        name: pair.speed.challenger.clone(),
        label: match (document.workloads.len(), several) {
            (1, true) => String::new(),
            (1, false) => pair.speed.challenger.clone(),
            _ => pair.speed.workload.clone(),
        },
        at: [pair.faster, pair.cost],
        doubtful: doubt != tenbin_result::Trust::Valid,
        said: format!(
            "{}, {}: speed {}, CPU time per operation {}",
            pair.speed.workload,
            pair.speed.challenger,
            ratio(pair.faster.value),
            ratio(pair.cost.value)
        ),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_result::Interval;

    use super::*;

    #[test]
    fn half_of_the_time_is_twice_as_fast() {
        let figure = Figure {
            value: 0.5,
            interval: Some(Interval {
                low: 0.4,
                high: 0.8,
                confidence: 0.95,
            }),
            n: 8,
        };
        let faster = inverse(figure).expect("a ratio");
        let ends = faster.interval.expect("an interval");
        assert_eq!((faster.value, ends.low, ends.high), (2.0, 1.25, 2.5));
        let zero = Figure {
            value: 0.0,
            ..figure
        };
        assert_eq!(inverse(zero), None);
    }
}
