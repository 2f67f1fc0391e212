//! Why the figures of a run cannot be trusted, in one clause.

use tenbin_result::{Document, Finding, Language, Message, Severity, Trust, message};

use crate::language::say_in;

/// The evidence of the first finding that determines the trust, in English.
pub(crate) fn why(document: &Document) -> String {
    worst(document).map_or_else(
        || say_in(Language::English, &without_finding()),
        |finding| format!("{}: {}", finding.rule, finding.evidence),
    )
}

/// The reason if no finding determines the trust.
pub(crate) fn without_finding() -> Message {
    message!("see-findings")
}

/// The first finding that determines the trust.
pub(crate) fn worst(document: &Document) -> Option<&Finding> {
    let severity = match document.trust {
        Trust::Valid => Severity::Note,
        Trust::Suspect => Severity::Suspect,
        Trust::Invalid => Severity::Invalid,
    };
    let mut findings = document.findings.iter();
    findings.find(|finding| finding.severity == severity)
}

/// Why a run with one target is SUSPECT on a machine on which a ratio would be VALID; `None` for another
/// run.
pub(crate) fn of_one_target(document: &Document) -> Option<Message> {
    let because = &document.absolute.as_ref()?.because;
    let is_one = document.targets.len() == 1 && document.trust == Trust::Suspect;
    (is_one && !because.is_empty())
        .then(|| message!("trust-one-target", because = reasons(because)))
}

/// Why absolute figures are in doubt: the first reason, and how many more there are.
pub(crate) fn reasons(because: &[String]) -> Message {
    let first = because.first().map_or("", String::as_str);
    let first = message!("text", text = first);
    match because.len().saturating_sub(1) {
        0 => first,
        more => message!("more-reasons", first, count = more),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_result::{AbsoluteTrust, Target};

    use super::*;

    #[test]
    fn one_target_on_a_busy_machine_says_that_there_is_no_ratio() {
        let mut document = Document {
            trust: Trust::Suspect,
            targets: vec![Target::default()],
            absolute: Some(AbsoluteTrust {
                trust: Trust::Suspect,
                because: vec!["only 5 % was idle".to_owned()],
                data: Vec::new(),
            }),
            ..Document::default()
        };
        let said = of_one_target(&document).map(|it| say_in(Language::English, &it));
        assert_eq!(
            said.as_deref(),
            Some(
                "one target: there is no ratio, and absolute figures are in doubt: only 5 % was idle"
            )
        );
        document.trust = Trust::Valid;
        assert_eq!(of_one_target(&document), None);
        document.trust = Trust::Suspect;
        document.targets.push(Target::default());
        assert_eq!(of_one_target(&document), None);
    }
}
