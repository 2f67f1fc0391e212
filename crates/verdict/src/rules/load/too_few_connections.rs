//! Too few connections to keep the target busy.

use tenbin_plan::Workload;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::concurrency_sweep::level::{Level, swept_workloads};
use crate::evidence::{Evidence, is_closed};
use crate::figures::size_class::SizeClass;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::generator::{BUSY, Thread};
use crate::machine::processor::Busy;
use crate::rules::connections::network_latency;
use crate::rules::generator::client_saturated;
use crate::rules::target::server_cpu;
use crate::rules::target::server_cpu::may_work_on_one_core;
use crate::rules::target::worker_limit;
use crate::server::backend::Backends;
use crate::words::middle;

/// Throughput gain from twice the connections above which there were too few connections.
const GAIN: f64 = 0.05;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "too_few_connections",
    summary: Texts {
        english: "cores were idle, and more connections increase throughput or may do so",
        japanese: "コアが空いており、同時接続数を増やすとスループットが上がる、または上がる可能性がある",
    },
    severities: &[Severity::Note],
    explanation: pages!("too_few_connections"),
    messages: Messages {
        english: r#"
            level-gains =
                with { $connections ->
                    [one] 1 connection
                   *[other] { $connections } connections
                }, { $idle } of { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                } was { $known ->
                    [true] idle
                   *[false] used neither by the target nor by the load generator
                }, and { $more } gave { $gained } ({ $low }–{ $high }) times the throughput
            use-more =
                use { $more } connections or more: with { $connections } or fewer, latency, not the capacity of
                the target, limits the throughput
            idle =
                { $workloads ->
                    [one]
                        with { $connections ->
                            [one] 1 connection
                           *[other] { $connections } connections
                        }, { $idle }
                   *[other] in each of { $workloads } workloads, at least { $idle }
                } of { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                } was { $known ->
                    [true] idle: CPU is not the limit
                   *[false]
                        used neither by the target nor by the load generator: unless other programs did, CPU is
                        not the limit
                }
            run-again =
                run again with { $several ->
                    [true] twice the --connections
                   *[false] --connections { $connections }
                }: if throughput rises, there were too few connections; if not, the target waits for a disk, a
                lock or a free worker
        "#,
        japanese: r#"
            level-gains =
                同時接続数 { $connections } では { $cores } コアの { $idle } { $known ->
                    [true] が空いており
                   *[false] をターゲットも負荷生成側も使っておらず
                }、{ $more } ではスループットが { $gained } 倍({ $low }–{ $high })になった
            use-more =
                同時接続数を { $more } 以上にする。{ $connections } 以下では、
                ターゲットの処理能力ではなくレイテンシがスループットの上限になる
            idle =
                { $workloads ->
                    [1] 同時接続数 { $connections } では { $cores } コアの { $idle }{" "}
                   *[other] { $workloads } ワークロードのいずれでも { $cores } コアの { $idle } 以上
                }{ $known ->
                    [true] が空いていた。
                   *[false]
                        をターゲットも負荷生成側も使っていなかった。ほかのプログラムが使っていなければ、
                }CPU は上限ではない
            run-again =
                { $several ->
                    [true] --connections を 2 倍にして再実行する。
                   *[false] --connections { $connections } で再実行する。
                }スループットが上がれば同時接続数の不足。上がらなければ、ターゲットはディスク、ロック、
                空きワーカーのいずれかを待っている
        "#,
    },
    tier: Tier::Question,
    explained_by: &[
        &client_saturated::RULE,
        &network_latency::RULE,
        &server_cpu::RULE,
        &worker_limit::RULE,
    ],
    tells_limit: true,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let sweeps = swept_workloads(evidence.plan, 2);
    let mut findings = Vec::new();
    for sweep in &sweeps {
        let targets = evidence.plan.targets.iter();
        findings.extend(targets.filter_map(|target| {
            let levels = Level::all(sweep, target, evidence.slices)?;
            on_sweep(&levels, evidence)
        }));
    }
    let is_on_sweep = |workload: &Workload| {
        let mut levels = sweeps.iter().flatten();
        levels.any(|level| level.name == workload.name)
    };
    let cells = evidence.cells();
    // The rule `worker_limit` judges sweeps of other parameters.
    let alone = cells
        .iter()
        .filter(|cell| !is_on_sweep(cell.workload) && cell.target.sweep.is_none());
    let backends = Backends::of(evidence);
    let idle: Vec<(&Cell<'_>, Busy)> = alone
        .filter(|cell| !has_busy_backend(cell, &backends))
        .filter_map(|cell| Some((cell, unexplained(cell, evidence, &backends)?)))
        .collect();
    for target in &evidence.plan.targets {
        let mine = idle
            .iter()
            .filter(|(cell, _)| cell.target.name == target.name);
        findings.extend(without_sweep(&mine.collect::<Vec<_>>()));
    }
    findings
}

