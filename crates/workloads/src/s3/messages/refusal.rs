//! The reasons that S3 servers give: caught, read and put into words.

use quick_xml::Reader;
use quick_xml::events::Event;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement};

use crate::s3::messages::completion::{is_error, is_whole};

/// As much of the body of a refusal as is kept to be searched for its code.
const SEARCHED_BYTES: usize = 4096;

/// As much of an answer as is kept, where it has to be seen to its end: a thousand of
/// the longest keys, escaped.
const ANSWER_BYTES: usize = 4 << 20;

/// A buffer that has grown beyond this is made small again after use.
const ROOMY_BYTES: usize = 1 << 20;

/// Notes above this one number the buffer that holds an exchange's error body.
/// Notes up to it are the worker's own.
const LAST_OWN_NOTE: u64 = 1;

/// The error bodies of the exchanges that are out. An exchange knows its own by
/// its note; buffers are used again, so that a flood of errors allocates little.
pub(crate) struct Refusals {
    /// As much of an answer as is kept, bytes.
    most: usize,
    buffers: Vec<Buffer>,
    free: Vec<usize>,
}

/// A body as it comes in.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// As much as is kept.
    most: usize,
}

impl Default for Refusals {
    fn default() -> Self {
        Self::keeping(ANSWER_BYTES)
    }
}

impl Refusals {
    /// Keeps as much of each answer, bytes; of refusals, what is enough for their code.
    pub(crate) fn keeping(most: usize) -> Self {
        Self {
            most,
            buffers: Vec::new(),
            free: Vec::new(),
        }
    }

    /// To be asked at the head of an answer whose body does not count: catches that of
    /// a refusal, and one that is there though none is needed, which may be one too.
    pub(crate) fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let is_empty = exchange.bodyless_answer || head.length == Some(0);
        let is_judged = exchange.note != 0;
        if head.status < 300 && (is_empty || is_judged) {
            return BodyUse::Discard;
        }
        let most = match head.status {
            ..300 => self.most,
            _ => SEARCHED_BYTES,
        };
        self.catch_up_to(most, exchange);
        BodyUse::Inspect
    }

    /// Catches the body of this exchange, whatever its status.
    pub(crate) fn catch(&mut self, exchange: &mut Exchange) {
        self.catch_up_to(self.most, exchange);
    }

    /// Catches so much of the body of this exchange, bytes.
    pub(crate) fn catch_up_to(&mut self, most: usize, exchange: &mut Exchange) {
        self.release(exchange);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.buffers.push(Buffer::default());
            self.free.reserve(self.buffers.len());
            self.buffers.len() - 1
        });
        let buffer = &mut self.buffers[slot];
        buffer.bytes.clear();
        buffer.most = most;
        exchange.note = LAST_OWN_NOTE + 1 + slot as u64;
    }

    /// A part of a body; false if this exchange's body is not being caught.
    pub(crate) fn body(&mut self, exchange: &Exchange, part: &[u8]) -> bool {
        let Some(buffer) = slot(exchange).and_then(|slot| self.buffers.get_mut(slot)) else {
            return false;
        };
        let room = buffer.most.saturating_sub(buffer.bytes.len());
        buffer
            .bytes
            .extend_from_slice(&part[..part.len().min(room)]);
        true
    }

    /// Whether the body of this exchange is being caught.
    pub(crate) fn is_caught(&self, exchange: &Exchange) -> bool {
        exchange.note > LAST_OWN_NOTE
    }

    /// What was caught for this exchange.
    pub(crate) fn caught(&self, exchange: &Exchange) -> &[u8] {
        slot(exchange)
            .and_then(|slot| self.buffers.get(slot))
            .map_or(&[], |buffer| buffer.bytes.as_slice())
    }

    /// The error code of this exchange, if the server gave one.
    pub(crate) fn code(&self, exchange: &Exchange) -> Option<String> {
        code(self.caught(exchange))
    }

    /// The judgement of an unexpected status, with the server's code if it gave one.
    pub(crate) fn failed(&mut self, exchange: &mut Exchange) -> Judgement {
        let code = self.code(exchange).unwrap_or_default();
        self.release(exchange);
        Judgement::Failed(ErrorClass::Status, code)
    }

    /// The judgement of an answer that needs no body: 200 or 204, and no error in it.
    pub(crate) fn judge_done(&mut self, exchange: &mut Exchange, status: u16) -> Judgement {
        match status {
            200 | 204 if !self.is_error(exchange) => {
                self.release(exchange);
                Judgement::Correct
            }
            _ => self.failed(exchange),
        }
    }

    /// The judgement of an answer that must be one whole document with this root.
    pub(crate) fn judge_whole(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        root: &str,
    ) -> Judgement {
        match status == 200 && is_whole(self.caught(exchange), root) {
            true => {
                self.release(exchange);
                Judgement::Correct
            }
            false => self.not_done(exchange, status, root),
        }
    }

    /// The judgement of an answer that is not the document it should be.
    pub(crate) fn not_done(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        root: &str,
    ) -> Judgement {
        match self.failed(exchange) {
            Judgement::Failed(_, code) if status == 200 && code.is_empty() => {
                Judgement::Failed(ErrorClass::Wrong, format!("not a whole {root}"))
            }
            failed => failed,
        }
    }

    /// Whether an answer is an error by its body.
    pub(crate) fn is_error(&self, exchange: &Exchange) -> bool {
        is_error(self.caught(exchange))
    }

    /// To be told when the exchange is over or begins anew.
    pub(crate) fn release(&mut self, exchange: &mut Exchange) {
        if let Some(slot) = slot(exchange)
            && slot < self.buffers.len()
            && !self.free.contains(&slot)
        {
            let bytes = &mut self.buffers[slot].bytes;
            if bytes.capacity() > ROOMY_BYTES {
                *bytes = Vec::new();
            }
            self.free.push(slot);
        }
        exchange.note = 0;
    }
}

