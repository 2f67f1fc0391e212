//! Parser of an endless response: parses the head and the chunks, and counts markers in the body.

use memchr::memmem;

/// Largest size of a response head, bytes.
const LONGEST_HEAD: usize = 64 << 10;
/// Largest length of a chunk-size line, bytes.
const LONGEST_SIZE_LINE: usize = 1 << 10;

/// Parser state of the response of one subscriber. Memory use is bounded.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    state: State,
    /// Start of an incomplete head or chunk-size line.
    line: Vec<u8>,
    /// The last bytes read, which can contain the start of a marker.
    tail: Vec<u8>,
    /// Markers found since the last reset.
    pub(crate) count: u64,
    /// The numbers behind markers that were found since the last read of this list.
    pub(crate) numbers: Vec<u64>,
    /// The digits read so far of a number whose end has not arrived.
    open_number: Option<u64>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Head,
    /// Body that is not chunked.
    Plain,
    /// Line with the size of the next chunk.
    Size,
    /// Inside a chunk, with the number of remaining bytes.
    Chunk(usize),
    /// Line end after a chunk.
    End,
    /// The last chunk has arrived.
    Over,
}

impl Stream {
    /// Whether the response head has arrived, which confirms the subscription.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.state != State::Head
    }

    /// Resets the count of markers and the list of numbers.
    pub(crate) fn reset_count(&mut self) {
        self.count = 0;
        self.tail.clear();
        self.numbers.clear();
        self.open_number = None;
    }

    /// Parses the next bytes of the response.
    ///
    /// # Errors
    /// If the response is not a valid HTTP stream, or has ended.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], mark: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Head => self.take_head(bytes)?,
                State::Plain => {
                    self.scan(bytes, mark);
                    &[]
                }
                State::Size => self.take_size(bytes)?,
                State::Chunk(left) => {
                    let (now, later) = bytes.split_at(left.min(bytes.len()));
                    self.scan(now, mark);
                    self.state = match left - now.len() {
                        0 => State::End,
                        left => State::Chunk(left),
                    };
                    later
                }
                State::End => {
                    if bytes[0] == b'\n' {
                        self.state = State::Size;
                    }
                    &bytes[1..]
                }
                State::Over => return Err("the server ended the response".to_owned()),
            };
        }
        match self.state {
            State::Over => Err("the server ended the response".to_owned()),
            _ => Ok(()),
        }
    }

    fn take_head<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], String> {
        let before = self.line.len();
        self.line.extend_from_slice(bytes);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut head = httparse::Response::new(&mut headers);
        let parsed = head.parse(&self.line);
        let parsed = parsed.map_err(|error| format!("the response is not HTTP: {error}"))?;
        let httparse::Status::Complete(length) = parsed else {
            if self.line.len() > LONGEST_HEAD {
                return Err("the head of the response is too long".to_owned());
            }
            return Ok(&[]);
        };
        let status = head.code.unwrap_or(0);
        if !(200..300).contains(&status) {
            return Err(format!("the response has status {status}"));
        }
        let chunked = head.headers.iter().any(|header| {
            let value = header.value.to_ascii_lowercase();
            header.name.eq_ignore_ascii_case("transfer-encoding")
                && memmem::find(&value, b"chunked").is_some()
        });
        self.state = if chunked { State::Size } else { State::Plain };
        self.line.clear();
        Ok(&bytes[length.saturating_sub(before).min(bytes.len())..])
    }

    fn take_size<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], String> {
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            self.line.extend_from_slice(bytes);
            if self.line.len() > LONGEST_SIZE_LINE {
                return Err("a chunk of the response has no valid size".to_owned());
            }
            return Ok(&[]);
        };
        self.line.extend_from_slice(&bytes[..end]);
        let text = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        let digits = text.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16)
            .map_err(|_| "a chunk of the response has no valid size".to_owned())?;
        self.state = match size {
            0 => State::Over,
            size => State::Chunk(size),
        };
        Ok(&bytes[end + 1..])
    }

    /// Counts markers in `bytes` and reads their numbers, including a marker or a number whose start
    /// was in earlier bytes.
    fn scan(&mut self, bytes: &[u8], mark: &[u8]) {
        if mark.is_empty() {
            return;
        }
        if let Some(value) = self.open_number.take() {
            self.read_number(bytes, value);
        }
        let keep = mark.len() - 1;
        // A marker across the boundary lies within the tail and the first `keep` new bytes. All
        // other markers lie entirely in the new bytes.
        let mut boundary = std::mem::take(&mut self.tail);
        let tail_length = boundary.len();
        boundary.extend_from_slice(&bytes[..keep.min(bytes.len())]);
        for at in memmem::find_iter(&boundary, mark).filter(|at| *at < tail_length) {
            self.count += 1;
            let end = (at + mark.len()).saturating_sub(tail_length);
            self.read_number(&bytes[end..], 0);
        }
        for at in memmem::find_iter(bytes, mark) {
            self.count += 1;
            self.read_number(&bytes[at + mark.len()..], 0);
        }
        self.tail = if bytes.len() >= keep {
            bytes[bytes.len() - keep..].to_vec()
        } else {
            boundary[boundary.len().saturating_sub(keep)..].to_vec()
        };
    }

    /// Reads the digits at the start of `bytes`, which follow digits with this value.
    fn read_number(&mut self, bytes: &[u8], value: u64) {
        let mut value = value;
        for byte in bytes {
            if !byte.is_ascii_digit() {
                self.numbers.push(value);
                return;
            }
            let digit = u64::from(byte - b'0');
            value = value.saturating_mul(10).saturating_add(digit);
        }
        self.open_number = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const MARK: &[u8] = b"tenbin-00-0-";

    fn chunk(text: &str) -> String {
        format!("{:x}\r\n{text}\r\n", text.len())
    }

    #[test]
    fn a_message_may_be_split_anywhere() {
        let response = format!(
            "{HEAD}{}{}{}",
            chunk("{\"id\":\"tenbin-00-0-12\"}"),
            chunk("{\"id\":\"tenbin-"),
            chunk("00-0-2\"}{\"id\":\"tenbin-00-0-3\"}")
        );
        for size in 1..response.len() {
            let mut stream = Stream::default();
            for piece in response.as_bytes().chunks(size) {
                stream.feed(piece, MARK).expect("a response");
            }
            assert_eq!(stream.count, 3, "in pieces of {size}");
            assert_eq!(stream.numbers, [12, 2, 3], "in pieces of {size}");
            assert!(stream.is_confirmed());
        }
    }

    #[test]
    fn responses_without_chunks_are_read() {
        let mut stream = Stream::default();
        let head = b"HTTP/1.1 200 OK\r\n\r\ntenbin-00-0-1 tenbin-00-1-1";
        stream.feed(head, MARK).expect("a response");
        assert_eq!(stream.count, 1);
        stream.reset_count();
        assert_eq!(stream.count, 0);
    }

    #[test]
    fn invalid_streams_are_errors() {
        for (bytes, why) in [
            (&b"HTTP/1.1 404 Not Found\r\n\r\n"[..], "status 404"),
            (b"SSH-2.0-x\r\n\r\n", "not HTTP"),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "no valid size",
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "ended the response",
            ),
        ] {
            let error = Stream::default().feed(bytes, MARK).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..9)) {
            let mut stream = Stream::default();
            for piece in [HEAD.as_bytes().to_vec()].into_iter().chain(pieces) {
                if stream.feed(&piece, MARK).is_err() {
                    break;
                }
            }
        }
    }
}
