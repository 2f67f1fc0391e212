//! The findings about result files of other tools, as text and as JSON.

use std::fmt::Write as _;

use serde::Serialize;
use tenbin_result::Severity;
use tenbin_result::format::plural;
use tenbin_verdict::lint::{LINT_RULES, LintFinding, Reported};

use crate::escape::{for_json, for_terminal};

/// The findings as text for a terminal, each with the lines of the file that support the finding.
pub fn lint_text(files: &[Reported], findings: &[LintFinding]) -> String {
    let mut text = String::new();
    for file in files {
        let _ = writeln!(
            text,
            "{}: {}, {}",
            for_terminal(&file.file()),
            file.tool,
            plural(file.measurements.len(), "measurement")
        );
        for caveat in &file.caveats {
            let _ = writeln!(text, "  {}", for_terminal(caveat));
        }
    }
    for finding in findings {
        let at = finding
            .operation
            .as_deref()
            .map_or_else(String::new, |name| format!(" at {}", for_terminal(name)));
        let _ = writeln!(
            text,
            "\n{} {}{at}: {}",
            finding.severity.word(),
            finding.rule,
            for_terminal(&finding.evidence)
        );
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
        let _ = writeln!(text, "  -> {}", for_terminal(&finding.advice));
    }
    let _ = match findings.len() {
        0 => writeln!(
            text,
            "\nnothing found by {}; a rule needs figures that a file may lack (docs/lint.md)",
            plural(LINT_RULES.len(), "rule")
        ),
        found => {
            let invalid = findings
                .iter()
                .filter(|finding| finding.severity == Severity::Invalid);
            writeln!(
                text,
                "\n{}, {} of which make figures unusable",
                plural(found, "finding"),
                invalid.count()
            )
        }
    };
    text
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
                evidence: &finding.evidence,
                advice: &finding.advice,
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
