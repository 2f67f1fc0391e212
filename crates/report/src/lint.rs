//! The findings about result files of other tools, as text and as JSON.

use std::fmt::Write as _;

use serde::Serialize;
use tenbin_plan::{Sentence, sentence};
use tenbin_result::Severity;
use tenbin_result::format::plural;
use tenbin_verdict::lint::{LINT_RULES, LintFinding, Reported};

use crate::escape::{for_json, for_terminal};

/// The findings as text for a terminal, each with the lines of the file that support the finding.
/// `say` prints a sentence in the language of the reader.
pub fn lint_text(
    files: &[Reported],
    findings: &[LintFinding],
    say: &dyn Fn(&Sentence) -> String,
) -> String {
    let mut text = String::new();
    for file in files {
        let measurements = file.measurements.len();
        let head = sentence!(
            "lint-file",
            "{file}: {tool}, {measurements}",
            file = for_terminal(&file.file()),
            tool = file.tool,
            measurements = plural(measurements, "measurement")
        );
        let _ = writeln!(text, "{}", say(&head.with("measurements", measurements)));
        for caveat in &file.caveats {
            let _ = writeln!(text, "  {}", for_terminal(caveat));
        }
    }
    for finding in findings {
        let _ = writeln!(text, "\n{}", say(&head(finding, say)));
        for FileLine {
            file,
            line,
            text: quoted,
        } in lines(finding)
        {
            let place = line.map_or_else(String::new, |line| format!(":{line}"));
            let _ = writeln!(
                text,
                "  {}{place}: {}",
                for_terminal(file),
                for_terminal(quoted)
            );
        }
        let _ = writeln!(text, "  -> {}", for_terminal(&say(&finding.advice)));
    }
    let _ = writeln!(text, "\n{}", say(&end(findings)));
    text
}

/// The first line of a finding.
fn head(finding: &LintFinding, say: &dyn Fn(&Sentence) -> String) -> Sentence {
    let operation = finding.operation.as_deref().map(for_terminal);
    let at = operation
        .as_ref()
        .map_or_else(String::new, |name| format!(" at {name}"));
    let head = sentence!(
        "lint-finding",
        "{severity} {rule}{at}: {evidence}",
        severity = finding.severity.word(),
        rule = finding.rule,
        at,
        evidence = for_terminal(&say(&finding.evidence))
    );
    let name = operation.map_or_else(String::new, |name| format!("({name})"));
    head.with("at", name)
}

/// The last line: how much was found.
fn end(findings: &[LintFinding]) -> Sentence {
    let invalid = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Invalid);
    let unusable = invalid.count();
    match findings.len() {
        0 => {
            let rules = LINT_RULES.len();
            let nothing = sentence!(
                "lint-nothing",
                "nothing found by {rules}; a rule needs figures that a file may lack (docs/lint.md)",
                rules = plural(rules, "rule")
            );
            nothing.with("rules", rules)
        }
        found => {
            let end = sentence!(
                "lint-found",
                "{findings}, {invalid} of which make figures unusable",
                findings = plural(found, "finding"),
                invalid = unusable
            );
            end.with("findings", found)
        }
    }
}

/// The findings as JSON.
pub fn lint_json(files: &[Reported], findings: &[LintFinding]) -> String {
    let part = Part {
        files: files
            .iter()
            .map(|file| FilePart {
                file: file.file(),
                tool: file.tool,
                measurements: file.measurements.len(),
                caveats: &file.caveats,
            })
            .collect(),
        findings: findings
            .iter()
            .map(|finding| FindingPart {
                rule: finding.rule,
                severity: finding.severity,
                operation: finding.operation.as_deref(),
                evidence: finding.evidence.text(),
                advice: finding.advice.text(),
                lines: lines(finding).collect(),
            })
            .collect(),
    };
    let text = serde_json::to_string_pretty(&part).expect("plain data becomes JSON");
    for_json(text) + "\n"
}

fn lines(finding: &LintFinding) -> impl Iterator<Item = FileLine<'_>> {
    finding.quotes.iter().map(|quote| FileLine {
        file: &quote.file,
        line: quote.quote.line,
        text: &quote.quote.text,
    })
}

#[derive(Serialize)]
struct Part<'a> {
    files: Vec<FilePart<'a>>,
    findings: Vec<FindingPart<'a>>,
}

#[derive(Serialize)]
struct FilePart<'a> {
    file: String,
    tool: &'static str,
    measurements: usize,
    /// What the file does not say, and what was removed from it before it was read.
    caveats: &'a [String],
}

#[derive(Serialize)]
struct FindingPart<'a> {
    rule: &'a str,
    severity: Severity,
    operation: Option<&'a str>,
    evidence: &'a str,
    advice: &'a str,
    lines: Vec<FileLine<'a>>,
}

/// A quoted line of a file; `line` is null for a member of a JSON document.
#[derive(Serialize)]
struct FileLine<'a> {
    file: &'a str,
    line: Option<u64>,
    text: &'a str,
}