/// Finding on the highest level with idle CPU for which a level with at least twice the connections
/// has more throughput.
fn on_sweep(levels: &[Level<'_>], evidence: &Evidence<'_>) -> Option<Finding> {
    levels.iter().rev().find_map(|level| {
        let mut above = levels.iter();
        let above = above.find(|other| other.connections() >= 2 * level.connections())?;
        let gained = above.against(level)?;
        let busy = Busy::of(&level.cell, evidence)?;
        let gains = gained.value > 1.0 + GAIN && gained.low > 1.0;
        (gains && busy.has_room()).then(|| {
            let (connections, more) = (plain(level.connections()), plain(above.connections()));
            let level_gains = message!(
                "level-gains",
                connections = level.connections(),
                more = more.clone(),
                gained = Value::Ratio(gained.value),
                low = Value::Ratio(gained.low),
                high = Value::Ratio(gained.high)
            );
            let evidence = with_idle(level_gains, &busy);
            let advice = message!("use-more", more, connections);
            let finding = RULE.finding(Severity::Note, Cause::Plan, evidence, advice);
            finding.on(&level.cell.workload.name, &level.cell.target.name)
        })
    })
}

/// The finding about a target outside sweeps. A single finding covers all workloads with idle CPU.
fn without_sweep(idle: &[&(&Cell<'_>, Busy)]) -> Option<Finding> {
    let (cell, busiest) = idle
        .iter()
        .min_by(|one, other| one.1.idle().total_cmp(&other.1.idle()))?;
    let several = idle.len() > 1;
    let connections = cell.workload.load.connections;
    let idle = message!("idle", workloads = idle.len(), connections);
    let advice = message!("run-again", several, connections = plain(2 * connections));
    let evidence = with_idle(idle, busiest);
    let finding = RULE.finding(Severity::Note, Cause::Plan, evidence, advice);
    let finding = finding.of_target(&cell.target.name);
    Some(if several {
        finding
    } else {
        finding.of_workload(&cell.workload.name)
    })
}

/// The message with the idle share of the cores.
fn with_idle(message: Message, busy: &Busy) -> Message {
    let message = message.with("idle", Value::Share(busy.idle()));
    let message = message.with("cores", busy.cores);
    message.with("known", busy.knows_idle())
}

fn plain(connections: usize) -> Value {
    Value::Plain(connections as u64)
}

/// The CPU use of a closed loop with idle CPU that no other rule explains; otherwise `None`.
fn unexplained(cell: &Cell<'_>, evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Busy> {
    let load = &cell.workload.load;
    let rests = load.think.is_some() || cell.workload.may_end_early();
    if !is_closed(cell.workload) || rests || is_large(cell.workload) {
        return None;
    }
    let thread = Thread::of(cell, backends)?;
    let busy = Busy::of(cell, evidence)?;
    let explained = thread.is_busy() || may_work_on_one_core(cell, &busy);
    (busy.has_room() && !explained).then_some(busy)
}

/// Whether the target may wait for a backend that uses a whole core, which `backend_cpu` reports.
fn has_busy_backend(cell: &Cell<'_>, backends: &Backends<'_>) -> bool {
    let full = cell.full();
    let cores = middle(full.iter().filter_map(|slice| backends.cores(slice)));
    cores.is_some_and(|cores| cores >= BUSY)
}

/// Whether the workload transfers large objects, which `large_objects` reports.
fn is_large(workload: &Workload) -> bool {
    SizeClass::of_transfer(workload) == Some(SizeClass::Large)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn names_the_last_level_that_twice_the_connections_beat() {
        let mut run = Run::concurrency_sweep(&[(1, 250), (4, 900), (16, 1_000), (64, 1_010)]);
        run.each(|slice| slice.server_cpu(0.5));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].workload.as_deref(), Some("c4"));
        assert!(
            findings[0].evidence.starts_with(
                "with 4 connections, 65 % of 2 cores was idle, and 16 gave 1.111 \
                              (1.1"
            ),
            "{findings:?}"
        );
        assert!(findings[0].advice.starts_with("use 16 connections or more"));
    }

    #[test]
    fn silent_on_a_sweep_when_more_gain_nothing_or_cpu_is_busy() {
        let mut flat = Run::concurrency_sweep(&[(4, 1_000), (8, 1_020), (16, 1_000)]);
        flat.each(|slice| slice.server_cpu(0.5));
        assert_eq!(flat.findings(&RULE), []);
        let mut busy = Run::concurrency_sweep(&[(4, 900), (8, 1_200)]);
        busy.each(|slice| slice.server_cpu(1.5));
        assert_eq!(busy.findings(&RULE), []);
    }

    #[test]
    fn without_a_sweep_the_next_run_is_recommended() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.server_cpu(0.3));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "with 2 connections, 75 % of 2 cores was idle: CPU is not the limit"
        );
        assert!(
            findings[0]
                .advice
                .starts_with("run again with --connections 4:")
        );
    }

    #[test]
    fn busy_programs_explain_all_idle_time() {
        let mut run = Run::pair(8).on_cores(8);
        run.each(|slice| {
            slice.server_cpu(0.3);
            slice.others(3.2);
        });
        let findings = run.assess().findings;
        let of = |rule: &str| findings.iter().find(|finding| finding.rule == rule);
        assert!(of("others_busy").is_some(), "{findings:?}");
        let sentence = of("too_few_connections").unwrap();
        assert!(!sentence.evidence.contains("unless"), "{findings:?}");
        assert!(
            sentence
                .evidence
                .starts_with("with 2 connections, 53.8 % of 8 cores was idle"),
            "{findings:?}"
        );
    }

    #[test]
    fn several_workloads_get_one_finding() {
        let mut run = Run::new(&["a", "b"], &["get", "put"], 16);
        // A different timeout makes the workloads different work instead of levels of a sweep.
        run.plan.workloads[1].load.timeout *= 2;
        run.each_of("b", |slice| slice.server_cpu(0.3));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].workload, None);
        assert!(
            findings[0]
                .evidence
                .starts_with("in each of 2 workloads, at least 75 % of 2 cores was idle")
        );
    }

    #[test]
    fn silent_when_interrupts_others_or_other_machines_took_the_cores() {
        // Target and load generator use 0.5 of 2 cores, and 90 % of the CPU time is used.
        let taken = |take: &dyn Fn(&mut tenbin_record::CpuUse, f64)| {
            let mut run = Run::pair(8);
            run.each(|slice| {
                slice.server_cpu(0.3);
                let cpu = slice.machine().cpu.as_mut().unwrap();
                let seconds = cpu.idle - 0.2;
                cpu.idle = 0.2;
                take(cpu, seconds);
            });
            run.findings(&RULE)
        };
        assert_eq!(taken(&|cpu, seconds| cpu.interrupts += seconds), []);
        assert_eq!(taken(&|cpu, seconds| cpu.steal += seconds), []);
        assert_eq!(taken(&|cpu, seconds| cpu.busy += seconds), []);
    }

    #[test]
    fn a_run_without_figures_of_the_machine_says_what_is_unknown() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.0.end.machine = None);
        run.each_of("b", |slice| slice.server_cpu(0.3));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "with 2 connections, 75 % of 2 cores was used neither by the target nor by the load \
             generator: unless other programs did, CPU is not the limit"
        );
        // Whether a used core is saturated is also unknown.
        run.each_of("b", |slice| slice.server_cpu(0.95));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_about_swept_targets() {
        let mut run = crate::sweep::tests::swept(&[(1, 1.0), (2, 2.0)], 16);
        run.each(|slice| slice.server_cpu(0.3));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_when_something_else_explains_it_or_nothing_is_known() {
        let idle = || {
            let mut run = Run::pair(8);
            run.each_of("b", |slice| slice.server_cpu(0.3));
            run
        };
        let mut saturated = idle();
        saturated.each(|slice| slice.busiest_thread(0.95));
        let mut one_core = Run::pair(8).on_cores(8);
        one_core.each(|slice| {
            slice.server_cpu(0.95);
            slice.server().busiest_thread_seconds = Some(0.95);
        });
        let mut unobserved = idle();
        unobserved.each(|slice| slice.unobserved());
        for run in [
            saturated,
            one_core,
            unobserved,
            idle().open_loop(),
            idle().elsewhere(),
        ] {
            assert_eq!(run.findings(&RULE), []);
        }
    }
}
