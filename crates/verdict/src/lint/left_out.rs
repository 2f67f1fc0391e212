//! Lines that belong to a measurement and state no figure.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::plural;

use super::{Files, LeftOut, LintFinding, Reported, quotes};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

/// Most lines that are quoted.
const MOST_QUOTED: usize = 5;

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "left_out",
    summary: Texts {
        english: "lines of measurements have no figure: a benchmark failed, or the file is cut off or mixed \
                  with other text",
        japanese: "値のない計測の行がある: ベンチマークの失敗、ファイルの途切れ、ほかのテキストの混入",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("left_out"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    files.all.iter().filter_map(finding).collect()
}

fn finding(file: &Reported) -> Option<LintFinding> {
    let all = &file.left_out;
    if all.is_empty() {
        return None;
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for LeftOut { why, .. } in all {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((why, 1)),
        }
    }
    let reasons: Vec<String> = reasons
        .iter()
        .map(|(why, count)| format!("{why} ({count})"))
        .collect();
    Some(LintFinding {
        rule: RULE.name,
        severity: Severity::Suspect,
        operation: None,
        evidence: sentence!(
            "lint-lines-without-figure",
            "{lines} of measurements without a figure: {reasons}",
            lines = plural(all.len(), "line"),
            reasons = reasons.join(", ")
        )
        .with("lines", all.len()),
        advice: sentence!(
            "lint-own-file",
            "repeat what is missing, or write the tool's output to a file of its own: what is left may be \
             the benchmarks that happened to succeed"
        ),
        quotes: quotes(file, all.iter().take(MOST_QUOTED).map(|each| &each.quote)),
    })
}
