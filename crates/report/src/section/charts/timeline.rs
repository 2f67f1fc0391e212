//! Chart of throughput, latency, errors and the target's CPU over the time of the run.

use tenbin_result::format::{RATE, SHARE, TIME, UNKNOWN};
use tenbin_result::{Document, SliceFigures, Value, message};

use super::groups::{grouped, size};
use super::time::TimeAxis;
use crate::block::{Block, Cell, Table};
use crate::chart::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};
use crate::language::say;

/// Maximum number of workloads drawn.
const WORKLOADS: usize = 4;
/// Maximum number of points per target in a panel.
const POINTS: usize = 60;
/// Largest ratio of the longest to the shortest time that is drawn on a linear axis.
const WIDE: f64 = 8.0;

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let works = document.workloads.iter().map(|work| work.name.as_str());
    let measured = works.filter(|work| of_work(document, work).take(2).count() > 1);
    let measured: Vec<&str> = measured.collect();
    let shown = measured.iter().take(WORKLOADS).enumerate();
    let drawn = shown.filter_map(|(at, work)| of_workload(document, work, at == 0));
    let mut blocks: Vec<Block> = drawn.collect();
    if measured.len() > WORKLOADS {
        blocks.push(Block::sentence(&format!(
            "{WORKLOADS} of {} workloads; the figures of all slices are in the section Slices",
            measured.len()
        )));
    }
    blocks
}

fn of_work<'a>(document: &'a Document, work: &'a str) -> impl Iterator<Item = &'a SliceFigures> {
    document
        .slices
        .iter()
        .filter(move |slice| slice.workload == work)
}

type Pick = fn(&SliceFigures) -> Option<f64>;

