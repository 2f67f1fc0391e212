//! Targets that serve some connections much faster than others.

use tenbin_record::{ServerUse, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::spread::uneven;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "uneven_workers",
    summary: Texts {
        english: "some connections are served much faster than others: workers have unequal shares of them",
        japanese: "一部の接続がほかよりはるかに速い(ワーカーへの割り当ての偏り)",
    },
    severities: &[Severity::Note],
    explanation: pages!("uneven_workers"),
    messages: Messages {
        english: r#"
            uneven =
                with { $connections ->
                    [one] 1 connection
                   *[other] { $connections } connections
                }, the fastest connection completed { $completed } ({ $fastest } and { $slowest },
                medians of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                }): { $because }{ $reopened }
            times-as-many = { $times } times as many requests as the slowest
            slowest-none = many requests and the slowest none
            reopened = ; each slice opened its connections { $times } times to average over this
            processes =
                workers that accept on a shared socket get unequal shares of the connections (the
                target has { $processes } processes)
            threads = the threads of its one process have unequal shares of the connections
            unknown-workers =
                workers that accept on a shared socket get unequal shares of the connections, if
                the target has several (the number of its processes is not known)
            distribute =
                { $reopens ->
                    [true]
                        the throughput is the mean over many assignments of connections to workers
                   *[false]
                        the throughput depends on a random assignment of connections to workers:
                        use --reopen 8 to average over many assignments
                }; to distribute connections better, use several per worker{ $processes ->
                    [true]
                        , and give each worker its own listening socket (SO_REUSEPORT; in nginx
                        reuseport, in Workerman reusePort)
                   *[false] {""}
                }
            observe =
                add --observe port, so that the number of processes is known: with one process, the
                server prefers some connections; with several, use --reopen 8 to average over many
                assignments of connections to workers
        "#,
        japanese: r#"
            uneven =
                { $connections } 接続で、最も速い接続{ $completed }({ $fastest } と { $slowest }、
                { $slices } スライスの中央値)。{ $because }{ $reopened }
            times-as-many = の処理数は最も遅い接続の { $times } 倍
            slowest-none = は多くのリクエストを処理し、最も遅い接続は 1 つも処理しなかった
            reopened = 。これをならすため、各スライスで接続を { $times } 回開き直した
            processes =
                ソケットを共有して accept するワーカーの間で接続数が偏っている(ターゲットのプロセスは { $processes } 個)
            threads = 1 つのプロセスのスレッドの間で接続数が偏っている
            unknown-workers =
                ソケットを共有して accept するワーカーが複数あれば、その間で接続数が偏っている(プロセスの数は不明)
            distribute =
                { $reopens ->
                    [true] スループットは、ワーカーへの接続の割り当てを何度も変えた平均
                   *[false]
                        スループットは、ワーカーへの接続の偶然の割り当てに左右される。
                        --reopen 8 で多くの割り当てを平均する
                }。偏りを減らすには、ワーカーあたりの接続を複数に{ $processes ->
                    [true]
                        し、ワーカーごとに待ち受けソケットを持たせる(SO_REUSEPORT。nginx では reuseport、
                        Workerman では reusePort)
                   *[false] する
                }
            observe =
                --observe port を加えるとプロセスの数がわかる。1 個ならサーバーが一部の接続を優先している。
                複数なら --reopen 8 で、ワーカーへの接続の割り当てを何度も変えて平均する
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let targets = evidence.plan.targets.iter();
    targets
        .filter_map(|target| {
            let mine = cells.iter().filter(|cell| cell.target.name == target.name);
            let found: Vec<(&Cell<'_>, Seen)> = mine
                .filter(|cell| is_closed(cell.workload))
                .filter_map(|cell| Some((cell, Seen::of(cell)?)))
                .filter(|(_, seen)| seen.workers != Workers::One)
                .collect();
            of_target(&found)
        })
        .collect()
}

/// The rates of the single connections of one workload on one target, medians over slices.
struct Seen {
    slowest: f64,
    fastest: f64,
    times: f64,
    slices: usize,
    reopen: Option<u32>,
    workers: Workers,
}

/// Who serves the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Workers {
    /// One process, or one of several processes, does the work. It has no shares to distribute.
    One,
    /// The threads of one process, several of which are busy.
    Threads,
    /// This number of processes, of which several work.
    Processes(u64),
    /// The target is not observed.
    Unknown,
}

