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
        &[Severity::Note, Severity::Suspect, Severity::Invalid]
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
                let sends_bodies = sends_bodies(work, patterns.map_or(&[][..], Vec::as_slice));
                let answers: Vec<Answers<'_>> = cells
                    .iter()
                    .filter(mine)
                    .filter_map(|cell| Answers::of(cell, sends_bodies))
                    .collect();
                let baseline = evidence.plan.baseline();
                baseline.map_or_else(Vec::new, |baseline| {
                    self.compared(workload, &baseline.name, &answers)
                })
            })
            .collect()
    }
}

impl UnequalAnswers {
    fn compared(
        &self,
        workload: &Workload,
        baseline: &str,
        answers: &[Answers<'_>],
    ) -> Vec<Finding> {
        let Some(baseline) = answers.iter().find(|side| side.target == baseline) else {
            return Vec::new();
        };
        let others = answers
            .iter()
            .filter(|other| other.target != baseline.target);
        others
            .filter_map(|other| {
                let (severity, seen) = other.against(baseline)?;
                Some(Finding {
                    rule: self.name(),
                    severity,
                    blame: Blame::Setup,
                    workload: Some(workload.name.clone()),
                    target: Some(other.target.to_owned()),
                    evidence: seen,
                    advice: match severity {
                        Severity::Note => {
                            "ask each target once and compare the answers before believing that \
                             both do the same work"
                        }
                        _ => {
                            "let both answer alike before comparing how fast they do it: look at \
                             an answer of each, at redirects, error pages, compression, and \
                             what they are set up to serve"
                        }
                    }
                    .to_owned(),
                })
            })
            .collect()
    }
}

fn http(workload: &Workload) -> Option<&HttpWork> {
    match &workload.kind {
        // Requests of their own for each target have responses of their own; their hits are
        // compared.
        WorkloadKind::Http(work) if work.by_target().is_some() => None,
        WorkloadKind::Http(work) => Some(work),
        // These know what the right answer is, and count others as failures.
        WorkloadKind::S3(_) | WorkloadKind::Blob(_) => None,
    }
}

/// Whether any request has a body, or may have one.
fn sends_bodies(work: &HttpWork, patterns: &[String]) -> bool {
    let without_body = |label: &String| label.starts_with("GET ") || label.starts_with("HEAD ");
    let drawn = work.patterns.is_some();
    !work.body.is_empty() || drawn && (patterns.is_empty() || !patterns.iter().all(without_body))
}

/// What a target answered, over all slices of a workload.
struct Answers<'a> {
    target: &'a str,
    /// Bytes of a correct answer's body, on average; unknown in older runs whose requests
    /// have bodies too.
    body: Option<f64>,
    /// Share of the answers that each status below 400 has.
    statuses: BTreeMap<u16, f64>,
}

impl<'a> Answers<'a> {
    fn of(cell: &Cell<'a>, sends_bodies: bool) -> Option<Self> {
        let requests = || cell.slices.iter().flat_map(|slice| slice.requests());
        let ok: u64 = requests().map(|op| op.ok).sum();
        let bytes = requests()
            .filter(|op| op.ok > 0)
            .map(|op| op.answered.or((!sends_bodies).then_some(op.payload)))
            .sum::<Option<u64>>();
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
            body: bytes.map(|bytes| bytes as f64 / ok as f64),
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
        let (Some(a), Some(b)) = (self.body, baseline.body) else {
            let seen = "bodies of answers were not compared: the version that took this run did \
                        not record them apart from those of requests";
            return Some((Severity::Note, seen.to_owned()));
        };
        apart(a, b, |share| {
            format!(
                "a body of {} has {a:.0} bytes on average, one of {} {b:.0}: {} apart",
                self.target,
                baseline.target,
                percent(share)
            )
        })
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

/// How severe it is that bodies of these sizes are so far apart.
fn apart(mine: f64, other: f64, seen: impl Fn(f64) -> String) -> Option<(Severity, String)> {
    let difference = (mine - other).abs();
    let share = difference / mine.max(other);
    if share > OTHER && difference > NO_TIME {
        Some((Severity::Invalid, seen(share)))
    } else if share > SAME {
        Some((Severity::Suspect, seen(share)))
    } else {
        None
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
        assert_eq!(posted(4_000, 300, 300).findings(&UnequalAnswers), []);
    }

    #[test]
    fn each_is_compared_with_the_baseline_of_the_plan() {
        let mut run = Run::new(&["a", "b", "c"], &["get"], 8);
        run.each_of("a", |slice| slice.0.ops[0].payload = 153_000);
        run.plan.comparing.baseline = 2;
        let findings = run.findings(&UnequalAnswers);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("one of c 1024"));
        let trust = |challenger: &str| {
            let assessment = run.assess();
            let mut primary = assessment.primary();
            primary.find(|c| c.challenger == challenger).unwrap().trust
        };
        assert_eq!(trust("a"), crate::finding::Trust::Invalid);
        assert_ne!(trust("b"), crate::finding::Trust::Invalid);
    }

    /// Requests with a body of so many bytes, and answers of so many.
    fn posted(sent: u64, a: u64, b: u64) -> Run {
        let mut run = with_bodies(sent.max(a), sent.max(b));
        if let WorkloadKind::Http(work) = &mut run.plan.workloads[0].kind {
            work.body = vec![0; sent as usize];
        }
        run.each_of("a", |slice| slice.0.ops[0].answered = Some(a * 1_000));
        run.each_of("b", |slice| slice.0.ops[0].answered = Some(b * 1_000));
        run
    }

    #[test]
    fn answers_to_requests_with_a_body_are_compared_however_long_the_request_is() {
        for sent in [12, 400, 9_000] {
            let findings = posted(sent, 5_000, 300).findings(&UnequalAnswers);
            assert_eq!(findings.len(), 1, "{sent}");
            assert_eq!(findings[0].severity, Severity::Invalid, "{sent}");
            assert_eq!(
                findings[0].evidence,
                "a body of b has 300 bytes on average, one of a 5000: 94 % apart"
            );
        }
    }

    #[test]
    fn it_says_so_where_the_bodies_of_answers_were_not_recorded() {
        let mut run = posted(400, 20, 300);
        run.each(|slice| slice.0.ops[0].answered = None);
        let findings = run.findings(&UnequalAnswers);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(
            findings[0]
                .evidence
                .starts_with("bodies of answers were not compared")
        );
    }
}
