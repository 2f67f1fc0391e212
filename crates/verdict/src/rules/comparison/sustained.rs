//! Targets that do not keep their interleaved figures under continuous load.

use tenbin_result::format::{TIME, plural};
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::stretch::Stretch;
use crate::sustained::shown;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "sustained",
    summary: "a target is slower under continuous load than in the rounds",
    severities: &[Severity::Suspect],
    explanation: include_str!("sustained.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let stretches = evidence.stretches.iter();
    let fallen = stretches.filter(|stretch| stretch.found.has_fallen());
    fallen
        .map(|it| finding_of(it, evidence.stretches))
        .collect()
}

fn finding_of(stretch: &Stretch, all: &[Stretch]) -> Finding {
    let found = &stretch.found;
    let is_tail = !found.throughput_fell;
    let what = if is_tail { "p99" } else { "throughput" };
    let others = all
        .iter()
        .filter(|other| other.workload == stretch.workload && other.target != stretch.target);
    let others: Vec<String> = others
        .map(|other| format!("; {}: {}", other.target, shown(&other.found, is_tail)))
        .collect();
    let step = match found.step_after {
        Some(after) => format!(", from {} on", TIME.of(after)),
        None => String::new(),
    };
    let operations = usize::try_from(found.operations).unwrap_or(usize::MAX);
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Server,
        workload: Some(stretch.workload.clone()),
        target: Some(stretch.target.clone()),
        evidence: format!(
            "the {what} in the rounds, where the target rests between slices, is not sustained: \
             {} under {} of continuous load ({}){step}{}",
            shown(found, is_tail),
            TIME.of(found.seconds),
            plural(operations, "operation"),
            others.concat()
        ),
        advice: "compare the sustained figures if the servers will be busy all the time; find out \
                 what the target saves while it rests (rate limit, burst credit of a disk or \
                 virtual machine, deferred writes, heat); measure longer with --soak 30m"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::{Probed, ProbedSecond};
    use tenbin_result::{Outcome, Trust};

    use super::*;
    use crate::testing::{Made, Run};

    /// Adds a stretch of `target` with these operations in each second, of 2 ms each.
    fn sustain(run: &mut Run, target: &str, seconds: &[u64]) {
        let mut stretch = run.first_of(target).0.clone();
        stretch.sustained = true;
        stretch.seconds = seconds.len() as f64;
        Made(&mut stretch).answers(seconds.iter().sum(), 0.002);
        let of_second = |(number, count): (usize, &u64)| ProbedSecond {
            number: number as u64,
            services: vec![(2_000_000, *count)],
            ..ProbedSecond::default()
        };
        stretch.probed = Some(Probed {
            seconds: seconds.iter().enumerate().map(of_second).collect(),
        });
        run.sustained.push(stretch);
    }

    const CREDIT: [u64; 6] = [1_000, 1_000, 1_000, 520, 500, 505];

    #[test]
    fn a_target_that_falls_has_no_verdict_and_both_figures_are_named() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(800, 0.0025));
        sustain(&mut run, "a", &CREDIT);
        sustain(&mut run, "b", &[800; 6]);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        for figure in ["1.00 k/s → 508/s", "b: 800/s → 800/s", "from 3.00 s on"] {
            assert!(findings[0].evidence.contains(figure), "{findings:?}");
        }
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Suspect);
        let found = assessment.primary().next().unwrap();
        assert!(
            matches!(found.outcome, Outcome::NotSustained { .. }),
            "{found:?}"
        );
        assert!(
            found.sentence.starts_with("cannot tell b from a"),
            "{found:?}"
        );
        assert!(found.sentence.contains("sustained"), "{found:?}");
        let figures = assessment
            .figures
            .iter()
            .find(|it| it.target == "a")
            .unwrap();
        assert_eq!(figures.sustained.as_ref().unwrap().step_after, Some(3.0));
    }

    #[test]
    fn silent_when_the_figures_are_kept_or_a_second_stretch_does_not_confirm() {
        let mut run = Run::pair(8);
        sustain(&mut run, "a", &[1_000, 990, 1_010, 1_000, 985, 1_000]);
        assert_eq!(run.findings(&RULE), []);
        assert!(!matches!(
            run.assess().primary().next().unwrap().outcome,
            Outcome::NotSustained { .. }
        ));
        let mut run = Run::pair(8);
        sustain(&mut run, "a", &CREDIT);
        sustain(&mut run, "a", &[1_000; 6]);
        assert_eq!(run.findings(&RULE), []);
        let figures = run.assess().figures;
        let sustained = figures.iter().find_map(|it| it.sustained.as_ref()).unwrap();
        assert!(sustained.unconfirmed_throughput.unwrap() < 600.0);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }

    #[test]
    fn a_tail_that_rises_is_found_too() {
        let mut run = Run::pair(8);
        sustain(&mut run, "a", &[1_000; 6]);
        let seconds = &mut run.sustained[0].probed.as_mut().unwrap().seconds;
        for second in seconds {
            second.services = vec![(2_000_000, 950), (40_000_000, 50)];
        }
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].evidence.contains("p99"), "{findings:?}");
        assert!(
            findings[0].evidence.contains("2.00 ms → 40.0 ms"),
            "{findings:?}"
        );
    }
}