/// Share of the target's CPU time above which one process or thread does the work alone.
const ALONE: f64 = 0.90;

/// Share of a core below which the busiest thread cannot be what connections wait for.
const BUSY_THREAD: f64 = 0.50;

impl Workers {
    fn of(full: &[&Slice]) -> Self {
        let used = || full.iter().filter_map(|slice| slice.server());
        let sum = |pick: fn(ServerUse) -> Option<f64>| used().map(pick).sum::<Option<f64>>();
        let all = sum(|used| used.cpu_seconds);
        let does_all = |part: Option<f64>| {
            let share = part.zip(all).filter(|(_, all)| *all > 0.0);
            share.is_some_and(|(part, all)| part >= ALONE * all)
        };
        let programs = |slice: &&Slice| {
            let programs = slice.machine()?.target_programs?.into_iter();
            Some(
                programs
                    .map(|program| program.processes.unwrap_or(1))
                    .sum::<u64>(),
            )
        };
        let processes = full.iter().filter_map(programs).max();
        let one_works = does_all(sum(|used| used.busiest_process_seconds));
        match processes {
            Some(2..) | None if !one_works => processes.map_or(Self::Unknown, Self::Processes),
            _ => {
                let thread = sum(|used| used.busiest_thread_seconds);
                let seconds: f64 = full.iter().map(|slice| slice.end.seconds).sum();
                let is_busy = thread.is_some_and(|used| used >= BUSY_THREAD * seconds);
                if is_busy && !does_all(thread) {
                    Self::Threads
                } else {
                    Self::One
                }
            }
        }
    }
}

impl Seen {
    fn of(cell: &Cell<'_>) -> Option<Self> {
        let full = cell.full();
        let spreads = uneven(cell)?;
        let times = |spread: &tenbin_record::Spread| {
            (spread.slowest > 0.0).then_some(spread.fastest / spread.slowest)
        };
        Some(Self {
            slowest: middle(spreads.iter().map(|spread| spread.slowest))?,
            fastest: middle(spreads.iter().map(|spread| spread.fastest))?,
            // Without a ratio, some connections completed nothing.
            times: middle(spreads.iter().filter_map(times)).unwrap_or(f64::INFINITY),
            slices: spreads.len(),
            reopen: full.iter().find_map(|slice| slice.reopen),
            workers: Workers::of(&full),
        })
    }
}

