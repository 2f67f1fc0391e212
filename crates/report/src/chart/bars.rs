//! Stacked bars, in groups with one axis each.

use std::fmt::Write as _;

use super::scale::Scale;
use super::svg::{Anchor, BOLD, Breadth, colour, path, shortened, text, width_of};
use super::{Axis, Bar, BarGroup, Bars};
use crate::escape::for_xml;

/// Height of a row, in chart units.
const ROW: f64 = 26.0;
/// Height of the bar within its row.
const BAR: f64 = 20.0;
/// Height of a group's heading.
const HEADING: f64 = 30.0;
/// Height of the axis below a group.
const BELOW: f64 = 26.0;
/// Minimum and maximum width of the names at the left.
const NAMES: (f64, f64) = (70.0, 170.0);
/// Minimum and maximum width of the figures at the right.
const SAID: (f64, f64) = (70.0, 220.0);
const LEGEND_ROW: f64 = 20.0;
const LEGEND_NAME: f64 = 220.0;

/// Draws the bars and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, bars: &Bars, breadth: Breadth) -> f64 {
    let all = || bars.groups.iter().flat_map(|group| &group.bars);
    let widest = |of: &dyn Fn(&Bar) -> &str, (least, most): (f64, f64)| {
        let widths = all().map(|bar| width_of(of(bar)) + 14.0);
        widths.fold(least, f64::max).min(most)
    };
    let share = |(least, most): (f64, f64)| (least, most.min(breadth.width() * 0.3));
    let left = widest(&|bar| &bar.name, share(NAMES));
    let right = breadth.width() - widest(&|bar| &bar.said, share(SAID));
    let mut top = legend(svg, bars, breadth);
    for group in &bars.groups {
        top = draw_group(svg, bars, group, top, (left, right), breadth);
    }
    top
}

fn legend(svg: &mut String, bars: &Bars, breadth: Breadth) -> f64 {
    let (mut x, mut y) = (0.0, 13.0);
    for (part, name) in bars.parts.iter().enumerate() {
        let name = shortened(name, LEGEND_NAME);
        let width = width_of(&name) + 40.0;
        if x > 0.0 && x + width > breadth.width() {
            (x, y) = (0.0, y + LEGEND_ROW);
        }
        let _ = writeln!(
            svg,
            "<g class=\"{}\"><rect class=\"part\" x=\"{:.1}\" y=\"{:.1}\" width=\"18\" height=\"12\"/></g>",
            colour(part),
            x + 0.5,
            y - 8.0
        );
        text(svg, (x + 25.0, y + 3.0), Anchor::Start, "", &name);
        x += width;
    }
    y + 6.0
}

fn draw_group(
    svg: &mut String,
    bars: &Bars,
    group: &BarGroup,
    top: f64,
    (left, right): (f64, f64),
    breadth: Breadth,
) -> f64 {
    let title = shortened(&group.title, breadth.width() / BOLD);
    text(svg, (0.0, top + 20.0), Anchor::Start, "head", &title);
    let first = top + HEADING;
    let bottom = first + group.bars.len() as f64 * ROW;
    let lengths = group.bars.iter().map(|bar| {
        let parts = bar.parts.iter().map(|(_, length)| length);
        parts.sum::<f64>()
    });
    let wanted = match breadth {
        Breadth::Wide => 4,
        Breadth::Narrow => 2,
    };
    let scale = Scale::new(&Axis::of("", bars.unit), lengths, (left, right), wanted);
    let mut free = f64::NEG_INFINITY;
    for (at, name) in scale.marks() {
        path(svg, "rule", &format!("M{at:.1} {first:.1}V{bottom:.1}"));
        let half = width_of(name) / 2.0;
        if at - half >= free {
            text(svg, (at, bottom + 15.0), Anchor::Middle, "soft num", name);
            free = at + half + 6.0;
        }
    }
    for (at, bar) in group.bars.iter().enumerate() {
        let y = first + at as f64 * ROW;
        draw_bar(svg, bars, bar, &scale, y);
        let base = y + ROW / 2.0 + 4.0;
        let name = shortened(&bar.name, left - 12.0);
        text(svg, (0.0, base), Anchor::Start, "", &name);
        let said = shortened(&bar.said, breadth.width() - right - 10.0);
        text(svg, (right + 10.0, base), Anchor::Start, "num", &said);
    }
    bottom + BELOW
}

fn draw_bar(svg: &mut String, bars: &Bars, bar: &Bar, scale: &Scale, y: f64) {
    let mut sum = 0.0;
    for (part, length) in &bar.parts {
        let (from, to) = (scale.place(sum), scale.place(sum + length));
        sum += length;
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        let name = bars.parts.get(*part).map_or("", String::as_str);
        let said = format!("{}, {name}: {}", bar.name, bars.unit.of(*length));
        let width = to - from;
        let _ = writeln!(
            svg,
            "<g class=\"{} mark\"><title>{}</title><rect class=\"part\" x=\"{from:.1}\" y=\"{:.1}\" \
             width=\"{width:.1}\" height=\"{BAR}\"/>",
            colour(*part),
            for_xml(&said),
            y + (ROW - BAR) / 2.0
        );
        // Part names inside the bar, where they fit, for readers who cannot tell the colours apart.
        if width_of(name) + 8.0 <= width {
            let middle = (from + to) / 2.0;
            text(svg, (middle, y + ROW / 2.0 + 4.0), Anchor::Middle, "", name);
        }
        svg.push_str("</g>\n");
    }
}
