#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

use tenbin_result::Language;

use super::*;
use crate::limit::causes::CAUSES;

use Quantity::{
    Alone, AloneOpened, BackendShare, BytesEach, CoreDemand, CoreWaitShare, CpuShare, Doubled,
    GeneratorThread, Idle, InFlight, InUse, Kept, LinkShare, Loopback, LossShare,
    NewConnectionShare, OthersShare, QueueShare, RefusedShare, RoundTripShare, Served, ServedShare,
    SetupShare, StorageShare, StoredEach, StreamShare, TargetCores, TargetShare, TargetThread,
    ThinkShare, ThreadShare, ThrottledShare, TooManyShare, TransferShare,
};

type Seen = Vec<(Quantity, f64)>;

fn seen(quantities: &[(Quantity, f64)]) -> Observed {
    let mut seen = Observed::default();
    for (quantity, value) in quantities {
        seen.set(*quantity, Some(*value));
    }
    seen
}

/// What is seen of a load of 16 connections: the requests served at a time, the gain from twice the
/// connections, and the idle share of the machine.
fn load(served: f64, doubled: f64, idle: f64) -> Seen {
    vec![
        (InFlight, 16.0),
        (Loopback, 1.0),
        (Alone, 0.01),
        (Served, served),
        (ServedShare, served / 16.0),
        (Doubled, doubled),
        (Idle, idle),
        (NewConnectionShare, 0.0),
        (RoundTripShare, 0.01),
        (RefusedShare, 0.0),
        (TransferShare, 0.1),
    ]
}

fn and(mut seen: Seen, more: &[(Quantity, f64)]) -> Seen {
    seen.extend_from_slice(more);
    seen
}

fn told(quantities: &[(Quantity, f64)]) -> (Option<&'static str>, Certainty) {
    let found = decide(&seen(quantities));
    (found.cause.map(|cause| cause.name), found.certainty)
}

