//! Targets that are limited by CPU.

use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::generator::Thread;
use crate::machine::processor::Busy;
use crate::server::backend::Backends;

/// Used share of the available cores from which CPU is the limit of a target.
const FULL: f64 = 0.90;

/// Used cores of a target that works on a single core. Values above 1 come from kernels that count
/// in ticks, or from a nearly idle second thread.
const ONE_CORE: std::ops::Range<f64> = 0.90..1.05;

/// A target is the main user of a full machine if it uses at least this share of the cores that
/// other programs leave: the load generator and interrupts also need cores.
const MOST_OF_LEFT: f64 = 0.35;
/// Share of all cores below which a target cannot fill a machine.
const SIZEABLE: f64 = 0.15;

/// Share of all cores used by other programs from which a target may lack cores.
const OTHERS_HOLD: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "server_cpu",
    summary: Texts {
        english: "the CPU is the bottleneck of the target: all cores, or the one core that it uses",
        japanese: "ターゲットのボトルネックが CPU(全コア、または使っている 1 コア)",
    },
    severities: &[Severity::Note],
    explanation: pages!("server_cpu"),
    messages: Messages {
        english: r#"
            all-cores =
                the target used { $used } of { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                } ({ $share }): CPU is its limit
            use-more-cores =
                this is the maximum throughput of the target on this machine; for more, use more
                cores or reduce the CPU time per operation
            one-core =
                one { $is_thread ->
                    [true] thread
                   *[false] process
                } of the target used { $busiest } of a core and the whole target only { $used } of
                { $cores ->
                    [one] 1 core
                   *[other] { $cores } cores
                }: the target is single-threaded and that core is saturated
            start-workers =
                start one worker process or thread per core, or accept this limit; if the target
                has several workers, one of them has all connections
            full-machine =
                only { $idle }; the target used { $used } and the load generator { $generator }: CPU
                is the limit
            free-cores =
                this is the maximum throughput of the target with the cores that the load generator
                and other programs leave; for more, use more cores, run the load generator on
                another machine, or reduce the CPU time per operation
        "#,
        japanese: r#"
            all-cores =
                ターゲットが { $cores } コア中 { $used } コアを使った({ $share })。CPU が上限
            use-more-cores =
                このマシンでのターゲットの最大スループット。上げるには、コアを増やすか、
                1 操作あたりのコストを下げる
            one-core =
                ターゲットの 1 { $is_thread ->
                    [true] スレッド
                   *[false] プロセス
                }が { $busiest } コアを使い、ターゲット全体でも { $cores } コア中 { $used } コアしか使わなかった。
                ターゲットは 1 コアで動作し、それが上限
            start-workers =
                コアごとにワーカーのプロセスまたはスレッドを 1 つ起動するか、この上限を受け入れる。
                ワーカーが複数あるなら、そのうち 1 つにすべての接続が偏っている
            full-machine =
                CPU の余裕はわずか({ $idle })。ターゲットが { $used } コア、負荷生成側が { $generator } コアを使った。
                CPU が上限
            free-cores =
                負荷生成側とほかのプログラムが使わないコアで出せる、ターゲットの最大スループット。
                上げるには、コアを増やす、負荷生成側を別のマシンで動かす、1 操作あたりのコストを下げる
        "#,
    },
    tier: Tier::Cause,
    tells_limit: true,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let busy = cells
        .iter()
        .filter_map(|cell| Some((cell, Busy::of(cell, evidence)?)));
    let backends = Backends::of(evidence);
    busy.filter_map(|(cell, busy)| of_cell(cell, &busy, &backends))
        .collect()
}

