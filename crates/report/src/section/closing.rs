//! The end of the first screen: how far the numbers can be trusted, and how to see more. Also the
//! last three lines of reports in other tools' formats.

use tenbin_result::format::{RATE, TIME, Unit, Words, within};
use tenbin_result::{
    Certainty, Comparison, Document, Figure, Finding, Limit, Message, ResultOf, RunEnded, Severity,
    SliceFigures, Trust, Value, message,
};
use tenbin_stats::{CONFIDENCE, blocks_for_significance};
use tenbin_verdict::{change_ends, sentences};

use super::claims::{
    Place, Said, between_workloads, claim, claim_word, compared_searches, decisive, metric,
    proven_beside, said, verdict_line,
};
use crate::block::{Block, Look, Text};
use crate::escape::for_terminal;
use crate::expectations::{answers_by_expectations, expectations_clause, optimum_claim};
use crate::language::{clauses, figure_words, say};
use crate::trust_reason::{of_one_target, reasons};
use crate::words::trust_meaning;

/// Maximum number of comparisons written in one line with figures; with more, only verdicts are
/// written.
const WITH_FIGURES: usize = 4;

/// Maximum number of workloads of a single target written in one line.
const WORKLOADS: usize = 3;

/// The message that warns about suspect numbers.
const SUSPECT: &str = "suspect";

/// The rule on responses whose content was not compared.
const UNCHECKED: &str = "unchecked_content";

/// Maximum number of characters of a finding's evidence within a line.
const ESSENCE: usize = 140;

/// Maximum length of a word, bytes, that is left out instead of cut at the end of a line.
const LONGEST_WORD: usize = 60;

/// The section: the trust with its explanation, then how to see more.
pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let look = match document.trust {
        Trust::Valid => Look::Good,
        Trust::Suspect => Look::Doubtful,
        Trust::Invalid => Look::Bad,
    };
    let trusted = Text::default()
        .and(look, document.trust.word())
        .and(Look::Plain, format!("  {}", trusted(document)));
    let mut blocks = vec![Block::Paragraph(trusted)];
    let directory = &document.run.directory;
    let is_note = |finding: &&Finding| finding.severity == Severity::Note;
    let notes = document.findings.iter().filter(is_note).count();
    if notes > 0 {
        let notes = say(document, &message!("notes", count = notes));
        let text = Text::plain(notes + ": ").and(
            Look::Code,
            format!("tenbin show {directory} --section findings"),
        );
        blocks.push(Block::Paragraph(text));
    }
    if document.run.is_imported() {
        return blocks;
    }
    let run = say(document, &message!("run-in", directory));
    let more = say(document, &message!("more"));
    let run = Text::plain(run)
        .and(Look::Faint, format!("   {more}: "))
        .and(Look::Code, format!("tenbin show {directory} -v"));
    blocks.push(Block::Paragraph(run));
    blocks
}

/// The meaning of the trust level for this run, in the language of the document.
pub(crate) fn trusted(document: &Document) -> String {
    let about = match (document.only_ratios(), document.trust) {
        (None, trust) => of_one_target(document).unwrap_or_else(|| trust_meaning(trust)),
        (Some(because), Trust::Valid) => {
            message!("trust-ratio", because = reasons(because))
        }
        (Some(because), _) => message!("trust-neither", because = reasons(because)),
    };
    let more = [
        unchecked(document),
        incomplete(document),
        established(document),
    ];
    say(document, &clauses(about, more.into_iter().flatten()))
}

/// The clause on responses whose content was not compared; `None` if all were compared.
fn unchecked(document: &Document) -> Option<Message> {
    let findings = document.findings.iter();
    let mut seen: Vec<&str> = findings
        .filter(|finding| finding.rule == UNCHECKED)
        .map(|finding| finding.evidence.as_str())
        .collect();
    seen.dedup();
    let first = message!("text", text = *seen.first()?);
    Some(match seen.len() - 1 {
        0 => first,
        more => message!("also-more-reasons", first, count = more),
    })
}

/// The clause on limits that are established although the figures are not trusted: a reader must not
/// take the doubt for one about them.
fn established(document: &Document) -> Option<Message> {
    let limits = &document.limits;
    let is_established = |limit: &Limit| limit.certainty == Certainty::Established;
    let is_doubted = document.trust != Trust::Valid;
    (is_doubted && !limits.is_empty() && limits.iter().all(is_established))
        .then(|| message!("limits-hold", count = limits.len()))
}

