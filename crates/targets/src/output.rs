//! Output of a launched command. A thread reads the output, removes secrets, writes the output to a
//! log file, searches for the ready text and keeps the last lines.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::encoded;

/// Number of last lines kept for error messages.
const TAIL_LINES: usize = 40;
/// Characters kept of each of the last lines.
const TAIL_WIDTH: usize = 400;
/// Length above which a line is processed in parts, bytes.
const LONG_LINE: usize = 64 * 1024;
/// Largest log file, bytes, so that a server that logs every request cannot fill the disk.
const LOG_LIMIT: u64 = 64 * 1024 * 1024;

const REDACTED: &[u8] = b"[redacted]";

/// The output of a launched command.
#[derive(Debug)]
pub(crate) struct Output {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    tail: VecDeque<String>,
    awaited_seen: bool,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    /// Starts a thread that reads the output, and returns the pipe to write to. `secrets` are
    /// replaced in all forms of `encoded::forms`; `awaited` is the text to search for. If `behind`
    /// is set, output is appended to the log file; otherwise the file is truncated.
    pub(crate) fn capture(
        log: &Path,
        secrets: &[&str],
        awaited: Option<&str>,
        behind: bool,
    ) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let intake = Reader {
            shared: Arc::default(),
            log: Log::open(log, behind)?,
            redactor: Redactor::new(secrets),
            awaited: awaited.map(Awaited::new),
        };
        let shared = Arc::clone(&intake.shared);
        thread::spawn(move || intake.run(reader));
        Ok((Self { shared }, writer))
    }

    /// Whether the awaited text has been printed.
    pub(crate) fn awaited_seen(&self) -> bool {
        self.shared.lock().awaited_seen
    }

    /// Waits until all writers have closed the pipe, at most `limit`.
    pub(crate) fn wait_closed(&self, limit: Duration) {
        let _ = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), limit, |state| !state.closed);
    }

    /// The last lines of the output, without secrets and control characters.
    pub(crate) fn tail(&self) -> Vec<String> {
        self.shared.lock().tail.iter().cloned().collect()
    }
}

/// State of the reading thread.
struct Reader {
    shared: Arc<Shared>,
    log: Log,
    redactor: Redactor,
    awaited: Option<Awaited>,
}

impl Reader {
    fn run(mut self, mut pipe: PipeReader) {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => self.process(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let rest = self.redactor.finish();
        self.pass_on(&rest);
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }

    fn process(&mut self, bytes: &[u8]) {
        if self.awaited.as_mut().is_some_and(|text| text.is_in(bytes)) {
            self.awaited = None;
            self.shared.lock().awaited_seen = true;
        }
        let clean = self.redactor.push(bytes);
        self.pass_on(&clean);
    }

    fn pass_on(&mut self, clean: &[u8]) {
        self.log.write(clean);
        let mut state = self.shared.lock();
        for line in clean
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
        {
            if state.tail.len() == TAIL_LINES {
                state.tail.pop_front();
            }
            state.tail.push_back(printable(line));
        }
    }
}

/// A line of at most [`TAIL_WIDTH`] characters, with control characters replaced by spaces.
fn printable(line: &[u8]) -> String {
    String::from_utf8_lossy(line)
        .trim_end()
        .chars()
        .take(TAIL_WIDTH)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// The log file. Output that cannot be written is dropped, so that a full disk does not block the
/// target.
struct Log {
    file: Option<File>,
    room: u64,
}

impl Log {
    fn open(path: &Path, behind: bool) -> io::Result<Self> {
        let (file, written) = if behind {
            let file = File::options().append(true).create(true).open(path)?;
            let written = file.metadata()?.len();
            (file, written)
        } else {
            (File::create(path)?, 0)
        };
        Ok(Self {
            file: Some(file),
            room: LOG_LIMIT.saturating_sub(written),
        })
    }

    fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let length = bytes.len() as u64;
        if length <= self.room {
            self.room -= length;
            let _ = file.write_all(bytes);
        } else {
            let _ = writeln!(file, "[log truncated at {LOG_LIMIT} bytes]");
            self.file = None;
        }
    }
}

/// Replaces secrets in a stream, including secrets that span chunks.
struct Redactor {
    secrets: Vec<Vec<u8>>,
    pending: Vec<u8>,
}

impl Redactor {
    fn new(secrets: &[&str]) -> Self {
        let given = secrets.iter().filter(|secret| !secret.is_empty());
        let mut forms: Vec<Vec<u8>> = given.flat_map(|secret| encoded::forms(secret)).collect();
        // Longest first, because a secret can contain another secret.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        Self {
            secrets: forms,
            pending: Vec::new(),
        }
    }

