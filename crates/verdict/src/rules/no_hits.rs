//! Request patterns that find nothing.

use std::collections::BTreeMap;

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
            .flat_map(|workload| {
                let hosts = asked_hosts(evidence, &workload.name);
                let everywhere = self.everywhere(&hosts, &workload.name);
                let mut findings = self.idle_hosts(&hosts, &workload.name);
                findings.extend(everywhere);
                findings
            })
            .collect()
    }
}

/// What one host of a target found before the run.
struct Host<'a> {
    target: &'a str,
    name: &'a str,
    hits: BTreeMap<u32, Option<u64>>,
}

impl Host<'_> {
    fn finds_nothing(&self) -> bool {
        // What nobody told is not nothing.
        !self.hits.is_empty() && self.hits.values().all(|hits| *hits == Some(0))
    }
}

fn asked_hosts<'a>(evidence: &Evidence<'a>, workload: &str) -> Vec<Host<'a>> {
    let targets = evidence.plan.targets.iter();
    let known = targets.filter_map(|target| {
        let known = evidence.environment.targets.get(&target.name)?;
        Some((target.name.as_str(), known))
    });
    known
        .flat_map(|(target, known)| {
            let hosts = known.hits_before(workload).into_iter();
            hosts.map(move |(name, hits)| Host { target, name, hits })
        })
        .collect()
}

impl NoHits {
    /// Hosts that find nothing at all while others of the same target do.
    fn idle_hosts(&self, hosts: &[Host<'_>], workload: &str) -> Vec<Finding> {
        let finds = |target| {
            let mut own = hosts.iter().filter(move |host| host.target == target);
            own.any(|host| !host.finds_nothing())
        };
        let idle = hosts
            .iter()
            .filter(|host| host.finds_nothing() && finds(host.target));
        idle.map(|host| Finding {
            rule: self.name(),
            severity: Severity::Invalid,
            blame: Blame::Setup,
            workload: Some(workload.to_owned()),
            target: Some(host.target.to_owned()),
            evidence: format!(
                "{} of {} finds nothing for any of {} patterns, unlike other hosts of it",
                host.name,
                host.target,
                host.hits.len()
            ),
            advice: "load the data into every host of the target: a host that finds nothing \
                     answers its share of the requests at once"
                .to_owned(),
        })
        .collect()
    }

    fn everywhere(&self, hosts: &[Host<'_>], workload: &str) -> Option<Finding> {
        let mut in_vain: BTreeMap<u32, bool> = BTreeMap::new();
        for (pattern, hits) in hosts.iter().flat_map(|host| &host.hits) {
            // What nobody told is not nothing.
            *in_vain.entry(*pattern).or_insert(true) &= *hits == Some(0);
        }
        let asked = in_vain.len();
        let empty = in_vain.values().filter(|in_vain| **in_vain).count();
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
    fn one_host_of_several_that_finds_nothing_voids_the_run() {
        let mut run = run(&[Some(5), Some(7)], &[Some(5), Some(7)]);
        run.ask("b", "one", &[Some(5), Some(7)], None);
        run.ask("b", "two", &[Some(0), Some(0)], None);
        let findings = run.findings(&NoHits);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "two of b finds nothing for any of 2 patterns, unlike other hosts of it"
        );
    }

    #[test]
    fn silent_where_one_finds_something_or_nobody_tells() {
        assert_eq!(run(&[Some(0)], &[Some(3)]).findings(&NoHits), []);
        assert_eq!(run(&[None], &[Some(0)]).findings(&NoHits), []);
        assert_eq!(Run::pair(8).findings(&NoHits), []);
    }
}
