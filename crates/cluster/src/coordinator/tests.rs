use super::gather::Search;
use super::*;
use crate::bus::testing::{Arriving, Sent, bus};
use crate::message::Order;

fn coordinator(names: &[&str]) -> (Coordinator, Sent, Arriving) {
    let (bus, sent, received, arriving) = bus();
    let coordinator = Coordinator {
        bus,
        received,
        signs: SignsOfLife::default(),
        run: "r".to_owned(),
        origin: Instant::now(),
        members: names.iter().map(|name| Member::new(agent(name))).collect(),
        planned: names.len(),
        number: 5,
        assignment: None,
        is_disconnected: false,
        silent_from: None,
        checked: Instant::now(),
        lost: Arc::default(),
        lives: Arc::new(AtomicBool::new(true)),
        lease: None,
    };
    (coordinator, sent, arriving)
}

fn agent(name: &str) -> Introduction {
    Introduction {
        name: name.to_owned(),
        ..Introduction::default()
    }
}

fn event(what: Happened) -> Event {
    let run = "r".to_owned();
    Event { run, what }
}

#[test]
fn an_agent_that_another_run_has_taken_is_not_reserved() {
    let (mut coordinator, mut sent, arriving) = coordinator(&[]);
    let mut search = Search::new(Duration::ZERO);
    search.free = ["load3", "load1", "load2"].map(agent).to_vec();
    arriving.add(&subjects::events("load1"), &event(Happened::Busy));
    arriving.add(&subjects::events("load2"), &event(Happened::Reserved));
    let stop = AtomicBool::new(false);
    let reserved = coordinator
        .reserve(&mut search, 1, &stop)
        .expect("no error");
    assert_eq!(reserved, 1);
    let names: Vec<&str> = coordinator.agents().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["load2"]);
    assert_eq!(search.free, [agent("load3")], "not needed");
    let mut orders = Vec::new();
    while let Some((subject, order)) = sent.next::<Order>() {
        orders.push((subject, matches!(order.what, What::Reserve { .. })));
    }
    let expected = [("load1", true), ("load1", false), ("load2", true)];
    assert_eq!(
        orders,
        expected.map(|(name, is)| (subjects::orders(name), is))
    );
}

#[test]
fn refusals_of_a_void_slice_do_not_count() {
    let (mut coordinator, _sent, arriving) = coordinator(&["load1"]);
    let refused = |number| {
        let why = "no".into();
        event(Happened::Refused { number, why })
    };
    let subject = subjects::events("load1");
    arriving.add(&subject, &refused(Some(4)));
    assert!(matches!(coordinator.next(POLL), Ok(None)));
    arriving.add(&subject, &refused(Some(5)));
    assert!(matches!(
        coordinator.next(POLL),
        Err(ClusterError::Agents(_))
    ));
}

#[test]
fn an_agent_that_has_left_or_has_not_received_an_order_is_lost() {
    let (mut coordinator, _sent, arriving) = coordinator(&["load1"]);
    let subject = subjects::events("load1");
    let why = || "no".into();
    let left = Happened::Gone { why: why() };
    let missed = |number| Happened::Missed { number, why: why() };
    arriving.add(&subject, &event(missed(Some(4))));
    assert!(matches!(coordinator.next(POLL), Ok(None)), "void");
    for what in [left, missed(Some(5)), missed(None)] {
        arriving.add(&subject, &event(what));
        let lost = coordinator.next(POLL);
        assert!(matches!(lost, Err(ClusterError::Lost { agent, .. }) if agent == "load1"));
    }
}

#[test]
fn a_run_without_agents_cannot_continue() {
    let (mut coordinator, mut sent, _arriving) = coordinator(&["load1"]);
    let stop = AtomicBool::new(false);
    let ended = coordinator.regroup("load1", Duration::ZERO, &stop);
    assert!(matches!(ended, Err(ClusterError::Agents(why)) if why == "no agent is left"));
    let (subject, order) = sent.next::<Order>().expect("an order");
    assert_eq!(subject, subjects::orders("load1"));
    assert!(matches!(order.what, What::End));
}

/// An agent that is cut off sends until its own lease ends, which can be a second later than the
/// coordinator gives it up.
#[test]
fn a_block_begins_again_when_a_lost_agent_has_stopped_sending() {
    let (mut coordinator, _sent, _arriving) = coordinator(&["load1", "load2"]);
    let subject = subjects::events("load1");
    coordinator.signs.expect(subject.clone());
    coordinator.signs.expect(subjects::events("load2"));
    let last = Instant::now() - Duration::from_millis(4_800);
    let sign = rmp_serde::to_vec(&event(Happened::Alive)).expect("an event");
    coordinator.signs.filter("r")(&subject, &sign, last);
    coordinator.lose("load1");
    let stop = AtomicBool::new(false);
    coordinator.await_silence(&stop).expect("an agent is left");
    assert!(
        last.elapsed() > 2 * BEAT + LEASE_TIME,
        "{:?}",
        last.elapsed()
    );
    let lost = coordinator.lost.lock().expect("nobody panicked").clone();
    assert_eq!(lost, BTreeMap::from([("load1".to_owned(), 5)]));
}

/// After a standstill of this process, heartbeats wait to be read.
#[test]
fn signs_of_life_count_only_if_this_process_did_not_stand_still() {
    let (mut coordinator, _sent, _arriving) = coordinator(&["load1"]);
    coordinator.checked = Instant::now() - Duration::from_secs(9);
    assert!(coordinator.check_alive().is_ok());
    let lost = coordinator.check_alive();
    assert!(matches!(lost, Err(ClusterError::Lost { agent, .. }) if agent == "load1"));
}

#[test]
fn names_are_parts_of_subjects() {
    assert!(is_agent_name("load-1_a"));
    for name in ["", "a.b", "*", ">", "a b", "a\n", &"a".repeat(65)] {
        assert!(!is_agent_name(name), "{name:?}");
    }
}

#[test]
fn texts_of_agents_are_one_line() {
    assert_eq!(one_line("a\nerror: \u{1b}[31mb"), "a error:  [31mb");
    assert_eq!(one_line(&"x".repeat(9_000)).len(), LONGEST_TEXT);
}

#[test]
fn sentences_of_agents_are_one_line_and_keep_their_arguments_unless_these_are_long() {
    let said = |name: &str| sentence!("of-agent", "agent \"{name}\": {why}", name, why = "no");
    assert_eq!(limited(said("load1")), said("load1"));
    let two = |first: &str, last: &str| Sentence::in_lines([said(first), said(last)]);
    let joined = limited(two("load1", "load\u{1b}2"));
    assert_eq!(joined.text(), "agent \"load1\": no agent \"load 2\": no");
    assert_eq!(joined.args().count(), 3, "{joined}");
    assert_eq!(joined, two("load1", "load 2").with_texts(&without_breaks));
    let long = said(&"x".repeat(9_000));
    let kept = limited(long.clone());
    assert_eq!(kept.args().count(), 0, "{kept}");
    assert_eq!(kept.text(), one_line(long.text()));
}
