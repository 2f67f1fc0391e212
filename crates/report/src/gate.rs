//! The result of a gate in words.

use tenbin_result::format::ratio;
use tenbin_result::{
    Document, Gate, GateFigure, GateOutcome, Language, Message, MetricName, Value, message,
};

use crate::escape::for_terminal;
use crate::language::say_in;

/// The result as printed: `PASS`.
pub(crate) fn word(outcome: GateOutcome) -> &'static str {
    match outcome {
        GateOutcome::Pass => "PASS",
        GateOutcome::Regression => "REGRESSION",
        GateOutcome::CannotTell => "CANNOT TELL",
        GateOutcome::Invalid => "INVALID",
    }
}

/// What the result says of the candidate, with the figures that decided: `candidate is not worse than
/// base: throughput 1.004 (0.985–1.020)`.
pub(crate) fn answer(gate: &Gate) -> Message {
    let of_outcome = match gate.outcome {
        GateOutcome::Pass => "pass",
        GateOutcome::Regression => "regression",
        GateOutcome::CannotTell => "cannot-tell",
        GateOutcome::Invalid => "invalid",
    };
    let deciding: Vec<&GateFigure> = match gate.outcome {
        GateOutcome::Pass | GateOutcome::Regression => gate.deciding().collect(),
        GateOutcome::CannotTell => gate.figures.iter().take(1).collect(),
        GateOutcome::Invalid => Vec::new(),
    };
    let several = gate
        .figures
        .iter()
        .any(|it| it.workload != gate.figures[0].workload);
    let figures: Vec<Message> = deciding.iter().map(|it| figure(it, several)).collect();
    message!(
        "gate-answer",
        outcome = Value::Word(of_outcome.to_owned()),
        base = gate.base.as_str(),
        candidate = gate.candidate.as_str(),
        known = Value::Flag(!figures.is_empty()),
        figures = figures
    )
}

/// A figure with its ratio and interval: `throughput 1.004 (0.985–1.020, margin 5 %)`.
fn figure(figure: &GateFigure, with_workload: bool) -> Message {
    let metric = match &figure.metric {
        MetricName::Known(metric) => metric.message(),
        MetricName::Other(name) => message!("text", text = name.as_str()),
    };
    let end = |end: Option<f64>, open: &str| end.map_or_else(|| open.to_owned(), ratio);
    message!(
        "gate-figure",
        metric = metric,
        named = Value::Flag(with_workload),
        workload = figure.workload.as_str(),
        ratio = figure.ratio.map_or(Value::Unknown, Value::Ratio),
        low = end(figure.low, "0"),
        high = end(figure.high, "∞"),
        margin = Value::Share(figure.margin)
    )
}

/// The result in English and on one line, for annotations and test reports: `REGRESSION: candidate is
/// worse than base: throughput 0.900 (0.870–0.930, margin 5 %)`.
pub(crate) fn headline(gate: &Gate) -> String {
    let said = say_in(Language::English, &answer(gate));
    format!("{}: {said}", word(gate.outcome))
}

/// The result of the gate of a run as a workflow command of GitHub Actions, which shows it as an
/// annotation: an error for a regression, a warning if the gate could not tell, otherwise a notice.
/// `None` for a run without a gate.
pub fn annotation(document: &Document) -> Option<String> {
    let gate = document.gate.as_ref()?;
    let command = match gate.outcome {
        GateOutcome::Regression | GateOutcome::Invalid => "error",
        GateOutcome::CannotTell => "warning",
        GateOutcome::Pass => "notice",
    };
    let title = format!("tenbin gate: {}", document.run.name);
    Some(format!(
        "::{command} title={}::{}\n",
        in_command(&title).replace(':', "%3A").replace(',', "%2C"),
        in_command(&headline(gate))
    ))
}

/// Escapes the text of a workflow command.
fn in_command(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D");
    for_terminal(&text.replace('\n', "%0A"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_workflow_command() {
        assert_eq!(in_command("5 %\r\n::error::x"), "5 %25%0D%0A::error::x");
    }
}
