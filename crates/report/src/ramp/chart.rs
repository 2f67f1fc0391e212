//! Throughput and latency against clients, all targets in one chart, as SVG.

use std::fmt::Write as _;

use crate::document::{Capacity, CapacityLevel, Document, Figure, Trust};
use crate::escape::for_terminal;

const WIDTH: f64 = 860.0;
const PANEL: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 220.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;

/// Colours that most people can tell apart (Okabe and Ito, 2008).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000",
];

/// From so many times the fewest clients on, the axis of clients is logarithmic.
const WIDE: f64 = 64.0;

/// A line of a chart: what it is called and its figure at a level.
struct Line {
    name: &'static str,
    dashes: &'static str,
    figure: fn(&CapacityLevel) -> Option<Figure>,
}

/// What a chart shows.
struct Chart {
    title: &'static str,
    unit: fn(f64) -> (f64, &'static str),
    lines: &'static [Line],
}

const THROUGHPUT: Chart = Chart {
    title: "Throughput",
    unit: |_| (1.0, "answers a second"),
    lines: &[Line {
        name: "",
        dashes: "",
        figure: |level| level.throughput,
    }],
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
    lines: &[Line {
        name: "",
        dashes: "",
        figure: |level| level.residence,
    }],
};

/// Apart from the mean: a 99th percentile is often ten times as long, and on one axis with
/// the means these cannot be told from each other.
const P99: Chart = Chart {
    title: "Service time, 99th percentile",
    unit: time,
    lines: &[Line {
        name: "",
        dashes: "",
        figure: |level| level.p99,
    }],
};

/// Throughput against clients.
pub(crate) fn throughput(document: &Document) -> String {
    draw(&[&THROUGHPUT], &document.capacities)
}

/// Mean service time and its 99th percentile against clients, a panel each.
pub(crate) fn latency(document: &Document) -> String {
    draw(&[&MEAN, &P99], &document.capacities)
}

/// Throughput, mean service time and its 99th percentile against clients, a panel each.
pub(super) fn all(capacities: &[Capacity]) -> String {
    draw(&[&THROUGHPUT, &MEAN, &P99], capacities)
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
        levels.any(|level| self.lines.iter().any(|line| (line.figure)(level).is_some()))
    }

    fn panel(&self, svg: &mut String, family: &str, capacities: &[&Capacity]) {
        let levels = || capacities.iter().flat_map(|capacity| &capacity.levels);
        let each = |level: &CapacityLevel| {
            let figures = self.lines.iter();
            let figures = figures.filter_map(|line| (line.figure)(level));
            figures.map(top_of).fold(0.0, f64::max)
        };
        let most = levels().map(each).fold(0.0, f64::max);
        let (scale, unit) = (self.unit)(most);
        let axes = Axes::new(levels().map(|level| level.connections), most / scale);
        text(
            svg,
            LEFT,
            24.0,
            "start",
            15,
            &match family {
                "" => self.title.to_owned(),
                family => format!("{}: {family}", self.title),
            },
        );
        axes.draw(svg, unit);
        for (at, capacity) in capacities.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            for line in self.lines {
                self.curve(svg, &axes, capacity, line, colour, scale);
            }
            self.knee(svg, &axes, capacity, colour, scale);
        }
        self.legend(svg, capacities);
    }

    /// Points, the intervals about them, and lines between neighbours that are both known.
    fn curve(
        &self,
        svg: &mut String,
        axes: &Axes,
        capacity: &Capacity,
        line: &Line,
        colour: &str,
        scale: f64,
    ) {
        let mut path = String::new();
        let mut drawing = false;
        for level in &capacity.levels {
            let Some(figure) = (line.figure)(level) else {
                drawing = false;
                continue;
            };
            let (x, y) = (axes.x(level.connections), axes.y(figure.value / scale));
            let pen = if drawing { 'L' } else { 'M' };
            let _ = write!(path, "{pen}{x:.1} {y:.1} ");
            drawing = true;
            if let Some(ends) = figure.interval {
                let (low, high) = (axes.y(ends.low / scale), axes.y(ends.high / scale));
                let _ = writeln!(
                    svg,
                    "<path d=\"M{x:.1} {low:.1} V{high:.1}\" stroke=\"{colour}\" \
                     stroke-opacity=\"0.5\"/>"
                );
            }
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>"
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" \
             stroke-dasharray=\"{}\"/>",
            path.trim_end(),
            line.dashes
        );
    }

    /// A ring where more clients stop to be worth their while.
    fn knee(&self, svg: &mut String, axes: &Axes, capacity: &Capacity, colour: &str, scale: f64) {
        let Some(knee) = capacity.knee.filter(|knee| knee.found) else {
            return;
        };
        let mut levels = capacity.levels.iter();
        let level = levels.find(|level| level.connections == knee.connections);
        let Some(figure) = level.and_then(|level| (self.lines[0].figure)(level)) else {
            return;
        };
        let (x, y) = (axes.x(knee.connections), axes.y(figure.value / scale));
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"2\"><title>knee at {} clients</title></circle>",
            knee.connections
        );
        text(svg, x + 9.0, y + 16.0, "start", 11, "knee");
    }

    fn legend(&self, svg: &mut String, capacities: &[&Capacity]) {
        let x = WIDTH - RIGHT + 16.0;
        let mut y = TOP + 8.0;
        for (at, capacity) in capacities.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            for line in self.lines {
                let _ = writeln!(
                    svg,
                    "<path d=\"M{x:.1} {y:.1} h22\" stroke=\"{colour}\" stroke-width=\"2\" \
                     stroke-dasharray=\"{}\"/>",
                    line.dashes
                );
                let name = format!("{} {}", shortened(&capacity.target), line.name);
                let trust = match capacity.trust {
                    Trust::Invalid => " (INVALID)",
                    Trust::Suspect => " (SUSPECT)",
                    Trust::Valid => "",
                };
                let name = format!("{}{trust}", name.trim_end());
                text(svg, x + 28.0, y + 4.0, "start", 12, &name);
                y += 18.0;
            }
        }
    }
}

