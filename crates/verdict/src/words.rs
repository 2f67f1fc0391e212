//! Text helpers for findings and sentences.

/// Maximum length of a quoted pattern name, characters.
const QUOTED_CHARS: usize = 80;

/// The truncated name of a pattern; `pattern N`, counted from 1, if names are unknown.
pub(crate) fn pattern_name(pattern: u32, labels: &[String]) -> String {
    let Some(label) = labels.get(pattern as usize) else {
        return format!("pattern {}", u64::from(pattern) + 1);
    };
    let short: String = label.chars().take(QUOTED_CHARS).collect();
    let cut = if short.len() < label.len() { "…" } else { "" };
    format!("{short}{cut}")
}

/// The singular or plural form of a verb for the count `n`.
pub(crate) fn verb(n: usize, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
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