/// The clause on an incomplete run: `incomplete: 3 of 8 slices measured in full`; `None` for a
/// complete run.
fn incomplete(document: &Document) -> Option<Message> {
    if document.run.complete {
        return None;
    }
    let in_rounds = |s: &&SliceFigures| !s.cut_short && s.offered.is_none();
    let full = document.slices.iter().filter(in_rounds).count();
    Some(match document.run.planned_slices {
        0 => message!("incomplete-search"),
        planned => message!("incomplete", full, planned),
    })
}

/// The last three lines: trust, verdict and run directory. `word` is the trust as printed, such as
/// `VALID`.
pub(crate) fn last_three_lines(document: &Document, word: &str) -> [String; 3] {
    let trust = trust_and_why(document, word);
    let trust = match document.only_ratios() {
        None => message!("trust-line", trust),
        Some(because) => {
            let because = reasons(because);
            message!("trust-line-of-ratio", trust, because)
        }
    };
    let run = if document.run.is_imported() {
        &document.run.name
    } else {
        &document.run.directory
    };
    let verdict = message!("verdict-line", verdict = verdict(document));
    let lines = [trust, verdict, message!("run-line", run = run.as_str())];
    lines.map(|line| for_terminal(&say(document, &line)))
}

/// The trust with its explanation: the finding that determines the trust. If that is not the first
/// finding, the first finding follows as the cause of the result.
fn trust_and_why(document: &Document, word: &str) -> Message {
    // Notes are shown although they do not affect the trust.
    let noted = document.trust == Trust::Valid && !document.findings.is_empty();
    let trust = if noted {
        message!("text", text = word)
    } else {
        let meaning = trust_meaning(document.trust);
        message!("trust-and-meaning", word, meaning)
    };
    let more = [
        unchecked(document),
        incomplete(document),
        leading_finding(document),
    ];
    clauses(trust, more.into_iter().flatten())
}

/// The first finding, which is the cause of the result, but does not necessarily determine the trust:
/// then the finding that does stands before it.
fn leading_finding(document: &Document) -> Option<Message> {
    // The line already states that the run is incomplete.
    let told = |finding: &&Finding| document.run.complete || finding.rule != "incomplete";
    let first = document.findings.iter().find(told)?;
    let mut each = document.findings.iter().filter(told);
    let reason = each.find(|finding| finding.severity.leaves() == document.trust);
    let reason = reason.filter(|reason| *reason != first);
    let more = document.findings.len() - 1 - usize::from(reason.is_some());
    let more = more.saturating_sub(usize::from(!document.run.complete));
    let place = match (reason, first.severity) {
        (Some(_), _) => "cause",
        (None, Severity::Note) => "note",
        (None, Severity::Suspect | Severity::Invalid) => "reason",
    };
    Some(message!(
        "leading-finding",
        place = Value::Word(place.to_owned()),
        reason = reason.map(essence),
        first = essence(first),
        more
    ))
}

/// The rule and subject of a finding and the start of its evidence.
fn essence(finding: &Finding) -> Message {
    let places = [&finding.workload, &finding.target];
    let places: Vec<String> = places.into_iter().flatten().cloned().collect();
    let mut evidence: String = finding.evidence.chars().take(ESSENCE).collect();
    if evidence.len() < finding.evidence.len() {
        let space = evidence.rfind(' ');
        // Japanese has few spaces.
        let whole_words = space.filter(|at| evidence.len() - at < LONGEST_WORD);
        evidence.truncate(whole_words.unwrap_or(evidence.len()));
        evidence.push('…');
    }
    message!(
        "essence",
        rule = finding.rule.as_str(),
        placed = Value::Flag(!places.is_empty()),
        places = Value::Texts(places),
        evidence
    )
}

fn verdict(document: &Document) -> String {
    let mut claims = warned_once(claims(document)).into_iter();
    let first = claims.next();
    first.map_or_else(String::new, |first| say(document, &clauses(first, claims)))
}

fn claims(document: &Document) -> Vec<Message> {
    let primary = decisive(document);
    if primary.len() > WITH_FIGURES {
        let mut claims: Vec<Message> = document.optima.iter().map(optimum_claim).collect();
        claims.extend(verdict_line(document));
        claims.extend(not_precise(document));
        return claims;
    }
    let mut claims: Vec<Message> = document.optima.iter().map(optimum_claim).collect();
    claims.extend(between_workloads(document));
    let sought = !document.concurrency_sweeps.is_empty() || !document.searches.is_empty();
    if !primary.is_empty() || !claims.is_empty() {
        claims.extend(primary.into_iter().map(|each| with_figures(document, each)));
        claims.extend(compared_searches(document));
    } else if document.trust == Trust::Invalid {
        if !answers_by_expectations(document) {
            claims.push(message!("cannot-be-trusted"));
        }
    } else if sought {
        claims.extend(sentences::verdicts(document));
    } else {
        claims.extend(alone(document));
    }
    claims.extend(expectations_clause(document));
    claims.extend(not_precise(document));
    claims
}

