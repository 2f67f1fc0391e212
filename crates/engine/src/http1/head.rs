//! Parses a response head: body length, status and connection reuse.

use super::malformed::Malformed;
use crate::equal::strip_prefix;

/// Most header lines accepted.
const MOST_HEADERS: usize = 128;

/// How the end of a response body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyLength {
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// The parts of a response head that framing needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    pub(super) status: u16,
    pub(super) length: Option<u64>,
    pub(super) body: BodyLength,
    /// Whether the server allows another request on the connection.
    pub(super) reusable: bool,
}

/// Caches the last parsed head. Most heads from a server are equal byte for byte, since usually
/// only `Date` changes, once a second, and an equal head need not be parsed.
#[derive(Debug, Default)]
pub struct HeadMemory {
    bytes: Vec<u8>,
    meaning: Option<Meaning>,
}

impl HeadMemory {
    /// The cached meaning and the bytes after the head, if `bytes` start with the cached head.
    pub(super) fn recall<'b>(&self, bytes: &'b [u8]) -> Option<(Meaning, &'b [u8])> {
        let meaning = self.meaning?;
        Some((meaning, strip_prefix(bytes, &self.bytes)?))
    }

    /// Replaces the cached head.
    pub(super) fn keep(&mut self, head: &[u8], meaning: Meaning) {
        self.bytes.clear();
        self.bytes.extend_from_slice(head);
        self.meaning = Some(meaning);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Parses a head. Returns the meaning and the length of the head; `None` if the head is incomplete.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Meaning, usize)>, Malformed> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let head_length = match answer.parse(bytes).map_err(Malformed::Head)? {
        httparse::Status::Partial => return Ok(None),
        httparse::Status::Complete(length) => length,
    };
    let status = answer
        .code
        .filter(|code| (100..1000).contains(code))
        .ok_or(Malformed::Head(httparse::Error::Status))?;
    let mut length = None;
    let mut coded = false;
    let mut chunked = false;
    let mut chunked_before = false;
    // HTTP/1.1 keeps connections open by default, HTTP/1.0 closes them.
    let mut reusable = answer.version == Some(1);
    for header in answer.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let value = content_length(header.value)?;
            if length.is_some_and(|known| known != value) {
                return Err(Malformed::Length);
            }
            length = Some(value);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            coded = true;
            for token in tokens(header.value) {
                chunked = token.eq_ignore_ascii_case(b"chunked");
                if chunked && chunked_before {
                    return Err(Malformed::Coding);
                }
                chunked_before |= chunked;
            }
        } else if header.name.eq_ignore_ascii_case("connection") {
            for token in tokens(header.value) {
                if token.eq_ignore_ascii_case(b"close") {
                    reusable = false;
                } else if token.eq_ignore_ascii_case(b"keep-alive") && answer.version == Some(0) {
                    reusable = true;
                }
            }
        }
    }
    if coded && length.is_some() {
        return Err(Malformed::TwoLengths);
    }
    // RFC 9112 section 6.3 sets this order: no body, then transfer coding, then `Content-Length`.
    let body = match (status, coded, chunked, length) {
        (100..=199 | 204 | 304, ..) => BodyLength::Empty,
        (_, true, true, _) => BodyLength::Chunked,
        (_, true, false, _) => BodyLength::UntilClose,
        (_, false, _, Some(length)) => BodyLength::Length(length),
        (_, false, _, None) => BodyLength::UntilClose,
    };
    let meaning = Meaning {
        status,
        length,
        body,
        reusable,
    };
    Ok(Some((meaning, head_length)))
}

fn content_length(value: &[u8]) -> Result<u64, Malformed> {
    let digits = value.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Malformed::Length);
    }
    digits.iter().try_fold(0u64, |sum, digit| {
        sum.checked_mul(10)
            .and_then(|sum| sum.checked_add(u64::from(digit - b'0')))
            .ok_or(Malformed::Length)
    })
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}
