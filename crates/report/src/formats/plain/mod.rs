//! The plain text of a file: what compression, encodings, terminals and log collectors put around a
//! result is removed before a format reads it.
//!
//! If a format recognises the unchanged file, only carriage returns are removed and, from what tools
//! print for people, colours.

mod lines;
mod no_text;
mod packed;
mod prefix;
mod times;
mod utf16;

use std::io::{BufRead, BufReader, Cursor, Read};

use tenbin_plan::{Sentence, sentence};

use self::lines::{Cleaned, is_docker_log};
use self::prefix::Prefix;
use super::readable::readable;
use super::reader::Fault;

/// Number of bytes at the beginning of a file that decide how it is read, if a format recognises
/// them.
const BEGINNING: u64 = 1 << 16;

/// Number of bytes at the beginning of a file that are searched for a result: a log can be long
/// before the result.
pub(super) const SEARCHED: u64 = 16 << 20;

/// Longest text of which the prefixes of few lines are tried, bytes.
const MOST_TRIED: usize = 1 << 16;

/// Longest text of which two prefixes of few lines are tried, bytes.
const MOST_TRIED_TWICE: usize = 1 << 13;

/// Largest number of sources that prefixes name. More are no sources.
const MOST_SOURCES: usize = 4096;

/// Number of sources that an error names.
const NAMED_SOURCES: usize = 4;

/// Largest number of layers of compression.
const MOST_PACKINGS: usize = 4;

/// Largest number of prefixes of a line, such as a time stamp and the name of a container.
const MOST_PREFIXES: usize = 4;

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// In no known format.
    Unknown,
    /// What a tool prints for people.
    Printed,
    /// Data, such as a list of requests, which can have the escape sequences of a terminal in them.
    Data,
}

/// The plain text of a file.
pub(super) struct Plain<'a> {
    /// The whole text.
    pub(super) text: Box<dyn BufRead + 'a>,
    /// The first bytes of the text, at most [`SEARCHED`].
    pub(super) beginning: Vec<u8>,
    /// What was removed, in words.
    pub(super) removed: Vec<String>,
}

impl<'a> Plain<'a> {
    /// The plain text of `input`. `known` says what a text with this beginning is.
    ///
    /// # Errors
    /// If the input cannot be read or unpacked.
    pub(super) fn of(
        input: Box<dyn Read + 'a>,
        known: impl Fn(&[u8]) -> Known,
    ) -> Result<Self, Fault> {
        let mut plain = Self::begin(input, BEGINNING)?.unpack()?.decode()?;
        let mut found = found(&plain.beginning, &known)?;
        let mut searched = BEGINNING;
        let is_whole = (plain.beginning.len() as u64) < BEGINNING || plain.beginning.contains(&0);
        // The result can come later, and the lines of another source too.
        if !is_whole && (!found.is_known || found.names_sources) {
            searched = SEARCHED;
            let removed = std::mem::take(&mut plain.removed);
            plain = Self::begin(Box::new(plain.text), searched)?;
            plain.removed = removed;
            found = self::found(&plain.beginning, &known)?;
        }
        if found.cleaned == Cleaned::default() {
            return Ok(plain);
        }
        let removed = std::mem::take(&mut plain.removed);
        let words = found.cleaned.words();
        let cleaned = found.cleaned.reading(plain.text);
        let text = BufReader::with_capacity(BEGINNING as usize, cleaned);
        Self::begin(Box::new(text), searched).map(|plain| Self {
            removed: removed.into_iter().chain(words).collect(),
            ..plain
        })
    }

    /// The whole text as UTF-8.
    pub(super) fn utf8(&mut self, text: Vec<u8>) -> Vec<u8> {
        if str::from_utf8(&text).is_ok() {
            return text;
        }
        let words = lines::BYTES.to_owned();
        if !self.removed.contains(&words) {
            self.removed.push(words);
        }
        String::from_utf8_lossy(&text).into_owned().into_bytes()
    }

    /// What was converted and removed, in one sentence; `None` if nothing was.
    pub(super) fn caveat(&self) -> Option<String> {
        let (converted, removed): (Vec<&str>, Vec<&str>) = self
            .removed
            .iter()
            .map(String::as_str)
            .partition(|words| *words == utf16::UTF_16);
        let read = converted.first().map(|encoding| format!("as {encoding}"));
        let without = removed.split_last().map(|(last, others)| match others {
            [] => format!("without {last}"),
            _ => format!("without {} and {last}", others.join(", ")),
        });
        let how: Vec<String> = read.into_iter().chain(without).collect();
        (!how.is_empty()).then(|| format!("was read {}", how.join(", and ")))
    }

