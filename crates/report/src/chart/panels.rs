//! Panels with a common horizontal axis: figures over time, rounds, percentiles or connections.

use std::fmt::Write as _;

use super::area::Area;
use super::scale::Scale;
use super::svg::{
    Anchor, BOLD, Breadth, LETTERS, colour, dashes, path, shape, shortened, text, width_of, wrapped,
};
use super::{Axis, Named, Panel, Panels, Point, Series, Style};

/// Left edge of the panels; the tick labels are to the left of the edge.
const LEFT: f64 = 64.0;
/// Distance of the right edge of the panels from the edge of the drawing.
const AT_RIGHT: f64 = 14.0;
/// Distance of the first and the last point from the edges of the panel.
const INSET: f64 = 10.0;
/// Height of the plot area if the chart has a single panel.
const ALONE: f64 = 240.0;
/// Height of the plot area of each panel if the chart has several.
const ONE_OF_SEVERAL: f64 = 130.0;
/// Space above a panel, for a title of one line.
const TITLE: f64 = 36.0;
/// Height of a further line of a title.
const LINE: f64 = 16.0;
/// Space below the last panel for the tick labels and the axis title.
const BELOW: f64 = 40.0;
/// Height of a row of the legend.
const LEGEND_ROW: f64 = 20.0;
/// Maximum width of a name in the legend.
const LEGEND_NAME: f64 = 220.0;
/// Half the width of the caps of an error bar, and of the space of a point.
const CAP: f64 = 3.0;
const POINT: f64 = 5.0;
/// Length of the pieces into which a line is divided; each piece is an area that texts avoid.
const PIECE: f64 = 6.0;
/// Radius of a ring, with its stroke.
const RING: f64 = 8.0;

/// The horizontal axis of all panels.
struct Across {
    scale: Scale,
    /// Right edge of the panels.
    right: f64,
}

/// Draws the panels and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, panels: &Panels, breadth: Breadth) -> f64 {
    let mut top = legend(svg, panels, breadth);
    let height = match panels.panels.len() {
        0 | 1 => ALONE,
        _ => ONE_OF_SEVERAL,
    };
    let places = panels.panels.iter().flat_map(|panel| &panel.series);
    let points = places.flat_map(|series| &series.points);
    let places = points
        .filter(|point| point.y.is_some())
        .map(|point| point.x);
    let span = panels.span.into_iter().flat_map(|(low, high)| [low, high]);
    let places = places.chain(span);
    let wanted = match breadth {
        Breadth::Wide => 8,
        Breadth::Narrow => 4,
    };
    let right = breadth.width() - AT_RIGHT;
    let across = Across {
        scale: Scale::new(&panels.x, places, (LEFT + INSET, right - INSET), wanted),
        right,
    };
    let last = panels.panels.len().saturating_sub(1);
    for (at, panel) in panels.panels.iter().enumerate() {
        let title = wrapped(&panel.title, breadth.width() / BOLD);
        top += TITLE - LINE;
        for line in &title {
            top += LINE;
            text(svg, (0.0, top - 14.0), Anchor::Start, "head", line);
        }
        let bottom = top + height;
        draw_panel(svg, panel, &across, (top, bottom));
        if at == last {
            marks_below(svg, &panels.x, &across, bottom);
        }
        top = bottom;
    }
    top + BELOW
}

/// Draws a legend above the panels, with the line, shape and name of each series, and returns the
/// height of the legend. Draws nothing and returns 0 if all series have the same name.
fn legend(svg: &mut String, panels: &Panels, breadth: Breadth) -> f64 {
    let mut known: Vec<&Series> = Vec::new();
    for series in panels.panels.iter().flat_map(|panel| &panel.series) {
        if !known.iter().any(|other| other.name == series.name) {
            known.push(series);
        }
    }
    if known.len() < 2 {
        return 0.0;
    }
    let (mut x, mut y) = (0.0, 13.0);
    for series in known {
        let name = shortened(&series.name, LEGEND_NAME);
        let width = width_of(&name) + 44.0;
        if x > 0.0 && x + width > breadth.width() {
            (x, y) = (0.0, y + LEGEND_ROW);
        }
        // The script of a page finds the names of the legend by this class, and their place in the drawing.
        let _ = writeln!(
            svg,
            "<g class=\"key\" data-box=\"{x:.0} {:.0} {:.0} {LEGEND_ROW}\"><g class=\"{}\">",
            y - LEGEND_ROW / 2.0,
            width - 8.0,
            colour(series.place)
        );
        stroke(svg, series, &format!("M{x:.1} {y:.1}h22"));
        if has_shapes(series.style) {
            shape(svg, series.place, (x + 11.0, y), false, "");
        }
        svg.push_str("</g>\n");
        text(svg, (x + 28.0, y + 4.0), Anchor::Start, "", &name);
        svg.push_str("</g>\n");
        x += width + 8.0;
    }
    y + 4.0
}

fn has_shapes(style: Style) -> bool {
    matches!(style, Style::Dots | Style::Joined | Style::Banded)
}