#[test]
fn what_changes_with_the_load_tells_the_limit() {
    let target = |cores: f64, thread: f64, cpu: f64| {
        [
            (TargetCores, cores),
            (TargetShare, cores / 4.0),
            (TargetThread, thread),
            (ThreadShare, thread / cores),
            (CpuShare, cpu),
        ]
    };
    let sleeping = target(0.02, 0.02, 0.01);
    let cases: [(&str, Seen, &str); 20] = [
        (
            "one worker of 10 ms",
            and(load(1.0, 1.0, 0.9), &sleeping),
            "workers",
        ),
        (
            "four workers of 10 ms",
            and(load(4.0, 1.02, 0.8), &sleeping),
            "workers",
        ),
        (
            "too few connections",
            and(load(15.8, 1.9, 0.8), &sleeping),
            "connections",
        ),
        (
            "one core of a single-threaded server",
            and(load(1.1, 1.0, 0.6), &target(0.98, 0.97, 0.9)),
            "one_core",
        ),
        (
            "all cores",
            and(load(3.5, 1.0, 0.01), &target(3.4, 0.9, 0.95)),
            "target_cpu",
        ),
        (
            "other programs",
            and(
                and(load(2.0, 1.0, 0.01), &target(1.2, 0.4, 0.9)),
                &[(OthersShare, 0.65), (CoreWaitShare, 0.6)],
            ),
            "other_programs",
        ),
        (
            "connections that are closed",
            and(
                and(load(2.5, 1.0, 0.3), &target(0.7, 0.3, 0.2)),
                &[
                    (NewConnectionShare, 1.0),
                    (SetupShare, 0.4),
                    (GeneratorThread, 0.95),
                ],
            ),
            "connection_setup",
        ),
        (
            "a far server",
            and(
                and(load(16.0, 1.95, 0.9), &sleeping),
                &[(RoundTripShare, 0.95)],
            ),
            "network_latency",
        ),
        (
            "a rate limiter",
            and(and(load(3.0, 1.0, 0.9), &sleeping), &[(RefusedShare, 0.6)]),
            "rate_limiter",
        ),
        (
            "a narrow path",
            and(
                and(load(1.3, 1.0, 0.9), &sleeping),
                &[
                    (Loopback, 0.0),
                    (TransferShare, 0.9),
                    (BytesEach, 65_536.0),
                    (QueueShare, 0.2),
                ],
            ),
            "bandwidth",
        ),
        (
            "one worker that works between the parts of a large response",
            and(
                and(load(1.0, 1.0, 0.9), &sleeping),
                &[
                    (TransferShare, 0.9),
                    (BytesEach, 65_536.0),
                    (QueueShare, 0.001),
                ],
            ),
            "workers",
        ),
        (
            "lost packets",
            and(
                and(load(14.0, 1.9, 0.9), &sleeping),
                &[
                    (LossShare, 0.01),
                    (RoundTripShare, 0.2),
                    (TransferShare, 0.7),
                ],
            ),
            "packet_loss",
        ),
        (
            "few streams",
            and(
                and(load(14.0, 1.9, 0.9), &sleeping),
                &[(StreamShare, 0.125)],
            ),
            "stream_limit",
        ),
        (
            "a quota of CPU time on a busy machine",
            and(
                and(load(1.0, 1.0, 0.01), &target(0.2, 0.2, 0.9)),
                &[
                    (ThrottledShare, 0.7),
                    (OthersShare, 0.7),
                    (CoreWaitShare, 0.8),
                ],
            ),
            "cpu_quota",
        ),
        (
            "a quota of CPU time that the kernel does not tell",
            and(
                and(load(0.9, 1.0, 0.8), &target(0.2, 0.2, 1.1)),
                &[(CoreWaitShare, 0.8)],
            ),
            "few_cores",
        ),
        (
            "fast requests that wait until cores wake up",
            and(
                and(load(4.8, 1.05, 0.25), &target(1.1, 0.84, 0.2)),
                &[(Alone, 0.000_07), (ThreadShare, 1.0)],
            ),
            "one_core",
        ),
        (
            "clients that think",
            and(and(load(0.8, 1.9, 0.9), &sleeping), &[(ThinkShare, 0.9)]),
            "think_time",
        ),
        (
            "a limit of the rate of each connection",
            and(
                and(load(15.0, 2.0, 0.9), &sleeping),
                &[(TransferShare, 0.98), (BytesEach, 1e6), (LossShare, 0.0)],
            ),
            "connection_rate",
        ),
        (
            "a target that is slower with more requests at a time",
            and(load(0.4, 0.7, 0.9), &sleeping),
            "overload",
        ),
        (
            "a load generator at its limit",
            and(
                and(load(5.0, 1.02, 0.5), &target(0.9, 0.3, 0.4)),
                &[(GeneratorThread, 0.99), (OthersShare, 0.02)],
            ),
            "load_generator",
        ),
    ];
    for (what, quantities, expected) in cases {
        let found = decide(&seen(&quantities));
        let ranked: Vec<_> = found
            .ranked
            .iter()
            .map(|(cause, score)| (cause.name, score))
            .collect();
        let cause = found.cause.map(|cause| cause.name);
        assert_eq!(cause, Some(expected), "{what}: {ranked:?}");
    }
}

#[test]
fn nothing_is_established_without_another_load() {
    let unprobed = [
        (InFlight, 16.0),
        (Idle, 0.02),
        (TargetCores, 3.6),
        (TargetShare, 0.9),
        (TargetThread, 0.9),
        (OthersShare, 0.0),
        (ThreadShare, 0.25),
        (RefusedShare, 0.0),
    ];
    assert_eq!(told(&unprobed), (Some("target_cpu"), Certainty::Likely));
    let storage = [(StorageShare, 0.5), (Idle, 0.9), (CpuShare, 0.1)];
    assert_eq!(told(&storage), (Some("storage"), Certainty::Likely));
    let idle = [(InFlight, 16.0), (Idle, 0.9), (TargetCores, 0.1)];
    assert_eq!(told(&idle), (None, Certainty::Unknown));
    let kept = [(Kept, 1.0), (Idle, 0.5)];
    assert_eq!(told(&kept), (Some("offered_rate"), Certainty::Established));
    // Beside other programs, more connections bring a little more.
    let busy = |doubled: f64| {
        let machine = [
            (TargetCores, 1.2),
            (TargetShare, 0.3),
            (TargetThread, 0.4),
            (ThreadShare, 0.33),
            (CpuShare, 0.9),
            (OthersShare, 0.65),
            (CoreWaitShare, 0.6),
        ];
        told(&and(load(2.0, doubled, 0.01), &machine))
    };
    let others = Some("other_programs");
    assert_eq!(busy(1.05), (others, Certainty::Established));
    assert_eq!(busy(1.157), (others, Certainty::Likely));
}