fn slot(exchange: &Exchange) -> Option<usize> {
    usize::try_from(exchange.note.checked_sub(LAST_OWN_NOTE + 1)?).ok()
}

/// The text of the first `<Code>` in an S3 error document, even one cut short.
/// Only 1 to 64 letters, digits and dots pass for one.
pub fn code(xml: &[u8]) -> Option<String> {
    element(xml, "Code", |b| b.is_ascii_alphanumeric() || b == b'.')
}

/// The text of the first element of this name, even in a document cut short, if it has
/// 1 to 64 bytes and all of them `pass`.
pub(crate) fn element(xml: &[u8], name: &str, pass: fn(u8) -> bool) -> Option<String> {
    let mut reader = Reader::from_reader(xml);
    let mut inside = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => inside = tag.local_name().as_ref() == name,
            Event::Text(text) if inside => {
                let whole = matches!(reader.read_event(), Ok(Event::End(_)));
                let text: &str = text.as_ref();
                let fits = (1..=64).contains(&text.len()) && text.bytes().all(pass);
                return (whole && fits).then(|| text.to_owned());
            }
            Event::Eof => return None,
            _ => inside = false,
        }
    }
}

/// What an S3 error code means for somebody who wants to run a benchmark, where
/// there is something to do about it.
pub fn explain(code: &str) -> Option<&'static str> {
    Some(match code {
        "SignatureDoesNotMatch" => "the secret key is wrong for this access key",
        "InvalidAccessKeyId" | "InvalidAccessKey" | "XAdminUserNotFound" => {
            "the server does not know this access key"
        }
        "RequestTimeTooSkewed" | "RequestTimeSkewed" | "RequestExpired" => {
            "the clocks of this machine and the server differ by too much; set them right"
        }
        "AccessDenied" | "AllAccessDisabled" | "AccountProblem" => {
            "these credentials may not do that here, or there are none"
        }
        "AuthorizationHeaderMalformed"
        | "PermanentRedirect"
        | "IllegalLocationConstraintException"
        | "InvalidRegion" => "the bucket is in another region; name the right one",
        "InvalidBucketName" => "the server does not take this name for a bucket",
        "BucketAlreadyExists" => "the bucket belongs to somebody else; name another",
        "TooManyBuckets" => "the account has as many buckets as it may; name one that is there",
        "SlowDown"
        | "SlowDownWrite"
        | "SlowDownRead"
        | "ServiceUnavailable"
        | "ServerNotInitialized"
        | "XMinioServerNotInitialized" => "the server is not ready for work; try again",
        "XMinioStorageFull" | "InsufficientStorage" | "QuotaExceeded" => {
            "the server has no room left"
        }
        _ => return None,
    })
}

