//! Operations that failed.

use std::collections::BTreeMap;

use tenbin_plan::Facts;
use tenbin_record::{ErrorClass, Retried, Role, failure};
use tenbin_result::format::{percent, plural};
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::server::{named_cause, out_of_space};
use crate::words::{tame, tame_to};

/// Share of wrong responses above which the target did different work.
const WRONG_WORK: f64 = 0.001;

/// Share of failures of any kind above which no figure can be trusted.
const ANY: f64 = 0.01;

/// Characters of an error text that are shown: a check and the start of a response fit.
const SHOWN_CHARS: usize = 240;

/// Status of a server or proxy that limits the rate of requests (RFC 6585, section 4).
const TOO_MANY: u16 = 429;

const TOO_MANY_ADVICE: &str = "switch off the rate limiter for the load generator, raise its limit, or stay below the \
     limit with --rate: responses with status 429 come from a rate limiter, not from the work to be measured";

const REDIRECT_ADVICE: &str = "measure the URL that the server redirects to, with --follow if it is on the same server, \
     or accept the redirect with --expect 3xx";

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "errors",
    summary: "operations failed, or a slice has no correct response",
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: include_str!("errors.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let retried = |cell: &Cell<'_>| {
        let target = evidence.environment.targets.get(&cell.target.name)?;
        target.retried.get(&cell.workload.name).copied()
    };
    let failures = cells.iter().filter_map(|cell| of_cell(cell, retried(cell)));
    let without_effect = cells.iter().filter_map(|cell| without_effect(cell));
    failures.chain(without_effect).collect()
}

/// Finding on operations that the target acknowledged, but whose effect was not visible to polls in
/// time.
fn without_effect(cell: &Cell<'_>) -> Option<Finding> {
    let ops = cell.slices.iter().flat_map(|slice| &slice.ops);
    let mut classes = BTreeMap::new();
    let (mut followed, mut failed, mut texts) = (0, 0, BTreeMap::new());
    for op in ops.filter(|op| op.role == Role::Effect) {
        followed += op.counts.ok + op.failed_count();
        failed += op.failed_count();
        add(&mut classes, op.errors.iter().map(|(k, n)| (*k, *n)));
        add(
            &mut texts,
            op.failures.iter().map(|(k, n)| (k.as_str(), *n)),
        );
    }
    if failed == 0 {
        return None;
    }
    let unread = classes.get(&ErrorClass::Unexpected).copied().unwrap_or(0);
    let share = failed as f64 / followed as f64;
    let most_often = texts.iter().max_by_key(|(_, count)| **count);
    let most_often = most_often.map_or_else(String::new, |(text, _)| {
        format!("; most often {}", tame(text))
    });
    let late = classes.get(&ErrorClass::Timeout).copied().unwrap_or(0);
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: if share > ANY {
            Severity::Invalid
        } else {
            Severity::Suspect
        },
        cause: Cause::Server,
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: if unread == failed {
            format!(
                "{unread} of {followed} blobs could not be read before their deletion ({}), so \
             that polls cannot show whether the deletion had an effect{most_often}",
                percent(share)
            )
        } else {
            format!(
                "{failed} of {followed} acknowledged operations that were polled had no effect in \
             time ({}){most_often}",
                percent(share)
            )
        },
        advice: match late > 0 {
            _ if unread == failed => {
                "find out why the target does not return what was stored: without that, nothing is \
                 known of its deletions"
            }
            true => {
                "compare deletions only between targets where they take effect, or set \
                 --gone-within to the target's deletion delay"
            }
            false => "read the target's log: its responses do not show whether a blob is deleted",
        }
        .to_owned(),
    })
}

fn of_cell(cell: &Cell<'_>, retried: Option<Retried>) -> Option<Finding> {
    let tally = Tally::of(cell);
    let severity = tally.severity()?;
    if tally.is_explained() {
        return None;
    }
    let retried = retried.filter(|_| severity == Severity::Invalid);
    let hidden = retried.and_then(|retried| what_retries_hide(&retried));
    let full = out_of_space::sign(cell, &tally.statuses, &tally.texts);
    let odd = tally.odd_success();
    let named = named_cause::advice(&tally.statuses, &tally.texts);
    let advice = match (&full, &odd, named) {
        (Some(_), ..) => out_of_space::ADVICE,
        (None, Some(_), _) => named_cause::ODD_SUCCESS,
        (None, None, Some(advice)) if tally.commonest() == Some(ErrorClass::Status) => advice,
        _ => tally.advice(cell.workload.facts()),
    };
    let seen = [Some(tally.evidence()), odd, full, hidden.clone()];
    let seen: Vec<String> = seen.into_iter().flatten().collect();
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity,
        cause: tally.cause(),
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: seen.join("; "),
        advice: match &hidden {
            Some(_) => format!("{advice}; to measure as warp does, run with --retries 10"),
            None => advice.to_owned(),
        },
    })
}

