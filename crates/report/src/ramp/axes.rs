//! The axes of a panel, and text in it.

use std::fmt::Write as _;

use crate::escape::for_terminal;

pub(super) const WIDTH: f64 = 860.0;
pub(super) const PANEL: f64 = 420.0;
pub(super) const LEFT: f64 = 80.0;
pub(super) const RIGHT: f64 = 220.0;
pub(super) const TOP: f64 = 48.0;
pub(super) const BOTTOM: f64 = 56.0;
/// Distance of the first and the last level from the ends of their axis: space for error bars.
const INSET: f64 = 14.0;
/// The axis of clients is logarithmic if the largest number of clients is at least this multiple of
/// the smallest.
const WIDE: f64 = 64.0;
/// The axis is also logarithmic if each level, the last excepted, is at least this multiple of the
/// previous level.
const DOUBLING: f64 = 1.8;
/// Average width of a character, as a share of the font's size.
const CHARACTER: f64 = 0.6;

/// What clients and figures have for places.
pub(super) struct Axes {
    clients: Vec<u64>,
    logarithmic: bool,
    least: f64,
    most: f64,
    /// The top of the axis of figures, and the distance between two of its marks.
    top: f64,
    mark: f64,
}

impl Axes {
    pub(super) fn new(clients: impl Iterator<Item = u64>, most_figure: f64) -> Self {
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

    pub(super) fn x(&self, clients: u64) -> f64 {
        let clients = clients as f64;
        let width = WIDTH - LEFT - RIGHT;
        let share = if self.logarithmic {
            (clients / self.least).ln() / (self.most / self.least).ln()
        } else {
            clients / self.most
        };
        LEFT + INSET + share * (width - 2.0 * INSET)
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

    pub(super) fn y(&self, figure: f64) -> f64 {
        let height = PANEL - TOP - BOTTOM;
        TOP + height * (1.0 - figure / self.top)
    }

    pub(super) fn draw(&self, svg: &mut String, unit: &str) {
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
        text(svg, 12.0, TOP - 8.0, "start", 11, unit);
    }
}

/// Whether each level but the last is about twice the one before, as those of `1..20` are.
fn is_doubling(clients: &[u64]) -> bool {
    let steps = clients.windows(2);
    let mut steps = steps.take(clients.len().saturating_sub(2)).peekable();
    let doubles = |step: &[u64]| step[1] as f64 >= step[0] as f64 * DOUBLING;
    clients.len() > 3 && steps.all(doubles)
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

/// About how wide words are.
pub(super) fn width_of(words: &str, size: u32) -> f64 {
    words.chars().count() as f64 * f64::from(size) * CHARACTER
}

/// Words at a place, of that size in pixels.
pub(super) fn text(svg: &mut String, x: f64, y: f64, anchor: &str, size: u32, words: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" \
         fill=\"#222222\">{}</text>",
        for_xml(words)
    );
}

pub(super) fn for_xml(words: &str) -> String {
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
    fn numbers_below_the_axis_do_not_overlap() {
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
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(
            for_xml("<a href=\"&\">"),
            "&lt;a href=&quot;&amp;&quot;&gt;"
        );
    }
}
