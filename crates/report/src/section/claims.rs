//! Writes the verdicts of comparisons as text.

use tenbin_result::{Comparison, Document, Message, Outcome, Tendency, Trust, Value, message};
use tenbin_verdict::{change_ends, named_metric, sentences, whole_percent};

use crate::block::Look;
use crate::expectations::{expectations_clause, optimum_claim};

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
pub(super) fn verdict_line(document: &Document) -> Vec<Message> {
    let mut claims = comparisons_line(document);
    claims.extend(expectations_clause(document));
    claims
}

/// The claims of [`verdict_line`]: first optima, then comparisons that are not within one parameter
/// sweep.
fn comparisons_line(document: &Document) -> Vec<Message> {
    let mut claims: Vec<Message> = document.optima.iter().map(optimum_claim).collect();
    claims.extend(between_workloads(document));
    let primary = decisive(document);
    if primary.is_empty() && claims.is_empty() {
        return sentences::verdicts(document);
    }
    claims.extend(grouped(document, primary));
    claims.extend(compared_searches(document));
    claims
}

/// The verdicts of the primary comparisons between workloads, one sentence each.
pub(super) fn between_workloads(document: &Document) -> impl Iterator<Item = Message> {
    let primary = document.workload_comparisons.iter().filter(|c| c.primary);
    primary.map(|comparison| sentences::of_comparison(document, comparison))
}

/// The sentences of comparisons of concurrency sweeps and of maximum rates.
pub(super) fn compared_searches(document: &Document) -> impl Iterator<Item = Message> {
    let at_most = document.concurrency_sweep_comparisons.iter();
    let highest = document.rate_comparisons.iter();
    at_most
        .map(sentences::of_concurrency_sweep_comparison)
        .chain(highest.map(sentences::of_rates))
}

/// Groups comparisons by claim: each claim once, with its workloads.
pub(super) fn grouped(document: &Document, comparisons: Vec<&Comparison>) -> Vec<Message> {
    let (curves, alone): (Vec<_>, Vec<_>) = comparisons
        .into_iter()
        .partition(|each| document.is_curve(each));
    let mut groups: Vec<(Message, Vec<&str>)> = Vec::new();
    for comparison in alone {
        let claim = claim(comparison, claim_word(comparison), Place::None);
        match groups.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, workloads)) => workloads.push(&comparison.workload),
            None => groups.push((claim, vec![&comparison.workload])),
        }
    }
    let over_all = |each: &Comparison| claim(each, claim_word(each), Place::of(document, each));
    let mut claims: Vec<Message> = curves.into_iter().map(over_all).collect();
    let groups = groups.into_iter();
    claims.extend(groups.map(|(claim, workloads)| Place::At(workloads).in_claim(claim)));
    claims
}

/// The primary comparisons, except those within one parameter sweep, which the sweep's optimum
/// summarizes.
pub(super) fn decisive(document: &Document) -> Vec<&Comparison> {
    let questions = document.questions();
    questions
        .filter(|comparison| !document.is_within_sweep(comparison))
        .collect()
}

/// The workloads that a claim is about.
pub(super) enum Place<'a> {
    /// Not said.
    None,
    /// Workloads: `at get, put`.
    At(Vec<&'a str>),
    /// A whole concurrency sweep: `over all levels of get`.
    AllLevels(&'a str),
}

impl<'a> Place<'a> {
    pub(super) fn of(document: &Document, comparison: &'a Comparison) -> Self {
        if document.is_curve(comparison) {
            Self::AllLevels(&comparison.workload)
        } else {
            Self::At(vec![&comparison.workload])
        }
    }

    fn in_claim(&self, claim: Message) -> Message {
        let (place, workloads) = match self {
            Self::None => ("none", Vec::new()),
            Self::At(workloads) => ("at", workloads.clone()),
            Self::AllLevels(workload) => ("all-levels", vec![*workload]),
        };
        let workloads = workloads.into_iter().map(str::to_owned).collect();
        claim
            .with("place", Value::Word(place.to_owned()))
            .with("workloads", Value::Texts(workloads))
    }
}

/// The verdict of a comparison as a claim says it.
pub(super) fn claim_word(comparison: &Comparison) -> &'static str {
    match said(comparison) {
        Said::Outcome(Outcome::Unknown { .. }) => "cannot compare",
        _ => verdict_word(comparison),
    }
}

/// The sentence that compares two targets: `b is slower than a at get`. `word` is the word for the
/// verdict, such as `SLOWER`.
pub(super) fn claim(comparison: &Comparison, word: &str, place: Place<'_>) -> Message {
    let outcome = said(comparison);
    let is_claim = !matches!(
        outcome,
        Said::Nothing | Said::Outcome(Outcome::Unknown { .. })
    );
    let claim = message!(
        "claim",
        outcome = Value::Word(outcome.selector().to_owned()),
        word,
        challenger = &comparison.challenger,
        baseline = &comparison.baseline,
        suspect = is_claim && comparison.trust == Trust::Suspect
    );
    place.in_claim(claim)
}

