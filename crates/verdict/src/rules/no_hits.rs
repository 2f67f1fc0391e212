//! Request patterns that find nothing.

use super::Rule;
use crate::evidence::Evidence;
use crate::finding::{Blame, Finding, Severity};
use crate::words::percent;

/// Request patterns that find nothing.
pub(super) struct NoHits;

impl Rule for NoHits {
    fn name(&self) -> &'static str {
        "no_hits"
    }

    fn summary(&self) -> &'static str {
        "request patterns that find nothing"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("no_hits.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let workloads = evidence.plan.workloads.iter();
        workloads
            .filter_map(|workload| self.at(evidence, &workload.name))
            .collect()
    }
}

impl NoHits {
    fn at(&self, evidence: &Evidence<'_>, workload: &str) -> Option<Finding> {
        let targets = evidence.plan.targets.iter();
        let found: Vec<&[Option<u64>]> = targets
            .filter_map(|target| evidence.environment.targets.get(&target.name))
            .filter_map(|known| known.hits.get(workload).map(Vec::as_slice))
            .collect();
        let asked = found.first()?.len();
        // What nobody told is not nothing.
        let is_empty = |at: &usize| found.iter().all(|hits| hits.get(*at) == Some(&Some(0)));
        let empty = (0..asked).filter(is_empty).count();
        if empty == 0 {
            return None;
        }
        let (severity, advice) = match empty == asked {
            true => (
                Severity::Invalid,
                "searches that find nothing are no measure of searching: look whether the data \
                 are loaded and indexed, and whether the patterns ask for them",
            ),
            false => (
                Severity::Note,
                "an empty answer is a fast one: leave such patterns out unless searches in vain \
                 are what is to be measured",
            ),
        };
        Some(Finding {
            rule: self.name(),
            severity,
            blame: Blame::Setup,
            workload: Some(workload.to_owned()),
            target: None,
            evidence: format!(
                "{empty} of {asked} patterns ({}) find nothing on any target",
                percent(empty as f64 / asked as f64)
            ),
            advice: advice.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::TargetEnvironment;

    use super::*;
    use crate::testing::Run;

    fn run(a: &[Option<u64>], b: &[Option<u64>]) -> Run {
        let mut run = Run::pair(8);
        for (target, hits) in [("a", a), ("b", b)] {
            let mut known = TargetEnvironment::default();
            known.hits.insert("get".to_owned(), hits.to_vec());
            run.environment.targets.insert(target.to_owned(), known);
        }
        run
    }

    #[test]
    fn some_in_vain_are_a_note_and_all_are_no_search() {
        let some = run(&[Some(0), Some(7)], &[Some(0), Some(7)]).findings(&NoHits);
        assert_eq!(some.len(), 1);
        assert_eq!(some[0].severity, Severity::Note);
        assert_eq!(
            some[0].evidence,
            "1 of 2 patterns (50 %) find nothing on any target"
        );
        let all = run(&[Some(0)], &[Some(0)]).findings(&NoHits);
        assert_eq!(all[0].severity, Severity::Invalid);
    }

    #[test]
    fn silent_where_one_finds_something_or_nobody_tells() {
        assert_eq!(run(&[Some(0)], &[Some(3)]).findings(&NoHits), []);
        assert_eq!(run(&[None], &[Some(0)]).findings(&NoHits), []);
        assert_eq!(Run::pair(8).findings(&NoHits), []);
    }
}
