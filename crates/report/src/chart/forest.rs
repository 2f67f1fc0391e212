//! The forest plot: ratios with their intervals, one below the other.

use super::scale::Scale;
use super::svg::{Anchor, BOLD, Breadth, path, shape, shortened, text, width_of, wrapped};
use super::{Axis, Forest, ForestRow};
use crate::block::Look;

/// Height of a row and of a heading, in chart units.
const ROW: f64 = 24.0;
/// Height of a line of text above a ratio, where the space beside the ratio is too narrow.
const TEXT_ROW: f64 = 17.0;
/// Space above the first row, for the labels of the two sides, below 1 and above 1.
const TOP: f64 = 24.0;
/// Space below the last row, for the tick labels.
const BOTTOM: f64 = 26.0;
/// Distance of the outermost marks from the edges, where the texts are above the ratios.
const INSET: f64 = 12.0;
/// Least width of the plot between the texts at its sides.
const LEAST_PLOT: f64 = 220.0;
/// Distance between a text and the plot.
const GAP: f64 = 18.0;

/// Where the texts of a row are.
enum Layout {
    /// Label at the left, figures at the right of the plot, which lies between these places.
    Beside { left: f64, right: f64 },
    /// Both above the ratio, in one line or in two.
    Above { lines: usize },
}

/// Draws the forest plot and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, forest: &Forest, breadth: Breadth) -> f64 {
    let width = breadth.width();
    let layout = Layout::of(forest, width);
    let lines = lines(forest, width);
    let heights = lines.iter().map(|line| layout.height(line));
    let bottom = TOP + heights.sum::<f64>();
    let ends = match layout {
        Layout::Beside { left, right } => (left, right),
        Layout::Above { .. } => (INSET, width - INSET),
    };
    let wanted = match breadth {
        Breadth::Wide => 5,
        Breadth::Narrow => 3,
    };
    let scale = scale(forest, ends, wanted);
    background(svg, forest, &scale, bottom, width);
    let mut y = TOP;
    for line in &lines {
        match line {
            Line::Heading(heading) => {
                text(
                    svg,
                    (0.0, y + ROW / 2.0 + 4.0),
                    Anchor::Start,
                    "head",
                    heading,
                );
            }
            Line::Ratio(row) => ratio(svg, row, &scale, (y, width), &layout),
        }
        y += layout.height(line);
    }
    bottom + BOTTOM
}

impl Layout {
    fn of(forest: &Forest, width: f64) -> Self {
        let widest = |of: fn(&ForestRow) -> f64| forest.rows.iter().map(of).fold(0.0, f64::max);
        let label = widest(|row| {
            let bold = if row.decides { BOLD } else { 1.0 };
            bold * width_of(&row.label)
        });
        let said = widest(|row| width_of(&row.said));
        let (left, right) = (label + GAP, width - said - GAP);
        match (right - left >= LEAST_PLOT, label + said + GAP <= width) {
            (true, _) => Self::Beside { left, right },
            (false, true) => Self::Above { lines: 1 },
            (false, false) => Self::Above { lines: 2 },
        }
    }

    fn height(&self, line: &Line<'_>) -> f64 {
        match (line, self) {
            (Line::Heading(_), _) | (Line::Ratio(_), Self::Beside { .. }) => ROW,
            (Line::Ratio(_), Self::Above { lines }) => ROW + *lines as f64 * TEXT_ROW,
        }
    }
}

enum Line<'a> {
    Heading(String),
    Ratio(&'a ForestRow),
}

fn lines(forest: &Forest, width: f64) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut before = "";
    for row in &forest.rows {
        if row.group != before {
            let headings = wrapped(&row.group, width / BOLD).into_iter();
            lines.extend(headings.map(Line::Heading));
            before = &row.group;
        }
        lines.push(Line::Ratio(row));
    }
    lines
}

/// Draws the tick marks, the band of equivalence, the line at 1 and the names of its sides.
fn background(svg: &mut String, forest: &Forest, scale: &Scale, bottom: f64, width: f64) {
    let mut free = 0.0;
    for (x, name) in scale.marks() {
        path(svg, "rule", &format!("M{x:.1} {TOP} V{bottom:.1}"));
        let half = width_of(name) / 2.0;
        if x - half >= free && x + half <= width {
            text(svg, (x, bottom + 16.0), Anchor::Middle, "soft num", name);
            free = x + half + 6.0;
        }
    }
    if let (Some(low), Some(high)) = band(forest, scale) {
        let width = high - low;
        path(
            svg,
            "shade",
            &format!("M{low:.1} {TOP}h{width:.1}V{bottom:.1}h-{width:.1}Z"),
        );
    }
    let Some(one) = scale.place(1.0) else {
        return;
    };
    path(
        svg,
        "edge",
        &format!("M{one:.1} {:.1} V{bottom:.1}", TOP - 6.0),
    );
    let [below, above] = &forest.sides;
    let (below, above) = (format!("← {below}"), format!("{above} →"));
    let base = TOP - 10.0;
    if one - 8.0 >= width_of(&below) {
        text(svg, (one - 8.0, base), Anchor::End, "soft", &below);
    }
    if one + 8.0 + width_of(&above) <= width {
        text(svg, (one + 8.0, base), Anchor::Start, "soft", &above);
    }
}

