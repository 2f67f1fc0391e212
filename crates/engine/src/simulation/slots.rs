//! Several requests in flight per connection, several hosts, and users with think time.

use tenbin_plan::Think;

use super::*;

/// Correct responses by host, summed over the samples of `played`.
fn ok_by_host(played: &SliceResult) -> Vec<u64> {
    let mut sums = vec![0; played.samples[0].hosts.len()];
    for sample in &played.samples {
        for (sum, host) in sums.iter_mut().zip(&sample.hosts) {
            *sum += host.ok;
        }
    }
    sums
}

#[test]
fn every_slot_of_a_connection_carries_requests() {
    let mut play = Play::closed(2);
    play.depth = 4;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    // Eight requests at a time, a hundred times; the last eight end when the window closes and do
    // not count.
    assert_eq!(played.total.counts.ok, 792);
    assert_eq!(played.ledger.opened, 2);
    assert_eq!(played.ledger.reused, 800 - 2);
}

#[test]
fn a_reset_connection_fails_all_its_requests_in_flight() {
    let mut play = Play::closed(1);
    play.depth = 4;
    let mut sent = 0;
    let played = play.on(&mut Simple::exactly(12), &mut |_, _| {
        sent += 1;
        match sent {
            5 => Fate::Reset(MILLIS),
            6..=8 => Fate::Answer(10 * MILLIS, 200),
            _ => Fate::Answer(2 * MILLIS, 200),
        }
    });
    assert_eq!(
        (played.total.counts.ok, played.errors(ErrorClass::Reset)),
        (8, 4)
    );
    assert_eq!((played.ledger.opened, played.ledger.reset), (2, 1));
}

#[test]
fn a_timeout_frees_its_slot_and_keeps_its_connection() {
    let mut play = Play::closed(1);
    play.depth = 2;
    play.load.timeout = Duration::from_millis(100);
    let played = play.on(&mut Simple::endless(), &mut |slot, now| {
        if slot == 1 && now < 50 * MILLIS {
            Fate::Silence
        } else {
            Fate::Answer(10 * MILLIS, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Timeout), 1);
    assert_eq!(played.ledger.opened, 1);
    assert_eq!(played.total.counts.ok, 99 + 89);
}

#[test]
fn a_request_that_a_closing_server_did_not_process_is_repeated_and_timed_in_full() {
    let mut play = Play::closed(1);
    play.depth = 2;
    play.connect_nanos = 5 * MILLIS;
    let mut sent = 0;
    let mut workload = Simple::exactly(10);
    let played = play.on(&mut workload, &mut |_, _| {
        sent += 1;
        match sent {
            1 => Fate::AnswerAndClose(10 * MILLIS),
            2 => Fate::Silence,
            _ => Fate::Answer(10 * MILLIS, 200),
        }
    });
    assert_eq!((played.total.counts.ok, workload.lost), (10, 0));
    assert_eq!((sent, played.ledger.opened), (11, 2));
    // 10 ms until the other request's response, 5 ms to reconnect, 10 ms until the repeated
    // request's response.
    assert!(near(played.total.times.service.max(), 25 * MILLIS));
}

#[test]
fn a_refused_stream_is_sent_again_at_once() {
    let mut play = Play::constant(10.0, 1);
    play.depth = 2;
    let mut sent = 0;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        sent += 1;
        if sent % 2 == 1 {
            Fate::Return(MILLIS)
        } else {
            Fate::Answer(MILLIS, 200)
        }
    });
    assert_eq!((played.total.counts.ok, sent), (10, 20));
    assert!(near(played.total.times.response.max(), 2 * MILLIS));
    assert_eq!(played.total.failed_count(), 0);
}

#[test]
fn a_request_that_is_never_processed_times_out() {
    let mut play = Play::closed(1);
    play.depth = 2;
    play.load.timeout = Duration::from_millis(50);
    let played = play.against(
        &mut Simple::exactly(2),
        &mut |slot, _| match slot {
            0 => Fate::AnswerAndClose(MILLIS),
            _ => Fate::Silence,
        },
        &|now| now < MILLIS,
    );
    assert_eq!(played.total.counts.ok, 1);
    assert!(
        played.errors(ErrorClass::Timeout) >= 1,
        "{:?}",
        played.total.errors
    );
}

