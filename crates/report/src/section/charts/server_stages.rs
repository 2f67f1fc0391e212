//! Chart of the time by server stage: one bar per target and percentile band of service times.

use tenbin_result::format::TIME;
use tenbin_result::{Document, Figure, ResultOf, StageBand, StagesOf, message};

use super::super::stages::table;
use crate::block::Block;
use crate::chart::{Bar, BarGroup, Bars, Chart, Drawing};
use crate::language::say;
use crate::stages::{band_name, operations};

/// Maximum number of charts.
const CHARTS: usize = 6;
/// Maximum number of stages with their own colour; the other stages are summed up.
const STAGES: usize = 4;
/// Largest excess of the sum of the stages over the total time that counts as rounding, as a share
/// of the total time. Without a reported total time, the service time is used.
const SLACK: f64 = 0.01;

const OTHERS: &str = "other stages";
const REST: &str = "rest of the server total";
const OUTSIDE: &str = "network and client";
const UNNAMED: &str = "rest of the service time";

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let works = document.workloads.iter();
    let all = works.flat_map(|work| {
        let operations = operations(document, &work.name).into_iter();
        operations.map(move |operation| (work.name.as_str(), operation))
    });
    let charts = all.filter_map(|(workload, operation)| chart(document, workload, operation));
    let mut charts: Vec<Chart> = charts.take(CHARTS).collect();
    if let Some(first) = charts.first_mut() {
        first.file = Some("server-stages.svg");
    }
    let blocks = charts.into_iter();
    blocks.map(|chart| Block::Chart(Box::new(chart))).collect()
}

fn chart(document: &Document, workload: &str, operation: &str) -> Option<Chart> {
    let of_result = |result: &'_ ResultOf| -> Option<usize> {
        let mut stages = result.stages.iter();
        stages.position(|it| it.operation == operation && it.carrying > 0)
    };
    let targets: Vec<(&str, &StagesOf)> = document
        .results_of(workload)
        .filter_map(|result| Some((result.target.as_str(), &result.stages[of_result(result)?])))
        .collect();
    let names = largest(&targets);
    let mut parts: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    parts.extend([OTHERS, REST, OUTSIDE, UNNAMED].map(str::to_owned));
    let mut overlap = Vec::new();
    let mut groups = Vec::new();
    for (at, band) in StageBand::ALL.into_iter().enumerate() {
        let mut bars = Vec::new();
        for (target, stages) in &targets {
            match bar(stages, at, &names) {
                Some(Stacked { parts, overlaps }) => {
                    if overlaps && !overlap.contains(target) {
                        overlap.push(*target);
                    }
                    bars.push(Bar {
                        name: (*target).to_owned(),
                        said: TIME.of(parts.iter().map(|(_, length)| length).sum()),
                        parts,
                    });
                }
                None => continue,
            }
        }
        if !bars.is_empty() {
            groups.push(BarGroup {
                title: format!("{} of the requests", band_name(band)),
                bars,
            });
        }
    }
    let used = |part: usize| {
        let mut bars = groups.iter().flat_map(|group| &group.bars);
        bars.any(|bar| bar.parts.iter().any(|(known, _)| *known == part))
    };
    // The legend omits parts that no bar has.
    let kept: Vec<usize> = (0..parts.len()).filter(|part| used(*part)).collect();
    for bar in groups.iter_mut().flat_map(|group| &mut group.bars) {
        for (part, _) in &mut bar.parts {
            *part = kept.iter().position(|known| known == part)?;
        }
    }
    if groups.is_empty() {
        return None;
    }
    let title = message!("stages-of", workload, operation);
    Some(Chart {
        title: say(document, &title),
        about: about(&overlap),
        drawing: Drawing::Bars(Bars {
            unit: TIME,
            parts: kept.iter().map(|part| parts[*part].clone()).collect(),
            groups,
        }),
        table: table(document, workload, operation),
        file: None,
    })
}

fn about(overlap: &[&str]) -> String {
    let mut text = "Mean time of the requests in a band of service times, by the stages that the \
                    target reports. Each band has its own axis."
        .to_owned();
    if !overlap.is_empty() {
        text += &format!(
            " The stages of {} overlap: their sum is longer than the time that contains them, so only \
             the total is drawn and the table has the stages.",
            overlap.join(", ")
        );
    }
    text
}

/// The [`STAGES`] stages that take longest over all bands and targets, in order of first
/// occurrence.
fn largest<'a>(targets: &[(&str, &'a StagesOf)]) -> Vec<&'a str> {
    let mut sums: Vec<(&str, f64)> = Vec::new();
    for stage in targets.iter().flat_map(|(_, stages)| &stages.stages) {
        let time: f64 = stage.bands.iter().flatten().map(|mean| mean.value).sum();
        match sums.iter_mut().find(|(known, _)| *known == stage.stage) {
            Some((_, sum)) => *sum += time,
            None => sums.push((&stage.stage, time)),
        }
    }
    let mut by_size = sums.clone();
    by_size.sort_by(|one, other| other.1.total_cmp(&one.1));
    by_size.truncate(STAGES);
    let is_large = |name: &str| by_size.iter().any(|(known, _)| *known == name);
    let names = sums.into_iter().map(|(name, _)| name);
    names.filter(|name| is_large(name)).collect()
}

