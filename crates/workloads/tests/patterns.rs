//! Tests of requests drawn from patterns: requests by host, request samples and search hits.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::BTreeSet;

use support::{drawn, drive, drive_hosts, response, site};
use tenbin_engine::{Exchange, Judgement, Next, RequestOutcome};
use tenbin_workloads::{Prepared, WorkloadError, prepare};
use url::Url;

fn prepared(text: &str, keys: &str, urls: &[&str]) -> Result<Box<dyn Prepared>, WorkloadError> {
    let site = urls[1..].iter().fold(site(urls[0]), |site, url| {
        site.and_host(&Url::parse(url).unwrap())
    });
    prepare(&drawn(text, keys), &site, 7, 2)
}

/// The heads of up to `count` requests of the first worker in a slice, to each host in turn.
fn heads(prepared: &mut dyn Prepared, hosts: &[usize], count: usize) -> Vec<String> {
    let mut workers = prepared.slice();
    let mut heads = Vec::new();
    for at in 0..count {
        let mut exchange = Exchange {
            host: hosts[at % hosts.len()],
            ..Exchange::default()
        };
        if workers[0].next(support::NOW, &mut exchange) == Next::Exhausted {
            break;
        }
        heads.push(String::from_utf8(exchange.head).unwrap());
    }
    prepared.slice_done(workers);
    heads
}

const USER_AGENT: &str = concat!("User-Agent: tenbin/", env!("CARGO_PKG_VERSION"), "\r\n");

#[test]
fn patterns_have_heads_and_bodies_of_their_own() {
    let text = r#"[{"path": "/a", "method": "POST", "headers": {"X-A": "own"}, "body": {"q": 1},
                    "timeout": 0.25}]"#;
    let keys = "headers = [\"X-A: shared\", \"X-B: shared\"]\norder = \"sequential\"";
    let mut prepared = prepared(text, keys, &["http://one:8080", "http://two"]).unwrap();
    assert_eq!(
        heads(prepared.as_mut(), &[1, 0], 2),
        ["two", "one:8080"].map(|host| format!(
            "POST /a HTTP/1.1\r\nHost: {host}\r\n{USER_AGENT}X-B: shared\r\nX-A: own\r\n\
             Content-Length: 7\r\n\r\n"
        ))
    );
    let mut worker = prepared.slice().remove(0);
    let mut exchange = Exchange::default();
    worker.next(support::NOW, &mut exchange);
    assert_eq!(worker.payload(&exchange), br#"{"q":1}"#);
    assert_eq!(exchange.timeout, 250_000_000);
}

#[test]
fn every_target_gets_the_same_sequence_and_each_slice_goes_on_in_it() {
    let text: String = (0..100).map(|at| format!("/{at}\n")).collect();
    for order in ["weighted", "sequential", "shuffled", "zipf:1"] {
        let keys = format!("order = {order:?}");
        let mut here = prepared(&text, &keys, &["http://h"]).unwrap();
        let whole = heads(here.as_mut(), &[0], 300);
        let different: BTreeSet<&String> = whole.iter().collect();
        assert!(different.len() > 30, "{order}: {}", different.len());
        let mut there = prepared(&text, &keys, &["http://h"]).unwrap();
        let slices = [130, 0, 170].map(|count| heads(there.as_mut(), &[0], count));
        assert_eq!(slices.concat(), whole, "{order}");
        let positions = [&here, &there].map(|prepared| prepared.position().unwrap());
        assert_eq!(positions[0], positions[1], "{order}");
        assert_eq!(positions[0].workers, [300, 0]);
    }
}

#[test]
fn a_target_with_three_hosts_gets_the_requests_of_one_with_one_host() {
    let text: String = (0..100).map(|at| format!("/{at}\n")).collect();
    let paths = |urls: &[&str], hosts: &[usize]| {
        let mut prepared = prepared(&text, "", urls).unwrap();
        let heads = heads(prepared.as_mut(), hosts, 300);
        let lines = heads
            .iter()
            .map(|head| head.lines().next().unwrap().to_owned());
        (lines.collect::<Vec<_>>(), prepared.position())
    };
    let three = ["http://a", "http://b", "http://c"];
    assert_eq!(paths(&three, &[0, 2, 1]), paths(&["http://h"], &[0]));
}

