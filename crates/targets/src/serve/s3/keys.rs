//! Converts keys to file paths relative to the directory of the bucket.
//!
//! Bytes other than lower-case letters, digits, `-`, `_` and `.` are written as `%` and two
//! hexadecimal digits, so that no key is a path and no two paths differ only by case. Long names
//! are split into directories. Names of directories end with `+` and names of files with `=`.
//! Neither character occurs elsewhere, so no file has the name of a directory, and no name is `.`
//! or `..`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Maximum length of a path component without its end mark, bytes; file systems allow 255.
const PART: usize = 200;
const DIRECTORY_MARK: char = '+';
const FILE_MARK: char = '=';

/// The relative path for a key.
pub(super) fn path_of(key: &str) -> PathBuf {
    let name = encode(key);
    let mut path = PathBuf::new();
    let mut rest = name.as_str();
    while rest.len() > PART {
        let (part, after) = rest.split_at(PART);
        path.push(format!("{part}{DIRECTORY_MARK}"));
        rest = after;
    }
    path.push(format!("{rest}{FILE_MARK}"));
    path
}

/// The key for a relative path; `None` if no key has this path.
pub(super) fn key_of(path: &Path) -> Option<String> {
    let mut name = String::new();
    let mut parts = path.iter().peekable();
    while let Some(part) = parts.next() {
        let mark = if parts.peek().is_some() {
            DIRECTORY_MARK
        } else {
            FILE_MARK
        };
        name.push_str(part.to_str()?.strip_suffix(mark)?);
    }
    let key = decode(&name)?;
    (path_of(&key) == path).then_some(key)
}

fn encode(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 16);
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => name.push(char::from(byte)),
            _ => write!(name, "%{byte:02x}").expect("writing to a string does not fail"),
        }
    }
    name
}

fn decode(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Component;

    fn is_inside(path: &Path) -> bool {
        path.is_relative()
            && path
                .components()
                .all(|part| matches!(part, Component::Normal(name) if name.len() <= 255))
    }

    #[test]
    fn unusual_keys_stay_inside_and_are_decoded() {
        let long = "é/".repeat(340);
        for key in [
            ".", "..", "/", "//", "../../etc/passwd", "a/../b", "a//b", "a\0b", "A", "a", "=", "+",
            "%2f", " ", "日本/語", &long,
        ] {
            let path = path_of(key);
            assert!(is_inside(&path), "{key:?} -> {path:?}");
            assert_eq!(key_of(&path).as_deref(), Some(key));
        }
    }

    #[test]
    fn no_key_conflicts_with_another() {
        let short = "a".repeat(PART);
        let long = "a".repeat(PART + 1);
        assert!(!path_of(&long).starts_with(path_of(&short)));
        assert_eq!(key_of(Path::new("stray")), None);
        assert_eq!(key_of(Path::new("%6=")), None);
        assert_eq!(key_of(Path::new("%61=")), None, "a is never encoded");
    }

    proptest! {
        #[test]
        fn any_key_stays_inside_and_is_decoded(key in "\\PC{1,300}|[./%+=A-Za-z]{1,900}|(?s).{1,50}") {
            let path = path_of(&key);
            prop_assert!(is_inside(&path), "{path:?}");
            prop_assert_eq!(key_of(&path), Some(key));
        }

        #[test]
        fn different_keys_have_paths_that_differ_ignoring_case(
            a in "[aA./%+=]{1,4}", b in "[aA./%+=]{1,4}"
        ) {
            let fold = |key: &str| path_of(key).to_str().unwrap().to_lowercase();
            prop_assert_eq!(a == b, fold(&a) == fold(&b));
        }
    }
}
