//! How opened, refused, closed and reset connections count.

use super::*;

#[test]
fn without_keep_alive_the_client_closes() {
    let mut play = Play::closed(2);
    play.load.keep_alive = false;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!(played.total.counts.ok, 198);
    assert_eq!(played.ledger.opened, 200);
    assert_eq!(played.ledger.reused, 0);
    assert_eq!(played.ledger.closed_by_client, 200);
    assert_eq!(played.ledger.closed_by_server, 0);
    assert_eq!(played.total.counts.closed_after, 0);
}

/// The load generator needs time between a response and the next connection attempt. Without this
/// time, Little's law finds connections that are idle without a reason.
#[test]
fn the_time_before_a_connection_is_replaced_is_turnaround() {
    let mut play = Play::closed(1);
    play.load.keep_alive = false;
    play.lead = SECOND;
    play.connect_nanos = 3 * MILLIS;
    play.replace_nanos = 2 * MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(5 * MILLIS, 200)
    });
    assert_eq!(played.total.counts.ok, 100);
    assert_eq!(played.ledger.turnaround_nanos, 100 * 2 * MILLIS);
    // The back-off after a refusal is not the load generator's time.
    let refuses = SECOND + 500 * MILLIS..SECOND + 600 * MILLIS;
    let refusing = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(5 * MILLIS, 200),
        &|now| !refuses.contains(&now),
    );
    let replaced = refusing.ledger.opened - 1;
    assert_eq!(refusing.ledger.turnaround_nanos, replaced * 2 * MILLIS);
}

#[test]
fn a_server_that_closes_is_named_in_the_ledger() {
    let played = Play::closed(1).on(&mut Simple::endless(), &mut |_, _| {
        Fate::AnswerAndClose(10 * MILLIS)
    });
    assert_eq!(played.ledger.closed_by_server, 100);
    assert_eq!(played.ledger.closed_by_client, 0);
    // The last response arrives when the window has closed.
    assert_eq!(played.total.counts.closed_after, 99);
}

#[test]
fn resets_are_counted_separately_and_the_loop_continues() {
    let played = Play::closed(1).on(&mut Simple::endless(), &mut |_, now| {
        if now < 100 * MILLIS {
            Fate::Reset(10 * MILLIS)
        } else {
            Fate::Answer(10 * MILLIS, 200)
        }
    });
    assert_eq!(played.errors(ErrorClass::Reset), 10);
    assert_eq!(played.ledger.reset, 10);
    assert_eq!(played.total.times.service.len(), 90);
}

#[test]
fn reconnecting_to_a_refusing_server_backs_off_and_does_not_end() {
    let mut play = Play::closed(1);
    play.window = 10 * SECOND;
    let played = play.against(
        &mut Simple::endless(),
        &mut |_, _| Fate::Answer(10 * MILLIS, 200),
        &|now| now > 5 * SECOND,
    );
    let refused = played.errors(ErrorClass::Connect);
    assert!((12..=24).contains(&refused), "{refused}");
    assert_eq!(played.ledger.refused, refused);
    assert!(played.total.counts.ok > 400, "{}", played.total.counts.ok);
}

#[test]
fn connections_closed_before_the_window_are_not_in_the_ledger() {
    let mut play = Play::closed(2);
    play.load.keep_alive = false;
    play.lead = SECOND;
    play.connect_nanos = MILLIS;
    let played = play.on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(9 * MILLIS, 200)
    });
    // One connection is open when the window opens, and each of 100 responses is followed by a new
    // connection.
    assert!(
        (198..=202).contains(&played.ledger.opened),
        "{:?}",
        played.ledger
    );
    assert_eq!(
        played.ledger.connect_nanos,
        played.ledger.opened * MILLIS,
        "connect times belong to the connections counted"
    );
}

#[test]
fn connections_are_reopened_as_configured_and_no_request_is_lost() {
    let mut play = Play::closed(4);
    play.load.reopen = Some(4);
    let mut slowest = |slot: usize, _| Fate::Answer((1 + slot as u64 % 2) * 5 * MILLIS, 200);
    let played = play.on(&mut Simple::endless(), &mut slowest);
    assert_eq!(played.ledger.opened, 16, "{:?}", played.ledger);
    assert_eq!(played.ledger.reset + played.ledger.closed_by_server, 0);
    // Two connections complete 200 requests per second each, and two complete 100 each.
    assert!(
        (590..=600).contains(&played.total.counts.ok),
        "{}",
        played.total.counts.ok
    );
    let lives: u64 = played.lives.iter().map(|life| life.responses).sum();
    assert_eq!(lives, played.total.counts.ok);
    let spread = crate::Spread::of(&played.lives).unwrap();
    assert_eq!(spread.connections, 16);
    assert!(spread.fastest > 1.8 * spread.slowest, "{spread:?}");
}

#[test]
fn an_idle_connection_stays_open_for_the_whole_window() {
    let played = Play::closed(3).on(&mut Simple::endless(), &mut |_, _| {
        Fate::Answer(10 * MILLIS, 200)
    });
    assert_eq!((played.ledger.opened, played.lives.len()), (3, 3));
    assert!(!crate::Spread::of(&played.lives).unwrap().is_uneven());
}

#[test]
fn a_request_that_ends_after_the_window_is_not_an_uneven_spread() {
    let mut long_on_first = |slot: usize, _| {
        let wait = if slot == 0 { 1_500 } else { 5 };
        Fate::Answer(wait * MILLIS, 200)
    };
    let played = Play::closed(4).on(&mut Simple::endless(), &mut long_on_first);
    let found = crate::Spread::of(&played.lives).unwrap();
    assert_eq!(found.slowest, 0.0);
    assert!(!found.is_uneven(), "{found:?}");
    let longest = played.lives.iter().map(|life| life.longest);
    let longest = longest.fold(0.0, f64::max);
    assert!((0.99..=1.0).contains(&longest), "{longest} s in the window");
}

#[test]
fn a_lost_request_is_not_an_uneven_spread() {
    let mut silent_on_first = |slot: usize, _| match slot {
        0 => Fate::Silence,
        _ => Fate::Answer(5 * MILLIS, 200),
    };
    let played = Play::closed(4).on(&mut Simple::endless(), &mut silent_on_first);
    let found = crate::Spread::of(&played.lives).unwrap();
    assert_eq!(found.slowest, 0.0);
    assert!(!found.is_uneven(), "{found:?}");
}
