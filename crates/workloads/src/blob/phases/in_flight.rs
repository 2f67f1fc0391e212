//! State of a request in flight.

use tenbin_engine::{ErrorClass, Judgement};

/// Maximum number of bytes kept of a response: far more than the location of a 1 GiB blob in small
/// pieces needs.
const MOST_CAUGHT: usize = 1 << 20;

/// Error text for a response that is incomplete because its connection was closed.
pub(crate) const BROKE_OFF: &str = "the connection was closed within the response";

/// State of a request in flight. Buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// Number of the blob, or of the first of several blobs.
    pub(crate) number: u64,
    /// Size of the blob, bytes.
    pub(crate) size: u64,
    /// Indices of the blobs in the batch.
    pub(crate) places: Vec<u64>,
    /// Body of the request.
    pub(crate) body: Vec<u8>,
    /// Body in blocks with checksums, if the body is sent framed.
    pub(crate) framed: Vec<u8>,
    /// Whether the body is framed and the server has not yet confirmed the framing.
    pub(crate) unacknowledged: bool,
    /// Whether the body is framed and the server has confirmed the framing.
    pub(crate) acknowledged: bool,
    /// The first bytes of the response, up to [`MOST_CAUGHT`].
    pub(crate) caught: Vec<u8>,
    /// Offset in the blob at which the response starts.
    pub(crate) offset: u64,
    /// Expected length of the response, bytes.
    pub(crate) expected: u64,
    /// Whether the received bytes differ from the stored bytes.
    pub(crate) wrong: bool,
    /// Whether a successful response has started.
    pub(crate) begun: bool,
    /// Whether the head of the response does not state the requested range.
    pub(crate) other_part: bool,
    /// Whether the response is a refusal, whose body is kept.
    pub(crate) refused: bool,
    /// Start of the operation, nanoseconds since the start of the slice.
    pub(crate) started: u64,
    /// Start of a poll, nanoseconds since the start of the slice; unused by other requests.
    pub(crate) sent_at: u64,
    /// Whether the blob of a deletion is polled afterwards; unused by other requests.
    pub(crate) follow: Follow,
}

/// Whether a blob is polled after its deletion until the blob is gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Follow {
    #[default]
    No,
    /// The blob was read before its deletion.
    Yes,
    /// The blob could not be read before its deletion, so polls would prove nothing.
    Unreadable,
}

impl InFlight {
    /// Resets the state for a new blob and keeps the buffers.
    pub(crate) fn begin(&mut self, number: u64, size: u64) {
        self.number = number;
        self.size = size;
        self.places.clear();
        self.offset = 0;
        self.expected = size;
        self.wrong = false;
        self.other_part = false;
        self.refused = false;
        self.begun = false;
        self.follow = Follow::No;
        self.begin_again();
    }

    /// Resets the state for another request for the same blob.
    pub(crate) fn begin_again(&mut self) {
        self.body.clear();
        self.caught.clear();
        self.unacknowledged = false;
        self.acknowledged = false;
    }

    /// Whether an error of this class means that the connection was closed within the response.
    pub(crate) fn broke_off(&self, class: ErrorClass) -> bool {
        self.begun && class == ErrorClass::Reset
    }

    pub(crate) fn catch(&mut self, part: &[u8]) {
        let room = MOST_CAUGHT.saturating_sub(self.caught.len());
        self.caught.extend_from_slice(&part[..part.len().min(room)]);
    }
}

/// The judgement of a refusal with this error message.
pub(crate) fn refusal(text: String) -> Judgement {
    Judgement::Failed(ErrorClass::Status, text)
}
