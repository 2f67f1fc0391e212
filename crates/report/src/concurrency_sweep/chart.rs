//! Charts of throughput and latency against clients, with all targets in one chart.

use tenbin_result::format::{RATE, TIME, Unit, plural};
use tenbin_result::{ConcurrencyLevel, ConcurrencySweep, Document, Figure, Trust, UslResult};

use crate::chart::{Axis, Chart, Drawing, Marks, Named, Panel, Panels, Point, Series, Style, file};

/// Smallest ratio of the largest to the smallest number of clients at which the axis of clients is
/// logarithmic.
const WIDE: f64 = 64.0;
/// The axis of clients is also logarithmic if each level except the last is at least this multiple
/// of the previous level.
const DOUBLING: f64 = 1.8;
/// Number of points drawn for a fitted curve.
const FITTED: u32 = 48;

/// The figure that a panel shows.
struct Part {
    title: &'static str,
    unit: Unit,
    figure: fn(&ConcurrencyLevel) -> Option<Figure>,
    /// Whether the fitted Universal Scalability Law predicts this figure.
    is_fitted: bool,
}

const THROUGHPUT: Part = Part {
    title: "Throughput",
    unit: RATE,
    figure: |level| level.throughput,
    is_fitted: true,
};

const MEAN: Part = Part {
    title: "Service time, mean",
    unit: TIME,
    figure: |level| level.residence,
    is_fitted: false,
};

const P50: Part = Part {
    title: "Service time, median (p50)",
    unit: TIME,
    figure: |level| level.p50,
    is_fitted: false,
};

/// The 99th percentile gets a separate panel: it is often ten times the median, and on one axis the
/// medians of the targets could not be told apart.
const P99: Part = Part {
    title: "Service time, 99th percentile (p99)",
    unit: TIME,
    figure: |level| level.p99,
    is_fitted: false,
};

/// Throughput against clients; `None` without a sweep.
pub(crate) fn throughput(document: &Document) -> Option<Chart> {
    let fitted = document
        .concurrency_sweeps
        .iter()
        .any(|it| law(it).is_some());
    let law = if fitted {
        " The dashed line is the Universal Scalability Law fitted to the points."
    } else {
        ""
    };
    let about = format!(
        "Bars are intervals; a ring marks the knee, beyond which more connections add little.{law}"
    );
    let chart = Chart {
        file: Some("ramp-throughput.svg"),
        ..chart(
            "Throughput against connections",
            &[&THROUGHPUT],
            &document.concurrency_sweeps,
        )?
    };
    Some(Chart { about, ..chart })
}

/// Median and 99th percentile of service time against clients, one panel each; `None` without a
/// sweep.
pub(crate) fn latency(document: &Document) -> Option<Chart> {
    Some(Chart {
        file: Some("ramp-latency.svg"),
        ..chart(
            "Service time against connections",
            &[&P50, &P99],
            &document.concurrency_sweeps,
        )?
    })
}

/// Throughput, mean and median service time and the 99th percentile against clients, one panel
/// each, as an SVG file.
pub(crate) fn all(sweeps: &[ConcurrencySweep]) -> String {
    let parts = [&THROUGHPUT, &MEAN, &P50, &P99];
    let chart = chart(
        "Throughput and service time against clients",
        &parts,
        sweeps,
    );
    chart.as_ref().map_or_else(String::new, file)
}

/// A chart with one panel per figure of `parts` and workload. Sweeps of one workload on several
/// targets share a panel. Panels without any figure are omitted.
fn chart(title: &str, parts: &[&Part], sweeps: &[ConcurrencySweep]) -> Option<Chart> {
    let families = families(sweeps);
    let panels = families
        .iter()
        .flat_map(|(family, members)| parts.iter().map(|part| part.panel(family, members)));
    let panels: Vec<Panel> = panels.filter(Panel::has_figures).collect();
    let levels = sweeps.iter().flat_map(|sweep| &sweep.levels);
    let mut clients: Vec<u64> = levels.map(|level| level.connections).collect();
    clients.sort_unstable();
    clients.dedup();
    (!panels.is_empty()).then(|| Chart {
        title: title.to_owned(),
        about: "Bars are intervals; a ring marks the knee.".to_owned(),
        drawing: Drawing::Panels(Panels {
            x: axis(&clients),
            span: None,
            panels,
            details: None,
            settling: Vec::new(),
        }),
        table: None,
        file: None,
    })
}

fn axis(clients: &[u64]) -> Axis {
    let (least, most) = (clients.first(), clients.last());
    let ratio = match (least, most) {
        (Some(least), Some(most)) => *most as f64 / (*least).max(1) as f64,
        _ => 1.0,
    };
    let logarithmic = ratio >= WIDE || is_doubling(clients);
    let marks = clients.iter().map(|each| (*each as f64, each.to_string()));
    Axis {
        title: if logarithmic {
            "connections (logarithmic)".to_owned()
        } else {
            "connections".to_owned()
        },
        logarithmic,
        marks: Marks::Fixed(marks.collect()),
        from_zero: !logarithmic,
    }
}

/// Whether each level, except the last, is about twice the previous level or more, as in `1..20`.
fn is_doubling(clients: &[u64]) -> bool {
    let steps = clients.windows(2);
    let mut steps = steps.take(clients.len().saturating_sub(2)).peekable();
    let doubles = |step: &[u64]| step[1] as f64 >= step[0] as f64 * DOUBLING;
    clients.len() > 3 && steps.all(doubles)
}

