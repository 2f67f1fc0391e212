//! The answer: one sentence per comparison, and how the run was measured.

use tenbin_result::format::{MULTIPLE, RATE, TIME, change, plural, points, ratio, typed};
use tenbin_result::{Comparison, Document, Figure, Outcome, ResultOf, Trust};

use super::claims::{
    DOUBT, Said, claim_parts, decisive, grouped, look, place, proven_beside, said,
};
use super::closing::{beyond_belief, is_closed, not_precise, too_few_blocks, twin};
use crate::asked::{ended, expectations_clause, optimum_claim, schedule};
use crate::block::{Block, Look, Text};
use tenbin_verdict::one_start;

/// Maximum number of comparisons that get a sentence with figures; with more, only the table has
/// the figures.
const WITH_FIGURES: usize = 4;
/// Maximum number of workloads of a single target that get a sentence each.
const MOST_ALONE: usize = 4;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut answers = answers(document);
    answers.extend(expectations_clause(document).map(Text::plain));
    answers.extend(not_precise(document).map(Text::plain));
    let mut blocks: Vec<Block> = answers.into_iter().map(Block::Paragraph).collect();
    blocks.push(Block::Paragraph(
        Text::default().and(Look::Faint, method(document)),
    ));
    if let Some(ended) = ended(document) {
        blocks.push(Block::sentence(&format!("The run {ended}")));
    }
    blocks
}

fn answers(document: &Document) -> Vec<Text> {
    let primary = decisive(document);
    let optima = document.optima.iter();
    let mut answers: Vec<Text> = optima.map(|each| optimum_claim(each).into()).collect();
    answers.extend(document.between_workloads().map(|each| each.clone().into()));
    match primary.len() {
        0..=WITH_FIGURES => {
            answers.extend(primary.iter().map(|each| with_figures(document, each)));
        }
        _ => answers.extend(grouped(document, primary).into_iter().map(Text::plain)),
    }
    let at_most = document.capacity_comparisons.iter().map(|c| &c.sentence);
    let highest = document.rate_comparisons.iter().map(|c| &c.sentence);
    answers.extend(at_most.chain(highest).map(|each| each.clone().into()));
    if answers.is_empty() && document.trust == Trust::Invalid {
        answers.extend(beyond_belief(document).map(Text::plain));
        return answers;
    }
    let of_capacity = document.capacities.iter().map(|each| &each.sentence);
    let of_search = document.searches.iter().map(|each| &each.sentence);
    let found = of_capacity.chain(of_search);
    answers.extend(found.map(|each| each.clone().into()));
    if answers.is_empty() {
        answers = alone(document);
    }
    answers
}

/// The sentence of a comparison: `sf_off is SLOWER than sf_on: throughput −48 % (96 % CI −72 … −9
/// %)`.
fn with_figures(document: &Document, comparison: &Comparison) -> Text {
    let several = document.workloads.len() > 1 || document.is_curve(comparison);
    let place = if several {
        format!(" {}", place(document, comparison))
    } else {
        String::new()
    };
    let text = in_capitals(comparison, &place);
    let (Some(figure), Said::Outcome(_) | Said::OfTwin { .. }) =
        (comparison.ratio, said(comparison))
    else {
        return text;
    };
    let mut figures = format!(
        ": {} {} ({})",
        comparison.metric_phrase,
        change(figure.value),
        interval(comparison, figure)
    );
    if let Outcome::OneStart { up_to } = comparison.outcome {
        figures += &format!("; {}", one_start(up_to));
    }
    if let Outcome::NotSustained { why } = &comparison.outcome {
        figures += &format!("; {why}");
    }
    if let Some(few) = too_few_blocks(comparison) {
        figures += &format!("; {few}");
    }
    if let Some(proven) = proven_beside(document, comparison) {
        figures += &format!("; {proven}");
    }
    text.and(Look::Plain, figures)
}