/// Draws the line of a series; draws nothing for [`Style::Dots`].
fn stroke(svg: &mut String, series: &Series, data: &str) {
    let dashes = match series.style {
        Style::Dots => return,
        Style::Dashed => "5 3",
        _ => dashes(series.place),
    };
    let _ = match dashes {
        "" => writeln!(svg, "<path class=\"line\" d=\"{data}\"/>"),
        dashes => writeln!(
            svg,
            "<path class=\"line\" stroke-dasharray=\"{dashes}\" d=\"{data}\"/>"
        ),
    };
}

fn draw_panel(svg: &mut String, panel: &Panel, across: &Across, (top, bottom): (f64, f64)) {
    let (x, right) = (&across.scale, across.right);
    let figures = panel.series.iter().flat_map(|series| &series.points);
    let figures = figures.flat_map(|point| {
        let ends = point.ends.map(|(low, high)| [low, high]);
        point.y.into_iter().chain(ends.into_iter().flatten())
    });
    let ranges = panel.shaded.into_iter().chain(panel.least);
    let extra = panel
        .level
        .into_iter()
        .chain(ranges.flat_map(|(low, high)| [low, high]));
    let wanted = if bottom - top > 200.0 { 5 } else { 3 };
    let y = Scale::new(&panel.y, figures.chain(extra), (bottom, top), wanted);
    // The script of a page draws the background again when the range of an axis changes.
    let _ = writeln!(
        svg,
        "<g class=\"plot\" data-box=\"{LEFT} {top:.0} {right} {bottom:.0}\"><g class=\"axis\">"
    );
    for border in &panel.borders {
        if let Some(at) = x.place(*border).filter(|_| x.has(*border)) {
            path(svg, "border", &format!("M{at:.1} {top:.1}V{bottom:.1}"));
        }
    }
    let mut above = f64::INFINITY;
    for (at, name) in y.marks() {
        path(svg, "rule", &format!("M{LEFT} {at:.1}H{right}"));
        if above - at >= LETTERS {
            text(svg, (LEFT - 8.0, at + 4.0), Anchor::End, "soft num", name);
            above = at;
        }
    }
    if let Some((low, high)) = panel.shaded
        && let (Some(low), Some(high)) = (y.place(low), y.place(high))
    {
        path(
            svg,
            "shade",
            &format!("M{LEFT} {low:.1}H{right}V{high:.1}H{LEFT}Z"),
        );
    }
    if let Some(level) = panel.level.and_then(|level| y.place(level)) {
        path(svg, "level", &format!("M{LEFT} {level:.1}H{right}"));
    }
    svg.push_str("</g>\n");
    path(svg, "edge", &format!("M{LEFT} {bottom:.1}H{right}"));
    for series in &panel.series {
        let _ = writeln!(svg, "<g class=\"{} series\">", colour(series.place));
        curve(svg, series, x, &y);
        svg.push_str("</g>\n");
    }
    let mut taken = Taken::by(panel, x, &y);
    for named in &panel.named {
        ring(svg, named, (x, &y), (right, top, bottom), &mut taken);
    }
    svg.push_str("</g>\n");
}

/// What names must not hide.
struct Taken {
    /// Points, intervals, rings and other names.
    marks: Vec<Area>,
    /// Lines, which are seen beside a name that crosses them.
    lines: Vec<Area>,
}

impl Taken {
    fn by(panel: &Panel, x: &Scale, y: &Scale) -> Self {
        let (mut marks, mut lines) = (Vec::new(), Vec::new());
        for series in &panel.series {
            let placed = |point: &Point| Some((x.place(point.x)?, y.place(point.y?)?));
            let mut before = None;
            for point in &series.points {
                let place = placed(point);
                if let Some(place) = place.filter(|_| has_shapes(series.style)) {
                    marks.push(Area::around(place, POINT));
                }
                if let (Some((at, _)), Some((low, high))) = (place, point.ends)
                    && matches!(series.style, Style::Joined | Style::Dots)
                    && let (Some(low), Some(high)) = (y.place(low), y.place(high))
                {
                    marks.push(Area::of_line((at, low), (at, high), CAP));
                }
                if let (Some(from), Some(to)) = (before, place)
                    && series.style != Style::Dots
                {
                    lines.extend(pieces(from, to));
                }
                before = place;
            }
        }
        Self { marks, lines }
    }
}

/// A straight line as small areas.
fn pieces(from: (f64, f64), to: (f64, f64)) -> impl Iterator<Item = Area> {
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    let count = (length / PIECE).ceil().clamp(1.0, 400.0) as u32;
    let at = move |step: u32| {
        let share = f64::from(step) / f64::from(count);
        (
            from.0 + share * (to.0 - from.0),
            from.1 + share * (to.1 - from.1),
        )
    };
    (0..count).map(move |step| Area::of_line(at(step), at(step + 1), 1.0))
}

