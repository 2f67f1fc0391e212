//! A scatter plot of one ratio against another, with axes that cross at 1.

use std::fmt::Write as _;

use super::scale::Scale;
use super::svg::{Anchor, LETTERS, WIDTH, colour, path, shape, shortened, text, width_of};
use super::{Axis, Plane, PlanePoint};

const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 14.0;
const HEIGHT: f64 = 320.0;
/// Space below the plot for the tick labels and the axis title.
const BELOW: f64 = 40.0;
const LEGEND_ROW: f64 = 20.0;
/// Maximum width of a name in the legend.
const LEGEND_NAME: f64 = 300.0;
/// Maximum width of a label beside a point.
const LABEL: f64 = 180.0;
/// Range that both axes always include.
const LEAST: [f64; 2] = [0.95, 1.05];
/// Half the width of the caps of an error bar, and of the space of a point.
const CAP: f64 = 3.0;
const POINT: f64 = 5.0;

/// Draws the scatter plot and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, plane: &Plane) -> f64 {
    let top = legend(svg, plane) + 26.0;
    let bottom = top + HEIGHT;
    text(
        svg,
        (0.0, top - 10.0),
        Anchor::Start,
        "head",
        &plane.axes[1],
    );
    let numbers = |axis: usize| {
        let figures = plane.points.iter().map(move |point| point.at[axis]);
        let all = figures.flat_map(|figure| {
            let ends = figure.interval.map(|ends| [ends.low, ends.high]);
            std::iter::once(figure.value).chain(ends.into_iter().flatten())
        });
        all.chain(LEAST)
    };
    let x = Scale::new(&Axis::of_ratios(""), numbers(0), (LEFT, RIGHT), 6);
    let y = Scale::new(&Axis::of_ratios(""), numbers(1), (bottom, top), 5);
    for (at, name) in y.marks() {
        path(svg, "rule", &format!("M{LEFT} {at:.1}H{RIGHT}"));
        text(svg, (LEFT - 8.0, at + 4.0), Anchor::End, "soft num", name);
    }
    for (at, name) in x.marks() {
        path(svg, "rule", &format!("M{at:.1} {top:.1}V{bottom:.1}"));
        text(svg, (at, bottom + 17.0), Anchor::Middle, "soft num", name);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    text(
        svg,
        (middle, bottom + 34.0),
        Anchor::Middle,
        "soft",
        &plane.axes[0],
    );
    if let (Some(across), Some(up)) = (x.place(1.0), y.place(1.0)) {
        path(svg, "edge", &format!("M{across:.1} {top:.1}V{bottom:.1}"));
        path(svg, "edge", &format!("M{LEFT} {up:.1}H{RIGHT}"));
        quarters(svg, plane, (across, up), (top, bottom));
    }
    for point in &plane.points {
        draw_point(svg, point, &x, &y);
    }
    labels(svg, plane, &x, &y);
    bottom + BELOW
}

/// Draws the names of the quadrants in their outer corners. Omits names that do not fit.
fn quarters(svg: &mut String, plane: &Plane, (across, up): (f64, f64), (top, bottom): (f64, f64)) {
    let [top_left, top_right, bottom_left, bottom_right] = &plane.quarters;
    let (high, low) = (top + 16.0, bottom - 8.0);
    for (name, is_left, is_high) in [
        (top_left, true, true),
        (top_right, false, true),
        (bottom_left, true, false),
        (bottom_right, false, false),
    ] {
        let wide = if is_left {
            across - LEFT
        } else {
            RIGHT - across
        };
        let tall = if is_high { up - top } else { bottom - up };
        if wide < width_of(name) + 16.0 || tall < 2.0 * LETTERS {
            continue;
        }
        let (x, anchor) = if is_left {
            (LEFT + 8.0, Anchor::Start)
        } else {
            (RIGHT - 8.0, Anchor::End)
        };
        let y = if is_high { high } else { low };
        text(svg, (x, y), anchor, "soft halo", name);
    }
}

fn legend(svg: &mut String, plane: &Plane) -> f64 {
    let mut known: Vec<&PlanePoint> = Vec::new();
    for point in &plane.points {
        if !known.iter().any(|other| other.name == point.name) {
            known.push(point);
        }
    }
    if known.len() < 2 {
        return 0.0;
    }
    let (mut x, mut y) = (0.0, 13.0);
    for point in known {
        let name = shortened(&point.name, LEGEND_NAME);
        let width = width_of(&name) + 34.0;
        if x > 0.0 && x + width > WIDTH {
            (x, y) = (0.0, y + LEGEND_ROW);
        }
        let _ = writeln!(svg, "<g class=\"{}\">", colour(point.place));
        shape(svg, point.place, (x + 6.0, y), false, "");
        svg.push_str("</g>\n");
        text(svg, (x + 18.0, y + 4.0), Anchor::Start, "", &name);
        x += width;
    }
    y + 8.0
}

