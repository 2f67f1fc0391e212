//! Closed loops: what is sent when, what counts, and when the slice ends.

use super::*;

#[test]
fn a_closed_loop_sends_after_each_response() {
    let mut play = Play::closed(1);
    play.lead = 100 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(played.total.counts.ok, 100);
    assert_eq!(played.seconds, 1.0);
    assert!(near(
        played.total.times.service.value_at_quantile(0.5),
        10 * MILLIS
    ));
    assert_eq!(played.total.times.response.len(), 0);
    assert_eq!(played.ledger.opened, 1);
}

#[test]
fn responses_before_the_window_do_not_count() {
    let mut play = Play::closed(4);
    play.lead = SECOND / 2;
    play.window = SECOND;
    // Fast in the settling time, slow in the window.
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        Fate::Answer(
            if now < SECOND / 2 {
                MILLIS
            } else {
                100 * MILLIS
            },
            200,
        )
    });
    assert!(played.total.times.service.max() >= 100 * MILLIS);
    assert!(near(
        played.total.times.service.value_at_quantile(0.5),
        100 * MILLIS
    ));
    assert!(
        (40..=44).contains(&played.total.counts.ok),
        "{}",
        played.total.counts.ok
    );
}

#[test]
fn a_pause_is_the_longest_stretch_without_a_response() {
    let mut play = Play::closed(4);
    play.lead = 100 * MILLIS;
    play.window = SECOND;
    // Requests sent between 0.4 s and 0.9 s after the origin receive a response at 0.9 s.
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        let stalled = (400 * MILLIS..900 * MILLIS).contains(&now);
        let wait = if stalled { 900 * MILLIS - now } else { 0 };
        Fate::Answer(wait + 2 * MILLIS, 200)
    });
    let pauses = played.samples.iter().filter_map(|sample| sample.pause);
    let longest = pauses.max_by_key(|pause| pause.end - pause.start).unwrap();
    assert!(near(longest.start, 300 * MILLIS), "{longest:?}");
    assert!(near(longest.end, 802 * MILLIS), "{longest:?}");
}

#[test]
fn a_pause_without_a_response_ends_with_the_drain() {
    let mut play = Play::closed(2);
    play.window = SECOND;
    let played = play.on(&mut Simple::endless(), &mut |_, now| match now {
        0..800_000_000 => Fate::Answer(MILLIS, 200),
        _ => Fate::Silence,
    });
    let last = played.samples.last().unwrap().pause.unwrap();
    assert!(near(last.start, 800 * MILLIS), "{last:?}");
    assert!(near(last.end, 2_800 * MILLIS), "{last:?}");
    // Time without a request in flight is not a pause.
    let mut rare = Play::constant(2.0, 1);
    rare.window = 2 * SECOND;
    let played = rare.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(3 * MILLIS, 200)
    });
    let pauses: Vec<_> = played.samples.iter().filter_map(|s| s.pause).collect();
    let short = |pause: &crate::sample::Pause| pause.end - pause.start < 5 * MILLIS;
    assert!(!pauses.is_empty() && pauses.iter().all(short), "{pauses:?}");
}

#[test]
fn little_s_law_holds_on_a_closed_loop() {
    let mut play = Play::closed(8);
    play.window = 20 * SECOND;
    let mut wait = 0;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        wait = (wait + 7) % 23;
        Fate::Answer((wait + 1) * MILLIS, 200)
    });
    let rate = played.total.counts.ok as f64 / played.seconds;
    let mean = played.total.times.service.mean() / 1e9;
    assert!((rate * mean / 8.0 - 1.0).abs() < 0.002, "{}", rate * mean);
}

#[test]
fn a_count_is_kept_exactly() {
    let mut play = Play::closed(7);
    play.window = 1000 * SECOND;
    play.load.requests = Some(1000);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(7 * MILLIS, 200)
    });
    assert_eq!(played.total.counts.ok, 1000);
    assert!((played.seconds - 1.001).abs() < 0.001, "{}", played.seconds);
}

#[test]
fn an_exhausted_workload_ends_the_slice_after_its_last_response() {
    let mut play = Play::closed(4);
    play.window = u64::MAX;
    let played = play.on(&mut Simple::exactly(10), &mut |_, _| {
        Fate::Answer(50 * MILLIS, 200)
    });
    assert_eq!(played.total.counts.ok, 10);
    assert!((played.seconds - 0.15).abs() < 0.001);
}

