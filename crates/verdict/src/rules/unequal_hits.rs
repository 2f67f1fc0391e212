//! Targets that did not find as much for the same patterns.

use std::collections::BTreeMap;

use tenbin_plan::{HitSource, Workload};
use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::hits::compare_hits;
use crate::words::pattern_name;

/// Share of the patterns without a number of hits beyond which little was compared.
const UNTOLD: f64 = 0.05;

/// Targets that did not find as much for the same patterns.
pub(super) struct UnequalHits;

impl Rule for UnequalHits {
    fn name(&self) -> &'static str {
        "unequal_hits"
    }

    fn summary(&self) -> &'static str {
        "two targets reported different numbers of hits for the same patterns"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("unequal_hits.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let workloads = evidence.plan.workloads.iter();
        workloads
            .flat_map(|workload| self.at(evidence, workload))
            .collect()
    }
}

/// What one target found before the run.
struct Found<'a> {
    target: &'a str,
    /// By host and pattern.
    hosts: Vec<(&'a str, BTreeMap<u32, Option<u64>>)>,
}

impl UnequalHits {
    fn at(&self, evidence: &Evidence<'_>, workload: &Workload) -> Vec<Finding> {
        // By default only responses that report an exact number are compared.
        let must_report = workload.hits() != Some(&HitSource::Auto);
        let work = workload;
        let workload = workload.name.as_str();
        let all: Vec<Found<'_>> = evidence
            .plan
            .targets
            .iter()
            .filter_map(|target| {
                let known = evidence.environment.targets.get(&target.name)?;
                let hosts = known.hits_before(workload);
                (!hosts.is_empty()).then_some(Found {
                    target: &target.name,
                    hosts,
                })
            })
            .collect();
        let labels = evidence.environment.patterns.get(workload);
        let labels = labels.map_or(&[][..], Vec::as_slice);
        let finding = |severity, target: &str, seen, advice: &str| Finding {
            rule: self.name().to_owned(),
            severity,
            blame: Blame::Setup,
            workload: Some(workload.to_owned()),
            target: Some(target.to_owned()),
            evidence: seen,
            advice: advice.to_owned(),
        };
        let mut findings = Vec::new();
        for found in &all {
            if let Some(seen) = found.untold().filter(|_| must_report) {
                let advice = "look at such an answer, and whether hits = names the way in which \
                              this target tells its hits";
                findings.push(finding(Severity::Suspect, found.target, seen, advice));
            }
            if let Some(seen) = found.among_hosts(labels) {
                let advice = "load the same data into all hosts of the target: requests go to \
                              them in turns, and are not the same work there";
                findings.push(finding(Severity::Invalid, found.target, seen, advice));
            }
        }
        let baseline = evidence.plan.baseline().map(|target| &target.name);
        let is_baseline = |found: &&Found<'_>| Some(found.target) == baseline.map(String::as_str);
        let Some(baseline) = all.iter().find(is_baseline) else {
            return findings;
        };
        for other in all.iter().filter(|found| !is_baseline(found)) {
            let (known, first) = (evidence.environment, baseline.target);
            let Some(compared) = compare_hits(work, known, first, other.target) else {
                continue;
            };
            if compared.different.is_empty() {
                continue;
            }
            let seen = compared.sentence(work, known, first, other.target);
            let (severity, advice) = match compared.too_many {
                true => (
                    Severity::Invalid,
                    "give both the same data, indexes, tokenizers and normalizers, and send them \
                     the same searches; if the difference is what you accept, state it with \
                     hits_tolerance",
                ),
                false => (
                    Severity::Note,
                    "these terms are not the same work on both targets: leave them out of the \
                     list if you want an exact comparison",
                ),
            };
            findings.push(finding(severity, other.target, seen, advice));
        }
        findings
    }
}