    /// Adds a chunk and returns text that is certainly free of secrets: whole lines, or most of a
    /// very long line.
    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(bytes);
        if let Some(end) = self.pending.iter().rposition(|&byte| byte == b'\n') {
            let rest = self.pending.split_off(end + 1);
            let lines = std::mem::replace(&mut self.pending, rest);
            return self.clean(lines);
        }
        if self.pending.len() <= LONG_LINE {
            return Vec::new();
        }
        let long = std::mem::take(&mut self.pending);
        let mut clean = self.clean(long);
        // The last bytes can be the start of a secret: keep them for the next chunk.
        let overlap = self.secrets.first().map_or(0, |longest| longest.len() - 1);
        self.pending = clean.split_off(clean.len().saturating_sub(overlap));
        clean
    }

    fn finish(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.pending);
        self.clean(rest)
    }

    fn clean(&self, mut text: Vec<u8>) -> Vec<u8> {
        for secret in &self.secrets {
            if contains(&text, secret) {
                text = replace(&text, secret, REDACTED);
            }
        }
        text
    }
}

/// Searches for a text in a stream, including matches that span chunks.
struct Awaited {
    text: Vec<u8>,
    carry: Vec<u8>,
}

impl Awaited {
    fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            carry: Vec::new(),
        }
    }

    fn is_in(&mut self, bytes: &[u8]) -> bool {
        self.carry.extend_from_slice(bytes);
        let found = contains(&self.carry, &self.text);
        let keep = self.text.len().saturating_sub(1);
        self.carry.drain(..self.carry.len().saturating_sub(keep));
        found
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    part.is_empty() || text.windows(part.len()).any(|window| window == part)
}

fn replace(text: &[u8], part: &[u8], by: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(part) {
            result.extend_from_slice(by);
            rest = after;
        } else {
            result.push(rest[0]);
            rest = &rest[1..];
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn through(secrets: &[&str], parts: &[&[u8]]) -> String {
        let mut redactor = Redactor::new(secrets);
        let mut clean = Vec::new();
        for part in parts {
            clean.extend(redactor.push(part));
        }
        clean.extend(redactor.finish());
        String::from_utf8(clean).unwrap()
    }

    #[test]
    fn secrets_and_their_encoded_form_are_replaced() {
        let text = b"key=a/b+c url=a%2Fb%2Bc tail\nno secret here";
        assert_eq!(
            through(&["a/b+c"], &[text]),
            "key=[redacted] url=[redacted] tail\nno secret here"
        );
    }

    #[test]
    fn base64_and_hex_of_a_secret_are_replaced() {
        let clean = through(
            &["hunter2-hunter3"],
            &[b"Basic dXNlcjpodW50ZXIyLWh1bnRlcjM= x 68756e746572322d68756e74657233 y"],
        );
        assert!(clean.starts_with("Basic dXNlcjp"), "{clean}");
        assert!(clean.ends_with(" x [redacted] y"), "{clean}");
        assert!(!clean.contains("W50ZXIyLWh1bnRlc"), "{clean}");
    }

    #[test]
    fn a_secret_that_contains_another_is_replaced_entirely() {
        assert_eq!(
            through(&["abc", "abcdef"], &[b"x abcdef y"]),
            "x [redacted] y"
        );
    }

    proptest! {
        #[test]
        fn secrets_across_chunks_are_replaced(
            before in 0usize..150_000, cuts in prop::collection::vec(0usize..150_100, 0..6)
        ) {
            let text = format!("{}hunter2-hunter3{}", "x".repeat(before), "y".repeat(50));
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let parts: Vec<&[u8]> = cuts.windows(2).map(|w| &text.as_bytes()[w[0]..w[1]]).collect();
            let clean = through(&["hunter2-hunter3"], &parts);
            prop_assert_eq!(clean.len(), text.len() - 15 + REDACTED.len());
            prop_assert!(!clean.contains("hunter2"));
        }

        #[test]
        fn the_awaited_text_is_found_across_chunks(cut in 0usize..20) {
            let text = b"...server is ready..";
            let mut awaited = Awaited::new("is ready");
            let found = [&text[..cut], &text[cut..]].map(|part| awaited.is_in(part));
            prop_assert!(found.contains(&true));
        }
    }

    #[test]
    fn the_tail_is_printable_and_short() {
        let line = printable(b"\x1b[31mred\x07\xff\r");
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert_eq!(printable(&[b'a'; 9000]).len(), TAIL_WIDTH);
    }
}
