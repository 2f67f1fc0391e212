//! The target's CPU is the limit.

use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::backend::Backends;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::generator::Thread;
use crate::processor::Busy;

/// Share of what it could use from which on a target's CPU is the limit.
const FULL: f64 = 0.90;

/// Cores that a target which works on one keeps busy; more than one is the accounting
/// of a kernel that counts in ticks, or a second thread that does next to nothing.
const ONE_CORE: std::ops::Range<f64> = 0.90..1.05;

/// Share of the cores that other programs leave from which on a target uses most of a full
/// machine: the generator and interrupts need theirs as well.
const MOST_OF_LEFT: f64 = 0.35;
/// Share of all cores below which a target is not what fills a machine.
const SIZEABLE: f64 = 0.15;

/// Share of all cores from which on other programs may keep a target from using more of them.
const OTHERS_HOLD: f64 = 0.10;

/// The target's CPU is the limit.
pub(super) struct ServerCpu;

impl Rule for ServerCpu {
    fn name(&self) -> &'static str {
        "server_cpu"
    }

    fn summary(&self) -> &'static str {
        "the CPU is the bottleneck of the target: all cores, or the one core that it uses"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("server_cpu.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let busy = cells
            .iter()
            .filter_map(|cell| Some((cell, Busy::of(cell, evidence)?)));
        let backends = Backends::of(evidence);
        busy.filter_map(|(cell, busy)| self.cell(cell, &busy, &backends))
            .collect()
    }
}

impl ServerCpu {
    fn cell(&self, cell: &Cell<'_>, busy: &Busy, backends: &Backends<'_>) -> Option<Finding> {
        let (seen, advice) = all_cores(busy)
            .or_else(|| one_core(cell, busy))
            .or_else(|| full_machine(cell, busy, backends))?;
        Some(Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: seen,
            advice: advice.to_owned(),
        })
    }
}

fn all_cores(busy: &Busy) -> Option<(String, &'static str)> {
    let share = busy.target / busy.cores as f64;
    let seen = || {
        format!(
            "the target used {:.2} of {} ({}): its CPU is the limit",
            busy.target,
            plural(busy.cores, "core"),
            percent(share)
        )
    };
    (share >= FULL).then(|| {
        (
            seen(),
            "this is the throughput of the target on this machine: for more, give it more cores or \
             make an operation cheaper",
        )
    })
}

fn one_core(cell: &Cell<'_>, busy: &Busy) -> Option<(String, &'static str)> {
    if !works_on_one_core(cell, busy) {
        return None;
    }
    let who = match (busy.thread, busy.process) {
        (Some(thread), _) if thread >= FULL => format!("one thread of the target used {thread:.2}"),
        (_, process) => format!(
            "one process of the target used {:.2}",
            process.unwrap_or(busy.target)
        ),
    };
    Some((
        format!(
            "{who} of a core and the target no more than {:.2} of {}: it works on one core, which \
             is the limit",
            busy.target,
            plural(busy.cores, "core"),
        ),
        "start one worker process or thread for each core, or accept this as its limit; if it has \
         several workers, one of them has all the connections",
    ))
}

/// No core is left, and the target uses most of what it shares with the generator.
fn full_machine(
    cell: &Cell<'_>,
    busy: &Busy,
    backends: &Backends<'_>,
) -> Option<(String, &'static str)> {
    let thread = Thread::of(cell, backends)?;
    let cores = busy.cores as f64;
    let is_limit = is_closed(cell.workload)
        && busy.idle() < 1.0 - FULL
        && busy.target >= busy.generator
        && busy.target >= (MOST_OF_LEFT * (cores - busy.others)).max(SIZEABLE * cores)
        && !thread.is_busy();
    is_limit.then(|| {
        (
            format!(
                "only {}, and the target used {:.2}, the generator {:.2}: CPU is the limit",
                busy.idle_words(),
                busy.target,
                busy.generator
            ),
            "this is the throughput of the target with the cores that the generator and others \
             left: for more, give it more cores, run the generator on another machine, or make an \
             operation cheaper",
        )
    })
}

/// The same where nobody knows whether it is one process or several.
pub(super) fn may_work_on_one_core(cell: &Cell<'_>, busy: &Busy) -> bool {
    let is_unknown = busy.thread.is_none() && busy.process.is_none();
    works_on_one_core(cell, busy)
        || (is_unknown && is_closed(cell.workload) && ONE_CORE.contains(&busy.target))
}

