//! What comparisons claim, in words.

use crate::asked::{expectations_clause, optimum_claim};
use crate::document::{Comparison, Document, Trust};

/// The word for a comparison, which is none when its numbers are not believed.
pub(crate) fn verdict_word(comparison: &Comparison) -> &'static str {
    match comparison.trust {
        Trust::Invalid => "no verdict",
        // Of a twin there is nothing to be said but whether it is alike.
        _ if comparison.twin && comparison.outcome.is_different() => "twin differs",
        _ if comparison.twin => "noise",
        Trust::Valid | Trust::Suspect => comparison.outcome.word(),
    }
}

/// What a target does that needs less, or more, of its server for an operation.
pub(super) const COSTS_LESS: &str = "costs less";
pub(super) const COSTS_MORE: &str = "costs more";

/// The better side, when the verdict has one.
pub(super) fn winner(comparison: &Comparison) -> Option<&str> {
    match verdict_word(comparison) {
        "faster" | "cheaper" => Some(&comparison.challenger),
        "slower" | "dearer" => Some(&comparison.baseline),
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
    let Comparison {
        baseline,
        challenger,
        ..
    } = comparison;
    let doubt = match comparison.trust {
        Trust::Suspect => " (suspect)",
        Trust::Valid | Trust::Invalid => "",
    };
    match verdict_word(comparison) {
        "no verdict" => format!("no verdict on {challenger} against {baseline}"),
        "equivalent" => format!("{challenger} and {baseline} are equivalent{doubt}"),
        "cannot tell" => format!("cannot tell {challenger} from {baseline}{doubt}"),
        "unknown" => format!("cannot compare {challenger} with {baseline}"),
        "cheaper" => format!("{challenger} {COSTS_LESS} per operation than {baseline}{doubt}"),
        "dearer" => format!("{challenger} {COSTS_MORE} per operation than {baseline}{doubt}"),
        word => format!("{challenger} is {word} than {baseline}{doubt}"),
    }
}