/// What retries hide: rejected requests that succeeded when sent again. `None` if retries did not
/// succeed.
fn what_retries_hide(retried: &Retried) -> Option<String> {
    let seconds = retried.ns as f64 / 1e9;
    let (ok, refused) = (retried.ok, retried.attempts_failed);
    let all = ok + retried.failed;
    if ok == 0 || refused == 0 || seconds <= 0.0 {
        return None;
    }
    let most = retried.most;
    let rate = (ok as f64 / seconds).round();
    let failed = retried.failed;
    Some(format!(
        "rejected requests succeed when they are sent again: warp would report {rate}/s, because \
         its library repeats a request up to ten times ({seconds:.0} s measured after the run \
         at the same load with up to {most} retries: {failed} of {all} operations failed, and \
         {refused} of {} requests)",
        refused + retried.attempts_ok,
    ))
}

struct Tally {
    total: u64,
    failed: u64,
    /// Number of failed requests, including sub-requests.
    failed_requests: u64,
    slices: usize,
    without_success: usize,
    /// Whether some operations have sub-requests that succeeded.
    with_steps: bool,
    classes: BTreeMap<ErrorClass, u64>,
    /// Number of failed requests by class of error.
    refusals: BTreeMap<ErrorClass, u64>,
    statuses: BTreeMap<u16, u64>,
    /// Responses with a success status other than 200, whether or not they count as failures.
    odd: BTreeMap<u16, u64>,
    texts: BTreeMap<String, u64>,
}

impl Tally {
    fn of(cell: &Cell<'_>) -> Self {
        let mut tally = Self {
            total: 0,
            failed: 0,
            failed_requests: 0,
            slices: cell.slices.len(),
            without_success: 0,
            with_steps: false,
            classes: BTreeMap::new(),
            refusals: BTreeMap::new(),
            statuses: BTreeMap::new(),
            odd: BTreeMap::new(),
            texts: BTreeMap::new(),
        };
        for slice in &cell.slices {
            tally.total += slice.ok() + slice.failed();
            tally.failed += slice.failed();
            // A slice that was cut short can be too short for a single response.
            let in_full = slice.ok() == 0 && !slice.cut_short;
            if in_full || slice.gave_nothing() {
                tally.without_success += 1;
                tally.with_steps |= slice.requests().any(|op| op.counts.ok > 0);
            }
            for op in slice.work() {
                add(&mut tally.classes, op.errors.iter().map(|(k, n)| (*k, *n)));
            }
            // Error texts of the target are recorded per request.
            for op in slice.requests() {
                tally.failed_requests += op.failed_count();
                add(&mut tally.refusals, op.errors.iter().map(|(k, n)| (*k, *n)));
                let refused = op.statuses.iter().filter(|(status, _)| **status >= 300);
                add(&mut tally.statuses, refused.map(|(k, n)| (*k, *n)));
                let odd = op.statuses.iter().filter(|(k, _)| (201..300).contains(*k));
                add(&mut tally.odd, odd.map(|(k, n)| (*k, *n)));
                for (text, count) in op.failures.iter().filter(|(text, _)| !text.is_empty()) {
                    failure::count(&mut tally.texts, text, *count);
                }
            }
        }
        tally.classes.retain(|_, count| *count > 0);
        tally.refusals.retain(|_, count| *count > 0);
        tally
    }

    fn severity(&self) -> Option<Severity> {
        if self.without_success > 0 {
            return Some(Severity::Invalid);
        }
        if self.failed == 0 && self.failed_requests == 0 {
            return None;
        }
        let share = |count: u64| count as f64 / self.total.max(1) as f64;
        let invalid = share(self.failed) > ANY || share(self.wrong_work()) > WRONG_WORK;
        Some(if invalid {
            Severity::Invalid
        } else {
            Severity::Suspect
        })
    }

    /// Whether all failures are unexpected responses, which `mixed_responses` reports.
    fn is_explained(&self) -> bool {
        let classes = self.classes.keys().chain(self.refusals.keys());
        self.without_success == 0 && classes.clone().all(|c| *c == ErrorClass::Unexpected)
    }

