//! Runs that did not reach their planned end.

use std::cmp::Ordering;

use tenbin_record::{CutOff, OpFigures, Role, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "incomplete",
    summary: Texts {
        english: "the run ended before its planned end",
        japanese: "実行が予定より前に終わった",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("incomplete"),
    messages: Messages {
        english: r#"
            search-unfinished = the maximum-rate search did not finish
            measured =
                { $slices ->
                    [more] { $full } slices were
                   *[other] { $full } of { $planned ->
                        [one] 1 slice planned was
                       *[other] { $planned } slices planned were
                    }
                } measured in full, { $slices ->
                    [fewer] { $cut_short } cut short
                    [ended]
                        and no other: the run is still running, was stopped, or a target failed
                   *[other]
                        but the run did not finish: it is still running, was stopped, or a target
                        failed, during or after the last slice
                }
            failure-limit =
                more operations on target { $target } failed than the plan allows ({ $allowed }), so the
                run ended in slice { $last } of { $planned }
            cut-off =
                { $within_line ->
                    [true] intervals.jsonl ends within a line
                   *[false] latency.hlog ends before the last second of intervals.jsonl
                }, as after a kill or on a full disk
            repeat = repeat the run: nothing was measured
            fix-failures =
                first fix the failures: the run was stopped because no operation of the last slice
                succeeded
            fix-or-allow =
                first fix the failures; to measure in spite of the failures, allow more with --errors
            repeat-to-end = repeat the run to its end; the comparisons use only complete rounds
        "#,
        japanese: r#"
            search-unfinished = 最大レートの探索が終わっていない
            measured =
                { $slices ->
                    [fewer]
                        計画した { $planned } スライスのうち完全に測定できたのは { $full }、
                        途中で切れたのは { $cut_short }
                    [ended]
                        計画した { $planned } スライスのうち { $full } スライスだけを測定した。
                        停止されたか、ターゲットが異常終了したか、まだ実行中
                   *[other]
                        { $slices ->
                            [more] {""}
                           *[other] 計画した { $planned } スライス中{" "}
                        }{ $full } スライスを測定したが、実行は正常に終わっていない。
                        最後のスライスの途中か後で、停止されたか、ターゲットが異常終了したか、まだ実行中
                }
            failure-limit =
                ターゲット { $target } で失敗した操作がプランの上限 { $allowed } を超えたため、
                実行は { $planned } スライス中 { $last } 番目のスライスで終了した
            cut-off =
                { $within_line ->
                    [true] intervals.jsonl が行の途中で終わっている
                   *[false]
                        latency.hlog が intervals.jsonl の最後の 1 秒より前で終わっている
                }(強制終了やディスクの満杯などによる)
            repeat = 再実行する。何も測定されていない
            fix-failures =
                まず失敗の原因を取り除く。最後のスライスで 1 つの操作も成功せず、実行を停止した
            fix-or-allow =
                まず失敗の原因を取り除く。失敗を許して測定するには --errors で上限を上げる
            repeat-to-end = 最後まで実行し直す。比較に使うのは完全なラウンドのみ
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let plan = evidence.plan;
    let planned = plan.slices_in_rounds(plan.rounds.count);
    let in_rounds = |slice: &&Slice| slice.probe.is_none();
    let cut_short = evidence.slices.iter().filter(|slice| slice.end.cut_short);
    let cut_short_in_rounds = cut_short.clone().filter(in_rounds).count();
    let cut_short = cut_short.count();
    let measured_nothing = evidence.slices.is_empty();
    if evidence.complete && cut_short == 0 && !measured_nothing {
        return Vec::new();
    }
    let full = evidence.slices.iter().filter(in_rounds).count() - cut_short_in_rounds;
    let searches = plan.workloads.iter().any(|work| work.search().is_some());
    let severity = Severity::Suspect.raised_if(measured_nothing);
    let reached = match (planned, searches, over_limit(evidence)) {
        (0, true, _) => message!("search-unfinished"),
        (_, _, Some((last, allowed))) => message!(
            "failure-limit",
            target = &last.target,
            allowed = Value::Plain(allowed),
            last = Value::Plain(evidence.slices.len() as u64),
            planned
        ),
        _ => measured(full, planned, cut_short),
    };
    let cut_off = evidence.integrity.cut_off;
    let cut_off = cut_off.map(|how| message!("cut-off", within_line = how == CutOff::WithinLine));
    let clauses = [Some(reached), cut_off].into_iter().flatten().collect();
    let observed = message!("clauses", clauses = Value::Clauses(clauses));
    vec![RULE.finding(severity, Cause::Setup, observed, advice(evidence))]
}

/// The last slice and the number of failures that the plan allows, if the run ended because the
/// target of the slice had more.
fn over_limit<'a>(evidence: &Evidence<'a>) -> Option<(&'a Slice, u64)> {
    let last = evidence.slices.last().filter(|_| !evidence.complete)?;
    let mut workloads = evidence.plan.workloads.iter();
    let own = workloads.find(|work| work.name == last.workload)?;
    let allowed = own.facts().allowed_failures()?;
    let of_target = evidence
        .slices
        .iter()
        .filter(|slice| slice.target == last.target);
    let ops = of_target.flat_map(|slice| &slice.ops);
    let counted = ops.filter(|op| op.role.is_work() || op.role == Role::Effect);
    let failed: u64 = counted.map(OpFigures::failed_count).sum();
    (failed > allowed).then_some((last, allowed))
}

fn measured(full: usize, planned: usize, cut_short: usize) -> Message {
    // A run with all planned slices ended after or between windows, so all measured slices are
    // complete. `--until` can add slices beyond the planned number.
    let slices = match full.cmp(&planned) {
        Ordering::Greater => "more",
        Ordering::Equal => "all",
        Ordering::Less if cut_short == 0 => "ended",
        Ordering::Less => "fewer",
    };
    message!(
        "measured",
        slices = Value::word(slices),
        full = Value::Plain(full as u64),
        planned,
        cut_short = Value::Plain(cut_short as u64)
    )
}

fn advice(evidence: &Evidence<'_>) -> Message {
    if evidence.slices.is_empty() {
        return message!("repeat");
    }
    if over_limit(evidence).is_some() {
        return message!("fix-or-allow");
    }
    // A slice without any success stops the run.
    if !evidence.complete && evidence.slices.last().is_some_and(Slice::gave_nothing) {
        message!("fix-failures")
    } else {
        message!("repeat-to-end")
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{BlobWork, Phase, WorkloadKind};

    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_when_the_run_was_interrupted_or_a_slice_was() {
        let findings = Run::pair(8).interrupted(7).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            findings[0].evidence,
            "7 of 32 slices planned were measured in full, and no other: the run is still running, was \
             stopped, or a target failed"
        );
        let mut run = Run::pair(8);
        run.first_of("a").cut_short();
        assert_eq!(run.findings(&RULE).len(), 1);
    }

    #[test]
    fn a_run_that_failed_in_its_last_slice_says_so() {
        let evidence = |rounds: u32| {
            let findings = Run::single(rounds).interrupted(9).findings(&RULE);
            findings[0].evidence.clone()
        };
        let one = evidence(1);
        assert!(
            one.starts_with("1 of 1 slice planned was measured in full, but the run did not"),
            "{one}"
        );
        assert!(!one.contains("0 cut short"), "{one}");
        assert!(evidence(2).starts_with("2 of 2 slices planned were"));
        let mut extended = Run::single(9).interrupted(9);
        extended.plan.rounds.count = 4;
        let more = extended.findings(&RULE)[0].evidence.clone();
        assert!(
            more.starts_with("9 slices were measured in full, but the run did not finish: it is"),
            "{more}"
        );
    }

    #[test]
    fn a_run_stopped_by_failures_is_not_advised_to_repeat() {
        let mut run = Run::pair(8).interrupted(1);
        run.each(|slice| {
            slice.answers(0, 0.001);
            slice.fail(tenbin_record::ErrorClass::Status, 400);
        });
        let advice = &run.findings(&RULE)[0].advice;
        assert!(advice.starts_with("first fix the failures"), "{advice}");

        let run = Run::pair(8).interrupted(1);
        let advice = &run.findings(&RULE)[0].advice;
        assert!(advice.starts_with("repeat the run to its end"), "{advice}");
    }

    #[test]
    fn a_run_that_the_limit_of_failures_ended_names_the_limit() {
        let mut run = Run::pair(8).interrupted(3);
        for work in &mut run.plan.workloads {
            let blob = BlobWork {
                errors: Some(3),
                ..BlobWork::new(Phase::Put, 1)
            };
            work.kind = WorkloadKind::Blob(blob);
        }
        let found = |run: &Run| run.findings(&RULE)[0].clone();
        assert!(found(&run).evidence.starts_with("3 of 32 slices"));
        run.each(|slice| slice.fail(tenbin_record::ErrorClass::Status, 4));
        let Finding {
            evidence, advice, ..
        } = found(&run);
        assert!(evidence.contains("than the plan allows (3)"), "{evidence}");
        assert!(evidence.ends_with("in slice 3 of 32"), "{evidence}");
        assert!(advice.contains("--errors"), "{advice}");
    }

    #[test]
    fn a_run_that_measured_nothing_is_invalid() {
        let findings = Run::pair(8).interrupted(0).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        let mut emptied = Run::pair(8);
        emptied.slices.clear();
        let findings = emptied.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid, "{findings:?}");
        let findings = Run::pair(8).interrupted(1).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_file_that_was_cut_off_is_named() {
        let mut run = Run::pair(8).interrupted(7);
        run.integrity.cut_off = Some(CutOff::WithinLine);
        let evidence = &run.findings(&RULE)[0].evidence;
        assert!(evidence.contains("; intervals.jsonl ends within a line, as after a kill"));
        assert_eq!(run.assess().trust, tenbin_result::Trust::Suspect);
    }

    #[test]
    fn silent_for_a_complete_run() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
