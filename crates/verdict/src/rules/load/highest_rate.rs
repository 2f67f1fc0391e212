//! Whether the result of a maximum-rate search can be trusted.

use tenbin_result::format::{percent, time};
use tenbin_result::{Cause, Finding, Severity};
use tenbin_stats::HighestRate as Found;

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::highest_rate::{SearchResult, Void, search_results};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "highest_rate",
    summary: "a maximum-rate search ended without proof, at a limit of the load generator, or \
              because all operations fail",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("highest_rate.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let results = search_results(evidence.plan, evidence.slices);
    results
        .iter()
        .filter_map(|result| {
            of_late_generator(result)
                .or_else(|| of_generator(result))
                .or_else(|| of_connections(result))
                .or_else(|| of_waiting(result))
                .or_else(|| unproven(result))
        })
        .collect()
}

fn of_late_generator(result: &SearchResult) -> Option<Finding> {
    result.ended_late.then(|| Finding {
        cause: Cause::Generator,
        evidence: result.sentence(),
        advice: "stop other programs on the load generator's machine, use more --threads, or run \
                 Tenbin on a machine with idle cores"
            .to_owned(),
        ..finding_of(result)
    })
}

fn of_generator(result: &SearchResult) -> Option<Finding> {
    let limiting = result
        .limiting()
        .filter(|_| result.may_be_the_generator())?;
    Some(Finding {
        cause: Cause::Generator,
        evidence: format!(
            "{}; at the rate that failed, a load generator thread was busy for {} of the time",
            result.sentence(),
            percent(limiting.busiest_thread)
        ),
        advice: "use more --threads, or a separate machine for the load generator: it may be the \
                 limit"
            .to_owned(),
        ..finding_of(result)
    })
}

fn of_connections(result: &SearchResult) -> Option<Finding> {
    let lag = result.limiting()?.lag?;
    result.may_be_the_connections().then(|| Finding {
        cause: Cause::Setup,
        evidence: format!(
            "{}; at the rate that failed, the target responded as fast as before, but requests \
             waited up to {} (p99) for a free connection",
            result.sentence(),
            time(lag)
        ),
        advice: "use more --connections: the number of requests in flight is the limit, not the \
                 target"
            .to_owned(),
        ..finding_of(result)
    })
}

fn of_waiting(result: &SearchResult) -> Option<Finding> {
    let is_open = result.found.rate().is_none() || result.found.failed().is_none();
    let is_cause = is_open && result.voided(Void::WaitedForCore) > 0;
    is_cause.then(|| Finding {
        cause: Cause::Generator,
        evidence: result.sentence(),
        advice: "stop other programs on this machine, or run the target and Tenbin on machines \
                 with idle cores"
            .to_owned(),
        ..finding_of(result)
    })
}

fn unproven(result: &SearchResult) -> Option<Finding> {
    let advice = match result.found {
        Found::Proven { .. } => return None,
        Found::AtLeast { .. } => {
            "read the rate as a lower bound; with longer slices (--slice), the search has more \
             time and decides more rates"
        }
        Found::Disproven { .. } => {
            "the target sustains more for a short time than for a long time: run again with \
             longer slices (--slice), which use up its reserves (buffers, burst credits)"
        }
        Found::Below { .. } => {
            "measure the target at a low --rate: if it misses the objective there too, loosen the \
             objective; otherwise run again with longer slices (--slice)"
        }
        Found::Futile { .. } => {
            "check path, method, headers, credentials and the accepted statuses, and read the \
             target's log: its operations fail at every rate"
        }
        Found::Unknown => {
            "run the search again to its end, with longer slices (--slice), so that the probes \
             and the whole search last longer"
        }
    };
    let futile = matches!(result.found, Found::Futile { .. });
    let (severity, cause) = if futile {
        (Severity::Invalid, Cause::Server)
    } else {
        (Severity::Suspect, Cause::Plan)
    };
    Some(Finding {
        severity,
        cause,
        evidence: result.sentence(),
        advice: advice.to_owned(),
        ..finding_of(result)
    })
}

fn finding_of(result: &SearchResult) -> Finding {
    Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Plan,
        workload: Some(result.workload.clone()),
        target: Some(result.target.clone()),
        evidence: String::new(),
        advice: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highest_rate::tests::searched;

    #[test]
    fn fires_when_the_generator_was_busy_at_the_rate_that_failed() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| slice.busiest_thread(0.97));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Generator);
        assert!(
            findings[0].evidence.ends_with("97 % of the time"),
            "{findings:?}"
        );
    }

    #[test]
    fn fires_when_requests_waited_for_connections_and_not_for_the_target() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| {
            let op = &mut slice.0.ops[0];
            if op.times.response.max() > 40_000_000 {
                op.times.service.clear();
                op.times.service.record_n(2_000_000, 1_000).unwrap();
                op.times.lag.record_n(48_000_000, 1_000).unwrap();
            }
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Setup);
        assert!(
            findings[0].evidence.contains("waited up to 48.0 ms"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_pause_of_the_target_is_not_attributed_to_the_connections() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| {
            let op = &mut slice.0.ops[0];
            if op.times.response.max() > 40_000_000 {
                op.times.service.clear();
                op.times.service.record_n(2_000_000, 1_000).unwrap();
                op.times.service.record_n(50_000_000, 8).unwrap();
                op.times.lag.record_n(48_000_000, 1_000).unwrap();
            }
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn fires_when_threads_waited_for_a_core_in_every_probe() {
        let mut run = searched(&[("a", 0.0)]);
        run.each(|made| {
            made.others(1.0);
            let count = made.0.ops[0].times.response.len();
            let times = vec![(50_000_000, count)];
            made.0.probed = Some(tenbin_record::Probed {
                seconds: vec![tenbin_record::ProbedSecond {
                    responses: times.clone(),
                    services: times,
                    stalls: Some(tenbin_record::Stalls {
                        count: 1,
                        ns: 1_000_000_000,
                    }),
                    ..Default::default()
                }],
            });
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].cause, Cause::Generator);
        let evidence = &findings[0].evidence;
        assert!(evidence.starts_with("the highest rate of a at get within p99<10ms is unknown"));
        let all = run.slices.len();
        let reason = format!(
            "; {all} of {all} probes missed a limit and do not count against the target: threads \
             waited for a core that other programs used ({all})"
        );
        assert!(evidence.ends_with(&reason), "{evidence}");
    }

    #[test]
    fn fires_when_nothing_was_proven() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.slices.truncate(4);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0].evidence.contains("at least 800/s"),
            "{findings:?}"
        );
        let nothing = searched(&[("a", 0.0)]).findings(&RULE);
        assert!(
            nothing[0]
                .evidence
                .contains("sustains none of the tried rates"),
            "{nothing:?}"
        );
    }

    #[test]
    fn a_search_in_which_all_operations_fail_is_invalid() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.slices.truncate(2);
        run.each(|slice| {
            slice.answers(0, 0.0);
            slice.fail(tenbin_record::ErrorClass::Status, 100);
            slice.status(500, 100);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "a sustains no rate at get: every operation at 100/s failed: status 500"
        );
    }

    #[test]
    fn silent_when_proven_and_without_a_search() {
        assert_eq!(searched(&[("a", 1_000.0)]).findings(&RULE), []);
        assert_eq!(crate::testing::Run::pair(8).findings(&RULE), []);
    }
}
