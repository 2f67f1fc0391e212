//! Unobserved programs that work for a target.

use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::server::backend::{Backend, Backends};
use crate::words::tame;

/// Cores from which a program with one process may be at its limit.
const ONE_CORE: f64 = 0.90;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "backend_cpu",
    summary: Texts {
        english: "a program that is not observed, such as a database, works for the target",
        japanese: "データベースなど、観測していないプログラムがターゲットのために動いている",
    },
    severities: &[Severity::Note],
    explanation: pages!("backend_cpu"),
    messages: Messages {
        english: r#"
            works-for-target =
                { $each }: { $known ->
                    [true] a database or another backend of this target
                   *[false]
                        its CPU use follows the load on this target; the process that listens on
                        the target's port is not visible
                }
            program =
                { $name } ({ $processes ->
                    [one] pid { $pids }
                   *[other] { $processes } processes
                }) used { $several_loads ->
                    [true] {"up to "}
                   *[false] {""}
                }{ $loaded } of a core while { $target } was loaded and { $idle } { $in_pauses ->
                    [true] during the pauses
                   *[false] while other targets were loaded
                }
            attribute =
                { $full_core ->
                    [true]
                        the program used a full core: if the program is single-threaded, that core
                        is the bottleneck; use fewer or less expensive queries per request, or more
                        cores;{" "}
                   *[false] {""}
                }attribute its CPU time to the target, not to other programs; --observe { $observe }
                adds it to the report
        "#,
        japanese: r#"
            works-for-target =
                { $each }の CPU を使用。{ $known ->
                    [true] このターゲットのデータベースなどのバックエンドである
                   *[false] このターゲットのために動いている。ターゲットのポートを待ち受けるプロセスは見えない
                }
            program =
                { $name }({ $processes ->
                    [1] pid { $pids }
                   *[other] { $processes } プロセス
                })が { $target } の測定中に{ $several_loads ->
                    [true] 最大
                   *[false] {""}
                } { $loaded } コア、{ $in_pauses ->
                    [true] 休止中
                   *[false] ほかのターゲットの測定中
                }に { $idle } コア
            attribute =
                { $full_core ->
                    [true]
                        1 コアを使い切っている。シングルスレッドのプログラムなら、そのコアがボトルネック。
                        1 リクエストあたりのクエリーを減らすか軽くする、またはコアを増やす。
                   *[false] {""}
                }その CPU 時間はほかのプログラムではなくターゲットの分とみなす。--observe { $observe } でレポートに加わる
        "#,
    },
    tier: Tier::Cause,
    tells_limit: true,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let backends = Backends::of(evidence);
    let targets = evidence.plan.targets.iter();
    targets
        .filter_map(|target| {
            let found = backends.of_target(&target.name);
            let busiest = found.first()?;
            // For an unobserved target, other programs are known only if the target's listening
            // process was found.
            let is_known = evidence.slices.iter().any(|slice| {
                let machine = slice.machine();
                slice.target == target.name
                    && (crate::server::cpu_seconds(slice).is_some()
                        || machine.is_some_and(|it| it.others_cpu_seconds.is_some()))
            });
            let several_loads = evidence.plan.workloads.len() > 1;
            let each = found
                .iter()
                .map(|backend| seen(backend, several_loads, &target.name));
            let each: Vec<Message> = each.collect();
            let seen = message!("works-for-target", each, known = is_known);
            let finding = RULE.finding(Severity::Note, Cause::Server, seen, advice(busiest));
            Some(finding.of_target(&target.name))
        })
        .collect()
}

/// The CPU use of a program that works for `target`, with `several_loads` if its load is the
/// largest of several.
fn seen(backend: &Backend, several_loads: bool, target: &str) -> Message {
    let pids = backend.pids.iter().map(i32::to_string);
    message!(
        "program",
        name = tame(&backend.name),
        processes = backend.pids.len(),
        pids = pids.collect::<Vec<String>>(),
        several_loads,
        loaded = Value::Cores(backend.loaded),
        target,
        idle = Value::Cores(backend.idle),
        in_pauses = backend.in_pauses
    )
}

fn advice(busiest: &Backend) -> Message {
    let observe = match busiest.pids.as_slice() {
        [pid] => format!("pid:{pid}"),
        _ => format!("name:{}", tame(&busiest.name)),
    };
    message!(
        "attribute",
        full_core = busiest.pids.len() == 1 && busiest.loaded >= ONE_CORE,
        observe
    )
}

#[cfg(test)]
mod tests {
    use tenbin_record::{PauseUse, ProgramUse};

    use super::*;
    use crate::rules::load::too_few_connections;
    use crate::rules::machine::others_busy;
    use crate::testing::Run;

    /// A run with a database that uses `loaded` cores under load and `paused` cores in pauses.
    fn with_database(loaded: f64, paused: f64) -> Run {
        let mut run = Run::pair(8).elsewhere();
        let program = |cpu_seconds| ProgramUse {
            pid: 71,
            name: "mariadbd".to_owned(),
            cpu_seconds,
            rss_bytes: None,
            processes: None,
        };
        run.each(|slice| {
            slice.server_cpu(0.3);
            let machine = slice.machine();
            machine.others_cpu_seconds = Some(loaded);
            machine.programs = Some(vec![program(loaded)]);
            machine.pause = Some(PauseUse {
                targets: std::collections::BTreeMap::new(),
                seconds: 0.1,
                active_opens: None,
                programs: vec![program(paused * 0.1)],
            });
        });
        run
    }

    #[test]
    fn a_database_that_is_busy_with_the_target_is_a_backend() {
        let run = with_database(0.97, 0.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].evidence,
            "mariadbd (pid 71) used 0.97 of a core while a was loaded and 0.00 during the \
             pauses: a database or another backend of this target"
        );
        assert!(
            findings[0]
                .advice
                .starts_with("the program used a full core")
        );
        assert_eq!(run.findings(&others_busy::RULE), []);
        assert_eq!(
            run.findings(&too_few_connections::RULE),
            [],
            "the database explains it"
        );
    }

    #[test]
    fn backends_of_unobserved_targets_are_described() {
        let mut run = with_database(0.97, 0.0);
        run.each(|slice| {
            slice.unobserved();
            slice.machine().pause.as_mut().unwrap().programs.clear();
        });
        let evidence = |run: &Run| run.findings(&RULE)[0].evidence.clone();
        let seen = "mariadbd (pid 71) used 0.97 of a core while a was loaded and 0.00 during the \
                    pauses";
        // The listening process of the target was found, and the database is another program.
        assert_eq!(
            evidence(&run),
            format!("{seen}: a database or another backend of this target")
        );
        run.each(|slice| slice.machine().others_cpu_seconds = None);
        assert_eq!(
            evidence(&run),
            format!(
                "{seen}: its CPU use follows the load on this target; the process that listens on \
                 the target's port is not visible"
            )
        );
    }

    #[test]
    fn a_program_that_is_always_busy_is_unrelated() {
        let run = with_database(0.97, 0.97);
        assert_eq!(run.findings(&RULE), []);
        let findings = run.findings(&others_busy::RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .contains(": mariadbd (pid 71) 0.97 of a core"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_in_runs_without_these_figures() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
