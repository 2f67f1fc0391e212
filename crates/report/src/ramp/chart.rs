//! Throughput and latency against clients, all targets in one chart, as SVG.

use std::fmt::Write as _;

use tenbin_result::format::plural;
use tenbin_result::{Capacity, CapacityLevel, Document, Figure, Trust};

use super::axes::{Axes, BOTTOM, PANEL, RIGHT, TOP, WIDTH, for_xml, text};
use super::labels::{Labels, shortened};

/// Colours that most people can tell apart (Okabe and Ito, 2008).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000",
];

/// Strokes of the lines that have the same colour, one after the other.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

/// Half the width of the caps of an error bar.
const CAP: f64 = 3.0;
/// Distance between the points of two targets at the same number of clients, so that their error
/// bars do not hide each other, and the most that all of them together take.
const BESIDE: f64 = 4.0;
const MOST_BESIDE: f64 = 12.0;
/// Characters that fit behind a line of the legend.
const LEGEND_CHARACTERS: usize = 25;

/// What a chart shows.
struct Chart {
    title: &'static str,
    unit: fn(f64) -> (f64, &'static str),
    figure: fn(&CapacityLevel) -> Option<Figure>,
}

const THROUGHPUT: Chart = Chart {
    title: "Throughput",
    unit: |_| (1.0, "responses a second"),
    figure: |level| level.throughput,
};

const fn time(most: f64) -> (f64, &'static str) {
    match most {
        most if most < 1e-3 => (1e-6, "microseconds"),
        most if most < 1.0 => (1e-3, "milliseconds"),
        _ => (1.0, "seconds"),
    }
}

const MEAN: Chart = Chart {
    title: "Service time, mean",
    unit: time,
    figure: |level| level.residence,
};

const P50: Chart = Chart {
    title: "Service time, median (p50)",
    unit: time,
    figure: |level| level.p50,
};

/// In a panel without the median: a 99th percentile is often ten times as long, and on one axis
/// with the medians these cannot be told from each other.
const P99: Chart = Chart {
    title: "Service time, 99th percentile (p99)",
    unit: time,
    figure: |level| level.p99,
};

/// Throughput against clients.
pub(crate) fn throughput(document: &Document) -> String {
    draw(&[&THROUGHPUT], &document.capacities)
}

/// Median service time and its 99th percentile against clients, a panel each.
pub(crate) fn latency(document: &Document) -> String {
    draw(&[&P50, &P99], &document.capacities)
}

/// Throughput, mean and median service time and the 99th percentile against clients, a panel each.
pub(super) fn all(capacities: &[Capacity]) -> String {
    draw(&[&THROUGHPUT, &MEAN, &P50, &P99], capacities)
}

/// A panel for every chart of every family of workloads, one below the other; none for a
/// figure that no level has.
fn draw(charts: &[&Chart], capacities: &[Capacity]) -> String {
    let families = families(capacities);
    let panels = families.iter().flat_map(|family| {
        let charts = charts.iter().filter(|chart| chart.has_any(&family.1));
        charts.map(move |chart| (family, chart))
    });
    let panels: Vec<_> = panels.collect();
    let height = PANEL * panels.len().max(1) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (at, ((family, capacities), chart)) in panels.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate(0 {})\">", PANEL * at as f64);
        chart.panel(&mut svg, family, capacities);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

impl Chart {
    fn has_any(&self, capacities: &[&Capacity]) -> bool {
        let mut levels = capacities.iter().flat_map(|capacity| &capacity.levels);
        levels.any(|level| (self.figure)(level).is_some())
    }

    fn panel(&self, svg: &mut String, family: &str, capacities: &[&Capacity]) {
        let levels = || capacities.iter().flat_map(|capacity| &capacity.levels);
        let figures = levels().filter_map(self.figure).map(top_of);
        let most = figures.fold(0.0, f64::max);
        let (scale, unit) = (self.unit)(most);
        let axes = Axes::new(levels().map(|level| level.connections), most / scale);
        text(
            svg,
            12.0,
            18.0,
            "start",
            15,
            &match family {
                "" => self.title.to_owned(),
                family => format!("{}: {family}", self.title),
            },
        );
        axes.draw(svg, unit);
        let mut labels = Labels::default();
        // Only what has an error bar can hide one.
        let has_bars = |capacity: &Capacity| {
            let mut figures = capacity.levels.iter().filter_map(self.figure);
            figures.any(|figure| figure.interval.is_some())
        };
        let beside: Vec<usize> = (0..capacities.len())
            .filter(|at| has_bars(capacities[*at]))
            .collect();
        let pen = |at: usize| Pen {
            axes: &axes,
            colour: COLOURS[at % COLOURS.len()],
            dashes: dashes(at),
            aside: beside
                .iter()
                .position(|one| *one == at)
                .map_or(0.0, |place| aside(place, beside.len())),
            scale,
        };
        for (at, capacity) in capacities.iter().enumerate() {
            self.curve(svg, &pen(at), capacity, &mut labels);
        }
        for (at, capacity) in capacities.iter().enumerate() {
            self.knee(svg, &pen(at), capacity, &mut labels);
        }
        let drawn = capacities.iter().enumerate();
        let drawn: Vec<(usize, &Capacity)> = drawn
            .filter(|(_, capacity)| self.has_any(&[capacity]))
            .map(|(at, capacity)| (at, *capacity))
            .collect();
        legend(svg, &drawn);
    }

