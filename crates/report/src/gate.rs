//! The result of a gate in words.

use tenbin_result::format::{is_factor, points, ratio};
use tenbin_result::{
    Document, Gate, GateFigure, GateOutcome, GateStanding, Language, Message, MetricName, Trust,
    Value, message,
};

use crate::escape::for_terminal;
use crate::language::{say, say_in};

/// The result as printed: `PASS`; `FAIL` for a result that counts as passed except that the comparison
/// is SUSPECT.
pub(crate) fn word(gate: &Gate) -> &'static str {
    match gate.outcome {
        _ if gate.fails_as_suspect() => "FAIL",
        GateOutcome::Pass => "PASS",
        GateOutcome::Regression => "REGRESSION",
        GateOutcome::CannotTell => "CANNOT TELL",
        GateOutcome::Invalid => "INVALID",
    }
}

/// What the result says of the candidate, with the figures that decided: `candidate is not worse than
/// base: throughput +0.4 % (−1.5 … +2.0 %, margin 5 %)`.
pub(crate) fn answer(gate: &Gate) -> Message {
    let deciding: Vec<&GateFigure> = match gate.outcome {
        GateOutcome::Pass | GateOutcome::Regression => gate.deciding().collect(),
        GateOutcome::CannotTell => gate.figures.iter().take(1).collect(),
        GateOutcome::Invalid => Vec::new(),
    };
    answer_of(gate, &deciding)
}

/// What the result says of the candidate, with these figures.
fn answer_of(gate: &Gate, figures: &[&GateFigure]) -> Message {
    let of_outcome = match gate.outcome {
        GateOutcome::Pass => "pass",
        GateOutcome::Regression => "regression",
        GateOutcome::CannotTell => "cannot-tell",
        GateOutcome::Invalid => "invalid",
    };
    let several = gate
        .figures
        .iter()
        .any(|it| it.workload != gate.figures[0].workload);
    let figures: Vec<Message> = figures.iter().map(|it| figure(it, several)).collect();
    message!(
        "gate-answer",
        outcome = Value::Word(of_outcome.to_owned()),
        base = gate.base.as_str(),
        candidate = gate.candidate.as_str(),
        known = Value::Flag(!figures.is_empty()),
        figures,
        suspect = Value::Flag(gate.fails_as_suspect())
    )
}

/// A figure with its change and interval: `throughput +0.4 % (−1.5 … +2.0 %, margin 5 %)`.
fn figure(figure: &GateFigure, with_workload: bool) -> Message {
    let metric = match &figure.metric {
        MetricName::Known(metric) => metric.message(),
        MetricName::Other(name) => message!("text", text = name.as_str()),
    };
    message!(
        "gate-figure",
        metric,
        named = Value::Flag(with_workload),
        workload = figure.workload.as_str(),
        change = figure.ratio.map_or(Value::Unknown, Value::Change),
        interval = interval(figure),
        margin = Value::Share(figure.margin)
    )
}

/// Both ends of the interval, in the form of the change, or the only end that is known.
fn interval(figure: &GateFigure) -> Message {
    let (low, high) = match (figure.low, figure.high) {
        (Some(low), Some(high)) => (low, high),
        (low, high) => return one_end(low, high, Value::Change),
    };
    let is_factor = figure.ratio.is_none_or(is_factor);
    let id = if is_factor {
        "ratio-ends"
    } else {
        "change-ends"
    };
    let end: fn(f64) -> String = if is_factor { ratio } else { points };
    Message::new(id)
        .with("low", end(low))
        .with("high", end(high))
}

/// The end of an interval that is known, if the other one is not: `at least −6.3 %`.
pub(crate) fn one_end(low: Option<f64>, high: Option<f64>, value: fn(f64) -> Value) -> Message {
    match (low, high) {
        (Some(low), _) => message!("gate-at-least", end = value(low)),
        (None, Some(high)) => message!("gate-at-most", end = value(high)),
        (None, None) => message!("gate-no-end"),
    }
}

/// The result in English and on one line, for annotations and test reports: `REGRESSION: candidate is
/// worse than base: throughput −10 % (−13 … −7.0 %, margin 5 %)`.
pub(crate) fn headline(gate: &Gate) -> String {
    line(gate, &answer(gate))
}

/// What is proven of one figure, as [`headline`] says it of the gate.
pub(crate) fn headline_of_figure(gate: &Gate, figure: &GateFigure) -> String {
    let outcome = match (gate.outcome, figure.standing) {
        (GateOutcome::Invalid, _) => GateOutcome::Invalid,
        (GateOutcome::Regression, _) if figure.decides => GateOutcome::Regression,
        (_, GateStanding::NotWorse) => GateOutcome::Pass,
        _ => GateOutcome::CannotTell,
    };
    let own = Gate {
        outcome,
        // A separate test case says that the comparison is SUSPECT.
        fails_suspect: false,
        ..gate.clone()
    };
    headline_of(&own, &[figure])
}

