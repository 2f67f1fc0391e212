//! Removes colours, carriage returns and prefixes from the lines of a text.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use super::prefix::Prefix;

/// Largest number of bytes of a line that are cleaned at once. The rest of a longer line follows as
/// it is.
const LONGEST: u64 = 1 << 20;

/// Bytes that no character has in UTF-8, as something that is removed.
pub(super) const BYTES: &str = "bytes that are not UTF-8";

/// What is removed from each line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cleaned {
    /// Each line is JSON of Docker, with the line as a member.
    pub(super) docker: bool,
    /// Bytes that are not UTF-8 are replaced.
    pub(super) bytes: bool,
    pub(super) colours: bool,
    pub(super) carriage_returns: bool,
    pub(super) prefixes: Vec<Prefix>,
    /// Lines of other sources are left out, and line numbers count those that are left.
    pub(super) only: Option<String>,
}

impl Cleaned {
    /// What is removed, in words.
    pub(super) fn words(&self) -> Vec<String> {
        let docker = self.docker.then_some("the JSON of Docker around its lines");
        let bytes = self.bytes.then_some(BYTES);
        let colours = self.colours.then_some("colours of a terminal");
        let prefixes = self.prefixes.iter().map(Prefix::words);
        let only = self.only.iter();
        let only = only.map(|only| format!("the lines of other sources than {only:?}"));
        // Carriage returns at the ends of lines have no meaning that could be lost.
        let all = docker.into_iter().chain(bytes).chain(colours);
        let all = all.chain(prefixes).map(str::to_owned);
        all.chain(only).collect()
    }

    /// The texts of the sources that the prefixes of lines name.
    pub(super) fn by_source(&self, text: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let (content, source) = self.parts(line);
            let Some(source) = source else { continue };
            let at = *places.entry(source.clone()).or_insert_with(|| {
                all.push((source, Vec::new()));
                all.len() - 1
            });
            all[at].1.extend(content);
        }
        all
    }

    /// The beginning of a text after cleaning.
    pub(super) fn of(&self, text: &[u8]) -> Vec<u8> {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.flat_map(|line| self.line(line)).collect()
    }

    pub(super) fn reading<'a>(self, text: Box<dyn BufRead + 'a>) -> impl Read + 'a {
        CleanedText {
            text,
            cleaned: self,
            line: Vec::new(),
            at: 0,
            is_inside: false,
        }
    }

    /// A line after cleaning.
    fn line(&self, line: &[u8]) -> Vec<u8> {
        let (content, source) = self.parts(line);
        match (&self.only, source) {
            // An empty line would end a section.
            (Some(only), Some(source)) if *only != source => Vec::new(),
            _ => content,
        }
    }

    /// A line after cleaning, and its source if its prefixes name one.
    fn parts(&self, line: &[u8]) -> (Vec<u8>, Option<String>) {
        let unwrapped = self.docker.then(|| of_docker(line)).flatten();
        let line = unwrapped.as_deref().unwrap_or(line);
        let valid = self.bytes.then(|| String::from_utf8_lossy(line));
        let line = valid.as_ref().map_or(line, |valid| valid.as_bytes());
        let (content, end): (&[u8], &[u8]) = match line.strip_suffix(b"\n") {
            Some(content) => (content, b"\n"),
            None => (line, b""),
        };
        let content = match content.strip_suffix(b"\r") {
            Some(content) if self.carriage_returns => content,
            _ => content,
        };
        let mut content = if self.colours {
            without_sequences(content)
        } else {
            content.to_vec()
        };
        let mut sources: Vec<String> = Vec::new();
        for prefix in &self.prefixes {
            let length = prefix.length(&content);
            let removed = String::from_utf8_lossy(&content[..length]);
            let source = prefix.source(&removed).filter(|_| length > 0);
            sources.extend(source.map(str::to_owned));
            content.drain(..length);
        }
        content.extend_from_slice(end);
        let source = (!sources.is_empty()).then(|| sources.join(" ").replace('\t', " "));
        (content, source)
    }
}

