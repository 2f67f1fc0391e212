//! Targets with too few workers, on which more connections only wait longer.

use tenbin_result::{Cause, Finding, Metric, Optimum, Severity, Value, message};
use tenbin_stats::{CONFIDENCE, ratio as ratio_of};

use crate::compare::blocks::Blocks;
use crate::concurrency_sweep::level::{Level, swept_workloads};
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::generator::Thread;
use crate::machine::processor::Busy;
use crate::rules::target::server_cpu::works_on_one_core;
use crate::server;
use crate::server::backend::Backends;
use crate::sweep::optima;
use crate::words::middle;

/// Throughput gain from more workers in a sweep above which there is a finding.
const GAIN: f64 = 0.05;

/// Exponent for flat throughput: the upper end of the interval of the throughput ratio is at most
/// this power of the ratio of connections, +7 % for twice and +15 % for four times the connections.
const FLAT: f64 = 0.10;

/// Minimum growth of the service time, as a share of the growth of connections.
const PROPORTIONAL: f64 = 0.80;

/// CPU is not the limit, even on a full machine, if a request's CPU time plus its wait for a core
/// is at most this share of the service time at the fewest connections: Tenbin's own convention.
const LITTLE: f64 = 0.25;

/// Parts of the names of parameters that set a number of workers.
const WORKERS: [&str; 5] = ["worker", "process", "thread", "child", "pool"];

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "worker_limit",
    summary: Texts {
        english: "more connections only wait longer while cores are idle: too few workers",
        japanese: "コアが空いているのに、接続を増やしても待ちが延びるだけ(ワーカー不足)",
    },
    severities: &[Severity::Note],
    explanation: pages!("worker_limit"),
    messages: Messages {
        english: r#"
            flat =
                from { $from } to { $to ->
                    [one] 1 connection
                   *[other] { $to } connections
                }, throughput stays the same ({ $times } times, { $low }–{ $high }) and the mean
                service time grows { $longer }-fold, while { $room }
            little-cpu =
                CPU time and waiting for a core are only { $share } of the service time on
                { $connections ->
                    [one] 1 connection
                   *[other] { $connections } connections
                }
            start-workers =
                the server works on one core, and that core is saturated: start one worker process
                or thread per core, or accept this limit
            more-workers =
                increase the number of its workers, or of connections in its pool: to the number of
                cores for CPU-bound work, to 3 to 8 times as many for work that blocks; or look for
                a lock or a disk that all of them wait for
            gained =
                with { $fewest }, { $idle }, and { $best } gave { $times } ({ $low }–{ $high }) times
                the throughput
            use-best = use { $best } for { $sweep }
        "#,
        japanese: r#"
            flat =
                同時接続数 { $from } から { $to } までスループットは変わらず({ $times } 倍、{ $low }–{ $high })、
                平均サービス時間は { $longer } 倍に延びる。一方、{ $room }
            little-cpu =
                { $connections } 接続で 1 リクエストがコアを使うか待つのはサービス時間の { $share } にとどまる
            start-workers =
                サーバーは 1 コアで動作し、そのコアが飽和している。
                コアごとにワーカーのプロセスまたはスレッドを 1 つ起動するか、この上限を受け入れる
            more-workers =
                ワーカー数、またはプールの接続数を増やす。CPU を使う処理ならコア数、
                ブロックする処理ならその 3〜8 倍。または、すべてのワーカーが待つロックやディスクを調べる
            gained =
                { $fewest } では { $idle }。{ $best } ではスループットが { $times } 倍({ $low }–{ $high })になった
            use-best = { $sweep } には { $best } を使う
        "#,
    },
    tier: Tier::Cause,
    tells_limit: true,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let sweeps = swept_workloads(evidence.plan, 2);
    let on_concurrency_sweeps = sweeps.iter().flat_map(|sweep| {
        let targets = evidence.plan.targets.iter();
        targets.filter_map(|target| {
            let levels = Level::all(sweep, target, evidence.slices)?;
            on_concurrency_sweep(&levels, evidence)
        })
    });
    let optima = optima(evidence.plan, evidence.slices, &[]);
    let in_sweeps = optima
        .iter()
        .filter_map(|optimum| in_sweep(optimum, evidence));
    on_concurrency_sweeps.chain(in_sweeps).collect()
}