/// The title of a page that stands alone: the experiment, and with a gate what is compared, by the
/// versions (the git revisions) of candidate and base if they differ, otherwise by their names.
pub(crate) fn title(document: &Document) -> String {
    let name = document.run.name.as_str();
    let Some(gate) = &document.gate else {
        return name.to_owned();
    };
    let version = |target: &str| document.environment.targets.get(target)?.version.as_deref();
    let versions = version(&gate.candidate).zip(version(&gate.base));
    let (candidate, base) = versions
        .filter(|(candidate, base)| candidate != base)
        .unwrap_or((gate.candidate.as_str(), gate.base.as_str()));
    say(document, &message!("gate-title", name, candidate, base))
}

/// Like [`headline`], with these figures in place of those that decided.
pub(crate) fn headline_of(gate: &Gate, figures: &[&GateFigure]) -> String {
    line(gate, &answer_of(gate, figures))
}

fn line(gate: &Gate, answer: &Message) -> String {
    let said = say_in(Language::English, answer);
    let counts = if gate.outcome == GateOutcome::CannotTell && gate.passes() {
        "; counts as passed (--cannot-tell pass)"
    } else {
        ""
    };
    format!("{}: {said}{counts}", word(gate))
}

/// The result of the gate of a run as a workflow command of GitHub Actions, which shows it as an
/// annotation: an error if the gate fails, a warning if it could not tell and passes, otherwise a notice.
/// A SUSPECT run with `--strict` fails. `None` for a run without a gate.
pub fn annotation(document: &Document) -> Option<String> {
    let gate = document.gate.as_ref()?;
    let title = format!("tenbin gate: {}", document.run.name);
    let is_doubtful = gate.passes() && is_suspect_and_strict(document);
    let (command, doubt) = if is_doubtful {
        ("error", "; but the run is SUSPECT (--strict)")
    } else {
        (level(gate), "")
    };
    let said = format!("{}{doubt}", headline(gate));
    Some(format!(
        "::{command} title={}::{}\n",
        in_command(&title).replace(':', "%3A").replace(',', "%2C"),
        in_command(&said)
    ))
}

/// Why a run fails only because it is SUSPECT and `--strict` is given; `None` if it does not, or if its
/// gate already says that it fails because the comparison is SUSPECT.
pub(crate) fn fails_strictly(document: &Document) -> Option<String> {
    let is_told = document.gate.as_ref().is_some_and(Gate::fails_as_suspect);
    if is_told || !is_suspect_and_strict(document) {
        return None;
    }
    let worst = document.findings.iter().max_by_key(|it| it.severity);
    let why = worst.map_or("see the findings", |finding| finding.evidence.as_str());
    Some(format!("SUSPECT: the run is in doubt (--strict): {why}"))
}

fn is_suspect_and_strict(document: &Document) -> bool {
    document.run.is_strict && document.trust == Trust::Suspect
}

/// The kind of the annotation.
fn level(gate: &Gate) -> &'static str {
    match gate.outcome {
        _ if !gate.passes() => "error",
        GateOutcome::CannotTell => "warning",
        _ => "notice",
    }
}

/// Escapes the text of a workflow command.
fn in_command(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D");
    for_terminal(&text.replace('\n', "%0A"))
}

#[cfg(test)]
pub(crate) mod tests {
    use tenbin_result::GateRole;

    use super::*;

    /// A gate whose comparison is SUSPECT, with `--suspect fail`.
    pub(crate) fn suspect(outcome: GateOutcome) -> Gate {
        Gate {
            outcome,
            base: "base".to_owned(),
            candidate: "candidate".to_owned(),
            trust: Trust::Suspect,
            confidence: 0.95,
            tests: 1,
            rounds: 12,
            most_rounds: 80,
            seconds: 12.0,
            budget_seconds: 600.0,
            passes_untold: false,
            fails_suspect: true,
            figures: Vec::new(),
        }
    }

    #[test]
    fn a_gate_that_fails_because_it_is_suspect_says_so() {
        let mut gate = suspect(GateOutcome::Pass);
        assert_eq!((word(&gate), level(&gate)), ("FAIL", "error"));
        assert_eq!(
            headline(&gate),
            "FAIL: candidate is not worse than base; but the comparison is SUSPECT, so that the gate fails \
             (--suspect fail, exit code 9)"
        );
        let japanese = say_in(Language::Japanese, &answer(&gate));
        assert!(japanese.contains("終了コード 9"), "{japanese}");
        gate.fails_suspect = false;
        assert_eq!((word(&gate), level(&gate)), ("PASS", "notice"));
        assert_eq!(headline(&gate), "PASS: candidate is not worse than base");
    }

