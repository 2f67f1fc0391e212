//! Shapes, lines and text of drawings.
//!
//! Colours are those of Okabe and Ito (2008), which most people can tell apart; the two lightest are
//! darker on a light page, so that every colour has a contrast of 3:1. Targets differ in shape
//! and stroke as well. Colours are set by classes, so that a chart is legible on a light and on a dark
//! page and needs no attribute that a Content-Security-Policy refuses.

use std::fmt::Write as _;

use crate::escape::{for_xml, is_escaped_in_xml};

/// Width of every chart, in units of its own.
pub(super) const WIDTH: f64 = 720.0;
/// Size of the letters.
pub(super) const LETTERS: f64 = 12.0;
/// Average width of a letter, as a share of its size.
const LETTER_WIDTH: f64 = 0.56;
/// Shapes of points, one after the other.
const SHAPES: usize = 5;
/// Colours, one after the other.
const COLOURS: usize = 7;
/// Strokes of lines, for targets of the same colour.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

/// Where text stands relative to its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Text at a place, as one of the classes of the style.
pub(super) fn text(svg: &mut String, (x, y): (f64, f64), anchor: Anchor, class: &str, words: &str) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} class=\"{class}\">{}</text>",
        for_xml(words)
    );
}

/// A path of one class.
pub(super) fn path(svg: &mut String, class: &str, data: &str) {
    let _ = writeln!(svg, "<path class=\"{class}\" d=\"{}\"/>", data.trim_end());
}

/// About how wide words are as [`text`] writes them.
pub(super) fn width_of(words: &str) -> f64 {
    words.chars().map(width_of_letter).sum()
}

fn width_of_letter(c: char) -> f64 {
    let letters = match c {
        c if is_escaped_in_xml(c) => c.escape_unicode().count() as f64,
        c if u32::from(c) < 0x1100 => 1.0,
        _ => 1.8,
    };
    letters * LETTERS * LETTER_WIDTH
}

/// The words, shortened at their end to about this width.
pub(super) fn shortened(words: &str, width: f64) -> String {
    if width_of(words) <= width {
        return words.to_owned();
    }
    let (mut short, mut left) = (String::new(), width - LETTERS);
    for c in words.chars() {
        left -= width_of_letter(c);
        if left < 0.0 {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// The class of the colour of a target.
pub(super) fn colour(place: usize) -> String {
    format!("c{}", place % COLOURS)
}

/// The stroke of the lines of a target.
pub(super) fn dashes(place: usize) -> &'static str {
    DASHES[(place / COLOURS) % DASHES.len()]
}

/// The shape of a target's points around a place.
pub(super) fn shape(svg: &mut String, place: usize, (x, y): (f64, f64), flagged: bool, said: &str) {
    let class = if flagged { "hollow" } else { "dot" };
    let data = match place % SHAPES {
        0 => "M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0Z",
        1 => "M-3-3h6v6h-6Z",
        2 => "M0-4.2l3.8 6.6h-7.6Z",
        3 => "M0-4l4 4l-4 4l-4-4Z",
        _ => "M0 4.2l-3.8-6.6h7.6Z",
    };
    let head =
        format!("<path class=\"{class}\" transform=\"translate({x:.1} {y:.1})\" d=\"{data}\"");
    let _ = match said {
        "" => writeln!(svg, "{head}/>"),
        said => writeln!(svg, "{head}><title>{}</title></path>", for_xml(said)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_characters_take_the_space_of_their_escapes() {
        let name = "a\u{1b}[2J\u{202e}b";
        let shown = for_xml(name);
        assert!((width_of(name) - width_of(&shown)).abs() < 1e-9);
        for width in [40.0, 80.0, 120.0] {
            let short = for_xml(&shortened(name, width));
            assert!(width_of(&short) <= width, "{short} in {width}");
        }
        assert_eq!(shortened(name, width_of(&shown) + 0.1), name);
    }
}
