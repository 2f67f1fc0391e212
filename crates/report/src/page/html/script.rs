//! The script of a page, which adds to a page that is complete without it: tooltips, zoom, other axes,
//! sorted tables, copies and pictures.
//!
//! The script is a module of a few files, one for each job. It loads nothing, and inserts text only as
//! text.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};
use tenbin_result::Language;
use tenbin_result::format::{UNITS, UNKNOWN};

use crate::block::NOT_TIMED;
use crate::chart;
use crate::language::{figure_words, fixed};

/// The files of the script, in order: each uses what those before it define.
const FILES: [&str; 6] = [
    include_str!("script/common.js"),
    include_str!("script/tables.js"),
    include_str!("script/scale.js"),
    include_str!("script/panels.js"),
    include_str!("script/marks.js"),
    include_str!("script/charts.js"),
];

/// The script as it stands on a page: without comments and indentation, which take a fifth of its size.
pub(super) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let lines = FILES.iter().flat_map(|file| file.lines()).map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    code.fold(String::from("\n"), |all, line| all + line + "\n")
});

/// Texts of the script: name, and English.
const TEXTS: [(&str, &str); 19] = [
    ("axis", "vertical axis"),
    ("close", "close"),
    ("copied", "copied"),
    ("copyCsv", "copy as CSV"),
    ("copyMarkdown", "copy as Markdown"),
    ("drawn", "axes as drawn"),
    (
        "hint",
        "Arrow keys move from point to point, Enter shows the figures of a point, + and − zoom, Escape resets.",
    ),
    ("interval", "interval"),
    ("linear", "linear axes"),
    ("log", "logarithmic axes"),
    ("notCopied", "not copied"),
    ("savePng", "save as PNG"),
    ("saveSvg", "save as SVG"),
    ("warmUp", "warm-up"),
    (
        "warmUpHint",
        "warm-up: shade the settling time before each slice, which is not measured",
    ),
    ("whole", "whole range"),
    ("zoomIn", "zoom in (+)"),
    ("zoomOut", "zoom out (−)"),
    ("zoomed", "range"),
];

/// The end of a page: the texts of the script in the language of the page, and the script.
pub(super) fn elements(language: Language) -> String {
    format!(
        "<script type=\"application/json\" id=\"words\">{}</script>\n\
         <script type=\"module\">{}</script>\n",
        chart::json(&words(language)),
        *SCRIPT
    )
}

fn words(language: Language) -> Value {
    let texts = TEXTS
        .iter()
        .map(|(name, english)| (*name, json!(fixed(language, english))));
    let mut words: BTreeMap<&str, Value> = texts.collect();
    words.insert("units", json!(units()));
    let unknown = figure_words(language).unknown.as_ref();
    let not_timed = fixed(language, NOT_TIMED);
    words.insert(
        "unknown",
        json!(["", "–", UNKNOWN, NOT_TIMED, unknown, not_timed]),
    );
    json!(words)
}

/// Factors of all units, so that a column of figures can be sorted.
fn units() -> BTreeMap<&'static str, f64> {
    let all = UNITS.iter().flat_map(|unit| unit.prefixes());
    let mut units: BTreeMap<&str, f64> = all.map(|(factor, name)| (name.trim(), *factor)).collect();
    units.insert("%", 0.01);
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page stays small, and its script can be read.
    #[test]
    fn the_script_is_small_and_cannot_end_its_element() {
        assert!(SCRIPT.len() < 28_000, "{} bytes", SCRIPT.len());
        assert!(!SCRIPT.contains("</"), "the end of an element");
        assert!(!SCRIPT.contains("<!--"), "a comment of HTML");
        assert!(!SCRIPT.contains("innerHTML"), "text that becomes mark-up");
    }

    #[test]
    fn every_text_of_the_script_has_a_translation() {
        for (name, english) in TEXTS {
            assert_ne!(fixed(Language::Japanese, english), english, "{name}");
            let is_used = SCRIPT.contains(&format!("words.{name}"))
                || SCRIPT.contains(&format!("\"{name}\""));
            assert!(is_used, "{name} is not used");
        }
    }
}
