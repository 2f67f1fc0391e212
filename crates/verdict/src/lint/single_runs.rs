//! Comparisons of single runs without repetitions.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{plural, ratio};

use super::repeated::{Pair, pairs};
use super::{FileQuote, Files, LintFinding};
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "single_runs",
    summary: Texts {
        english: "single runs are compared, without a spread",
        japanese: "1 回ずつの実行を、ばらつきを示さずに比べている",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("single_runs"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let pairs = pairs(files);
    let is_single = |pair: &&Pair<'_>| pair.before.1.len() == 1 || pair.after.1.len() == 1;
    let single: Vec<&Pair<'_>> = pairs.iter().filter(is_single).collect();
    let Some(first) = single.first() else {
        return Vec::new();
    };
    let (before, after) = (first.before.0, first.after.0);
    let shown = single.iter().map(|pair| {
        let change = pair.ratio().map_or_else(|| "unknown".to_owned(), ratio);
        format!("{} {change}", pair.after.1[0].operation)
    });
    let shown: Vec<String> = shown.collect();
    let line = |(file, all): &(&super::Reported, Vec<&super::Measurement>)| {
        let rate = all.first()?.rate.as_ref()?;
        Some(FileQuote::new(file, &rate.quote))
    };
    let lines = single.iter().take(MOST_QUOTED);
    let lines = lines.flat_map(|pair| [line(&pair.before), line(&pair.after)]);
    vec![LintFinding {
        rule: RULE.name,
        severity: Severity::Suspect,
        operation: None,
        evidence: sentence!(
            "lint-single-runs",
            "{operations} measured once in {before} or {after}, one file after the other: speed after/before \
             of {speeds}; without repetitions, the variation of the same server between runs is unknown",
            operations = plural(single.len(), "operation"),
            before = before.file(),
            after = after.file(),
            speeds = shown.join(", ")
        )
        .with("operations", single.len()),
        advice: sentence!(
            "lint-repeat-both",
            "repeat both runs at least six times, alternating, or compare the servers with tenbin, which \
             interleaves them"
        ),
        quotes: lines.flatten().collect(),
    }]
}

/// Maximum number of operations whose lines a finding quotes.
const MOST_QUOTED: usize = 3;