impl Part {
    fn panel(&self, family: &str, members: &[(usize, &ConcurrencySweep)]) -> Panel {
        let title = match family {
            "" => self.title.to_owned(),
            family => format!("{}: {family}", self.title),
        };
        let known = members.iter().filter(|(_, sweep)| {
            let mut figures = sweep.levels.iter().filter_map(self.figure);
            figures.next().is_some()
        });
        let mut series: Vec<Series> = Vec::new();
        let mut named = Vec::new();
        for (place, sweep) in known {
            let fitted = law(sweep).filter(|_| self.is_fitted);
            series.push(self.measured(*place, sweep));
            series.extend(fitted.map(|points| Series {
                name: name(sweep),
                place: *place,
                style: Style::Dashed,
                points,
            }));
            named.extend(self.knee(*place, sweep));
        }
        Panel {
            named,
            ..Panel::new(title, Axis::of("", self.unit), series)
        }
    }

    /// The measured points with their intervals, joined by lines where adjacent points are known.
    fn measured(&self, place: usize, sweep: &ConcurrencySweep) -> Series {
        let points = sweep.levels.iter().map(|level| {
            let figure = (self.figure)(level);
            Point {
                x: level.connections as f64,
                y: figure.map(|figure| figure.value),
                ends: figure.and_then(|figure| Some((figure.interval?.low, figure.interval?.high))),
                said: figure.map_or_else(String::new, |figure| {
                    said(&sweep.target, level.connections, figure)
                }),
                flagged: false,
                detail: None,
            }
        });
        Series {
            name: name(sweep),
            place,
            style: Style::Joined,
            points: points.collect(),
        }
    }

    fn knee(&self, place: usize, sweep: &ConcurrencySweep) -> Option<Named> {
        let knee = sweep.knee.filter(|knee| knee.found)?;
        let mut levels = sweep.levels.iter();
        let level = levels.find(|level| level.connections == knee.connections)?;
        let figure = (self.figure)(level)?;
        Some(Named {
            place,
            at: (knee.connections as f64, figure.value),
            name: "knee".to_owned(),
        })
    }
}

/// The name of the target, with a warning if its figures are in doubt.
fn name(sweep: &ConcurrencySweep) -> String {
    let trust = match sweep.trust {
        Trust::Invalid => " (INVALID)",
        Trust::Suspect => " (SUSPECT)",
        Trust::Valid => "",
    };
    format!("{}{trust}", sweep.target)
}

/// Points of the fitted Universal Scalability Law from the fewest to the most connections; `None`
/// without a fit.
fn law(sweep: &ConcurrencySweep) -> Option<Vec<Point>> {
    let UslResult {
        lambda,
        sigma,
        kappa,
        ..
    } = sweep.usl.as_ref()?;
    let (lambda, sigma, kappa) = (
        lambda.as_ref()?.value,
        sigma.as_ref()?.value,
        kappa.as_ref()?.value,
    );
    let least = sweep.levels.first()?.connections.max(1) as f64;
    let most = sweep.levels.last()?.connections as f64;
    let step = |at: u32| least * (most / least).powf(f64::from(at) / f64::from(FITTED));
    let points = (0..=FITTED).map(step).map(|n| Point {
        x: n,
        y: Some(lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))),
        ..Point::default()
    });
    Some(points.collect())
}

/// Tooltip of a point, with the figures as in `ramp.csv`.
fn said(target: &str, clients: u64, figure: Figure) -> String {
    let ends = figure.interval;
    let ends = ends.map_or_else(String::new, |ends| format!(" ({}–{})", ends.low, ends.high));
    let clients = plural(clients, "client");
    format!("{target}, {clients}: {}{ends}", figure.value)
}

/// The sweeps grouped by workload (the common part of the names of its levels), each with the index
/// of its target.
fn families(sweeps: &[ConcurrencySweep]) -> Vec<(&str, Vec<(usize, &ConcurrencySweep)>)> {
    let mut targets: Vec<&str> = Vec::new();
    let mut families: Vec<(&str, Vec<(usize, &ConcurrencySweep)>)> = Vec::new();
    for sweep in sweeps {
        let known = targets.iter().position(|target| *target == sweep.target);
        let place = known.unwrap_or_else(|| {
            targets.push(&sweep.target);
            targets.len() - 1
        });
        let mut known = families.iter_mut();
        match known.find(|(family, _)| *family == sweep.family) {
            Some((_, members)) => members.push((place, sweep)),
            None => families.push((&sweep.family, vec![(place, sweep)])),
        }
    }
    families
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubling_levels_have_a_logarithmic_axis_and_even_steps_a_linear_one() {
        for (levels, logarithmic) in [
            (vec![1, 2, 4, 8, 16], true),
            (vec![1, 2, 4, 8, 16, 20], true),
            (vec![3, 6, 12, 20], true),
            (vec![1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20], false),
            (vec![10, 20, 30, 40], false),
            (vec![1, 2, 4], false),
            (vec![1, 100], true),
        ] {
            assert_eq!(axis(&levels).logarithmic, logarithmic, "{levels:?}");
        }
    }
}
