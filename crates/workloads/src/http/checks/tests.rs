use std::io::Write as _;

use tenbin_plan::HttpWork;

use super::*;

/// Judges responses to a request as a worker does.
struct Tester {
    checker: Checker,
    bodies: Refusals,
    secrets: Secrets,
    suspicion: Suspicion,
    /// Number of bodies that were needed.
    read: usize,
}

impl Tester {
    fn new(work: &HttpWork, path: &str) -> Self {
        let suspicion = Suspicion::default();
        let mut checker = Checker::new(&Arc::new(Checks::of_request(work, path)), &suspicion);
        // Only tests of suspicion look at the first response.
        checker.is_curious &= path == "/curious";
        Self {
            checker,
            bodies: Refusals::keeping(4096),
            secrets: Secrets::of(work),
            suspicion,
            read: 0,
        }
    }

    fn of_checks(checks: &[&str]) -> Self {
        let mut work = HttpWork::plain("GET");
        work.checks = checks.iter().map(|check| check.parse().unwrap()).collect();
        Self::new(&work, "/")
    }

    /// The text of the failure of a response; empty if it passes.
    fn fault(&mut self, status: u16, headers: &str, body: &[u8], is_announced: bool) -> String {
        let mut exchange = Exchange::default();
        let head = format!("HTTP/1.1 {status} x\r\n{headers}\r\n");
        let head = ResponseHead {
            status,
            length: is_announced.then_some(body.len() as u64),
            bytes: head.as_bytes(),
        };
        let used = self.checker.head(&mut self.bodies, &mut exchange, &head);
        if used == BodyUse::Inspect {
            self.read += 1;
            for part in body.chunks(7) {
                self.bodies.body(&exchange, part);
            }
        }
        let response = (status, body.len() as u64);
        let judgement = self
            .checker
            .judge(&self.bodies, &exchange, response, &self.secrets);
        self.bodies.release(&mut exchange);
        match judgement {
            None => String::new(),
            Some(Judgement::Failed(ErrorClass::Check, text)) => text,
            Some(other) => panic!("{other:?}"),
        }
    }

    fn passes(&mut self, body: &str) -> bool {
        self.fault(200, "", body.as_bytes(), true).is_empty()
    }
}

#[test]
fn conditions_hold_or_fail_by_their_meaning() {
    const BODY: &str = r#"{"took":3,"hits":{"total":{"value":7}},"name":"a\u0062c","x":null}"#;
    for (check, expected) in [
        ("status=200", true),
        ("status<=200", true),
        ("status!=200", false),
        ("length>=10", true),
        ("length<10", false),
        ("header:x-cache=HIT", true),
        ("header:X-Cache=MISS", false),
        ("header:X-Cache exists", true),
        ("header:Age absent", true),
        ("header:Age exists", false),
        ("header:Age!=1", false),
        ("body contains took", true),
        ("body !contains took", false),
        ("body~^.\"took\":[0-9]+", true),
        ("body!~took", false),
        ("json:/took=3", true),
        ("json:/took=3.0", true),
        ("json:/took=\"3\"", false),
        ("json:/took!=4", true),
        ("json:/none!=4", false),
        ("json:/hits/total/value>6", true),
        ("json:/hits/total/value>7", false),
        ("json:/name>7", false),
        ("json:/name=abc", true),
        ("json:/name~^a.c$", true),
        ("json:/took contains 3", false),
        ("json:/x exists", true),
        ("json:/x absent", false),
        ("json:/x=null", true),
        ("json:/error absent", true),
        ("json:/error exists", false),
    ] {
        for is_announced in [true, false] {
            let mut tester = Tester::of_checks(&[check]);
            let fault = tester.fault(200, "X-Cache: HIT\r\n", BODY.as_bytes(), is_announced);
            assert_eq!(fault.is_empty(), expected, "{check}: {fault}");
            let is_of_body = check.starts_with("body") || check.starts_with("json");
            assert!(!expected || (tester.read == 1) == is_of_body, "{check}");
        }
    }
}

