//! Chart of failed operations by class, over the time of the run.

use std::collections::BTreeMap;

use tenbin_result::Document;
use tenbin_result::format::count;

use super::time::TimeAxis;
use crate::block::{Block, Table};
use crate::chart::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};

/// Maximum number of classes drawn.
const CLASSES: usize = 6;
/// Maximum number of time intervals.
const INTERVALS: f64 = 120.0;
/// Largest ratio of the largest to the smallest count that is drawn on a linear axis.
const WIDE: u64 = 30;

/// Key of a count of failures: index of the time interval, index of the target, workload.
type At<'a> = (u64, usize, &'a str);

/// The failures of one class.
struct Class<'a> {
    name: &'a str,
    failed: BTreeMap<At<'a>, u64>,
}

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let time = TimeAxis::of(document.slices.iter());
    let width = width(time.span.1 * time.unit);
    let classes = classes(document, width);
    let all: u64 = classes.iter().map(Class::sum).sum();
    if all == 0 {
        return Vec::new();
    }
    let borders = time.borders(document.slices.iter());
    let panels = classes.iter().take(CLASSES).map(|class| Panel {
        borders: borders.clone(),
        ..panel(document, class, width, time.unit)
    });
    let chart = Chart {
        title: "Errors by class and time".to_owned(),
        about: about(document, &classes, width, !borders.is_empty()),
        drawing: Drawing::Panels(Panels {
            x: time.axis(document),
            span: Some(time.span),
            panels: panels.collect(),
            details: None,
            settling: time.settling(document, document.slices.iter()),
        }),
        table: Some(table(document, &classes, width)),
        file: Some("errors.svg"),
    };
    vec![Block::Chart(Box::new(chart))]
}

impl Class<'_> {
    fn sum(&self) -> u64 {
        self.failed.values().sum()
    }
}

/// Length of a time interval, whole seconds: one second, or longer if the run has more than
/// [`INTERVALS`] seconds.
fn width(end: f64) -> f64 {
    (end / INTERVALS).ceil().max(1.0)
}

/// The failure classes that occurred, most frequent first.
fn classes(document: &Document, width: f64) -> Vec<Class<'_>> {
    let mut classes: Vec<Class<'_>> = Vec::new();
    for (slice, slice_start) in document
        .slices
        .iter()
        .filter_map(|it| Some((it, it.start?)))
    {
        let mut targets = document.targets.iter();
        let Some(place) = targets.position(|target| target.name == slice.target) else {
            continue;
        };
        for second in &slice.errors {
            let start = slice_start + second.second as f64;
            // Slices do not start at interval boundaries: a second of a slice belongs to the
            // interval that contains its middle.
            let interval = ((start + 0.5) / width).max(0.0).floor() as u64;
            for (name, count) in &second.by_class {
                let known = classes.iter().position(|class| class.name == name);
                let class = known.unwrap_or_else(|| {
                    classes.push(Class {
                        name,
                        failed: BTreeMap::new(),
                    });
                    classes.len() - 1
                });
                let at = (interval, place, slice.workload.as_str());
                *classes[class].failed.entry(at).or_default() += count;
            }
        }
    }
    classes.sort_by_key(|class| std::cmp::Reverse(class.sum()));
    classes
}

fn panel(document: &Document, class: &Class<'_>, width: f64, unit: f64) -> Panel {
    let mut by_target: BTreeMap<usize, BTreeMap<u64, u64>> = BTreeMap::new();
    for ((interval, place, _), count) in &class.failed {
        let intervals = by_target.entry(*place).or_default();
        *intervals.entry(*interval).or_default() += count;
    }
    let counts = || by_target.values().flat_map(BTreeMap::values).copied();
    let least = counts().min().unwrap_or(1).max(1);
    let axis = Axis {
        title: String::new(),
        logarithmic: counts().max().unwrap_or(1) > least * WIDE,
        marks: Marks::Numbers,
        from_zero: true,
    };
    let series = by_target.iter().map(|(place, intervals)| {
        let target = &document.targets[*place].name;
        let points = intervals.iter().map(|(interval, failed)| Point {
            x: (*interval as f64 + 0.5) * width / unit,
            y: Some(*failed as f64),
            said: format!(
                "{target}, {}: {} {}",
                from_to(*interval, width),
                count(*failed),
                class.name
            ),
            ..Point::default()
        });
        Series {
            name: target.clone(),
            place: *place,
            style: Style::Dots,
            points: points.collect(),
        }
    });
    // The sums name the targets, because a chart of one target has no legend.
    let sums = by_target.iter().map(|(place, intervals)| {
        let sum: u64 = intervals.values().sum();
        format!("{} on {}", count(sum), document.targets[*place].name)
    });
    let sums: Vec<String> = sums.collect();
    let title = format!("{}: {}", class.name, sums.join(", "));
    Panel {
        // A range up to at least 2 prevents tick marks between 0 and 1.
        least: (!axis.logarithmic).then_some((0.0, 2.0)),
        ..Panel::new(title, axis, series.collect())
    }
}

