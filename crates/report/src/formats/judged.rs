//! The trust of a run in files that Tenbin writes in the formats of other tools. A reader of such a
//! file cannot judge what the run's rules judged, such as the load generator's machine, and must
//! not contradict them.
//!
//! The mark is one text, `tenbin trust: SUSPECT: reason`. Each format has it where its readers
//! ignore it: in a comment, a last line, a further column or a further member.

use tenbin_result::{Document, Trust};
use tenbin_verdict::lint::{Judged, Quote, Reported};

use super::readable::readable;
use crate::trust_reason::why;

/// Start of the mark.
const MARK: &str = "tenbin trust: ";

/// Name of the column with the mark, in formats that are tables.
pub(super) const COLUMN: &str = "tenbin trust";

/// Longest reason, characters.
const MOST: usize = 400;

/// The mark of a run. Contains no character that ends a cell, a comment or a string of a format.
pub(super) fn mark(document: &Document) -> String {
    let word = document.trust.word();
    let reason = match document.trust {
        Trust::Valid => String::new(),
        Trust::Suspect | Trust::Invalid => format!(": {}", why(document)),
    };
    let harmless = reason.chars().take(MOST).map(|c| match c {
        ',' => ';',
        '"' => '\'',
        '[' => '(',
        ']' => ')',
        '\\' => '/',
        control if control.is_control() => '?',
        other => other,
    });
    format!("{MARK}{word}{}", harmless.collect::<String>())
}

/// The trust in one line of a file, if the line has the mark.
pub(super) fn in_line(line: &str, number: u64) -> Option<Judged> {
    let (_, rest) = line.split_once(MARK)?;
    let rest = rest.split([',', '"', '[', ']', '\\']).next()?.trim_end();
    let known = [Trust::Valid, Trust::Suspect, Trust::Invalid];
    let (trust, rest) = known
        .into_iter()
        .find_map(|trust| Some((trust, rest.strip_prefix(trust.word())?)))?;
    let why = rest.strip_prefix(": ").unwrap_or_default();
    Some(Judged {
        trust,
        why: why.chars().take(MOST).collect(),
        quote: Quote {
            line: Some(number),
            text: format!("{MARK}{}{rest}", trust.word()),
        },
    })
}

/// The trust in a file that Tenbin wrote; `None` for files of other tools, and for files that
/// earlier versions wrote.
pub(super) fn of_file(content: &[u8]) -> Option<Judged> {
    let lines = readable(content).lines().zip(1..);
    lines
        .filter_map(|(line, number)| in_line(line, number))
        .next()
}

/// The figures of a file with the trust in it.
pub(super) fn judged(reported: Reported, content: &[u8]) -> Reported {
    Reported {
        judged: of_file(content),
        ..reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_wherever_a_format_has_it() {
        let mark = "tenbin trust: SUSPECT: others_busy: 12 % of the cores";
        for line in [
            mark.to_owned(),
            format!("# {mark}"),
            format!("#[{mark}]"),
            format!("0,TOTAL,3.00,{mark}"),
            format!("{{\"TenbinTrust\":\"{mark}\",\"Mode\":\"PUT\"}}"),
        ] {
            let found = in_line(&line, 7).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(found.trust, Trust::Suspect);
            assert_eq!(found.why, "others_busy: 12 % of the cores", "{line}");
            assert_eq!(found.quote.line, Some(7));
        }
        let valid = in_line("# tenbin trust: VALID", 1).expect("a mark");
        assert_eq!((valid.trust, valid.why.as_str()), (Trust::Valid, ""));
        for other in ["tenbin trust: PERFECT", "trust: VALID", ""] {
            assert_eq!(in_line(other, 1), None, "{other}");
        }
    }
}