#[test]
fn a_body_that_is_not_json_meets_no_condition_on_json() {
    for check in ["json:/a absent", "json:/a!=1", "json:/a exists"] {
        let mut tester = Tester::of_checks(&[check]);
        for body in ["", "<html>", r#"{"b":1"#] {
            assert!(!tester.passes(body), "{check} {body}");
        }
    }
}

#[test]
fn encoded_bodies_are_decoded_and_others_fail() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(br#"{"a":1}"#).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::bulk::compress(br#"{"a":1}"#, 3).unwrap();
    for (encoding, body, expected) in [
        ("gzip", gzip.as_slice(), true),
        ("zstd", &zstd, true),
        ("br", &gzip, false),
        ("gzip", &gzip[..gzip.len() / 2], false),
    ] {
        let mut tester = Tester::of_checks(&["json:/a=1"]);
        let headers = format!("Content-Encoding: {encoding}\r\n");
        let fault = tester.fault(200, &headers, body, true);
        assert_eq!(fault.is_empty(), expected, "{encoding}: {fault}");
    }
}

#[test]
fn a_body_that_is_too_long_fails_its_checks() {
    let mut tester = Tester::of_checks(&["body contains x"]);
    let long = vec![b'x'; LARGEST_CHECKED + 1];
    assert!(!tester.fault(200, "", &long, true).is_empty());
    assert!(tester.fault(200, "", &long[1..], true).is_empty());
}

#[test]
fn a_failure_names_the_check_and_quotes_the_body_without_secrets() {
    let mut work = HttpWork::plain("GET");
    work.headers = vec![("Authorization".into(), "Bearer hush-hush".into())];
    work.checks = vec!["json:/a=1".parse().unwrap(), "length>5".parse().unwrap()];
    let mut tester = Tester::new(&work, "/");
    assert_eq!(
        tester.fault(200, "", b"{\"a\":\n2}", true),
        "check json:/a=1; got status 200 and 8 bytes: {\"a\": 2}"
    );
    assert_eq!(
        tester.fault(200, "", b"{}", true),
        "check length>5; got status 200 and 2 bytes: {}"
    );
    let mut tester = Tester::new(&work, "/");
    let fault = tester.fault(200, "", br#"{"a":"hush-hush"}"#, true);
    assert_eq!(fault, "check json:/a=1; got status 200 and 17 bytes");
    // Failures of one check count together, whatever the bodies are.
    let shape = tenbin_engine::failure::shape;
    assert_eq!(shape("check json:/a=1; got x"), "check json:/a=1");
    assert_ne!(
        shape("check json:/a=1; got x"),
        shape("check json:/a=2; got x")
    );
}

#[test]
fn known_errors_fail_unless_they_are_switched_off() {
    const FAILED: &str = r#"{"timed_out":false,"_shards":{"total":2,"failed":1}}"#;
    let mut work = HttpWork::plain("POST");
    let mut tester = Tester::new(&work, "/wiki/_search?q=a");
    assert_eq!(
        tester.fault(200, "", FAILED.as_bytes(), false),
        "check no error in a response of OpenSearch _search; got 1 of 2 shards failed"
    );
    assert!(tester.passes(r#"{"timed_out":false,"_shards":{"total":2,"failed":0}}"#));
    work.body_errors = false;
    let mut tester = Tester::new(&work, "/wiki/_search?q=a");
    assert!(tester.passes(FAILED));
    assert_eq!(tester.read, 0);
}

#[test]
fn a_first_response_that_looks_like_an_error_is_noted_once() {
    let mut work = HttpWork::plain("GET");
    let mut tester = Tester::new(&work, "/curious");
    assert!(tester.passes(r#"{"error":"rate limit exceeded"}"#));
    assert!(tester.passes("<title>Error</title>"));
    assert_eq!(tester.read, 1);
    assert_eq!(
        tester.suspicion.lock().unwrap().as_deref(),
        Some(
            "status 200, but the body is a JSON object with only an error: \
             {\"error\":\"rate limit exceeded\"}"
        )
    );
    // A condition on the body states what a correct body is.
    work.checks = vec!["json:/error exists".parse().unwrap()];
    let mut tester = Tester::new(&work, "/curious");
    assert!(tester.passes(r#"{"error":"rate limit exceeded"}"#));
    assert_eq!(*tester.suspicion.lock().unwrap(), None);
}