impl Found<'_> {
    fn untold(&self) -> Option<String> {
        let all: BTreeMap<u32, bool> = self.hosts.iter().flat_map(|(_, hits)| hits).fold(
            BTreeMap::new(),
            |mut told, (pattern, hits)| {
                *told.entry(*pattern).or_insert(true) &= hits.is_some();
                told
            },
        );
        let untold = all.values().filter(|told| !**told).count();
        let share = untold as f64 / all.len().max(1) as f64;
        (share > UNTOLD).then(|| {
            format!(
                "{} gave no number of hits for {untold} of {} patterns ({})",
                self.target,
                all.len(),
                percent(share)
            )
        })
    }

    /// Its hosts against the first of them that was asked for the same pattern.
    fn among_hosts(&self, labels: &[String]) -> Option<String> {
        let mut first: BTreeMap<u32, (&str, u64)> = BTreeMap::new();
        let mut unequal: BTreeMap<u32, String> = BTreeMap::new();
        for (host, hits) in &self.hosts {
            for (&pattern, hits) in hits {
                let Some(mine) = *hits else { continue };
                let (other, theirs) = *first.entry(pattern).or_insert((host, mine));
                if mine != theirs {
                    unequal
                        .entry(pattern)
                        .or_insert_with(|| format!("{theirs} from {other}, {mine} from {host}"));
                }
            }
        }
        let (pattern, numbers) = unequal.first_key_value()?;
        Some(format!(
            "hosts of {} had other numbers of hits for {} of {} patterns, the first of them {}: \
             {numbers}",
            self.target,
            unequal.len(),
            first.len(),
            pattern_name(*pattern, labels)
        ))
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::TargetEnvironment;

    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    fn found(a: &[Option<u64>], b: &[Option<u64>]) -> Run {
        let mut run = Run::pair(8);
        for (target, hits) in [("a", a), ("b", b)] {
            let mut known = TargetEnvironment::default();
            known.hits.insert("get".to_owned(), hits.to_vec());
            run.environment.targets.insert(target.to_owned(), known);
        }
        let labels = ["GET /d/select?query=tea", "GET /d/select?query=rice"];
        let labels = labels.map(str::to_owned).to_vec();
        run.environment.patterns.insert("get".to_owned(), labels);
        run
    }

    #[test]
    fn other_numbers_of_hits_void_the_comparison() {
        let run = found(&[Some(5), Some(7)], &[Some(5), Some(6)]);
        let findings = run.findings(&UnequalHits);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "1 of 2 patterns had other numbers of hits: GET /d/select?query=rice: 6 from b, 7 \
             from a"
        );
        let trust: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        assert_eq!(trust, [Trust::Invalid]);
    }

    /// Of ten terms, one has 90 hits where the other target has 100, another 50.
    #[test]
    fn a_stated_tolerance_is_for_the_numbers_and_for_how_many_terms_differ() {
        let mut a = vec![Some(100); 10];
        let mut b = a.clone();
        b[3] = Some(90);
        b[7] = Some(50);
        let judged = |a: &[Option<u64>], b: &[Option<u64>], tolerance: &str| {
            let mut run = found(a, b);
            run.draw_patterns("get", tolerance);
            let findings = run.findings(&UnequalHits);
            findings
                .first()
                .map(|found| (found.severity, found.evidence.clone()))
        };
        let (severity, seen) = judged(&a, &b, "10%").unwrap();
        assert_eq!(severity, Severity::Note);
        assert_eq!(
            seen,
            "1 of 10 patterns had other numbers of hits by more than the tolerance of 10%: \
             pattern 8: 50 from b, 100 from a"
        );
        assert_eq!(judged(&a, &b, "9%").unwrap().0, Severity::Invalid);
        assert_eq!(judged(&a, &b, "0%").unwrap().0, Severity::Invalid);
        assert_eq!(judged(&a, &b, "50%"), None);
        a[1] = Some(0);
        let (severity, seen) = judged(&a, &b, "10%").unwrap();
        assert_eq!(severity, Severity::Invalid);
        assert!(
            seen.contains("d/select?query=rice: 100 from b, 0 from a; pattern 8"),
            "{seen}"
        );
    }

    #[test]
    fn numbers_that_are_not_told_are_suspect_and_not_compared() {
        let findings = found(&[Some(5), Some(7)], &[Some(5), None]).findings(&UnequalHits);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "b gave no number of hits for 1 of 2 patterns (50 %)"
        );
    }

    #[test]
    fn a_host_that_finds_less_than_the_others_of_its_target_voids_the_run() {
        let mut run = found(&[Some(5), Some(7)], &[Some(5), Some(7)]);
        run.ask("b", "one", &[Some(5), Some(7)], None);
        run.ask("b", "two", &[Some(0), Some(7)], None);
        let findings = run.findings(&UnequalHits);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "hosts of b had other numbers of hits for 1 of 2 patterns, the first of them GET \
             /d/select?query=tea: 5 from one, 0 from two"
        );
    }

    #[test]
    fn silent_where_they_found_the_same_or_were_not_asked() {
        let same = [Some(5), Some(0)];
        assert_eq!(found(&same, &same).findings(&UnequalHits), []);
        assert_eq!(Run::pair(8).findings(&UnequalHits), []);
    }
}
