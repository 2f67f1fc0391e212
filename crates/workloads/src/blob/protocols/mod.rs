//! The protocol of a blob target.

pub(crate) mod access;
pub(crate) mod access_response;
pub(crate) mod allocation;
pub(crate) mod checksums;
pub(crate) mod files;
pub(crate) mod s3;

use tenbin_engine::Exchange;

use crate::blob::stored::batch::Entry;

/// The protocol of a blob target: how requests are written, and what responses mean. Each worker
/// has its own instance.
pub(crate) trait BlobProtocol: Send {
    /// Writes the request that stores `content` as blob `number`.
    fn put(&mut self, exchange: &mut Exchange, second: u64, number: u64, content: &[u8]);

    /// Writes the request that reads `part` of a blob, and the request body into `body`, which must
    /// be empty.
    fn get(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entry: Entry<'_>,
        part: Part,
        body: &mut Vec<u8>,
    );

    /// Writes the request that deletes these blobs, and the request body into `body`, which must be
    /// empty.
    fn delete(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entries: &[Entry<'_>],
        body: &mut Vec<u8>,
    );

    /// Evaluates the response to a PUT.
    ///
    /// # Errors
    /// The error message of a refusal.
    fn stored<'a>(&self, status: u16, response: &'a [u8]) -> Result<Stored<'a>, String>;

    /// Evaluates the response to a deletion of these blobs.
    ///
    /// # Errors
    /// The error message of a refusal.
    fn deleted(&self, status: u16, response: &[u8], entries: &[Entry<'_>]) -> Result<Gone, String>;

    /// The error message of a refusal.
    fn refused(&self, status: u16, response: &[u8]) -> String;

    /// Whether a blob exists, from the response to a GET. [`Presence::There`] is certain only if
    /// content was received.
    fn presence(&self, status: u16, response: &[u8]) -> Presence {
        let _ = response;
        match status {
            200 | 206 => Presence::There,
            404 => Presence::Gone,
            _ => Presence::Unknown,
        }
    }

    /// Whether the target reports a missing blob by closing the connection within the response.
    fn breaks_off_when_gone(&self) -> bool {
        false
    }

    /// Whether the head of a partial response states its range.
    fn states_range(&self) -> bool {
        true
    }

    /// Whether the number of a blob identifies it, without a location from the server.
    fn is_named_by_number(&self) -> bool {
        false
    }

    /// One more than the highest number that a blob can have.
    fn numbers(&self) -> u64 {
        u64::MAX
    }
}

/// A part of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Offset, bytes.
    pub(crate) offset: u64,
    /// Length, bytes.
    pub(crate) length: u64,
}

/// Result of an acknowledged PUT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored<'a> {
    /// Location of the blob; empty if its number identifies it.
    pub(crate) location: &'a [u8],
    /// Checksums that the server computed, as received.
    pub(crate) sums: &'a [u8],
}

/// Whether a blob exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// The blob exists, provided that content is received.
    There,
    /// The blob does not exist.
    Gone,
    /// The response does not show whether the blob exists.
    Unknown,
}

/// Result of a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gone {
    /// All blobs are deleted.
    All,
    /// All blobs are deleted except these, by their index in the request.
    AllBut(Vec<usize>),
}
