//! The seam for what a target is spoken to in.

use tenbin_engine::Exchange;

use super::batch::Entry;

/// What a target is spoken to in: how requests are written, and what answers mean.
/// Each worker has its own.
pub(crate) trait Dialect: Send {
    /// Writes the request that stores that content.
    fn put(&mut self, exchange: &mut Exchange, second: u64, number: u64, content: &[u8]);

    /// Writes the request that reads so many bytes from there on, and its body over an
    /// empty `body`.
    fn get(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entry: Entry<'_>,
        part: Part,
        body: &mut Vec<u8>,
    );

    /// Writes the request that deletes those blobs, and its body over an empty `body`.
    fn delete(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entries: &[Entry<'_>],
        body: &mut Vec<u8>,
    );

    /// What the answer to a PUT of that content says.
    ///
    /// # Errors
    /// The text of a refusal.
    fn stored<'a>(&self, status: u16, answer: &'a [u8]) -> Result<Stored<'a>, String>;

    /// What the answer to a deletion of those blobs says.
    ///
    /// # Errors
    /// The text of a refusal.
    fn deleted(&self, status: u16, answer: &[u8], entries: &[Entry<'_>]) -> Result<Gone, String>;

    /// What a refusal says, in words.
    fn refused(&self, status: u16, answer: &[u8]) -> String;

    /// Whether a blob is there, by an answer to a GET. Only a blob that was read is there.
    fn presence(&self, status: u16, answer: &[u8]) -> Presence {
        let _ = answer;
        match status {
            200 | 206 => Presence::There,
            404 => Presence::Gone,
            _ => Presence::Unknown,
        }
    }

    /// Whether an answer to a GET that begins and breaks off is how the target says that a
    /// blob is gone.
    fn breaks_off_when_gone(&self) -> bool {
        false
    }

    /// Whether an answer that is a part says in its head which.
    fn tells_parts(&self) -> bool {
        true
    }

    /// Whether a blob's number tells where it is, whatever was answered.
    fn names_by_number(&self) -> bool {
        false
    }

    /// The highest number that it can name, and one.
    fn numbers(&self) -> u64 {
        u64::MAX
    }
}

/// Bytes of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where they begin.
    pub(crate) offset: u64,
    /// How many.
    pub(crate) length: u64,
}

/// What an acknowledged PUT brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored<'a> {
    /// Where the blob is; empty where its number tells.
    pub(crate) location: &'a [u8],
    /// The sums that the server made, as it wrote them.
    pub(crate) sums: &'a [u8],
}

/// Whether a blob is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It is, if its content comes.
    There,
    /// It is not.
    Gone,
    /// The answer does not tell.
    Unknown,
}

/// What a deletion did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gone {
    /// All are deleted.
    All,
    /// All but those, by their place in the request.
    AllBut(Vec<usize>),
}
