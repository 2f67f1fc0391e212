//! A scatter plot of one ratio against another, with axes that cross at 1.

use std::fmt::Write as _;

use super::area::Area;
use super::scale::Scale;
use super::svg::{Anchor, BOLD, Breadth, colour, path, shape, shortened, text, width_of};
use super::{Axis, Plane, PlanePoint};

const LEFT: f64 = 64.0;
/// Distance of the right edge of the plot from the edge of the drawing.
const AT_RIGHT: f64 = 14.0;
/// Space between the outermost marks and the frame, as a share of the range of all marks.
const SPACE: f64 = 0.08;
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

/// The plot: both scales and the edges.
struct Plot {
    x: Scale,
    y: Scale,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Draws the scatter plot and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, plane: &Plane, breadth: Breadth) -> f64 {
    let top = legend(svg, plane, breadth) + 26.0;
    let bottom = top + HEIGHT;
    let right = breadth.width() - AT_RIGHT;
    let name = shortened(&plane.axes[1], breadth.width() / BOLD);
    text(svg, (0.0, top - 10.0), Anchor::Start, "head", &name);
    let wanted = match breadth {
        Breadth::Wide => 6,
        Breadth::Narrow => 3,
    };
    let axis = Axis::of_ratios("");
    let plot = Plot {
        x: Scale::new(&axis, numbers(plane, 0).into_iter(), (LEFT, right), wanted),
        y: Scale::new(&axis, numbers(plane, 1).into_iter(), (bottom, top), 5),
        right,
        top,
        bottom,
    };
    background(svg, plane, &plot);
    for point in &plane.points {
        draw_point(svg, point, &plot.x, &plot.y);
    }
    let mut taken = marks(plane, &plot);
    labels(svg, plane, &plot, &mut taken);
    quarters(svg, plane, &plot, &mut taken);
    bottom + BELOW
}

/// The numbers that an axis includes: all ratios, the ends of their intervals, about 1, and space
/// around them.
fn numbers(plane: &Plane, axis: usize) -> Vec<f64> {
    let figures = plane.points.iter().map(|point| point.at[axis]);
    let all = figures.flat_map(|figure| {
        let ends = figure.interval.map(|ends| [ends.low, ends.high]);
        std::iter::once(figure.value).chain(ends.into_iter().flatten())
    });
    let has_place = |number: &f64| number.is_finite() && *number > 0.0;
    let mut all: Vec<f64> = all.chain(LEAST).filter(has_place).collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(0.0, f64::max);
    let space = (high / low).powf(SPACE);
    all.extend([low / space, high * space]);
    all
}

/// Draws the axes, their tick marks and titles, and the lines at 1.
fn background(svg: &mut String, plane: &Plane, plot: &Plot) {
    let Plot {
        x,
        y,
        right,
        top,
        bottom,
    } = plot;
    for (at, name) in y.marks() {
        path(svg, "rule", &format!("M{LEFT} {at:.1}H{right}"));
        text(svg, (LEFT - 8.0, at + 4.0), Anchor::End, "soft num", name);
    }
    let mut free = f64::NEG_INFINITY;
    for (at, name) in x.marks() {
        path(svg, "rule", &format!("M{at:.1} {top:.1}V{bottom:.1}"));
        let half = width_of(name) / 2.0;
        if at - half >= free && at + half <= right + AT_RIGHT {
            text(svg, (at, bottom + 17.0), Anchor::Middle, "soft num", name);
            free = at + half + 6.0;
        }
    }
    let title = shortened(&plane.axes[0], right - LEFT);
    let middle = ((LEFT + right) / 2.0, bottom + 34.0);
    text(svg, middle, Anchor::Middle, "soft", &title);
    if let (Some(across), Some(up)) = (x.place(1.0), y.place(1.0)) {
        path(svg, "edge", &format!("M{across:.1} {top:.1}V{bottom:.1}"));
        path(svg, "edge", &format!("M{LEFT} {up:.1}H{right}"));
    }
}