/// The finding about a target, for the workload with the largest difference.
fn of_target(found: &[(&Cell<'_>, Seen)]) -> Option<Finding> {
    let (cell, seen) = found
        .iter()
        .max_by(|one, other| one.1.times.total_cmp(&other.1.times))?;
    let completed = if seen.times.is_finite() {
        message!("times-as-many", times = Value::Ratio(seen.times))
    } else {
        message!("slowest-none")
    };
    let reopened = seen.reopen.map(|lives| message!("reopened", times = lives));
    let uneven = message!(
        "uneven",
        connections = cell.workload.load.connections,
        completed,
        fastest = Value::Rate(seen.fastest),
        slowest = Value::Rate(seen.slowest),
        slices = seen.slices,
        because = because(seen.workers),
        reopened
    );
    let finding = RULE.finding(Severity::Note, Cause::Server, uneven, advice(seen));
    let finding = finding.of_target(&cell.target.name);
    Some(if found.len() > 1 {
        finding
    } else {
        finding.of_workload(&cell.workload.name)
    })
}

fn because(workers: Workers) -> Message {
    match workers {
        Workers::Processes(count) => message!("processes", processes = Value::Plain(count)),
        Workers::Threads => message!("threads"),
        Workers::One | Workers::Unknown => message!("unknown-workers"),
    }
}

fn advice(seen: &Seen) -> Message {
    match seen.workers {
        Workers::Processes(_) | Workers::Threads => message!(
            "distribute",
            reopens = seen.reopen.is_some(),
            processes = seen.workers != Workers::Threads
        ),
        Workers::One | Workers::Unknown => message!("observe"),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{S3Operation, S3Work, WorkloadKind};
    use tenbin_record::{ErrorClass, ProgramUse, Spread};

    use super::*;
    use crate::testing::{Made, Run};

    fn spread(slowest: f64, fastest: f64) -> Spread {
        Spread {
            connections: 8,
            median_responses: 100.0,
            slowest,
            lower_quartile: slowest,
            median: 100.0,
            upper_quartile: fastest,
            fastest,
            variation: 0.0,
        }
    }

    fn with(slowest: f64, fastest: f64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.end.spread = Some(spread(slowest, fastest))
        });
        run.each(|slice| work(slice, 4, 0.4, 0.4));
        run
    }

    /// Sets the number of processes of the target, and of its 1.5 s of CPU time the seconds of the
    /// busiest process and the busiest thread.
    fn work(slice: &mut Made<'_>, processes: u64, process: f64, thread: f64) {
        slice.machine().target_programs = Some(vec![ProgramUse {
            pid: 7,
            name: "server".to_owned(),
            cpu_seconds: 1.5,
            rss_bytes: None,
            processes: Some(processes).filter(|count| *count > 1),
        }]);
        let server = slice.server();
        server.busiest_process_seconds = Some(process);
        server.busiest_thread_seconds = Some(thread);
    }

    #[test]
    fn one_worker_has_no_shares() {
        let with = |processes, process, thread| {
            let mut run = with(60.0, 180.0);
            run.each(|slice| work(slice, processes, process, thread));
            run.findings(&RULE)
        };
        assert_eq!(with(1, 1.5, 1.5), [], "one process with one thread");
        assert_eq!(with(1, 1.5, 0.01), [], "its threads wait");
        assert_eq!(with(2, 1.49, 1.49), [], "a master and one worker");
        let of_threads = with(1, 1.5, 0.6);
        let said = "the threads of its one process have unequal shares of the connections";
        assert!(of_threads[0].evidence.ends_with(said), "{of_threads:?}");
        assert!(!of_threads[0].advice.contains("SO_REUSEPORT"));
        let of_workers = with(4, 0.4, 0.4);
        assert!(
            of_workers[0]
                .evidence
                .ends_with("(the target has 4 processes)")
        );
        assert!(of_workers[0].advice.contains("SO_REUSEPORT"));
    }

    #[test]
    fn an_unknown_number_of_processes_is_asked_for() {
        let mut run = with(60.0, 180.0);
        run.each(|slice| {
            slice.unobserved();
            slice.machine().target_programs = None;
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].advice.starts_with("add --observe port"));
        assert!(!findings[0].advice.contains("SO_REUSEPORT"));
    }

    #[test]
    fn fires_where_connections_are_served_unevenly() {
        let findings = with(60.0, 180.0).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0].evidence.starts_with(
                "with 2 connections, the fastest connection completed 3.00 times as many \
                 requests as the slowest (180/s and 60.0/s, medians of 16 slices)"
            ),
            "{findings:?}"
        );
        assert!(findings[0].advice.contains("--reopen 8"));
        let none = with(0.0, 180.0).findings(&RULE);
        assert!(
            none[0]
                .evidence
                .contains("many requests and the slowest none")
        );
    }

    #[test]
    fn what_the_warm_up_found_is_reported_where_reopening_hides_it() {
        let mut run = with(95.0, 150.0);
        run.each_of("b", |slice| slice.0.reopen = Some(8));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        let sentence = "each slice opened its connections 8 times to average over this";
        assert!(findings[0].evidence.ends_with(sentence), "{findings:?}");
        // The plan sets reopening, so there is no finding.
        run.plan.workloads[0].load.reopen = Some(8);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_where_connections_wait_before_they_send_a_request_again() {
        let mut run = with(60.0, 180.0);
        run.plan.workloads[0].kind = WorkloadKind::S3(S3Work {
            retries: 3,
            ..S3Work::new(S3Operation::Put, 1_024, 1)
        });
        assert_eq!(run.findings(&RULE).len(), 1, "nothing was refused");
        run.first_of("b").fail(ErrorClass::Status, 1);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_when_connections_are_served_alike_or_unobserved() {
        assert_eq!(with(95.0, 105.0).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(with(60.0, 180.0).open_loop().findings(&RULE), []);
        // Chance explains a single slice of many.
        let mut once = with(95.0, 105.0);
        once.first_of("b").0.end.spread = Some(spread(60.0, 180.0));
        assert_eq!(once.findings(&RULE), []);
    }
}
