//! Text helpers for findings and sentences.

use tenbin_record::RunPart;
use tenbin_result::{Message, Value, message};

/// Maximum length of a quoted pattern name, characters.
const QUOTED_CHARS: usize = 80;

/// The truncated name of a pattern; `pattern N`, counted from 1, if names are unknown.
pub(crate) fn pattern_name(pattern: u32, labels: &[String]) -> Value {
    let Some(label) = labels.get(pattern as usize) else {
        let number = Value::Plain(u64::from(pattern) + 1);
        return message!("pattern-number", number).into();
    };
    let short: String = label.chars().take(QUOTED_CHARS).collect();
    let cut = if short.len() < label.len() { "…" } else { "" };
    format!("{short}{cut}").into()
}

/// The part of a run that was void; `during`, its English text, in a run of an older version.
pub(crate) fn void_part(part: Option<RunPart>, during: &str) -> Message {
    let Some(part) = part else {
        return message!("text", text = during);
    };
    let (word, block) = match part {
        RunPart::Preparation => ("preparation", 0),
        RunPart::WarmUp => ("warm-up", 0),
        RunPart::Block(block) => ("block", block + 1),
        RunPart::FirstRate => ("first-rate", 0),
        RunPart::Probe => ("probe", 0),
        RunPart::Stretch => ("stretch", 0),
    };
    message!(
        "run-part",
        part = Value::word(word),
        block = Value::Plain(u64::from(block))
    )
}

/// Text from a server as one line of at most 80 characters, with control characters escaped. Markup
/// stays unescaped; the code that writes a page or terminal escapes markup.
pub(crate) fn tame(text: &str) -> String {
    tame_to(text, 80)
}

/// As [`tame`], with up to `most` characters.
pub(crate) fn tame_to(text: &str, most: usize) -> String {
    let mut tame = String::new();
    for c in text.chars().take(most) {
        if c.is_control() {
            tame.extend(c.escape_unicode())
        } else {
            tame.push(c)
        }
    }
    if text.chars().nth(most).is_some() {
        tame.push('…');
    }
    tame
}

/// The median of `figures`; `None` without figures.
pub(crate) fn middle(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let figures: Vec<f64> = figures.into_iter().collect();
    tenbin_stats::median(&figures, tenbin_stats::CONFIDENCE).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_text_keeps_its_letters_and_loses_its_controls() {
        assert_eq!(tame("Slow\u{1b}[31mDown\n"), "Slow\\u{1b}[31mDown\\u{a}");
        assert_eq!(
            tame("Syntax error: <(日本語||>"),
            "Syntax error: <(日本語||>"
        );
        assert_eq!(tame(&"x".repeat(90)).chars().count(), 81);
        let own = "the server's checksum is not that of the content (crc32c); it is wrong";
        assert_eq!(tame(own), own);
    }
}
