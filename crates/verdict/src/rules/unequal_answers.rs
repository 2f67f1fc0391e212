//! Targets that did not give the same answers.

use std::collections::BTreeMap;

use tenbin_plan::{HttpWork, Workload, WorkloadKind};

use super::Rule;
use crate::evidence::{Cell, Evidence};
use crate::finding::{Blame, Finding, Severity};
use crate::words::percent;

/// Difference of the sizes of two bodies, as a share of the larger, that is none.
const SAME: f64 = 0.01;

/// The same beyond which the work is another.
const OTHER: f64 = 0.05;

/// Bytes by which bodies may differ without another time to send them.
const NO_TIME: f64 = 64.0;

/// Difference in the share of a status.
const STATUSES: f64 = 0.01;

/// Targets that did not give the same answers.
pub(super) struct UnequalAnswers;

impl Rule for UnequalAnswers {
    fn name(&self) -> &'static str {
        "unequal_answers"
    }

    fn summary(&self) -> &'static str {
        "two targets did not give the same answers to the same requests"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("unequal_answers.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let workloads = evidence.plan.workloads.iter();
        workloads
            .filter_map(|workload| Some((workload, http(workload)?)))
            .flat_map(|(workload, work)| {
                let mine = |cell: &&Cell<'_>| cell.workload.name == workload.name;
                let patterns = evidence.environment.patterns.get(&workload.name);
                let patterns = patterns.map_or(&[][..], Vec::as_slice);
                let answers: Vec<Answers<'_>> = cells
                    .iter()
                    .filter(mine)
                    .filter_map(|cell| Answers::of(cell, work, patterns))
                    .collect();
                self.compared(workload, &answers)
            })
            .collect()
    }
}

impl UnequalAnswers {
    fn compared(&self, workload: &Workload, answers: &[Answers<'_>]) -> Vec<Finding> {
        let Some((baseline, others)) = answers.split_first() else {
            return Vec::new();
        };
        others
            .iter()
            .filter_map(|other| {
                let (severity, seen) = other.against(baseline)?;
                Some(Finding {
                    rule: self.name(),
                    severity,
                    blame: Blame::Setup,
                    workload: Some(workload.name.clone()),
                    target: Some(other.target.to_owned()),
                    evidence: seen,
                    advice: "let both answer alike before comparing how fast they do it: look at \
                             an answer of each, at redirects, error pages, compression, and \
                             what they are set up to serve"
                        .to_owned(),
                })
            })
            .collect()
    }
}

fn http(workload: &Workload) -> Option<&HttpWork> {
    match &workload.kind {
        WorkloadKind::Http(work) => Some(work),
        // These know what the right answer is, and count others as failures.
        WorkloadKind::S3(_) | WorkloadKind::Blob(_) => None,
    }
}

/// What a target answered, over all slices of a workload.
struct Answers<'a> {
    target: &'a str,
    /// Bytes of a correct answer's body, on average; unknown where requests have a
    /// body too, since nobody recorded them apart.
    body: Option<f64>,
    /// Share of the answers that each status below 400 has.
    statuses: BTreeMap<u16, f64>,
}

impl<'a> Answers<'a> {
    fn of(cell: &Cell<'a>, work: &HttpWork, patterns: &[String]) -> Option<Self> {
        let without_body = |label: &String| label.starts_with("GET ") || label.starts_with("HEAD ");
        let sends_bodies =
            work.patterns.is_some() && (patterns.is_empty() || !patterns.iter().all(without_body));
        let requests = || cell.slices.iter().flat_map(|slice| slice.requests());
        let ok: u64 = requests().map(|op| op.ok).sum();
        let payload: u64 = requests().map(|op| op.payload).sum();
        let mut statuses: BTreeMap<u16, f64> = BTreeMap::new();
        for (status, count) in requests().flat_map(|op| &op.statuses) {
            *statuses.entry(*status).or_default() += *count as f64;
        }
        // Failures have a rule of their own.
        statuses.retain(|status, _| *status < 400);
        let all: f64 = statuses.values().sum();
        statuses.values_mut().for_each(|share| *share /= all);
        (ok > 0).then(|| Self {
            target: &cell.target.name,
            body: (work.body.is_empty() && !sends_bodies).then(|| payload as f64 / ok as f64),
            statuses,
        })
    }

