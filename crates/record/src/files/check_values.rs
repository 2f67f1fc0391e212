//! Check values, which show whether the files of a run directory were changed after the run.
//!
//! Each line of `intervals.jsonl` ends with a check value in the field `h`: the first digits of the
//! SHA-256 over the previous line's value and the line itself. The value thus reveals a changed,
//! added, removed or moved line. One write stores the line and its value, so a killed run leaves no
//! complete line without a value. The lines also contain check values of `plan.toml` and of the
//! parts of `latency.hlog` and `slices.bin` to which they refer. `environment.json`, which is
//! rewritten at the end of the run, contains a check value of its content.
//!
//! Check values use no secret key: anyone who recomputes all values can forge a run.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::files::integrity::Change;

/// Hexadecimal digits of a check value.
const DIGITS: usize = 16;
/// Text before the check value of a line.
const BEFORE: &[u8] = br#","h":""#;
/// Text after the check value of a line.
const BEHIND: &[u8] = b"\"}\n";
/// Text before the check value of a file that has one check value for its whole content.
const BEFORE_IN_FILE: &[u8] = b",\n  \"h\": \"";
/// Text after the check value of a file that has one check value for its whole content.
const BEHIND_IN_FILE: &[u8] = b"\"\n}\n";
/// Maximum number of changed lines that are named in a message.
const MOST_LISTED: usize = 4;

/// The first 64 bits of a SHA-256, written as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckValue([u8; DIGITS]);

impl CheckValue {
    /// The check value of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::of_both(b"", bytes)
    }

    fn of_both(first: &[u8], second: &[u8]) -> Self {
        let hash = Sha256::new()
            .chain_update(first)
            .chain_update(second)
            .finalize();
        let mut digits = [0; DIGITS];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(hash) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        Self(digits)
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

impl fmt::Debug for CheckValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CheckValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CheckValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = <[u8; DIGITS]>::try_from(text.as_bytes());
        let digits = digits.ok().filter(|digits| digits.is_ascii());
        digits
            .map(Self)
            .ok_or_else(|| D::Error::custom("a check value has 16 hexadecimal digits"))
    }
}

/// The check value of the last line written.
#[derive(Debug, Default)]
pub(crate) struct Chain(Option<CheckValue>);

impl Chain {
    /// Adds the check value and a newline to the last line of `text`, which starts at `start`. The
    /// line must be a JSON object with at least one member.
    pub(crate) fn end_line(&mut self, text: &mut Vec<u8>, start: usize) {
        text.pop();
        let before = self.0.as_ref().map_or(&b""[..], |value| &value.0);
        let value = CheckValue::of_both(before, &text[start..]);
        self.0 = Some(value);
        text.extend_from_slice(BEFORE);
        text.extend_from_slice(&value.0);
        text.extend_from_slice(BEHIND);
    }
}

/// Checks the lines of `intervals.jsonl` while they are read.
#[derive(Debug, Default)]
pub(crate) struct CheckedLines {
    /// Check value of the previous line, as stored.
    last: Option<[u8; DIGITS]>,
    lines: u64,
    with_value: u64,
    /// Numbers of the lines with a wrong check value, from 1.
    changed: Vec<u64>,
    further: u64,
}

impl CheckedLines {
    /// Starts after the first `lines` lines; `last` is the check value of the last of these lines.
    pub(crate) fn behind(lines: u64, last: Option<[u8; DIGITS]>) -> Self {
        Self {
            last,
            lines,
            ..Self::default()
        }
    }

    /// Adds the results for the next lines.
    pub(crate) fn add(&mut self, next: Self) {
        self.last = next.last;
        self.lines = next.lines;
        self.with_value += next.with_value;
        self.changed.extend(next.changed);
        let unlisted = self.changed.len().saturating_sub(MOST_LISTED);
        self.changed.truncate(MOST_LISTED);
        self.further += unlisted as u64 + next.further;
    }

