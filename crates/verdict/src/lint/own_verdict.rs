//! The trust that Tenbin wrote into a file of its own run.

use tenbin_plan::sentence;
use tenbin_result::{Severity, Trust};

use super::{Files, LintFinding, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "own_verdict",
    summary: Texts {
        english: "Tenbin wrote the file, and the run was SUSPECT or INVALID",
        japanese: "ファイルは Tenbin が書いたもので、その実行は SUSPECT または INVALID",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("own_verdict"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let judged = files.all.iter().filter_map(|file| {
        let judged = file.judged.as_ref()?;
        let severity = match judged.trust {
            Trust::Valid => return None,
            Trust::Suspect => Severity::Suspect,
            Trust::Invalid => Severity::Invalid,
        };
        Some(LintFinding {
            rule: RULE.name,
            severity,
            operation: None,
            evidence: sentence!(
                "lint-own-verdict",
                "the file is from a run of tenbin that was {trust}: {why}",
                trust = judged.trust.word(),
                why = judged.why
            ),
            advice: sentence!(
                "lint-read-findings",
                "read the findings of the run with tenbin show on its run directory"
            ),
            quotes: quotes(file, [&judged.quote]),
        })
    });
    judged.collect()
}