#[test]
fn a_slice_ends_where_it_is_to_and_what_is_left_out_stays_out() {
    let text: String = (0..100).map(|at| format!("/{at}\n")).collect();
    for order in ["weighted", "sequential", "shuffled", "zipf:1"] {
        let keys = format!("order = {order:?}");
        let mut whole = prepared(&text, &keys, &["http://h"]).unwrap();
        let whole = heads(whole.as_mut(), &[0], 100);
        let mut parts = prepared(&text, &keys, &["http://h"]).unwrap();
        parts.ends_at(Some(&[40, 40]));
        assert_eq!(heads(parts.as_mut(), &[0], 1_000), whole[..40], "{order}");
        assert_eq!(heads(parts.as_mut(), &[0], 1_000), [""; 0], "{order}");
        parts.skip_to(&[60, 60]);
        parts.ends_at(None);
        assert_eq!(heads(parts.as_mut(), &[0], 40), whole[60..], "{order}");
        let position = parts.position().unwrap();
        // The second worker sent nothing; its 60 requests were skipped.
        assert_eq!(position.workers, [100, 60]);
        assert_eq!((position.skipped, position.sent()), (80, 80));
    }
}

#[test]
fn which_requests_are_sent_matters_only_where_there_are_several() {
    let one = prepared("/only\n", "", &["http://h"]).unwrap();
    assert_eq!(one.position(), None);
    let by_host = r#"{"one": {"host": "one", "patterns": ["/1", "/2"]},
                      "two": {"host": "two", "patterns": ["/3"]}}"#;
    let by_host = prepared(by_host, "", &["http://one", "http://two"]).unwrap();
    assert_eq!(by_host.position().unwrap().digest, None);
}

#[test]
fn patterns_of_one_host_go_to_that_host() {
    let text = r#"{"one": {"host": "ONE", "patterns": ["/1"]},
                   "two": {"host": "two", "port": 81, "patterns": ["/2"]},
                   "all": ["/3"]}"#;
    let mut right = prepared(text, "", &["http://one:80", "http://two:81"]).unwrap();
    for (at, head) in heads(right.as_mut(), &[0, 1], 100).iter().enumerate() {
        let foreign = ["GET /2 ", "GET /1 "][at % 2];
        assert!(!head.starts_with(foreign), "{head}");
    }
    let wrong = prepared(text, "", &["http://one:80", "http://three:81"])
        .err()
        .unwrap();
    assert_eq!(
        wrong.to_string(),
        "workload work: \"GET /2\" is for two:81, which is no host of the target at \
         http://one/; its hosts are one, three:81"
    );
    let text = r#"{"one": {"host": "one", "patterns": ["/1"]}}"#;
    let idle = prepared(text, "", &["http://one", "http://two"])
        .err()
        .unwrap();
    assert_eq!(
        idle.to_string(),
        "workload work: no pattern is for host two of the target at http://one/"
    );
}

#[test]
fn groups_are_operations_and_single_requests_are_seen() {
    let text = r#"{"a": ["/a"], "b": ["/b"]}"#;
    let keys = "order = \"sequential\"\nslowest = 2";
    let mut prepared = prepared(text, keys, &["http://h"]).unwrap();
    assert_eq!(
        prepared.counted_patterns().unwrap().labels,
        ["GET /a", "GET /b"]
    );
    let mut workers = prepared.slice();
    assert_eq!(workers[0].operations(), ["a", "b"]);
    for (at, worker) in workers.iter_mut().enumerate() {
        let mut exchange = Exchange::default();
        worker.next(support::NOW, &mut exchange);
        assert_eq!(exchange.op, at, "two workers share the sequence");
        let judged = worker.judge(&mut exchange, 200, 5);
        assert_eq!(judged, Judgement::Correct);
        let outcome = RequestOutcome {
            status: Some(200),
            correct: true,
            nanos: 100 + at as u64,
        };
        worker.completed(&exchange, outcome);
    }
    prepared.slice_done(workers);
    let seen = prepared.take_samples().unwrap();
    let slowest: Vec<_> = seen
        .slowest
        .iter()
        .map(|s| (s.request.as_str(), s.nanos))
        .collect();
    assert_eq!(slowest, [("GET /b", 101), ("GET /a", 100)]);
    assert_eq!(seen.patterns.len(), 2);
    assert_eq!(prepared.take_samples(), None, "told once");
}

#[test]
fn hits_of_every_pattern_are_counted_once() {
    let text = "/a\n/b\n/a\n/broken\n";
    let mut prepared = prepared(text, "hits = \"groonga\"", &["http://h"]).unwrap();
    let mut stage = prepared.before_run().unwrap();
    assert_eq!(stage.what.text(), "counting the hits of 3 patterns");
    let mut asked = Vec::new();
    drive(stage.workers[0].as_mut(), 1, 100, 3, &mut |request| {
        let hits = [5, 7][usize::from(request.path == "/b")];
        asked.push(request.path.clone());
        match request.path.as_str() {
            "/broken" => response(400, "[[-22,0.0,0.0,\"no\"]]"),
            _ => response(
                200,
                format!("[[0,0.0,0.0],[[[{hits}],[[\"_key\",\"UInt64\"]]]]]"),
            ),
        }
    });
    assert_eq!(asked, ["/a", "/b", "/broken"]);
    assert!(prepared.before_run().is_none());
    let found: Vec<_> = prepared.counted_patterns().unwrap().hosts[0]
        .before
        .iter()
        .map(|one| (one.hits, one.bytes.is_some()))
        .collect();
    assert_eq!(found, [(Some(5), true), (Some(7), true), (None, false)]);
}

