//! Finds a value in a JSON text by its pointer, without building a tree.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The result of a search.
#[derive(Debug, PartialEq)]
pub(super) enum Found<'a> {
    /// The text of the value.
    Value(&'a str),
    /// The body is JSON without a value at the pointer.
    Absent,
    /// The body is not one complete JSON value.
    NotJson,
}

/// The value at a JSON pointer (RFC 6901). The whole text is read, so that a text that breaks off
/// after the value is not JSON.
pub(super) fn find<'a>(body: &'a [u8], pointer: &str) -> Found<'a> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let found = At(pointer).deserialize(&mut reader);
    match (found, reader.end()) {
        (Ok(Some(value)), Ok(())) => Found::Value(value),
        (Ok(None), Ok(())) => Found::Absent,
        _ => Found::NotJson,
    }
}

/// Reads a value and finds the part of it at a pointer.
struct At<'p>(&'p str);

impl<'p> At<'p> {
    /// The first name in the pointer, unescaped, and the rest of the pointer.
    fn split(&self) -> Option<(Cow<'p, str>, &'p str)> {
        let after = self.0.strip_prefix('/')?;
        let end = after.find('/').unwrap_or(after.len());
        let (name, rest) = after.split_at(end);
        let name = if name.contains('~') {
            Cow::Owned(name.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(name)
        };
        Some((name, rest))
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<&'de str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            let value: &RawValue = serde::Deserialize::deserialize(deserializer)?;
            return Ok(Some(value.get()));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Some((name, rest)) = self.split() else {
            return Err(A::Error::custom("a pointer begins with a slash"));
        };
        let mut found = None;
        while let Some(is_it) = map.next_key_seed(Key(&name))? {
            if is_it {
                // As in most readers, the last of several members with one name counts.
                found = map.next_value_seed(At(rest))?
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let Some((name, rest)) = self.split() else {
            return Err(A::Error::custom("a pointer begins with a slash"));
        };
        let is_index = name == "0" || !name.starts_with(['0', '+']);
        let wanted = name.parse::<usize>().ok().filter(|_| is_index);
        let mut found = None;
        for at in 0.. {
            if Some(at) == wanted {
                let Some(value) = seq.next_element_seed(At(rest))? else {
                    break;
                };
                found = value;
            } else if seq.next_element::<IgnoredAny>()?.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Reads the name of a member and compares it.
struct Key<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_pointer() {
        const BODY: &str = r#" {"a": {"b~/c": [1, {"d": "x"}, null]}, "e\u0041": 1.5, "": {}} "#;
        for (pointer, expected) in [
            ("/a/b~0~1c/0", Found::Value("1")),
            ("/a/b~0~1c/1/d", Found::Value("\"x\"")),
            ("/a/b~0~1c/2", Found::Value("null")),
            ("/a/b~0~1c/3", Found::Absent),
            ("/a/b~0~1c/01", Found::Absent),
            ("/a/b~0~1c/-", Found::Absent),
            ("/a/b~0~1c/0/x", Found::Absent),
            ("/eA", Found::Value("1.5")),
            ("/", Found::Value("{}")),
            ("/b", Found::Absent),
        ] {
            assert_eq!(find(BODY.as_bytes(), pointer), expected, "{pointer}");
        }
        assert_eq!(find(b"[true]", ""), Found::Value("[true]"));
    }

    #[test]
    fn a_text_that_is_not_whole_json_is_told_apart_from_an_absent_value() {
        for body in [
            "", "<html>", r#"{"a":1"#, r#"{"a":1}}"#, "{\"a\":1,}", "nul",
        ] {
            for pointer in ["/a", "/b"] {
                assert_eq!(find(body.as_bytes(), pointer), Found::NotJson, "{body}");
            }
        }
        for body in ["null", "1", "\"a\"", "true", "-1.5", "[]", "{}"] {
            assert_eq!(find(body.as_bytes(), "/a"), Found::Absent, "{body}");
        }
    }
}
