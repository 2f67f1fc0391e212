//! The finding that states the optimum of a sweep.

use tenbin_record::{MachineUse, Slice};
use tenbin_result::format::percent;
use tenbin_result::{Cause, Finding, Optimum, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::Place;
use crate::server::backend::Backends;
use crate::sweep::optima;
use crate::words::middle;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "sweep_optimum",
    summary: "the smallest value of a sweep whose result is within the margin of the best",
    severities: &[Severity::Note],
    explanation: include_str!("sweep_optimum.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let optima = optima(evidence.plan, evidence.slices, &[]);
    let of_others = |optimum| share_of_others(evidence, optimum);
    let optima = optima.iter();
    optima
        .map(|optimum| finding_of(optimum, of_others(optimum)))
        .collect()
}

/// Share of the CPU time of all cores above which other programs can affect an optimum.
const CROWDED: f64 = 0.10;

/// Share of the CPU time of all cores that unrelated programs used during the workload; `None` if
/// the share is too small to affect the optimum.
fn share_of_others(evidence: &Evidence<'_>, optimum: &Optimum) -> Option<f64> {
    let backends = Backends::of(evidence);
    let cells = evidence.cells.iter();
    let mine = cells.filter(|cell| cell.workload.name == optimum.workload);
    let share = |_: &Slice, machine: &MachineUse| backends.share_of_others(machine);
    let shares = mine.filter_map(|cell| Place::of_cell(cell, &share));
    middle(shares.map(|place| place.value)).filter(|share| *share > CROWDED)
}

fn finding_of(optimum: &Optimum, of_others: Option<f64>) -> Finding {
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Setup,
        workload: Some(optimum.workload.clone()),
        target: Some(optimum.target.clone()),
        evidence: optimum.sentence.clone(),
        advice: match optimum.certain {
            true if optimum.is_largest() && of_others.is_some() => format!(
                "stop the other programs, which used {} of the CPU time of all cores, and run \
                 again: a server with more processes gets a larger share of a busy machine, so \
                 {} may not be the optimum on an idle machine",
                percent(of_others.unwrap_or_default()),
                optimum.place
            ),
            true if optimum.is_largest() => format!(
                "try larger values, too: {} is the largest value of {} in the sweep, and the \
                 optimum may be larger",
                optimum.place, optimum.sweep
            ),
            true => format!(
                "use {} for {}; larger values use more resources and gain at most {}",
                optimum.place,
                optimum.sweep,
                percent(optimum.margin)
            ),
            false => format!(
                "use more --rounds to be sure: another value may be more than {} better than {}",
                percent(optimum.margin),
                optimum.place
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::swept;
    use crate::testing::Run;

    #[test]
    fn names_the_optimum_and_says_how_sure_that_is() {
        let findings = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 36).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("web@workers=2"));
        assert!(findings[0].advice.starts_with("use workers=2 for web"));
        let findings = swept(&[(1, 1.0), (2, 1.9)], 36).findings(&RULE);
        assert!(findings[0].advice.starts_with("try larger values"));
        let findings = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 12).findings(&RULE);
        assert!(findings[0].advice.contains("more --rounds"), "{findings:?}");
    }

    #[test]
    fn more_processes_get_more_of_a_machine_that_others_use() {
        let mut run = swept(&[(1, 1.0), (2, 1.9)], 36);
        run.each(|slice| {
            slice.others(0.8);
        });
        let findings = run.findings(&RULE);
        let advice = &findings[0].advice;
        assert!(advice.starts_with("stop the other programs"), "{advice}");
        assert!(advice.contains("40 %"), "{advice}");
    }

    #[test]
    fn silent_without_a_sweep() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