/// What clients and figures have for places.
struct Axes {
    clients: Vec<u64>,
    logarithmic: bool,
    least: f64,
    most: f64,
    /// The top of the axis of figures, and the distance between two of its marks.
    top: f64,
    mark: f64,
}

impl Axes {
    fn new(clients: impl Iterator<Item = u64>, most_figure: f64) -> Self {
        let mut clients: Vec<u64> = clients.collect();
        clients.sort_unstable();
        clients.dedup();
        let end = |client: Option<&u64>| client.map_or(1.0, |client| *client as f64);
        let (least, most) = (end(clients.first()), end(clients.last()));
        let mark = step(most_figure / 5.0);
        Self {
            logarithmic: most >= least * WIDE,
            least,
            most,
            top: (most_figure / mark).ceil().max(1.0) * mark,
            mark,
            clients,
        }
    }

    fn x(&self, clients: u64) -> f64 {
        let clients = clients as f64;
        let width = WIDTH - LEFT - RIGHT;
        let share = if self.logarithmic {
            (clients / self.least).ln() / (self.most / self.least).ln()
        } else {
            clients / self.most
        };
        LEFT + share * width
    }

    fn y(&self, figure: f64) -> f64 {
        let height = PANEL - TOP - BOTTOM;
        TOP + height * (1.0 - figure / self.top)
    }

    fn draw(&self, svg: &mut String, unit: &str) {
        let (left, right) = (LEFT, WIDTH - RIGHT);
        let marks = (self.top / self.mark).round() as u32;
        for mark in 0..=marks {
            let value = f64::from(mark) * self.mark;
            let y = self.y(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {y:.1} H{right}\" stroke=\"#dddddd\"/>"
            );
            text(
                svg,
                left - 8.0,
                y + 4.0,
                "end",
                11,
                &number(value, self.mark),
            );
        }
        let bottom = self.y(0.0);
        // As many numbers as there is room for.
        let each = self.clients.len().div_ceil(20).max(1);
        for clients in self.clients.iter().step_by(each) {
            let x = self.x(*clients);
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {bottom:.1} v5\" stroke=\"#555555\"/>"
            );
            text(svg, x, bottom + 18.0, "middle", 11, &clients.to_string());
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {TOP} V{bottom:.1} H{right}\" fill=\"none\" stroke=\"#555555\"/>"
        );
        let middle = (left + right) / 2.0;
        text(svg, middle, bottom + 38.0, "middle", 12, "clients");
        text(svg, 12.0, TOP - 10.0, "start", 11, unit);
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

/// 1, 2 or 5 times a power of ten, at least as large.
fn step(least: f64) -> f64 {
    if least <= 0.0 || !least.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let enough = steps.into_iter().find(|step| *step >= least * 0.999_999);
    enough.unwrap_or(power * 10.0)
}

/// With as many digits behind the point as its marks need.
fn number(value: f64, mark: f64) -> String {
    let digits = (-mark.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

fn shortened(name: &str) -> String {
    const MOST: usize = 22;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    let begin: String = name.chars().take(MOST - 1).collect();
    begin + "…"
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, size: u32, words: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
         fill=\"#222222\">{}</text>",
        for_xml(words)
    );
}

fn for_xml(words: &str) -> String {
    for_terminal(words)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_round_numbers() {
        for (least, mark) in [
            (0.9, 1.0),
            (1.1, 2.0),
            (30.0, 50.0),
            (0.0007, 0.001),
            (0.0, 1.0),
        ] {
            assert!((step(least) - mark).abs() < mark * 1e-9, "{least}");
        }
        assert_eq!(number(0.25, 0.05), "0.25");
        assert_eq!(number(1500.0, 500.0), "1500");
    }

    #[test]
    fn clients_lie_between_the_ends_of_the_axis() {
        for levels in [vec![1, 2, 4, 20], vec![1, 4, 16, 64, 256], vec![7]] {
            let axes = Axes::new(levels.iter().copied(), 100.0);
            let places: Vec<f64> = levels.iter().map(|level| axes.x(*level)).collect();
            assert!(places.is_sorted(), "{places:?}");
            assert!(
                places.iter().all(|x| (LEFT..=WIDTH - RIGHT).contains(x)),
                "{places:?}"
            );
        }
        let axes = Axes::new([1, 2].into_iter(), 93.0);
        assert_eq!(axes.top, 100.0);
        assert_eq!((axes.y(0.0), axes.y(100.0)), (PANEL - BOTTOM, TOP));
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(
            for_xml("<a href=\"&\">"),
            "&lt;a href=&quot;&amp;&quot;&gt;"
        );
    }
}
