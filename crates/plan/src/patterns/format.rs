//! What a file of patterns is written in.

use super::builder::Builder;
use super::set::PatternSet;
use super::{access_log, groonga_log, json, text};
use crate::names::Named;

/// Larger files are not read.
const LARGEST_FILE: usize = 256 * 1024 * 1024;

/// What a file of patterns is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatternFormat {
    /// What its first line looks like.
    #[default]
    Auto,
    /// One path a line.
    Text,
    /// Groups of patterns as JSON, in the three shapes of drnbench.
    Json,
    /// An access log in the common or the combined format.
    AccessLog,
    /// A query log of Groonga.
    GroongaLog,
}

impl Named for PatternFormat {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("text", Self::Text),
        ("json", Self::Json),
        ("access-log", Self::AccessLog),
        ("groonga-log", Self::GroongaLog),
    ];
}

/// Where in a file something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The file as a whole.
    File,
    /// A line, from 1.
    Line(usize),
    /// Line and column, from 1.
    Column(usize, usize),
}

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) spot: Spot,
    pub(crate) why: String,
}

impl Fault {
    pub(super) fn of_file(why: String) -> Self {
        Self {
            spot: Spot::File,
            why,
        }
    }

    pub(super) fn in_line(index: usize, why: String) -> Self {
        Self {
            spot: Spot::Line(index + 1),
            why,
        }
    }
}

/// The patterns in a file; those that say no method have `method`.
///
/// # Errors
/// What is wrong with it and where. No file makes it panic.
pub(crate) fn read(bytes: &[u8], format: PatternFormat, method: &str) -> Result<PatternSet, Fault> {
    if bytes.len() > LARGEST_FILE {
        return Err(Fault::of_file(format!(
            "{} bytes are too large for patterns; the most is {LARGEST_FILE}",
            bytes.len()
        )));
    }
    let mut builder = Builder::default();
    match format {
        PatternFormat::Auto => return read(bytes, looks_like(bytes), method),
        PatternFormat::Text => text::read(utf8(bytes)?, method, &mut builder)?,
        PatternFormat::Json => json::read(utf8(bytes)?, method, &mut builder)?,
        // Logs hold whatever clients sent.
        PatternFormat::AccessLog => access_log::read(bytes, &mut builder)?,
        PatternFormat::GroongaLog => groonga_log::read(bytes, &mut builder)?,
    }
    builder.build().map_err(Fault::of_file)
}

fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        Fault::in_line(line, "is not UTF-8 text".to_owned())
    })
}

/// By the first line with anything in it.
fn looks_like(bytes: &[u8]) -> PatternFormat {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(first) = lines.find(|line| !line.is_empty()) else {
        return PatternFormat::Text;
    };
    match first[0] {
        b'{' | b'[' => PatternFormat::Json,
        b'/' | b'#' => PatternFormat::Text,
        _ if groonga_log::is_line(first) => PatternFormat::GroongaLog,
        _ if access_log::is_line(first) => PatternFormat::AccessLog,
        _ => PatternFormat::Text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EVERY: [PatternFormat; 5] = [
        PatternFormat::Auto,
        PatternFormat::Text,
        PatternFormat::Json,
        PatternFormat::AccessLog,
        PatternFormat::GroongaLog,
    ];

    #[test]
    fn a_format_is_known_by_its_first_line() {
        for (text, format) in [
            ("\n\n/a\n", PatternFormat::Text),
            ("# pages\n/a", PatternFormat::Text),
            ("  [\"/a\"]", PatternFormat::Json),
            ("{", PatternFormat::Json),
            (
                "127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 5",
                PatternFormat::AccessLog,
            ),
            (
                "2026-11-20 11:42:29.325815|0x7fd692dfe940|>/d/select?table=Pages",
                PatternFormat::GroongaLog,
            ),
            ("rubbish", PatternFormat::Text),
            ("", PatternFormat::Text),
        ] {
            assert_eq!(looks_like(text.as_bytes()), format, "{text}");
        }
    }

    #[test]
    fn a_file_with_nothing_in_it_is_refused() {
        for format in EVERY {
            let fault = read(b"", format, "GET").unwrap_err();
            assert!(!fault.why.is_empty(), "{format:?}");
        }
        let fault = read(b"/a\n/\xff\n", PatternFormat::Text, "GET").unwrap_err();
        assert_eq!(fault, Fault::in_line(1, "is not UTF-8 text".to_owned()));
    }

    /// Whatever was read can be sent, and is drawn.
    fn check(bytes: &[u8]) {
        for format in EVERY {
            let Ok(set) = read(bytes, format, "GET") else {
                continue;
            };
            assert!(!set.is_empty() && !set.groups().is_empty());
            let shares: f64 = set.groups().iter().map(|group| group.share).sum();
            assert!((shares - 1.0).abs() < 1e-9);
            let weights = set.weights();
            assert!(weights.iter().all(|weight| *weight >= 0.0));
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(set.sequence().iter().all(|&at| (at as usize) < set.len()));
            for pattern in set.patterns() {
                assert!(pattern.path.starts_with('/'));
                assert!(pattern.path.bytes().all(|b| b.is_ascii_graphic()));
                assert!(pattern.group < set.groups().len());
            }
        }
    }

    proptest! {
        #[test]
        fn every_reader_is_total(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            check(&bytes);
        }

        #[test]
        fn every_reader_is_total_on_what_looks_right(
            text in "([/\\[\\]{}\":,|> \\\\0-9a-z\n-]|\"/a\"|\"path\":|\"patterns\":|GET|HTTP/1.1|>/d/select){0,60}"
        ) {
            check(text.as_bytes());
        }

        #[test]
        fn every_path_that_is_clean_is_kept(paths in prop::collection::vec("/[!-\"$-~]{0,20}", 1..20)) {
            let set = read(paths.join("\n").as_bytes(), PatternFormat::Text, "GET").unwrap();
            let back = set.sequence().iter().map(|&at| set.patterns()[at as usize].path.clone());
            prop_assert_eq!(back.collect::<Vec<_>>(), paths);
        }
    }
}
