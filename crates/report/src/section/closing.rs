//! The end of the first screen: how far the numbers can be trusted, and how to see more. Also the
//! last three lines of reports in other tools' formats.

use tenbin_result::format::{RATE, TIME, UNKNOWN, percent, plural, ratio, ratio_interval, within};
use tenbin_result::{
    Comparison, Document, Figure, Finding, ResultOf, RunEnded, SUSPECT, Severity, SliceFigures,
    Trust,
};
use tenbin_stats::{CONFIDENCE, blocks_for_significance};

use super::claims::{claim, decisive, place, proven_beside, verdict_line, verdict_word};
use crate::asked::{expectations_clause, optimum_claim};
use crate::block::{Block, Look, Text};
use crate::escape::for_terminal;
use crate::words::trust_meaning;

/// Maximum number of comparisons written in one line with figures; with more, only verdicts are
/// written.
const WITH_FIGURES: usize = 4;

/// Maximum number of workloads of a single target written in one line.
const WORKLOADS: usize = 3;

/// The rule on responses whose content was not compared.
const UNCHECKED: &str = "unchecked_content";

/// Maximum number of characters of a finding's evidence within a line.
const ESSENCE: usize = 140;

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
        let text = Text::plain(format!("{}: ", plural(notes as u64, "note"))).and(
            Look::Code,
            format!("tenbin show {directory} --section findings"),
        );
        blocks.push(Block::Paragraph(text));
    }
    if document.run.is_imported() {
        return blocks;
    }
    let run = Text::plain("Run ")
        .and(Look::Plain, directory.clone())
        .and(Look::Faint, "   more: ")
        .and(Look::Code, format!("tenbin show {directory} -v"));
    blocks.push(Block::Paragraph(run));
    blocks
}

/// The meaning of the trust level for this run.
pub(crate) fn trusted(document: &Document) -> String {
    let about = match document.only_ratios() {
        None => trust_meaning(document.trust).to_owned(),
        Some(because) => match document.trust {
            Trust::Valid => format!("trust the ratio, not the absolute figures: {because}"),
            Trust::Suspect | Trust::Invalid => format!(
                "the ratio may mislead (see the findings), and so may the absolute figures: \
                 {because}"
            ),
        },
    };
    format!("{about}{}{}", unchecked(document), incomplete(document))
}

/// Text on responses whose content was not compared: `; content not checked: …`. Empty if all were
/// compared.
fn unchecked(document: &Document) -> String {
    let findings = document.findings.iter();
    let mut seen: Vec<&str> = findings
        .filter(|finding| finding.rule == UNCHECKED)
        .map(|finding| finding.evidence.as_str())
        .collect();
    seen.dedup();
    match seen.as_slice() {
        [] => String::new(),
        [only] => format!("; {only}"),
        [first, more @ ..] => format!("; {first}; {} more reasons", more.len()),
    }
}

/// Text for an incomplete run: `; incomplete: 3 of 8 slices measured in full`. Empty for a complete
/// run.
fn incomplete(document: &Document) -> String {
    if document.run.complete {
        return String::new();
    }
    let in_rounds = |s: &&SliceFigures| !s.cut_short && s.offered.is_none();
    let full = document.slices.iter().filter(in_rounds);
    match document.run.planned_slices {
        0 => "; incomplete: the search did not end".to_owned(),
        planned => format!(
            "; incomplete: {} of {} measured in full",
            full.count(),
            plural(planned, "slice")
        ),
    }
}

/// The last three lines: trust, verdict and run directory. `word` is the trust as printed, such as
/// `VALID`.
pub(crate) fn last_three_lines(document: &Document, word: &str) -> [String; 3] {
    [
        match document.only_ratios() {
            None => format!("Trust    {word}{}", for_terminal(&why(document))),
            Some(because) => format!(
                "Trust    ratio: {word}{}; absolute figures: SUSPECT because {}",
                for_terminal(&why(document)),
                for_terminal(&because)
            ),
        },
        format!("Verdict  {}", for_terminal(&verdict(document))),
        if document.run.is_imported() {
            format!("Run      {}", for_terminal(&document.run.name))
        } else {
            format!("Run      {}", for_terminal(&document.run.directory))
        },
    ]
}

