//! Responses with a success status that are errors: known formats, conditions of the plan, and
//! responses that look like errors.

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpListener};

use common::{Nginx, Outcome, Scratch, Tenbin};
use serde_json::Value;

/// Runs a short measurement with these options and a JSON result.
fn measured(scratch: &Scratch, options: &[&str]) -> Outcome {
    let usual = [
        "http", "--json", "--rounds", "1", "--slice", "150ms", "--gap", "1ms", "--warmup", "0s",
        "-c", "2",
    ];
    Tenbin::new(scratch, usual.iter().chain(options)).run()
}

#[track_caller]
fn document(run: &Outcome) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"))
}

/// Correct responses and failures of the only target, over all slices.
fn counts(document: &Value) -> (u64, u64) {
    let count = |name: &str| document["results"][0][name].as_u64().expect("a count");
    (count("ok"), count("failed"))
}

/// The findings of a rule: severity and evidence.
fn findings(document: &Value, rule: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = document["findings"].as_array().expect("findings").iter();
    let own = findings.filter(|finding| finding["rule"] == rule);
    own.map(|finding| (text(&finding["severity"]), text(&finding["evidence"])))
        .collect()
}

const RESPONSES: &str = r#"
    default_type application/json;
    location = /ok { add_header X-Cache HIT; return 200 '{"id":7,"state":"ok","list":[1,2]}'; }
    location = /error { return 200 '{"error":"rate limit exceeded"}'; }
    location = /page { default_type text/html;
        return 200 '<html><title>502 Bad Gateway</title></html>'; }
    location = /i/_search { return 200 '{"timed_out":true,"_shards":{"total":2,"failed":1,
        "failures":[{"reason":{"reason":"too many clauses"}}]},"hits":{"hits":[]}}'; }
    location = /_msearch { return 200 '{"responses":[{"hits":{},"status":200},
        {"error":{"reason":"no such index"},"status":404}]}'; }
    location = /_bulk { return 200 '{"errors":true,"items":[{"index":{"error":{"reason":"full"}}}]}'; }
    location = /d/select { return 200 '[[-22,1.5,0.1,"invalid name"],[]]'; }
    location = /d/other { return 200 '{"header":{"return_code":-63},"body":{}}'; }
    location = /graphql { return 200 '{"data":null,"errors":[{"message":"not allowed"}]}'; }
"#;

#[test]
fn errors_in_known_formats_are_failures_unless_they_are_switched_off() {
    let scratch = Scratch::new("known-errors");
    let nginx = Nginx::serving(&scratch, RESPONSES);
    for (path, body, expected) in [
        (
            "i/_search?q=a",
            "",
            "OpenSearch _search; got 1 of 2 shards failed: too many clauses",
        ),
        (
            "_msearch",
            "{}",
            "OpenSearch _msearch; got 1 of 2 searches failed: no such index",
        ),
        (
            "_bulk",
            "{}",
            "OpenSearch _bulk; got some writes failed: 1 of 1, first full",
        ),
        (
            "d/select?table=X",
            "",
            "Groonga; got return code -22: invalid name",
        ),
        ("d/other", "", "Groonga; got return code -63"),
        (
            "graphql",
            r#"{"query":"{ a }"}"#,
            "GraphQL; got errors: not allowed",
        ),
    ] {
        let target = format!("{}{path}", nginx.url());
        let request: &[&str] = match body {
            "" => &[],
            body => &["--method", "POST", "--body", body],
        };
        let options = [&["--target", &target], request].concat();
        let run = measured(&scratch, &options);
        assert_eq!(run.code, Some(4), "{run}");
        let document = document(&run);
        let (ok, failed) = counts(&document);
        assert!(ok == 0 && failed > 0, "{path}: {run}");
        let found = findings(&document, "errors");
        assert_eq!(found[0].0, "invalid", "{run}");
        for part in ["check failed ×", expected] {
            assert!(found[0].1.contains(part), "{path} {part}: {run}");
        }
        let accepted = measured(&scratch, &[options, vec!["--no-body-errors"]].concat());
        let (ok, failed) = counts(&self::document(&accepted));
        assert!(ok > 0 && failed == 0, "{path}: {accepted}");
    }
}

