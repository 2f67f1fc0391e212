//! Charts of percentiles: the ratio of times at each percentile, and the percentiles of all
//! targets.

use tenbin_result::format::{TIME, UNKNOWN, Words, ratio, ratio_ends};
use tenbin_result::{Document, Message, PercentileRatios, ResultOf, TimedFrom, Value, message};

use crate::block::{Block, Cell, Table};
use crate::chart::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};
use crate::language::{figure_words, say};

/// Maximum number of workloads drawn.
const PANELS: usize = 4;

/// The section with the ratio of the targets' times at each percentile.
pub(in crate::section) fn ratios(document: &Document) -> Vec<Block> {
    let works = works(document, |work| {
        document
            .percentile_ratios
            .iter()
            .any(|each| each.workload == work)
    });
    let panels: Vec<Panel> = works
        .iter()
        .take(PANELS)
        .map(|work| ratio_panel(document, work))
        .collect();
    let Some(table) = ratio_table(document).filter(|_| !panels.is_empty()) else {
        return Vec::new();
    };
    let [least, most] = ends(&panels);
    let baseline = document.baseline();
    let margin = document.run.margin;
    let mut challengers = document.challengers().map(|it| it.name.as_str());
    let challenger = challengers.next().unwrap_or_default();
    let is_single = challengers.next().is_none();
    let about = message!(
        "about-percentile-ratios",
        sides = Value::word(if is_single { "single" } else { "several" }),
        challenger,
        baseline = baseline.map_or("the baseline", |baseline| &baseline.name),
        margin = margin.map_or_else(|| Value::Word("none".to_owned()), Value::Share)
    );
    let about = of_workloads(about, works.len());
    let chart = Chart {
        title: "Ratio at each percentile".to_owned(),
        about: say(document, &about),
        drawing: Drawing::Panels(Panels {
            x: percentiles(least, most),
            span: None,
            panels,
            details: None,
            settling: Vec::new(),
        }),
        table: Some(table),
        file: Some("percentile-ratios.svg"),
    };
    vec![Block::Chart(Box::new(chart))]
}

/// The section with the percentiles of all targets.
pub(in crate::section) fn spectrum(document: &Document) -> Vec<Block> {
    let works = works(document, |work| {
        document
            .results_of(work)
            .any(|result| !result.spectrum.is_empty())
    });
    let panels: Vec<Panel> = works
        .iter()
        .take(PANELS)
        .map(|work| spectrum_panel(document, work))
        .collect();
    if panels.is_empty() {
        return Vec::new();
    }
    let [least, most] = ends(&panels);
    let about = of_workloads(message!("about-percentiles"), works.len());
    let chart = Chart {
        title: "Percentiles of all requests".to_owned(),
        about: say(document, &about),
        drawing: Drawing::Panels(Panels {
            x: percentiles(least, most),
            span: None,
            panels,
            details: None,
            settling: Vec::new(),
        }),
        table: spectrum_table(document),
        file: Some("percentiles.svg"),
    };
    vec![Block::Chart(Box::new(chart))]
}

/// Names of the run's workloads for which `wanted` is true, in plan order.
fn works(document: &Document, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
    let works = document.workloads.iter().map(|work| work.name.as_str());
    works.filter(|work| wanted(work)).collect()
}

/// Adds how many of the workloads are drawn.
fn of_workloads(about: Message, all: usize) -> Message {
    about
        .with("others", all > PANELS)
        .with("shown", PANELS)
        .with("all", all)
}

/// The position of a percentile on the axis: −log10 of the share of slower requests.
fn place(quantile: f64) -> f64 {
    -(1.0 - quantile).max(1e-9).log10()
}

/// An axis with tick marks at the usual percentiles.
fn percentiles(least: f64, most: f64) -> Axis {
    let usual = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999];
    let marks = usual.map(|quantile| (place(quantile), name(quantile)));
    let inside = |mark: &(f64, String)| mark.0 >= least - 1e-9 && mark.0 <= most + 1e-9;
    Axis {
        title: "percentile".to_owned(),
        logarithmic: false,
        marks: Marks::Fixed(marks.into_iter().filter(inside).collect()),
        from_zero: false,
    }
}

