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
        orders.push((subject, matches!(order.what, What::Reserve)));
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
        let why = "no".to_owned();
        event(Happened::Refused { number, why })
    };
    let subject = subjects::events("load1");
    arriving.add(&subject, &refused(Some(4)));
    assert!(matches!(coordinator.next(POLL), Ok(None)));
    for number in [Some(5), None] {
        arriving.add(&subject, &refused(number));
        assert!(matches!(
            coordinator.next(POLL),
            Err(ClusterError::Agents(_))
        ));
    }
    let why = "stopped".to_owned();
    arriving.add(&subject, &event(Happened::Gone { why }));
    let lost = coordinator.next(POLL);
    assert!(matches!(lost, Err(ClusterError::Lost { agent, .. }) if agent == "load1"));
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
