//! Tests of [`Monitor`].

use super::*;

const LENGTH: usize = 10_000;

/// A monitor that expects a page of [`LENGTH`] bytes, which 16 responses have shown.
struct Checker {
    monitor: Monitor,
    bodies: Refusals,
    read: u64,
}

/// A page of [`LENGTH`] bytes.
fn page() -> Vec<u8> {
    let mut page = b"the page that is expected here ".repeat(400);
    page.truncate(LENGTH);
    page
}

fn other_page() -> Vec<u8> {
    let mut page = b"something quite different instead ".repeat(400);
    page.truncate(LENGTH);
    page
}

impl Checker {
    fn new(rules: Rules) -> Self {
        Self::after(rules, &vec![page(); 16])
    }

    fn after(rules: Rules, bodies: &[Vec<u8>]) -> Self {
        let mut learned = Learned::default();
        for (at, body) in bodies.iter().enumerate() {
            let raw = (body.len() as u64, finished(fold(START, body)));
            let of = (200, raw, at as u64 * 2_000_000);
            let one = Observed::new(of, HeadNotes::default(), body, &mut learned.names);
            learned.responses.push(one);
        }
        let reference = learned.reference(true).expect("a reference");
        Self {
            monitor: Monitor::new(Known::Reference(Arc::new(reference)), rules, 0),
            bodies: Refusals::keeping(4_096),
            read: 0,
        }
    }

    fn judge(&mut self, body: &[u8], announced: bool) -> Judgement {
        self.judge_with(200, body, announced)
    }

    /// Judges a response with this body, received in two parts.
    fn judge_with(&mut self, status: u16, body: &[u8], announced: bool) -> Judgement {
        let mut exchange = Exchange::default();
        let head = ResponseHead {
            status,
            length: announced.then_some(body.len() as u64),
            bytes: b"",
        };
        self.monitor.at(Moment {
            nanos: self.monitor.nanos + 5_000_000,
            unix_seconds: 0,
        });
        let is_read = self.monitor.head(&mut self.bodies, &mut exchange, &head);
        if is_read == BodyUse::Inspect {
            self.read += 1;
            for part in [&body[..body.len() / 3], &body[body.len() / 3..]] {
                self.bodies.body(&exchange, part);
                self.monitor.body(&mut exchange, part);
            }
        }
        let is_public = |text: &str| !text.contains("hush");
        let response = (status, body.len() as u64);
        self.monitor
            .judge(&mut self.bodies, &mut exchange, response, is_public)
    }
}

fn failed(judgement: &Judgement) -> Option<&str> {
    match judgement {
        Judgement::Failed(ErrorClass::Unexpected, text) => Some(text),
        Judgement::Failed(..) => Some("another class"),
        Judgement::Correct => None,
    }
}

#[test]
fn content_is_compared_in_a_sample_and_more_often_once_one_was_different() {
    let mut checker = Checker::new(Rules::default());
    for _ in 0..20_000 {
        assert_eq!(checker.judge(&page(), true), Judgement::Correct);
    }
    let one_in = 20_000 / checker.read;
    assert!((10..=30).contains(&one_in), "one in {one_in}");
    // One response is read by chance, and after that as many as a quarter of the time allows.
    let tries = (0..1_000).find(|_| failed(&checker.judge(&other_page(), true)).is_some());
    assert!(tries.is_some());
    let mut found = 1;
    for _ in 0..200 {
        let judgement = checker.judge(&other_page(), true);
        if let Some(text) = failed(&judgement) {
            assert!(text.contains("other words: something quite"), "{text}");
            found += 1;
        }
        assert_eq!(checker.judge(&page(), true), Judgement::Correct);
    }
    assert!(found > 10, "{found}");
    let report = checker.monitor.report();
    assert_eq!(report.seen.unexpected.len(), 1);
    assert_eq!(report.seen.unexpected[0].count, found);
    assert_eq!(report.portrait.changed, 0);
    assert!(report.portrait.same > 100);
}

