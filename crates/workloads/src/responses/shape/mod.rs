//! The shape of a response body: what stays the same when a server sends the same page with other
//! values.
//!
//! JSON: the paths of keys with types, elements of an array folded into one. HTML and XML: the tags
//! with their parents. Text: words. Everything else: classes of bytes. Values are ignored, so that
//! times, tokens and other users do not change the shape.

mod features;
mod json;
mod markup;
mod text;

use serde::{Deserialize, Serialize};

pub(super) use self::features::Names;
use self::features::{Features, finish};
use super::content::{START, finished, fold};

/// Number of classes of bytes: zero, control, white space, digits, lower case, upper case,
/// punctuation, and bytes from 128.
pub(super) const CLASSES: usize = 8;
/// Bytes of a block of [`Shape::blocks`].
const BLOCK_BYTES: usize = 256;
/// Maximum number of blocks.
const MOST_BLOCKS: usize = 64;

/// The kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Form {
    Empty,
    Json,
    Markup,
    Text,
    Binary,
}

impl Form {
    /// The kind of content in words.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Empty => "an empty body",
            Self::Json => "JSON",
            Self::Markup => "HTML or XML",
            Self::Text => "text",
            Self::Binary => "binary data",
        }
    }
}

/// The shape of one body. Sets are sorted; each has a maximum size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Shape {
    pub(super) form: Form,
    /// Length of the decoded body, bytes.
    pub(super) length: u64,
    /// Checksum of the decoded body.
    pub(super) sum: u64,
    /// Checksum of the decoded body in which each word with a digit is replaced by one sign.
    pub(super) masked: u64,
    /// Paths of JSON without types of scalars, or tags with their parents.
    pub(super) skeleton: Vec<u64>,
    /// Paths of JSON with exact types and with short values outside arrays.
    pub(super) details: Vec<u64>,
    /// Words without digits.
    pub(super) words: Vec<u64>,
    /// Share of each class of bytes, per mille.
    pub(super) classes: [u16; CLASSES],
    /// The end of the body: the last tag, or the last characters.
    pub(super) ending: u64,
    /// Checksums of the blocks at the start of the body, in order.
    pub(super) blocks: Vec<u64>,
}

impl Shape {
    /// The shape of a decoded body. `whole` is its length if `body` is only its start. `names`
    /// receives the name of each feature for reports.
    pub(super) fn of(body: &[u8], whole: Option<u64>, names: &mut dyn Names) -> Self {
        let mut features = Features::default();
        let form = form(body, whole.is_some(), &mut features, names);
        let mut words = Vec::new();
        if form == Form::Text {
            text::words(body, &mut words, names);
        }
        words.append(&mut features.words);
        let ending = match form {
            Form::Markup => features.last_tag,
            Form::Text => text::ending(body),
            Form::Empty | Form::Json | Form::Binary => 0,
        };
        Self {
            form,
            length: whole.unwrap_or(body.len() as u64),
            sum: finished(fold(START, body)),
            masked: text::masked(body),
            skeleton: finish(features.skeleton),
            details: finish(features.details),
            words: finish(words),
            classes: text::classes(body),
            ending,
            blocks: body
                .chunks_exact(BLOCK_BYTES)
                .take(MOST_BLOCKS)
                .map(|block| finished(fold(START, block)))
                .collect(),
        }
    }

    /// The shape of a body that cannot be decoded, with its length and checksum as transferred.
    pub(super) fn encoded(body: &[u8], (length, sum): (u64, u64)) -> Self {
        Self {
            form: match length {
                0 => Form::Empty,
                _ => Form::Binary,
            },
            length,
            sum,
            masked: sum,
            skeleton: Vec::new(),
            details: Vec::new(),
            words: Vec::new(),
            classes: text::classes(body),
            ending: 0,
            blocks: Vec::new(),
        }
    }

    /// The features whose frequencies are compared.
    pub(super) fn counted(&self) -> impl Iterator<Item = u64> {
        let features = match self.form {
            Form::Json => &self.details,
            Form::Markup => &self.skeleton,
            Form::Empty | Form::Text | Form::Binary => &self.words,
        };
        features.iter().copied()
    }

    /// Whether this body is the start of the longer body `other`; false if it is longer than the
    /// known blocks.
    pub(super) fn is_start_of(&self, other: &Self) -> bool {
        self.length < other.length && self.is_start_of_blocks(&other.blocks)
    }

    /// Whether a body with these blocks starts with the blocks of this one; false if this body is
    /// longer than the known blocks.
    pub(super) fn is_start_of_blocks(&self, blocks: &[u64]) -> bool {
        self.length <= (MOST_BLOCKS * BLOCK_BYTES) as u64
            && !self.blocks.is_empty()
            && blocks.starts_with(&self.blocks)
    }
}