/// A time interval as text: `12–13 s`.
fn from_to(interval: u64, width: f64) -> String {
    let start = interval as f64 * width;
    format!("{start:.0}–{:.0} s", start + width)
}

fn about(document: &Document, classes: &[Class<'_>], width: f64, has_borders: bool) -> String {
    let interval = if width > 1.0 {
        format!("{width:.0} s")
    } else {
        "a second".to_owned()
    };
    let mut text = format!(
        "Each point is the number of operations of a target that failed in {interval}. Where there is no \
         point, none failed."
    );
    if document.workloads.len() > 1 {
        text += " All workloads are counted together.";
    }
    if has_borders {
        text += " Upright lines are the starts of slices.";
    }
    if classes.len() > CLASSES {
        text += &format!(
            " {CLASSES} of {} classes are drawn, the most frequent ones; the table has all.",
            classes.len()
        );
    }
    text
}

fn table(document: &Document, classes: &[Class<'_>], width: f64) -> Table {
    let mut rows: BTreeMap<At<'_>, Vec<(&str, u64)>> = BTreeMap::new();
    for class in classes {
        for (at, count) in &class.failed {
            rows.entry(*at).or_default().push((class.name, *count));
        }
    }
    let mut table = Table::new(1, ["time", "target", "workload", "class", "failures"]);
    for ((interval, place, workload), failed) in rows {
        for (class, failed) in failed {
            table.push([
                from_to(interval, width).into(),
                document.targets[place].name.clone().into(),
                workload.into(),
                class.into(),
                count(failed).into(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::SecondErrors;

    fn failing(seconds: u64) -> Document {
        let pair = include_bytes!("../../../tests/documents/pair.json");
        let mut pair = tenbin_result::document_from_json(pair).expect("a document");
        for slice in &mut pair.slices {
            slice.errors = (0..seconds)
                .map(|second| SecondErrors {
                    second,
                    by_class: [("timeout".to_owned(), 2), ("reset".to_owned(), second)].into(),
                })
                .collect();
        }
        pair
    }

    #[test]
    fn no_failure_is_lost_or_counted_twice() {
        let document = failing(4);
        let slices = document.slices.len() as u64;
        for wide in [1.0, 7.0, 1e6] {
            let sums: Vec<(&str, u64)> = classes(&document, wide)
                .iter()
                .map(|class| (class.name, class.sum()))
                .collect();
            assert_eq!(sums, [("timeout", slices * 8), ("reset", slices * 6)]);
        }
        let in_table: u64 = table(&document, &classes(&document, 1.0), 1.0)
            .rows
            .iter()
            .map(|row| {
                row[4]
                    .text(crate::block::Detail::Value, &tenbin_result::format::ENGLISH)
                    .letters()
            })
            .map(|count| count.replace(',', "").parse::<u64>().expect("a number"))
            .sum();
        assert_eq!(in_table, slices * 14);
        assert!(blocks(&failing(0)).is_empty());
    }

    #[test]
    fn a_failure_is_drawn_in_its_second() {
        let document = failing(1);
        let slice = &document.slices[3];
        let classes = classes(&document, 1.0);
        let panel = panel(&document, &classes[0], 1.0, 1.0);
        let series = panel.series.iter().find(|it| it.name == slice.target);
        let points = &series.expect("the target").points;
        let near = |x: f64| (x - slice.start.unwrap() - 0.5).abs() <= 0.5;
        assert!(points.iter().any(|point| near(point.x)), "{points:?}");
    }

    #[test]
    fn ten_hours_have_no_more_intervals_than_are_drawn() {
        assert!(36_000.0 / width(36_000.0) <= INTERVALS);
        assert!((width(36_000.0) - 300.0).abs() < 1e-9);
        assert!((width(90.0) - 1.0).abs() < 1e-9);
    }
}
