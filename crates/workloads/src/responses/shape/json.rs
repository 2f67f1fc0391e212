//! Features of JSON: paths of keys with types.

use super::features::{Features, Names, add, mix};
use super::text;

/// Maximum depth of nested arrays and objects; deeper documents count as text.
const MOST_DEPTH: usize = 48;
/// Longest value that is a feature, bytes.
const VALUE_BYTES: usize = 40;
/// Maximum length of the path in a name, bytes.
const PATH_BYTES: usize = 80;

/// Reads one or several JSON documents; false if the body is not JSON. With `is_cut`, the body may
/// end anywhere.
pub(super) fn read(
    body: &[u8],
    is_cut: bool,
    features: &mut Features,
    names: &mut dyn Names,
) -> bool {
    match documents(body, is_cut, true, features, names) {
        // Of lines of JSON, values change like those of an array.
        Some(2..) => {
            *features = Features::default();
            documents(body, is_cut, false, features, names).is_some()
        }
        count => count.is_some(),
    }
}

/// Reads all documents of a body and returns their number; `None` if it is not JSON.
fn documents(
    body: &[u8],
    is_cut: bool,
    is_single: bool,
    features: &mut Features,
    names: &mut dyn Names,
) -> Option<usize> {
    let mut reader = Reader {
        rest: body,
        path: String::new(),
        features,
        names,
    };
    let mut count = 0;
    while reader.peek().is_some() {
        count += 1;
        if reader.value(0, 0, is_single).is_none() {
            return (is_cut && reader.rest.is_empty()).then_some(count);
        }
    }
    Some(count)
}

struct Reader<'a, 'n> {
    rest: &'a [u8],
    path: String,
    features: &'n mut Features,
    names: &'n mut dyn Names,
}

impl<'a> Reader<'a, '_> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn take(&mut self, expected: u8) -> Option<()> {
        if self.peek() != Some(expected) {
            return None;
        }
        self.rest = &self.rest[1..];
        Some(())
    }

    /// Reads a value. `path` is the hash of its path; `is_single` is whether the path occurs only
    /// once, outside arrays. `None` if the value is malformed.
    fn value(&mut self, path: u64, depth: usize, is_single: bool) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => self.object(path, depth, is_single),
            b'[' => self.array(path, depth),
            b'"' => {
                let text = self.string()?;
                let kind: &[u8] = match text {
                    [] => b"empty string",
                    text if is_page(text) => b"HTML in a string",
                    _ => b"string",
                };
                self.scalar(path, kind);
                if is_single && (1..=VALUE_BYTES).contains(&text.len()) {
                    let value = mix(mix(path, b"="), &text::mask(text));
                    self.detail(value, || {
                        format!("= \"{}\"", String::from_utf8_lossy(&text::mask(text)))
                    });
                }
                Some(())
            }
            b't' => self.word(b"true", path),
            b'f' => self.word(b"false", path),
            b'n' => self.word(b"null", path),
            _ => {
                let is_part = |b: &&u8| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let length = self.rest.iter().take_while(is_part).count();
                let (number, rest) = self.rest.split_at(length);
                if !number.iter().any(u8::is_ascii_digit) {
                    return None;
                }
                self.rest = rest;
                self.scalar(path, b"number");
                Some(())
            }
        }
    }

    fn word(&mut self, word: &'static [u8], path: u64) -> Option<()> {
        self.rest = match self.rest.strip_prefix(word) {
            Some(rest) => rest,
            None => {
                // The end of a body that is cut.
                if word.starts_with(self.rest) {
                    self.rest = &[];
                }
                return None;
            }
        };
        self.scalar(path, word);
        Some(())
    }

    fn object(&mut self, path: u64, depth: usize, is_single: bool) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            self.scalar(path, b"{}");
            return self.take(b'}');
        }
        // Of the root, only the keys count.
        if depth > 0 {
            self.structure(path, b"object");
        }
        loop {
            (self.peek()? == b'"').then_some(())?;
            let key = text::mask(self.string()?);
            self.take(b':')?;
            let length = self.path.len();
            if length < PATH_BYTES {
                self.path.push('/');
                self.path.push_str(&String::from_utf8_lossy(&key));
            }
            self.value(mix(path, &key), depth + 1, is_single)?;
            self.path.truncate(length);
            match self.peek()? {
                b',' => self.take(b',')?,
                _ => return self.take(b'}'),
            }
        }
    }

    fn array(&mut self, path: u64, depth: usize) -> Option<()> {
        self.take(b'[')?;
        if self.peek()? == b']' {
            self.structure(path, b"empty array");
            return self.take(b']');
        }
        self.structure(path, b"array");
        let length = self.path.len();
        if length < PATH_BYTES {
            self.path.push_str("[]");
        }
        loop {
            self.value(mix(path, b"[]"), depth + 1, false)?;
            match self.peek()? {
                b',' => self.take(b',')?,
                _ => break,
            }
        }
        self.path.truncate(length);
        self.take(b']')
    }

    /// Reads a string and returns its bytes with escapes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let text = &self.rest[1..];
        let mut at = 0;
        loop {
            match text.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(0..=0x1F) => return None,
                Some(_) => at += 1,
                None => {
                    self.rest = &[];
                    return None;
                }
            }
        }
        self.rest = &text[at + 1..];
        Some(&text[..at])
    }

    fn scalar(&mut self, path: u64, kind: &[u8]) {
        add(&mut self.features.skeleton, mix(path, b"value"));
        self.detail(mix(mix(path, b":"), kind), || {
            String::from_utf8_lossy(kind).into_owned()
        });
    }

    fn structure(&mut self, path: u64, kind: &[u8]) {
        // An array or object has its key in common with a scalar: the value may be null, or a leaf.
        if path != 0 {
            add(&mut self.features.skeleton, mix(path, b"value"));
        }
        add(&mut self.features.skeleton, mix(mix(path, b":"), kind));
        self.detail(mix(mix(path, b":"), kind), || {
            String::from_utf8_lossy(kind).into_owned()
        });
    }

    fn detail(&mut self, feature: u64, kind: impl Fn() -> String) {
        add(&mut self.features.details, feature);
        let path = match self.path.as_str() {
            "" => "/",
            path => path,
        };
        self.names.name(feature, &|| format!("{path}: {}", kind()));
    }
}

/// Whether a string is a whole page, such as the error of a proxy.
fn is_page(text: &[u8]) -> bool {
    let start = text.trim_ascii_start();
    let begins = |tag: &[u8]| {
        start
            .get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag))
    };
    begins(b"<html") || begins(b"<!doctype")
}