    fn begin(mut input: Box<dyn Read + 'a>, most: u64) -> Result<Self, Fault> {
        let mut beginning = Vec::new();
        let read = input.by_ref().take(most).read_to_end(&mut beginning);
        read.map_err(|error| Fault::unreadable(&error))?;
        let whole = Cursor::new(beginning.clone()).chain(input);
        Ok(Self {
            text: Box::new(BufReader::with_capacity(BEGINNING as usize, whole)),
            beginning,
            removed: Vec::new(),
        })
    }

    fn unpack(mut self) -> Result<Self, Fault> {
        for _ in 0..MOST_PACKINGS {
            match packed::unpacked(&self.beginning, self.text)? {
                packed::Unpacked::Plain(text) => {
                    self.text = text;
                    return Ok(self);
                }
                packed::Unpacked::Packed(input) => self = Self::begin(input, BEGINNING)?,
            }
        }
        Err(Fault::of_the_file(sentence!(
            "packed-often",
            "is compressed more than {most} times",
            most = MOST_PACKINGS
        )))
    }

    /// Decodes UTF-16, and removes the byte order mark.
    fn decode(self) -> Result<Self, Fault> {
        match utf16::Encoding::of(&self.beginning) {
            None => Ok(self),
            Some(encoding) => {
                let decoded = Self::begin(encoding.decoding(self.text)?, BEGINNING)?;
                Ok(Self {
                    removed: vec![encoding.words().to_owned()],
                    ..decoded
                })
            }
        }
    }
}

/// What has to be removed from the lines of a text.
#[derive(Default)]
struct Found {
    cleaned: Cleaned,
    /// Whether a format recognises the rest.
    is_known: bool,
    /// Whether the prefixes of lines say what wrote them.
    names_sources: bool,
}

/// What has to be removed from the lines of a text.
///
/// # Errors
/// If several sources have a result each.
fn found(beginning: &[u8], known: &impl Fn(&[u8]) -> Known) -> Result<Found, Fault> {
    let as_it_is = known(beginning);
    let is_utf8 = beginning.is_empty() || !readable(beginning).is_empty();
    let is_binary = !is_utf8 && as_it_is != Known::Unknown;
    if is_binary || beginning.contains(&0) {
        return Ok(Found {
            is_known: as_it_is != Known::Unknown,
            ..Found::default()
        });
    }
    let text = String::from_utf8_lossy(beginning);
    let cleaned = Cleaned {
        docker: is_docker_log(&text) && as_it_is == Known::Unknown,
        bytes: !is_utf8,
        colours: text.contains('\u{1b}') && as_it_is != Known::Data,
        carriage_returns: text.contains("\r\n"),
        ..Cleaned::default()
    };
    let is_right = |cleaned: &Cleaned| known(&cleaned.of(beginning)) != Known::Unknown;
    let Some(mut cleaned) = with_prefixes(&cleaned, beginning, is_right) else {
        return Ok(Found {
            cleaned,
            ..Found::default()
        });
    };
    let mut sources = cleaned.by_source(beginning);
    let names_sources = !sources.is_empty();
    if sources.len() > 1 && sources.len() <= MOST_SOURCES {
        sources.retain(|(_, text)| known(text) != Known::Unknown);
        if sources.len() > 1 {
            return Err(several(&sources));
        }
        cleaned.only = sources.pop().map(|(source, _)| source);
    }
    Ok(Found {
        cleaned,
        is_known: true,
        names_sources,
    })
}

/// `cleaned` with the prefixes without which a format recognises the text; `None` if there are none.
fn with_prefixes(
    always: &Cleaned,
    text: &[u8],
    is_right: impl Fn(&Cleaned) -> bool,
) -> Option<Cleaned> {
    let mut cleaned = always.clone();
    for _ in 0..MOST_PREFIXES {
        if is_right(&cleaned) {
            return Some(cleaned);
        }
        let rest = cleaned.of(text);
        let Some(prefix) = Prefix::of_most_lines(readable(&rest)) else {
            break;
        };
        cleaned.prefixes.push(prefix);
    }
    if is_right(&cleaned) {
        return Some(cleaned);
    }
    // Data begins with the first line.
    let is_data = text.trim_ascii_start().starts_with(b"{") || text.starts_with(b"<?");
    if text.len() > MOST_TRIED || is_data && !always.docker {
        return None;
    }
    // Other text can be the larger part.
    let tried = |base: &Cleaned| {
        let rest = base.of(text);
        let prefixes = Prefix::of_some_lines(readable(&rest)).into_iter();
        let with = prefixes.map(|prefix| {
            let mut with = base.clone();
            with.prefixes.push(prefix);
            with
        });
        with.collect::<Vec<Cleaned>>()
    };
    let mut bases = vec![cleaned.clone()];
    bases.extend((cleaned != *always).then(|| always.clone()));
    let once: Vec<Cleaned> = bases.iter().flat_map(tried).collect();
    if let Some(found) = once.iter().find(|cleaned| is_right(cleaned)) {
        return Some(found.clone());
    }
    if text.len() > MOST_TRIED_TWICE {
        return None;
    }
    let ends_with_indentation =
        |with: &&Cleaned| matches!(with.prefixes.last(), Some(Prefix::Indentation(_)));
    let first = once.iter().filter(|with| !ends_with_indentation(with));
    let mut twice = first
        .flat_map(tried)
        .filter(|with| !ends_with_indentation(&with));
    twice.find(is_right)
}

