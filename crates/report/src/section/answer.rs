//! The answer: one sentence per comparison, and how the run was measured.

use tenbin_result::format::Unit;
use tenbin_result::{
    Comparison, Document, Figure, Message, Outcome, ResultOf, Trust, Value, message,
};
use tenbin_verdict::{change_ends, sentences, whole_percent};

use super::claims::{
    Place, Said, between_workloads, claim, claim_word, compared_searches, decisive, grouped, look,
    metric, proven_beside, said,
};
use super::closing::{figures, measured, not_precise, too_few_blocks, twin};
use crate::block::{Block, Look, Text};
use crate::expectations::{
    answers_by_expectations, ended, expectations_clause, optimum_claim, schedule,
};
use crate::language::{clauses, say, say_text, styled};
use crate::words::load;

/// Maximum number of comparisons that get a sentence with figures; with more, only the table has
/// the figures.
const WITH_FIGURES: usize = 4;
/// Maximum number of workloads of a single target that get a sentence each.
const MOST_ALONE: usize = 4;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let said = |message: Message| Text::plain(say(document, &message));
    let label = document.run.label.as_deref();
    let label = label.map(|label| said(message!("run-label", label)));
    let note = document.run.note.iter().map(Text::plain);
    let mut answers: Vec<Text> = match document.gate {
        // The intervals of fixed numbers of rounds do not hold for a run that ends by its figures.
        Some(_) => label.into_iter().chain(note).collect(),
        None => label
            .into_iter()
            .chain(note)
            .chain(answers(document))
            .collect(),
    };
    answers.extend(expectations_clause(document).map(said));
    answers.extend(not_precise(document).map(said));
    let mut blocks: Vec<Block> = answers.into_iter().map(Block::Paragraph).collect();
    blocks.push(Block::Paragraph(
        Text::default().and(Look::Faint, method(document)),
    ));
    if let Some(ended) = ended(document) {
        blocks.push(Block::sentence(&say(document, &ended)));
    }
    blocks
}

fn answers(document: &Document) -> Vec<Text> {
    let said = |message: Message| Text::plain(say(document, &message));
    let primary = decisive(document);
    let optima = document.optima.iter().map(optimum_claim);
    let mut answers: Vec<Text> = optima.map(said).collect();
    answers.extend(between_workloads(document).map(said));
    match primary.len() {
        0..=WITH_FIGURES => {
            answers.extend(primary.iter().map(|each| with_figures(document, each)));
        }
        _ => answers.extend(grouped(document, primary).into_iter().map(said)),
    }
    answers.extend(compared_searches(document).map(said));
    // A search has its own trust: what it knows does not depend on all figures of the run.
    if answers.is_empty() && document.trust == Trust::Invalid && document.searches.is_empty() {
        if answers_by_expectations(document) {
            return answers;
        }
        return vec![said(message!("cannot-be-trusted"))];
    }
    let of_concurrency_sweep = document
        .concurrency_sweeps
        .iter()
        .map(sentences::of_concurrency_sweep);
    let searches = document.searches.iter();
    let of_search = searches.map(|found| sentences::of_search_in_short(document, found));
    answers.extend(of_concurrency_sweep.chain(of_search).map(said));
    if answers.is_empty() {
        answers = alone(document).into_iter().map(said).collect();
    }
    answers
}

/// The sentence of a comparison: `sf_off is SLOWER than sf_on: throughput × 0.520 (96 % CI
/// 0.280–0.910)`.
fn with_figures(document: &Document, comparison: &Comparison) -> Text {
    let several = document.workloads.len() > 1 || document.is_curve(comparison);
    let place = if several {
        Place::of(document, comparison)
    } else {
        Place::None
    };
    let word = styled(&claim_word(comparison).to_uppercase());
    let claim = claim(comparison, &word, place);
    let (Some(figure), Said::Outcome(_) | Said::OfTwin { .. }) =
        (comparison.ratio, said(comparison))
    else {
        return say_text(document, &claim, look(comparison));
    };
    let changed = message!(
        "changed",
        metric = metric(comparison),
        change = Value::Change(figure.value),
        interval = interval(comparison, figure)
    );
    let doubt = match &comparison.outcome {
        Outcome::OneStart { up_to } => Some(message!("one-start", noise = Value::Share(*up_to))),
        Outcome::NotSustained { .. } => comparison.outcome.why(),
        _ => None,
    };
    let more = [
        doubt,
        too_few_blocks(comparison),
        proven_beside(document, comparison),
    ];
    let figures = clauses(changed, more.into_iter().flatten());
    let text = message!("claim-figures", claim, figures);
    say_text(document, &text, look(comparison))
}

fn interval(comparison: &Comparison, figure: Figure) -> Message {
    let (confidence, low, high) = match (figure.interval, comparison.outcome.likely()) {
        (Some(ends), _) => {
            let all = comparison.together.map(|all| all.confidence);
            (all.unwrap_or(ends.confidence), ends.low, ends.high)
        }
        (None, Some(likely)) => (likely.confidence, likely.low, likely.high),
        (None, None) => return message!("interval-unknown"),
    };
    message!(
        "interval-of-change",
        confidence = whole_percent(confidence),
        ends = change_ends(figure.value, low, high)
    )
}

/// The results of a run with a single target, one sentence per workload.
fn alone(document: &Document) -> Vec<Message> {
    let measured = measured(document);
    if measured.is_empty() {
        return vec![message!("nothing-measured")];
    }
    let shown = measured.iter().take(MOST_ALONE);
    let of_result = |result: &&ResultOf| figures(document, result, Unit::with_interval);
    let mut answers: Vec<Message> = shown.map(of_result).collect();
    if let Some(more) = measured.len().checked_sub(MOST_ALONE).filter(|n| *n > 0) {
        answers.push(message!("more-workloads", count = more));
    }
    let twins = measured.iter().filter_map(|result| twin(document, result));
    answers.extend(twins);
    answers
}

/// The agents that share the connections and the rate of the load; `None` without agents.
fn agents(document: &Document) -> Option<Message> {
    let environment = &document.environment;
    let lost = environment.lost_agents.len();
    (!environment.agents.is_empty())
        .then(|| message!("shared-by-agents", agents = environment.agents.len(), lost))
}

/// How the run was measured: `quickstart · closed loop, 8 connections · 16 rounds of 0.4 s,
/// interleaved`.
fn method(document: &Document) -> String {
    let mut parts = vec![document.run.name.clone()];
    match document.workloads.as_slice() {
        [] => {}
        [only] => {
            parts.extend(only.request.clone());
            parts.push(load(document, only));
        }
        [first, rest @ ..] => {
            let workloads = message!("workloads", count = document.workloads.len());
            parts.push(say(document, &workloads));
            let are_alike = rest.iter().all(|each| each.load == first.load);
            parts.extend(are_alike.then(|| load(document, first)));
        }
    }
    parts.extend(agents(document).map(|agents| say(document, &agents)));
    let mut known = document.environment.targets.values();
    let schedule = message!(
        "schedule",
        schedule = schedule(document),
        interleaved = document.targets.len() > 1 && !document.run.is_imported(),
        restarted = known.any(|target| target.relaunched)
    );
    parts.push(say(document, &schedule));
    let margin = document.run.margin.filter(|_| document.targets.len() > 1);
    parts.extend(margin.map(|margin| {
        say(
            document,
            &message!("margin", percent = Value::Typed(margin * 100.0)),
        )
    }));
    parts.join(" · ")
}