/// Finds the kind of content and collects its features.
fn form(body: &[u8], is_cut: bool, features: &mut Features, names: &mut dyn Names) -> Form {
    let start = body.trim_ascii_start();
    match start.first() {
        None => return Form::Empty,
        Some(b'{' | b'[') => {
            if json::read(body, is_cut, features, names) {
                return Form::Json;
            }
            *features = Features::default();
        }
        Some(b'<') => {
            markup::read(body, features, names);
            return Form::Markup;
        }
        Some(_) if start.starts_with(b"\xEF\xBB\xBF<") => {
            markup::read(body, features, names);
            return Form::Markup;
        }
        Some(_) => {}
    }
    if text::is_text(body) {
        Form::Text
    } else {
        Form::Binary
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn shape(body: &str) -> Shape {
        Shape::of(body.as_bytes(), None, &mut BTreeMap::new())
    }

    #[test]
    fn values_and_the_number_of_elements_do_not_change_the_shape_of_json() {
        let one = shape(r#"{"id":1,"at":"12:03","list":[{"a":1,"b":"x"}],"k17":{"z":1}}"#);
        let two =
            r#" {"id":22,"at":"13:59","list":[{"a":2,"b":"y"},{"b":"","a":3}],"k9":{"z":2}} "#;
        let two = shape(two);
        assert_eq!((one.form, two.form), (Form::Json, Form::Json));
        assert_eq!(one.skeleton, two.skeleton);
        assert_ne!(one.sum, two.sum);
        for other in [
            r#"{"error":"rate limit exceeded"}"#,
            r#"{"id":1,"at":"12:03","list":[],"k17":{"z":1}}"#,
            r#"{"id":1,"at":"12:03","list":[{"a":1}],"k17":null}"#,
            "[]",
        ] {
            assert_ne!(shape(other).skeleton, one.skeleton, "{other}");
        }
        assert_ne!(
            shape(r#"{"ok":true}"#).details,
            shape(r#"{"ok":false}"#).details
        );
        assert_ne!(
            shape(r#"{"a":"x"}"#).details,
            shape(r#"{"a":null}"#).details
        );
        let lines = |from: &str| shape(&format!("{{\"from\":\"{from}\"}}\n{{\"from\":\"b\"}}\n"));
        assert_eq!(lines("a").details, lines("c").details);
        assert_eq!(
            shape(r#"{"at":"2026-11-27T22:05:01Z"}"#).details,
            shape(r#"{"at":"2026-11-28T01:00:59Z"}"#).details
        );
    }

    #[test]
    fn broken_json_is_text() {
        for broken in [
            r#"{"a":1"#, r#"{"a":"#, "[1,2", r#"{"a":1}}"#, "[info] started", "{x}",
        ] {
            assert_eq!(shape(broken).form, Form::Text, "{broken}");
        }
        assert_eq!(shape("{\"a\":1}\n{\"a\":2}\n").form, Form::Json);
        assert_eq!(shape(" [1.5e3, -2, \"a\\\"b\", null] ").form, Form::Json);
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        assert_eq!(shape(&deep).form, Form::Text);
    }

    #[test]
    fn repeated_tags_are_folded_and_another_page_has_other_tags() {
        let page = |rows: usize| {
            let row = "<tr><td>1</td><td>x</td></tr>".repeat(rows);
            shape(&format!(
                "<!DOCTYPE html><html><head><title>t</title><script>if (a<b) x();</script></head>\
                 <body><!-- <p> --><img src=a><table>{row}</table></body></html>\n"
            ))
        };
        assert_eq!(page(1).form, Form::Markup);
        assert_eq!(page(1).skeleton, page(70).skeleton);
        assert_eq!(page(1).ending, page(3).ending);
        let half = shape("<!DOCTYPE html><html><head><title>t</title></head><body><table><tr>");
        assert_ne!(half.ending, page(1).ending);
        let error = shape("<html><head><title>503</title></head><body><h1>Busy</h1></body></html>");
        assert_ne!(error.skeleton, page(1).skeleton);
    }

    #[test]
    fn digits_and_tokens_are_masked() {
        let masked = |text: &str| shape(text).masked;
        assert_eq!(masked("at 12:03:07 by web3"), masked("at 1:59:59 by web11"));
        assert_eq!(masked("id a9f3-77"), masked("id 0b1c-8"));
        assert_ne!(masked("hello"), masked("world"));
    }

    #[test]
    fn half_a_body_is_the_start_of_the_whole_one() {
        let whole: Vec<u8> = (0..3_000_u32).map(|at| (at * 7 % 251) as u8).collect();
        let shape = |body: &[u8]| Shape::of(body, None, &mut BTreeMap::new());
        assert!(shape(&whole[..1_500]).is_start_of(&shape(&whole)));
        assert!(!shape(&whole).is_start_of(&shape(&whole)));
        assert!(!shape(&whole[500..1_500]).is_start_of(&shape(&whole)));
        assert_eq!(shape(&whole).form, Form::Binary);
        assert_eq!(shape(b" \n").form, Form::Empty);
    }

    proptest::proptest! {
        /// No body of a server may end or stop the load generator.
        #[test]
        fn any_body_has_a_shape(body in proptest::collection::vec(0..=255_u8, 0..600)) {
            let _ = Shape::of(&body, None, &mut BTreeMap::new());
            let start = [b"{\"a\":[".as_slice(), &body].concat();
            let _ = Shape::of(&start, Some(9_999), &mut BTreeMap::new());
            let start = [b"<a b='".as_slice(), &body].concat();
            let _ = Shape::of(&start, None, &mut BTreeMap::new());
        }
    }
}