/// The error that several sources have a result each.
fn several(sources: &[(String, Vec<u8>)]) -> Fault {
    let mut names: Vec<String> = sources
        .iter()
        .take(NAMED_SOURCES)
        .map(|(name, _)| format!("{name:?}"))
        .collect();
    let more = sources.len() - names.len();
    let last = match more {
        0 => Sentence::verbatim(names.pop().unwrap_or_default()),
        _ => sentence!("several-more", "{more} more", more),
    };
    Fault::of_the_file(sentence!(
        "several-sources",
        "holds results of {count} sources, {names} and {last}; write the lines of each to a \
         separate file",
        count = sources.len(),
        names = names.join(", "),
        last
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(beginning: &[u8]) -> Known {
        let mut lines = readable(beginning).lines();
        if lines.any(|line| line.starts_with("Running ")) {
            Known::Printed
        } else {
            Known::Unknown
        }
    }

    /// The text that is read, and what was removed.
    fn read(bytes: &[u8]) -> (String, Vec<String>) {
        let mut plain = Plain::of(Box::new(bytes), known).unwrap();
        let mut text = String::new();
        plain.text.read_to_string(&mut text).unwrap();
        (text, plain.removed)
    }

    const TEXT: &str = "Running 30s test @ http://h/\n  2 threads\n\nRequests/sec: 7\n";

    fn prefixed(prefix: &str) -> String {
        TEXT.lines()
            .map(|line| format!("{prefix}{line}\n"))
            .collect()
    }

    #[test]
    fn a_plain_text_stays_as_it_is() {
        assert_eq!(read(TEXT.as_bytes()), (TEXT.to_owned(), Vec::new()));
        let other = "  a\n  b\n";
        assert_eq!(read(other.as_bytes()), (other.to_owned(), Vec::new()));
    }

    #[test]
    fn encodings_and_line_ends_are_undone() {
        let marked = format!("\u{feff}{TEXT}");
        let utf16 = |big: bool, marked: &str| -> Vec<u8> {
            let bytes = |unit: u16| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            };
            marked.encode_utf16().flat_map(bytes).collect()
        };
        for bytes in [
            marked.clone().into_bytes(),
            utf16(false, &marked),
            utf16(true, &marked),
            utf16(false, TEXT),
            utf16(true, TEXT),
            TEXT.replace('\n', "\r\n").into_bytes(),
            zstd::encode_all(TEXT.as_bytes(), 1).unwrap(),
            TEXT.replace("Running", "\u{1b}[32mRunning\u{1b}[0m")
                .into_bytes(),
        ] {
            assert_eq!(read(&bytes).0, TEXT);
        }
    }

    #[test]
    fn text_that_stands_around_an_indented_result_does_not_matter() {
        let long = TEXT.repeat(3);
        let indented: String = long.lines().map(|line| format!("    {line}\n")).collect();
        let (text, _) = read(format!("Results:\n{indented}Nice!\n").as_bytes());
        assert!(text.contains("\nRunning 30s test @"), "{text}");
    }

    #[test]
    fn prefixes_of_log_collectors_are_removed() {
        for prefix in [
            "    ",
            "\t",
            "> ",
            "2026-11-27T09:12:44.1234567Z ",
            "2026-11-27T09:12:44.123456789+01:00 ",
            "2026-11-27 09:12:44,123 ",
            "[2026-11-27 09:12:44] ",
            "[09:12:44] ",
            "09:12:44.123 ",
            "wrk-1  | ",
            "wrk-1  | 2026-11-27T09:12:44.123456789Z ",
            "Nov 27 09:12:44 host-1 wrk[4711]: ",
            "2026-11-27T09:12:44+0000 host-1 wrk[4711]: ",
            "Nov 27 09:12:44 host-1 systemd-run[1]: ",
            "[pod/load-x7k2/wrk] ",
            "[wrk] ",
            "2026-11-27T09:12:44.123456Z 00O ",
            "2026-11-27T09:12:44.123456789Z stdout F ",
            "\u{1b}_bk;t=1700000000000\u{7}",
            "Nov 27 09:12:44 host-1 wrk: ",
            "1700000000.123456 ",
            "11/27/2026, 09:12:44 AM ",
            "11/27/2026, 9:12:44 PM ",
            "Nov 27 09:12:44 PM ",
            "<14>1 2026-11-27T09:12:44.123Z host-1 wrk 4711 - - ",
            "load\tUNKNOWN STEP\t\u{feff}2026-11-27T09:12:44.1234567Z ",
            "load-x7k2 wrk ",
            "wrk.txt:",
            "    12\t",
            "load\twrk\t2026-11-27T09:12:44.1234567Z ",
        ] {
            let (text, removed) = read(prefixed(prefix).as_bytes());
            assert_eq!(text, TEXT, "{prefix:?}");
            assert!(!removed.is_empty(), "{prefix:?}");
        }
    }
    #[test]
    fn a_result_among_much_other_text_is_found_by_its_prefix() {
        let other = "a word and another\n".repeat(60);
        for prefix in ["    ", "> ", "2026-11-27T09:12:44Z ", "wrk-1  | "] {
            let (text, removed) = read(format!("{other}{}{other}", prefixed(prefix)).as_bytes());
            assert!(text.contains(&format!("\n{TEXT}")), "{prefix:?}: {text}");
            assert_eq!(removed.len(), 1);
        }
    }

    #[test]
    fn a_result_behind_a_long_log_is_found() {
        let log = "2026-11-27T09:12:44Z fetched a package\n".repeat(5000);
        let (text, _) = read(format!("{log}{}", prefixed("2026-11-27T09:12:45Z ")).as_bytes());
        assert!(text.ends_with(TEXT));
        let (text, removed) = read(format!("{}{TEXT}", "fetched\n".repeat(20_000)).as_bytes());
        assert!(text.ends_with(TEXT));
        assert!(removed.is_empty());
    }

    #[test]
    fn lines_of_docker_are_unwrapped() {
        let wrapped = |line: &str| {
            let log = serde_json::to_string(&format!("{line}\n")).unwrap();
            format!("{{\"log\":{log},\"stream\":\"stdout\",\"time\":\"2026-11-27T09:12:44Z\"}}\n")
        };
        let text: String = TEXT.lines().map(wrapped).collect();
        assert_eq!(read(text.as_bytes()).0, TEXT);
    }

    #[test]
    fn a_byte_that_is_not_utf8_is_replaced() {
        let mut bytes = b"caf\xe9\n".to_vec();
        bytes.extend_from_slice(TEXT.as_bytes());
        let (text, removed) = read(&bytes);
        assert_eq!(text, format!("caf\u{fffd}\n{TEXT}"));
        assert_eq!(removed, ["bytes that are not UTF-8"]);
    }

    #[test]
    fn results_of_several_sources_are_not_mixed() {
        for (one, other) in [
            ("[pod/old/b] ", "[pod/new/b] "),
            ("old-1  | ", "new-1  | "),
            (
                "b (old)\tRun\t2026-11-27T09:12:44Z ",
                "b (new)\tRun\t2026-11-27T09:12:45Z ",
            ),
            ("Nov 27 09:12:44 h wrk[1]: ", "Nov 27 09:12:44 h wrk[2]: "),
            (
                "<14>1 2026-11-27T09:12:44Z h wrk 1 - - ",
                "<14>1 2026-11-27T09:12:45Z h wrk 2 - - ",
            ),
        ] {
            let both = prefixed(one) + &prefixed(other);
            let refused = Plain::of(Box::new(both.as_bytes()), known).err().unwrap();
            assert!(
                refused
                    .what
                    .text()
                    .starts_with("holds results of 2 sources, \""),
                "{}",
                refused.what
            );
            // One result, and lines of something else.
            let rest = format!("{other}GET / 200\n{other}Requests/sec: 9\n");
            let (text, removed) = read(format!("{rest}{}", prefixed(one)).as_bytes());
            assert_eq!(text, TEXT);
            assert!(
                removed
                    .last()
                    .unwrap()
                    .starts_with("the lines of other sources")
            );
        }
        let numbered = TEXT.lines().enumerate();
        let numbered = numbered.map(|(at, line)| format!("wrk.txt:{}:{line}\n", at + 1));
        assert_eq!(read(numbered.collect::<String>().as_bytes()).0, TEXT);
        // Levels, times, threads and counts are no sources.
        let levels =
            "[INFO] Running 30s test @ h\n[WARN] Socket errors: 7\n[INFO] Requests/sec: 7\n";
        let (text, removed) = read(levels.as_bytes());
        assert_eq!(text.lines().count(), 3, "{removed:?}");
        let times = "[00:01.1] GET\n[00:01.2] Running 30s test @ h\n[00:01.3] Requests/sec: 7\n";
        assert!(read(times.as_bytes()).0.ends_with("Requests/sec: 7\n"));
    }
}
