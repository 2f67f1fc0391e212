//! A question that changes nothing: what is in the bucket? Its answer tells whether
//! the server knows the keys, the region and the bucket, and unlike the answer to
//! HEAD it has a body that says why not.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::S3Work;

use crate::error::WorkloadError;
use crate::kind::{self, Seen, Stage};
use crate::s3::messages::refusal::{Refusals, code, element, explain};
use crate::s3::place::Place;
use crate::s3::setup::requirements::{check_site, check_work};
use crate::s3::signing::request_writer::{RequestSpec, RequestWriter};
use crate::site::Site;

/// Asks for a listing of the first object in the bucket, of several in the first, `times`
/// times over one connection, and says what came back. Nothing is made.
///
/// # Errors
/// When the bucket or the site cannot be asked for.
pub(crate) fn look(
    workload: &str,
    work: &S3Work,
    target: &Site,
    times: u64,
) -> Result<kind::Look, WorkloadError> {
    check_work(workload, work)?;
    check_site(target)?;
    let place = Place::new(target, work, 0, workload);
    let seen = Arc::new(Mutex::new(Seen {
        bucket: work.bucket.clone(),
        ..Seen::default()
    }));
    let look = Look {
        writer: RequestWriter::new(&place, target, true),
        place,
        left: times,
        asked: false,
        refusals: Refusals::default(),
        seen: Arc::clone(&seen),
    };
    let stage = Stage {
        what: format!("looking at bucket {}", work.bucket),
        total: Some(times),
        connections: 1,
        workers: vec![Box::new(look)],
        must_succeed: false,
        host: None,
    };
    Ok((stage, seen))
}

struct Look {
    place: Place,
    writer: RequestWriter,
    left: u64,
    /// Whether an answer is still to come.
    asked: bool,
    refusals: Refusals,
    seen: Arc<Mutex<Seen>>,
}

impl Look {
    fn note(&self, status: u16, body: &[u8]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.answered += 1;
        if seen.status.is_some() {
            return;
        }
        seen.status = Some(status);
        seen.is_listing = status == 200 && is_listing(body);
        if !seen.is_listing {
            seen.code = code(body);
            seen.meaning = seen.code.as_deref().and_then(explain);
            seen.region = element(body, "Region", |b| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'
            });
        }
    }
}

/// Whether the document's root, as far as it has come, is that of a listing.
fn is_listing(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    text.contains("<ListBucketResult")
}

impl Workload for Look {
    fn operations(&self) -> &[&'static str] {
        &["look"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.left == 0 {
            return Next::Exhausted;
        }
        if self.asked {
            return Next::Wait;
        }
        let spec = RequestSpec {
            query: b"list-type=2&max-keys=1",
            ..RequestSpec::plain("GET", 0, &self.place.buckets[0].path)
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
        self.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_answer = false;
        self.asked = true;
        self.left -= 1;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        &[]
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        self.refusals.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.asked = false;
        self.note(status, self.refusals.caught(exchange));
        self.refusals.release(exchange);
        // Whatever it says, it is an answer.
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.asked = false;
        self.left = 0;
        self.refusals.release(exchange);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_region_is_named_unless_it_is_hostile() {
        let region = |text: &str| {
            let body = format!("<Error><Code>InvalidRegion</Code><Region>{text}</Region></Error>");
            element(body.as_bytes(), "Region", |b| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'
            })
        };
        assert_eq!(region("eu-west-1").as_deref(), Some("eu-west-1"));
        assert_eq!(region("\x1b[31m"), None);
        assert_eq!(region("a; rm -rf"), None);
    }

    #[test]
    fn only_a_listing_is_one() {
        let listing = b"<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><Name>b</Name>";
        assert!(is_listing(listing));
        assert!(!is_listing(b"<html>hello</html>"));
        assert!(!is_listing(b"\xff\xfe"));
    }
}