    /// Number of wrong responses.
    fn wrong_work(&self) -> u64 {
        let wrong = self.classes.iter().filter(|(class, _)| {
            matches!(
                class,
                ErrorClass::Protocol
                    | ErrorClass::Status
                    | ErrorClass::Short
                    | ErrorClass::Wrong
                    | ErrorClass::Stale
                    | ErrorClass::Unexpected
                    | ErrorClass::Check
            )
        });
        wrong.map(|(_, count)| count).sum()
    }

    fn commonest(&self) -> Option<ErrorClass> {
        // A transaction that has not failed yet can have a failed sub-request.
        let classes = if self.failed > 0 {
            &self.classes
        } else {
            &self.refusals
        };
        let by_count = classes.iter().max_by_key(|(_, count)| **count);
        by_count.map(|(class, _)| *class)
    }

    /// The success statuses that count as failures, in one clause: statuses that are not defined for
    /// the operation. `None` if another failure is more frequent.
    fn odd_success(&self) -> Option<String> {
        let of_class = *self.refusals.get(&ErrorClass::Status)?;
        let explained = self.statuses.values().sum::<u64>();
        let odd = of_class.saturating_sub(explained);
        let most = self.odd.iter().max_by_key(|(_, count)| **count);
        let (status, _) = most.filter(|_| odd > explained)?;
        Some(format!(
            "{odd} responses have a success status that is not defined for the operation, most \
             often {status}"
        ))
    }

    fn commonest_status(&self) -> Option<u16> {
        let commonest = self.statuses.iter().max_by_key(|(_, count)| **count);
        commonest.map(|(status, _)| *status)
    }

    fn refused_by_request(&self) -> bool {
        let status = self.commonest_status();
        status.is_some_and(|status| (300..500).contains(&status))
    }

    fn is_redirected(&self) -> bool {
        self.commonest_status()
            .is_some_and(|status| (300..400).contains(&status))
    }

    fn cause(&self) -> Cause {
        match self.commonest() {
            Some(ErrorClass::Status) if self.refused_by_request() => Cause::Setup,
            None => Cause::Setup,
            Some(_) => Cause::Server,
        }
    }

    fn evidence(&self) -> String {
        let mut evidence = if self.failed_requests == 0 && self.failed == 0 {
            "no operation failed".to_owned()
        } else if self.failed == 0 {
            format!(
                "none of {} operations failed, but {} failed: {}",
                self.total,
                plural(self.failed_requests as usize, "sub-request"),
                list(self.refusals.iter().map(|(class, n)| (class.name(), *n)))
            )
        } else {
            let share = percent(self.failed as f64 / self.total as f64);
            format!(
                "{} of {} operations failed ({share}): {}",
                self.failed,
                self.total,
                list(self.classes.iter().map(|(class, n)| (class.name(), *n)))
            )
        };
        if !self.statuses.is_empty() {
            let statuses = list(self.statuses.iter());
            evidence.push_str(&format!("; responses with status {statuses}"));
        }
        if let Some((text, _)) = self.texts.iter().max_by_key(|(_, count)| **count) {
            evidence.push_str(&format!("; most often {}", tame_to(text, SHOWN_CHARS)));
        }
        if self.without_success > 0 {
            let what = if self.with_steps {
                "completed operation"
            } else {
                "correct response"
            };
            evidence.push_str(&format!(
                "; {} of {} without a {what}",
                self.without_success,
                plural(self.slices, "slice")
            ));
        }
        evidence
    }