/// The explanation of the trust: the finding that determines the trust. If that is not the first
/// finding, the first finding follows as the cause of the result.
fn why(document: &Document) -> String {
    // Notes are shown although they do not affect the trust.
    let noted = document.trust == Trust::Valid && !document.findings.is_empty();
    let mut text = if noted {
        String::new()
    } else {
        format!(", {}", trust_meaning(document.trust))
    };
    text += &unchecked(document);
    text += &incomplete(document);
    // The line already states that the run is incomplete.
    let mut others = document.findings.iter();
    let told = |finding: &&Finding| document.run.complete || finding.rule != "incomplete";
    if let Some(first) = others.find(told) {
        // The first finding is the cause of the result, but does not necessarily determine the
        // trust.
        let mut each = document.findings.iter().filter(told);
        let reason = each.find(|finding| finding.severity.leaves() == document.trust);
        let reason = reason.filter(|reason| *reason != first);
        if let Some(reason) = reason {
            text += &format!(
                "; {}; cause of the result: {}",
                essence(reason),
                essence(first)
            );
        } else {
            let mild = match first.severity {
                Severity::Note => "note: ",
                Severity::Suspect | Severity::Invalid => "",
            };
            text += &format!("; {mild}{}", essence(first));
        }
        let more = document.findings.len() - 1 - usize::from(reason.is_some());
        let more = more.saturating_sub(usize::from(!document.run.complete));
        if more > 0 {
            text += &format!(" (and {})", plural(more as u64, "more finding"));
        }
    }
    text
}

/// The rule and subject of a finding and the start of its evidence.
fn essence(finding: &Finding) -> String {
    let mut about = finding.rule.clone();
    let places = [&finding.workload, &finding.target];
    let places: Vec<&str> = places.into_iter().flatten().map(String::as_str).collect();
    if !places.is_empty() {
        about += &format!(" at {}", places.join(", "));
    }
    let mut seen: String = finding.evidence.chars().take(ESSENCE).collect();
    if seen.len() < finding.evidence.len() {
        let whole_words = seen.rfind(' ').unwrap_or(seen.len());
        seen.truncate(whole_words);
        seen.push('…');
    }
    format!("{about}: {seen}")
}

fn verdict(document: &Document) -> String {
    let primary = decisive(document);
    let mut claims: Vec<String> = document.optima.iter().map(optimum_claim).collect();
    if primary.len() > WITH_FIGURES {
        claims = vec![verdict_line(document)];
        claims.extend(not_precise(document));
        return claims.join("; ");
    }
    claims.extend(document.between_workloads().cloned());
    let sought = !document.capacities.is_empty() || !document.searches.is_empty();
    if primary.is_empty() && claims.is_empty() {
        claims.push(if sought {
            beyond_belief(document).unwrap_or_else(|| warned_once(&document.verdicts))
        } else {
            alone(document)
        });
    } else {
        claims.extend(primary.into_iter().map(|each| with_figures(document, each)));
        let at_most = document.capacity_comparisons.iter().map(|c| &c.sentence);
        let highest = document.rate_comparisons.iter().map(|c| &c.sentence);
        claims.extend(at_most.chain(highest).cloned());
    }
    claims.extend(expectations_clause(document));
    claims.extend(not_precise(document));
    warned_once(&claims)
}

/// The claims in one line. If several claims warn about suspect numbers, only the last one keeps
/// the warning.
pub(super) fn warned_once(claims: &[String]) -> String {
    let last = claims.iter().rposition(|claim| claim.ends_with(SUSPECT));
    let said = claims.iter().enumerate().map(|(at, claim)| match last {
        Some(last) if at < last => claim.strip_suffix(SUSPECT).unwrap_or(claim),
        _ => claim,
    });
    said.collect::<Vec<_>>().join("; ")
}

