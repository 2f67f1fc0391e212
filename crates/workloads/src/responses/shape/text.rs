//! Features of text: words, classes of bytes, the end, and a checksum without numbers and tokens.

use std::borrow::Cow;

use super::super::content::{START, finished, fold};
use super::CLASSES;
use super::features::{Names, add, mix};

/// Shortest word of ASCII letters that counts, bytes.
const SHORTEST_WORD: usize = 3;
/// Longest part of a word that counts, bytes.
const LONGEST_WORD: usize = 24;
/// Bytes of a piece of a text in a script without spaces: two characters of most of them.
const PIECE: usize = 6;
/// Maximum share of control characters in a text, per mille.
const MOST_CONTROL: u16 = 10;
/// Number of bytes whose classes are counted.
const COUNTED_BYTES: usize = 16 << 10;
/// Bytes of the end of a text that are compared.
const ENDING_BYTES: usize = 8;

/// Adds the words of a text. A word with a digit is a number or a token, and does not count.
pub(super) fn words(text: &[u8], words: &mut Vec<u64>, names: &mut dyn Names) {
    for run in runs(text) {
        if run.iter().any(u8::is_ascii_digit) {
            continue;
        }
        let has_high = run.iter().any(|b| *b >= 0x80);
        if !has_high {
            if run.len() >= SHORTEST_WORD {
                word(&run[..run.len().min(LONGEST_WORD)], words, names);
            }
            continue;
        }
        for piece in run.chunks(PIECE) {
            word(piece, words, names);
        }
    }
}

fn word(word: &[u8], words: &mut Vec<u64>, names: &mut dyn Names) {
    let mut lower = [0; LONGEST_WORD];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    let feature = mix(2, lower);
    add(words, feature);
    names.name(feature, &|| {
        format!("\"{}\"", String::from_utf8_lossy(word))
    });
}

/// Runs of letters, digits and bytes from 128.
fn runs(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80;
    let runs = text.split(move |b| !is_part(b));
    runs.filter(|run| !run.is_empty())
}

/// The text in which each word with a digit is replaced by `#`.
pub(super) fn mask(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().any(u8::is_ascii_digit) {
        return Cow::Borrowed(text);
    }
    let mut masked = Vec::with_capacity(text.len());
    each_part(text, |part| masked.extend_from_slice(part));
    Cow::Owned(masked)
}

/// The checksum of the text in which each word with a digit is replaced by `#`.
pub(super) fn masked(text: &[u8]) -> u64 {
    let mut state = START;
    each_part(text, |part| state = fold(state, part));
    finished(state)
}

/// Passes the words, and what is between them; for a word with a digit, `#`.
fn each_part<'a>(text: &'a [u8], mut pass: impl FnMut(&'a [u8])) {
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |b: &u8| b.is_ascii_alphanumeric();
        let length = rest.iter().take_while(|b| is_word(b)).count();
        let (word, after) = rest.split_at(length);
        if word.iter().any(u8::is_ascii_digit) {
            pass(b"#")
        } else {
            pass(word)
        }
        let length = after.iter().take_while(|b| !is_word(b)).count();
        let (between, after) = after.split_at(length);
        pass(between);
        rest = after;
    }
}

/// Share of each class of bytes at the start of a body, per mille.
pub(super) fn classes(body: &[u8]) -> [u16; CLASSES] {
    let body = &body[..body.len().min(COUNTED_BYTES)];
    let mut counts = [0_usize; CLASSES];
    for byte in body {
        let class = match byte {
            0 => 0,
            b'\t' | b'\n' | b'\r' | b' ' => 2,
            1..=0x1F | 0x7F => 1,
            b'0'..=b'9' => 3,
            b'a'..=b'z' => 4,
            b'A'..=b'Z' => 5,
            0x80.. => 7,
            _ => 6,
        };
        counts[class] += 1;
    }
    counts.map(|count| (count * 1_000 / body.len().max(1)) as u16)
}

/// Whether a body is text: valid UTF-8 (apart from an end that is cut) with few control characters.
pub(super) fn is_text(body: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let [zero, control, ..] = classes(body);
    is_utf8 && zero + control <= MOST_CONTROL
}

/// The end of a text, as a hash in which digits are alike.
pub(super) fn ending(body: &[u8]) -> u64 {
    let end = body.trim_ascii_end();
    let end = &end[end.len().saturating_sub(ENDING_BYTES)..];
    let mut masked = [0; ENDING_BYTES];
    for (to, from) in masked.iter_mut().zip(end) {
        *to = if from.is_ascii_digit() { b'0' } else { *from };
    }
    mix(3, &masked)
}
