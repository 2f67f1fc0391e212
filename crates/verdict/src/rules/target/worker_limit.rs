//! Targets with too few workers, on which more connections only wait longer.

use tenbin_result::format::{percent, plural, ratio};
use tenbin_result::{Cause, Finding, Optimum, Severity};
use tenbin_stats::{CONFIDENCE, ratio as ratio_of};

use crate::compare::blocks::Blocks;
use crate::compare::metric::Metric;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::generator::Thread;
use crate::machine::processor::Busy;
use crate::rules::target::server_cpu::works_on_one_core;
use crate::server;
use crate::server::backend::Backends;
use crate::sweep::ladder::{Level, ladders};
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
    summary: "more connections only wait longer while cores are idle: too few workers",
    severities: &[Severity::Note],
    explanation: include_str!("worker_limit.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let ladders = ladders(evidence.plan, 2);
    let on_ladders = ladders.iter().flat_map(|ladder| {
        let targets = evidence.plan.targets.iter();
        targets.filter_map(|target| {
            let levels = Level::all(ladder, target, evidence.slices)?;
            on_ladder(&levels, evidence)
        })
    });
    let optima = optima(evidence.plan, evidence.slices, &[]);
    let in_sweeps = optima
        .iter()
        .filter_map(|optimum| in_sweep(optimum, evidence));
    on_ladders.chain(in_sweeps).collect()
}

/// Finding from a concurrency sweep: compares the highest level with the lowest level from which
/// throughput is flat.
fn on_ladder(levels: &[Level<'_>], evidence: &Evidence<'_>) -> Option<Finding> {
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
        Some(share) if !busy.has_room() => format!(
            "CPU time and waiting for a core are only {} of the service time on {}",
            percent(share),
            plural(levels[0].connections(), "connection")
        ),
        _ => busy.idle_words(),
    };
    let advice = if works_on_one_core(&top.cell, &busy) {
        "the server works on one core, and that core is saturated: start one worker process or \
         thread per core, or accept this limit"
    } else {
        "increase the number of its workers, or of connections in its pool: to the number of \
         cores for CPU-bound work, to 3 to 8 times as many for work that blocks; or look for a \
         lock or a disk that all of them wait for"
    };
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Server,
        workload: Some(top.cell.workload.name.clone()),
        target: Some(top.cell.target.name.clone()),
        evidence: format!(
            "from {} to {}, throughput stays the same ({} times, {}–{}) and the mean service \
             time grows {}-fold, while {}",
            base.connections(),
            plural(top.connections(), "connection"),
            ratio(gained.value),
            ratio(gained.low),
            ratio(gained.high),
            ratio(longer),
            room
        ),
        advice: advice.to_owned(),
    })
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
    (gains && busy.has_room() && !thread.is_busy()).then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Server,
        workload: Some(optimum.workload.clone()),
        target: Some(fewest.target.name.clone()),
        evidence: format!(
            "with {place}, {}, and {} gave {} ({}–{}) times the throughput",
            busy.idle_words(),
            optimum.place,
            ratio(gained.value),
            ratio(gained.low),
            ratio(gained.high)
        ),
        advice: format!("use {} for {}", optimum.place, optimum.sweep),
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
        let mut run = Run::ladder(&[(2, 500), (4, 1_000), (16, 1_005)]);
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
        let mut run = Run::ladder(&[(1, 50), (8, 180), (16, 195), (32, 200)]);
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
                let used = slice.0.server.as_mut().unwrap();
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
            slice.0.server.as_mut().unwrap().busiest_thread_seconds = Some(0.97);
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
        let mut growing = Run::ladder(&[(4, 1_000), (16, 1_500)]);
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
