//! Error responses of S3 servers, and their meaning.

use quick_xml::Reader;
use quick_xml::events::Event;
use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, ResponseHead};

use crate::s3::messages::completion::{is_error, is_whole};

/// Bytes kept of an error response, to search for the error code.
const SEARCHED_BYTES: usize = 4096;

/// Bytes kept of a response that must be complete: a thousand of the longest keys, escaped.
const RESPONSE_BYTES: usize = 4 << 20;

/// Capacity above which a buffer is freed after use, bytes.
const ROOMY_BYTES: usize = 1 << 20;

/// Largest [`Exchange::note`] that a worker can use. Larger notes are indices of buffers with the
/// bodies of responses.
const LAST_OWN_NOTE: u64 = 1;

/// Bodies of responses in flight, mostly error responses. [`Exchange::note`] selects the buffer of
/// an exchange. Buffers are reused, so that many errors cause few allocations.
pub(crate) struct Refusals {
    /// Maximum number of bytes kept of a response.
    most: usize,
    buffers: Vec<Buffer>,
    free: Vec<usize>,
}

/// A body that is being received.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Maximum number of bytes kept.
    most: usize,
}

impl Default for Refusals {
    fn default() -> Self {
        Self::keeping(RESPONSE_BYTES)
    }
}

impl Refusals {
    /// Keeps up to `most` bytes of each response; of errors, up to [`SEARCHED_BYTES`].
    pub(crate) fn keeping(most: usize) -> Self {
        Self {
            most,
            buffers: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Must be called for the head of a response whose body is not needed: keeps the body of an
    /// error, and an unexpected body, which can also be an error.
    pub(crate) fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let is_empty = exchange.bodyless_response || head.length == Some(0);
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

    /// Keeps the body of this exchange, whatever its status.
    pub(crate) fn catch(&mut self, exchange: &mut Exchange) {
        self.catch_up_to(self.most, exchange);
    }

    /// Keeps up to `most` bytes of the body of this exchange.
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

    /// Keeps at least up to `most` bytes of the body of this exchange, which may be kept already.
    pub(crate) fn catch_at_least(&mut self, most: usize, exchange: &mut Exchange) {
        match slot(exchange).and_then(|slot| self.buffers.get_mut(slot)) {
            Some(buffer) => buffer.most = buffer.most.max(most),
            None => self.catch_up_to(most, exchange),
        }
    }

    /// The buffer of this exchange, whose body is kept; different for all exchanges in flight.
    pub(crate) fn slot(&self, exchange: &Exchange) -> usize {
        slot(exchange).unwrap_or_default()
    }

    /// Adds a part of a body; returns false if the body of this exchange is not kept.
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

    /// Whether the body of this exchange is kept.
    pub(crate) fn is_caught(&self, exchange: &Exchange) -> bool {
        exchange.note > LAST_OWN_NOTE
    }

    /// The bytes kept for this exchange.
    pub(crate) fn caught(&self, exchange: &Exchange) -> &[u8] {
        slot(exchange)
            .and_then(|slot| self.buffers.get(slot))
            .map_or(&[], |buffer| buffer.bytes.as_slice())
    }

    /// The error code of this exchange, if the response has one.
    pub(crate) fn code(&self, exchange: &Exchange) -> Option<String> {
        code(self.caught(exchange))
    }

    /// The judgement of an unexpected status, with the error code, if the response has one.
    pub(crate) fn failed(&mut self, exchange: &mut Exchange) -> Judgement {
        let code = self.code(exchange).unwrap_or_default();
        self.release(exchange);
        Judgement::Failed(ErrorClass::Status, code)
    }

    /// The judgement of a response that needs no body: status 200 or 204, and no error in the body.
    pub(crate) fn judge_done(&mut self, exchange: &mut Exchange, status: u16) -> Judgement {
        match status {
            200 | 204 if !self.is_error(exchange) => {
                self.release(exchange);
                Judgement::Correct
            }
            _ => self.failed(exchange),
        }
    }

    /// The judgement of a response that must be one complete document with this root.
    pub(crate) fn judge_whole(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        root: &str,
    ) -> Judgement {
        if status == 200 && is_whole(self.caught(exchange), root) {
            self.release(exchange);
            Judgement::Correct
        } else {
            self.not_done(exchange, status, root)
        }
    }

    /// The judgement of a response that is not the expected document.
    pub(crate) fn not_done(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        root: &str,
    ) -> Judgement {
        match self.failed(exchange) {
            Judgement::Failed(_, code) if status == 200 && code.is_empty() => Judgement::Failed(
                ErrorClass::Wrong,
                format!("the response is not a complete {root}"),
            ),
            failed => failed,
        }
    }

    /// Whether the body of a response is an error.
    pub(crate) fn is_error(&self, exchange: &Exchange) -> bool {
        is_error(self.caught(exchange))
    }

    /// Must be called when the exchange ends or is reused.
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

/// The text of the first `<Code>` in an S3 error document, which may be incomplete. Only 1 to 64
/// letters, digits and dots are accepted.
pub fn code(xml: &[u8]) -> Option<String> {
    element(xml, "Code", |b| b.is_ascii_alphanumeric() || b == b'.')
}

/// The text of the first element with this name in a document that may be incomplete, if the text
/// has 1 to 64 bytes that all `pass`.
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

/// The meaning of an S3 error code for a benchmark, if the user can do something about it.
pub fn explain(code: &str) -> Option<&'static str> {
    Some(match code {
        "SignatureDoesNotMatch" => "the secret key is wrong for this access key",
        "InvalidAccessKeyId" | "InvalidAccessKey" | "XAdminUserNotFound" => {
            "the server does not know this access key"
        }
        "ExpiredToken"
        | "ExpiredTokenException"
        | "XMinioExpiredToken"
        | "TokenRefreshRequired" => {
            "the temporary keys have expired; get new ones, or let Tenbin get and renew them \
             (--assume-role, --sts-endpoint)"
        }
        "InvalidToken" | "InvalidTokenId" | "InvalidClientTokenId" => {
            "the server does not accept the session token, or does not know these keys"
        }
        "RequestTimeTooSkewed" | "RequestTimeSkewed" | "RequestExpired" => {
            "the clocks of this machine and of the server differ by too much; synchronize them"
        }
        "AccessDenied" | "AllAccessDisabled" | "AccountProblem" => {
            "these credentials, or requests without credentials, have no permission for this"
        }
        "AuthorizationHeaderMalformed"
        | "PermanentRedirect"
        | "IllegalLocationConstraintException"
        | "InvalidRegion" => "the bucket is in another region; name the right one",
        "InvalidBucketName" => "the server does not accept this bucket name",
        "BucketAlreadyExists" => "the bucket belongs to another account; name another one",
        "TooManyBuckets" => "the account has reached its limit of buckets; name an existing bucket",
        "SlowDown"
        | "SlowDownWrite"
        | "SlowDownRead"
        | "ServiceUnavailable"
        | "ServerNotInitialized"
        | "XMinioServerNotInitialized" => "the server is not ready for work; try again",
        "XMinioStorageFull" | "InsufficientStorage" | "QuotaExceeded" => {
            "the server has no space left"
        }
        _ => return None,
    })
}

/// Whether a response means that the server does not support the request, rather than that the
/// request is forbidden or has failed temporarily.
pub(crate) fn says_not_known(status: u16, code: Option<&str>) -> bool {
    match code {
        Some(code) if explain(code).is_some() => false,
        _ => matches!(status, 400 | 404 | 405 | 409 | 411 | 415 | 500 | 501),
    }
}

/// Why a stage cannot continue, for the user.
pub(crate) fn reason(status: u16, code: Option<&str>) -> String {
    match code.map(|code| (code, explain(code))) {
        Some((code, Some(meaning))) => format!("{meaning} ({code})"),
        Some((code, None)) => format!("the server responded with {status} {code}"),
        None => {
            format!(
                "the server responded with {status} without an S3 error code; is it an S3 server?"
            )
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
        assert!(refusals.body(&two, &vec![b'x'; RESPONSE_BYTES + 1]));
        assert_eq!(refusals.caught(&two).len(), RESPONSE_BYTES);
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
            // A code that is cut off is not returned, because it would be a different code.
            prop_assert!(matches!(code(&ERROR[..cut]).as_deref(), None | Some("SlowDown")));
        }
    }
}
