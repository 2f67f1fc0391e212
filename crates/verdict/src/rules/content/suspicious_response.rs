//! Responses that count as correct and look like errors.

use tenbin_result::{Cause, Finding, Severity, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame_to;

/// Characters of the description of a response that are shown.
const SHOWN_CHARS: usize = 200;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "suspicious_response",
    summary: Texts {
        english: "a response that counts as correct looks like an error",
        japanese: "正しいと数えている応答がエラーに見える",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("suspicious_response"),
    messages: Messages {
        english: r#"
            looks-like-error =
                responses of this kind count as correct, and the first of them looks like an error:
                { $response }
            send-by-hand =
                send the request by hand; if the response is an error, correct the request; otherwise
                use --check to state what a correct response contains, for example
                --check 'json:/id exists'
        "#,
        japanese: r#"
            looks-like-error =
                この種の応答は正常として数えているが、最初の応答がエラーに見える: { $response }
            send-by-hand =
                リクエストを手で送って確かめる。応答がエラーならリクエストを直す。
                正常なら、正しい応答が含むものを --check で指定する(例: --check 'json:/id exists')
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells.iter().filter_map(|cell| {
        let target = evidence.environment.targets.get(&cell.target.name)?;
        let response = target.suspicious.get(&cell.workload.name)?;
        // Without a correct response, the rule `errors` has the last word.
        let ok = cell.slices.iter().map(|slice| slice.ok()).sum::<u64>();
        (ok > 0 && !is_counted_as_failure(cell, response)).then_some((cell, response))
    });
    found
        .map(|(cell, response)| {
            let response = tame_to(response, SHOWN_CHARS);
            let seen = message!("looks-like-error", response);
            let advice = message!("send-by-hand");
            let finding = RULE.finding(Severity::Suspect, Cause::Setup, seen, advice);
            finding.on(&cell.workload.name, &cell.target.name)
        })
        .collect()
}

/// Whether the kind of this response was found to be unexpected later in the run and does not count:
/// the rule `mixed_responses` says so, with the same body.
fn is_counted_as_failure(cell: &Cell<'_>, response: &str) -> bool {
    let seen = cell.slices.iter();
    let seen = seen.filter_map(|slice| slice.end.responses.as_ref());
    let mut unexpected = seen.flat_map(|responses| &responses.unexpected);
    unexpected.any(|kind| !kind.example.is_empty() && response.ends_with(&kind.example))
}

#[cfg(test)]
mod tests {
    use tenbin_record::UnexpectedResponses;

    use super::*;
    use crate::testing::Run;

    fn with_response(response: &str) -> Run {
        let mut run = Run::pair(8);
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        target
            .suspicious
            .insert("get".to_owned(), response.to_owned());
        run
    }

    #[test]
    fn the_response_is_shown_and_the_ratio_is_suspect() {
        let run = with_response("status 200, but the body is an error: {\"error\":\"\u{1b}x\"}");
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0].evidence.contains("status 200, but"),
            "{findings:?}"
        );
        assert!(!findings[0].evidence.contains('\u{1b}'), "{findings:?}");
        let assessment = run.assess();
        assert!(
            assessment
                .primary()
                .all(|one| one.trust == tenbin_result::Trust::Suspect)
        );
    }

    #[test]
    fn silent_without_such_a_response_and_without_a_correct_one() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut failed = with_response("status 200, but the body is an error");
        failed.each_of("b", |slice| {
            slice.answers(0, 0.001);
            slice.fail(tenbin_record::ErrorClass::Check, 10);
        });
        assert_eq!(failed.findings(&RULE), []);
        let mut mixed = with_response("status 200, but the body is an error: {\"error\":\"late\"}");
        mixed.each_of("b", |slice| {
            let responses = slice.0.end.responses.get_or_insert_default();
            responses.unexpected.push(UnexpectedResponses {
                status: 200,
                length: 16,
                count: 2,
                example: "{\"error\":\"late\"}".to_owned(),
                ..UnexpectedResponses::default()
            });
        });
        assert_eq!(mixed.findings(&RULE), []);
    }
}
