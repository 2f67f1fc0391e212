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
/// Half the width of the caps of an error bar.
const CAP: f64 = 3.0;

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
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    for point in &plane.points {
        draw_point(svg, point, &x, &y, &mut taken);
    }
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
        let (x, anchor) = match is_left {
            true => (LEFT + 8.0, Anchor::Start),
            false => (RIGHT - 8.0, Anchor::End),
        };
        let y = if is_high { high } else { low };
        text(svg, (x, y), anchor, "soft", name);
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

fn draw_point(
    svg: &mut String,
    point: &PlanePoint,
    x: &Scale,
    y: &Scale,
    taken: &mut Vec<(f64, f64, f64)>,
) {
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
    let label = shortened(&point.label, LABEL);
    if label.is_empty() {
        return;
    }
    let width = width_of(&label);
    let is_left = at + 9.0 + width > RIGHT;
    let left = if is_left { at - 9.0 - width } else { at + 9.0 };
    let is_free = |base: &f64| {
        let mut others = taken.iter();
        !others.any(|(from, wide, y)| {
            *from < left + width && left < from + wide && (y - base).abs() < LETTERS
        })
    };
    let bases = [up - 7.0, up + 15.0, up - 20.0, up + 28.0];
    if let Some(base) = bases.into_iter().find(is_free) {
        taken.push((left, width, base));
        text(svg, (left, base), Anchor::Start, "", &label);
    }
}
