//! Formats of files of patterns.

use std::io::BufRead;

use super::builder::Builder;
use super::fault::{Fault, utf8};
use super::lines::Lines;
use super::set::PatternSet;
use super::{access_log, groonga_log, json, msearch, opensearch_log, text};
use crate::keys::names::Named;

/// The format of a file of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatternFormat {
    /// Detected from the first line.
    #[default]
    Auto,
    /// One path per line.
    Text,
    /// Groups of patterns as JSON, in one of the three forms that drnbench accepts.
    Json,
    /// An access log in the common or the combined format.
    AccessLog,
    /// A query log of Groonga.
    GroongaLog,
    /// A search slow log of OpenSearch or Elasticsearch, as text or JSON.
    OpenSearchLog,
    /// Bodies of OpenSearch's `_msearch`.
    Msearch,
}

impl Named for PatternFormat {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("text", Self::Text),
        ("json", Self::Json),
        ("access-log", Self::AccessLog),
        ("groonga-log", Self::GroongaLog),
        ("opensearch-log", Self::OpenSearchLog),
        ("msearch", Self::Msearch),
    ];
}

/// The patterns in the content of a file; patterns without a method get `method`.
///
/// # Errors
/// As [`read_from`].
pub(crate) fn read(
    mut bytes: &[u8],
    format: PatternFormat,
    method: &str,
) -> Result<PatternSet, Fault> {
    read_from(&mut bytes, format, method)
}

/// Reads patterns from a reader. Stops at the first request beyond the limit, so that a file with
/// too many requests is not read completely.
///
/// # Errors
/// The fault and its position in the file. No input causes a panic.
pub(crate) fn read_from<R: BufRead + ?Sized>(
    reader: &mut R,
    format: PatternFormat,
    method: &str,
) -> Result<PatternSet, Fault> {
    let mut lines = Lines::of(reader);
    let format = match format {
        PatternFormat::Auto => looks_like(lines.first()?),
        given => given,
    };
    let mut builder = Builder::default();
    match format {
        PatternFormat::Auto | PatternFormat::Text => text::read(&mut lines, method, &mut builder)?,
        PatternFormat::Json => {
            let rest = lines.rest()?;
            json::read(utf8(&rest, 0)?, method, &mut builder)?;
        }
        // The readers of logs skip requests that cannot be sent again.
        PatternFormat::AccessLog => access_log::read(&mut lines, &mut builder)?,
        PatternFormat::GroongaLog => groonga_log::read(&mut lines, &mut builder)?,
        PatternFormat::OpenSearchLog => opensearch_log::read(&mut lines, &mut builder)?,
        PatternFormat::Msearch => msearch::read(&mut lines, &mut builder)?,
    }
    builder.build().map_err(Fault::of_file)
}

/// Detects the format from the first line that is not empty.
fn looks_like(first: &[u8]) -> PatternFormat {
    let Some(begin) = first.first() else {
        return PatternFormat::Text;
    };
    match begin {
        _ if opensearch_log::is_line(first) => PatternFormat::OpenSearchLog,
        b'{' if msearch::is_line(first) => PatternFormat::Msearch,
        b'{' | b'[' => PatternFormat::Json,
        b'/' | b'#' => PatternFormat::Text,
        _ if groonga_log::is_line(first) => PatternFormat::GroongaLog,
        _ if access_log::is_line(first) => PatternFormat::AccessLog,
        _ => PatternFormat::Text,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::super::fault::Spot;
    use super::*;

    const EVERY: [PatternFormat; 7] = [
        PatternFormat::Auto,
        PatternFormat::Text,
        PatternFormat::Json,
        PatternFormat::AccessLog,
        PatternFormat::GroongaLog,
        PatternFormat::OpenSearchLog,
        PatternFormat::Msearch,
    ];

    #[test]
    fn a_format_is_known_by_its_first_line() {
        for (text, format) in [
            ("\n\n/a\n", PatternFormat::Text),
            ("# pages\n/a", PatternFormat::Text),
            ("  [\"/a\"]", PatternFormat::Json),
            ("{", PatternFormat::Json),
            ("{\"index\": [\"/a\"]}", PatternFormat::Json),
            ("{\"index\": \"pages\"}", PatternFormat::Msearch),
            ("{}", PatternFormat::Json),
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
            let mut bytes = text.as_bytes();
            let first = Lines::of(&mut bytes).first().unwrap().to_owned();
            assert_eq!(looks_like(&first), format, "{text}");
        }
    }

    #[test]
    fn a_file_with_nothing_in_it_is_refused() {
        for format in EVERY {
            let fault = read(b"", format, "GET").unwrap_err();
            assert!(!fault.why.text().is_empty(), "{format:?}");
        }
        let fault = read(b"/a\n/\xff\n", PatternFormat::Text, "GET").unwrap_err();
        assert_eq!(
            (fault.spot, fault.why.text()),
            (Spot::Line(2), "is not UTF-8 text")
        );
    }

    /// A reader of endless, different lines that counts the bytes read.
    struct Endless {
        line: fn(u64) -> String,
        next: u64,
        left: Vec<u8>,
        given: usize,
    }

    impl Endless {
        fn of(line: fn(u64) -> String) -> BufReader<Self> {
            BufReader::new(Self {
                line,
                next: 0,
                left: Vec::new(),
                given: 0,
            })
        }
    }

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.left.is_empty() {
                self.left = (self.line)(self.next).into_bytes();
                self.next += 1;
            }
            let length = self.left.len().min(buffer.len());
            buffer[..length].copy_from_slice(&self.left[..length]);
            self.left.drain(..length);
            self.given += length;
            Ok(length)
        }
    }

    #[test]
    fn a_file_of_too_many_requests_is_refused_while_it_is_read() {
        let mut paths = Endless::of(|at| format!("/{at}\n"));
        let fault = read_from(&mut paths, PatternFormat::Auto, "GET").unwrap_err();
        assert_eq!(fault.spot, Spot::Line(1_000_001));
        assert!(
            fault.why.text().contains("more than 1000000 different"),
            "{fault:?}"
        );
        let given = paths.get_ref().given;
        assert!(given < 9_000_000, "{given} bytes were read");
    }

    #[test]
    fn a_line_without_an_end_is_refused_while_it_is_read() {
        for format in [
            PatternFormat::Auto,
            PatternFormat::Text,
            PatternFormat::AccessLog,
            PatternFormat::GroongaLog,
            PatternFormat::OpenSearchLog,
            PatternFormat::Msearch,
        ] {
            let mut zeros = Endless::of(|_| "\0".repeat(8192));
            let fault = read_from(&mut zeros, format, "GET").unwrap_err();
            assert_eq!(fault.spot, Spot::Line(1), "{format:?}");
            assert!(zeros.get_ref().given < 2 << 20, "{format:?}");
        }
    }

    #[test]
    fn a_json_file_of_too_many_requests_is_refused_before_they_are_kept() {
        let mut text = "[".to_owned();
        text += &"\"/a\",".repeat(1_000_001);
        let fault = read(text.as_bytes(), PatternFormat::Json, "GET").unwrap_err();
        assert!(
            fault.why.text().contains("more than 1000000 requests"),
            "{fault:?}"
        );
    }

    /// Checks every pattern in `bytes`, in every format: valid path, group and weight.
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