    fn advice(&self, work: &dyn Facts) -> &'static str {
        match self.commonest() {
            None => {
                "check that the target responds, and that a slice is long enough for one response"
            }
            Some(ErrorClass::Connect) => {
                "check whether the target still runs, its listen backlog, its limit of open \
                 files, and whether the load generator has free local ports"
            }
            Some(ErrorClass::Timeout) => {
                "use fewer connections or a lower rate, or a longer --timeout if responses that \
                 late are acceptable"
            }
            Some(ErrorClass::Reset) => {
                "read the target's log: it drops connections, because of a limit or because it \
                 crashed"
            }
            Some(ErrorClass::Protocol) => {
                "check what listens on that port: it does not speak HTTP/1.1"
            }
            Some(ErrorClass::Status) if self.commonest_status() == Some(TOO_MANY) => {
                TOO_MANY_ADVICE
            }
            Some(ErrorClass::Status) if self.is_redirected() => REDIRECT_ADVICE,
            Some(ErrorClass::Status) if self.refused_by_request() => work.when_refused(),
            Some(ErrorClass::Status) => {
                "read the target's log: it fails under this load; use fewer connections or a lower rate"
            }
            Some(ErrorClass::Stale) => {
                "look for a cache in front of the target, or for nodes that lag behind: it \
                 returns content that was overwritten before the request"
            }
            Some(ErrorClass::Unexpected) => {
                "look at such a response: for some requests, the target does different work than \
                 for the same request before; if the page is meant to differ, measure with \
                 --may-differ body"
            }
            Some(ErrorClass::Check) => {
                "look at such a response: its status is a success, but it fails a check or reports \
                 an error; correct the request or the server, or the condition (--check); to \
                 accept errors that bodies report, use --no-body-errors"
            }
            Some(ErrorClass::Short) => {
                "read the target's log: it ends responses before all bytes are sent, because a \
                 connection breaks off, a limit is reached, or content is missing"
            }
            Some(ErrorClass::Wrong) => {
                "do not trust the target with data until you know why it returns other bytes \
                 than those that were stored"
            }
        }
    }
}

fn add<K: Ord>(sums: &mut BTreeMap<K, u64>, counts: impl Iterator<Item = (K, u64)>) {
    for (key, count) in counts {
        *sums.entry(key).or_default() += count;
    }
}