    /// A figure that a gate tests, with a ratio of 0.9.
    pub(crate) fn figure_of(name: &str, standing: GateStanding, decides: bool) -> GateFigure {
        GateFigure {
            workload: "http".to_owned(),
            metric: MetricName::Other(name.to_owned()),
            higher_is_better: true,
            role: GateRole::Required,
            margin: 0.05,
            ratio: Some(0.9),
            low: Some(0.87),
            high: Some(0.93),
            blocks: 12,
            evidence_not_worse: 1.0,
            evidence_worse: 1.0,
            adjusted_p: 1.0,
            standing,
            decides,
        }
    }

    #[test]
    fn an_interval_with_one_end_has_no_infinity() {
        let said = |low: Option<f64>, high: Option<f64>| {
            let figure = GateFigure {
                low,
                high,
                ..figure_of("throughput", GateStanding::CannotTell, false)
            };
            say_in(Language::English, &interval(&figure))
        };
        assert_eq!(said(Some(0.937), None), "at least −6.3 %");
        assert_eq!(said(None, Some(1.02)), "at most +2.0 %");
        assert_eq!(said(None, None), "no limit is known yet");
        assert_eq!(said(Some(0.937), Some(1.02)), "−6.3 … +2.0 %");
    }

    #[test]
    fn the_title_names_the_versions_that_are_compared() {
        let mut document = Document {
            gate: Some(suspect(GateOutcome::Pass)),
            ..Document::default()
        };
        document.run.name = "tenbin".to_owned();
        assert_eq!(title(&document), "tenbin: candidate against base");
        for (target, version) in [("base", "main (1a2b)"), ("candidate", "HEAD (3c4d)")] {
            let known = document.environment.targets.entry(target.to_owned());
            known.or_default().version = Some(version.to_owned());
        }
        assert_eq!(title(&document), "tenbin: HEAD (3c4d) against main (1a2b)");
        document.gate = None;
        assert_eq!(title(&document), "tenbin");
    }

    #[test]
    fn what_cannot_be_told_fails_unless_it_counts_as_passed() {
        let mut gate = suspect(GateOutcome::CannotTell);
        assert_eq!((word(&gate), level(&gate)), ("CANNOT TELL", "error"));
        gate.passes_untold = true;
        assert_eq!((word(&gate), level(&gate)), ("FAIL", "error"));
        gate.trust = Trust::Valid;
        assert_eq!((word(&gate), level(&gate)), ("CANNOT TELL", "warning"));
        assert_eq!(
            headline(&gate),
            "CANNOT TELL: it is not known whether candidate is worse than base; counts as passed \
             (--cannot-tell pass)"
        );
    }

    #[test]
    fn an_annotation_agrees_with_the_exit_code_of_strict() {
        let mut gate = suspect(GateOutcome::Pass);
        gate.fails_suspect = false;
        let mut document = Document {
            trust: Trust::Suspect,
            gate: Some(gate),
            ..Document::default()
        };
        let usual = annotation(&document).unwrap_or_default();
        assert!(usual.starts_with("::notice title="), "{usual}");
        document.run.is_strict = true;
        let strict = annotation(&document).unwrap_or_default();
        assert!(strict.starts_with("::error title="), "{strict}");
        assert!(strict.ends_with("SUSPECT (--strict)\n"), "{strict}");
        let valid = Document {
            trust: Trust::Valid,
            ..document
        };
        assert_eq!(annotation(&valid), Some(usual));
    }

    #[test]
    fn a_run_fails_strictly_if_it_is_suspect_and_no_gate_says_so() {
        let mut document = Document {
            trust: Trust::Suspect,
            ..Document::default()
        };
        assert_eq!(fails_strictly(&document), None);
        document.run.is_strict = true;
        let said = fails_strictly(&document).unwrap_or_default();
        assert!(said.starts_with("SUSPECT: the run is in doubt"), "{said}");
        document.gate = Some(suspect(GateOutcome::Pass));
        assert_eq!(fails_strictly(&document), None);
        document.gate = None;
        document.trust = Trust::Valid;
        assert_eq!(fails_strictly(&document), None);
    }

    #[test]
    fn no_text_leaves_its_workflow_command() {
        assert_eq!(in_command("5 %\r\n::error::x"), "5 %25%0D%0A::error::x");
    }
}
