//! Open loops: schedules, backlogs, stalls.

use tenbin_plan::Trace;

use super::*;

#[test]
fn an_open_loop_keeps_its_schedule_and_times_from_it() {
    let play = Play::constant(1000.0, 4);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(MILLIS, 200)
    });
    assert_eq!(played.total.times.service.len(), 1000);
    assert_eq!(played.total.times.response.len(), 1000);
    assert!(near(
        played.total.times.response.value_at_quantile(1.0),
        MILLIS
    ));
    assert_eq!(played.total.times.lag.max(), 1);
}

#[test]
fn an_open_loop_measures_a_stall_in_full() {
    let mut play = Play::constant(100.0, 1);
    play.window = 30 * SECOND;
    play.load.timeout = Duration::from_secs(60);
    // The server does not respond from 10 s to 25 s.
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        let stalled = (10 * SECOND..25 * SECOND).contains(&now);
        Fate::Answer(if stalled { 25 * SECOND - now } else { 1 }, 200)
    });
    let response = &played.total.times.response;
    assert_eq!(response.len(), 3000);
    // Half of all arrivals fall into the stall and wait 7.5 s on average.
    let mean = response.mean() / 1e9;
    assert!((mean - 3.75).abs() < 0.05, "{mean}");
    assert!(response.value_at_quantile(0.99) > 14_500 * MILLIS);
    // Only one service time is long; the other requests are delayed before the write, in the send
    // lag.
    assert!(played.total.times.service.value_at_quantile(0.99) < MILLIS);
    assert!(played.total.times.lag.value_at_quantile(0.99) > 14_500 * MILLIS);
    // The only connection was in use, so the load generator could not have sent earlier.
    let late: u64 = played.samples.iter().flat_map(|s| s.late).sum();
    assert_eq!(late, 0);
}

#[test]
fn a_stall_at_the_end_of_the_window_is_counted() {
    let mut play = Play::constant(100.0, 3);
    play.window = 10 * SECOND;
    play.load.timeout = Duration::from_secs(4);
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        if now < 8 * SECOND {
            Fate::Answer(MILLIS, 200)
        } else {
            Fate::Silence
        }
    });
    assert_eq!(played.total.times.service.len(), 800);
    assert_eq!(played.errors(ErrorClass::Timeout), 200);
    // The requests due from 8.00 s to 9.99 s have no response when the window closes.
    assert_eq!(played.total.counts.censored, 200);
    assert!(near(played.total.times.failed.max(), 4 * SECOND));
}

#[test]
fn an_overloaded_server_gives_its_capacity_and_a_backlog() {
    let mut play = Play::constant(2000.0, 1);
    play.window = 5 * SECOND;
    play.load.timeout = Duration::from_secs(60);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(MILLIS, 200)
    });
    assert!((4990..=5001).contains(&played.total.counts.ok));
    let last = played.samples.iter().rfind(|sample| !sample.drain).unwrap();
    assert!((4990..=5010).contains(&last.backlog), "{}", last.backlog);
}

#[test]
fn arrivals_without_a_free_connection_fail_at_their_timeout() {
    let mut play = Play::constant(10.0, 1);
    play.window = 10 * SECOND;
    let played = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(MILLIS, 200),
        &|_| false,
    );
    assert_eq!(played.errors(ErrorClass::Connect), 100);
    assert_eq!(played.total.counts.ok, 0);
}

#[test]
fn connections_take_turns_in_an_open_loop() {
    let mut used = vec![0; 4];
    Play::constant(100.0, 4).on(&mut Simple::endless(), &mut |slot, _| {
        used[slot] += 1;
        Fate::Answer(MILLIS, 200)
    });
    assert_eq!(used, [25, 25, 25, 25]);
}

#[test]
fn a_count_ends_an_open_loop_even_with_late_responses() {
    let mut play = Play::constant(1_000.0, 10);
    play.window = 10 * SECOND;
    play.load.requests = Some(10);
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        if now < 5 * MILLIS {
            Fate::Silence
        } else {
            Fate::Answer(2_100 * MILLIS - now, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Timeout), 10);
    assert_eq!(
        played.total.times.failed.len(),
        10,
        "no more than the count"
    );
    let backlog = played.samples.iter().map(|sample| sample.backlog).max();
    assert_eq!(backlog, Some(0));
    assert!(played.turns < 200, "woken {} times", played.turns);
}