fn list<K: std::fmt::Display, N: std::fmt::Display>(
    counts: impl Iterator<Item = (K, N)>,
) -> String {
    let items: Vec<String> = counts.map(|(key, n)| format!("{key} ×{n}")).collect();
    items.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Findings of 8 quads with 16,000 correct responses per target and `count` failures of `b`.
    fn with_failures(class: ErrorClass, count: u64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.first_of("b").fail(class, count);
        run.findings(&RULE)
    }

    #[test]
    fn fires_for_a_single_failure() {
        let findings = with_failures(ErrorClass::Timeout, 1);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "1 of 16001 operations failed (0.0062 %): timeout ×1"
        );
    }

    #[test]
    fn one_failure_in_100_and_one_wrong_response_in_1000_are_invalid() {
        assert_eq!(
            with_failures(ErrorClass::Timeout, 155)[0].severity,
            Severity::Suspect
        );
        assert_eq!(
            with_failures(ErrorClass::Timeout, 170)[0].severity,
            Severity::Invalid
        );
        assert_eq!(
            with_failures(ErrorClass::Wrong, 15)[0].severity,
            Severity::Suspect
        );
        assert_eq!(
            with_failures(ErrorClass::Wrong, 18)[0].severity,
            Severity::Invalid
        );
    }

    #[test]
    fn a_slice_without_success_is_invalid() {
        let mut run = Run::pair(8);
        run.first_of("a").answers(0, 0.001);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(
            findings[0].evidence.contains("1 of 16 slices"),
            "{findings:?}"
        );

        // A slice interrupted before the first response is no fault of the target.
        run.first_of("a").cut_short();
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn rejections_are_caused_by_the_setup_and_their_text_is_escaped() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("a");
        slice.fail(ErrorClass::Status, 400);
        slice.status(403, 400);
        slice.failure_text("<script>Denied", 400);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].cause, Cause::Setup);
        assert!(!findings[0].advice.contains("bucket"), "{findings:?}");
        assert!(
            findings[0].evidence.contains("status 403 ×400"),
            "{findings:?}"
        );
        assert!(
            findings[0].evidence.contains("<script>Denied"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_rate_limiter_and_a_redirect_get_their_own_advice() {
        for (status, words) in [
            (429, "rate limiter"),
            (302, "--follow"),
            (404, "check path, method, headers"),
        ] {
            let mut run = Run::pair(8);
            run.sends_to("/");
            let mut slice = run.first_of("b");
            slice.fail(ErrorClass::Status, 9_000);
            slice.status(status, 9_000);
            let found = run.findings(&RULE).remove(0);
            assert!(found.advice.contains(words), "{status}: {found:?}");
        }
    }

    #[test]
    fn a_full_disk_is_named_and_advice_is_about_it() {
        type Fill = fn(&mut Run);
        let fail: Fill = |run| run.first_of("b").fail(ErrorClass::Status, 9_000);
        let cases: [(Fill, &str); 3] = [
            (
                |run| run.first_of("b").status(507, 9_000),
                "status 507 (9000 times) reports that the target has no space left",
            ),
            (
                |run| {
                    run.first_of("b").status(500, 9_000);
                    run.first_of("b").failure_text("XMinioStorageFull", 9_000);
                },
                "the error text reports that the target has no space left",
            ),
            (
                |run| {
                    run.first_of("b").status(500, 9_000);
                    run.first_of("b").machine().disk = Some(tenbin_record::DiskUse {
                        available_bytes: 8 << 20,
                        size_bytes: 1 << 40,
                    });
                },
                "8.00 MiB were free on the disk",
            ),
        ];
        for (fill, expected) in cases {
            let mut run = Run::pair(8);
            fail(&mut run);
            fill(&mut run);
            let found = run.findings(&RULE).remove(0);
            assert!(found.evidence.contains(expected), "{found:?}");
            assert!(found.advice.contains("disk"), "{found:?}");
        }
        let mut run = Run::pair(8);
        fail(&mut run);
        run.first_of("b").status(500, 9_000);
        let found = run.findings(&RULE).remove(0);
        assert!(!found.advice.contains("disk"), "{found:?}");
    }

    #[test]
    fn what_retries_would_hide_is_reported_for_invalid_runs_only() {
        let retried = Retried {
            ns: 2_000_000_000,
            most: 10,
            ok: 452,
            failed: 3,
            attempts_ok: 452,
            attempts_failed: 9_000,
        };
        let with = |failures: u64, retried: Retried| {
            let mut run = Run::pair(8);
            let mut slice = run.first_of("b");
            slice.fail(ErrorClass::Status, failures);
            slice.status(500, failures);
            let target = run.environment.targets.entry("b".to_owned()).or_default();
            let workload = run.plan.workloads[0].name.clone();
            target.retried.insert(workload, retried);
            run.findings(&RULE).remove(0)
        };
        let found = with(9_000, retried);
        assert!(
            found.evidence.ends_with(
                "rejected requests succeed when they are sent again: warp would report 226/s, \
                 because its library repeats a request up to ten times (2 s measured after the \
                 run at the same load with up to 10 retries: 3 of 455 operations failed, and \
                 9000 of 9452 requests)"
            ),
            "{found:?}"
        );
        assert!(found.advice.ends_with("run with --retries 10"), "{found:?}");
        // Retries without success hide nothing.
        let hopeless = Retried { ok: 0, ..retried };
        assert!(!with(9_000, hopeless).evidence.contains("warp"));
        assert!(!with(1, retried).evidence.contains("warp"));
    }

    #[test]
    fn a_failed_transaction_counts_once() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.in_steps(4));
        let mut slice = run.first_of("b");
        slice.fail(ErrorClass::Status, 2);
        slice.status(503, 2);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "none of 4000 operations failed, but 2 sub-requests failed: status ×2; responses with \
             status 503 ×2"
        );
        run.first_of("b").fail_wholes(ErrorClass::Status, 1, 0.008);
        let findings = run.findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "1 of 4001 operations failed (0.025 %): status ×1; responses with status 503 ×2"
        );
    }

    #[test]
    fn a_success_status_that_is_not_defined_is_named_and_not_blamed_on_the_load() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("b");
        slice.fail(ErrorClass::Status, 9_000);
        slice.status(201, 9_000);
        let found = run.findings(&RULE).remove(0);
        let expected = "9000 responses have a success status that is not defined for the \
                        operation, most often 201";
        assert!(found.evidence.contains(expected), "{found:?}");
        assert!(!found.advice.contains("fewer connections"), "{found:?}");
        assert!(
            found.advice.contains("does not respond with that status"),
            "{found:?}"
        );
        // Statuses of correct responses do not count.
        let mut run = Run::pair(8);
        let mut slice = run.first_of("b");
        slice.fail(ErrorClass::Status, 400);
        slice.status(503, 400);
        slice.status(204, 9_000);
        let found = run.findings(&RULE).remove(0);
        assert!(!found.evidence.contains("not defined"), "{found:?}");
    }

    #[test]
    fn a_missing_quorum_is_not_blamed_on_the_load() {
        let mut run = Run::pair(8);
        let mut slice = run.first_of("b");
        slice.fail(ErrorClass::Status, 400);
        slice.status(500, 400);
        slice.failure_text("quorum write failed", 400);
        let found = run.findings(&RULE).remove(0);
        assert!(found.advice.contains("disks and nodes"), "{found:?}");
    }

    #[test]
    fn silent_when_all_went_well() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