/// Whether an answer means that a server does not know what was asked of it, rather
/// than that it may not or cannot be done now.
pub(crate) fn says_not_known(status: u16, code: Option<&str>) -> bool {
    match code {
        Some(code) if explain(code).is_some() => false,
        _ => matches!(status, 400 | 404 | 405 | 409 | 411 | 415 | 500 | 501),
    }
}

/// Why a stage cannot go on, for people.
pub(crate) fn reason(status: u16, code: Option<&str>) -> String {
    match code.map(|code| (code, explain(code))) {
        Some((code, Some(meaning))) => format!("{meaning} ({code})"),
        Some((code, None)) => format!("the server answered {status} {code}"),
        None => {
            format!("the server answered {status} without an S3 error code; is it an S3 server?")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ERROR: &[u8] =
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>SlowDown</Code>\
        <Message>Reduce your rate.</Message><Code>Second</Code></Error>";

    #[test]
    fn the_first_code_is_read() {
        assert_eq!(code(ERROR).as_deref(), Some("SlowDown"));
        let namespaced = b"<s3:Error xmlns:s3=\"x\"><s3:Code>No.Such</s3:Code></s3:Error>";
        assert_eq!(code(namespaced).as_deref(), Some("No.Such"));
    }

    #[test]
    fn hostile_codes_are_not_taken() {
        for hostile in [
            "",
            "<Error><Code></Code></Error>",
            "<Error><Code>\x1b[31mRed</Code></Error>",
            "<Error><Code>a b</Code></Error>",
            "<Error><Code>&lt;script&gt;</Code></Error>",
            "<Error><Code><![CDATA[x]]></Code></Error>",
            "<Code/>",
            "<html><body>404</body></html>",
            "not xml at all",
        ] {
            assert_eq!(code(hostile.as_bytes()), None, "{hostile}");
        }
        let long = format!("<Error><Code>{}</Code></Error>", "x".repeat(65));
        assert_eq!(code(long.as_bytes()), None);
    }

    #[test]
    fn a_body_is_caught_up_to_its_limit_and_its_buffer_used_again() {
        let mut refusals = Refusals::default();
        let (mut one, mut two) = (Exchange::default(), Exchange::default());
        refusals.catch(&mut one);
        refusals.catch(&mut two);
        assert!(refusals.body(&one, ERROR));
        assert!(refusals.body(&two, &vec![b'x'; ANSWER_BYTES + 1]));
        assert_eq!(refusals.caught(&two).len(), ANSWER_BYTES);
        assert_eq!(
            refusals.failed(&mut one),
            Judgement::Failed(ErrorClass::Status, "SlowDown".into())
        );
        refusals.catch(&mut one);
        assert_eq!(refusals.buffers.len(), 2);
        assert_eq!(refusals.caught(&one), b"");
    }

    proptest! {
        #[test]
        fn garbage_neither_panics_nor_passes(bytes: Vec<u8>) {
            let found = code(&bytes);
            prop_assert!(found.is_none_or(|code| code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')));
        }

        #[test]
        fn a_cut_error_is_read_or_not_but_never_wrong(cut in 0..ERROR.len()) {
            // A code that is itself cut short would be another code.
            prop_assert!(matches!(code(&ERROR[..cut]).as_deref(), None | Some("SlowDown")));
        }
    }
}