/// Text for a run that ended before reaching its precision, with the worst precision of the
/// primary metrics: `precision ± 2 % was not reached: ± 6.1 %`.
pub(super) fn not_precise(document: &Document) -> Option<String> {
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
    let got = worst.map_or_else(|| UNKNOWN.to_owned(), |it| format!("± {}", within(it)));
    Some(format!(
        "precision ± {} was not reached: {got}",
        percent(asked)
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
fn with_figures(document: &Document, comparison: &Comparison) -> String {
    let text = format!("{} {}", claim(comparison), place(document, comparison));
    match comparison.ratio {
        Some(figure) if verdict_word(comparison) != "no verdict" => {
            let interval = match (figure.interval, comparison.outcome.likely()) {
                (Some(_), _) => ratio_interval(comparison.ratio),
                (None, Some(likely)) => format!("{}–{}", ratio(likely.low), ratio(likely.high)),
                (None, None) => "interval unknown".to_owned(),
            };
            let mut figures = format!(
                "{} × {}, {interval}",
                comparison.metric_phrase,
                ratio(figure.value)
            );
            if let Some(few) = too_few_blocks(comparison) {
                figures += &format!("; {few}");
            }
            if let Some(proven) = proven_beside(document, comparison) {
                figures += &format!("; {proven}");
            }
            format!("{text} ({figures})")
        }
        _ => text,
    }
}

/// Why a ratio has no interval with the usual confidence: `5 quads, 1 more for a confidence of 95 %`
/// for a likely difference, otherwise `too few rounds: 6 quads needed, 3 measured`. `None` with
/// enough blocks.
pub(super) fn too_few_blocks(comparison: &Comparison) -> Option<String> {
    if comparison.ratio?.interval.is_some() || comparison.twin {
        return None;
    }
    let word = match comparison.rounds_per_block {
        2 => "quad",
        _ => "block",
    };
    let all = comparison.together.map_or(1, |all| all.comparisons);
    let measured = comparison.block_ratios.len();
    let needed = blocks_for_significance((1.0 - CONFIDENCE) / all as f64)?;
    if measured >= needed {
        return None;
    }
    let for_all = match all {
        1 => String::new(),
        all => format!(" for {}", plural(all, "comparison")),
    };
    Some(match comparison.outcome.likely() {
        Some(likely) => format!(
            "{}, {} more needed for a confidence of 95 %{for_all}",
            plural(measured, word),
            likely.blocks_missing
        ),
        None => format!(
            "too few rounds{for_all}: {} needed, {measured} measured",
            plural(needed, word)
        ),
    })
}

/// Text that replaces the figures if they cannot be trusted.
pub(super) fn beyond_belief(document: &Document) -> Option<String> {
    let is_so = document.trust == Trust::Invalid;
    is_so.then(|| "none: the figures of this run cannot be trusted".to_owned())
}

/// The results of a run with a single target, in one line.
fn alone(document: &Document) -> String {
    if let Some(nothing) = beyond_belief(document) {
        return nothing;
    }
    let measured = document.results.iter();
    let is_twin = |result: &ResultOf| document.run.twin.as_ref() == Some(&result.target);
    let measured: Vec<&ResultOf> = measured
        .filter(|result| result.throughput.is_some() && !is_twin(result))
        .collect();
    if measured.is_empty() {
        return "none: nothing was measured".to_owned();
    }
    let shown = measured.iter().take(WORKLOADS);
    let mut text = shown
        .map(|result| figures(document, result))
        .collect::<Vec<_>>()
        .join("; ");
    if let Some(more) = measured.len().checked_sub(WORKLOADS).filter(|n| *n > 0) {
        text += &format!("; {} above", plural(more as u64, "more workload"));
    }
    let doubt = match document.trust {
        Trust::Suspect => " (suspect)",
        Trust::Valid | Trust::Invalid => "",
    };
    let twins = measured
        .iter()
        .take(WORKLOADS)
        .filter_map(|result| twin(document, result));
    let beside = match twins.collect::<Vec<_>>() {
        none if none.is_empty() => "one target, nothing to compare".to_owned(),
        twins => twins.join("; "),
    };
    format!("{text}{doubt}; {beside}")
}

/// The difference between a target and its twin, two processes of the same server: `its twin at
/// get: throughput × 1.002, 0.994–1.009, noise floor 1 %`.
pub(super) fn twin(document: &Document, result: &ResultOf) -> Option<String> {
    let mine = |each: &&Comparison| each.twin && each.workload == result.workload;
    // The figure that decides comes first.
    let comparison = document.comparisons.iter().find(mine)?;
    let interval = match comparison.ratio.and_then(|figure| figure.interval) {
        Some(_) => ratio_interval(comparison.ratio),
        None => "interval unknown".to_owned(),
    };
    let value = comparison.ratio.map(|figure| ratio(figure.value));
    Some(format!(
        "its twin at {}: {} × {}, {interval}, noise floor {}",
        result.workload,
        comparison.metric_phrase,
        value.unwrap_or_else(|| UNKNOWN.to_owned()),
        comparison
            .noise_floor
            .map_or_else(|| UNKNOWN.to_owned(), percent)
    ))
}

pub(super) fn is_closed(document: &Document, result: &ResultOf) -> bool {
    let mut workloads = document.workloads.iter();
    workloads.any(|w| w.name == result.workload && w.closed_loop)
}

/// The main figures of a result: throughput. In an open loop, where the schedule determines the
/// throughput, also the 99th percentile, if the workload has one operation.
fn figures(document: &Document, result: &ResultOf) -> String {
    let closed = is_closed(document, result);
    let mut text = format!(
        "{} at {}: {}",
        result.target,
        result.workload,
        RATE.with_spread(result.throughput)
    );
    let mut work = result.work();
    if let (false, Some(operation), None) = (closed, work.next(), work.next()) {
        text += &format!(", p99 {}", TIME.with_spread(operation.p99));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspect_numbers_are_called_so_once() {
        let claims = ["a sustains 10/s", "b sustains 20/s"].map(str::to_owned);
        assert_eq!(warned_once(&claims), "a sustains 10/s; b sustains 20/s");
        let both = claims.map(|claim| claim + SUSPECT);
        assert_eq!(
            warned_once(&both),
            format!("a sustains 10/s; b sustains 20/s{SUSPECT}")
        );
    }
}