    /// Checks the next line, with its newline.
    pub(crate) fn take(&mut self, line: &[u8]) {
        self.lines += 1;
        let found = split(line, BEFORE, BEHIND);
        let before = self.last.as_ref().map_or(&b""[..], |value| &value[..]);
        let fits = found.is_some_and(|(text, value)| CheckValue::of_both(before, text).0 == value);
        self.with_value += u64::from(found.is_some());
        self.last = found.map(|(_, value)| value);
        if fits {
            return;
        }
        if self.changed.len() < MOST_LISTED {
            self.changed.push(self.lines)
        } else {
            self.further += 1
        }
    }

    /// Number of the last checked line, from 1.
    pub(crate) fn count(&self) -> u64 {
        self.lines
    }

    /// Whether no line has a check value.
    pub(crate) fn have_no_values(&self) -> bool {
        self.with_value == 0
    }

    /// The changed lines; `None` without changed lines.
    pub(crate) fn changed(&self) -> Option<Change> {
        (!self.changed.is_empty()).then(|| Change::Lines {
            listed: self.changed.clone(),
            further: self.further,
        })
    }
}

/// The check value of a line of `intervals.jsonl`, as stored.
pub(crate) fn value_of(line: &[u8]) -> Option<[u8; DIGITS]> {
    split(line, BEFORE, BEHIND).map(|(_, value)| value)
}

/// Splits `text` into the part covered by the check value at the end, and the value.
fn split<'a>(text: &'a [u8], before: &[u8], behind: &[u8]) -> Option<(&'a [u8], [u8; DIGITS])> {
    let (text, value) = text.strip_suffix(behind)?.split_last_chunk::<DIGITS>()?;
    Some((text.strip_suffix(before)?, *value))
}

/// Adds a check value to the text of a file: a JSON object on several lines, with a final newline.
pub(crate) fn end_file(text: &mut Vec<u8>) {
    let Some(members) = text.strip_suffix(b"\n}\n") else {
        return;
    };
    let length = members.len();
    let value = CheckValue::of(members);
    text.truncate(length);
    text.extend_from_slice(BEFORE_IN_FILE);
    text.extend_from_slice(&value.0);
    text.extend_from_slice(BEHIND_IN_FILE);
}

/// Whether a file is unchanged since [`end_file`]; `None` if the file has no check value.
pub(crate) fn is_unchanged(text: &[u8]) -> Option<bool> {
    let (members, value) = split(text, BEFORE_IN_FILE, BEHIND_IN_FILE)?;
    Some(CheckValue::of(members).0 == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_value_is_the_begin_of_a_sha_256() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(CheckValue::of(b"abc").as_str(), "ba7816bf8f01cfea");
        assert_eq!(CheckValue::of_both(b"a", b"bc"), CheckValue::of(b"abc"));
    }

    #[test]
    fn each_line_is_hashed_behind_the_value_of_the_line_before() {
        let mut chain = Chain::default();
        let mut text = Vec::new();
        for line in [&br#"{"n":1}"#[..], br#"{"n":2}"#] {
            let start = text.len();
            text.extend_from_slice(line);
            chain.end_line(&mut text, start);
        }
        let first = CheckValue::of(br#"{"n":1"#);
        let second = CheckValue::of([&first.0[..], br#"{"n":2"#].concat().as_slice());
        let expected =
            format!("{{\"n\":1,\"h\":\"{first:?}\"}}\n{{\"n\":2,\"h\":\"{second:?}\"}}\n");
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn a_file_without_a_check_value_is_not_reported_as_changed() {
        let mut text = b"{\n  \"n\": 1\n}\n".to_vec();
        assert_eq!(is_unchanged(&text), None);
        end_file(&mut text);
        assert!(text.starts_with(b"{\n  \"n\": 1,\n  \"h\": \""));
        assert_eq!(is_unchanged(&text), Some(true));
        text[8] = b'2';
        assert_eq!(is_unchanged(&text), Some(false));
    }
}