#[test]
fn what_another_cause_explains_as_well_is_not_established() {
    // Of a target on another machine, whose CPU is unknown.
    let far = |doubled: f64, more: &[(Quantity, f64)]| {
        and(
            vec![
                (InFlight, 16.0),
                (Doubled, doubled),
                (NewConnectionShare, 0.0),
                (RefusedShare, 0.0),
                (StorageShare, 0.0),
                (LossShare, 0.0),
                (GeneratorThread, 0.2),
                (BytesEach, 2_000.0),
            ],
            more,
        )
    };
    let waiting = [
        (Alone, 0.01),
        (Served, 4.0),
        (ServedShare, 0.25),
        (Idle, 0.8),
        (CpuShare, 0.05),
        (TargetThread, 0.1),
        (TransferShare, 0.1),
    ];
    let cases: [(&str, Seen, &str); 11] = [
        (
            "small responses over a slow path",
            and(far(1.0, &[(Loopback, 0.0), (QueueShare, 0.6)]), &waiting),
            "workers",
        ),
        (
            "a target that sleeps behind a path that loses packets",
            far(
                1.95,
                &[
                    (ServedShare, 1.0),
                    (RoundTripShare, 0.02),
                    (LossShare, 0.1),
                    (TransferShare, 0.1),
                    (BytesEach, 65_536.0),
                ],
            ),
            "packet_loss",
        ),
        (
            "one worker that sleeps beside other programs",
            and(
                load(0.65, 1.0, 0.01),
                &[
                    (OthersShare, 0.7),
                    (CoreWaitShare, 0.6),
                    (CoreDemand, 0.2),
                    (CpuShare, 0.5),
                ],
            ),
            "other_programs",
        ),
        (
            "large bodies that a far server encrypts",
            far(
                1.0,
                &[
                    (Alone, 0.04),
                    (Served, 4.0),
                    (ServedShare, 0.25),
                    (TransferShare, 0.81),
                    (QueueShare, 0.18),
                    (BytesEach, 1_048_576.0),
                ],
            ),
            "bandwidth",
        ),
        (
            "a lock that is held for every part of a response, without a network",
            far(
                1.0,
                &[
                    (Loopback, 1.0),
                    (Idle, 0.9),
                    (Alone, 0.02),
                    (Served, 1.0),
                    (ServedShare, 0.06),
                    (TransferShare, 0.9),
                    (QueueShare, 0.2),
                    (BytesEach, 65_536.0),
                ],
            ),
            "bandwidth",
        ),
        (
            "small responses over a radio link",
            far(
                1.95,
                &[
                    (ServedShare, 1.0),
                    (RoundTripShare, 0.1),
                    (LossShare, 0.006),
                ],
            ),
            "packet_loss",
        ),
        (
            "an open loop without free connections",
            far(
                1.0,
                &[
                    (Kept, 0.3),
                    (BackendShare, 0.3),
                    (TargetShare, 0.04),
                    (Idle, 0.6),
                ],
            ),
            "backend",
        ),
        (
            "many streams to one full thread",
            far(
                1.95,
                &[(Idle, 0.7), (TargetThread, 1.0), (RoundTripShare, 0.01)],
            ),
            "connections",
        ),
        (
            "workers beside another program that uses the disk",
            and(
                far(1.0, &waiting),
                &[(StorageShare, 0.4), (StoredEach, 0.0)],
            ),
            "storage",
        ),
        (
            "a tunnel with a stated speed that is too low",
            far(1.0, &[(LinkShare, 2.0)]),
            "link",
        ),
        (
            "a far server that sheds load",
            far(1.0, &[(RefusedShare, 0.99)]),
            "rate_limiter",
        ),
    ];
    for (what, quantities, wrong) in cases {
        let found = decide(&seen(&quantities));
        let is_wrong = found.cause.is_some_and(|cause| cause.name == wrong);
        let is_sure = found.certainty == Certainty::Established;
        assert!(!(is_wrong && is_sure), "{what}");
    }
}