/// The claim of a comparison and its place, with the verdict in capitals and in colour. Doubt comes
/// last, because directly after the name of a target it seems to be about that target.
fn in_capitals(comparison: &Comparison, place: &str) -> Text {
    let look = look(comparison);
    let [before, word, after] = claim_parts(comparison);
    let (after, doubt) = match after.strip_suffix(DOUBT) {
        Some(after) => (after, DOUBT),
        None => (after.as_str(), ""),
    };
    Text::plain(before)
        .and(look, word.to_uppercase())
        .and(Look::Plain, format!("{after}{place}{doubt}"))
}

fn interval(comparison: &Comparison, figure: Figure) -> String {
    let (confidence, low, high) = match (figure.interval, comparison.outcome.likely()) {
        (Some(ends), _) => {
            let all = comparison.together.map(|all| all.confidence);
            (all.unwrap_or(ends.confidence), ends.low, ends.high)
        }
        (None, Some(likely)) => (likely.confidence, likely.low, likely.high),
        (None, None) => return "interval unknown".to_owned(),
    };
    // Rounded down, so that the stated confidence is never too high.
    let confidence = (confidence * 100.0).floor();
    if figure.value >= MULTIPLE {
        format!("{confidence} % CI {}–{}", ratio(low), ratio(high))
    } else {
        format!("{confidence} % CI {} … {} %", points(low), points(high))
    }
}

/// The results of a run with a single target, one sentence per workload.
fn alone(document: &Document) -> Vec<Text> {
    let is_twin = |result: &ResultOf| document.run.twin.as_ref() == Some(&result.target);
    let measured = document.results.iter();
    let measured: Vec<&ResultOf> = measured
        .filter(|result| result.throughput.is_some() && !is_twin(result))
        .collect();
    if measured.is_empty() {
        return vec!["nothing was measured".into()];
    }
    let shown = measured.iter().take(MOST_ALONE);
    let mut answers: Vec<Text> = shown
        .map(|result| figures(document, result).into())
        .collect();
    if let Some(more) = measured.len().checked_sub(MOST_ALONE).filter(|n| *n > 0) {
        answers.push(format!("and {}", plural(more as u64, "more workload")).into());
    }
    let twins = measured.iter().filter_map(|result| twin(document, result));
    answers.extend(twins.map(Text::plain));
    answers
}

/// The main figures of a result: throughput. In an open loop, where the schedule determines the
/// throughput, also the 99th percentile, if the workload has one operation.
fn figures(document: &Document, result: &ResultOf) -> String {
    let mut text = format!(
        "{} at {}: {}",
        result.target,
        result.workload,
        RATE.with_interval(result.throughput)
    );
    let mut work = result.work();
    if let (false, Some(operation), None) = (is_closed(document, result), work.next(), work.next())
    {
        text += &format!(", p99 {}", TIME.with_interval(operation.p99));
    }
    text
}

/// How the run was measured: `quickstart · closed loop, 8 connections · 16 rounds of 0.4 s,
/// interleaved`.
fn method(document: &Document) -> String {
    let mut parts = vec![document.run.name.clone()];
    match document.workloads.as_slice() {
        [] => {}
        [only] => {
            parts.extend(only.request.clone());
            parts.push(only.load.clone());
        }
        several => {
            parts.push(plural(several.len() as u64, "workload"));
            let first = &several[0].load;
            parts.extend(
                several
                    .iter()
                    .all(|each| each.load == *first)
                    .then(|| first.clone()),
            );
        }
    }
    let interleaved = match document.targets.len() {
        0 | 1 => "",
        _ if document.run.is_imported() => "",
        _ => ", interleaved",
    };
    let mut known = document.environment.targets.values();
    let restarted = if known.any(|target| target.relaunched) {
        ", targets restarted"
    } else {
        ""
    };
    parts.push(format!("{}{interleaved}{restarted}", schedule(document)));
    parts.extend(
        document
            .run
            .margin
            .filter(|_| document.targets.len() > 1)
            .map(|margin| format!("equivalence margin ±{} %", typed(margin * 100.0))),
    );
    parts.join(" · ")
}
