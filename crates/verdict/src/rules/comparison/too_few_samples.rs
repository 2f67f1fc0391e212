//! Percentiles from too few samples.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::samples;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

const QUANTILE: f64 = 0.99;

/// Number of responses below which chance alone changes a rate by a fifth: the relative standard
/// error of a Poisson count is 1/√n.
const HARDLY_ANY: u64 = 30;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "too_few_samples",
    summary: Texts {
        english: "too few operations for a 99th percentile, or for any figure",
        japanese: "99 パーセンタイルを求めるには、あるいはどの数値にも、操作が少なすぎる",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("too_few_samples"),
    messages: Messages {
        english: r#"
            few-responses =
                { $responses ->
                    [one] 1 correct response
                   *[other] { $responses } correct responses
                } in { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                }; a 99th percentile needs { $fewest }
            more = use longer slices, more rounds or more connections
        "#,
        japanese: r#"
            few-responses =
                正しい応答は { $slices } スライスで { $responses } 個。99 パーセンタイルには { $fewest } 個必要
            more = スライスを長くするか、ラウンドまたは同時接続数を増やす
        "#,
    },
    tier: Tier::Precision,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let Some(fewest) = tenbin_stats::fewest_samples(QUANTILE) else {
        return Vec::new();
    };
    let cells = evidence.cells();
    cells
        .iter()
        .filter_map(|cell| {
            let full = cell.full();
            let n = if is_closed(cell.workload) {
                samples(&full, |op| &op.times.service)
            } else {
                samples(&full, |op| &op.times.response)
            };
            // The rule `errors` reports a target without any response.
            (1..fewest).contains(&n).then(|| {
                let severity = Severity::Note.raised_if(n < HARDLY_ANY);
                let few = message!(
                    "few-responses",
                    responses = n,
                    slices = full.len(),
                    fewest = Value::Plain(fewest)
                );
                let finding = RULE.finding(severity, Cause::Setup, few, message!("more"));
                finding.on(&cell.workload.name, &cell.target.name)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_below_368_answers() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(22, 0.09));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .evidence
                .starts_with("352 correct responses in 16 slices")
        );
    }

    #[test]
    fn fewer_than_30_responses_are_suspect() {
        let mut run = Run::single(1);
        run.each(|slice| slice.answers(5, 0.4));
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Suspect);
        run.each(|slice| slice.answers(30, 0.06));
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Note);
    }

    #[test]
    fn silent_from_368_answers_on() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.answers(23, 0.09));
        assert_eq!(run.findings(&RULE), []);
    }
}