    fn against(&self, baseline: &Self) -> Option<(Severity, String)> {
        let found = [self.bodies(baseline), self.statuses(baseline)];
        found
            .into_iter()
            .flatten()
            .max_by_key(|(severity, _)| *severity)
    }

    fn bodies(&self, baseline: &Self) -> Option<(Severity, String)> {
        let (mine, other) = (self.body?, baseline.body?);
        let difference = (mine - other).abs();
        let share = difference / mine.max(other);
        let seen = || {
            format!(
                "a body of {} has {mine:.0} bytes on average, one of {} {other:.0}: {} apart",
                self.target,
                baseline.target,
                percent(share)
            )
        };
        if share > OTHER && difference > NO_TIME {
            Some((Severity::Invalid, seen()))
        } else if share > SAME {
            Some((Severity::Suspect, seen()))
        } else {
            None
        }
    }

    fn statuses(&self, baseline: &Self) -> Option<(Severity, String)> {
        if self.statuses.is_empty() || baseline.statuses.is_empty() {
            return None;
        }
        let known = self.statuses.keys().chain(baseline.statuses.keys());
        let (status, mine, other) = known
            .map(|status| {
                let share = |answers: &Self| *answers.statuses.get(status).unwrap_or(&0.0);
                (*status, share(self), share(baseline))
            })
            .max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()))?;
        ((mine - other).abs() > STATUSES).then(|| {
            let seen = format!(
                "{} of the answers of {} have status {status}, {} of those of {}",
                percent(mine),
                self.target,
                percent(other),
                baseline.target
            );
            (Severity::Invalid, seen)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn with_bodies(a: u64, b: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.0.ops[0].payload = a * 1_000);
        run.each_of("b", |slice| slice.0.ops[0].payload = b * 1_000);
        run
    }

    #[test]
    fn other_bodies_void_the_comparison() {
        let run = with_bodies(1_024, 153);
        let findings = run.findings(&UnequalAnswers);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "a body of b has 153 bytes on average, one of a 1024: 85.1 % apart"
        );
        let trust: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        assert_eq!(trust, [crate::finding::Trust::Invalid]);
    }

    #[test]
    fn bodies_that_differ_a_little_are_suspect() {
        let findings = with_bodies(12, 13).findings(&UnequalAnswers);
        assert_eq!(findings[0].severity, Severity::Suspect);
        let findings = with_bodies(100_000, 97_000).findings(&UnequalAnswers);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn other_statuses_void_the_comparison() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.status(200, 1_000));
        run.each_of("b", |slice| {
            slice.status(200, 900);
            slice.status(204, 100);
        });
        let findings = run.findings(&UnequalAnswers);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "10 % of the answers of b have status 204, 0 % of those of a"
        );
    }

    #[test]
    fn silent_when_they_are_alike_failed_or_are_judged_elsewhere() {
        assert_eq!(Run::pair(8).findings(&UnequalAnswers), []);
        assert_eq!(with_bodies(10_000, 10_050).findings(&UnequalAnswers), []);
        assert_eq!(with_bodies(0, 0).findings(&UnequalAnswers), []);
        let mut failing = Run::pair(8);
        failing.each_of("a", |slice| slice.status(200, 1_000));
        failing.each_of("b", |slice| {
            slice.status(200, 1_000);
            slice.status(503, 500);
        });
        assert_eq!(failing.findings(&UnequalAnswers), []);
        let s3 = with_bodies(1_024, 153).of_s3(tenbin_plan::S3Operation::List, 0);
        assert_eq!(s3.findings(&UnequalAnswers), []);
        let mut posted = with_bodies(1_024, 153);
        if let WorkloadKind::Http(work) = &mut posted.plan.workloads[0].kind {
            work.body = vec![0; 100];
        }
        assert_eq!(posted.findings(&UnequalAnswers), []);
    }
}