impl Said<'_> {
    /// Selects the sentence of a claim.
    fn selector(&self) -> &'static str {
        match self {
            Self::Nothing => "no-verdict",
            Self::OfTwin { differs: true } => "twin-differs",
            Self::OfTwin { differs: false } => "noise",
            Self::Outcome(Outcome::Faster) => "faster",
            Self::Outcome(Outcome::Slower) => "slower",
            Self::Outcome(Outcome::CostsLess) => "costs-less",
            Self::Outcome(Outcome::CostsMore) => "costs-more",
            Self::Outcome(Outcome::Equivalent { .. }) => "equivalent",
            Self::Outcome(Outcome::Unknown { .. }) => "cannot-compare",
            Self::Outcome(outcome) => match outcome.likely().map(|likely| likely.tendency) {
                Some(Tendency::Faster) => "likely-faster",
                Some(Tendency::Slower) => "likely-slower",
                Some(Tendency::CostsLess) => "likely-costs-less",
                Some(Tendency::CostsMore) => "likely-costs-more",
                None => "cannot-tell",
            },
        }
    }
}

/// The name of a comparison's figure.
pub(super) fn metric(comparison: &Comparison) -> Message {
    named_metric(&comparison.metric, &comparison.metric_phrase)
}

/// What a ratio compares: `throughput, b ÷ a`.
pub(super) fn compared_by(comparison: &Comparison) -> Message {
    message!(
        "compared-by",
        metric = metric(comparison),
        challenger = &comparison.challenger,
        baseline = &comparison.baseline
    )
}

/// What other figures prove about a comparison whose own figure is undecided: `however, server CPU
/// per operation +24 % (95 % CI +18 … +31 %, for this figure alone)`, or `already decided: …` if they
/// point in the direction in which the comparison is likely to end. `None` if the
/// comparison is decided or not trusted, or if no other figure is decided.
pub(super) fn proven_beside(document: &Document, comparison: &Comparison) -> Option<Message> {
    let is_undecided = matches!(
        said(comparison),
        Said::Outcome(Outcome::Inconclusive { .. } | Outcome::OneStart { .. })
    );
    let concerns = |other: &&Comparison| {
        !other.primary
            && !other.twin
            && (&other.workload, &other.baseline, &other.challenger)
                == (
                    &comparison.workload, &comparison.baseline, &comparison.challenger,
                )
    };
    let others = document.comparisons.iter().filter(concerns);
    let mut agree = true;
    let mut proven = others.filter_map(|other| {
        let proven = proven(other)?;
        agree &= points_to_better(&comparison.outcome) == points_to_better(&other.outcome);
        Some(proven)
    });
    let first = proven.next().filter(|_| is_undecided)?;
    let second = proven.next();
    Some(match (second, agree) {
        (Some(second), true) => message!("decided-both", first, second),
        (Some(second), false) => message!("however-both", first, second),
        (None, true) => message!("decided-beside", first),
        (None, false) => message!("however", first),
    })
}

/// Whether the outcome, or the likely one, is in favour of the challenger; `None` without a direction.
fn points_to_better(outcome: &Outcome) -> Option<bool> {
    match (outcome, outcome.likely().map(|likely| likely.tendency)) {
        (Outcome::Faster | Outcome::CostsLess, _)
        | (_, Some(Tendency::Faster | Tendency::CostsLess)) => Some(true),
        (Outcome::Slower | Outcome::CostsMore, _)
        | (_, Some(Tendency::Slower | Tendency::CostsMore)) => Some(false),
        _ => None,
    }
}

fn proven(comparison: &Comparison) -> Option<Message> {
    let (Said::Outcome(outcome), Some(figure)) = (said(comparison), comparison.ratio) else {
        return None;
    };
    let ends = figure.interval.filter(|_| outcome.is_different())?;
    Some(message!(
        "proven",
        metric = metric(comparison),
        change = Value::Change(figure.value),
        confidence = whole_percent(ends.confidence),
        ends = change_ends(figure.value, ends.low, ends.high)
    ))
}

#[cfg(test)]
mod tests {
    use tenbin_result::Language;

    use super::*;
    use crate::language;

    /// A name can be equal to a verdict.
    #[test]
    fn a_verdict_is_not_confused_with_a_name() {
        let pair = include_bytes!("../../tests/documents/pair.json");
        let mut pair = tenbin_result::document_from_json(pair).expect("a document");
        let comparison = Comparison {
            baseline: "noise".to_owned(),
            challenger: "slower".to_owned(),
            outcome: Outcome::Slower,
            ..pair.comparisons[0].clone()
        };
        let claim = claim(&comparison, &language::styled("SLOWER"), Place::None);
        let said = language::say_text(&pair, &claim, Look::Bad);
        let words: Vec<&str> = said.spans().iter().map(|span| span.text.as_str()).collect();
        assert_eq!(words, ["slower is ", "SLOWER", " than noise"]);
        pair.language = Language::Japanese;
        let said = language::say_text(&pair, &claim, Look::Bad);
        let words: Vec<&str> = said.spans().iter().map(|span| span.text.as_str()).collect();
        assert_eq!(words, ["slower は noise より ", "SLOWER", "(遅い)"]);
        assert_eq!(winner(&comparison), Some("noise"));
    }
}