/// The claims of one line. If several claims warn about suspect numbers, only the last one keeps
/// the warning.
fn warned_once(claims: Vec<Message>) -> Vec<Message> {
    let last = claims.iter().rposition(|claim| claim.id == SUSPECT);
    let claims = claims.into_iter().enumerate();
    let once = claims.map(|(at, claim)| match claim.args.get("sentence") {
        Some(Value::Message(inner)) if claim.id == SUSPECT && last != Some(at) => inner.clone(),
        _ => claim,
    });
    once.collect()
}

/// For a run that ended before reaching its precision, the worst precision of the primary metrics:
/// `precision ± 2 % was not reached: ± 6.1 %`.
pub(super) fn not_precise(document: &Document) -> Option<Message> {
    let asked = document.run.until?;
    if document.run.ended != Some(RunEnded::MostRounds) {
        return None;
    }
    let mut widths: Vec<Option<f64>> = document
        .questions()
        .map(|each| half_width(each.ratio))
        .collect();
    if widths.is_empty() {
        let primary = |result: &ResultOf| {
            if is_closed(document, result) {
                half_width(result.throughput)
            } else {
                half_width(result.work().next().and_then(|work| work.p50))
            }
        };
        widths = document.results.iter().map(primary).collect();
    }
    let worst = widths.into_iter().collect::<Option<Vec<f64>>>();
    let worst = worst.and_then(|all| all.into_iter().reduce(f64::max));
    let reached: Value = worst.map_or(Value::Unknown, |it| format!("± {}", within(it)).into());
    Some(message!(
        "not-precise",
        wanted = Value::Share(asked),
        reached
    ))
}

/// The larger of upper end ÷ figure and figure ÷ lower end of the interval, minus 1.
fn half_width(figure: Option<Figure>) -> Option<f64> {
    let Figure {
        value, interval, ..
    } = figure?;
    let ends = interval?;
    let width = (ends.high / value).max(value / ends.low) - 1.0;
    width.is_finite().then_some(width)
}

/// The claim of a comparison with its figures: `b is slower than a at get (throughput × 0.286,
/// 0.283–0.287)`.
fn with_figures(document: &Document, comparison: &Comparison) -> Message {
    let word = claim_word(comparison);
    let claim = claim(comparison, word, Place::of(document, comparison));
    let (Some(figure), Said::Outcome(_) | Said::OfTwin { .. }) =
        (comparison.ratio, said(comparison))
    else {
        return claim;
    };
    let ends = figure.interval.map(|ends| (ends.low, ends.high));
    let likely = comparison.outcome.likely();
    let ends = ends.or_else(|| likely.map(|likely| (likely.low, likely.high)));
    let times = times(comparison, ends);
    let more = [
        too_few_blocks(comparison),
        proven_beside(document, comparison),
    ];
    let figures = clauses(times, more.into_iter().flatten());
    message!("claim-in-brackets", claim, figures)
}

/// The change of a comparison: `throughput × 0.286, 0.283–0.287`.
fn times(comparison: &Comparison, ends: Option<(f64, f64)>) -> Message {
    message!(
        "times",
        metric = metric(comparison),
        change = known_change(comparison),
        interval = ends_of_change(comparison, ends)
    )
}

fn known_change(comparison: &Comparison) -> Value {
    let figure = comparison.ratio;
    figure.map_or(Value::Unknown, |known| Value::Change(known.value))
}

fn ends_of_change(comparison: &Comparison, ends: Option<(f64, f64)>) -> Message {
    match (comparison.ratio, ends) {
        (Some(figure), Some((low, high))) => change_ends(figure.value, low, high),
        _ => message!("interval-unknown"),
    }
}

pub(super) fn interval(ends: Option<(f64, f64)>) -> Message {
    match ends {
        Some((low, high)) => message!(
            "ratio-ends",
            low = Value::Ratio(low),
            high = Value::Ratio(high)
        ),
        None => message!("interval-unknown"),
    }
}

