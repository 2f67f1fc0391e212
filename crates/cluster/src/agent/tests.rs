use super::*;
use crate::bus::testing::{Sent, bus};
use crate::message::What;

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

fn slice(number: u64) -> What {
    What::Slice(SliceOrder {
        slice: number,
        window: 1_000_000_000,
        ..SliceOrder::default()
    })
}

fn agent(bus: &Bus, jobs: Sender<Job>, news: SyncSender<News>) -> Agent {
    Agent {
        outbox: bus.outbox().clone(),
        me: Introduction {
            name: "load1".to_owned(),
            ..Introduction::default()
        },
        subject: subjects::events("load1"),
        origin: Instant::now(),
        run: None,
        ending: 0,
        beat: Instant::now(),
        jobs,
        warned: None,
        parts: Default::default(),
        halt: Arc::default(),
        failure: None,
        news,
    }
}

/// Obeys these orders. Returns the event after each order, and the jobs.
fn obey(orders: Vec<Order>) -> (Vec<Option<Happened>>, Vec<Job>) {
    let (bus, mut sent, ..) = bus();
    let (jobs, queue) = mpsc::channel();
    let (news, _told) = mpsc::sync_channel(MOST_NEWS);
    let mut agent = agent(&bus, jobs, news);
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
        order("a", What::Reserve { number: 0 }),
        order("b", What::Reserve { number: 0 }),
        order("b", prepare(1)),
        order("a", What::Reserve { number: 0 }),
        order("a", What::End),
        order("b", What::Reserve { number: 0 }),
    ]);
    assert!(matches!(
        &events[..],
        [
            Some(Happened::Reserved),
            Some(Happened::Busy),
            Some(Happened::Gone { .. }),
            Some(Happened::Reserved),
            None,
            Some(Happened::Busy),
        ]
    ));
}

#[test]
fn an_agent_is_free_when_the_jobs_of_its_last_run_have_ended() {
    let (bus, mut sent, inbox, arriving) = bus();
    let (jobs, queue) = mpsc::channel();
    let (reporter, reports) = mpsc::channel();
    let (news, _told) = mpsc::sync_channel(MOST_NEWS);
    let mut agent = agent(&bus, jobs, news);
    for what in [What::Reserve { number: 0 }, What::End] {
        arriving.add(&subjects::orders("load1"), &order("a", what));
        agent.turn(&inbox, &reports);
    }
    assert!(matches!(queue.try_recv(), Ok(Job::End)));
    let mut reserve = || {
        arriving.add(
            &subjects::orders("load1"),
            &order("b", What::Reserve { number: 0 }),
        );
        agent.turn(&inbox, &reports);
    };
    reserve();
    reporter
        .send(Report::RunEnded)
        .expect("an agent that reads");
    reserve();
    let events = std::iter::from_fn(|| sent.next::<Event>());
    let events: Vec<Happened> = events.map(|(_, event)| event.what).collect();
    assert!(matches!(
        events[..],
        [Happened::Reserved, Happened::Busy, Happened::Reserved]
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
        order("a", What::Reserve { number: 0 }),
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

/// The coordinator orders the next slice as soon as the last slice has ended. That order can arrive
/// before the agent's control thread has read the worker's report.
#[test]
fn the_next_slice_can_be_ordered_as_soon_as_one_has_ended() {
    let (bus, mut sent, inbox, arriving) = bus();
    let (jobs, queue) = mpsc::channel();
    let (reporter, reports) = mpsc::channel();
    let (news, _told) = mpsc::sync_channel(MOST_NEWS);
    let mut agent = agent(&bus, jobs, news);
    let mut turn = |what, ended: Option<u64>| {
        arriving.add(&subjects::orders("load1"), &order("a", what));
        if let Some(number) = ended {
            reporter
                .send(Report::Ended(number))
                .expect("an agent that reads");
        }
        agent.turn(&inbox, &reports);
    };
    turn(What::Reserve { number: 0 }, None);
    turn(slice(0), None);
    turn(slice(1), Some(0));
    turn(slice(2), None);
    turn(slice(1), Some(1));
    drop(agent);
    let started = queue.try_iter().filter_map(|job| match job {
        Job::Slice(ordered, ..) => Some(ordered.number),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), [0, 1]);
    let refusals = std::iter::from_fn(|| sent.next::<Event>());
    let refusals = refusals.filter_map(|(_, event)| match event.what {
        Happened::Refused { why, .. } => Some(why),
        _ => None,
    });
    assert_eq!(
        refusals.collect::<Vec<_>>(),
        [
            "agent \"load1\": slice 2 was ordered before slice 1 ended",
            "agent \"load1\": slice 1 was ordered twice",
        ]
    );
}

/// What a coordinator orders of an agent that it gave up may not have arrived.
#[test]
fn an_agent_that_was_declared_lost_leaves_the_run_until_it_is_reserved_again() {
    let (bus, _sent, ..) = bus();
    let (jobs, _queue) = mpsc::channel();
    let (news, _told) = mpsc::sync_channel(MOST_NEWS);
    let mut agent = agent(&bus, jobs, news);
    let lease = |lost: &[(&str, u64)]| Lease {
        run: "a".to_owned(),
        lost: lost
            .iter()
            .map(|(name, last)| ((*name).to_owned(), *last))
            .collect(),
    };
    let works = |agent: &Agent| agent.run.is_some();
    assert!(agent.reserve("a", 3));
    agent.renew(&lease(&[("load1", 2), ("load2", 9)]), Instant::now());
    assert!(works(&agent), "reserved after the loss, and another agent");
    agent.renew(&lease(&[("load1", 3)]), Instant::now());
    assert!(!works(&agent));
    agent.ending = 0;
    assert!(agent.reserve("a", 4));
    agent.renew(&lease(&[("load1", 3)]), Instant::now());
    assert!(works(&agent));
}

#[test]
fn a_lease_that_has_ended_is_not_renewed() {
    let (bus, _sent, ..) = bus();
    let (jobs, _queue) = mpsc::channel();
    let (news, _told) = mpsc::sync_channel(MOST_NEWS);
    let mut agent = agent(&bus, jobs, news);
    assert!(agent.reserve("a", 0));
    let lease = Lease {
        run: "a".to_owned(),
        lost: Default::default(),
    };
    agent.renew(&lease, Instant::now() + LEASE_TIME / 2);
    assert!(agent.run.is_some());
    agent.renew(&lease, Instant::now() + 2 * LEASE_TIME);
    assert!(agent.run.is_none());
}

#[test]
fn an_order_that_is_not_complete_is_missed_with_its_number() {
    let part = |number| {
        let large = What::Slice(SliceOrder {
            slice: 4,
            state: vec![0; 3 * crate::parts::LARGEST_PART].into(),
            ..SliceOrder::default()
        });
        let parts = crate::parts::split(large, |part| What::Part { number: 4, part });
        parts.expect("parts").swap_remove(number)
    };
    let (events, _) = obey(vec![
        order("a", What::Reserve { number: 0 }),
        order("a", part(0)),
        order("a", part(2)),
    ]);
    assert!(matches!(
        &events[..],
        [
            _,
            None,
            Some(Happened::Missed {
                number: Some(4),
                ..
            })
        ]
    ));
}
