//! Lines of Japanese text, which has no spaces at which clap could break it.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Characters that do not stand at the start of a line.
const NOT_FIRST: &str = "、。」)]}ー…:・ぁぃぅぇぉっゃゅょァィゥェォッャュョ";

/// Characters that do not stand at the end of a line.
const NOT_LAST: &str = "「([{";

/// The text in lines of at most `width` columns, as far as its words allow. Line breaks stay.
pub(crate) fn lines(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| wrapped(line, width));
    lines.collect::<Vec<_>>().join("\n")
}

fn wrapped(line: &str, width: usize) -> String {
    let mut text = String::new();
    let mut columns = 0;
    for word in words(line) {
        let own = word.trim_end().width();
        let may_break = !word.starts_with(|first| NOT_FIRST.contains(first))
            && !text.ends_with(|last| NOT_LAST.contains(last));
        if columns > 0 && columns + own > width && may_break {
            text.truncate(text.trim_end().len());
            text.push('\n');
            columns = 0;
        }
        text += word;
        columns += word.width();
    }
    text
}

/// The parts of a line between which it can break: words with the space after them, runs of katakana,
/// and other characters.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let kind = Kind::of(first);
        let own = rest.find(|letter| Kind::of(letter) != kind);
        let mut end = match kind {
            Kind::Other => first.len_utf8(),
            Kind::Latin | Kind::Katakana | Kind::Space => own.unwrap_or(rest.len()),
        };
        end += rest[end..].len() - rest[end..].trim_start_matches(' ').len();
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Latin,
    Katakana,
    Space,
    Other,
}

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            ' ' => Self::Space,
            '\u{30a1}'..='\u{30fc}' => Self::Katakana,
            _ if letter.width() == Some(1) => Self::Latin,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_words_stay_whole() {
        let text = "各ターゲットのスライスの長さ(--slice)、100ms 以上。";
        let wrapped = lines(text, 20);
        let without = |text: &str| text.replace(['\n', ' '], "");
        assert_eq!(without(&wrapped), without(text));
        assert!(
            wrapped.lines().all(|line| line.trim_end().width() <= 24),
            "{wrapped}"
        );
        assert!(wrapped.contains("(--slice)"), "{wrapped}");
        assert!(!wrapped.contains("\n、"), "{wrapped}");
        assert_eq!(lines("a\nb", 20), "a\nb");
    }
}
