//! The result of a gate: the answer, the figure that decided, and a table of all tested figures.

mod chart;

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_result::format::{UNKNOWN, ratio};
use tenbin_result::{
    Document, Gate, GateFigure, GateOutcome, GateRole, GateStanding, Message, MetricName, RunEnded,
    Value, message,
};

use crate::block::{Block, Cell, Look, Table, Text};
use crate::gate::{answer, one_end, word};
use crate::language::{say, say_text, styled};

/// Rounds of a block: a gate compares two targets.
const ROUNDS_PER_BLOCK: u64 = 2;

/// Rounds without which no pass is possible: five blocks.
const FEWEST_ROUNDS: u64 = 5 * ROUNDS_PER_BLOCK;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    with_chart(document, Vec::new())
}

/// The blocks on a page without files, with the chart in characters below the table.
pub(super) fn alone(document: &Document) -> Vec<Block> {
    with_chart(document, chart::blocks(document))
}

fn with_chart(document: &Document, chart: Vec<Block>) -> Vec<Block> {
    let Some(gate) = &document.gate else {
        return Vec::new();
    };
    let result = styled(word(gate));
    let headline = message!("gate-headline", result, answer = answer(gate));
    let mut blocks = vec![Block::Paragraph(say_text(document, &headline, look(gate)))];
    blocks.extend(why(document, gate).map(|message| Block::sentence(&say(document, &message))));
    blocks.extend(table(document, gate).block());
    blocks.extend(chart);
    blocks.push(Block::Paragraph(
        Text::default().and(Look::Faint, say(document, &method(gate))),
    ));
    blocks
}

fn look(gate: &Gate) -> Look {
    match gate.outcome {
        _ if gate.fails_as_suspect() => Look::Bad,
        GateOutcome::Pass => Look::Good,
        GateOutcome::Regression | GateOutcome::Invalid => Look::Bad,
        GateOutcome::CannotTell => Look::Doubtful,
    }
}

/// Why a gate could not tell or decided by another figure.
fn why(document: &Document, gate: &Gate) -> Option<Message> {
    match gate.outcome {
        GateOutcome::Pass | GateOutcome::Regression if gate.fell_back() => {
            Some(message!("gate-fell-back"))
        }
        GateOutcome::Pass | GateOutcome::Regression => None,
        GateOutcome::Invalid => {
            let worst = document.findings.iter().max_by_key(|it| it.severity);
            worst.map(|finding| {
                let text = finding.evidence.as_str();
                message!(
                    "gate-invalid",
                    rule = finding.rule.as_str(),
                    evidence = text
                )
            })
        }
        GateOutcome::CannotTell => {
            let spent = match document.run.ended {
                Some(RunEnded::Budget) => "budget",
                Some(RunEnded::MostRounds) => "rounds",
                _ => "other",
            };
            Some(message!(
                "gate-cannot-tell",
                spent = Value::Word(spent.to_owned()),
                rounds = gate.rounds,
                seconds = Value::Seconds(gate.seconds),
                longer = longer_budget(gate),
                passes = Value::Flag(gate.passes())
            ))
        }
    }
}

/// A budget that allows twice the measured rounds, and at least the rounds without which no pass is
/// possible: `1m4s`.
fn longer_budget(gate: &Gate) -> String {
    let rounds = u64::from(gate.rounds).max(1);
    let wanted = (2 * rounds).max(FEWEST_ROUNDS);
    let seconds = gate.seconds.max(gate.budget_seconds) * wanted as f64 / rounds as f64;
    Time(Duration::from_secs(seconds.ceil() as u64)).to_string()
}

/// The error rates of the decision, in one sentence.
fn method(gate: &Gate) -> Message {
    message!(
        "gate-method",
        rounds = message!("rounds", count = gate.rounds),
        most = gate.most_rounds,
        tests = gate.tests
    )
}

fn table(document: &Document, gate: &Gate) -> Table {
    let mut table = Table::new(
        2,
        [
            "workload", "figure", "candidate ÷ base", "interval", "margin", "proven", "rounds",
        ],
    );
    for figure in &gate.figures {
        let name = say(document, &metric(figure));
        let name = if figure.decides {
            let decides = message!("decides", metric = styled(&name));
            say_text(document, &decides, Look::Strong)
        } else {
            Text::plain(name)
        };
        table.push([
            figure.workload.as_str().into(),
            Cell::Text(name),
            figure
                .ratio
                .map_or_else(|| UNKNOWN.to_owned(), ratio)
                .into(),
            interval(document, figure).into(),
            say(
                document,
                &message!("gate-margin", margin = Value::Share(figure.margin)),
            )
            .into(),
            Cell::Text(proven(figure)),
            (ROUNDS_PER_BLOCK * figure.blocks).to_string().into(),
        ]);
    }
    table
}

/// The name of the figure as a message.
fn metric(figure: &GateFigure) -> Message {
    match &figure.metric {
        MetricName::Known(metric) => metric.message(),
        MetricName::Other(name) => message!("text", text = name.as_str()),
    }
}

/// The interval of the ratio: `0.985–1.020`; `at least 0.985` if no evidence sets the other end.
fn interval(document: &Document, figure: &GateFigure) -> String {
    match (figure.low, figure.high) {
        (None, None) => UNKNOWN.to_owned(),
        (Some(low), Some(high)) => format!("{}–{}", ratio(low), ratio(high)),
        (low, high) => say(document, &one_end(low, high, Value::Ratio)),
    }
}

fn proven(figure: &GateFigure) -> Text {
    let (look, word) = match (figure.standing, figure.role) {
        (GateStanding::NotWorse, _) => (Look::Good, "not worse"),
        (GateStanding::Worse, GateRole::Required) => (Look::Bad, "worse"),
        (GateStanding::Worse, GateRole::Fallback) => (Look::Doubtful, "worse"),
        (GateStanding::CannotTell, _) => (Look::Doubtful, "cannot tell"),
        (GateStanding::Unknown, _) => (Look::Doubtful, "unknown"),
    };
    Text::default().and(look, word)
}