fn of_cell(cell: &Cell<'_>, busy: &Busy, backends: &Backends<'_>) -> Option<Finding> {
    let (seen, advice) = all_cores(busy)
        .or_else(|| one_core(cell, busy))
        .or_else(|| full_machine(cell, busy, backends))?;
    let finding = RULE.finding(Severity::Note, Cause::Server, seen, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

fn all_cores(busy: &Busy) -> Option<(Message, Message)> {
    let share = busy.target / busy.cores as f64;
    (share >= FULL).then(|| {
        let seen = message!(
            "all-cores",
            used = Value::Cores(busy.target),
            cores = busy.cores,
            share = Value::Share(share)
        );
        (seen, message!("use-more-cores"))
    })
}

fn one_core(cell: &Cell<'_>, busy: &Busy) -> Option<(Message, Message)> {
    if !works_on_one_core(cell, busy) {
        return None;
    }
    let thread = busy.thread.filter(|thread| *thread >= FULL);
    let busiest = thread.or(busy.process).unwrap_or(busy.target);
    let seen = message!(
        "one-core",
        is_thread = thread.is_some(),
        busiest = Value::Cores(busiest),
        used = Value::Cores(busy.target),
        cores = busy.cores
    );
    Some((seen, message!("start-workers")))
}

/// (Evidence, advice) if no core is idle, and the target uses at least as many cores as the load
/// generator and a large share of the cores that other programs leave.
fn full_machine(
    cell: &Cell<'_>,
    busy: &Busy,
    backends: &Backends<'_>,
) -> Option<(Message, Message)> {
    let thread = Thread::of(cell, backends)?;
    let cores = busy.cores as f64;
    let is_limit = is_closed(cell.workload)
        && busy.idle() < 1.0 - FULL
        && busy.target >= busy.generator
        && busy.target >= (MOST_OF_LEFT * (cores - busy.others)).max(SIZEABLE * cores)
        && !thread.is_busy();
    is_limit.then(|| {
        let seen = message!(
            "full-machine",
            idle = busy.idle_message(),
            used = Value::Cores(busy.target),
            generator = Value::Cores(busy.generator)
        );
        (seen, message!("free-cores"))
    })
}

/// Whether a target may do all its work on one core, although its processes and threads are
/// unknown.
pub(crate) fn may_work_on_one_core(cell: &Cell<'_>, busy: &Busy) -> bool {
    let is_unknown = busy.thread.is_none() && busy.process.is_none();
    works_on_one_core(cell, busy)
        || (is_unknown && is_closed(cell.workload) && ONE_CORE.contains(&busy.target))
}

/// Whether one thread, or one process that never uses more than a core, does all the work of a
/// target in a closed loop. At a fixed rate, the rate itself can cause a busy core.
pub(crate) fn works_on_one_core(cell: &Cell<'_>, busy: &Busy) -> bool {
    if !is_closed(cell.workload) || !ONE_CORE.contains(&busy.target) || busy.cores < 2 {
        return false;
    }
    // Several busy processes or threads can add up to one core by chance. If other programs use the
    // other cores, whether the target would use a second core is unknown.
    let is_full = |used: Option<f64>| used.is_some_and(|used| used >= FULL);
    let is_free = busy.has_room() || busy.others < OTHERS_HOLD * busy.cores as f64;
    (is_full(busy.thread) && is_free) || (is_full(busy.process) && busy.has_room())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn on_cores(cores: u64, used: f64) -> Run {
        let mut run = Run::pair(8).on_cores(cores);
        run.each_of("b", |slice| slice.server_cpu(used));
        run
    }

    /// Sets the cores that the busiest process of `b` uses, and the cores that the busiest thread
    /// of `b` uses.
    fn busiest(mut run: Run, process: f64, thread: f64) -> Run {
        run.each_of("b", |slice| {
            let used = slice.server();
            used.busiest_process_seconds = Some(process);
            used.busiest_thread_seconds = Some(thread);
        });
        run
    }

    #[test]
    fn fires_when_the_target_uses_nine_tenths_of_all_cores() {
        let findings = on_cores(4, 3.7).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].cause, Cause::Server);
        assert_eq!(
            findings[0].evidence,
            "the target used 3.70 of 4 cores (92.5 %): CPU is its limit"
        );
    }

    #[test]
    fn fires_when_one_thread_fills_its_core() {
        let findings = busiest(on_cores(4, 0.98), 0.98, 0.97).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "one thread of the target used 0.97 of a core and the whole target only 0.98 of 4 \
             cores: the target is single-threaded and that core is saturated"
        );
        // Threads of one process take turns.
        let findings = busiest(on_cores(4, 0.98), 0.98, 0.30).findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .starts_with("one process of the target used 0.98")
        );
    }

    #[test]
    fn eight_workers_that_use_a_core_together_do_not_work_on_one() {
        let run = busiest(on_cores(4, 0.96), 0.13, 0.13);
        assert_eq!(run.findings(&RULE), []);
        // Runs without figures of processes.
        assert_eq!(on_cores(4, 0.96).findings(&RULE), []);
    }

    #[test]
    fn one_core_is_not_claimed_while_other_programs_use_the_rest() {
        // Other programs use 40 % of two cores, and no CPU time is idle.
        let mut run = busiest(on_cores(2, 0.95), 0.95, 0.92);
        run.each_of("b", |slice| slice.others(0.8));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .contains("the target used 0.95 and the load generator 0.20: CPU is"),
            "{findings:?}"
        );
        // On eight cores, most are idle.
        let mut room = busiest(on_cores(8, 0.95), 0.95, 0.92);
        room.each_of("b", |slice| slice.others(0.8));
        let findings = room.findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .contains("the target is single-threaded")
        );
    }

    #[test]
    fn fires_when_nothing_is_idle_and_the_target_uses_most() {
        // The target uses 1.1 cores, the load generator 0.2; other programs and interrupts the
        // rest.
        let mut run = on_cores(2, 1.1);
        run.each_of("b", |slice| {
            let cpu = slice.machine().cpu.as_mut().unwrap();
            (cpu.interrupts, cpu.idle) = (cpu.interrupts + cpu.idle - 0.04, 0.04);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "only 2 % of 2 cores was idle; the target used 1.10 and the load generator 0.20: CPU \
             is the limit"
        );
        run.each(|slice| slice.0.client.cpu_seconds = 1.2);
        assert_eq!(run.findings(&RULE), []);
        // A server that sleeps while other programs use the machine.
        let mut sleeps = on_cores(2, 0.02);
        sleeps.each_of("b", |slice| {
            slice.0.client.cpu_seconds = 0.01;
            let machine = slice.machine();
            machine.others_cpu_seconds = Some(1.95);
            let cpu = machine.cpu.as_mut().unwrap();
            (cpu.busy, cpu.idle) = (1.98, 0.02);
        });
        assert_eq!(sleeps.findings(&RULE), []);
    }

    #[test]
    fn silent_between_and_where_the_cores_are_not_known_to_be_its_own() {
        assert_eq!(on_cores(4, 3.3).findings(&RULE), []);
        assert_eq!(busiest(on_cores(4, 1.1), 1.1, 0.5).findings(&RULE), []);
        assert_eq!(busiest(on_cores(4, 0.85), 0.85, 0.85).findings(&RULE), []);
        let unknown = on_cores(4, 3.9).on_unknown_machine();
        assert_eq!(unknown.findings(&RULE), []);
        assert_eq!(on_cores(4, 3.9).elsewhere().findings(&RULE), []);
        let rate = busiest(on_cores(4, 0.98), 0.98, 0.98).open_loop();
        assert_eq!(rate.findings(&RULE), []);
    }
}