    /// Points, the intervals about them, and lines between neighbours that are both known.
    fn curve(&self, svg: &mut String, pen: &Pen<'_>, capacity: &Capacity, labels: &mut Labels) {
        let mut path = String::new();
        let mut points = String::new();
        let mut before = None;
        let colour = pen.colour;
        for level in &capacity.levels {
            let Some(figure) = (self.figure)(level) else {
                before = None;
                continue;
            };
            let (x, y) = pen.place(level.connections, figure.value);
            let command = if before.is_some() { 'L' } else { 'M' };
            let _ = write!(path, "{command}{x:.1} {y:.1} ");
            labels.keep_clear(before.unwrap_or((x, y)), (x, y));
            before = Some((x, y));
            if let Some(ends) = figure.interval {
                let (_, low) = pen.place(level.connections, ends.low);
                let (_, high) = pen.place(level.connections, ends.high);
                let (left, cap) = (x - CAP, 2.0 * CAP);
                let _ = writeln!(
                    svg,
                    "<path d=\"M{x:.1} {low:.1} V{high:.1} M{left:.1} {low:.1} h{cap} M{left:.1} \
                     {high:.1} h{cap}\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"0.6\"/>"
                );
            }
            let _ = writeln!(
                points,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"><title>{}</title>\
                 </circle>",
                for_xml(&told(&capacity.target, level.connections, figure))
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" \
             stroke-dasharray=\"{}\"/>",
            path.trim_end(),
            pen.dashes
        );
        svg.push_str(&points);
    }

    /// A ring where more clients stop to be worth their while.
    fn knee(&self, svg: &mut String, pen: &Pen<'_>, capacity: &Capacity, labels: &mut Labels) {
        let Some(knee) = capacity.knee.filter(|knee| knee.found) else {
            return;
        };
        let mut levels = capacity.levels.iter();
        let level = levels.find(|level| level.connections == knee.connections);
        let Some(figure) = level.and_then(self.figure) else {
            return;
        };
        let (x, y) = pen.place(knee.connections, figure.value);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" stroke=\"{}\" \
             stroke-width=\"2\"><title>knee at {} clients</title></circle>",
            pen.colour, knee.connections
        );
        if let Some((x, y)) = labels.place(x, y, "knee", 11) {
            text(svg, x, y, "start", 11, "knee");
        }
    }
}

/// How the line of a target is drawn.
struct Pen<'a> {
    axes: &'a Axes,
    colour: &'static str,
    dashes: &'static str,
    /// How far its points are from the place of their number of clients.
    aside: f64,
    /// What one unit of the axis is.
    scale: f64,
}

impl Pen<'_> {
    fn place(&self, clients: u64, figure: f64) -> (f64, f64) {
        let figure = (figure / self.scale).max(0.0);
        (self.axes.x(clients) + self.aside, self.axes.y(figure))
    }
}

/// How far the points of target `at` of `count` are moved aside.
fn aside(at: usize, count: usize) -> f64 {
    let gaps = count.saturating_sub(1) as f64;
    let gap = BESIDE.min(MOST_BESIDE / gaps.max(1.0));
    (at as f64 - gaps / 2.0) * gap
}

/// What a point shows, with the figures as `ramp.csv` has them.
fn told(target: &str, clients: u64, figure: Figure) -> String {
    let ends = figure.interval;
    let ends = ends.map_or_else(String::new, |ends| format!(" ({}–{})", ends.low, ends.high));
    let clients = plural(clients, "client");
    format!("{target}, {clients}: {}{ends}", figure.value)
}

/// The stroke of target `at`.
fn dashes(at: usize) -> &'static str {
    DASHES[(at / COLOURS.len()) % DASHES.len()]
}

/// A line for each target that the panel shows, with its place among all.
fn legend(svg: &mut String, drawn: &[(usize, &Capacity)]) {
    let x = WIDTH - RIGHT + 16.0;
    let space = PANEL - TOP - BOTTOM;
    let step = (space / drawn.len().max(1) as f64).min(18.0);
    let trusts = drawn.iter().map(|(_, capacity)| match capacity.trust {
        Trust::Invalid => " (INVALID)",
        Trust::Suspect => " (SUSPECT)",
        Trust::Valid => "",
    });
    let trusts: Vec<&str> = trusts.collect();
    let names = drawn.iter().zip(&trusts);
    let names: Vec<(&str, usize)> = names
        .map(|((_, capacity), trust)| (&*capacity.target, LEGEND_CHARACTERS - trust.len()))
        .collect();
    let names = shortened(&names);
    let mut y = TOP + 8.0;
    for (((at, _), trust), name) in drawn.iter().zip(trusts).zip(names) {
        let (colour, dashes) = (COLOURS[at % COLOURS.len()], dashes(*at));
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {y:.1} h22\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/>"
        );
        text(
            svg,
            x + 28.0,
            y + 4.0,
            "start",
            12,
            &format!("{name}{trust}"),
        );
        y += step;
    }
}

fn families(capacities: &[Capacity]) -> Vec<(&str, Vec<&Capacity>)> {
    let mut families: Vec<(&str, Vec<&Capacity>)> = Vec::new();
    for capacity in capacities {
        let mut known = families.iter_mut();
        match known.find(|(family, _)| *family == capacity.family) {
            Some((_, members)) => members.push(capacity),
            None => families.push((&capacity.family, vec![capacity])),
        }
    }
    families
}

fn top_of(figure: Figure) -> f64 {
    figure.interval.map_or(figure.value, |ends| ends.high)
}