#[test]
fn waits_for_cores_of_a_full_machine_are_no_quota() {
    let full = and(
        load(2.0, 1.0, 0.16),
        &[(CoreWaitShare, 0.6), (CpuShare, 0.9), (TargetCores, 1.1)],
    );
    let found = decide(&seen(&full));
    let names: Vec<&str> = found.ranked.iter().map(|(cause, _)| cause.name).collect();
    assert!(!names.contains(&"few_cores"), "{names:?}");
}

/// Figures of a search server with a quota of a fifth of a core, whose client opens a connection for each
/// request.
#[test]
fn a_connection_that_opens_at_once_is_no_limit_of_a_slow_request() {
    let quota = |alone: f64, setup: f64| {
        let seen = and(
            load(1.04, 1.17, 0.85),
            &[
                (Alone, alone),
                (AloneOpened, alone * (1.0 - setup)),
                (NewConnectionShare, 1.0),
                (SetupShare, setup),
                (CoreWaitShare, 0.92),
                (CpuShare, 2.5),
                (TargetCores, 0.2),
                (TargetThread, 0.1),
                (GeneratorThread, 0.02),
            ],
        );
        told(&seen)
    };
    assert_eq!(quota(0.022, 0.0006), (Some("few_cores"), Certainty::Likely));
    // The server may spend the time of a short request on the connection.
    assert_eq!(quota(0.000_2, 0.0006), (None, Certainty::Unknown));
    // Opening a connection takes nearly all of the time, as with TLS over a long way.
    let far = quota(0.022, 0.8);
    assert_eq!(far, (Some("connection_setup"), Certainty::Likely));
}

#[test]
fn two_causes_that_fit_alike_are_both_named() {
    let both = and(
        load(2.0, 1.0, 0.02),
        &[
            (TargetCores, 2.0),
            (TargetShare, 0.5),
            (TargetThread, 0.5),
            (CpuShare, 0.9),
            (OthersShare, 0.22),
            (ThreadShare, 0.25),
            (CoreWaitShare, 0.35),
        ],
    );
    let found = decide(&seen(&both));
    assert_eq!(found.cause.map(|cause| cause.name), None);
    let sentence = Messages::NONE.in_english(&sentence::evidence(&found, &seen(&both)));
    assert!(sentence.starts_with("unknown: "), "{sentence}");
    assert!(
        sentence.contains("other programs use the cores"),
        "{sentence}"
    );
}

#[test]
fn every_cause_and_quantity_has_its_words() {
    let all: Seen = Quantity::ALL.iter().map(|it| (*it, 0.5)).collect();
    let all = seen(&all);
    for cause in CAUSES {
        let decision = Decision {
            cause: Some(cause),
            certainty: Certainty::Likely,
            ranked: vec![(cause, 1.0)],
            doubted_by: Some("client_saturated"),
            delayed: false,
        };
        for message in [
            sentence::evidence(&decision, &all),
            sentence::advice(&decision, &all, None),
        ] {
            for language in [Language::English, Language::Japanese] {
                let said = Messages::NONE.say(&message, language);
                assert!(said.is_some_and(|said| !said.is_empty()), "{message:?}");
            }
        }
    }
    for quantity in Quantity::ALL {
        for language in [Language::English, Language::Japanese] {
            let Some(quote) = sentence::quote(*quantity, &all) else {
                continue;
            };
            assert!(Messages::NONE.say(&quote, language).is_some(), "{quote:?}");
        }
    }
}

#[test]
fn a_sentence_names_the_limit_what_shows_it_and_what_to_do() {
    let seen = seen(&and(
        load(1.02, 1.0, 0.9),
        &[
            (TargetCores, 0.02),
            (TargetThread, 0.02),
            (CpuShare, 0.01),
            (StorageShare, 0.0),
            (GeneratorThread, 0.1),
        ],
    ));
    let found = decide(&seen);
    assert_eq!(
        Messages::NONE.in_english(&sentence::evidence(&found, &seen)),
        "the target serves one request at a time (established): one worker, or a lock, allows no \
         more; doubling the connections does not raise throughput (× 1.000); about 1 of 16 \
         requests are served at a time (a request sent alone takes 10.0 ms on average); a request \
         sent alone mostly waits: 1 % of its time is CPU time"
    );
    assert_eq!(
        Messages::NONE.in_english(&sentence::advice(&found, &seen, None)),
        "first raise the number of workers or threads; if throughput stays the same, check what \
         the workers wait for: pooled connections, a lock, a rate limit, or a backend"
    );
}