/// The scale of the ratios, which always includes 1 and the equivalence margin.
fn scale(forest: &Forest, ends: (f64, f64), wanted: usize) -> Scale {
    let of_row = |row: &ForestRow| {
        let interval = row.ratio.interval;
        let ends = interval.map_or([row.ratio.value; 2], |ends| [ends.low, ends.high]);
        [row.ratio.value, ends[0], ends[1]]
    };
    let margin = forest.margin.unwrap_or(0.02);
    let about_one = [1.0 - margin * 1.6, 1.0 + margin * 1.6];
    let numbers = forest.rows.iter().flat_map(of_row).chain(about_one);
    Scale::new(&Axis::of_ratios(""), numbers, ends, wanted)
}

fn band(forest: &Forest, scale: &Scale) -> (Option<f64>, Option<f64>) {
    let margin = forest.margin.filter(|margin| *margin < 1.0);
    let end = |factor: f64| margin.and_then(|margin| scale.place(1.0 + factor * margin));
    (end(-1.0), end(1.0))
}

/// Draws a ratio in the row that begins at `top`.
fn ratio(
    svg: &mut String,
    row: &ForestRow,
    scale: &Scale,
    (top, width): (f64, f64),
    layout: &Layout,
) {
    let beside = top + ROW / 2.0;
    let above = top + TEXT_ROW - 4.0;
    let (y, label, said, anchor) = match layout {
        Layout::Beside { right, .. } => {
            let base = beside + 4.0;
            (beside, (0.0, base), (right + 12.0, base), Anchor::Start)
        }
        Layout::Above { lines: 1 } => {
            let y = beside + TEXT_ROW - 4.0;
            (y, (0.0, above), (width, above), Anchor::End)
        }
        Layout::Above { .. } => {
            let y = beside + 2.0 * TEXT_ROW - 4.0;
            (y, (0.0, above), (0.0, above + TEXT_ROW), Anchor::Start)
        }
    };
    let weight = if row.decides { "head" } else { "" };
    let name = shortened(&row.label, width);
    text(svg, label, Anchor::Start, weight, &name);
    mark(svg, row, scale, y);
    let look = match row.look {
        Look::Good => "t-good",
        Look::Bad => "t-bad",
        Look::Doubtful => "t-doubt",
        _ => "soft",
    };
    let words = shortened(&row.said, width);
    text(svg, said, anchor, &format!("num {look}"), &words);
}

/// Draws the interval and the point of a ratio.
fn mark(svg: &mut String, row: &ForestRow, scale: &Scale, y: f64) {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::{Figure, Interval};

    fn forest(label: &str, said: &str) -> Forest {
        Forest {
            sides: ["lower".to_owned(), "higher".to_owned()],
            margin: Some(0.05),
            rows: vec![ForestRow {
                group: String::new(),
                label: label.to_owned(),
                ratio: Figure {
                    value: 1.399,
                    interval: Some(Interval {
                        low: 1.011,
                        high: 2.01,
                        confidence: 0.95,
                    }),
                    n: 8,
                },
                said: said.to_owned(),
                look: Look::Doubtful,
                decides: true,
            }],
        }
    }

    #[test]
    fn a_verdict_is_never_cut() {
        let long = "99.9th percentile of response time";
        for said in [
            "1.399 (1.011–2.01)  cannot tell",
            "1.399 (1.011–2.01)  likely costs less",
        ] {
            for breadth in [Breadth::Wide, Breadth::Narrow] {
                let mut svg = String::new();
                draw(&mut svg, &forest(long, said), breadth);
                assert!(svg.contains(&format!(">{said}</text>")), "{svg}");
                assert!(!svg.contains('…'), "{svg}");
            }
        }
    }

    #[test]
    fn texts_that_leave_no_space_stand_above_the_ratio() {
        let named = "throughput at 99 %";
        let said = "1.399 (1.011–2.01)  cannot tell";
        let wide = Layout::of(&forest(named, said), Breadth::Wide.width());
        assert!(matches!(wide, Layout::Beside { .. }));
        let narrow = Layout::of(&forest(named, said), Breadth::Narrow.width());
        assert!(matches!(narrow, Layout::Above { lines: 2 }));
        let short = Layout::of(
            &forest("p99", "1.399 (1.011–2.01)"),
            Breadth::Narrow.width(),
        );
        assert!(matches!(short, Layout::Above { lines: 1 }));
    }
}
