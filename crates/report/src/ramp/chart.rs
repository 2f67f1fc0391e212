//! Throughput and latency against clients, all targets in one chart, as SVG.

use std::fmt::Write as _;

use crate::document::{Capacity, CapacityLevel, Document, Figure, Trust};
use crate::escape::for_terminal;
use crate::words::plural;

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
/// Levels of which each is so many times the one before, the last excepted, are doubling; their
/// axis is logarithmic.
const DOUBLING: f64 = 1.8;
/// Half the width of the caps of an error bar.
const CAP: f64 = 3.0;
/// Distance between the points of two targets at the same number of clients, so that their error
/// bars do not hide each other, and the most that all of them together take.
const BESIDE: f64 = 4.0;
const MOST_BESIDE: f64 = 12.0;
/// Average width of a character, as a share of the font's size.
const CHARACTER: f64 = 0.6;
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
        let mut labels = Labels::default();
        for (at, capacity) in capacities.iter().enumerate() {
            let pen = Pen {
                axes: &axes,
                colour: COLOURS[at % COLOURS.len()],
                aside: aside(at, capacities.len()),
                scale,
            };
            self.curve(svg, &pen, capacity);
            self.knee(svg, &pen, capacity, &mut labels);
        }
        legend(svg, capacities);
    }

    /// Points, the intervals about them, and lines between neighbours that are both known.
    fn curve(&self, svg: &mut String, pen: &Pen<'_>, capacity: &Capacity) {
        let mut path = String::new();
        let mut points = String::new();
        let mut drawing = false;
        let colour = pen.colour;
        for level in &capacity.levels {
            let Some(figure) = (self.figure)(level) else {
                drawing = false;
                continue;
            };
            let (x, y) = pen.place(level.connections, figure.value);
            let command = if drawing { 'L' } else { 'M' };
            let _ = write!(path, "{command}{x:.1} {y:.1} ");
            drawing = true;
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
            "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"/>",
            path.trim_end()
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

/// Boxes of the labels that are drawn already: left, top, right, bottom.
#[derive(Default)]
struct Labels(Vec<[f64; 4]>);

impl Labels {
    /// Where beside a ring there is space for words: the begin of their base line. `None` if there
    /// is none, and the ring says it without words.
    fn place(&mut self, x: f64, y: f64, words: &str, size: u32) -> Option<(f64, f64)> {
        let (width, height) = (width_of(words, size), f64::from(size));
        let beside = [
            (x + 9.0, y + 16.0),
            (x + 9.0, y - 8.0),
            (x - 9.0 - width, y + 16.0),
            (x - 9.0 - width, y - 8.0),
            (x - width / 2.0, y + 24.0),
            (x - width / 2.0, y - 14.0),
        ];
        let place = beside.into_iter().find(|(left, base)| {
            let own = [*left, base - height, left + width, *base];
            let is_inside = own[0] >= LEFT
                && own[2] <= WIDTH - RIGHT
                && own[1] >= TOP
                && own[3] <= PANEL - BOTTOM;
            is_inside && !self.0.iter().any(|other| overlap(&own, other))
        })?;
        let (left, base) = place;
        self.0.push([left, base - height, left + width, base]);
        Some(place)
    }
}

fn overlap(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

/// About how wide words are.
fn width_of(words: &str, size: u32) -> f64 {
    words.chars().count() as f64 * f64::from(size) * CHARACTER
}

fn legend(svg: &mut String, capacities: &[&Capacity]) {
    let x = WIDTH - RIGHT + 16.0;
    let space = PANEL - TOP - BOTTOM;
    let step = (space / capacities.len().max(1) as f64).min(18.0);
    let mut y = TOP + 8.0;
    for (at, capacity) in capacities.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {y:.1} h22\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
        let trust = match capacity.trust {
            Trust::Invalid => " (INVALID)",
            Trust::Suspect => " (SUSPECT)",
            Trust::Valid => "",
        };
        let name = shortened(&capacity.target, LEGEND_CHARACTERS - trust.len());
        text(svg, x + 28.0, y + 4.0, "start", 12, &format!("{name}{trust}"));
        y += step;
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
            logarithmic: most >= least * WIDE || is_doubling(&clients),
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

    /// The numbers of clients that are written below the axis: the last, and of the others those
    /// that have space.
    fn numbers(&self) -> Vec<(f64, u64)> {
        let space = |one: u64, other: u64| {
            let widths = width_of(&one.to_string(), 11) + width_of(&other.to_string(), 11);
            (self.x(one) - self.x(other)).abs() >= widths / 2.0 + 6.0
        };
        let Some(&last) = self.clients.last() else {
            return Vec::new();
        };
        let mut shown: Vec<u64> = Vec::new();
        for &clients in &self.clients {
            let is_free = shown.last().is_none_or(|before| space(clients, *before));
            if clients == last || (is_free && space(clients, last)) {
                shown.push(clients);
            }
        }
        shown.into_iter().map(|each| (self.x(each), each)).collect()
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
        for clients in &self.clients {
            let x = self.x(*clients);
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {bottom:.1} v5\" stroke=\"#555555\"/>"
            );
        }
        for (x, clients) in self.numbers() {
            text(svg, x, bottom + 18.0, "middle", 11, &clients.to_string());
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {TOP} V{bottom:.1} H{right}\" fill=\"none\" stroke=\"#555555\"/>"
        );
        let middle = (left + right) / 2.0;
        let clients = match self.logarithmic {
            true => "clients (logarithmic)",
            false => "clients",
        };
        text(svg, middle, bottom + 38.0, "middle", 12, clients);
        text(svg, 12.0, TOP - 10.0, "start", 11, unit);
    }
}

/// Whether each level but the last is about twice the one before, as those of `1..20` are.
fn is_doubling(clients: &[u64]) -> bool {
    let steps = clients.windows(2);
    let mut steps = steps.take(clients.len().saturating_sub(2)).peekable();
    let doubles = |step: &[u64]| step[1] as f64 >= step[0] as f64 * DOUBLING;
    clients.len() > 3 && steps.all(doubles)
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

/// At most so many characters, with the begin and the end of the name: targets are often called
/// alike but for their ends.
fn shortened(name: &str, most: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= most {
        return name.to_owned();
    }
    let begin = most.saturating_sub(1).div_ceil(2);
    let end = most.saturating_sub(1) - begin;
    let begin: String = characters[..begin].iter().collect();
    let end: String = characters[characters.len() - end..].iter().collect();
    format!("{begin}…{end}")
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
            let axes = Axes::new(levels.iter().copied(), 1.0);
            assert_eq!(axes.logarithmic, logarithmic, "{levels:?}");
        }
        let axes = Axes::new([1, 2, 4, 8, 16].into_iter(), 1.0);
        let steps = [axes.x(2) - axes.x(1), axes.x(16) - axes.x(8)];
        assert!((steps[0] - steps[1]).abs() < 1e-9, "{steps:?}");
    }

    #[test]
    fn labels_do_not_overlap() {
        for levels in [
            (1..=64).collect::<Vec<u64>>(),
            (0..20).map(|power| 1 << power).collect(),
            vec![1000, 99_999, 100_000],
        ] {
            let axes = Axes::new(levels.iter().copied(), 1.0);
            let numbers = axes.numbers();
            assert_eq!(numbers.last().map(|(_, clients)| clients), levels.last());
            for pair in numbers.windows(2) {
                let width = |clients: u64| width_of(&clients.to_string(), 11);
                let ends = (
                    pair[0].0 + width(pair[0].1) / 2.0,
                    pair[1].0 - width(pair[1].1) / 2.0,
                );
                assert!(ends.0 < ends.1, "{numbers:?}");
            }
        }
        let mut labels = Labels::default();
        let at_one_place: Vec<_> = (0..8)
            .filter_map(|_| labels.place(300.0, 200.0, "knee", 11))
            .collect();
        assert!(at_one_place.len() >= 4, "{at_one_place:?}");
        for (at, one) in labels.0.iter().enumerate() {
            let mut others = labels.0.iter().skip(at + 1);
            assert!(!others.any(|other| overlap(one, other)), "{:?}", labels.0);
        }
        let name = shortened("search-cluster-with-three-nodes", 15);
        assert_eq!(name, "search-…e-nodes");
        assert_eq!(shortened("groonga", 15), "groonga");
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(
            for_xml("<a href=\"&\">"),
            "&lt;a href=&quot;&amp;&quot;&gt;"
        );
    }
}
