//! A heat table: ratios in rows and columns. Colour, sign and number show the same verdict.

use std::fmt::Write as _;

use super::svg::{Anchor, Breadth, LETTERS, shortened, text, width_of};
use super::{Heat, HeatCell, Tone};
use crate::escape::for_xml;

/// Minimum and maximum width of the row headers.
const LABELS: (f64, f64) = (70.0, 200.0);
/// Height of a cell, in chart units.
const CELL: f64 = 40.0;
/// Height of the column headers.
const TOP: f64 = 44.0;
/// Maximum width of a cell.
const WIDEST: f64 = 110.0;
/// Space between two cells.
const SPACE: f64 = 2.0;
/// Height of the space above the colour key, and of a row of the key.
const ABOVE_KEY: f64 = 12.0;
const KEY_ROW: f64 = 22.0;

/// Draws the heat table and returns the height of the drawing.
pub(super) fn draw(svg: &mut String, heat: &Heat, breadth: Breadth) -> f64 {
    let labels = heat.rows.iter().map(|(name, _)| width_of(name) + 16.0);
    let labels = labels.chain([width_of(&heat.names[0]) + 16.0]);
    let most = LABELS.1.min(breadth.width() * 0.3);
    let left = labels.fold(LABELS.0, f64::max).min(most);
    let columns = heat.columns.len().max(1) as f64;
    let width = ((breadth.width() - left) / columns).min(WIDEST);
    let middle = |column: usize| left + (column as f64 + 0.5) * width;
    let rows = shortened(&heat.names[0], left - 8.0);
    text(svg, (0.0, TOP - 10.0), Anchor::Start, "soft", &rows);
    text(svg, (left, 14.0), Anchor::Start, "soft", &heat.names[1]);
    for (column, name) in heat.columns.iter().enumerate() {
        let name = shortened(name, width);
        text(
            svg,
            (middle(column), TOP - 10.0),
            Anchor::Middle,
            "soft num",
            &name,
        );
    }
    for (row, (name, cells)) in heat.rows.iter().enumerate() {
        let top = TOP + row as f64 * CELL;
        let name = shortened(name, left - 12.0);
        text(svg, (0.0, top + CELL / 2.0 + 4.0), Anchor::Start, "", &name);
        for (column, cell) in cells.iter().enumerate() {
            let place = (left + column as f64 * width, top);
            match cell {
                Some(known) => draw_cell(svg, known, place, width),
                None => text(
                    svg,
                    (middle(column), top + CELL / 2.0 + 4.0),
                    Anchor::Middle,
                    "soft",
                    "–",
                ),
            }
        }
    }
    let bottom = TOP + heat.rows.len() as f64 * CELL;
    key(svg, bottom + ABOVE_KEY, breadth)
}

fn draw_cell(svg: &mut String, cell: &HeatCell, (x, y): (f64, f64), width: f64) {
    let (wide, high) = (width - SPACE, CELL - SPACE);
    let _ = writeln!(
        svg,
        "<g class=\"{} mark\"><title>{}</title><rect class=\"cell\" x=\"{x:.1}\" y=\"{y:.1}\" \
         width=\"{wide:.1}\" height=\"{high:.1}\"/>",
        class(cell.tone),
        for_xml(&cell.said)
    );
    let middle = x + wide / 2.0;
    let signed = format!("{} {}", sign(cell.tone), cell.ratio);
    // Numbers are not shortened: a number that does not fit is only in the text table.
    let fits = |words: &str| width_of(words) <= wide + 2.0;
    let shown = match (fits(&signed), fits(&cell.ratio)) {
        (true, _) => signed.as_str(),
        (false, true) => cell.ratio.as_str(),
        (false, false) => sign(cell.tone),
    };
    let has_both = fits(&signed) && !cell.interval.is_empty() && fits(&cell.interval);
    let up = if has_both { LETTERS / 2.0 + 1.0 } else { 0.0 };
    let base = y + high / 2.0 + 4.0;
    text(svg, (middle, base - up), Anchor::Middle, "head num", shown);
    if has_both {
        text(
            svg,
            (middle, base + up + 2.0),
            Anchor::Middle,
            "num",
            &cell.interval,
        );
    }
    svg.push_str("</g>\n");
}

fn class(tone: Tone) -> String {
    match tone {
        Tone::Better(strength) => format!("h-better h{}", strength.clamp(1, 3)),
        Tone::Worse(strength) => format!("h-worse h{}", strength.clamp(1, 3)),
        Tone::Same => "h-same".to_owned(),
        Tone::Unclear => "h-unclear".to_owned(),
    }
}

/// The sign for a verdict, for readers who cannot see colours.
fn sign(tone: Tone) -> &'static str {
    match tone {
        Tone::Better(_) => "▲",
        Tone::Worse(_) => "▼",
        Tone::Same => "=",
        Tone::Unclear => "?",
    }
}

/// Draws the colour key below `top`, and returns the height of the drawing.
fn key(svg: &mut String, top: f64, breadth: Breadth) -> f64 {
    let (mut x, mut base) = (0.0, top + 12.0);
    for (tone, name) in [
        (Tone::Better(2), "▲ faster"),
        (Tone::Worse(2), "▼ slower"),
        (Tone::Same, "= equivalent"),
        (Tone::Unclear, "? no verdict"),
    ] {
        let width = 24.0 + width_of(name);
        if x > 0.0 && x + width > breadth.width() {
            (x, base) = (0.0, base + KEY_ROW);
        }
        let _ = writeln!(
            svg,
            "<g class=\"{}\"><rect class=\"cell\" x=\"{:.1}\" y=\"{:.1}\" width=\"16\" \
             height=\"14\"/></g>",
            class(tone),
            x + 0.5,
            base - 11.0
        );
        text(svg, (x + 24.0, base), Anchor::Start, "", name);
        x += width + 24.0;
    }
    base + 10.0
}
