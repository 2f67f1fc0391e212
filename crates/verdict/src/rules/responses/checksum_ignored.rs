//! Checksums that a workload sends and a target does not check.

use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "checksum_ignored",
    summary: Texts {
        english: "a target does not check the checksum that the workload sends",
        japanese: "ワークロードが送るチェックサムをターゲットが検査しない",
    },
    severities: &[Severity::Note],
    explanation: pages!("checksum_ignored"),
    messages: Messages {
        english: r#"
            wrong-accepted =
                { $target } acknowledged an object with a wrong { $header } before the run: the figures
                contain the cost of this checksum on the load generator only
            other-checksum =
                compare with a checksum that every target checks, such as crc32c or sha256, or without
                a checksum
        "#,
        japanese: r#"
            wrong-accepted =
                実行前に送った { $header } の誤ったオブジェクトを { $target } が受理した。
                数値に含まれるこのチェックサムのコストは、負荷生成側の分だけ
            other-checksum =
                全ターゲットが検査するチェックサム(crc32c、sha256 など)を使うか、
                チェックサムなしで比較する
        "#,
    },
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for cell in evidence.cells() {
        let (workload, target) = (&cell.workload.name, &cell.target.name);
        let environment = evidence.environment.targets.get(target);
        let header = environment.and_then(|target| target.ignored_checksums.get(workload));
        let Some(header) = header else {
            continue;
        };
        let seen = message!("wrong-accepted", target, header = tame(header));
        let advice = message!("other-checksum");
        let finding = RULE.finding(Severity::Note, Cause::Server, seen, advice);
        findings.push(finding.on(workload, target));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_plan::S3Operation;

    fn with(workload: &str) -> Run {
        let mut run = Run::new(&["a", "b"], &["put"], 16).of_s3(S3Operation::Put, 1_000);
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        let header = "x-amz-checksum-sha512".to_owned();
        target.ignored_checksums.insert(workload.to_owned(), header);
        run
    }

    #[test]
    fn the_target_and_the_header_are_named() {
        let findings = with("put").findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "b acknowledged an object with a wrong x-amz-checksum-sha512 before the run: the \
             figures contain the cost of this checksum on the load generator only"
        );
    }

    #[test]
    fn silent_about_workloads_whose_checksum_is_checked() {
        assert_eq!(with("other").findings(&RULE), []);
    }
}