/// The areas of all points and their intervals, and of the lines at 1.
fn marks(plane: &Plane, plot: &Plot) -> Vec<Area> {
    let Plot { x, y, .. } = plot;
    let mut marks = Vec::new();
    if let (Some(across), Some(up)) = (x.place(1.0), y.place(1.0)) {
        let (top, bottom) = (plot.top, plot.bottom);
        marks.push(Area::of_line((across, top), (across, bottom), 1.0));
        marks.push(Area::of_line((LEFT, up), (plot.right, up), 1.0));
    }
    for point in &plane.points {
        let (Some(at), Some(up)) = (x.place(point.at[0].value), y.place(point.at[1].value)) else {
            continue;
        };
        marks.push(Area::around((at, up), POINT));
        let ends = |axis: usize, scale: &Scale| {
            let ends = point.at[axis].interval?;
            scale.place(ends.low).zip(scale.place(ends.high))
        };
        if let Some((low, high)) = ends(0, x) {
            marks.push(Area::of_line((low, up), (high, up), CAP));
        }
        if let Some((low, high)) = ends(1, y) {
            marks.push(Area::of_line((at, low), (at, high), CAP));
        }
    }
    marks
}

/// Draws the names of the quadrants in their outer corners, or in the corners next to these if a mark
/// is there. Omits names that do not fit.
fn quarters(svg: &mut String, plane: &Plane, plot: &Plot, taken: &mut Vec<Area>) {
    let (Some(across), Some(up)) = (plot.x.place(1.0), plot.y.place(1.0)) else {
        return;
    };
    let [top_left, top_right, bottom_left, bottom_right] = &plane.quarters;
    for (name, is_left, is_high) in [
        (top_left, true, true),
        (top_right, false, true),
        (bottom_left, true, false),
        (bottom_right, false, false),
    ] {
        let width = width_of(name);
        let [outer, inner] = if is_left {
            [LEFT + 8.0, across - 8.0 - width]
        } else {
            [plot.right - 8.0 - width, across + 8.0]
        };
        let [far, near] = if is_high {
            [plot.top + 16.0, up - 8.0]
        } else {
            [plot.bottom - 8.0, up + 16.0]
        };
        let (from, to) = if is_left {
            (LEFT, across)
        } else {
            (across, plot.right)
        };
        let (above, below) = if is_high {
            (plot.top, up)
        } else {
            (up, plot.bottom)
        };
        let is_inside = |area: &Area| {
            area.left >= from && area.right <= to && area.top >= above && area.bottom <= below
        };
        let corners = [(outer, far), (outer, near), (inner, far), (inner, near)];
        let free = corners.into_iter().find_map(|(left, base)| {
            let area = Area::of_text(left, base, width);
            (is_inside(&area) && area.is_free_of(taken)).then_some((left, base, area))
        });
        if let Some((left, base, area)) = free {
            taken.push(area);
            text(svg, (left, base), Anchor::Start, "soft halo", name);
        }
    }
}

fn legend(svg: &mut String, plane: &Plane, breadth: Breadth) -> f64 {
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
        if x > 0.0 && x + width > breadth.width() {
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

/// A name beside each point, at the first of several places that hides no mark and no other name; none
/// where all places are taken.
fn labels(svg: &mut String, plane: &Plane, plot: &Plot, taken: &mut Vec<Area>) {
    let Plot { x, y, right, .. } = plot;
    for point in &plane.points {
        let label = shortened(&point.label, LABEL);
        let place = x.place(point.at[0].value).zip(y.place(point.at[1].value));
        let Some((at, up)) = place.filter(|_| !label.is_empty()) else {
            continue;
        };
        let width = width_of(&label);
        let sides = [at + 9.0, at - 9.0 - width];
        let bases = [up - 7.0, up + 15.0, up - 22.0, up + 30.0];
        let places = bases
            .into_iter()
            .flat_map(|base| sides.map(|left| (left, base)));
        let free = places.into_iter().find_map(|(left, base)| {
            let area = Area::of_text(left, base, width);
            let is_inside = left >= LEFT
                && area.right <= *right
                && area.top >= plot.top
                && area.bottom <= plot.bottom;
            (is_inside && area.is_free_of(taken)).then_some((left, base, area))
        });
        if let Some((left, base, area)) = free {
            taken.push(area);
            text(svg, (left, base), Anchor::Start, "halo", &label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::svg::LETTERS;
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
        draw(&mut svg, &plane, Breadth::Wide);
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
            let right = Breadth::Wide.width() - AT_RIGHT;
            assert!(one.0 >= LEFT && one.0 + width <= right, "{places:?}");
            for other in &places[at + 1..] {
                let apart = (one.0 - other.0).abs() >= width || (one.1 - other.1).abs() >= LETTERS;
                assert!(apart, "{places:?}");
            }
        }
    }
}