fn draw_point(svg: &mut String, point: &PlanePoint, x: &Scale, y: &Scale) {
    let (Some(at), Some(up)) = (x.place(point.at[0].value), y.place(point.at[1].value)) else {
        return;
    };
    let _ = writeln!(svg, "<g class=\"{}\">", colour(point.place));
    let mut data = String::new();
    let ends = point.at[0].interval;
    if let Some((low, high)) = ends.and_then(|it| Some((x.place(it.low)?, x.place(it.high)?))) {
        let (from, cap) = (up - CAP, 2.0 * CAP);
        let _ = write!(
            data,
            "M{low:.1} {up:.1}H{high:.1}M{low:.1} {from:.1}v{cap}M{high:.1} {from:.1}v{cap}"
        );
    }
    let ends = point.at[1].interval;
    if let Some((low, high)) = ends.and_then(|it| Some((y.place(it.low)?, y.place(it.high)?))) {
        let (from, cap) = (at - CAP, 2.0 * CAP);
        let _ = write!(
            data,
            "M{at:.1} {low:.1}V{high:.1}M{from:.1} {low:.1}h{cap}M{from:.1} {high:.1}h{cap}"
        );
    }
    if !data.is_empty() {
        path(svg, "thin", &data);
    }
    shape(svg, point.place, (at, up), point.doubtful, &point.said);
    svg.push_str("</g>\n");
}

/// A name beside each point, at the first of several places that hides no point and no other name; none
/// where all places are taken.
fn labels(svg: &mut String, plane: &Plane, x: &Scale, y: &Scale) {
    let place =
        |point: &PlanePoint| Some((x.place(point.at[0].value)?, y.place(point.at[1].value)?));
    let points = plane.points.iter().filter_map(place);
    let mut taken: Vec<Area> = points.map(|place| Area::around(place, POINT)).collect();
    for point in &plane.points {
        let label = shortened(&point.label, LABEL);
        let Some((at, up)) = place(point).filter(|_| !label.is_empty()) else {
            continue;
        };
        let width = width_of(&label);
        let sides = [at + 9.0, at - 9.0 - width];
        let bases = [up - 7.0, up + 15.0, up - 22.0, up + 30.0];
        let places = bases
            .into_iter()
            .flat_map(|base| sides.map(|left| (left, base)));
        let free = places.into_iter().find_map(|(left, base)| {
            let area = Area {
                left,
                right: left + width,
                top: base - LETTERS,
                bottom: base + LETTERS / 3.0,
            };
            let is_inside = left >= LEFT && area.right <= RIGHT;
            let is_free = is_inside && !taken.iter().any(|other| area.overlaps(other));
            is_free.then_some((left, base, area))
        });
        if let Some((left, base, area)) = free {
            taken.push(area);
            text(svg, (left, base), Anchor::Start, "halo", &label);
        }
    }
}

/// A part of the drawing that has something in it.
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn around((x, y): (f64, f64), half: f64) -> Self {
        Self {
            left: x - half,
            right: x + half,
            top: y - half,
            bottom: y + half,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::Figure;

    fn point(label: &str, at: [f64; 2]) -> PlanePoint {
        PlanePoint {
            place: 1,
            name: "durable".to_owned(),
            label: label.to_owned(),
            at: at.map(|value| Figure {
                value,
                interval: None,
                n: 8,
            }),
            doubtful: false,
            said: String::new(),
        }
    }

    #[test]
    fn names_of_points_that_are_close_are_apart() {
        let plane = Plane {
            axes: [String::new(), String::new()],
            quarters: Default::default(),
            points: vec![
                point("get-1KiB", [1.08, 1.81]),
                point("get-1MiB", [0.98, 1.92]),
                point("put-1KiB", [0.4, 4.9]),
                point("far-right", [1.2, 1.0]),
            ],
        };
        let mut svg = String::new();
        draw(&mut svg, &plane);
        let labels = svg.lines().filter(|line| line.contains("class=\"halo\""));
        let places: Vec<(f64, f64)> = labels
            .map(|line| {
                let number = |name: &str| {
                    let (_, rest) = line.split_once(name).expect("an attribute");
                    rest.split('"')
                        .next()
                        .expect("its end")
                        .parse()
                        .expect("a number")
                };
                (number(" x=\""), number(" y=\""))
            })
            .collect();
        assert_eq!(places.len(), 4, "{svg}");
        let width = width_of("get-1KiB");
        for (at, one) in places.iter().enumerate() {
            assert!(one.0 >= LEFT && one.0 + width <= RIGHT, "{places:?}");
            for other in &places[at + 1..] {
                let apart = (one.0 - other.0).abs() >= width || (one.1 - other.1).abs() >= LETTERS;
                assert!(apart, "{places:?}");
            }
        }
    }
}
