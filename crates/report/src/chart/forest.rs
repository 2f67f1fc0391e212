//! The forest plot: ratios with their intervals, one below the other.

use super::scale::Scale;
use super::svg::{Anchor, WIDTH, path, shape, shortened, text, width_of};
use super::{Axis, Forest, ForestRow};
use crate::block::Look;

/// Height of a row and of a heading, in chart units.
const ROW: f64 = 24.0;
/// Space above the first row, for the labels of the two sides, below 1 and above 1.
const TOP: f64 = 24.0;
/// Space below the last row, for the tick labels.
const BOTTOM: f64 = 26.0;
/// Minimum and maximum width of the labels at the left.
const LABELS: (f64, f64) = (110.0, 230.0);
/// Minimum and maximum width of the text at the right.
const SAID: (f64, f64) = (120.0, 240.0);

/// Draws the forest plot and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, forest: &Forest) -> f64 {
    let widest = |of: &dyn Fn(&ForestRow) -> &str, (least, most): (f64, f64)| {
        let widths = forest.rows.iter().map(|row| width_of(of(row)) + 18.0);
        widths.fold(least, f64::max).min(most)
    };
    let left = widest(&|row| &row.label, LABELS);
    let right = WIDTH - widest(&|row| &row.said, SAID);
    let lines = lines(forest);
    let bottom = TOP + lines.len() as f64 * ROW;
    let scale = scale(forest, (left, right));
    for (x, name) in scale.marks() {
        path(svg, "rule", &format!("M{x:.1} {TOP} V{bottom:.1}"));
        text(svg, (x, bottom + 16.0), Anchor::Middle, "soft num", name);
    }
    if let (Some(low), Some(high)) = band(forest, &scale) {
        let width = high - low;
        path(
            svg,
            "shade",
            &format!("M{low:.1} {TOP}h{width:.1}V{bottom:.1}h-{width:.1}Z"),
        );
    }
    if let Some(one) = scale.place(1.0) {
        path(
            svg,
            "edge",
            &format!("M{one:.1} {:.1} V{bottom:.1}", TOP - 6.0),
        );
        let [below, above] = &forest.sides;
        text(
            svg,
            (one - 8.0, TOP - 10.0),
            Anchor::End,
            "soft",
            &format!("← {below}"),
        );
        text(
            svg,
            (one + 8.0, TOP - 10.0),
            Anchor::Start,
            "soft",
            &format!("{above} →"),
        );
    }
    for (at, line) in lines.iter().enumerate() {
        let y = TOP + (at as f64 + 0.5) * ROW;
        match line {
            Line::Heading(group) => {
                let group = shortened(group, WIDTH);
                text(svg, (0.0, y + 4.0), Anchor::Start, "head", &group);
            }
            Line::Ratio(row) => ratio(svg, row, &scale, y, [left, right]),
        }
    }
    bottom + BOTTOM
}

enum Line<'a> {
    Heading(&'a str),
    Ratio(&'a ForestRow),
}

fn lines(forest: &Forest) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut before = "";
    for row in &forest.rows {
        if row.group != before {
            lines.push(Line::Heading(&row.group));
            before = &row.group;
        }
        lines.push(Line::Ratio(row));
    }
    lines
}

/// The scale of the ratios, which always includes 1 and the equivalence margin.
fn scale(forest: &Forest, ends: (f64, f64)) -> Scale {
    let of_row = |row: &ForestRow| {
        let interval = row.ratio.interval;
        let ends = interval.map_or([row.ratio.value; 2], |ends| [ends.low, ends.high]);
        [row.ratio.value, ends[0], ends[1]]
    };
    let margin = forest.margin.unwrap_or(0.02);
    let about_one = [1.0 - margin * 1.6, 1.0 + margin * 1.6];
    let numbers = forest.rows.iter().flat_map(of_row).chain(about_one);
    Scale::new(&Axis::of_ratios(""), numbers, ends, 5)
}

fn band(forest: &Forest, scale: &Scale) -> (Option<f64>, Option<f64>) {
    let margin = forest.margin.filter(|margin| *margin < 1.0);
    let end = |factor: f64| margin.and_then(|margin| scale.place(1.0 + factor * margin));
    (end(-1.0), end(1.0))
}

fn ratio(svg: &mut String, row: &ForestRow, scale: &Scale, y: f64, [left, right]: [f64; 2]) {
    let weight = if row.decides { "head" } else { "" };
    let label = shortened(&row.label, left - 12.0);
    text(svg, (0.0, y + 4.0), Anchor::Start, weight, &label);
    svg.push_str("<g class=\"c0\">\n");
    if let Some(ends) = row.ratio.interval
        && let (Some(low), Some(high)) = (scale.place(ends.low), scale.place(ends.high))
    {
        let (from, to) = (y - 3.5, y + 3.5);
        path(
            svg,
            "line",
            &format!(
                "M{low:.1} {y:.1}H{high:.1}M{low:.1} {from:.1}V{to:.1}M{high:.1} {from:.1}V{to:.1}"
            ),
        );
    }
    if let Some(x) = scale.place(row.ratio.value) {
        let hollow = !row.decides;
        shape(
            svg,
            usize::from(row.decides),
            (x, y),
            hollow,
            &format!("{}: {}", row.label, row.said),
        );
    }
    svg.push_str("</g>\n");
    let look = match row.look {
        Look::Good => "t-good",
        Look::Bad => "t-bad",
        Look::Doubtful => "t-doubt",
        _ => "soft",
    };
    let said = shortened(&row.said, WIDTH - right - 12.0);
    text(
        svg,
        (right + 12.0, y + 4.0),
        Anchor::Start,
        &format!("num {look}"),
        &said,
    );
}
