//! Checks access with a listing of the bucket, which changes nothing. The response shows whether
//! the server accepts the keys, the region and the bucket. Unlike a response to HEAD, an error
//! response to a listing has a body with the reason.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::{S3Work, sentence};

use crate::error::WorkloadError;
use crate::kind::{ProbeResponse, TargetProbe};
use crate::prepared::Stage;
use crate::s3::messages::judging::{Refusals, code, element, explain};
use crate::s3::place::Place;
use crate::s3::setup::requirements::{check_site, check_work};
use crate::s3::signing::request_writer::{RequestSpec, RequestWriter};
use crate::site::Site;

/// The stage that lists one object of the first bucket, `times` times over one connection, and
/// records the responses. Creates nothing.
///
/// # Errors
/// When a request for the bucket or the target cannot be formed.
pub(crate) fn probe(
    workload: &str,
    work: &S3Work,
    target: &Site,
    times: u64,
) -> Result<TargetProbe, WorkloadError> {
    check_work(workload, work)?;
    check_site(target)?;
    let place = Place::new(target, work, 0, workload);
    let response = Arc::new(Mutex::new(ProbeResponse {
        bucket: work.bucket.clone(),
        ..ProbeResponse::default()
    }));
    let probe = AccessProbe {
        writer: RequestWriter::new(&place, target, true),
        place,
        left: times,
        in_flight: false,
        refusals: Refusals::default(),
        response: Arc::clone(&response),
    };
    let stage = Stage {
        what: sentence!(
            "checking-access",
            "checking access to bucket {bucket}",
            bucket = work.bucket
        ),
        total: Some(times),
        connections: 1,
        workers: vec![Box::new(probe)],
        must_succeed: false,
        host: None,
    };
    Ok((stage, response))
}

struct AccessProbe {
    place: Place,
    writer: RequestWriter,
    left: u64,
    /// Whether a request is in flight.
    in_flight: bool,
    refusals: Refusals,
    response: Arc<Mutex<ProbeResponse>>,
}

impl AccessProbe {
    fn note(&self, status: u16, body: &[u8]) {
        let mut response = self.response.lock().unwrap_or_else(PoisonError::into_inner);
        response.answered += 1;
        if response.status.is_some() {
            return;
        }
        response.status = Some(status);
        response.is_listing = status == 200 && is_listing(body);
        if !response.is_listing {
            response.code = code(body);
            response.meaning = response.code.as_deref().and_then(explain);
            response.region = element(body, "Region", |b| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'
            });
        }
    }
}

/// Whether the received part of the document has the root of a listing.
pub(crate) fn is_listing(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    text.contains("<ListBucketResult")
}

impl Workload for AccessProbe {
    fn operations(&self) -> &[&'static str] {
        &["check_unpacked"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.left == 0 {
            return Next::Exhausted;
        }
        if self.in_flight {
            return Next::Wait;
        }
        let spec = RequestSpec {
            query: b"list-type=2&max-keys=1",
            ..RequestSpec::plain("GET", 0, &self.place.buckets[0].path)
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
        self.refusals.release(exchange);
        exchange.op = 0;
        exchange.bodyless_response = false;
        self.in_flight = true;
        self.left -= 1;
        Next::Ready
    }

    fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
        &[]
    }

    fn head(&mut self, exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        self.refusals.catch(exchange);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.refusals.body(exchange, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        self.in_flight = false;
        self.note(status, self.refusals.caught(exchange));
        self.refusals.release(exchange);
        // Every response, including an error, is a valid result of the check.
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.in_flight = false;
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