/// The name of a percentile: `p99.9` for 0.999.
fn name(quantile: f64) -> String {
    let text = format!("{:.4}", quantile * 100.0);
    format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The smallest and the largest position of any point on the common axis.
fn ends(panels: &[Panel]) -> [f64; 2] {
    let series = panels.iter().flat_map(|panel| &panel.series);
    let points = series.flat_map(|series| &series.points);
    let [mut least, mut most] = [f64::INFINITY, f64::NEG_INFINITY];
    for point in points.filter(|point| point.y.is_some()) {
        (least, most) = (least.min(point.x), most.max(point.x));
    }
    [least, most]
}

fn place_of(document: &Document, target: &str) -> usize {
    let mut targets = document.targets.iter();
    targets.position(|it| it.name == target).unwrap_or(0)
}

fn ratio_panel(document: &Document, work: &str) -> Panel {
    let words = figure_words(document.language);
    let mine = document.percentile_ratios.iter();
    let mine = mine.filter(|each| each.workload == work);
    let series = mine.map(|each| Series {
        name: format!("{} ÷ {}", each.challenger, each.baseline),
        place: place_of(document, &each.challenger),
        style: Style::Banded,
        points: ratio_points(each, words),
    });
    let margin = document.run.margin.filter(|margin| *margin < 1.0);
    Panel {
        level: Some(1.0),
        shaded: margin.map(|margin| (1.0 - margin, 1.0 + margin)),
        ..Panel::new(work, Axis::of_ratios(""), series.collect())
    }
}

fn ratio_points(each: &PercentileRatios, words: &Words) -> Vec<Point> {
    let points = each.ratios.iter().map(|at| Point {
        x: place(at.quantile),
        y: at.ratio.map(|figure| figure.value),
        ends: at
            .ratio
            .and_then(|figure| Some((figure.interval?.low, figure.interval?.high))),
        said: at.ratio.map_or_else(String::new, |figure| {
            format!(
                "{}: {} ({})",
                name(at.quantile),
                ratio(figure.value),
                ratio_ends(figure, words)
            )
        }),
        flagged: false,
        detail: None,
    });
    points.collect()
}

fn ratio_table(document: &Document) -> Option<Table> {
    let first = document.percentile_ratios.first()?;
    let mut head = vec!["workload".to_owned(), "ratio of".to_owned()];
    head.extend(first.ratios.iter().map(|at| name(at.quantile)));
    let mut table = Table::new(2, head);
    for each in &document.percentile_ratios {
        let mut row = vec![
            each.workload.clone().into(),
            format!("{} ÷ {}", each.challenger, each.baseline).into(),
        ];
        row.extend(each.ratios.iter().map(|at| Cell::Ratio(at.ratio)));
        table.push(row);
    }
    table.filled()
}

fn spectrum_panel(document: &Document, work: &str) -> Panel {
    let results = document.results_of(work);
    let measured = results.filter(|result| !result.spectrum.is_empty());
    let series: Vec<Series> = measured
        .map(|result| Series {
            name: result.target.clone(),
            place: place_of(document, &result.target),
            style: Style::Joined,
            points: spectrum_points(result),
        })
        .collect();
    let closed = document.results_of(work).flat_map(ResultOf::work);
    let times = match closed.map(|operation| operation.timed_from).next() {
        Some(TimedFrom::IntendedStart) => "response time",
        Some(TimedFrom::Write) | None => "service time",
    };
    Panel::new(
        format!("{work}: {times}"),
        Axis::logarithmic("", TIME),
        series,
    )
}

fn spectrum_points(result: &ResultOf) -> Vec<Point> {
    // The axis has little space below the median.
    let upper = result.spectrum.iter().filter(|at| at.quantile >= 0.5);
    let points = upper.map(|at| Point {
        x: place(at.quantile),
        y: Some(at.seconds),
        said: format!(
            "{}, {}: {}",
            result.target,
            name(at.quantile),
            TIME.of(at.seconds)
        ),
        ..Point::default()
    });
    points.collect()
}

fn spectrum_table(document: &Document) -> Option<Table> {
    let all = document.results.iter().flat_map(|result| &result.spectrum);
    let mut quantiles: Vec<f64> = all.map(|at| at.quantile).collect();
    quantiles.sort_by(f64::total_cmp);
    quantiles.dedup();
    let mut head = vec!["workload".to_owned(), "target".to_owned()];
    head.extend(quantiles.iter().map(|quantile| name(*quantile)));
    let mut table = Table::new(2, head);
    for result in &document.results {
        let at = |quantile: &f64| {
            let mut known = result.spectrum.iter();
            let found = known.find(|at| at.quantile == *quantile);
            found.map_or_else(|| UNKNOWN.to_owned(), |at| TIME.of(at.seconds))
        };
        let mut row: Vec<Cell> = vec![result.workload.clone().into(), result.target.clone().into()];
        row.extend(quantiles.iter().map(|quantile| Cell::from(at(quantile))));
        table.push(row);
    }
    table.filled()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_have_the_names_that_people_write() {
        for (quantile, expected) in [
            (0.5, "p50"),
            (0.999, "p99.9"),
            (0.99999, "p99.999"),
            (0.01, "p1"),
        ] {
            assert_eq!(name(quantile), expected);
        }
        assert!((place(0.99) - 2.0).abs() < 1e-9);
    }
}
