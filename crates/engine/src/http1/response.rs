//! Reads HTTP/1.1 responses from input that can be split at any byte.

use super::chunked::Chunked;
pub use super::head::HeadMemory;
use super::head::{BodyLength, Meaning, parse};
pub use super::malformed::Malformed;
use crate::exchange::{BodyUse, ResponseHead};
pub use crate::stream::{Complete, Framing, Listener, Progress};

/// Longest head accepted, bytes.
const LONGEST_HEAD: usize = 64 * 1024;

#[derive(Debug)]
enum Stage {
    Head,
    Length(u64),
    Chunked(Chunked),
    UntilClose,
}

/// Reads consecutive responses from the bytes of one connection.
#[derive(Debug)]
pub struct ResponseReader {
    stage: Stage,
    /// The received start of an incomplete head.
    pending: Vec<u8>,
    meaning: Option<Meaning>,
    inspect: bool,
    length: u64,
}

impl Default for ResponseReader {
    fn default() -> Self {
        Self {
            stage: Stage::Head,
            pending: Vec::new(),
            meaning: None,
            inspect: false,
            length: 0,
        }
    }
}

impl Framing for ResponseReader {
    type Shared = HeadMemory;
    type Malformed = Malformed;

    fn reset(&mut self) {
        self.stage = Stage::Head;
        self.pending.clear();
        self.meaning = None;
        self.length = 0;
    }

    #[inline]
    fn feed(
        &mut self,
        bytes: &[u8],
        bodyless: bool,
        memory: &mut HeadMemory,
        listener: &mut impl Listener,
    ) -> Result<Progress, Malformed> {
        let mut rest = bytes;
        loop {
            match &mut self.stage {
                Stage::Head => {
                    let Some(after) = self.read_head(rest, bodyless, memory, listener)? else {
                        return Ok(Progress::Partial);
                    };
                    rest = after;
                    if matches!(self.stage, Stage::Length(0)) {
                        return Ok(self.complete(bytes.len() - rest.len()));
                    }
                    // A 1xx response is followed by another head, any other response by its body.
                }
                Stage::Length(left) => {
                    let take = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    let (part, after) = rest.split_at(take);
                    *left -= take as u64;
                    let done = *left == 0;
                    self.deliver(part, listener);
                    if done {
                        return Ok(self.complete(bytes.len() - after.len()));
                    }
                    return Ok(Progress::Partial);
                }
                Stage::Chunked(chunked) => {
                    let step = chunked.step(rest).map_err(|()| Malformed::Chunk)?;
                    let (data, consumed, done) = (step.data, step.consumed, step.done);
                    let part = &rest[data];
                    self.deliver(part, listener);
                    rest = &rest[consumed..];
                    if done {
                        return Ok(self.complete(bytes.len() - rest.len()));
                    }
                }
                Stage::UntilClose => {
                    self.deliver(rest, listener);
                    return Ok(Progress::Partial);
                }
            }
            if rest.is_empty() {
                return Ok(Progress::Partial);
            }
        }
    }

    fn close(&mut self) -> Option<Complete> {
        matches!(self.stage, Stage::UntilClose).then(|| {
            let complete = self.finish(0);
            self.reset();
            complete
        })
    }

    #[inline]
    fn droppable(&self) -> Option<u64> {
        match self.stage {
            Stage::Length(left) if !self.inspect => Some(left),
            _ => None,
        }
    }

    #[inline]
    fn outstanding(&self) -> Option<u64> {
        match self.stage {
            Stage::Length(left) => Some(left),
            _ => None,
        }
    }

    fn skip(&mut self, count: u64) -> Progress {
        let Stage::Length(left) = &mut self.stage else {
            return Progress::Partial;
        };
        let count = count.min(*left);
        *left -= count;
        let done = *left == 0;
        self.length += count;
        if done {
            self.complete(0)
        } else {
            Progress::Partial
        }
    }
}

