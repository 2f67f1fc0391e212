//! PutObjectRetention and PutObjectLegalHold.

use tenbin_engine::{Exchange, Moment, Next};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::messages::document::{Document, NAMESPACE};
use crate::s3::objects::selection::Chooser;
use crate::s3::signing::request_writer::RequestSpec;
use crate::s3::signing::timestamp::Timestamp;

pub(super) fn retain(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Retain::new(setting))
}

pub(super) fn legal_hold(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(LegalHold::new(setting))
}

/// Retention time of objects, seconds: longer than a request, but short, in case a killed run
/// leaves objects behind.
const RETAINED: u64 = 15 * 60;

/// Seconds after which the retention date is renewed.
const RENEWED: u64 = 5 * 60;

/// Header that allows privileged users to shorten or remove a retention.
pub(crate) const BYPASS: (&str, &[u8]) = ("x-amz-bypass-governance-retention", b"true");

/// Sets a retention in governance mode. The [`Exchange::tag`] of a request is the index of its
/// body in `documents`.
struct Retain {
    chooser: Chooser,
    /// Retention documents: the last is current; requests in flight can use earlier documents.
    documents: Vec<Document>,
    written: u64,
}

impl Retain {
    fn new(setting: &mut Setting<'_>) -> Self {
        Self {
            chooser: Chooser::new(setting),
            documents: Vec::new(),
            written: 0,
        }
    }

    fn renew(&mut self, now: u64) {
        if self.documents.is_empty() || now >= self.written + RENEWED {
            self.documents.push(retention(now + RETAINED));
            self.written = now;
        }
    }
}

fn retention(until: u64) -> Document {
    Document::new(format!(
        "<Retention xmlns=\"{NAMESPACE}\"><Mode>GOVERNANCE</Mode>\
         <RetainUntilDate>{}</RetainUntilDate></Retention>",
        Timestamp::new(until).extended()
    ))
}

impl Action for Retain {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Retain.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(object) = self.chooser.next() else {
            return Next::Exhausted;
        };
        self.renew(now.unix_seconds);
        exchange.tag = (self.documents.len() - 1) as u64;
        let document = &self.documents[self.documents.len() - 1];
        let bucket = context.place.bucket_of(object);
        // [`BYPASS`] is for servers that treat setting the same date again as a change.
        let headers = [document.md5_header(), BYPASS];
        let spec = RequestSpec {
            query: b"retention=",
            headers: &headers,
            body: Some(document.announced()),
            ..RequestSpec::plain("PUT", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        Next::Ready
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let document = self.documents.get(exchange.tag as usize);
        document.map_or(&[], |document| &document.body)
    }
}

/// Sets a legal hold on an object, and releases the hold with the next request.
/// [`Exchange::tag`] is 1 for on, 0 for off.
struct LegalHold {
    chooser: Chooser,
    /// Documents that release and set a hold.
    documents: [Document; 2],
    /// The object with a hold; the next request releases the hold.
    held: Option<u64>,
}

impl LegalHold {
    fn new(setting: &mut Setting<'_>) -> Self {
        Self {
            chooser: Chooser::new(setting),
            documents: ["OFF", "ON"].map(hold),
            held: None,
        }
    }
}

/// The body of PutObjectLegalHold; `status` is `ON` or `OFF`.
pub(crate) fn hold(status: &str) -> Document {
    Document::new(format!(
        "<LegalHold xmlns=\"{NAMESPACE}\"><Status>{status}</Status></LegalHold>"
    ))
}

impl Action for LegalHold {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::LegalHold.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let (object, on) = match self.held.take() {
            Some(held) => (held, 0),
            None => match self.chooser.next() {
                Some(object) => (object, 1),
                None => return Next::Exhausted,
            },
        };
        if on == 1 {
            self.held = Some(object);
        }
        exchange.tag = on;
        let document = &self.documents[on as usize];
        let bucket = context.place.bucket_of(object);
        let headers = [document.md5_header()];
        let spec = RequestSpec {
            query: b"legal-hold=",
            headers: &headers,
            body: Some(document.announced()),
            ..RequestSpec::plain("PUT", bucket, context.path.of(bucket, object))
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        Next::Ready
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let document = self.documents.get(exchange.tag as usize);
        document.map_or(&[], |document| &document.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retention_has_a_date_as_xml_writes_it() {
        let body = String::from_utf8(retention(1_440_938_160).body).unwrap();
        assert!(
            body.contains("<RetainUntilDate>2015-08-30T12:36:00Z</RetainUntilDate>"),
            "{body}"
        );
    }
}
