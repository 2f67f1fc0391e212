//! Slices that send a segment of a request sequence.

use super::*;

/// A slice that sends a segment on four connections: 400 requests per second if a request takes
/// 10 ms. `rest` is the longest time for the unmeasured rest, nanoseconds.
fn segment(rest: u64) -> Play {
    let mut play = Play::closed(4);
    play.rest = Some(rest);
    play
}

#[test]
fn the_window_closes_when_the_segment_has_been_sent() {
    let mut work = Simple::exactly(200);
    let played = segment(SECOND).on(&mut work, &mut |_, _| Fate::Answer(10 * MILLIS, 200));
    assert_eq!(work.left, 0);
    // Four requests complete at the same time, and the first response closes the window.
    assert!(
        (0.49..=0.50).contains(&played.seconds),
        "{}",
        played.seconds
    );
    assert_eq!(played.total.times.service.len(), 200);
    assert_eq!(played.unmeasured, 0);
}

#[test]
fn the_rest_of_a_segment_is_sent_and_not_measured() {
    let mut work = Simple::exactly(600);
    let mut play = segment(SECOND);
    play.lead = 100 * MILLIS;
    let mut sent = 0;
    let played = play.on(&mut work, &mut |_, _| {
        sent += 1;
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!((sent, work.left), (600, 0));
    assert_eq!(played.seconds, 1.0);
    assert_eq!(played.total.counts.ok, 400);
    assert_eq!(played.total.times.service.len(), 400);
    // 40 requests were sent before the window and 400 in the window.
    assert_eq!(played.unmeasured, 160);
    assert!(played.ledger.reused <= 400, "{:?}", played.ledger);
}

#[test]
fn failures_in_the_rest_do_not_count_in_the_window() {
    let mut work = Simple::exactly(600);
    let played = segment(SECOND).on(&mut work, &mut |_, now| {
        if now < SECOND {
            Fate::Answer(10 * MILLIS, 200)
        } else {
            Fate::Answer(10 * MILLIS, 500)
        }
    });
    assert_eq!(played.errors(ErrorClass::Status), 0);
    assert_eq!(played.unmeasured, 200);
}

#[test]
fn the_rest_has_a_time_limit() {
    let mut work = Simple::exactly(10_000);
    let played = segment(SECOND / 2).on(&mut work, &mut |_, _| Fate::Answer(10 * MILLIS, 200));
    assert_eq!(played.unmeasured, 200);
    assert_eq!(work.left, 10_000 - 600);
}
