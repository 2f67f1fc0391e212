//! Writes JUnit XML: one test case per condition of `--expect` and `--fail-if`, and per figure of a
//! gate.

use std::fmt::Write as _;

use tenbin_result::{
    Document, Expectation, Gate, GateFigure, GateOutcome, GateStanding, Language, Trust,
};
use tenbin_verdict::{conditions, is_decided_all_the_same};

use crate::expectations::{figure, standing};
use crate::formats::format::Format;
use crate::formats::plan_requirements::NO_CONDITION;
use crate::formats::write::Writer;
use crate::gate::{fails_strictly, headline, headline_of_figure};
use crate::language::say_in;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "junit",
    about: "JUnit XML: a test case for each --expect, --fail-if and figure of a gate",
    file: "expectations.junit.xml",
    write: Some(Writer::Document {
        lacks: |document| {
            let is_missing = document.expectations.is_empty() && document.gate.is_none();
            is_missing.then_some(NO_CONDITION)
        },
        write: |document, to| to.write_all(text(document).as_bytes()),
    }),
    ..Format::PLAIN
};

fn text(document: &Document) -> String {
    let all = &document.expectations;
    let gate = document.gate.as_ref();
    let mut of_gate = gate.map_or_else(Vec::new, cases_of_gate);
    of_gate.extend(strict_case(document));
    let count = |element: &str| {
        of_gate
            .iter()
            .filter(|case| case.element == element)
            .count()
    };
    let failures = all.iter().filter(|each| each.is_violated()).count() + count("failure");
    let invalid = document.trust == Trust::Invalid && !is_decided_all_the_same(document);
    let undecided = all.iter().filter(|each| each.is_undecided()).count();
    let errors = undecided + count("error") + usize::from(invalid);
    let tests = all.len() + of_gate.len() + usize::from(invalid);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tenbin\" {counts}>\n  \
         <testsuite name=\"{}\" timestamp=\"{}\" {counts}>\n",
        attribute(&document.run.id),
        attribute(document.run.started.trim_end_matches('Z'))
    );
    if invalid {
        let findings = document.findings.iter();
        let worst = findings.max_by_key(|finding| finding.severity);
        let why = worst.map_or("see the findings", |finding| finding.evidence.as_str());
        let _ = writeln!(
            text,
            "    <testcase name=\"the figures can be trusted\" classname=\"trust\">\n      <error \
             type=\"INVALID\" message=\"{}\"/>\n    </testcase>",
            attribute(why)
        );
    }
    for expectation in all {
        text += &case(expectation);
    }
    for case in &of_gate {
        text += &case.xml();
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn case(expectation: &Expectation) -> String {
    let demanded = conditions::demanded_of_target(expectation);
    let name = say_in(Language::English, &demanded);
    let said = match &expectation.why {
        Some(why) => format!("{}; {why}", figure(expectation, Language::English)),
        None => figure(expectation, Language::English),
    };
    let element = match (expectation.is_violated(), expectation.is_undecided()) {
        (true, _) => "failure",
        (false, true) => "error",
        (false, false) => "system-out",
    };
    let case = Case {
        name,
        workload: expectation.workload.clone(),
        element,
        kind: standing(expectation),
        said,
    };
    case.xml()
}

/// A test case.
struct Case {
    name: String,
    workload: String,
    /// `failure`, `error` or `system-out`.
    element: &'static str,
    /// The result in a word.
    kind: &'static str,
    said: String,
}

impl Case {
    fn xml(&self) -> String {
        let body = match self.element {
            "system-out" => format!("<system-out>{}</system-out>", content(&self.said)),
            element => format!(
                "<{element} type=\"{}\" message=\"{}\"/>",
                attribute(self.kind),
                attribute(&self.said)
            ),
        };
        format!(
            "    <testcase name=\"{}\" classname=\"{}\">\n      {body}\n    </testcase>\n",
            attribute(&self.name),
            attribute(&self.workload)
        )
    }
}

/// One test case for each figure of a gate, and one if it fails because the comparison is SUSPECT.
fn cases_of_gate(gate: &Gate) -> Vec<Case> {
    let of_figure = |figure: &GateFigure| {
        let is_worse = figure.decides && gate.outcome == GateOutcome::Regression;
        let is_unknown = gate.outcome == GateOutcome::CannotTell
            && !gate.passes_untold
            && figure.standing != GateStanding::NotWorse;
        let (element, kind) = match (is_worse, is_unknown) {
            (true, _) => ("failure", "worse"),
            (false, true) => ("error", "cannot tell"),
            (false, false) => ("system-out", ""),
        };
        Case {
            name: format!(
                "{} of {} is not worse than {} by more than {}",
                figure.metric,
                gate.candidate,
                gate.base,
                tenbin_plan::percent(figure.margin)
            ),
            workload: figure.workload.clone(),
            element,
            kind,
            said: headline_of_figure(gate, figure),
        }
    };
    let trusted = gate.fails_as_suspect().then(|| Case {
        name: "the comparison is not SUSPECT".to_owned(),
        workload: "trust".to_owned(),
        element: "failure",
        kind: "SUSPECT",
        said: headline(gate),
    });
    let mut cases: Vec<Case> = gate.figures.iter().map(of_figure).chain(trusted).collect();
    let fails_untold = gate.outcome == GateOutcome::CannotTell && !gate.passes_untold;
    if fails_untold && !cases.iter().any(|case| case.element == "error") {
        cases.push(Case {
            name: "the gate is decided".to_owned(),
            workload: "trust".to_owned(),
            element: "error",
            kind: "cannot tell",
            said: headline(gate),
        });
    }
    cases
}

/// The test case of a run that fails because it is SUSPECT, with `--strict`.
fn strict_case(document: &Document) -> Option<Case> {
    let said = fails_strictly(document)?;
    Some(Case {
        name: "the run is not SUSPECT".to_owned(),
        workload: "trust".to_owned(),
        element: "failure",
        kind: "SUSPECT",
        said,
    })
}

/// Escapes text between tags.
fn content(text: &str) -> String {
    escaped(text, false)
}

/// Escapes an attribute value in double quotes.
fn attribute(text: &str) -> String {
    escaped(text, true)
}

/// Escapes text for XML. XML allows no control characters except tabs and line ends, so the others
/// become spaces.
fn escaped(text: &str, in_quotes: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' if in_quotes => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::tests::{figure_of, suspect};

    #[test]
    fn each_case_says_what_is_proven_of_its_figure() {
        let mut gate = suspect(GateOutcome::Regression);
        gate.figures = vec![
            figure_of("rate", GateStanding::Worse, true),
            figure_of("cost", GateStanding::NotWorse, false),
            figure_of("wait", GateStanding::CannotTell, false),
        ];
        let said: Vec<String> = cases_of_gate(&gate)
            .into_iter()
            .map(|case| case.said)
            .collect();
        let begins = [
            "REGRESSION: candidate is worse than base: rate −10 %",
            "PASS: candidate is not worse than base: cost −10 %",
            "CANNOT TELL: it is not known whether candidate is worse than base: wait −10 %",
        ];
        for (said, begin) in said.iter().zip(begins) {
            assert!(said.starts_with(begin), "{said}");
        }
        assert_eq!(said.len(), begins.len());
    }

    #[test]
    fn a_gate_that_fails_because_it_is_suspect_has_a_failure() {
        let cases = |outcome| cases_of_gate(&suspect(outcome));
        let failed = cases(GateOutcome::Pass);
        assert_eq!(failed.len(), 1);
        assert_eq!((failed[0].element, failed[0].kind), ("failure", "SUSPECT"));
        assert!(failed[0].said.contains("exit code 9"), "{}", failed[0].said);
        assert!(cases(GateOutcome::Regression).is_empty());
    }

    #[test]
    fn a_suspect_run_has_a_failure_with_strict() {
        let mut document = Document {
            trust: Trust::Suspect,
            ..Document::default()
        };
        assert!(text(&document).contains("tests=\"0\" failures=\"0\""));
        document.run.is_strict = true;
        let strict = text(&document);
        assert!(strict.contains("tests=\"1\" failures=\"1\""), "{strict}");
        assert!(strict.contains("<failure type=\"SUSPECT\""), "{strict}");
    }

    #[test]
    fn no_name_leaves_its_attribute() {
        assert_eq!(
            attribute("<a b=\"&\">\u{1b}[31m\n"),
            "&lt;a b=&quot;&amp;&quot;&gt;\u{fffd}[31m "
        );
        assert_eq!(content("\"x\""), "\"x\"");
    }
}
