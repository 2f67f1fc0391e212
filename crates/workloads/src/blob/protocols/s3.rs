//! Blobs as objects of an S3 store.

use tenbin_engine::Exchange;
use tenbin_plan::{BlobWork, S3Operation, S3Work};

use crate::blob::protocols::{BlobProtocol, Gone, Part, Presence, Stored};
use crate::blob::stored::batch::Entry;
use crate::s3::place::{MOST_OBJECTS, ObjectPath, Place};
use crate::s3::signing::request_writer::{Body, RequestSpec, RequestWriter};
use crate::s3::signing::sigv4::UNSIGNED_PAYLOAD;
use crate::s3::{code, explain};
use crate::site::Site;

/// The S3 protocol for blobs.
pub(crate) struct S3 {
    writer: RequestWriter,
    path: ObjectPath,
    range: String,
}

/// Bucket and prefix of a set's objects. The prefix contains the name of the set.
pub(crate) fn place(target: &Site, work: &BlobWork, seed: u64, name: &str) -> Place {
    let objects = S3Work {
        bucket: work.bucket.clone(),
        ..S3Work::new(S3Operation::Put, 0, 1)
    };
    Place::new(target, &objects, seed, name)
}

impl S3 {
    pub(crate) fn new(place: &Place, target: &Site, keep_alive: bool) -> Self {
        Self {
            writer: RequestWriter::new(place, target, keep_alive),
            path: place.object_path(),
            range: String::new(),
        }
    }

    fn say(&self, status: u16, response: &[u8]) -> String {
        match code(response) {
            Some(code) => match explain(&code) {
                Some(meaning) => format!("{meaning} ({status} {code})"),
                None => format!("{code} ({status})"),
            },
            None => format!("refused ({status})"),
        }
    }
}

impl BlobProtocol for S3 {
    fn put(&mut self, exchange: &mut Exchange, second: u64, number: u64, content: &[u8]) {
        let spec = RequestSpec {
            body: Some(Body {
                length: content.len() as u64,
                hash: UNSIGNED_PAYLOAD,
            }),
            ..RequestSpec::plain("PUT", 0, self.path.of(0, number))
        };
        self.writer.write(exchange, second, &spec);
    }

    fn get(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entry: Entry<'_>,
        part: Part,
        _body: &mut Vec<u8>,
    ) {
        use std::fmt::Write as _;
        self.range.clear();
        let last = (part.offset + part.length).saturating_sub(1);
        let _ = write!(self.range, "bytes={}-{last}", part.offset);
        let headers = [("range", self.range.as_bytes())];
        let whole = part.offset == 0 && part.length == entry.size;
        let spec = RequestSpec {
            headers: if whole { &[] } else { &headers },
            ..RequestSpec::plain("GET", 0, self.path.of(0, entry.number))
        };
        self.writer.write(exchange, second, &spec);
    }

    fn delete(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entries: &[Entry<'_>],
        _body: &mut Vec<u8>,
    ) {
        let spec = RequestSpec::plain("DELETE", 0, self.path.of(0, entries[0].number));
        self.writer.write(exchange, second, &spec);
    }

    fn stored<'a>(&self, status: u16, response: &'a [u8]) -> Result<Stored<'a>, String> {
        match status {
            200 => Ok(Stored {
                location: b"",
                sums: b"",
            }),
            _ => Err(self.say(status, response)),
        }
    }

    fn deleted(&self, status: u16, response: &[u8], _: &[Entry<'_>]) -> Result<Gone, String> {
        match status {
            200 | 204 => Ok(Gone::All),
            _ => Err(self.say(status, response)),
        }
    }

    fn refused(&self, status: u16, response: &[u8]) -> String {
        self.say(status, response)
    }

    fn presence(&self, status: u16, response: &[u8]) -> Presence {
        match (status, code(response).as_deref()) {
            (200 | 206, _) => Presence::There,
            // Status 404 for a missing bucket does not show that the object was deleted.
            (404, None | Some("NoSuchKey")) => Presence::Gone,
            _ => Presence::Unknown,
        }
    }

    fn is_named_by_number(&self) -> bool {
        true
    }

    fn numbers(&self) -> u64 {
        MOST_OBJECTS
    }
}
