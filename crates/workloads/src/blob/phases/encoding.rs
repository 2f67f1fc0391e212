//! Encoding of the body of a PUT, and the check that the server received the content.

use tenbin_engine::{ErrorClass, ResponseHead};
use tenbin_plan::{BlobHash, BlobWork};

use crate::blob::phases::in_flight::InFlight;
use crate::blob::protocols::checksums;

/// Header with which a server confirms a framed body.
const ACKNOWLEDGED: &str = "X-Ack-Crc-Encoded";

/// Encoding of the body.
#[derive(Debug, Clone)]
pub(crate) struct BodyEncoding {
    hashes: Vec<BlobHash>,
    framed: bool,
}

impl BodyEncoding {
    pub(crate) fn new(work: &BlobWork) -> Self {
        Self {
            hashes: work.hashes.clone(),
            framed: work.crc_framed,
        }
    }

    /// Encodes the content of a request.
    pub(crate) fn wrap(&self, flight: &mut InFlight) {
        flight.unacknowledged = self.framed;
        if self.framed {
            checksums::frame(&flight.body, &mut flight.framed);
        }
    }

    /// The bytes that are sent.
    pub(crate) fn sent<'a>(&self, flight: &'a InFlight) -> &'a [u8] {
        if flight.unacknowledged || flight.acknowledged {
            &flight.framed
        } else {
            &flight.body
        }
    }

    /// Records whether the response confirms the framing.
    pub(crate) fn check_head(&self, flight: &mut InFlight, head: &ResponseHead<'_>) {
        if flight.unacknowledged && head.header(ACKNOWLEDGED).is_some() {
            flight.unacknowledged = false;
            flight.acknowledged = true;
        }
    }

    /// Checks, after a successful response, that the server received the sent content.
    pub(crate) fn was_taken(
        &self,
        flight: &InFlight,
        sums: &[u8],
    ) -> Result<(), (ErrorClass, String)> {
        if flight.unacknowledged {
            let text = "the server took a CRC-framed body for a plain one: its response has no \
            X-Ack-Crc-Encoded; leave out crc_framed";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if !self.hashes.is_empty() && matches!(sums, b"" | b"{}" | b"null") {
            let text = "the response has no checksums, although the request asked for them";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if checksums::fit(&self.hashes, &flight.body, sums) {
            Ok(())
        } else {
            let text = "the server's checksums differ from those of what was sent";
            Err((ErrorClass::Wrong, text.to_owned()))
        }
    }
}
