//! What every report in another tool's words ends with.

use std::fmt::Write as _;

use crate::document::Document;
use crate::escape::for_terminal;
use crate::terminal::last_three_lines;
use crate::words::trust;

/// What was found, then the last three lines.
pub(crate) fn last_lines(document: &Document) -> String {
    let mut text = String::new();
    for finding in &document.findings {
        let _ = writeln!(
            text,
            "* {}: {}",
            for_terminal(&finding.rule),
            for_terminal(&finding.evidence)
        );
    }
    text + &bottom(document)
}

/// The same three lines as below Tenbin's own report.
pub(crate) fn bottom(document: &Document) -> String {
    let lines = last_three_lines(document, trust(document.trust));
    lines.map(|line| line + "\n").concat()
}
