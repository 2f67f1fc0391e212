//! How content is sent, and how the server proves that it took it in.

use tenbin_engine::{AnswerHead, ErrorClass};
use tenbin_plan::{BlobHash, BlobWork};

use super::flight::Flight;
use super::sums;

/// The header by which a server says that it took a body for a framed one.
const ACKNOWLEDGED: &str = "X-Ack-Crc-Encoded";

/// How content is sent.
#[derive(Debug, Clone)]
pub(crate) struct Parcel {
    hashes: Vec<BlobHash>,
    framed: bool,
}

impl Parcel {
    pub(crate) fn new(work: &BlobWork) -> Self {
        Self {
            hashes: work.hashes.clone(),
            framed: work.crc_framed,
        }
    }

    /// Makes ready to be sent what a flight carries.
    pub(crate) fn wrap(&self, flight: &mut Flight) {
        flight.unacknowledged = self.framed;
        if self.framed {
            sums::frame(&flight.body, &mut flight.framed);
        }
    }

    /// What goes over the wire.
    pub(crate) fn sent<'a>(&self, flight: &'a Flight) -> &'a [u8] {
        match flight.unacknowledged || flight.acknowledged {
            true => &flight.framed,
            false => &flight.body,
        }
    }

    /// Looks whether the server took the body for what it is.
    pub(crate) fn look(&self, flight: &mut Flight, head: &AnswerHead<'_>) {
        if flight.unacknowledged && head.header(ACKNOWLEDGED).is_some() {
            flight.unacknowledged = false;
            flight.acknowledged = true;
        }
    }

    /// Whether the server took in what was sent, by an answer that says that it did.
    pub(crate) fn was_taken(
        &self,
        flight: &Flight,
        sums: &[u8],
    ) -> Result<(), (ErrorClass, String)> {
        if flight.unacknowledged {
            let text = "the server took a CRC-framed body for a plain one: its answer has no \
                        X-Ack-Crc-Encoded; leave out crc_framed";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if !self.hashes.is_empty() && matches!(sums, b"" | b"{}" | b"null") {
            let text = "the answer has no sums, though they were asked for";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        match sums::fit(&self.hashes, &flight.body, sums) {
            true => Ok(()),
            false => {
                let text = "the server's sums are not those of what was sent";
                Err((ErrorClass::Wrong, text.to_owned()))
            }
        }
    }
}
