//! Chart of throughput, latency, errors and the target's CPU over the time of the run.

mod details;

use tenbin_result::format::{RATE, SHARE, TIME, UNKNOWN, Unit, digits};
use tenbin_result::{Document, Message, SliceFigures, Value, message};

use super::groups::{Group, grouped, size};
use super::time::TimeAxis;
use crate::block::{Block, Cell, Table};
use crate::chart::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};
use crate::language::say;

/// Maximum number of workloads drawn.
const WORKLOADS: usize = 4;
/// Maximum number of points per target in a panel.
const POINTS: usize = 60;
/// Maximum number of points in the panels of one figure, of all targets and workloads: each point has a
/// tooltip and a row of details on the page.
const ALL_POINTS: usize = 120;
/// Number of points per target that is kept with many targets or workloads.
const FEWEST: usize = 15;
/// Largest ratio of the longest to the shortest time that is drawn on a linear axis.
const WIDE: f64 = 8.0;

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let works = document.workloads.iter().map(|work| work.name.as_str());
    let measured = works.filter(|work| of_work(document, work).take(2).count() > 1);
    let measured: Vec<&str> = measured.collect();
    let charts = measured.len().min(WORKLOADS) * document.targets.len();
    let most = (ALL_POINTS / charts.max(1)).clamp(FEWEST, POINTS);
    let shown = measured.iter().take(WORKLOADS).enumerate();
    let drawn = shown.filter_map(|(at, work)| of_workload(document, work, at == 0, most));
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

fn of_workload(
    document: &Document,
    work: &str,
    is_first: bool,
    most_points: usize,
) -> Option<Block> {
    let slices: Vec<&SliceFigures> = of_work(document, work).collect();
    let time = TimeAxis::of(slices.iter().copied());
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
    let size = size(most, most_points);
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
        let mut rows = 0;
        let series = targets.iter().map(|(place, target, slices)| {
            let figures = Figures {
                pick,
                unit: unit_of(&axis),
                first_row: rows,
            };
            rows += slices.len().div_ceil(size);
            Series {
                name: (*target).to_owned(),
                place: *place,
                style: if size == 1 {
                    Style::Joined
                } else {
                    Style::Banded
                },
                points: points(document, slices, &figures, size, time.unit),
            }
        });
        let series: Vec<Series> = series.collect();
        Panel {
            borders: borders.clone(),
            ..Panel::new(title, axis, series)
        }
    });
    // A panel of failures is omitted if no operation failed.
    let panels: Vec<Panel> = drawn.filter(rises).collect();
    if panels.is_empty() {
        return None;
    }
    let about = about(size, !borders.is_empty());
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
            details: details::table(document, &targets, size),
            settling: time.settling(document, slices.iter().copied()),
        }),
        table: table(&targets, size),
        file: is_first.then_some("timeline.svg"),
    };
    Some(Block::Chart(Box::new(chart)))
}

/// What a point of the chart is.
fn about(size: usize, has_borders: bool) -> Message {
    let points = match (size, has_borders) {
        (1, true) => "marked",
        (1, false) => "slices",
        _ => "medians",
    };
    message!(
        "about-over-time",
        points = Value::Word(points.to_owned()),
        size
    )
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

/// The figures of a panel.
struct Figures {
    pick: Pick,
    /// Unit of the figures; `None` for numbers.
    unit: Option<Unit>,
    /// Index of the row of the details about the first point of the target.
    first_row: usize,
}

impl Figures {
    fn text(&self, value: f64) -> String {
        self.unit
            .map_or_else(|| digits(value), |unit| unit.of(value))
    }
}

fn unit_of(axis: &Axis) -> Option<Unit> {
    match axis.marks {
        Marks::Unit(unit) => Some(unit),
        _ => None,
    }
}

fn points(
    document: &Document,
    slices: &[&SliceFigures],
    figures: &Figures,
    size: usize,
    unit: f64,
) -> Vec<Point> {
    let picked: Vec<Option<f64>> = slices.iter().map(|slice| (figures.pick)(slice)).collect();
    let groups = grouped(&picked, size);
    let points = groups.iter().enumerate().filter_map(|(at, group)| {
        let (first, last) = (slices[group.first], slices[group.last]);
        let mine = &slices[group.first..=group.last];
        Some(Point {
            x: (first.start? + last.end()?) / 2.0 / unit,
            y: group.middle,
            ends: group.ends,
            said: said(document, mine, group, figures),
            flagged: mine.iter().all(|slice| !slice.flags.is_empty()),
            detail: Some(figures.first_row + at),
        })
    });
    points.collect()
}

/// Tooltip of a point: slice, time, figure and flags.
fn said(document: &Document, slices: &[&SliceFigures], group: &Group, figures: &Figures) -> String {
    let (Some(value), [first, ..]) = (group.middle, slices) else {
        return String::new();
    };
    let range = |(low, high)| format!("{}–{}", figures.text(low), figures.text(high));
    let ends = group.ends.map(range).unwrap_or_default();
    let flags = details::flags(document, slices);
    let point = message!(
        "point-over-time",
        target = &first.target,
        slices = details::numbers(slices),
        start = Value::Fixed(first.start.unwrap_or_default(), 1),
        value = figures.text(value),
        ranged = !ends.is_empty(),
        ends,
        flagged = !flags.is_empty(),
        flags
    );
    say(document, &point)
}

fn table(targets: &[(usize, &str, Vec<&SliceFigures>)], size: usize) -> Option<Table> {
    let head = [
        "target", "slices", "start", "throughput", "p50", "p99", "failed", "CPU, cores",
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
    table.filled()
}
