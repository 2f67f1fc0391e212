//! Operations whose figures differ between two files although the code change between the files did
//! not touch the operations.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::ratio;

use super::named::is_named;
use super::repeated::{Pair, pairs};
use super::{FileQuote, Files, LintFinding, Measurement};
use crate::compare::outcome::EQUIVALENCE;
use crate::findings::rule_info::{RuleInfo, Texts, pages};

pub(super) const RULE: RuleInfo = RuleInfo {
    name: "changed_untouched",
    summary: Texts {
        english: "operations that a change did not touch differ too",
        japanese: "変更が影響しない操作にも差がある",
    },
    severities: &[Severity::Invalid],
    explanation: pages!("changed_untouched"),
    ..RuleInfo::PLAIN
};

pub(super) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    // Only the user knows that the files are of one server, before and after a change.
    if files.changed.is_empty() {
        return Vec::new();
    }
    let pairs = pairs(files);
    let is_untouched = |pair: &&Pair<'_>| {
        let operation = &pair.after.1[0].operation;
        !files.changed.iter().any(|name| is_named(operation, name))
    };
    let untouched = pairs.iter().filter(is_untouched);
    let differing = untouched.filter_map(|pair| {
        let ratio = pair.ratio()?;
        let is_off = ratio.ln().abs() > (1.0 + EQUIVALENCE).ln();
        is_off.then_some((pair, ratio))
    });
    let mut differing: Vec<(&Pair<'_>, f64)> = differing.collect();
    differing.sort_by(|(_, one), (_, other)| other.ln().abs().total_cmp(&one.ln().abs()));
    let Some((_, most)) = differing.first() else {
        return Vec::new();
    };
    let shown = differing
        .iter()
        .map(|(pair, change)| format!("{} {}", pair.after.1[0].operation, ratio(*change)));
    let shown: Vec<String> = shown.collect();
    let line = |side: &(&super::Reported, Vec<&Measurement>)| {
        let rate = side.1.first()?.rate.as_ref()?;
        Some(FileQuote::new(side.0, &rate.quote))
    };
    let quoted = differing
        .iter()
        .flat_map(|(pair, _)| [line(&pair.before), line(&pair.after)]);
    vec![LintFinding {
        rule: RULE.name,
        severity: Severity::Invalid,
        operation: None,
        evidence: sentence!(
            "lint-untouched-differ",
            "speed after/before of operations that the change did not touch: {speeds}; the machine or the \
             method changed the results by a factor of up to {factor} between the files",
            speeds = shown.join(", "),
            factor = ratio(most.ln().abs().exp())
        ),
        advice: sentence!(
            "lint-not-the-code",
            "do not attribute a change of that size or less to the code; measure both versions in turn \
             in one session"
        ),
        quotes: quoted.flatten().collect(),
    }]
}