#[test]
fn a_workload_may_wait_for_its_own_responses() {
    let mut play = Play::closed(4);
    play.window = u64::MAX;
    let mut workload = Simple::exactly(10);
    workload.one_at_a_time = true;
    let played = play.on(&mut workload, &mut |_, _| Fate::Answer(50 * MILLIS, 200));
    assert_eq!(played.total.counts.ok, 10);
    assert!((played.seconds - 0.5).abs() < 0.001, "{}", played.seconds);
}

/// A workload with a request to send every 100 ms.
#[derive(Default)]
struct Punctual {
    sent: Vec<u64>,
}

impl Workload for Punctual {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, now: Moment, _exchange: &mut Exchange) -> Next {
        let due = self.sent.len() as u64 * 100 * MILLIS;
        if now.nanos < due {
            return Next::Rest(due);
        }
        self.sent.push(now.nanos);
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
        Judgement::Correct
    }
}

#[test]
fn a_workload_may_idle_until_its_next_request() {
    let play = Play::closed(3);
    let mut workload = Punctual::default();
    let played = play.on(&mut workload, &mut |_, _| Fate::Answer(30 * MILLIS, 200));
    let expected: Vec<u64> = (0..10).map(|nth| nth * 100 * MILLIS).collect();
    assert_eq!(workload.sent, expected);
    assert_eq!((played.total.counts.ok, played.seconds), (10, 1.0));
    // Events and due times alone wake the scheduler, which does not poll.
    assert!(played.turns < 60, "{} turns", played.turns);
}

#[test]
fn errors_are_never_throughput() {
    let play = Play::closed(1);
    let mut sent = 0;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        sent += 1;
        Fate::Answer(10 * MILLIS, if sent % 2 == 0 { 503 } else { 200 })
    });
    assert_eq!(played.total.counts.ok, 50);
    assert_eq!(played.errors(ErrorClass::Status), 50);
    assert_eq!(played.total.statuses[&503], 50);
    assert_eq!(played.total.failures["status 503"], 50);
    assert_eq!(played.total.times.service.len(), 50);
}

#[test]
fn an_unanswered_request_times_out_to_the_nanosecond() {
    let mut play = Play::closed(1);
    play.window = 5 * SECOND;
    play.load.timeout = Duration::from_millis(1234);
    let mut workload = Simple::endless();
    let played = play.on(&mut workload, &mut |_, now| {
        if now == 0 {
            Fate::Silence
        } else {
            Fate::Answer(SECOND, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Timeout), 1);
    assert_eq!(workload.lost, 1);
    assert!(near(played.total.times.failed.max(), 1234 * MILLIS));
    assert_eq!(played.total.counts.censored, 0);
    assert_eq!(played.ledger.opened, 2);
    assert_eq!(played.ledger.closed_by_client, 1);
    assert_eq!(played.total.counts.ok, 3);
}

#[test]
fn stopping_keeps_the_results_so_far() {
    let mut play = Play::closed(1);
    play.window = 100 * SECOND;
    play.stop_at = 1_505 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(played.total.counts.ok, 150);
    assert!((played.seconds - 1.505).abs() < 0.001);
    assert_eq!(played.total.counts.censored, 0);
}

#[test]
fn a_stopped_slice_waits_a_limited_time_for_requests_in_flight() {
    for (answers_after, answered) in [(600 * MILLIS, 3), (3 * SECOND, 0)] {
        let mut play = Play::closed(3);
        play.window = 100 * SECOND;
        play.stop_at = 505 * MILLIS;
        let played = play.on(&mut Simple::endless(), &mut |_, _| {
            Fate::Answer(answers_after, 200)
        });
        assert_eq!(played.total.counts.ok, 0, "the window was closed");
        assert_eq!(played.total.times.service.len(), answered);
        assert!((played.seconds - 0.505).abs() < 0.001, "{}", played.seconds);
    }
}

#[test]
fn samples_are_consecutive_and_about_a_second_long() {
    let mut play = Play::closed(1);
    play.window = 5 * SECOND;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    let measured: Vec<_> = played.samples.iter().filter(|s| !s.drain).collect();
    assert_eq!(measured.len(), 5);
    for pair in measured.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
    }
}
