//! The chart of a series: a dot with its interval for each run, and the level as a line.

use tenbin_result::{HistoryPoint, HistorySeries, Language, message};

use super::words::day;
use super::{title, value};
use crate::block::Block;
use crate::chart::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};
use crate::language::say_in;

/// Most dots: with more runs, only the newest are drawn.
const DOTS: usize = 400;
/// Number of dates below the chart.
const DATES: usize = 6;

/// The chart; `None` with fewer than two runs.
pub(super) fn chart(series: &HistorySeries, language: Language) -> Option<Block> {
    let skipped = series.points.len().saturating_sub(DOTS);
    let points = &series.points[skipped..];
    if points.len() < 2 {
        return None;
    }
    let dots = points.iter().enumerate().map(|(at, point)| Point {
        x: at as f64,
        y: point.value.map(|figure| figure.value),
        ends: point
            .value
            .and_then(|it| it.interval)
            .map(|it| (it.low, it.high)),
        said: point.value.map_or_else(String::new, |figure| {
            format!("{}: {}", point.run, value(series, figure.value))
        }),
        flagged: point.outlier || point.imported,
        detail: None,
    });
    let of = |name: &str, style, points: Vec<Point>| Series {
        name: name.to_owned(),
        place: 0,
        style,
        points,
    };
    let axis = match (&series.anchor, series.metric.known()) {
        (None, Some(metric)) => Axis::logarithmic(String::new(), metric.unit()),
        _ => Axis::of_ratios("ratio"),
    };
    let first_after = |run: &String| points.iter().position(|point| point.run == *run);
    let borders = series.changes.iter().filter_map(|it| first_after(&it.run));
    let panel = Panel {
        borders: borders.map(|at| at as f64 - 0.5).collect(),
        ..Panel::new(
            String::new(),
            axis,
            vec![
                of("level", Style::Line, steps(points)),
                of("run", Style::Dots, dots.collect()),
            ],
        )
    };
    let step = points.len().div_ceil(DATES).max(1);
    let dates = points.iter().enumerate().step_by(step);
    let about = message!(
        "history-about",
        relative = series.anchor.is_some(),
        skipped = skipped as u64
    );
    Some(Block::Chart(Box::new(Chart {
        title: title(series, language),
        about: say_in(language, &about),
        drawing: Drawing::Panels(Panels {
            x: Axis {
                title: "run".to_owned(),
                logarithmic: false,
                marks: Marks::Fixed(
                    dates
                        .map(|(at, it)| (at as f64, moment(points, &it.started)))
                        .collect(),
                ),
                from_zero: false,
            },
            span: None,
            panels: vec![panel],
            details: None,
            settling: Vec::new(),
        }),
        table: None,
        file: None,
    })))
}

/// The day of a run, or the time of day if all runs are of one day.
fn moment(points: &[HistoryPoint], started: &str) -> String {
    let first = points.first().map(|point| day(&point.started));
    let is_one_day =
        first.is_some_and(|first| points.iter().all(|it| it.started.starts_with(&first)));
    match started.get(11..16) {
        Some(time) if is_one_day && points.len() > 1 => time.to_owned(),
        _ => day(started),
    }
}

/// The level as a line with a step between two runs.
fn steps(points: &[HistoryPoint]) -> Vec<Point> {
    let at = |x: f64, y: Option<f64>| Point {
        x,
        y,
        ..Point::default()
    };
    let mut steps: Vec<Point> = Vec::with_capacity(points.len());
    let mut before: Option<&HistoryPoint> = None;
    for (place, point) in points.iter().enumerate() {
        let x = place as f64;
        if let Some(before) = before.filter(|before| before.level != point.level) {
            steps.push(at(x - 0.5, before.level));
            steps.push(at(x - 0.5, point.level));
        }
        steps.push(at(x, point.level));
        before = Some(point);
    }
    steps
}
