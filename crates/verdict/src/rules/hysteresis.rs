//! A server that does less after it had more to do.

use tenbin_plan::Workload;
use tenbin_result::format::ratio;
use tenbin_result::{Blame, Finding, Severity};
use tenbin_stats::Estimate;

use super::Rule;
use crate::capacity::{family, hysteresis, steps};
use crate::evidence::Evidence;

/// What the way down has to differ by from the way up, as a share.
const DIFFERENCE: f64 = 0.03;

/// A server that does less after it had more to do.
pub(super) struct Hysteresis;

impl Rule for Hysteresis {
    fn name(&self) -> &'static str {
        "hysteresis"
    }

    fn summary(&self) -> &'static str {
        "a ramp gave different figures in descending than in ascending order"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("hysteresis.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let plan = evidence.plan;
        let mut findings = Vec::new();
        for ladder in plan.ladders() {
            let workloads: Vec<&Workload> = ladder.iter().map(|&at| &plan.workloads[at]).collect();
            for target in &plan.targets {
                let steps = steps(&workloads, target, evidence.slices);
                let measured = hysteresis(&steps);
                let Some(found) = measured.estimate().filter(|found| is_large(found)) else {
                    continue;
                };
                findings.push(self.finding(&workloads, &target.name, found));
            }
        }
        findings
    }
}

fn is_large(found: &Estimate) -> bool {
    !found.contains(1.0) && (found.value - 1.0).abs() > DIFFERENCE
}

impl Hysteresis {
    fn finding(&self, workloads: &[&Workload], target: &str, found: &Estimate) -> Finding {
        let less = found.value < 1.0;
        Finding {
            rule: self.name().to_owned(),
            severity: Severity::Suspect,
            blame: Blame::Server,
            workload: None,
            target: Some(target.to_owned()),
            evidence: format!(
                "on the way down from many connections to few, {target} gave {} ({}–{}) of its \
                 throughput on the way up, over the {} levels of {}",
                ratio(found.value),
                ratio(found.low),
                ratio(found.high),
                workloads.len(),
                family(workloads),
            ),
            advice: if less {
                "look for what the target keeps of a heavier load: queues, caches that were \
                 evicted, memory that is not given back; a longer gap (--gap) tells how long it \
                 takes to recover"
            } else {
                "warm the target up for longer (--warmup): it was still getting faster on the way up"
            }
            .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn ramp() -> Run {
        let names = ["get-c1", "get-c2", "get-c4"];
        let mut run = Run::new(&["a"], &names, 8);
        for (at, workload) in run.plan.workloads.iter_mut().enumerate() {
            workload.load.connections = 1 << at;
        }
        run.each(|slice| {
            let wobble = [3, 0, 5, 2, 4, 1, 6, 7][slice.0.block as usize];
            slice.answers(1_000 + wobble, 0.002);
        });
        run
    }

    #[test]
    fn fires_when_the_way_down_gives_less() {
        let mut run = ramp();
        run.each(|slice| {
            if slice.0.block % 2 == 1 {
                slice.answers(900, 0.002);
            }
        });
        let findings = run.findings(&Hysteresis);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("gave 0.89"), "{findings:?}");
        assert!(
            findings[0]
                .advice
                .starts_with("look for what the target keeps")
        );
    }

    #[test]
    fn says_so_when_the_way_down_gives_more() {
        let mut run = ramp();
        run.each(|slice| {
            if slice.0.block % 2 == 1 {
                slice.answers(1_100, 0.002);
            }
        });
        let findings = run.findings(&Hysteresis);
        assert!(findings[0].advice.starts_with("warm the target up"));
    }

    #[test]
    fn silent_when_both_ways_are_alike_or_too_short() {
        assert_eq!(ramp().findings(&Hysteresis), []);
        let mut short = ramp();
        short.each(|slice| {
            if slice.0.block % 2 == 1 {
                slice.answers(900, 0.002);
            }
        });
        assert_eq!(short.interrupted(18).findings(&Hysteresis), []);
    }
}
