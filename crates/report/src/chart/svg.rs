//! Draws shapes, lines and text as SVG.
//!
//! Colours follow Okabe and Ito (2008), which most people can tell apart. On a light page, the two
//! lightest colours are darker, so that every colour has a contrast of 3:1. Targets also differ in
//! shape and stroke. CSS classes set the colours, so that a chart is legible on light and dark
//! pages and needs no attribute that a Content-Security-Policy refuses.

use std::fmt::Write as _;

use crate::escape::{for_xml, is_escaped_in_xml};

/// How wide a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// For screens, paper and files.
    Wide,
    /// For phones, where a wide chart would have illegible letters.
    Narrow,
}

impl Breadth {
    /// Width of the drawing, in chart units (SVG user units).
    pub(super) fn width(self) -> f64 {
        match self {
            Self::Wide => 720.0,
            Self::Narrow => 340.0,
        }
    }
}

/// Font size, in chart units.
pub(super) const LETTERS: f64 = 12.0;
/// Average width of a letter, as a share of the font size.
const LETTER_WIDTH: f64 = 0.56;
/// Width of a bold text as a multiple of that of the same text in usual letters.
pub(super) const BOLD: f64 = 1.16;
/// Number of point shapes, assigned to targets in turn.
const SHAPES: usize = 5;
/// Number of colours, assigned to targets in turn.
const COLOURS: usize = 7;
/// Dash patterns that distinguish targets of the same colour.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

/// Alignment of text relative to its position.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Draws text at a position, in a class of the style sheet.
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

/// Draws a path in a class of the style sheet.
pub(super) fn path(svg: &mut String, class: &str, data: &str) {
    let _ = writeln!(svg, "<path class=\"{class}\" d=\"{}\"/>", data.trim_end());
}

/// Approximate width of text as [`text`] writes it, in chart units.
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

/// Shortens text at its end to about `width`, in chart units.
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

/// The lines of a text that is at most `width` wide, broken between words. A word that is too long is
/// shortened.
pub(super) fn wrapped(words: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        let word = shortened(word, width);
        match lines.last_mut() {
            Some(line) if width_of(line) + width_of(" ") + width_of(&word) <= width => {
                *line = format!("{line} {word}");
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The CSS class for the colour of a target.
pub(super) fn colour(place: usize) -> String {
    format!("c{}", place % COLOURS)
}

/// The dash pattern for the lines of a target.
pub(super) fn dashes(place: usize) -> &'static str {
    DASHES[(place / COLOURS) % DASHES.len()]
}

/// Draws a point of a target at a position, with a tooltip. A point with a tooltip has the class
/// `mark`.
pub(super) fn shape(svg: &mut String, place: usize, (x, y): (f64, f64), flagged: bool, said: &str) {
    let class = if flagged { "hollow" } else { "dot" };
    let (tag, data) = match place % SHAPES {
        0 => ("circle", "r=\"3.2\""),
        1 => ("path", "d=\"M-3-3h6v6h-6Z\""),
        2 => ("path", "d=\"M0-4.2l3.8 6.6h-7.6Z\""),
        3 => ("path", "d=\"M0-4l4 4l-4 4l-4-4Z\""),
        _ => ("path", "d=\"M0 4.2l-3.8-6.6h7.6Z\""),
    };
    let at = format!("transform=\"translate({x:.1} {y:.1})\" {data}");
    let _ = match said {
        "" => writeln!(svg, "<{tag} class=\"{class}\" {at}/>"),
        said => writeln!(
            svg,
            "<{tag} class=\"{class} mark\" {at}><title>{}</title></{tag}>",
            for_xml(said)
        ),
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
