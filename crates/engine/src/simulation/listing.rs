//! The list of the slowest and the failed requests.

use super::*;
use crate::request_list::{MOST_FAILED, MOST_SLOWEST};

#[test]
fn the_slowest_requests_of_the_window_are_listed() {
    let mut play = Play::closed(2);
    play.lead = 100 * MILLIS;
    let mut sent = 0;
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        sent += 1;
        // Requests before the window are slower than all in the window.
        let millis = if now < 100 * MILLIS { 60 } else { 5 + sent % 7 };
        Fate::Answer(millis * MILLIS, 200)
    });
    let slowest = &played.requests.slowest;
    assert_eq!(slowest.len(), MOST_SLOWEST);
    assert!(slowest.iter().all(|request| request.ns == 11 * MILLIS));
    let first = &slowest[0];
    assert_eq!(
        (first.operation.as_str(), first.host.as_str()),
        ("GET", "one:80")
    );
    assert_eq!(
        (first.status, first.error, first.attempts),
        (Some(200), None, 1)
    );
    assert!((0..1_000 * MILLIS as i64).contains(&first.start_ns));
    assert_eq!(played.requests.failed, []);
}

#[test]
fn connection_setup_is_listed_for_the_first_request_on_a_connection() {
    let mut play = Play::closed(1);
    play.load.keep_alive = false;
    play.connect_nanos = 3 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    for request in &played.requests.slowest {
        let times = (request.ns, request.connect_ns, request.tls_ns);
        assert_eq!(times, (10 * MILLIS, Some(3 * MILLIS), None));
    }
    play.load.keep_alive = true;
    let kept = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    let slowest = kept.requests.slowest.iter();
    let first: Vec<i64> = slowest
        .filter(|request| request.connect_ns.is_some())
        .map(|request| request.start_ns)
        .collect();
    assert_eq!(first, [3 * MILLIS as i64]);
}

#[test]
fn failures_are_listed_with_their_class_and_text() {
    let mut sent = 0;
    let played = Play::closed(1).on(&mut Simple::endless(), &mut |_, _| {
        sent += 1;
        match sent {
            1 => Fate::Reset(10 * MILLIS),
            _ => Fate::Answer(10 * MILLIS, 503),
        }
    });
    let failed = &played.requests.failed;
    assert_eq!(failed.len(), MOST_FAILED);
    let first = &failed[0];
    assert_eq!((first.error, first.status), (Some(ErrorClass::Reset), None));
    assert_eq!((first.text.as_str(), first.ns), ("reset", 10 * MILLIS));
    let last = &failed[MOST_FAILED - 1];
    assert_eq!(
        (last.error, last.status),
        (Some(ErrorClass::Status), Some(503))
    );
    assert_eq!(last.text, "status 503");
    assert!(last.start_ns > 900 * MILLIS as i64);
}

#[test]
fn a_refused_connection_is_listed_without_a_request() {
    let mut play = Play::closed(1);
    play.window = 20 * MILLIS;
    let played = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(MILLIS, 200),
        &|_| false,
    );
    let failed = &played.requests.failed;
    let first = failed.first().expect("a failure");
    assert_eq!(
        (first.error, first.attempts),
        (Some(ErrorClass::Connect), 0)
    );
    assert_eq!(
        (first.request.as_str(), first.host.as_str()),
        ("", "one:80")
    );
}

#[test]
fn a_request_that_is_sent_again_has_two_attempts() {
    let mut sent = 0;
    let mut play = Play::closed(1);
    play.load.requests = Some(1);
    play.connect_nanos = MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        sent += 1;
        match sent {
            1 => Fate::Return(10 * MILLIS),
            _ => Fate::Answer(10 * MILLIS, 200),
        }
    });
    let [request] = played.requests.slowest.as_slice() else {
        panic!("one request: {:?}", played.requests);
    };
    assert_eq!((request.attempts, request.ns), (2, 20 * MILLIS));
}
