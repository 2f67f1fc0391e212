//! Writes and deletions that were acknowledged and not done.

use tenbin_record::ReadBack;
use tenbin_result::format::{count, percent};
use tenbin_result::{Cause, Finding, Severity};
use tenbin_stats::{CONFIDENCE, proportion};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::{tame, tame_to};

/// Largest number of characters of an example: a long key, a bucket and the response.
const EXAMPLE: usize = 320;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "read_back",
    summary: "acknowledged writes or deletions had no effect, or could not be checked",
    severities: &[Severity::Note, Severity::Invalid],
    explanation: include_str!("read_back.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for cell in evidence.cells() {
        let target = evidence.environment.targets.get(&cell.target.name);
        let results = target.and_then(|target| target.read_back.get(&cell.workload.name));
        for result in results.into_iter().flatten() {
            let Some((severity, evidence, advice)) = of_operation(result) else {
                continue;
            };
            findings.push(Finding {
                rule: RULE.name.to_owned(),
                severity,
                cause: Cause::Server,
                workload: Some(cell.workload.name.clone()),
                target: Some(cell.target.name.clone()),
                evidence,
                advice: advice.to_owned(),
            });
        }
    }
    findings
}

fn of_operation(result: &ReadBack) -> Option<(Severity, String, &'static str)> {
    let name = tame(&result.operation);
    let what = if result.deletes { "deleted" } else { "written" };
    if result.missed() > 0 {
        let advice = if result.deletes {
            "do not use the figures of this operation: the target acknowledged deletions that \
             it did not do"
        } else {
            "do not use the figures of this operation, and do not trust the target with data: \
             it acknowledged writes that it did not store as they were sent"
        };
        return Some((Severity::Invalid, misses(result, &name, what), advice));
    }
    let why = result.not_checked.as_ref()?;
    let evidence = match result.checked {
        0 => format!(
            "{name}: no {what} object was read back: {}",
            tame_to(why, EXAMPLE)
        ),
        checked => format!(
            "{name}: only {} {what} objects were read back: {}",
            count(checked),
            tame_to(why, EXAMPLE)
        ),
    };
    let advice = "check with another client whether the target has done what it acknowledged";
    Some((Severity::Note, evidence, advice))
}

fn misses(result: &ReadBack, name: &str, what: &str) -> String {
    let missed = result.missed();
    let share = proportion(missed, result.checked.max(missed), CONFIDENCE);
    let share = share.estimate().map_or_else(String::new, |share| {
        format!(
            " ({}, 95 % interval {} to {})",
            percent(share.value),
            percent(share.low),
            percent(share.high)
        )
    });
    let kinds = [
        (result.missing, "do not exist"),
        (result.kept, "still exist"),
        (result.other_size, "have another size"),
        (result.other_content, "have other content"),
        (result.other_etag, "have the MD5 of other content as ETag"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds
        .map(|(n, text)| format!("{} {text}", count(*n)))
        .collect();
    let example = result.example.as_ref();
    let example = example.map_or_else(String::new, |text| {
        format!("; for example {}", tame_to(text, EXAMPLE))
    });
    format!(
        "{name}: {} of {} {what} objects, drawn at random and read back after the measurement, are \
         not as acknowledged{share}: {}{example}",
        count(missed),
        count(result.checked.max(missed)),
        kinds.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_plan::S3Operation;
    use tenbin_result::Trust;

    fn with(result: ReadBack) -> Run {
        let mut run = Run::new(&["a", "b"], &["put"], 16).of_s3(S3Operation::Put, 1_000);
        run.each_of("b", |slice| slice.answers(2_000, 0.001));
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        target.read_back.insert("put".to_owned(), vec![result]);
        run
    }

    fn of(checked: u64, missing: u64) -> ReadBack {
        ReadBack {
            operation: "PUT".to_owned(),
            acknowledged: 5_000,
            checked,
            missing,
            ..ReadBack::default()
        }
    }

    #[test]
    fn a_single_miss_is_invalid_and_the_target_is_not_recommended() {
        let run = with(ReadBack {
            example: Some("object k in bucket b: HEAD responded with 404".to_owned()),
            ..of(100, 1)
        });
        let finding = run.findings(&RULE).remove(0);
        assert_eq!(finding.severity, Severity::Invalid);
        assert_eq!(finding.target.as_deref(), Some("b"));
        assert_eq!(
            finding.evidence,
            "PUT: 1 of 100 written objects, drawn at random and read back after the measurement, \
             are not as acknowledged (1 %, 95 % interval 0.2 % to 5.4 %): 1 do not exist; for \
             example object k in bucket b: HEAD responded with 404"
        );
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Invalid);
        assert_eq!(assessment.use_cases[0].target, None);
        let sound = with(of(100, 0));
        assert_eq!(sound.findings(&RULE), []);
        assert_eq!(sound.assess().use_cases[0].target.as_deref(), Some("b"));
    }

    #[test]
    fn deletions_that_were_not_done_are_named() {
        let finding = with(ReadBack {
            operation: "DELETE".to_owned(),
            deletes: true,
            kept: 45,
            ..of(60, 0)
        })
        .findings(&RULE)
        .remove(0);
        assert!(finding.evidence.contains("45 still exist"), "{finding:?}");
        assert!(finding.advice.contains("deletions"), "{finding:?}");
    }

    #[test]
    fn what_was_not_checked_is_said() {
        let finding = with(ReadBack {
            not_checked: Some("this operation is not read back".to_owned()),
            ..of(0, 0)
        })
        .findings(&RULE)
        .remove(0);
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(
            finding.evidence,
            "PUT: no written object was read back: this operation is not read back"
        );
    }
}