#[test]
fn an_unknown_limit_says_what_would_tell_it() {
    let said = |quantities: &[(Quantity, f64)], no_probes: Option<NoProbes>| {
        let seen = seen(quantities);
        let advice = sentence::advice(&decide(&seen), &seen, no_probes);
        Messages::NONE.in_english(&advice)
    };
    let idle = [(InFlight, 16.0), (Idle, 0.9), (TargetCores, 0.1)];
    assert!(said(&idle[..2], None).contains("--observe"));
    let blobstore = |quantities: &[(Quantity, f64)]| {
        let seen = seen(quantities);
        let advice = sentence::how_to_observe_blobstore(&decide(&seen), &seen)?;
        Some(Messages::NONE.in_english(&advice))
    };
    assert!(blobstore(&idle[..2]).is_some_and(|advice| advice.contains("name:blobnode")));
    assert_eq!(blobstore(&idle), None);
    assert!(said(&idle, Some(NoProbes::TooShort)).contains("--duration 20s"));
    assert!(said(&idle, Some(NoProbes::TurnedOff)).contains("without --probes none"));
    let of_gate = said(&idle, Some(NoProbes::OfGate));
    assert!(
        of_gate.starts_with("a gate does not probe other loads"),
        "{of_gate}"
    );
    assert!(said(&idle, Some(NoProbes::NotPossible)).contains("--ramp"));
}

#[test]
fn an_open_loop_that_stays_behind_gets_no_more_from_more_requests() {
    let figures = |answers: u64| {
        let mut run = crate::testing::Run::single(8).open_loop();
        run.each(|slice| slice.answers(answers, 0.002));
        let limit = run.assess().limits.remove(0);
        (limit.figures.get("doubled").copied(), limit.cause)
    };
    assert_eq!(figures(500).0, Some(1.0));
    assert_eq!(figures(1_000), (None, Some("offered_rate".to_owned())));
    let behind = [
        (Kept, 0.6),
        (Doubled, 1.0),
        (TargetCores, 0.98),
        (ThreadShare, 0.99),
        (GeneratorThread, 0.2),
        (Idle, 0.5),
    ];
    assert_eq!(told(&behind), (Some("one_core"), Certainty::Likely));
    let seen = seen(&behind);
    let sentence = sentence::evidence(&decide(&seen), &seen);
    let sentence = Messages::NONE.in_english(&sentence);
    assert!(
        sentence.contains("0.600 times the offered rate succeeds"),
        "{sentence}"
    );
    assert!(!sentence.contains("raise"), "{sentence}");
}

#[test]
fn an_open_loop_with_all_connections_in_use_needs_more_of_them() {
    let limit = |answers: u64, service: f64| {
        let mut run = crate::testing::Run::single(8).open_loop();
        run.each(|slice| {
            slice.answers(answers, service);
            slice.server_cpu(0.3);
        });
        run.assess().limits.remove(0)
    };
    // 2 connections to a target that takes 4.8 ms: 400 of 1,000 requests per second.
    let limit_of_all = limit(400, 0.0048);
    assert_eq!(limit_of_all.cause.as_deref(), Some("rate_connections"));
    assert_eq!(limit_of_all.certainty, Certainty::Likely);
    let evidence = &limit_of_all.evidence;
    assert!(
        evidence.starts_with(
            "the number of connections: all 2 are in use, and the rate needs about 5 (likely)"
        ),
        "{evidence}"
    );
    assert!(
        limit_of_all
            .advice
            .starts_with("use more connections (-c 5)")
    );
    // Half of the connections are free.
    let half = limit(200, 0.0048).cause;
    assert_ne!(half.as_deref(), Some("rate_connections"));
    let behind = [
        (Kept, 0.16),
        (Doubled, 1.0),
        (InUse, 1.0),
        (GeneratorThread, 0.1),
        (StorageShare, 0.0),
        (RefusedShare, 0.0),
        (NewConnectionShare, 0.0),
    ];
    // Even if the CPU use of the target is unknown.
    let unobserved = told(&behind);
    assert_eq!(unobserved, (Some("rate_connections"), Certainty::Likely));
    let one_core = [
        (TargetCores, 0.98),
        (TargetThread, 0.97),
        (ThreadShare, 0.99),
        (Idle, 0.5),
    ];
    let of_core = told(&and(behind.to_vec(), &one_core));
    assert_eq!(of_core.0, Some("one_core"));
}