#[test]
fn hosts_share_by_weight_whatever_their_speed() {
    let mut play = Play::closed(4);
    play.weights = vec![3, 1];
    let played = play.on(&mut Simple::endless(), &mut |slot, _| {
        // One host is ten times slower than the other.
        let wait = if slot % 2 == 0 { 1 } else { 10 };
        Fate::Answer(wait * MILLIS, 200)
    });
    let ok = ok_by_host(&played);
    assert_eq!(ok.iter().sum::<u64>(), played.total.counts.ok);
    let share = ok[0] as f64 / played.total.counts.ok as f64;
    assert!((share - 0.75).abs() < 0.01, "{ok:?}");
    // Each user has a connection to both hosts, but at most one request in flight.
    assert_eq!(played.ledger.opened, 8);
    let mean_out =
        played.total.times.service.mean() * played.total.counts.ok as f64 / SECOND as f64;
    assert!(mean_out <= 4.05, "{mean_out} requests out on average");
}

#[test]
fn failures_of_a_host_that_is_down_are_its_own_and_the_others_continue() {
    let mut play = Play::closed(2);
    play.weights = vec![1, 1];
    let played = play.on(&mut Simple::endless(), &mut |slot, _| {
        if slot % 2 == 0 {
            Fate::Answer(10 * MILLIS, 200)
        } else {
            Fate::Reset(MILLIS)
        }
    });
    let resets: u64 = played
        .samples
        .iter()
        .map(|sample| sample.hosts[1].errors_of(ErrorClass::Reset))
        .sum();
    assert_eq!(resets, played.errors(ErrorClass::Reset));
    assert!(resets > 0 && ok_by_host(&played)[0] > 0);
    assert_eq!(ok_by_host(&played)[1], 0);
}

#[test]
fn users_think_between_a_response_and_the_next_request() {
    let mut play = Play::closed(10);
    play.load.think = Some(Think::Fixed(Duration::from_millis(90)));
    play.lead = SECOND;
    play.window = 10 * SECOND;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    // Ten users send a request every 100 ms each.
    assert_eq!(played.total.counts.ok, 1000);
    assert!(near(played.total.times.service.max(), 10 * MILLIS));
    // The users started at different times, so the scheduler is woken for each request.
    assert!(played.turns > 2000, "{} turns", played.turns);
}

#[test]
fn connection_set_up_is_timed_separately_from_requests() {
    let mut play = Play::closed(1);
    play.load.keep_alive = false;
    play.connect_nanos = 30 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert!(near(played.total.times.service.max(), 10 * MILLIS));
    let setup = &played.samples[0].setup;
    assert!(near(setup.connect.value_at_quantile(0.5), 30 * MILLIS));
    assert!(near(setup.first_byte.value_at_quantile(0.5), 10 * MILLIS));
    assert_eq!(setup.tls.len(), 0);
    assert_eq!(played.total.counts.ok, 24);
    // Each correct response has a service time and a total time, which includes connection set-up.
    assert_eq!((setup.response.len(), setup.total.len()), (24, 24));
    assert!(near(setup.response.max(), 10 * MILLIS));
    assert!(near(setup.total.min(), 40 * MILLIS));
    assert!(near(setup.total.max(), 40 * MILLIS));
}

#[test]
fn only_the_first_response_on_a_connection_waits_for_its_opening() {
    let mut play = Play::closed(2);
    play.connect_nanos = 30 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    let setup = &played.samples[0].setup;
    assert_eq!((setup.response.len(), setup.total.len()), (2, 2));
    assert!(near(setup.total.max(), 40 * MILLIS));
    let mut failing = Play::closed(1);
    failing.load.keep_alive = false;
    let played = failing.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 500)
    });
    let setup = &played.samples[0].setup;
    assert!(setup.response.is_empty(), "a failure has no response time");
}