/// The line in a line of Docker's log driver `json-file`.
fn of_docker(line: &[u8]) -> Option<Vec<u8>> {
    #[derive(serde::Deserialize)]
    struct Logged {
        log: String,
    }
    let logged: Logged = serde_json::from_slice(line).ok()?;
    Some(logged.log.into_bytes())
}

/// Whether a text is a log of Docker's log driver `json-file`.
pub(super) fn is_docker_log(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with('{') && first.contains("\"stream\"") && of_docker(first.as_bytes()).is_some()
}

/// Where a title or a message of a terminal ends: BEL, or ESC and a backslash.
fn message_end(text: &[u8]) -> Option<usize> {
    let end = text.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
    match &text[end..] {
        [0x07, ..] => Some(end + 1),
        [0x1b, b'\\', ..] => Some(end + 2),
        _ => None,
    }
}

/// A line without the escape sequences of a terminal: colours and movements (ESC `[`, parameters, one
/// letter), and titles and messages (ESC `]`, `_`, `P` or `^`, up to BEL).
fn without_sequences(line: &[u8]) -> Vec<u8> {
    let mut rest = line;
    let mut clean = Vec::with_capacity(line.len());
    let is_start =
        |two: &[u8]| two[0] == 0x1b && matches!(two[1], b'[' | b']' | b'_' | b'P' | b'^');
    while let Some(at) = rest.windows(2).position(is_start) {
        clean.extend_from_slice(&rest[..at]);
        let sequence = &rest[at + 2..];
        rest = if rest[at + 1] == b'[' {
            let mut bytes = sequence.iter();
            let end = bytes.position(|byte| (0x40..=0x7e).contains(byte));
            end.map_or(&[][..], |end| &sequence[end + 1..])
        } else {
            // A message without an end would hide the rest of the line.
            &sequence[message_end(sequence).unwrap_or(0)..]
        };
    }
    clean.extend_from_slice(rest);
    clean
}

struct CleanedText<'a> {
    text: Box<dyn BufRead + 'a>,
    cleaned: Cleaned,
    line: Vec<u8>,
    /// Number of bytes of `line` that have been read.
    at: usize,
    /// Whether the next bytes continue a long line.
    is_inside: bool,
}

impl CleanedText<'_> {
    fn fill(&mut self) -> io::Result<()> {
        loop {
            let mut line = Vec::new();
            self.text
                .by_ref()
                .take(LONGEST)
                .read_until(b'\n', &mut line)?;
            let is_end = line.is_empty();
            let ends = line.ends_with(b"\n");
            self.line = if self.is_inside {
                line
            } else {
                self.cleaned.line(&line)
            };
            self.is_inside = !ends;
            self.at = 0;
            if is_end || !self.line.is_empty() {
                return Ok(());
            }
        }
    }
}

impl Read for CleanedText<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            self.fill()?;
        }
        let mut rest = &self.line[self.at..];
        let read = rest.read(to)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed_wherever_they_stand() {
        for (line, clean) in [
            (&b"\x1b[32mRunning\x1b[0m"[..], &b"Running"[..]),
            (b"a\x1b[1;31mb", b"ab"),
            (b"a\x1b[", b"a"),
            (b"\x1b[K\x1b[2Kx", b"x"),
            (b"\x1b]0;a title\x07x", b"x"),
            (b"\x1b]8;;http://h/\x1b\\x", b"x"),
            (b"\x1b_bk;t=1700000000000\x07x", b"x"),
            (b"\x1b]x", b"x"),
        ] {
            assert_eq!(without_sequences(line), clean);
        }
    }

    #[test]
    fn a_line_longer_than_the_buffer_stays_whole() {
        let long = format!("  {}\n  b\n", "x".repeat(3 << 20));
        let cleaned = Cleaned {
            prefixes: vec![Prefix::Indentation(2)],
            ..Cleaned::default()
        };
        let mut text = String::new();
        let mut reading = cleaned.reading(Box::new(long.as_bytes()));
        reading.read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), (3 << 20) + 3);
        assert!(text.ends_with("x\nb\n"));
    }
}