#[test]
fn a_probe_that_fails_more_than_the_rounds_tells_nothing() {
    let doubled = |failed: u64| {
        let mut run = crate::testing::Run::single(8);
        let mut probe = run.slices[0].clone();
        probe.head.connections *= 2;
        probe.head.limit_probe = true;
        if failed > 0 {
            crate::testing::Made(&mut probe).fail(tenbin_record::ErrorClass::Reset, failed);
        }
        run.limit_probes.push(probe);
        run.assess().limits[0].figures.get("doubled").copied()
    };
    assert_eq!(doubled(0), Some(1.0));
    assert_eq!(doubled(900), None);
}

#[test]
fn a_limit_beside_a_generator_that_may_be_the_limit_is_not_established() {
    let limit = |generator: f64| {
        let mut run = crate::testing::Run::single(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.answers(1_000, 0.001);
            slice.0.ledger.opened = 1_000;
            slice.0.ledger.connect_nanos = 1_000_000_000;
            slice.busiest_thread(generator);
        });
        run.assess().limits.remove(0)
    };
    let doubted = |limit: &tenbin_result::Limit| limit.evidence.contains("see client_saturated");
    let free = limit(0.5);
    assert_eq!(free.cause.as_deref(), Some("connection_setup"), "{free:?}");
    assert!(!doubted(&free), "{}", free.evidence);
    let busy = limit(0.95);
    assert_eq!(busy.cause.as_deref(), Some("connection_setup"), "{busy:?}");
    assert_eq!(busy.certainty, Certainty::Likely);
    assert!(doubted(&busy), "{}", busy.evidence);
    assert!(
        busy.evidence.starts_with("not settled"),
        "{}",
        busy.evidence
    );
    assert!(busy.advice.starts_with("first "), "{}", busy.advice);
}

#[test]
fn refusals_are_said_with_their_status() {
    let said = |too_many: f64| {
        let all = seen(&[(RefusedShare, 0.5), (TooManyShare, too_many)]);
        let quote = sentence::quote(RefusedShare, &all).expect("a quote");
        Messages::NONE.in_english(&quote)
    };
    assert_eq!(said(0.5), "50 % of the responses have status 429");
    assert_eq!(said(0.0), "50 % of the responses have status 503");
    assert_eq!(said(0.2), "50 % of the responses have status 429 or 503");
}

#[test]
fn one_request_in_flight_is_told_as_such() {
    let with_one = seen(&[
        (InFlight, 1.0),
        (Alone, 0.01),
        (Doubled, 1.01),
        (Served, 1.02),
        (ServedShare, 0.51),
    ]);
    let said = |of: Quantity| {
        let quote = sentence::quote(of, &with_one).expect("a quote");
        Messages::NONE.in_english(&quote)
    };
    assert_eq!(
        said(Doubled),
        "a second test with 2 connections does not raise throughput (× 1.010)"
    );
    assert_eq!(
        said(ServedShare),
        "a request sent alone takes 10.0 ms on average"
    );
}

#[test]
fn cpu_time_that_a_target_uses_without_load_serves_no_request() {
    let cores = |without_load: f64| {
        let mut run = crate::testing::Run::single(8);
        run.each(|slice| {
            slice.answers(1_000, 0.001);
            slice.machine().pause = Some(tenbin_record::PauseUse {
                seconds: 0.2,
                programs: Vec::new(),
                targets: [("a".to_owned(), 0.2 * without_load)].into(),
                active_opens: None,
            });
        });
        let limit = run.assess().limits.remove(0);
        limit.figures.get("target_cores").copied()
    };
    let all = cores(0.0).expect("a figure");
    let left = cores(1.0).expect("a figure");
    assert!((all - left - 1.0).abs() < 1e-9, "{all} and {left}");
}
