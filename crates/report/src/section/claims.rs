//! Writes the verdicts of comparisons as text.

use tenbin_result::format::{MULTIPLE, percent, ratio};
use tenbin_result::{Comparison, Document, Outcome, Tendency, Trust};

use crate::asked::{expectations_clause, optimum_claim};
use crate::block::Look;

/// The verdict of a comparison; `no verdict` if its numbers cannot be trusted.
pub(crate) fn verdict_word(comparison: &Comparison) -> &'static str {
    match said(comparison) {
        Said::Nothing => "no verdict",
        Said::OfTwin { differs: true } => "twin differs",
        Said::OfTwin { differs: false } => "noise",
        Said::Outcome(outcome) => outcome.word(),
    }
}

/// The style of a comparison's verdict.
pub(super) fn look(comparison: &Comparison) -> Look {
    match said(comparison) {
        Said::Outcome(Outcome::Faster | Outcome::CostsLess) => Look::Good,
        Said::Outcome(Outcome::Slower | Outcome::CostsMore) | Said::Nothing => Look::Bad,
        Said::Outcome(
            Outcome::Inconclusive { .. } | Outcome::OneStart { .. } | Outcome::NotSustained { .. },
        )
        | Said::OfTwin { differs: true } => Look::Doubtful,
        Said::Outcome(_) | Said::OfTwin { differs: false } => Look::Strong,
    }
}

/// What a report can state about a comparison.
pub(super) enum Said<'a> {
    /// Nothing, because the numbers cannot be trusted.
    Nothing,
    /// For a twin (a second process of the same server): only whether the twin differs from the
    /// baseline.
    OfTwin {
        /// Whether the twin differs from the baseline.
        differs: bool,
    },
    /// The outcome for the challenger.
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

/// The better target, if the verdict names one.
pub(super) fn winner(comparison: &Comparison) -> Option<&str> {
    match said(comparison) {
        Said::Outcome(Outcome::Faster | Outcome::CostsLess) => Some(&comparison.challenger),
        Said::Outcome(Outcome::Slower | Outcome::CostsMore) => Some(&comparison.baseline),
        _ => None,
    }
}

/// The verdicts of a run in one line: optima, comparisons and expectations. Primary comparisons
/// between targets have no figures, and workloads with the same claim share a clause: `b is slower
/// than a at get, put`.
pub(super) fn verdict_line(document: &Document) -> String {
    let mut claims = comparisons_line(document);
    claims.extend(expectations_clause(document));
    claims.join("; ")
}

/// The claims of [`verdict_line`]: first optima, then comparisons that are not within one parameter
/// sweep.
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

/// Groups comparisons by claim: each claim once, with its workloads.
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

/// The primary comparisons, except those within one parameter sweep, which the sweep's optimum
/// summarizes.
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

/// The workload of a comparison as text: `at get`, or `over all levels of get` for a comparison of
/// whole concurrency sweeps.
pub(super) fn place(document: &Document, comparison: &Comparison) -> String {
    let over = if document.is_curve(comparison) {
        "over all levels of"
    } else {
        "at"
    };
    format!("{over} {}", comparison.workload)
}

/// The claim of a comparison: `b is slower than a`.
pub(super) fn claim(comparison: &Comparison) -> String {
    let [before, word, after] = claim_parts(comparison);
    format!("{before}{word}{after}")
}

/// The end of a claim whose numbers may mislead.
pub(super) const DOUBT: &str = " (suspect)";

/// The claim in three parts: text before the verdict, the verdict, and text after it.
pub(super) fn claim_parts(comparison: &Comparison) -> [String; 3] {
    let Comparison {
        baseline,
        challenger,
        ..
    } = comparison;
    let doubt = match comparison.trust {
        Trust::Suspect => DOUBT,
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
        Said::Outcome(Outcome::Inconclusive {
            likely: Some(likely),
            ..
        }) => match likely.tendency {
            Tendency::Faster | Tendency::Slower => (
                format!("{challenger} is "),
                word,
                format!(" than {baseline}{doubt}"),
            ),
            Tendency::CostsLess | Tendency::CostsMore => (
                format!("{challenger} "),
                word,
                format!(" per operation than {baseline}{doubt}"),
            ),
        },
        Said::Outcome(
            Outcome::Inconclusive { .. } | Outcome::OneStart { .. } | Outcome::NotSustained { .. },
        ) => (
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

/// What other figures prove about a comparison whose own figure is undecided: `however, server CPU
/// per operation is 24 % higher (95 % CI +17.6 … +31.1 %, for this figure alone)`. `None` if the
/// comparison is decided or not trusted, or if no other figure is decided.
pub(super) fn proven_beside(document: &Document, comparison: &Comparison) -> Option<String> {
    let is_undecided = matches!(
        said(comparison),
        Said::Outcome(Outcome::Inconclusive { .. } | Outcome::OneStart { .. })
    );
    let concerns = |other: &&Comparison| {
        !other.primary
            && !other.twin
            && (&other.workload, &other.baseline, &other.challenger)
                == (
                    &comparison.workload,
                    &comparison.baseline,
                    &comparison.challenger,
                )
    };
    let others = document.comparisons.iter().filter(concerns);
    let proven: Vec<String> = others.filter_map(proven).take(MOST_PROVEN).collect();
    (is_undecided && !proven.is_empty()).then(|| format!("however, {}", proven.join(", and ")))
}

/// Most other figures named beside an undecided comparison.
const MOST_PROVEN: usize = 2;

fn proven(comparison: &Comparison) -> Option<String> {
    let (Said::Outcome(outcome), Some(figure)) = (said(comparison), comparison.ratio) else {
        return None;
    };
    let ends = figure.interval.filter(|_| outcome.is_different())?;
    let confidence = (ends.confidence * 100.0).floor();
    let phrase = &comparison.metric_phrase;
    let change = match (figure.value >= MULTIPLE, figure.value > 1.0) {
        (true, _) => format!("is {} times as high", ratio(figure.value)),
        (false, true) => format!("is {} higher", percent(figure.value - 1.0)),
        (false, false) => format!("is {} lower", percent(1.0 - figure.value)),
    };
    Some(format!(
        "{phrase} {change} (ratio {}–{}, {confidence} % CI for this figure alone)",
        ratio(ends.low),
        ratio(ends.high)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name can be equal to a verdict.
    #[test]
    fn a_verdict_is_not_confused_with_a_name() {
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
