//! The generator is the limit.

use tenbin_plan::Workload;
use tenbin_result::format::plural;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::backend::Backends;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::generator::Thread;
use crate::words::middle;

/// The generator is the limit.
pub(super) struct ClientSaturated;

impl Rule for ClientSaturated {
    fn name(&self) -> &'static str {
        "client_saturated"
    }

    fn summary(&self) -> &'static str {
        "a generator thread was busy all the time, or waited for a core that others used"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("client_saturated.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let backends = Backends::of(evidence);
        evidence
            .plan
            .workloads
            .iter()
            .flat_map(|workload| self.workload(workload, &cells, &backends, evidence.plan.threads))
            .collect()
    }
}

impl ClientSaturated {
    fn workload(
        &self,
        workload: &Workload,
        cells: &[Cell<'_>],
        backends: &Backends<'_>,
        threads: usize,
    ) -> Vec<Finding> {
        let arms: Vec<Arm> = cells
            .iter()
            .filter(|cell| cell.workload.name == workload.name)
            // Without a server, the generator's work is the work.
            .filter(|cell| cell.target.has_server())
            .filter_map(|cell| Arm::of(cell, backends))
            .collect();
        let severity = severity(&arms);
        arms.iter()
            .filter(|arm| arm.is_busy())
            .map(|arm| Finding {
                rule: self.name().to_owned(),
                severity,
                blame: Blame::Generator,
                workload: Some(workload.name.clone()),
                target: Some(arm.target.clone()),
                evidence: format!(
                    "the busiest of {} {} (median of {})",
                    plural(threads, "generator thread"),
                    arm.thread.words(),
                    plural(arm.slices, "slice"),
                ),
                advice: advice(severity, arms.len() > 1, &arm.thread),
            })
            .collect()
    }
}

/// One target under the workload.
struct Arm {
    target: String,
    slices: usize,
    thread: Thread,
    throughput: f64,
}

impl Arm {
    fn of(cell: &Cell<'_>, backends: &Backends<'_>) -> Option<Self> {
        let full = cell.full();
        Some(Self {
            target: cell.target.name.clone(),
            slices: full.len(),
            thread: Thread::of(cell, backends)?,
            throughput: middle(full.iter().filter_map(|slice| slice.throughput()))?,
        })
    }

    fn is_busy(&self) -> bool {
        self.thread.is_busy()
    }
}

/// Two arms at the generator's limit are the generator compared with itself.
/// One such arm is at least as fast as it looks: if it also looks fastest, the
/// order stands and only its lead is uncertain; if not, not even the order does.
fn severity(arms: &[Arm]) -> Severity {
    let fastest = arms
        .iter()
        .max_by(|a, b| a.throughput.total_cmp(&b.throughput));
    let busy = arms.iter().filter(|arm| arm.is_busy()).count();
    match busy {
        0 | 1 if fastest.is_none_or(Arm::is_busy) => Severity::Suspect,
        _ => Severity::Invalid,
    }
}

fn advice(severity: Severity, comparing: bool, thread: &Thread) -> String {
    let meaning = match (severity, comparing) {
        (Severity::Invalid, _) => "this measures the generator and not the targets",
        (_, true) => "this target leads by at least as much as it seems; by how much is unknown",
        (_, false) => "the target may well be faster than this",
    };
    let remedy = match thread.is_displaced() {
        true => "stop the other programs, or run the generator on a separate machine",
        false => {
            "use more --threads if there are idle cores, fewer connections, larger objects, or a \
             separate machine for the generator"
        }
    };
    format!("{meaning}: {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn one_busy_arm_that_leads_leaves_the_order_standing() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.busiest_thread(0.97);
            slice.answers(1_500, 0.002 / 1.5);
        });
        let findings = run.findings(&ClientSaturated);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("97 % of a core"));
    }

    #[test]
    fn one_busy_arm_that_trails_voids_the_comparison() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.busiest_thread(0.97);
            slice.answers(500, 0.004);
        });
        assert_eq!(
            run.findings(&ClientSaturated)[0].severity,
            Severity::Invalid
        );
    }

    #[test]
    fn two_busy_arms_void_the_comparison() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.busiest_thread(0.95));
        run.each_of("b", |slice| slice.busiest_thread(0.97));
        let findings = run.findings(&ClientSaturated);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Invalid));
    }

    #[test]
    fn a_plain_measuring_is_only_suspect() {
        let mut run = Run::single(8);
        run.each_of("a", |slice| slice.busiest_thread(0.99));
        let findings = run.findings(&ClientSaturated);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_thread_that_waits_for_a_core_that_others_use_is_saturated() {
        let mut run = Run::single(8);
        run.each(|slice| {
            slice.waiting_thread(0.62, 0.35);
            slice.others(0.8);
        });
        let findings = run.findings(&ClientSaturated);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "the busiest of 1 generator thread used 62 % of a core and waited 35 % of the time for \
             one that other programs used (median of 8 slices)"
        );
        assert!(findings[0].advice.contains("stop the other programs"));
        // The target used the cores: the limit is the target, or the machine.
        run.each(|slice| slice.machine().others_cpu_seconds = Some(0.05));
        assert_eq!(run.findings(&ClientSaturated), []);
    }

    #[test]
    fn silent_below_nine_tenths_and_for_one_busy_slice() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.busiest_thread(0.89));
        run.first_of("b").busiest_thread(1.0);
        assert_eq!(run.findings(&ClientSaturated), []);
    }
}