/// Finding from a concurrency sweep: compares the highest level with the lowest level from which
/// throughput is flat.
fn on_concurrency_sweep(levels: &[Level<'_>], evidence: &Evidence<'_>) -> Option<Finding> {
    let (top, below) = levels.split_last()?;
    let mut pairs = below.iter().filter_map(|base| {
        let more = top.connections() as f64 / base.connections() as f64;
        Some((base, top.against(base)?, more)).filter(|_| more >= 2.0)
    });
    let (base, gained, more) =
        pairs.find(|(_, gained, more)| gained.high.ln() <= FLAT * more.ln())?;
    let longer = mean_time(top)? / mean_time(base)?;
    let busy = Busy::of(&top.cell, evidence)?;
    let thread = Thread::of(&top.cell, &Backends::of(evidence))?;
    let waits = longer >= PROPORTIONAL * more;
    let needs_little = of_service_time(levels, top).filter(|share| *share <= LITTLE);
    if !waits || !(busy.has_room() || needs_little.is_some()) || thread.is_busy() {
        return None;
    }
    let room = match needs_little {
        Some(share) if !busy.has_room() => message!(
            "little-cpu",
            share = Value::Share(share),
            connections = levels[0].connections()
        ),
        _ => busy.idle_message(),
    };
    let advice = if works_on_one_core(&top.cell, &busy) {
        message!("start-workers")
    } else {
        message!("more-workers")
    };
    let flat = message!(
        "flat",
        from = Value::Plain(base.connections() as u64),
        to = top.connections(),
        times = Value::Ratio(gained.value),
        low = Value::Ratio(gained.low),
        high = Value::Ratio(gained.high),
        longer = Value::Ratio(longer),
        room
    );
    let finding = RULE.finding(Severity::Note, Cause::Server, flat, advice);
    Some(finding.on(&top.cell.workload.name, &top.cell.target.name))
}

/// Finding from a sweep of workers: compares the fewest workers with the optimum.
fn in_sweep(optimum: &Optimum, evidence: &Evidence<'_>) -> Option<Finding> {
    let cells = evidence.cells();
    let fewest = cells.iter().find(|cell| {
        Some(&cell.target.name) == optimum.targets.first() && cell.workload.name == optimum.workload
    })?;
    let place = fewest.target.sweep.as_ref()?;
    let counts_workers = place.values.iter().any(|(name, _)| {
        let name = name.to_ascii_lowercase();
        WORKERS.iter().any(|word| name.contains(word))
    });
    if !counts_workers || Metric::primary(evidence.plan, fewest.workload) != Metric::Throughput {
        return None;
    }
    let blocks = Blocks::of(fewest.workload, evidence.slices);
    let logs = blocks.log_ratios(Metric::Throughput, &fewest.target.name, &optimum.target);
    let gained = ratio_of(&logs, CONFIDENCE);
    let gained = gained.estimate()?;
    let busy = Busy::of(fewest, evidence)?;
    let thread = Thread::of(fewest, &Backends::of(evidence))?;
    let gains = gained.value > 1.0 + GAIN && gained.low > 1.0;
    (gains && busy.has_room() && !thread.is_busy()).then(|| {
        let gained = message!(
            "gained",
            fewest = place.to_string(),
            idle = busy.idle_message(),
            best = &optimum.place,
            times = Value::Ratio(gained.value),
            low = Value::Ratio(gained.low),
            high = Value::Ratio(gained.high)
        );
        let advice = message!("use-best", best = &optimum.place, sweep = &optimum.sweep);
        let finding = RULE.finding(Severity::Note, Cause::Server, gained, advice);
        finding.on(&optimum.workload, &fewest.target.name)
    })
}

/// A request's CPU time plus its wait for a core at the highest level, as a share of the mean
/// service time at the lowest level, where requests do not wait for each other. A small share shows
/// that the target does not need more CPU, even if other programs use the rest of the machine.
fn of_service_time(levels: &[Level<'_>], top: &Level<'_>) -> Option<f64> {
    let alone = mean_time(levels.first()?)? / 1e9;
    let full = top.cell.full();
    let each = full.iter().filter_map(|slice| {
        let ran = server::cpu_seconds(slice)?;
        let waited = server::amount(slice, |used| used.waited_for_core_seconds)?;
        (slice.ok() > 0).then(|| (ran + waited) / slice.ok() as f64)
    });
    Some(middle(each)? / alone)
}

/// Mean service time, nanoseconds: median over the full slices. With flat throughput, the mean
/// grows with the connections (Little's law), even if workers serve connections unevenly; the
/// median of requests can stay the same.
fn mean_time(level: &Level<'_>) -> Option<f64> {
    let full = level.cell.full();
    let each = full.iter().filter_map(|slice| {
        let work = || slice.work().map(|op| &op.times.service);
        let responses: u64 = work().map(|times| times.len()).sum();
        let nanos: f64 = work().map(|times| times.mean() * times.len() as f64).sum();
        (responses > 0).then(|| nanos / responses as f64)
    });
    middle(each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::swept;
    use crate::testing::Run;

    #[test]
    fn a_sweep_says_what_more_workers_gain() {
        let speeds = [(1, 1.0), (2, 2.0), (4, 3.9), (8, 3.92)];
        let mut run = swept(&speeds, 32);
        run.each(|slice| slice.server_cpu(0.2));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("web@workers=1"));
        assert!(
            findings[0]
                .evidence
                .starts_with("with workers=1, 80 % of 2 cores was idle, and workers=4 gave 3.90 ("),
            "{findings:?}"
        );
        assert_eq!(findings[0].advice, "use workers=4 for web");
    }

    #[test]
    fn silent_in_a_sweep_of_something_else_or_when_cpu_was_busy() {
        let speeds = [(1, 1.0), (2, 2.0)];
        let mut busy = swept(&speeds, 32);
        busy.each(|slice| slice.server_cpu(1.8));
        assert_eq!(busy.findings(&RULE), []);
        let mut other = swept(&speeds, 32);
        other.each(|slice| slice.server_cpu(0.2));
        for target in &mut other.plan.targets {
            target.sweep.as_mut().unwrap().values[0].0 = "cache".to_owned();
        }
        assert_eq!(other.findings(&RULE), []);
        let mut flat = swept(&[(1, 1.0), (2, 1.01)], 32);
        flat.each(|slice| slice.server_cpu(0.2));
        assert_eq!(flat.findings(&RULE), []);
    }

    /// A concurrency sweep whose throughput four workers limit: 500 responses per slice with two
    /// connections, and about 1,000 with four or more.
    fn four_workers() -> Run {
        let mut run = Run::concurrency_sweep(&[(2, 500), (4, 1_000), (16, 1_005)]);
        run.each(|slice| slice.server_cpu(0.5));
        run
    }

    #[test]
    fn fires_when_more_connections_only_wait_and_cpu_idles() {
        let findings = four_workers().findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].workload.as_deref(), Some("c16"));
        let evidence = &findings[0].evidence;
        assert!(
            evidence.starts_with("from 4 to 16 connections, throughput stays the same (1.0"),
            "{evidence}"
        );
        assert!(
            evidence.ends_with("while 65 % of 2 cores was idle"),
            "{evidence}"
        );
        assert!(findings[0].advice.contains("3 to 8 times"));
    }

    #[test]
    fn fires_at_workers_that_share_connections_unevenly() {
        // Most connections share one worker, so the median stays the same; throughput varies.
        let mut run = Run::concurrency_sweep(&[(1, 50), (8, 180), (16, 195), (32, 200)]);
        run.each(|slice| {
            slice.server_cpu(0.2);
            let (wobble, connections) = (slice.0.block % 3, slice.0.connections as f64);
            let (quick, slow) = match slice.0.workload.as_str() {
                "c1" => (50, 0),
                "c8" => (100, 76 + u64::from(wobble) * 6),
                _ => (40, 154 + u64::from(wobble) * 4),
            };
            if slow == 0 {
                return slice.answers(quick, 0.02);
            }
            slice.answers(quick + slow, 0.02);
            let op = &mut slice.0.ops[0];
            op.times.service.clear();
            op.times.service.record_n(40_000_000, quick).unwrap();
            let rest = (connections - quick as f64 * 0.04) / slow as f64;
            op.times
                .service
                .record_n((rest * 1e9) as u64, slow)
                .unwrap();
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].evidence.starts_with("from 8 to 32 connections"),
            "{findings:?}"
        );
    }

    #[test]
    fn fires_on_a_machine_that_others_fill_when_the_target_hardly_waits_for_a_core() {
        // 4 ms of service time at 4 connections and more; 0.2 ms of CPU and 0.3 ms of waiting for a
        // core.
        let filled = |waited: f64| {
            let mut run = four_workers();
            run.each(|slice| {
                slice.server_cpu(0.2);
                let used = slice.server();
                used.waited_for_core_seconds = Some(waited);
                let cpu = slice.machine().cpu.as_mut().unwrap();
                (cpu.busy, cpu.idle) = (1.98, 0.02);
            });
            run.findings(&RULE)
        };
        let findings = filled(0.3);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let sentence = "while CPU time and waiting for a core are only 12.5 % of the service time on \
                    2 connections";
        assert!(findings[0].evidence.ends_with(sentence), "{findings:?}");
        assert_eq!(filled(3.0), []);
    }

    #[test]
    fn one_saturated_core_suggests_a_process_per_core() {
        let mut run = four_workers().on_cores(4);
        run.each(|slice| {
            slice.server_cpu(0.97);
            slice.server().busiest_thread_seconds = Some(0.97);
        });
        let findings = run.findings(&RULE);
        assert!(
            findings[0]
                .advice
                .starts_with("the server works on one core")
        );
    }

    #[test]
    fn silent_when_throughput_grows_or_cpu_or_the_generator_is_busy() {
        let mut growing = Run::concurrency_sweep(&[(4, 1_000), (16, 1_500)]);
        growing.each(|slice| slice.server_cpu(0.5));
        assert_eq!(growing.findings(&RULE), []);
        let mut full = four_workers();
        full.each(|slice| slice.server_cpu(1.6));
        assert_eq!(full.findings(&RULE), []);
        let mut saturated = four_workers();
        saturated.each(|slice| slice.busiest_thread(0.97));
        assert_eq!(saturated.findings(&RULE), []);
        assert_eq!(four_workers().elsewhere().findings(&RULE), []);
    }
}