#[test]
fn arrivals_that_wait_for_a_silent_server_are_not_connect_errors() {
    let mut play = Play::constant(1_000.0, 4);
    play.window = 5 * SECOND;
    play.connect_nanos = 5 * MILLIS;
    play.load.timeout = Duration::from_millis(500);
    let played = play.on(&mut Simple::endless(), &mut |_, _| Fate::Silence);
    assert_eq!(played.errors(ErrorClass::Timeout), 5_000);
    assert_eq!(played.errors(ErrorClass::Connect), 0);
}

#[test]
fn a_trace_is_sent_as_it_was_recorded_and_ends_the_slice() {
    let mut play = Play::closed(4);
    let offsets: Vec<u64> = vec![0, 5 * MILLIS, 5 * MILLIS, 200 * MILLIS];
    play.load.pace = Pace::Trace(Trace {
        path: "arrivals".into(),
        speed: 1.0,
        offsets: offsets.as_slice().into(),
    });
    play.lead = 100 * MILLIS;
    play.window = 3600 * SECOND;
    let mut sent = Vec::new();
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        sent.push(now - 100 * MILLIS);
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(sent, offsets);
    assert_eq!(played.total.counts.ok, 4);
    // The slice ends with its last response, not with the window.
    assert_eq!(played.seconds, 0.21);
    assert!(played.turns < 100, "{} turns", played.turns);
}

#[test]
fn an_overloaded_slice_ends_after_twice_its_length_and_counts_what_was_not_sent() {
    // 16 connections to a server that takes 5 ms serve 3,200 requests per second.
    for (per_second, window, due) in [
        (20_000.0, 2 * SECOND, 40_000),
        (1_000_000.0, SECOND, 1_000_000),
    ] {
        let mut play = Play::constant(per_second, 16);
        play.window = window;
        play.load.timeout = Duration::from_secs(30);
        let played = play.on(&mut Simple::endless(), &mut |_, _| {
            Fate::Answer(5 * MILLIS, 200)
        });
        let sent = played.total.times.response.len();
        assert_eq!(sent + played.total.counts.unsent, due, "{per_second}/s");
        let served = 2 * window / SECOND * 3_200;
        assert!(sent.abs_diff(served) <= 32, "{per_second}/s: {sent}");
        assert_eq!(played.errors(ErrorClass::Timeout), 0);
        let end = played.samples.last().unwrap().end;
        assert!(end <= 2 * window + 10 * MILLIS, "{per_second}/s: {end} ns");
        // The request of rank 6,000 is served after 6,000 / 3,200 s, as if the queue had no limit.
        let response = &played.total.times.response;
        let at_rank = response.value_at_quantile(6_000.0 / sent as f64) as f64 / 1e9;
        let expected = 6_000.0 / 3_200.0 - 6_000.0 / per_second;
        assert!(
            (at_rank - expected).abs() < 0.01,
            "{per_second}/s: {at_rank} s"
        );
    }
}

#[test]
fn a_target_that_keeps_up_on_average_is_sent_every_request() {
    let mut play = Play::constant(100.0, 1);
    play.window = 10 * SECOND;
    play.load.timeout = Duration::from_secs(60);
    let played = play.on(&mut Simple::endless(), &mut |_, now| {
        let stalled = (2 * SECOND..10 * SECOND).contains(&now);
        let time = if stalled {
            10 * SECOND - now
        } else {
            5 * MILLIS
        };
        Fate::Answer(time, 200)
    });
    assert_eq!(played.total.times.response.len(), 1_000);
    assert_eq!(played.total.counts.unsent, 0);
}

#[test]
fn requests_of_the_settling_time_are_not_counted_as_unsent() {
    let mut play = Play::constant(20_000.0, 16);
    play.lead = SECOND;
    play.load.timeout = Duration::from_secs(30);
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(5 * MILLIS, 200)
    });
    // The queue of the settling time is not empty after 4 s.
    assert_eq!(played.total.times.response.len(), 0);
    assert_eq!(played.total.counts.unsent, 20_000);
}

#[test]
fn a_target_that_accepts_no_connection_ends_the_slice_early_with_connect_errors() {
    let mut play = Play::constant(10.0, 1);
    play.window = 2 * SECOND;
    play.load.timeout = Duration::from_secs(30);
    let played = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(MILLIS, 200),
        &|_| false,
    );
    assert_eq!(played.errors(ErrorClass::Connect), 20);
    assert_eq!(played.total.counts.unsent, 0);
    let end = played.samples.last().unwrap().end;
    assert!(end <= 4_100 * MILLIS, "{end} ns");
}
