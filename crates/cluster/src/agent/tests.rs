use super::*;
use crate::bus::testing::{Sent, bus};

fn order(run: &str, what: What) -> Order {
    Order {
        run: run.to_owned(),
        expires: u64::MAX,
        what,
    }
}

fn prepare(number: u64) -> What {
    What::Prepare {
        number,
        assignment: Assignment {
            agents: 1,
            threads: 1,
            ..Assignment::default()
        },
    }
}

/// Obeys these orders. Returns the event after each order, and the jobs.
fn obey(orders: Vec<Order>) -> (Vec<Option<Happened>>, Vec<Job>) {
    let (bus, mut sent, ..) = bus();
    let (jobs, queue) = mpsc::channel();
    let mut agent = Agent {
        outbox: bus.outbox().clone(),
        me: Introduction {
            name: "load1".to_owned(),
            ..Introduction::default()
        },
        subject: subjects::events("load1"),
        origin: Instant::now(),
        run: None,
        beat: Instant::now(),
        jobs,
        warned: None,
        parts: Default::default(),
        halt: Arc::default(),
        failure: None,
        tell: &mut |_| {},
    };
    let event = |sent: &mut Sent| sent.next::<Event>().map(|(_, event)| event.what);
    let events = orders.into_iter().map(|order| {
        let payload = rmp_serde::to_vec(&order).expect("an order");
        agent.message(&subjects::orders("load1"), &payload, Instant::now());
        event(&mut sent)
    });
    let events = events.collect();
    drop(agent);
    (events, queue.try_iter().collect())
}

#[test]
fn an_agent_works_for_one_run_at_a_time() {
    let (events, _) = obey(vec![
        order("a", What::Reserve),
        order("b", What::Reserve),
        order("b", prepare(1)),
        order("a", What::Reserve),
        order("a", What::End),
        order("b", What::Reserve),
    ]);
    assert!(matches!(
        &events[..],
        [
            Some(Happened::Reserved),
            Some(Happened::Busy),
            Some(Happened::Gone { .. }),
            Some(Happened::Reserved),
            None,
            Some(Happened::Reserved),
        ]
    ));
}

#[test]
fn late_orders_of_a_run_that_is_over_say_nothing() {
    let (events, jobs) = obey(vec![
        order("a", What::Stop { slice: 3 }),
        order("a", What::End),
    ]);
    assert!(matches!(&events[..], [None, None]));
    assert!(jobs.is_empty());
}

#[test]
fn a_new_plan_halts_the_job_before_and_only_that_one() {
    let (events, jobs) = obey(vec![
        order("a", What::Reserve),
        order("a", prepare(1)),
        order("a", prepare(2)),
        order("a", prepare(2)),
    ]);
    assert!(matches!(
        &events[..],
        [
            _,
            None,
            None,
            Some(Happened::Refused {
                number: Some(2),
                ..
            })
        ]
    ));
    let halted = jobs.iter().filter_map(|job| match job {
        Job::Prepare(ordered, _) => Some(ordered.halt.load(Ordering::Relaxed)),
        _ => None,
    });
    assert_eq!(halted.collect::<Vec<_>>(), [true, false]);
}