/// Why a ratio has no interval with the usual confidence: `10 rounds, 2 more needed for a confidence of
/// 95 %` for a likely difference, otherwise `too few rounds: 12 rounds needed, 6 measured`. `None` with
/// enough rounds.
pub(super) fn too_few_blocks(comparison: &Comparison) -> Option<Message> {
    if comparison.ratio?.interval.is_some() || comparison.twin {
        return None;
    }
    let rounds_in = |blocks: u64| blocks.saturating_mul(comparison.rounds_per_block);
    let comparisons = comparison.together.map_or(1, |all| all.comparisons);
    let measured = comparison.block_ratios.len();
    let needed = blocks_for_significance((1.0 - CONFIDENCE) / comparisons as f64)?;
    if measured >= needed {
        return None;
    }
    Some(match comparison.outcome.likely() {
        Some(likely) => message!(
            "rounds-missing",
            measured = message!("rounds", count = rounds_in(measured as u64)),
            missing = rounds_in(likely.blocks_missing),
            comparisons
        ),
        None => message!(
            "too-few-rounds",
            comparisons,
            needed = message!("rounds", count = rounds_in(needed as u64)),
            measured = rounds_in(measured as u64)
        ),
    })
}

/// The results of a run, without those of twins.
pub(super) fn measured(document: &Document) -> Vec<&ResultOf> {
    let is_twin = |result: &ResultOf| document.run.twin.as_ref() == Some(&result.target);
    let measured = document.results.iter();
    measured
        .filter(|result| result.throughput.is_some() && !is_twin(result))
        .collect()
}

/// The results of a run with a single target, in one line.
fn alone(document: &Document) -> Vec<Message> {
    let measured = measured(document);
    if measured.is_empty() {
        return vec![message!("none-measured")];
    }
    let shown = measured.iter().take(WORKLOADS);
    let mut claims: Vec<Message> = shown
        .map(|result| figures(document, result, Unit::with_spread))
        .collect();
    if let Some(more) = measured.len().checked_sub(WORKLOADS).filter(|n| *n > 0) {
        claims.push(message!("more-workloads-above", count = more));
    }
    if document.trust == Trust::Suspect
        && let Some(last) = claims.pop()
    {
        claims.push(message!("suspect-figures", figures = last));
    }
    let shown = measured.iter().take(WORKLOADS);
    let twins = shown.filter_map(|result| twin(document, result));
    let before = claims.len();
    claims.extend(twins);
    if claims.len() == before {
        claims.push(message!("one-target"));
    }
    claims
}

/// The difference between a target and its twin, two processes of the same server: `its twin at
/// get: throughput +0.2 %, −0.6 … +0.9 %, noise floor 1 %`.
pub(super) fn twin(document: &Document, result: &ResultOf) -> Option<Message> {
    let mine = |each: &&Comparison| each.twin && each.workload == result.workload;
    // The figure that decides comes first.
    let comparison = document.comparisons.iter().find(mine)?;
    let ends = comparison.ratio.and_then(|figure| figure.interval);
    let floor = comparison.noise_floor;
    Some(message!(
        "twin",
        workload = &result.workload,
        metric = metric(comparison),
        change = known_change(comparison),
        interval = ends_of_change(comparison, ends.map(|ends| (ends.low, ends.high))),
        floor = floor.map_or(Value::Unknown, Value::Share)
    ))
}

pub(super) fn is_closed(document: &Document, result: &ResultOf) -> bool {
    let mut workloads = document.workloads.iter();
    workloads.any(|w| w.name == result.workload && w.closed_loop)
}

/// The main figures of a result: throughput. In an open loop, where the schedule determines the
/// throughput, also the 99th percentile, if the workload has one operation. Names the workload if the run
/// has several.
pub(super) fn figures(
    document: &Document,
    result: &ResultOf,
    shown: fn(Unit, Option<Figure>, &Words) -> String,
) -> Message {
    let words = figure_words(document.language);
    let shown = |unit, figure| shown(unit, figure, words);
    let throughput = shown(RATE, result.throughput);
    let figures = |id: &str| {
        let (target, workload) = (&result.target, &result.workload);
        let figures = Message::new(id).with("target", target);
        figures
            .with("named", document.workloads.len() > 1)
            .with("workload", workload)
            .with("throughput", throughput)
    };
    let mut work = result.work();
    match (is_closed(document, result), work.next(), work.next()) {
        (false, Some(operation), None) => {
            figures("figures-p99").with("p99", shown(TIME, operation.p99))
        }
        _ => figures("figures"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspect_numbers_are_called_so_once() {
        let plain = |name: &str| message!("text", text = name);
        let suspect = |name: &str| message!("suspect", sentence = plain(name));
        let claims = vec![plain("a"), plain("b")];
        assert_eq!(warned_once(claims.clone()), claims);
        let claims = vec![suspect("a"), suspect("b"), plain("c")];
        let once = vec![plain("a"), suspect("b"), plain("c")];
        assert_eq!(warned_once(claims), once);
    }
}