#[test]
fn conditions_hold_for_every_response_or_it_is_a_failure() {
    let scratch = Scratch::new("conditions");
    let nginx = Nginx::serving(&scratch, RESPONSES);
    let target = format!("{}ok", nginx.url());
    let run = |checks: &[&str]| {
        let checks = checks.iter().flat_map(|check| ["--check", *check]);
        let options: Vec<&str> = ["--target", target.as_str()]
            .into_iter()
            .chain(checks)
            .collect();
        measured(&scratch, &options)
    };
    let passes = run(&[
        "status=200", "length>=10", "header:x-cache=HIT", "header:Age absent",
        "body contains \"state\"", r#"body~"\"id\":[0-9]+""#, "json:/state=ok", "json:/list/1<3",
        "json:/error absent",
    ]);
    let (ok, failed) = counts(&document(&passes));
    assert!(ok > 0 && failed == 0, "{passes}");
    for (check, got) in [
        (
            "json:/state=done",
            "check json:/state=done; got status 200 and 34 bytes: {\"id\":7",
        ),
        (
            "header:x-cache=MISS",
            "check header:x-cache=MISS; got status 200",
        ),
        (
            "length>1000",
            "check length>1000; got status 200 and 34 bytes",
        ),
    ] {
        let fails = run(&["status=200", check]);
        let document = document(&fails);
        let (ok, failed) = counts(&document);
        assert!(ok == 0 && failed > 0, "{check}: {fails}");
        let found = findings(&document, "errors");
        assert!(found[0].1.contains(got), "{check}: {fails}");
        assert!(
            fails
                .stderr
                .contains("the response before the run counts as an error"),
            "{fails}"
        );
    }
    run(&["json:/list/1<x"])
        .expect_code(2)
        .expect_stderr("column 14: expected a number");
    run(&["status=404"])
        .expect_code(2)
        .expect_stderr("never holds");

    // Each group of patterns has separate conditions.
    let patterns = scratch.write(
        "patterns.json",
        r#"{"good": {"patterns": ["/ok"], "check": "json:/id=7"},
            "bad": {"patterns": ["/error", "/page"], "check": ["json:/id exists"]}}"#,
    );
    let run = measured(
        &scratch,
        &["--target", &nginx.url(), "--patterns", &patterns],
    );
    let document = document(&run);
    let operations = document["results"][0]["operations"]
        .as_array()
        .expect("operations");
    let of = |name: &str| {
        let one = operations
            .iter()
            .find(|operation| operation["operation"] == name);
        let one = one.unwrap_or_else(|| panic!("{name}: {run}"));
        (
            one["ok"].as_u64().unwrap_or(0),
            one["failed"].as_u64().unwrap_or(0),
        )
    };
    assert!(of("good").0 > 0 && of("good").1 == 0, "{run}");
    assert!(of("bad").0 == 0 && of("bad").1 > 0, "{run}");
}

#[test]
fn a_reference_that_looks_like_an_error_is_suspect_even_when_every_response_equals_it() {
    let scratch = Scratch::new("suspicious");
    let nginx = Nginx::serving(&scratch, RESPONSES);
    for (path, sign) in [
        (
            "error",
            "a JSON object with only an error: {\"error\":\"rate limit exceeded\"}",
        ),
        ("page", "the title of the page is that of an error"),
    ] {
        let target = format!("{}{path}", nginx.url());
        let run = measured(&scratch, &["--target", &target, "--verify"]);
        let document = document(&run);
        let found = findings(&document, "suspicious_response");
        assert_eq!(found.len(), 1, "{run}");
        assert_eq!(found[0].0, "suspect", "{run}");
        assert!(found[0].1.contains(sign), "{run}");
        assert!(run.stderr.contains("looks like an error"), "{run}");
    }
    let posted = format!("{}error", nginx.url());
    let run = measured(&scratch, &["--target", &posted, "--method", "POST"]);
    assert_eq!(
        findings(&document(&run), "suspicious_response").len(),
        1,
        "{run}"
    );
    let good = format!("{}ok", nginx.url());
    let run = measured(&scratch, &["--target", &good, "--verify"]);
    assert_eq!(
        findings(&document(&run), "suspicious_response"),
        [],
        "{run}"
    );
}

#[test]
fn a_target_that_allows_fewer_streams_is_not_compared_as_if_it_allowed_all() {
    let scratch = Scratch::new("stream-limit");
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        let page = "location / { return 200 hello; }";
        format!(
            "server {{ listen 127.0.0.1:{port} http2; {page} http2_max_concurrent_streams 1; }} \
             server {{ listen 127.0.0.2:{port} http2; {page} }}"
        )
    });
    let (one, all) = (
        format!("one=http://127.0.0.1:{port}/"),
        format!("all=http://127.0.0.2:{port}/"),
    );
    let options = [
        "--target", &one, "--target", &all, "--http", "2", "--streams", "8",
    ];
    let run = measured(&scratch, &options);
    let document = document(&run);
    let found = findings(&document, "stream_limit");
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0].0, "suspect", "{run}");
    for part in [
        "one allows 1 concurrent streams",
        "2 requests are in flight instead of 16",
    ] {
        assert!(found[0].1.contains(part), "{run}");
    }
    let connections = &document["results"][0]["connections"];
    assert_eq!(connections["streams_allowed"], 1, "{run}");
}

/// Starts a server in this process that sends `response` to every request, and returns its URL.
fn server(response: &'static str) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut lines = BufReader::new(&stream).lines();
                while let Some(Ok(line)) = lines.next() {
                    let mut output = &stream;
                    if line.is_empty() && output.write_all(response.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("http://{address}/")
}

#[test]
fn line_feeds_alone_are_accepted_with_a_finding_and_a_switch_of_protocols_is_refused() {
    let scratch = Scratch::new("line-ends");
    let url = server("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello");
    let run = measured(&scratch, &["--target", &url]);
    let document = document(&run);
    let (ok, failed) = counts(&document);
    assert!(ok > 0 && failed == 0, "{run}");
    let found = findings(&document, "bare_line_feeds");
    assert!(found[0].1.starts_with("line 1 in the head"), "{run}");
    assert!(run.stderr.contains("ends with a line feed alone"), "{run}");

    let url =
        server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
    measured(&scratch, &["--target", &url])
        .expect_code(3)
        .expect_stderr("responds with status 101 (Switching Protocols)");
}
