//! What comparisons claim, in words.

use tenbin_result::{Comparison, Document, Outcome, Trust};

use crate::asked::{expectations_clause, optimum_claim};

/// The word for a comparison, which is none when its numbers are not believed.
pub(crate) fn verdict_word(comparison: &Comparison) -> &'static str {
    match said(comparison) {
        Said::Nothing => "no verdict",
        Said::OfTwin { differs: true } => "twin differs",
        Said::OfTwin { differs: false } => "noise",
        Said::Outcome(outcome) => outcome.word(),
    }
}

/// What may be said of a comparison.
pub(super) enum Said<'a> {
    /// Its numbers are not believed.
    Nothing,
    /// Of a twin only whether it is like the baseline.
    OfTwin {
        /// Whether it is called different.
        differs: bool,
    },
    /// What it says of the challenger.
    Outcome(&'a Outcome),
}

pub(super) fn said(comparison: &Comparison) -> Said<'_> {
    match comparison.trust {
        Trust::Invalid => Said::Nothing,
        Trust::Valid | Trust::Suspect if comparison.twin => Said::OfTwin {
            differs: comparison.outcome.is_different(),
        },
        Trust::Valid | Trust::Suspect => Said::Outcome(&comparison.outcome),
    }
}

/// The better side, when the verdict has one.
pub(super) fn winner(comparison: &Comparison) -> Option<&str> {
    match said(comparison) {
        Said::Outcome(Outcome::Faster | Outcome::CostsLess) => Some(&comparison.challenger),
        Said::Outcome(Outcome::Slower | Outcome::CostsMore) => Some(&comparison.baseline),
        _ => None,
    }
}

/// Every primary comparison in one line, without figures: the word for each
/// challenger, then the workloads it holds for.
pub(super) fn verdict_line(document: &Document) -> String {
    let mut claims = comparisons_line(document);
    claims.extend(expectations_clause(document));
    claims.join("; ")
}

/// Optima first, and of comparisons those that are not inside one sweep.
fn comparisons_line(document: &Document) -> Vec<String> {
    let mut claims: Vec<String> = document.optima.iter().map(optimum_claim).collect();
    claims.extend(document.between_workloads().cloned());
    let primary = decisive(document);
    if primary.is_empty() && claims.is_empty() {
        return document.verdicts.clone();
    }
    claims.extend(grouped(document, primary));
    let at_most = document.capacity_comparisons.iter().map(|c| &c.sentence);
    let highest = document.rate_comparisons.iter().map(|c| &c.sentence);
    claims.extend(at_most.chain(highest).cloned());
    claims
}

/// Comparisons by what they claim, each claim once with the workloads that it holds for.
pub(super) fn grouped(document: &Document, comparisons: Vec<&Comparison>) -> Vec<String> {
    let (curves, alone): (Vec<_>, Vec<_>) = comparisons
        .into_iter()
        .partition(|each| document.is_curve(each));
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for comparison in alone {
        let claim = claim(comparison);
        match groups.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, workloads)) => workloads.push(&comparison.workload),
            None => groups.push((claim, vec![&comparison.workload])),
        }
    }
    let over_all = |each: &Comparison| format!("{} {}", claim(each), place(document, each));
    let mut claims: Vec<String> = curves.into_iter().map(over_all).collect();
    let groups = groups.iter();
    claims.extend(groups.map(|(claim, workloads)| format!("{claim} at {}", workloads.join(", "))));
    claims
}

/// The primary comparisons, but those inside one sweep, whose optimum says it all.
pub(super) fn decisive(document: &Document) -> Vec<&Comparison> {
    let in_one_sweep = |comparison: &Comparison| {
        document.optima.iter().any(|optimum| {
            let is_point = |name: &String| optimum.targets.contains(name);
            optimum.workload == comparison.workload
                && is_point(&comparison.baseline)
                && is_point(&comparison.challenger)
        })
    };
    let questions = document.questions();
    questions.filter(|c| !in_one_sweep(c)).collect()
}

/// `at get`, or `over all levels of get` for a curve.
pub(super) fn place(document: &Document, comparison: &Comparison) -> String {
    let over = match document.is_curve(comparison) {
        true => "over all levels of",
        false => "at",
    };
    format!("{over} {}", comparison.workload)
}

/// `b is slower than a`.
pub(super) fn claim(comparison: &Comparison) -> String {
    let [before, word, after] = claim_parts(comparison);
    format!("{before}{word}{after}")
}

/// The same in three parts: its word, and what stands before and behind it.
pub(super) fn claim_parts(comparison: &Comparison) -> [String; 3] {
    let Comparison {
        baseline,
        challenger,
        ..
    } = comparison;
    let doubt = match comparison.trust {
        Trust::Suspect => " (suspect)",
        Trust::Valid | Trust::Invalid => "",
    };
    let word = verdict_word(comparison);
    let (before, word, after) = match said(comparison) {
        Said::Nothing => (
            String::new(),
            word,
            format!(" on {challenger} against {baseline}"),
        ),
        Said::Outcome(Outcome::Equivalent { .. }) => (
            format!("{challenger} and {baseline} are "),
            word,
            doubt.to_owned(),
        ),
        Said::Outcome(Outcome::Inconclusive { .. } | Outcome::OneStart { .. }) => (
            String::new(),
            word,
            format!(" {challenger} from {baseline}{doubt}"),
        ),
        Said::Outcome(Outcome::Unknown { .. }) => (
            String::new(),
            "cannot compare",
            format!(" {challenger} with {baseline}"),
        ),
        Said::Outcome(Outcome::CostsLess | Outcome::CostsMore) => (
            format!("{challenger} "),
            word,
            format!(" per operation than {baseline}{doubt}"),
        ),
        Said::Outcome(Outcome::Faster | Outcome::Slower) | Said::OfTwin { .. } => (
            format!("{challenger} is "),
            word,
            format!(" than {baseline}{doubt}"),
        ),
    };
    [before, word.to_owned(), after]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name may be one of our words.
    #[test]
    fn the_word_of_a_claim_is_not_looked_for_in_names() {
        let pair = include_bytes!("../../tests/documents/pair.json");
        let pair = tenbin_result::document_from_json(pair).expect("a document");
        let comparison = Comparison {
            baseline: "noise".to_owned(),
            challenger: "slower".to_owned(),
            outcome: Outcome::Slower,
            ..pair.comparisons[0].clone()
        };
        let parts = claim_parts(&comparison);
        assert_eq!(parts, ["slower is ", "slower", " than noise"]);
        assert_eq!(winner(&comparison), Some("noise"));
    }
}
