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
    let cases: [(Fill, &str); 4] = [
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
                let text = "the access layer failed (500 this codemode has no avaliable volume)";
                run.first_of("b").status(500, 9_000);
                run.first_of("b").failure_text(text, 9_000);
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
fn the_full_disk_of_a_target_that_was_not_launched_is_named() {
    let with = |status: u16, available_bytes: u64| {
        let mut run = Run::pair(8);
        run.first_of("b").fail(ErrorClass::Status, 9_000);
        run.first_of("b").status(status, 9_000);
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        target.nearly_full_disk = Some(tenbin_record::DiskUse {
            available_bytes,
            size_bytes: 1 << 30,
        });
        run.findings(&RULE).remove(0)
    };
    let found = with(500, 4 << 20);
    let expected = "4.00 MiB of 1.00 GiB were free on a disk that the target uses";
    assert!(found.evidence.contains(expected), "{found:?}");
    assert!(found.advice.contains("target's disk"), "{found:?}");
    for other in [with(404, 4 << 20), with(500, 90 << 20)] {
        assert!(!other.evidence.contains("disk"), "{other:?}");
    }
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
            "rejected requests succeed when they are sent again: with up to 10 retries, \
             3 of 455 operations failed, and 9000 of 9452 requests (2 s measured after the run \
             at the same load). warp reports such operations as successes without errors, \
             because its library repeats a request up to ten times; their times include the \
             rejected requests and the waits"
        ),
        "{found:?}"
    );
    assert!(!found.evidence.contains("/s"), "{found:?}");
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