/// Title, vertical axis and figure of each panel.
fn panels() -> [(&'static str, Axis, Pick); 5] {
    let cores = Axis {
        marks: Marks::Numbers,
        ..Axis::of("", SHARE)
    };
    [
        ("throughput", Axis::of("", RATE), |slice| slice.throughput),
        ("p50", Axis::logarithmic("", TIME), |slice| slice.p50),
        ("p99", Axis::logarithmic("", TIME), |slice| slice.p99),
        (
            "failed, share of requests",
            Axis::of("", SHARE),
            SliceFigures::failed_share,
        ),
        ("server CPU, cores", cores, cores_used),
    ]
}

fn cores_used(slice: &SliceFigures) -> Option<f64> {
    let used = slice.server_cpu?;
    let seconds = slice.seconds.filter(|seconds| *seconds > 0.0)?;
    Some(used / seconds)
}

fn of_workload(document: &Document, work: &str, is_first: bool) -> Option<Block> {
    let slices: Vec<&SliceFigures> = of_work(document, work).collect();
    let time = TimeAxis::of(slices.iter().copied());
    let unit = time.unit;
    let of_target = |target: &str| -> Vec<&SliceFigures> {
        let mine = slices.iter().filter(|slice| slice.target == target);
        mine.copied().collect()
    };
    let targets: Vec<(usize, &str, Vec<&SliceFigures>)> = document
        .targets
        .iter()
        .enumerate()
        .map(|(place, target)| (place, target.name.as_str(), of_target(&target.name)))
        .collect();
    let most = targets.iter().map(|(.., slices)| slices.len()).max()?;
    let size = size(most, POINTS);
    let borders = time.borders(slices.iter().copied());
    let drawn = panels().into_iter().map(|(title, axis, pick)| {
        let axis = if is_wide(&slices, pick) {
            axis
        } else {
            Axis {
                logarithmic: false,
                from_zero: true,
                ..axis
            }
        };
        let series = targets.iter();
        let series = series.map(|(place, target, slices)| Series {
            name: (*target).to_owned(),
            place: *place,
            style: if size == 1 {
                Style::Joined
            } else {
                Style::Banded
            },
            points: points(slices, pick, size, unit),
        });
        Panel {
            borders: borders.clone(),
            ..Panel::new(title, axis, series.collect())
        }
    });
    // A panel of failures is omitted if no operation failed.
    let panels: Vec<Panel> = drawn.filter(rises).collect();
    if panels.is_empty() {
        return None;
    }
    let points = match (size, borders.is_empty()) {
        (1, false) => "marked",
        (1, true) => "slices",
        _ => "medians",
    };
    let about = message!(
        "about-over-time",
        points = Value::Word(points.to_owned()),
        size = size
    );
    let title = message!(
        "over-time",
        several = document.workloads.len() > 1,
        workload = work
    );
    let chart = Chart {
        title: say(document, &title),
        about: say(document, &about),
        drawing: Drawing::Panels(Panels {
            x: time.axis(document),
            span: Some(time.span),
            panels,
        }),
        table: table(&targets, size),
        file: is_first.then_some("timeline.svg"),
    };
    Some(Block::Chart(Box::new(chart)))
}

/// Whether the figures differ so much that a linear axis from 0 would hide the smaller figures.
fn is_wide(slices: &[&SliceFigures], pick: Pick) -> bool {
    let known = slices.iter().filter_map(|slice| pick(slice));
    let (low, high) = known.fold((f64::INFINITY, 0.0_f64), |(low, high), figure| {
        (low.min(figure), high.max(figure))
    });
    high > low * WIDE
}

/// Whether any point of a panel is above 0.
fn rises(panel: &Panel) -> bool {
    let mut points = panel.series.iter().flat_map(|series| &series.points);
    points.any(|point| point.y.is_some_and(|figure| figure > 0.0))
}

fn points(slices: &[&SliceFigures], pick: Pick, size: usize, unit: f64) -> Vec<Point> {
    let figures: Vec<Option<f64>> = slices.iter().map(|slice| pick(slice)).collect();
    let groups = grouped(&figures, size);
    let points = groups.iter().filter_map(|group| {
        let (first, last) = (slices[group.first], slices[group.last]);
        let mine = &slices[group.first..=group.last];
        Some(Point {
            x: (first.start? + last.end()?) / 2.0 / unit,
            y: group.middle,
            ends: group.ends,
            said: match size {
                1 => format!("{}, slice {}", first.target, first.index),
                _ => format!("{}, slices {}–{}", first.target, first.index, last.index),
            },
            flagged: mine.iter().all(|slice| !slice.flags.is_empty()),
        })
    });
    points.collect()
}

fn table(targets: &[(usize, &str, Vec<&SliceFigures>)], size: usize) -> Option<Table> {
    let head = [
        "target",
        "slices",
        "start",
        "throughput",
        "p50",
        "p99",
        "failed",
        "CPU, cores",
    ];
    let mut table = Table::new(2, head);
    for (_, target, slices) in targets {
        let of = |pick: Pick| {
            let figures: Vec<Option<f64>> = slices.iter().map(|slice| pick(slice)).collect();
            grouped(&figures, size)
        };
        let columns = panels().map(|(_, _, pick)| of(pick));
        for (at, group) in columns[0].iter().enumerate() {
            let (first, last) = (slices[group.first], slices[group.last]);
            let named = match size {
                1 => first.index.to_string(),
                _ => format!("{}–{}", first.index, last.index),
            };
            let value = |column: usize| columns[column].get(at).and_then(|group| group.middle);
            table.push([
                (*target).into(),
                named.into(),
                Cell::from(
                    first
                        .start
                        .map_or_else(|| UNKNOWN.to_owned(), |start| format!("{start:.1} s")),
                ),
                Cell::once(RATE, value(0)),
                Cell::once(TIME, value(1)),
                Cell::once(TIME, value(2)),
                Cell::once(SHARE, value(3)),
                value(4)
                    .map_or_else(|| UNKNOWN.to_owned(), |cores| format!("{cores:.2}"))
                    .into(),
            ]);
        }
    }
    match table.block()? {
        Block::Table(table) => Some(table),
        _ => None,
    }
}
