//! How many connections are enough.

use tenbin_plan::{Target, Workload};
use tenbin_record::Slice;
use tenbin_stats::Estimate;

use super::Rule;
use crate::evidence::Evidence;
use crate::finding::{Blame, Finding, Severity};
use crate::ladder::{Level, ladders};
use crate::words::{rate, ratio};

/// What more connections have to gain to be worth their while.
const GAIN: f64 = 0.025;

/// Fewest levels among which there is an optimum to be found.
const FEWEST_LEVELS: usize = 3;

/// How many connections are enough.
pub(super) struct OptimumConcurrency;

impl Rule for OptimumConcurrency {
    fn name(&self) -> &'static str {
        "optimum_concurrency"
    }

    fn summary(&self) -> &'static str {
        "how many connections were enough for the most throughput"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("optimum_concurrency.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        ladders(evidence.plan, FEWEST_LEVELS)
            .into_iter()
            .flat_map(|ladder: Vec<&Workload>| {
                let targets = evidence.plan.targets.iter();
                let on = targets.filter_map(|target| self.on(target, &ladder, evidence.slices));
                on.collect::<Vec<Finding>>()
            })
            .collect()
    }
}

impl OptimumConcurrency {
    fn on(&self, target: &Target, ladder: &[&Workload], slices: &[Slice]) -> Option<Finding> {
        let levels = Level::all(ladder, target, slices)?;
        let best = levels
            .iter()
            .max_by(|a, b| a.throughput.total_cmp(&b.throughput))?;
        let is_below = |level: &Level<'_>| {
            let found = level.against(best)?;
            Some(found.high < 1.0 - GAIN)
        };
        let mut enough = None;
        for (at, level) in levels.iter().enumerate() {
            if level.connections() == best.connections() || !is_below(level)? {
                enough = Some(at);
                break;
            }
        }
        let at = enough?;
        let rises = at + 1 == levels.len();
        Some(Finding {
            rule: self.name(),
            severity: Severity::Note,
            blame: Blame::Question,
            workload: Some(levels[at].cell.workload.name.clone()),
            target: Some(target.name.clone()),
            evidence: evidence(&levels, at, best, rises),
            advice: if rises {
                "add more connections: the most that this target gives was not reached".to_owned()
            } else {
                format!(
                    "use {} connections: more of them only wait for each other",
                    levels[at].connections()
                )
            },
        })
    }
}

fn evidence(levels: &[Level<'_>], at: usize, best: &Level<'_>, rises: bool) -> String {
    let chosen = &levels[at];
    let (connections, throughput) = (chosen.connections(), rate(chosen.throughput));
    let mut text = if rises {
        format!("throughput was still rising at {connections} connections ({throughput})")
    } else {
        format!("{connections} connections are enough ({throughput})")
    };
    if chosen.connections() != best.connections()
        && let Some(found) = chosen.against(best)
    {
        text += &format!(
            ": {} of the most, which {} gave",
            with_interval(&found),
            best.connections()
        );
    }
    if let Some(below) = at.checked_sub(1).map(|below| &levels[below])
        && let Some(found) = below.against(best)
    {
        text += &format!(
            "; {} gave {} of the most",
            below.connections(),
            with_interval(&found)
        );
    }
    text
}

fn with_interval(found: &Estimate) -> String {
    let Estimate {
        value, low, high, ..
    } = found;
    format!("{} ({}–{})", ratio(*value), ratio(*low), ratio(*high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Levels of 1, 4, 16 and 64 connections with these throughputs on `a`.
    fn run(throughputs: [u64; 4]) -> Run {
        let names = ["c1", "c4", "c16", "c64"];
        let mut run = Run::new(&["a"], &names, 8);
        for (workload, connections) in run.plan.workloads.iter_mut().zip([1, 4, 16, 64]) {
            workload.load.connections = connections;
        }
        run.each(|slice| {
            let at = names
                .iter()
                .position(|name| *name == slice.0.workload)
                .unwrap();
            let wobble = [0, 2, 1, 3][slice.0.block as usize % 4];
            slice.answers(throughputs[at] + wobble, 0.002);
        });
        run
    }

    #[test]
    fn the_lowest_level_that_loses_nothing_is_the_optimum() {
        let findings = run([250, 900, 990, 1_000]).findings(&OptimumConcurrency);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].workload.as_deref(), Some("c16"));
        assert_eq!(
            findings[0].evidence,
            "16 connections are enough (992/s): 0.990 (0.990–0.990) of the most, which 64 gave; \
             4 gave 0.900 (0.900–0.900) of the most"
        );
        let falling = run([250, 1_000, 990, 700]).findings(&OptimumConcurrency);
        assert_eq!(falling[0].workload.as_deref(), Some("c4"));
    }

    #[test]
    fn says_when_the_top_was_not_reached() {
        let findings = run([250, 500, 750, 1_000]).findings(&OptimumConcurrency);
        assert!(
            findings[0]
                .evidence
                .starts_with("throughput was still rising at 64")
        );
        assert!(findings[0].advice.starts_with("add more connections"));
    }

    #[test]
    fn silent_with_two_levels_different_work_or_too_few_blocks() {
        let mut two = run([1, 2, 3, 4]);
        two.plan.workloads.truncate(2);
        assert_eq!(two.findings(&OptimumConcurrency), []);
        let mut different = run([250, 900, 990, 1_000]);
        for (at, workload) in different.plan.workloads.iter_mut().enumerate() {
            workload.load.requests = Some(at as u64 + 1);
        }
        assert_eq!(different.findings(&OptimumConcurrency), []);
        assert_eq!(
            run([250, 900, 990, 1_000])
                .interrupted(12)
                .findings(&OptimumConcurrency),
            []
        );
    }
}