fn curve(svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
    let placed = |point: &Point| Some((x.place(point.x)?, y.place(point.y?)?));
    if matches!(series.style, Style::Line | Style::Dashed | Style::Banded) {
        band(svg, series, x, y);
    }
    let mut data = String::new();
    let mut drawing = false;
    for point in &series.points {
        let Some((at, high)) = placed(point) else {
            drawing = false;
            continue;
        };
        let command = if drawing { 'L' } else { 'M' };
        let _ = write!(data, "{command}{at:.1} {high:.1}");
        drawing = true;
    }
    if !data.is_empty() {
        stroke(svg, series, &data);
    }
    if matches!(series.style, Style::Joined | Style::Dots) {
        bars(svg, series, x, y);
    }
    if has_shapes(series.style) {
        for point in &series.points {
            if let Some(place) = placed(point) {
                shape(svg, series.place, place, point.flagged, &point.said);
            }
        }
    }
}

/// Draws the intervals of all points as one path of error bars.
fn bars(svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
    let mut data = String::new();
    for point in &series.points {
        let Some((low, high)) = point.ends else {
            continue;
        };
        if let (Some(at), Some(low), Some(high)) = (x.place(point.x), y.place(low), y.place(high)) {
            let (left, cap) = (at - CAP, 2.0 * CAP);
            let _ = write!(
                data,
                "M{at:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h{cap}M{left:.1} {high:.1}h{cap}"
            );
        }
    }
    if !data.is_empty() {
        path(svg, "thin", &data);
    }
}

/// Draws the intervals of adjacent points as a filled area.
fn band(svg: &mut String, series: &Series, x: &Scale, y: &Scale) {
    let placed = |point: &Point| {
        let (low, high) = point.ends?;
        Some((x.place(point.x)?, y.place(low)?, y.place(high)?))
    };
    let mut run: Vec<(f64, f64, f64)> = Vec::new();
    let mut data = String::new();
    for point in series.points.iter().map(placed).chain([None]) {
        match point {
            Some(point) => run.push(point),
            None => {
                for (at, (x, _, high)) in run.iter().enumerate() {
                    let command = if at == 0 { 'M' } else { 'L' };
                    let _ = write!(data, "{command}{x:.1} {high:.1}");
                }
                for (x, low, _) in run.iter().rev() {
                    let _ = write!(data, "L{x:.1} {low:.1}");
                }
                if !run.is_empty() {
                    data.push('Z');
                }
                run.clear();
            }
        }
    }
    if !data.is_empty() {
        path(svg, "band", &data);
    }
}

/// Draws a ring with a name, at the first place where the name hides nothing, else where it hides only
/// lines.
fn ring(
    svg: &mut String,
    named: &Named,
    (x, y): (&Scale, &Scale),
    (right, top, bottom): (f64, f64, f64),
    taken: &mut Taken,
) {
    let (Some(at), Some(high)) = (x.place(named.at.0), y.place(named.at.1)) else {
        return;
    };
    let _ = writeln!(
        svg,
        "<g class=\"named\"><g class=\"{}\"><circle class=\"ring\" cx=\"{at:.1}\" cy=\"{high:.1}\" r=\"7\"/></g>",
        colour(named.place)
    );
    taken.marks.push(Area::around((at, high), RING));
    let width = width_of(&named.name);
    let sides = [at + 11.0, at - 11.0 - width, at - width / 2.0];
    let bases = [16.0, -9.0, 30.0, -23.0, 44.0, -37.0].map(|away| high + away);
    let places = bases
        .into_iter()
        .flat_map(|base| sides.map(|left| (left, base)))
        .filter(|(left, base)| {
            let area = Area::of_text(*left, *base, width);
            let is_beside = area.left >= LEFT && area.right <= right;
            is_beside && area.top >= top && area.bottom <= bottom
        });
    let area = |(left, base): &(f64, f64)| Area::of_text(*left, *base, width);
    let mut all = places.clone();
    let free =
        all.find(|it| area(it).is_free_of(&taken.marks) && area(it).is_free_of(&taken.lines));
    let free = free.or_else(|| {
        let mut all = places;
        all.find(|it| area(it).is_free_of(&taken.marks))
    });
    if let Some(place) = free {
        taken.marks.push(area(&place));
        text(svg, place, Anchor::Start, "soft halo", &named.name);
    }
    svg.push_str("</g>\n");
}

/// Draws tick marks, tick labels and axis title below the last panel. Omits labels that would
/// overlap the previous label.
fn marks_below(svg: &mut String, axis: &Axis, across: &Across, bottom: f64) {
    let mut free = f64::NEG_INFINITY;
    svg.push_str("<g class=\"ticks\">\n");
    for (at, name) in across.scale.marks() {
        path(svg, "edge", &format!("M{at:.1} {bottom:.1}v4"));
        let half = width_of(name) / 2.0;
        // The last label stays within the drawing.
        let middle = at.min(across.right + AT_RIGHT - half);
        if middle - half >= free {
            text(
                svg,
                (middle, bottom + 17.0),
                Anchor::Middle,
                "soft num",
                name,
            );
            free = middle + half + 6.0;
        }
    }
    svg.push_str("</g>\n");
    let right = across.right;
    let title = shortened(&axis.title, right - LEFT);
    text(
        svg,
        ((LEFT + right) / 2.0, bottom + 34.0),
        Anchor::Middle,
        "soft",
        &title,
    );
}