/// Drives a stage that counts hits, with this number of hits for all patterns; returns the `Host`
/// headers.
fn ask(stage: &mut tenbin_workloads::Stage, hits: u64) -> Vec<String> {
    let mut hosts = Vec::new();
    drive(stage.workers[0].as_mut(), 1, 100, 64, &mut |request| {
        hosts.push(request.header("host").unwrap().to_owned());
        response(200, format!("[[0,0.0,0.0],[[[{hits}],[]]]]"))
    });
    hosts
}

#[test]
fn hits_are_counted_on_every_host_before_the_run_and_after_load() {
    let urls = ["http://one", "http://two"];
    let mut prepared = prepared("/a\n/b\n", "hits = \"groonga\"", &urls).unwrap();
    for (at, host) in ["one", "two"].into_iter().enumerate() {
        let mut stage = prepared.before_run().unwrap();
        assert_eq!(stage.host, Some(at));
        assert_eq!(ask(&mut stage, 5 - at as u64), [host; 2]);
    }
    assert!(prepared.before_run().is_none());
    let asked = prepared.counted_patterns().unwrap().hosts;
    assert_eq!(asked[1].before[0].hits, Some(4));
    assert_eq!(asked[1].after, None, "nobody has asked again");
    for host in ["one", "two"] {
        assert_eq!(ask(&mut prepared.count_again().unwrap(), 0), [host; 2]);
    }
    assert!(prepared.count_again().is_none());
    assert!(prepared.count_again().is_some(), "ready to ask once more");
    let asked = prepared.counted_patterns().unwrap().hosts;
    let after = asked[1].after.as_ref().unwrap();
    assert_eq!(after.len(), 2);
    assert_eq!((after[1].pattern, after[1].hits), (1, Some(0)));
}

#[test]
fn a_sample_of_many_patterns_is_counted_again_on_every_target() {
    let text: String = (0..3_000).map(|at| format!("/{at}\n")).collect();
    let again = |url| {
        let mut prepared = prepared(&text, "hits = \"groonga\"", &[url]).unwrap();
        let mut before = prepared.before_run().unwrap();
        drive(before.workers[0].as_mut(), 1, 5_000, 64, &mut |_| {
            response(200, "[[0,0.0,0.0],[[[1],[]]]]")
        });
        let mut stage = prepared.count_again().unwrap();
        let mut paths = Vec::new();
        drive(stage.workers[0].as_mut(), 1, 5_000, 64, &mut |request| {
            paths.push(request.path.clone());
            response(200, "")
        });
        paths
    };
    let here = again("http://here");
    assert_eq!(here.iter().collect::<BTreeSet<_>>().len(), 1_000);
    assert_eq!(here, again("http://there"));
}

#[test]
fn hits_of_a_hosts_patterns_are_counted_on_that_host() {
    let text = r#"{"one": {"host": "one", "patterns": ["/1"]}, "all": ["/2"],
                   "two": {"host": "two", "patterns": ["/3", "/4"]}}"#;
    let urls = ["http://one", "http://two"];
    let mut prepared = prepared(text, "hits = \"groonga\"", &urls).unwrap();
    let asked: Vec<u64> = (0..2)
        .map(|_| prepared.before_run().unwrap().total.unwrap())
        .collect();
    assert_eq!(asked, [2, 3]);
}

#[test]
fn the_forecast_is_made_of_exactly_what_was_drawn() {
    let text: String = (0..4).map(|at| format!("/{at}\n")).collect();
    let keys = "order = \"sequential\"\ncache_size = 4";
    let mut prepared = prepared(&text, keys, &["http://h", "http://i"]).unwrap();
    let notes = prepared.notes();
    let mut notes = notes.iter();
    assert!(notes.any(|note| note.text().contains("a cache of 4 responses is expected")));
    let mut draw = |count| {
        let mut workers = prepared.slice();
        for worker in &mut workers {
            drive_hosts(worker.as_mut(), &[0, 1], count, 9, &mut |_| {
                response(200, "")
            });
        }
        prepared.slice_done(workers);
        prepared.take_samples().unwrap().forecast.unwrap()
    };
    let first = draw(4);
    assert_eq!(first.lookups, 8);
    // Two hosts, four patterns, and two workers in turn: the first request for a pattern on a host
    // misses.
    assert!(first.hits <= 4, "{first:?}");
    let later = draw(50);
    assert_eq!(later.lookups, 100);
    assert!(later.hits >= 96, "what stayed is still there: {later:?}");
}
