//! One response that was read to the end.

use serde::{Deserialize, Serialize};
use tenbin_engine::ResponseHead;

use super::content::decoded;
use super::shape::{Names, Shape};

/// Maximum number of characters kept of a header value.
const HEADER_CHARS: usize = 80;
/// Most bytes of a body whose shape is compared; of a longer body, only the start.
pub(super) const MOST_BYTES: usize = 256 << 10;

/// Headers in which a cache reports a hit.
const CACHE_HEADERS: [&str; 5] = [
    "x-cache", "cf-cache-status", "x-cache-status", "cache-status", "x-varnish-cache",
];

fn text(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.chars().take(HEADER_CHARS).collect()
}

/// What the head of a response says about its content and about caches on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeadNotes {
    /// `Content-Type` as received; empty without one.
    pub(super) content_type: String,
    /// `Content-Encoding` in lower case; empty without one.
    pub(super) encoding: String,
    /// Whether the response has an `Age`.
    pub(super) age: bool,
    /// Whether a header reports that a cache has sent the response.
    pub(super) hit: bool,
    /// Whether the response has a `Via`.
    pub(super) via: bool,
}

impl HeadNotes {
    /// Reads the lines of the head once, because this happens on the path of a request.
    pub(super) fn of(head: &ResponseHead<'_>) -> Self {
        let mut notes = Self::default();
        for line in head.bytes.split(|b| *b == b'\n').skip(1) {
            let Some(colon) = line.iter().position(|b| *b == b':') else {
                continue;
            };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
            match name.len() {
                3 if is("age") => notes.age = true,
                3 if is("via") => notes.via = true,
                12 if is("content-type") && notes.content_type.is_empty() => {
                    notes.content_type = text(value);
                }
                16 if is("content-encoding") && notes.encoding.is_empty() => {
                    let encoding = text(value).to_ascii_lowercase();
                    if encoding != "identity" {
                        notes.encoding = encoding;
                    }
                }
                _ if CACHE_HEADERS.iter().any(|header| is(header)) => {
                    notes.hit |= value
                        .windows(3)
                        .any(|part| part.eq_ignore_ascii_case(b"hit"));
                }
                _ => {}
            }
        }
        notes
    }

    /// The media type in lower case, without parameters.
    pub(super) fn media(&self) -> String {
        let name = self.content_type.split(';').next().unwrap_or_default();
        name.trim().to_ascii_lowercase()
    }
}

/// The last head that was read, and its notes: most heads of a server are the same as the one
/// before.
#[derive(Default)]
pub(super) struct LastHead {
    bytes: Vec<u8>,
    notes: HeadNotes,
}

impl LastHead {
    /// The notes of `head`.
    pub(super) fn notes(&mut self, head: &ResponseHead<'_>) -> HeadNotes {
        if self.bytes != head.bytes {
            self.bytes.clear();
            self.bytes.extend_from_slice(head.bytes);
            self.notes = HeadNotes::of(head);
        }
        self.notes.clone()
    }
}

/// One response that was read to the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Observed {
    pub(super) status: u16,
    pub(super) notes: HeadNotes,
    /// Length and checksum of the body as transferred.
    pub(super) raw: (u64, u64),
    /// When the request was prepared, nanoseconds since an origin that is the same for all
    /// responses of a slice.
    pub(super) nanos: u64,
    /// Whether the body could be decoded. Otherwise, `shape` is that of the encoded body.
    pub(super) is_decoded: bool,
    pub(super) shape: Shape,
}

impl Observed {
    /// Observes a response with this body, of which `body` is at least the first [`MOST_BYTES`].
    pub(super) fn new(
        (status, raw, nanos): (u16, (u64, u64), u64),
        notes: HeadNotes,
        body: &[u8],
        names: &mut dyn Names,
    ) -> Self {
        let is_whole = body.len() as u64 == raw.0;
        let body = &body[..body.len().min(MOST_BYTES)];
        let content = decoded(body, &notes.encoding, is_whole);
        let is_decoded = content.is_some();
        let shape = match content {
            Some(content) => {
                let is_cut = !is_whole || content.len() > MOST_BYTES;
                let part = &content[..content.len().min(MOST_BYTES)];
                let length = if notes.encoding.is_empty() {
                    raw.0
                } else {
                    content.len() as u64
                };
                let mut shape = Shape::of(part, is_cut.then_some(length), names);
                if !is_whole && notes.encoding.is_empty() {
                    // The checksum of the whole body is known.
                    shape.sum = raw.1;
                }
                shape
            }
            None => Shape::encoded(body, raw),
        };
        Self {
            status,
            notes,
            raw,
            nanos,
            is_decoded,
            shape,
        }
    }
}
