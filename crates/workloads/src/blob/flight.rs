//! What belongs to a request that is out.

use tenbin_engine::{ErrorClass, Judgement};

/// As much of an answer as is kept: the location of a blob of 1 GiB in small pieces
/// fits many times over.
const MOST_CAUGHT: usize = 1 << 20;

/// What is said of an answer that was not whole because its connection was closed.
pub(crate) const BROKE_OFF: &str = "its answer began and broke off";

/// What belongs to a request that is out. Buffers are used again.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    /// Of the blob, or the first of several.
    pub(crate) number: u64,
    /// Bytes of the blob.
    pub(crate) size: u64,
    /// Positions in the batch.
    pub(crate) places: Vec<u64>,
    /// Body of the request.
    pub(crate) body: Vec<u8>,
    /// The same in blocks with sums, where it goes out like that.
    pub(crate) framed: Vec<u8>,
    /// The body is framed, and the server has not said so far that it took it for that.
    pub(crate) unacknowledged: bool,
    /// The body is framed, and the server took it for that.
    pub(crate) acknowledged: bool,
    /// The answer, as far as it is kept.
    pub(crate) caught: Vec<u8>,
    /// Where in the blob the answer begins.
    pub(crate) offset: u64,
    /// Bytes that the answer should have.
    pub(crate) expected: u64,
    /// Bytes other than those that were put have come.
    pub(crate) wrong: bool,
    /// An answer that is no refusal has begun.
    pub(crate) begun: bool,
    /// The head of the answer tells of another part than was asked for.
    pub(crate) other_part: bool,
    /// Its answer is a refusal, whose body is kept.
    pub(crate) refused: bool,
    /// When what it belongs to began, nanoseconds since the slice did.
    pub(crate) started: u64,
    /// When it was asked itself, where that makes a difference.
    pub(crate) asked: u64,
}

impl Flight {
    /// As if new, with its buffers.
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
        self.begin_again();
    }

    /// Another request for the same blob.
    pub(crate) fn begin_again(&mut self) {
        self.body.clear();
        self.caught.clear();
        self.unacknowledged = false;
        self.acknowledged = false;
    }

    /// Whether its answer began and broke off, if it was lost like that.
    pub(crate) fn broke_off(&self, class: ErrorClass) -> bool {
        self.begun && class == ErrorClass::Reset
    }

    pub(crate) fn catch(&mut self, part: &[u8]) {
        let room = MOST_CAUGHT.saturating_sub(self.caught.len());
        self.caught.extend_from_slice(&part[..part.len().min(room)]);
    }
}

/// A refusal in the words of whoever speaks to the server.
pub(crate) fn refusal(text: String) -> Judgement {
    Judgement::Failed(ErrorClass::Status, text)
}
