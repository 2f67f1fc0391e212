//! The end of every report in another tool's output format.

use tenbin_result::{Document, Finding, Message, Value, message};

use crate::escape::for_terminal;
use crate::language::{self, say};
use crate::section::{last_three_lines, limit_lines};

/// The findings and the limits, then the last three lines: trust, verdict and run directory.
pub fn last_lines(document: &Document) -> String {
    let document = &language::for_reader(document);
    let mut text = String::new();
    let mut alike: Vec<Vec<&Finding>> = Vec::new();
    for finding in &document.findings {
        let is_alike =
            |one: &[&Finding]| one[0].rule == finding.rule && one[0].evidence == finding.evidence;
        match alike.iter_mut().find(|one| is_alike(one)) {
            Some(one) => one.push(finding),
            None => alike.push(vec![finding]),
        }
    }
    for findings in alike {
        let line = say(document, &line(document, &findings));
        text.push_str(&for_terminal(&line));
        text.push('\n');
    }
    for line in limit_lines(document) {
        text.push_str(&for_terminal(&line.letters()));
        text.push('\n');
    }
    text + &bottom(document)
}

/// Findings with the same evidence, with the names of the workloads and targets that they concern, for
/// example the modes of blobstore-bench. Omits names if the run has only one workload or target.
fn line(document: &Document, findings: &[&Finding]) -> Message {
    let workloads = findings.iter().filter_map(|one| one.workload.as_deref());
    let targets = findings.iter().filter_map(|one| one.target.as_deref());
    let workloads = several(document.workloads.len(), workloads);
    let targets = several(document.targets.len(), targets);
    let places = match (workloads.is_empty(), targets.is_empty()) {
        (true, true) => "none",
        (false, true) => "workloads",
        (true, false) => "targets",
        (false, false) => "both",
    };
    message!(
        "finding-line",
        rule = findings[0].rule.as_str(),
        places = Value::Word(places.to_owned()),
        workloads = Value::Texts(workloads),
        targets = Value::Texts(targets),
        evidence = findings[0].evidence.as_str()
    )
}

/// Each name once; empty if the document has only one workload or target (`of` is 1).
fn several<'a>(of: usize, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in names.filter(|_| of > 1) {
        if !once.iter().any(|each| each == name) {
            once.push(name.to_owned());
        }
    }
    once
}

/// The last three lines (trust, verdict and run directory), as below Tenbin's own report.
pub(crate) fn bottom(document: &Document) -> String {
    let lines = last_three_lines(document, document.trust.word());
    lines.map(|line| line + "\n").concat()
}