/// The parts of a bar, and whether the stages overlap.
struct Stacked {
    /// Index of the part (first the largest stages, then the other parts) and time, seconds.
    parts: Vec<(usize, f64)>,
    /// Whether the sum of the stages exceeds the total time by more than [`SLACK`], so that stages
    /// must have run in parallel.
    overlaps: bool,
}

/// The bar of a target in one band; `None` if no time is known for the band.
fn bar(stages: &StagesOf, band: usize, names: &[&str]) -> Option<Stacked> {
    let known = stages.bands.get(band)?;
    let [others, rest, outside, unnamed] = [0, 1, 2, 3].map(|after| names.len() + after);
    let value = |figure: Option<Figure>| figure.map(|figure| figure.value);
    let mut parts: Vec<(usize, f64)> = Vec::new();
    let mut other = 0.0;
    for stage in &stages.stages {
        let Some(mean) = stage.bands.get(band).copied().and_then(value) else {
            continue;
        };
        match names.iter().position(|name| *name == stage.stage) {
            Some(part) => parts.push((part, mean)),
            None => other += mean,
        }
    }
    parts.sort_by_key(|(part, _)| *part);
    if other > 0.0 {
        parts.push((others, other));
    }
    let sum: f64 = parts.iter().map(|(_, mean)| mean).sum();
    let (total, service) = (value(known.total), value(known.service));
    let around = total.or(service)?;
    let overlaps = sum > around * (1.0 + SLACK);
    if overlaps {
        parts.clear();
    }
    let left = if overlaps { around } else { around - sum };
    if left > around * SLACK {
        parts.push((if total.is_some() { rest } else { unnamed }, left));
    }
    if let Some(remainder) = value(known.remainder).filter(|_| total.is_some()) {
        parts.push((outside, remainder));
    }
    parts.retain(|(_, length)| *length > 0.0);
    (!parts.is_empty()).then_some(Stacked { parts, overlaps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::{StageBandResult, StageResult};

    fn figure(value: f64) -> Option<Figure> {
        Some(Figure {
            value,
            interval: None,
            n: 1,
        })
    }

    /// Two stages with mean times `lengths`, s, in a request of 10 s.
    fn stages(lengths: [f64; 2], total: Option<f64>) -> StagesOf {
        let stage = |name: &str, length: f64| StageResult {
            stage: name.to_owned(),
            named: 1.0,
            bands: vec![figure(length)],
        };
        StagesOf {
            operation: "GET".to_owned(),
            answers: 1,
            carrying: 1,
            unreadable: 0,
            bands: vec![StageBandResult {
                band: StageBand::FastestHalf,
                service: figure(10.0),
                total: total.and_then(figure),
                remainder: total.and_then(|total| figure(10.0 - total)),
                carrying: figure(1.0),
            }],
            stages: vec![stage("a", lengths[0]), stage("b", lengths[1])],
        }
    }

    #[test]
    fn the_parts_of_a_bar_add_up_to_the_service_time() {
        for (stages, expected) in [
            (
                stages([2.0, 3.0], Some(7.0)),
                vec![(0, 2.0), (1, 3.0), (3, 2.0), (4, 3.0)],
            ),
            (
                stages([2.0, 5.0], Some(7.0)),
                vec![(0, 2.0), (1, 5.0), (4, 3.0)],
            ),
            (stages([2.0, 3.0], None), vec![(0, 2.0), (1, 3.0), (5, 5.0)]),
        ] {
            let stacked = bar(&stages, 0, &["a", "b"]).expect("a bar");
            assert_eq!(stacked.parts, expected);
            assert!(!stacked.overlaps);
            let sum: f64 = stacked.parts.iter().map(|(_, length)| length).sum();
            assert!((sum - 10.0).abs() < 1e-9);
        }
    }

    #[test]
    fn stages_that_overlap_are_not_stacked() {
        let stacked = bar(&stages([5.0, 4.0], Some(7.0)), 0, &["a", "b"]).expect("a bar");
        assert!(stacked.overlaps);
        assert_eq!(
            stacked.parts,
            [(3, 7.0), (4, 3.0)],
            "the total, and the rest"
        );
        let stacked = bar(&stages([9.0, 4.0], None), 0, &["a", "b"]).expect("a bar");
        assert_eq!((stacked.overlaps, stacked.parts), (true, vec![(5, 10.0)]));
    }

    #[test]
    fn small_stages_are_summed_up() {
        let stacked = bar(&stages([2.0, 3.0], Some(7.0)), 0, &["b"]).expect("a bar");
        assert_eq!(stacked.parts, [(0, 3.0), (1, 2.0), (2, 2.0), (3, 3.0)]);
    }
}