#[test]
fn every_response_is_read_with_verify_and_none_where_the_body_may_differ() {
    let mut checker = Checker::new(Rules {
        every: true,
        ..Rules::default()
    });
    for _ in 0..100 {
        assert!(failed(&checker.judge(&other_page(), false)).is_some());
    }
    let mut checker = Checker::new(Rules {
        may_differ: MayDiffer::BODY,
        every: true,
        ..Rules::default()
    });
    assert_eq!(checker.judge(b"", true), Judgement::Correct);
    assert_eq!(checker.read, 0);
    let mut checker = Checker::new(Rules {
        may_differ: MayDiffer::SIZE,
        every: true,
        ..Rules::default()
    });
    assert_eq!(checker.judge(b"xx", true), Judgement::Correct);
    assert!(failed(&checker.judge(&other_page(), true)).is_some());
}

#[test]
fn another_status_is_another_kind_unless_the_plan_names_the_statuses() {
    for any_status in [false, true] {
        let mut checker = Checker::new(Rules {
            any_status,
            ..Rules::default()
        });
        for body in [Vec::new(), page()] {
            let judgement = checker.judge_with(204, &body, true);
            assert_eq!(failed(&judgement).is_none(), any_status, "{judgement:?}");
        }
    }
}

#[test]
fn an_error_message_is_detected_and_examples_contain_no_secret() {
    for announced in [true, false] {
        let mut checker = Checker::new(Rules::default());
        // The first response is always read.
        assert_eq!(checker.judge(&page(), true), Judgement::Correct);
        let judgement = checker.judge(b"{\"error\":\"over\nloaded\"}", announced);
        let text = failed(&judgement).unwrap_or_default();
        assert!(
            text.starts_with("response body of 23 bytes, not of the expected kind: "),
            "{text}"
        );
        for body in [&b""[..], b"token hush-hush"] {
            let judgement = checker.judge(body, announced);
            let text = failed(&judgement).unwrap_or_default().to_owned();
            assert!(text.starts_with("response body of "), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }
}

/// Of 100 responses with this body, the number that are unexpected.
fn unexpected_after(reference: &[String], body: &str) -> usize {
    let bodies: Vec<Vec<u8>> = reference
        .iter()
        .map(|one| one.clone().into_bytes())
        .collect();
    let mut checker = Checker::after(Rules::default(), &bodies);
    let judged = (0..100).map(|_| checker.judge(body.as_bytes(), true));
    judged.filter(|one| failed(one).is_some()).count()
}

#[test]
fn a_page_of_another_shape_is_unexpected_however_long_it_is() {
    let json = |at: u32| format!(r#"{{"id":{at},"name":"user {at}","at":"12:00:{at}"}}"#);
    let users: Vec<String> = (0..32).map(json).collect();
    let html = |at: u32| {
        let item = format!("<li><a href=x>item {at}</a></li>").repeat(20);
        format!(
            "<html><head><title>Shop</title></head><body><h1>All our items</h1><ul>{item}</ul>\
             <p>page made for you at {at}</p></body></html>"
        )
    };
    let pages: Vec<String> = (0..32).map(html).collect();
    let error = format!(
        "<html><head><title>Sorry</title></head><body><h1>Too many requests</h1>{}</body></html>",
        "<p>please come back later</p>".repeat(20)
    );
    for (reference, body) in [
        (&users, r#"{"error":"rate limit exceeded","retry":1}"#),
        (&users, "[]"),
        (&users, "{}"),
        (&users, r#"{"id":5,"name":"user 5","at":"#),
        (&users, "<html><body>busy</body></html>"),
        (&pages, error.as_str()),
        (&pages, &pages[0][..400]),
        (&pages, ""),
    ] {
        assert!(unexpected_after(reference, body) > 90, "{body}");
    }
    for (reference, body) in [(&users, json(99)), (&pages, html(99))] {
        assert_eq!(unexpected_after(reference, &body), 0, "{body}");
    }
}

#[test]
fn a_constant_page_may_show_other_numbers_and_change_a_little() {
    let page = |at: &str| {
        format!(
            "<html><body><h1>News of the day</h1><p>It is {at} now, good day to all of you</p></body></html>"
        )
    };
    let reference = vec![page("12:00"); 32];
    for other in ["12:01", "1:00", "Friday"] {
        assert_eq!(unexpected_after(&reference, &page(other)), 0, "{other}");
    }
    let other = "<html><body><h1>Site under heavy load</h1><p>please try again some minutes later</p></body></html>";
    assert!(unexpected_after(&reference, other) > 50);
}

#[test]
fn a_frozen_page_repeats_its_content() {
    let body = |at: u32| format!(r#"{{"token":"t{at}","user":"u{at}"}}"#);
    let bodies: Vec<Vec<u8>> = (0..64).map(|at| body(at).into_bytes()).collect();
    for (is_frozen, least, most) in [(true, 90, 100), (false, 0, 0)] {
        let mut checker = Checker::after(Rules::default(), &bodies);
        for at in 0..500 {
            let body = body(if is_frozen { 7 } else { 100 + at });
            assert_eq!(checker.judge(body.as_bytes(), true), Judgement::Correct);
        }
        let Portrait {
            compared, repeated, ..
        } = checker.monitor.report().portrait;
        assert!(compared > 50, "{compared}");
        let share = repeated * 100 / compared;
        assert!((least..=most).contains(&share), "{share}");
    }
}

#[test]
fn repeated_content_is_found_without_time_for_shapes() {
    let body = |at: u32| format!(r#"{{"token":"t{at}","user":"u{at}"}}"#);
    let bodies: Vec<Vec<u8>> = (0..64).map(|at| body(at).into_bytes()).collect();
    let mut checker = Checker::after(Rules::default(), &bodies);
    checker.monitor.spent = u64::MAX;
    for at in 0..2_000 {
        let body = body(if at % 3 == 0 { 7 } else { 100 + at });
        assert_eq!(checker.judge(body.as_bytes(), true), Judgement::Correct);
    }
    let portrait = checker.monitor.report().portrait;
    assert_eq!(portrait.responses, 0, "shapes were compared");
    let share = portrait.repeated * 100 / portrait.compared;
    assert!(
        portrait.compared > 200 && (25..=40).contains(&share),
        "{portrait:?}"
    );
}

#[test]
fn a_list_may_be_far_shorter_if_its_length_varies_much() {
    let list = |items: usize| format!("[{}]", vec![r#"{"sku":"x1","n":2}"#; items].join(","));
    let varied: Vec<String> = (0..32).map(|at| list(8 + at * 4)).collect();
    assert_eq!(unexpected_after(&varied, &list(2)), 0);
    let similar: Vec<String> = (0..32).map(|at| list(100 + at % 3)).collect();
    assert!(unexpected_after(&similar, &list(2)) > 90);
}

#[test]
fn a_list_that_is_empty_at_first_is_one_page_with_the_longer_list() {
    let list = |items: usize| {
        let items = vec![r#"{"sku":"x1","n":2}"#; items].join(",");
        format!(r#"{{"total":4,"page":1,"items":[{items}]}}"#)
    };
    let grows: Vec<String> = (0..32).map(|at| list(at / 5)).collect();
    for items in [0, 3, 6] {
        assert_eq!(unexpected_after(&grows, &list(items)), 0, "{items}");
    }
    // A server that turns to something else is not believed.
    let turns = |at: u32| {
        if at < 12 {
            list(9)
        } else {
            r#"{"total":0}"#.to_owned()
        }
    };
    let turns: Vec<String> = (0..32).map(turns).collect();
    assert!(unexpected_after(&turns, r#"{"total":0}"#) > 90);
}

#[test]
fn a_rare_page_that_the_unloaded_server_did_not_send_is_no_lie_and_a_frequent_one_is() {
    let usual = |at: u32| format!(r#"{{"id":{at},"name":"user","address":{{"city":"Oslo"}}}}"#);
    let rare = |at: u32| format!(r#"{{"ticket":{at},"queue":[1,2],"eta":9}}"#);
    let before: Vec<Vec<u8>> = (0..128).map(|at| usual(at).into_bytes()).collect();
    for (one_in, least, most) in [(80, 0, 0), (3, 250, 340)] {
        let mut checker = Checker::after(Rules::default(), &before);
        let unexpected = (0..1_000).filter(|at| {
            let body = match at % one_in {
                0 => rare(*at),
                _ => usual(*at),
            };
            failed(&checker.judge(body.as_bytes(), true)).is_some()
        });
        let unexpected = unexpected.count();
        assert!(
            (least..=most).contains(&unexpected),
            "{one_in}: {unexpected}"
        );
        let strange = checker.monitor.report().portrait.strange;
        assert_eq!(strange > 9, one_in == 80, "{one_in}: {strange}");
    }
    // An error is unexpected however rare.
    let mut checker = Checker::after(Rules::default(), &before);
    assert_eq!(checker.judge(&before[0], true), Judgement::Correct);
    assert!(failed(&checker.judge(br#"{"error":"overloaded"}"#, true)).is_some());
}
