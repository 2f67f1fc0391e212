//! Request patterns that find nothing.

use std::collections::BTreeMap;

use tenbin_record::Slice;
use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;

/// Share of the requests that may find nothing before the figures are in doubt.
const FEW: f64 = 0.05;
/// Share beyond which the figures are those of searches that find nothing.
const MOST: f64 = 0.5;

/// Request patterns that find nothing.
pub(super) struct NoHits;

impl Rule for NoHits {
    fn name(&self) -> &'static str {
        "no_hits"
    }

    fn summary(&self) -> &'static str {
        "request patterns have no hits"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("no_hits.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let workloads = evidence.plan.workloads.iter();
        workloads
            .flat_map(|workload| {
                let hosts = asked_hosts(evidence, &workload.name);
                let slices = evidence.slices.iter();
                let slices = slices.filter(|slice| slice.workload == workload.name);
                let everywhere = self.everywhere(&hosts, &workload.name, slices);
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
        // A response without a number is not one without a hit.
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
            rule: self.name().to_owned(),
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

    /// Patterns that find nothing on any target, by their share of the requests.
    fn everywhere<'a>(
        &self,
        hosts: &[Host<'_>],
        workload: &str,
        slices: impl Iterator<Item = &'a Slice>,
    ) -> Option<Finding> {
        let mut is_empty: BTreeMap<u32, bool> = BTreeMap::new();
        for (pattern, hits) in hosts.iter().flat_map(|host| &host.hits) {
            // A response without a number is not one without a hit.
            *is_empty.entry(*pattern).or_insert(true) &= *hits == Some(0);
        }
        let empty = is_empty.values().filter(|empty| **empty).count();
        if empty == 0 {
            return None;
        }
        let of_patterns = empty as f64 / is_empty.len() as f64;
        let of_requests = share_of_requests(&is_empty, slices);
        let share = of_requests.unwrap_or(of_patterns);
        let (severity, advice) = match share {
            share if share > MOST => (
                Severity::Invalid,
                "a search without a hit does almost no work: check that the data are loaded and \
                 indexed, and take terms that are found, for example from tenbin search terms",
            ),
            share if share > FEW => (
                Severity::Suspect,
                "a search without a hit is faster than others: take terms that are found, for \
                 example from tenbin search terms",
            ),
            _ => (
                Severity::Note,
                "a search without a hit is faster than others: leave such patterns out unless \
                 your users send them as well",
            ),
        };
        let requests = match of_requests {
            Some(share) => format!("{} of the requests", percent(share)),
            None => percent(of_patterns),
        };
        Some(Finding {
            rule: self.name().to_owned(),
            severity,
            blame: Blame::Setup,
            workload: Some(workload.to_owned()),
            target: None,
            evidence: format!(
                "{empty} of {} patterns ({requests}) find nothing on any target",
                is_empty.len()
            ),
            advice: advice.to_owned(),
        })
    }
}

/// Share of the requests, over all targets, whose pattern finds nothing; of those patterns
/// that were asked for their hits. Unknown where patterns have no counts.
fn share_of_requests<'a>(
    is_empty: &BTreeMap<u32, bool>,
    slices: impl Iterator<Item = &'a Slice>,
) -> Option<f64> {
    let singles = slices.filter_map(|slice| slice.singles.as_ref());
    let (mut all, mut without_hits) = (0, 0);
    for count in singles.flat_map(|singles| &singles.patterns) {
        let requests = count.ok + count.failed;
        match is_empty.get(&count.pattern) {
            None => continue,
            Some(true) => without_hits += requests,
            Some(false) => {}
        }
        all += requests;
    }
    (all > 0).then(|| without_hits as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use tenbin_record::{PatternCount, Singles, TargetEnvironment};

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

    /// So many patterns, of which the first find nothing.
    fn without_hits(empty: usize, all: usize) -> Vec<Option<u64>> {
        (0..all)
            .map(|at| Some(if at < empty { 0 } else { 7 }))
            .collect()
    }

    #[test]
    fn more_than_a_few_are_suspect_and_more_than_half_are_no_search() {
        for (empty, severity) in [
            (1, Severity::Note),
            (5, Severity::Note),
            (6, Severity::Suspect),
            (50, Severity::Suspect),
            (51, Severity::Invalid),
            (100, Severity::Invalid),
        ] {
            let hits = without_hits(empty, 100);
            let found = run(&hits, &hits).findings(&NoHits);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].severity, severity, "{empty} of 100");
            assert_eq!(
                found[0].evidence,
                format!("{empty} of 100 patterns ({empty} %) find nothing on any target")
            );
        }
    }

    /// One pattern of ten finds nothing, and is every second request.
    #[test]
    fn what_counts_is_the_share_of_the_requests() {
        let mut run = run(&without_hits(1, 10), &without_hits(1, 10));
        let count = |pattern: u32| PatternCount {
            pattern,
            ok: if pattern == 0 { 9 } else { 1 },
            failed: 0,
            sum_ns: 1,
            min_ns: 1,
            max_ns: 1,
        };
        for slice in &mut run.slices {
            // The last one was not asked for its hits.
            slice.singles = Some(Singles {
                patterns: (0..11).map(count).collect(),
                ..Singles::default()
            });
        }
        let found = run.findings(&NoHits);
        assert_eq!(found[0].severity, Severity::Suspect);
        assert_eq!(
            found[0].evidence,
            "1 of 10 patterns (50 % of the requests) find nothing on any target"
        );
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