/// Whether all its work is done by one thread, or by one process that never uses more than a
/// core. At a rate a core may be busy to nine tenths because that rate asks for it.
pub(super) fn works_on_one_core(cell: &Cell<'_>, busy: &Busy) -> bool {
    if !is_closed(cell.workload) || !ONE_CORE.contains(&busy.target) || busy.cores < 2 {
        return false;
    }
    // Several busy processes or threads add up to one core by chance. Where other programs hold the
    // other cores, nobody knows whether it would use more than one.
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

    /// The busiest process, and of it the busiest thread, use so many cores.
    fn busiest(mut run: Run, process: f64, thread: f64) -> Run {
        run.each_of("b", |slice| {
            let used = slice.0.server.as_mut().unwrap();
            used.busiest_process_seconds = Some(process);
            used.busiest_thread_seconds = Some(thread);
        });
        run
    }

    #[test]
    fn fires_when_the_target_uses_nine_tenths_of_all_cores() {
        let findings = on_cores(4, 3.7).findings(&ServerCpu);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].blame, Blame::Server);
        assert_eq!(
            findings[0].evidence,
            "the target used 3.70 of 4 cores (92.5 %): its CPU is the limit"
        );
    }

    #[test]
    fn fires_when_one_thread_fills_its_core() {
        let findings = busiest(on_cores(4, 0.98), 0.98, 0.97).findings(&ServerCpu);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "one thread of the target used 0.97 of a core and the target no more than 0.98 of 4 \
             cores: it works on one core, which is the limit"
        );
        // Threads of one process that take turns.
        let findings = busiest(on_cores(4, 0.98), 0.98, 0.30).findings(&ServerCpu);
        assert!(
            findings[0]
                .evidence
                .starts_with("one process of the target used 0.98")
        );
    }

    #[test]
    fn eight_workers_that_use_a_core_together_do_not_work_on_one() {
        let run = busiest(on_cores(4, 0.96), 0.13, 0.13);
        assert_eq!(run.findings(&ServerCpu), []);
        // Of runs that did not look at processes nobody knows.
        assert_eq!(on_cores(4, 0.96).findings(&ServerCpu), []);
    }

    #[test]
    fn it_is_not_said_to_work_on_one_core_where_others_hold_the_rest() {
        // Others take 40 % of two cores, and nothing is idle.
        let mut run = busiest(on_cores(2, 0.95), 0.95, 0.92);
        run.each_of("b", |slice| slice.others(0.8));
        let findings = run.findings(&ServerCpu);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .contains("the target used 0.95, the generator 0.20: CPU is"),
            "{findings:?}"
        );
        // On eight cores there is room for more.
        let mut room = busiest(on_cores(8, 0.95), 0.95, 0.92);
        room.each_of("b", |slice| slice.others(0.8));
        let findings = room.findings(&ServerCpu);
        assert!(findings[0].evidence.contains("it works on one core"));
    }

    #[test]
    fn fires_when_nothing_is_idle_and_the_target_uses_most() {
        // 1.1 by the target, 0.2 by the generator, the rest by others and interrupts.
        let mut run = on_cores(2, 1.1);
        run.each_of("b", |slice| {
            let cpu = slice.machine().cpu.as_mut().unwrap();
            (cpu.interrupts, cpu.idle) = (cpu.interrupts + cpu.idle - 0.04, 0.04);
        });
        let findings = run.findings(&ServerCpu);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "only 2 % of 2 cores was idle, and the target used 1.10, the generator 0.20: CPU is \
             the limit"
        );
        run.each(|slice| slice.0.client.cpu_seconds = 1.2);
        assert_eq!(run.findings(&ServerCpu), []);
        // A server that sleeps on a machine that others fill.
        let mut sleeps = on_cores(2, 0.02);
        sleeps.each_of("b", |slice| {
            slice.0.client.cpu_seconds = 0.01;
            let machine = slice.machine();
            machine.others_cpu_seconds = Some(1.95);
            let cpu = machine.cpu.as_mut().unwrap();
            (cpu.busy, cpu.idle) = (1.98, 0.02);
        });
        assert_eq!(sleeps.findings(&ServerCpu), []);
    }

    #[test]
    fn silent_between_and_where_the_cores_are_not_known_to_be_its_own() {
        assert_eq!(on_cores(4, 3.3).findings(&ServerCpu), []);
        assert_eq!(busiest(on_cores(4, 1.1), 1.1, 0.5).findings(&ServerCpu), []);
        assert_eq!(
            busiest(on_cores(4, 0.85), 0.85, 0.85).findings(&ServerCpu),
            []
        );
        let unknown = on_cores(4, 3.9).on_unknown_machine();
        assert_eq!(unknown.findings(&ServerCpu), []);
        assert_eq!(on_cores(4, 3.9).elsewhere().findings(&ServerCpu), []);
        let rate = busiest(on_cores(4, 0.98), 0.98, 0.98).open_loop();
        assert_eq!(rate.findings(&ServerCpu), []);
    }
}