impl ResponseReader {
    fn deliver(&mut self, part: &[u8], listener: &mut impl Listener) {
        if part.is_empty() {
            return;
        }
        if self.inspect {
            listener.body(self.length, part);
        }
        self.length += part.len() as u64;
    }

    fn complete(&mut self, consumed: usize) -> Progress {
        let complete = self.finish(consumed);
        self.stage = Stage::Head;
        self.meaning = None;
        self.length = 0;
        Progress::Complete(complete)
    }

    fn finish(&self, consumed: usize) -> Complete {
        let meaning = self.meaning.expect("a body only follows a head");
        Complete {
            status: meaning.status,
            length: self.length,
            reusable: meaning.reusable && !matches!(self.stage, Stage::UntilClose),
            consumed,
        }
    }

    /// Reads a head. Returns the bytes after it, or `None` when the head is incomplete.
    fn read_head<'b>(
        &mut self,
        bytes: &'b [u8],
        bodyless: bool,
        memory: &mut HeadMemory,
        listener: &mut impl Listener,
    ) -> Result<Option<&'b [u8]>, Malformed> {
        if self.pending.is_empty()
            && let Some((meaning, after)) = memory.recall(bytes)
        {
            self.begin_body(meaning, memory.bytes(), bodyless, listener);
            return Ok(Some(after));
        }
        let held = self.pending.len();
        let whole: &[u8] = if held == 0 {
            bytes
        } else {
            self.pending.extend_from_slice(bytes);
            &self.pending
        };
        let Some((meaning, head_length)) = parse(whole)? else {
            if whole.len() > LONGEST_HEAD {
                return Err(Malformed::LongHead);
            }
            if held == 0 {
                self.pending.extend_from_slice(bytes);
            }
            return Ok(None);
        };
        if head_length > LONGEST_HEAD {
            return Err(Malformed::LongHead);
        }
        // The head ends in the new bytes; otherwise the previous call would have completed the
        // head.
        let after = &bytes[head_length - held..];
        if meaning.status == 101 {
            return Err(Malformed::Switched);
        }
        if meaning.status >= 200 {
            memory.keep(&whole[..head_length], meaning);
            self.begin_body(meaning, memory.bytes(), bodyless, listener);
        }
        self.pending.clear();
        Ok(Some(after))
    }

    fn begin_body(
        &mut self,
        meaning: Meaning,
        head: &[u8],
        bodyless: bool,
        listener: &mut impl Listener,
    ) {
        let bodyless = bodyless || meaning.body == BodyLength::Empty;
        self.inspect = listener.head(&ResponseHead {
            status: meaning.status,
            length: meaning.length,
            bytes: head,
        }) == BodyUse::Inspect;
        self.length = 0;
        self.meaning = Some(meaning);
        self.stage = match meaning.body {
            _ if bodyless => Stage::Length(0),
            BodyLength::Empty => Stage::Length(0),
            BodyLength::Length(length) => Stage::Length(length),
            BodyLength::Chunked => Stage::Chunked(Chunked::default()),
            BodyLength::UntilClose => Stage::UntilClose,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Default, Debug, Clone, PartialEq)]
    struct Recorder {
        heads: Vec<u16>,
        body: Vec<u8>,
        /// Position of the end of the response in the input.
        end: usize,
    }

    impl Listener for Recorder {
        fn head(&mut self, head: &ResponseHead<'_>) -> BodyUse {
            self.heads.push(head.status);
            BodyUse::Inspect
        }

        fn body(&mut self, offset: u64, part: &[u8]) {
            assert_eq!(offset, self.body.len() as u64);
            self.body.extend_from_slice(part);
        }
    }

    fn read(
        bytes: &[u8],
        cuts: &[usize],
        bodyless: bool,
    ) -> (Result<Progress, Malformed>, Recorder) {
        let mut memory = HeadMemory::default();
        let mut reader = ResponseReader::default();
        let mut heard = Recorder::default();
        let mut start = 0;
        let mut result = Ok(Progress::Partial);
        for &cut in cuts.iter().chain([&bytes.len()]) {
            if cut <= start && start > 0 || cut == 0 {
                continue;
            }
            result = reader.feed(&bytes[start..cut], bodyless, &mut memory, &mut heard);
            if let Ok(Progress::Complete(complete)) = &mut result {
                heard.end = start + std::mem::take(&mut complete.consumed);
            }
            start = cut;
            if result != Ok(Progress::Partial) {
                break;
            }
        }
        if result == Ok(Progress::Partial)
            && let Some(complete) = reader.close()
        {
            result = Ok(Progress::Complete(complete));
        }
        (result, heard)
    }

    fn complete(status: u16, length: u64, reusable: bool) -> Result<Progress, Malformed> {
        Ok(Progress::Complete(Complete {
            status,
            length,
            reusable,
            consumed: 0,
        }))
    }

    const PLAIN: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\
        5;name=\"x\"\r\nhello\r\n00A\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n";
    const CONTINUED: &[u8] =
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
        HTTP/1.1 201 Created\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    const UNTIL_CLOSE: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nas much as there is";
    const NO_BODY: &[u8] = b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n";
    const OLD: &[u8] = b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx";
    const OLD_KEPT: &[u8] =
        b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\nx";

    #[test]
    fn reads_every_kind_of_body() {
        assert_eq!(read(PLAIN, &[], false).0, complete(200, 5, true));
        assert_eq!(read(CHUNKED, &[], false).0, complete(200, 15, true));
        assert_eq!(read(CONTINUED, &[], false).0, complete(201, 2, false));
        assert_eq!(read(UNTIL_CLOSE, &[], false).0, complete(200, 19, false));
        assert_eq!(read(NO_BODY, &[], false).0, complete(204, 0, true));
        assert_eq!(read(OLD, &[], false).0, complete(200, 1, false));
        assert_eq!(read(OLD_KEPT, &[], false).0, complete(200, 1, true));
    }

    #[test]
    fn a_response_to_head_has_no_body_whatever_its_length() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n";
        assert_eq!(read(head, &[], true).0, complete(200, 0, true));
    }

    /// RFC 9112, section 2.2: a recipient may recognise a single LF as the end of a line.
    #[test]
    fn lines_of_a_head_may_end_with_a_bare_line_feed() {
        let bare = b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello";
        assert_eq!(read(bare, &[], false).0, complete(200, 5, true));
        let mixed = b"HTTP/1.1 200 OK\r\nContent-Length: 5\nServer: x\r\n\r\nhello";
        assert_eq!(read(mixed, &[], false).0, complete(200, 5, true));
    }

    #[test]
    fn bytes_that_are_not_a_response_are_an_error() {
        let refused = |bytes: &[u8]| read(bytes, &[], false).0.unwrap_err();
        assert!(matches!(
            refused(b"SSH-2.0-OpenSSH\r\n"),
            Malformed::Head(_)
        ));
        assert_eq!(
            refused(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"),
            Malformed::Length
        );
        assert_eq!(
            refused(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
            Malformed::Length
        );
        assert_eq!(
            refused(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"),
            Malformed::Length
        );
        // Bytes after a 101 response are no longer HTTP/1.1.
        for switched in [
            &b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"[..],
            b"HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n",
        ] {
            assert_eq!(refused(switched), Malformed::Switched);
        }
        for both in [
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\n",
        ] {
            assert_eq!(refused(both), Malformed::TwoLengths);
        }
        for twice in [
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n3\r\n" as &[u8],
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert_eq!(refused(twice), Malformed::Coding);
        }
        assert_eq!(
            refused(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
            Malformed::Chunk
        );
        assert_eq!(
            refused(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n"),
            Malformed::Chunk
        );
    }

    #[test]
    fn bytes_after_a_response_belong_to_the_next_one() {
        for first in [PLAIN, CHUNKED, CONTINUED, NO_BODY, OLD_KEPT] {
            let both = [first, PLAIN].concat();
            for cut in 0..both.len() {
                let (result, heard) = read(&both, &[cut], false);
                assert!(matches!(result, Ok(Progress::Complete(_))), "{result:?}");
                assert_eq!(heard.end, first.len());
            }
        }
    }

    #[test]
    fn dropped_bytes_count_like_bytes_read() {
        struct Discards;
        impl Listener for Discards {
            fn head(&mut self, _head: &ResponseHead<'_>) -> BodyUse {
                BodyUse::Discard
            }
            fn body(&mut self, _offset: u64, _part: &[u8]) {
                unreachable!("the body is not inspected");
            }
        }
        let mut reader = ResponseReader::default();
        assert_eq!(reader.droppable(), None);
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nfirst";
        let fed = reader.feed(head, false, &mut HeadMemory::default(), &mut Discards);
        assert_eq!(fed, Ok(Progress::Partial));
        assert_eq!(reader.droppable(), Some(995));
        assert_eq!(reader.skip(900), Progress::Partial);
        assert_eq!(Ok(reader.skip(95)), complete(200, 1000, true));
        assert_eq!(reader.droppable(), None);
    }

    #[test]
    fn a_head_that_is_too_long_is_an_error() {
        let mut reader = ResponseReader::default();
        let mut memory = HeadMemory::default();
        let mut heard = Recorder::default();
        let mut result = reader.feed(b"HTTP/1.1 200 OK\r\n", false, &mut memory, &mut heard);
        let mut fed = 0;
        while result == Ok(Progress::Partial) && fed < 10_000 {
            result = reader.feed(b"X-Padding: 0123456789\r\n", false, &mut memory, &mut heard);
            fed += 1;
        }
        assert!(result.is_err(), "{result:?}");
    }

    #[test]
    fn a_connection_closed_inside_a_response_gives_no_response() {
        for bytes in [PLAIN, CHUNKED] {
            for cut in 0..bytes.len() {
                assert_eq!(read(&bytes[..cut], &[], false).0, Ok(Progress::Partial));
            }
        }
    }

    #[test]
    fn a_repeated_head_is_parsed_equally() {
        let mut reader = ResponseReader::default();
        let mut memory = HeadMemory::default();
        for round in 0..3 {
            let mut heard = Recorder::default();
            assert_eq!(
                reader.feed(PLAIN, false, &mut memory, &mut heard),
                Ok(Progress::Complete(Complete {
                    status: 200,
                    length: 5,
                    reusable: true,
                    consumed: PLAIN.len(),
                })),
                "round {round}"
            );
            assert_eq!(heard.body, b"hello");
        }
    }

    fn any_response() -> impl Strategy<Value = &'static [u8]> {
        prop::sample::select(vec![
            PLAIN, CHUNKED, CONTINUED, UNTIL_CLOSE, NO_BODY, OLD, OLD_KEPT,
        ])
    }

    proptest! {
        #[test]
        fn a_response_split_anywhere_is_read_equally(
            answer in any_response(),
            mut cuts in prop::collection::vec(0usize..160, 0..12),
        ) {
            cuts.sort_unstable();
            cuts.retain(|&cut| cut < answer.len());
            prop_assert_eq!(read(answer, &cuts, false), read(answer, &[], false));
        }

        #[test]
        fn random_bytes_are_an_error_or_partial_and_never_a_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            cut in 0usize..400,
            start in any_response(),
            keep in 0usize..200,
        ) {
            let _ = read(&bytes, &[cut.min(bytes.len())], false);
            // A valid start reaches more parser states than random bytes.
            let mut corrupt = start[..keep.min(start.len())].to_vec();
            corrupt.extend_from_slice(&bytes);
            let cut = cut.min(corrupt.len());
            let split = read(&corrupt, &[cut], false);
            let whole = read(&corrupt, &[], false);
            if whole.0.is_ok() && split.0.is_ok() {
                prop_assert_eq!(split, whole);
            }
        }
    }
}
