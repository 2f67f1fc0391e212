//! The section on findings.

use tenbin_result::{Document, Finding, Severity, message};
use tenbin_verdict::{explains_figures, is_told_by_limit};

use crate::block::{Block, Cell, Look, Table, Text};
use crate::language::{say, say_text, styled};

/// Most notes on the first screen.
const MOST_NOTES: usize = 3;

/// The findings of the first screen, in the order of the report: those that affect the trust, and the
/// first notes that explain the figures. What explains the figures comes before what doubts them.
fn first_screen(document: &Document) -> impl Iterator<Item = &Finding> {
    let is_note = |finding: &Finding| finding.severity == Severity::Note;
    let notes = document.findings.iter().filter(move |it| is_note(it));
    let notes = notes.filter(|it| explains_figures(it));
    let notes = notes.filter(|it| !is_told_by_limit(it, &document.limits));
    let notes = notes.take(MOST_NOTES);
    let notes: Vec<&Finding> = notes.collect();
    let is_shown = move |finding: &Finding| {
        !is_note(finding) || notes.iter().any(|note| std::ptr::eq(*note, finding))
    };
    document.findings.iter().filter(move |it| is_shown(it))
}

/// The findings of the first screen: one item per rule, with the evidence and advice of the first
/// finding of the rule.
pub(super) fn in_short(document: &Document) -> Vec<Block> {
    let mut alike: Vec<Vec<&Finding>> = Vec::new();
    for finding in first_screen(document) {
        let mut known = alike.iter_mut();
        let is_alike = |known: &&mut Vec<&Finding>| {
            (&known[0].rule, known[0].severity) == (&finding.rule, finding.severity)
        };
        match known.find(is_alike) {
            Some(known) => known.push(finding),
            None => alike.push(vec![finding]),
        }
    }
    let each = alike.iter().map(|alike| {
        let first = alike[0];
        let line = message!(
            "finding",
            about = about(first),
            evidence = &first.evidence,
            more = alike.len() - 1,
            advice = &first.advice
        );
        word(first.severity).and(Look::Plain, format!("  {}", say(document, &line)))
    });
    let all: Vec<Text> = each.collect();
    if all.is_empty() {
        Vec::new()
    } else {
        vec![Block::List(all)]
    }
}

/// The section with all findings.
pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        1,
        [
            "severity", "rule", "about", "attributed to", "evidence", "advice",
        ],
    );
    for finding in &document.findings {
        let about: Vec<&str> = [&finding.workload, &finding.target]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        table.push([
            Cell::Text(word(finding.severity)),
            Cell::code(&finding.rule),
            if about.is_empty() {
                "the run".into()
            } else {
                about.join(", ").into()
            },
            finding.cause.to_string().into(),
            finding.evidence.clone().into(),
            finding.advice.clone().into(),
        ]);
    }
    let Some(first) = document.findings.first() else {
        return Vec::new();
    };
    let command = styled(&format!("tenbin explain {}", first.rule));
    let more = say_text(document, &message!("explanation", command), Look::Code);
    table
        .block()
        .into_iter()
        .chain([Block::Paragraph(more)])
        .collect()
}

/// The rule and the subject of a finding.
fn about(finding: &Finding) -> String {
    let mut parts = vec![finding.rule.clone()];
    parts.extend(finding.workload.clone());
    parts.extend(finding.target.clone());
    parts.join(", ")
}

fn word(severity: Severity) -> Text {
    let look = match severity {
        Severity::Note => Look::Faint,
        Severity::Suspect => Look::Doubtful,
        Severity::Invalid => Look::Bad,
    };
    Text::default().and(look, severity.word())
}
