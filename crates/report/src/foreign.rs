//! The end of every report in another tool's output format.

use std::fmt::Write as _;

use tenbin_result::{Document, Finding};

use crate::escape::for_terminal;
use crate::section::last_three_lines;

/// The findings, then the last three lines: trust, verdict and run directory.
pub fn last_lines(document: &Document) -> String {
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
        let _ = writeln!(
            text,
            "* {}{}: {}",
            for_terminal(&findings[0].rule),
            at(document, &findings),
            for_terminal(&findings[0].evidence)
        );
    }
    text + &bottom(document)
}

/// The names of the workloads and targets that the findings concern, for example the modes of
/// blobstore-bench. Omits names if the run has only one workload or target.
fn at(document: &Document, findings: &[&Finding]) -> String {
    let workloads = findings.iter().filter_map(|one| one.workload.as_deref());
    let targets = findings.iter().filter_map(|one| one.target.as_deref());
    let workloads = several(document.workloads.len(), workloads);
    let targets = several(document.targets.len(), targets);
    let names = [(" at ", workloads), (" on ", targets)];
    let named = names.iter().filter(|(_, names)| !names.is_empty());
    named
        .map(|(word, names)| format!("{word}{}", for_terminal(&names.join(", "))))
        .collect()
}

/// Each name once; empty if the document has only one workload or target (`of` is 1).
fn several<'a>(of: usize, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut once: Vec<&str> = Vec::new();
    for name in names.filter(|_| of > 1) {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

/// The last three lines (trust, verdict and run directory), as below Tenbin's own report.
pub(crate) fn bottom(document: &Document) -> String {
    let lines = last_three_lines(document, document.trust.word());
    lines.map(|line| line + "\n").concat()
}
