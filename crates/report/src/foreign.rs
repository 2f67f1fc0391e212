//! What every report in another tool's words ends with.

use std::fmt::Write as _;

use crate::document::Document;
use crate::escape::for_terminal;
use crate::terminal::{verdict_line, why};
use crate::words::trust;

/// What was found, the verdict, and where the run is.
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
    let _ = writeln!(
        text,
        "Verdict: {}, {}; {}",
        trust(document.trust),
        for_terminal(&why(document)),
        for_terminal(&verdict_line(document))
    );
    let _ = writeln!(text, "Run: {}", for_terminal(&document.run.directory));
    text
}
