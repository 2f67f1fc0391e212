//! The sentence of a plain answer, as messages.

use tenbin_result::{
    Comparison, Decider, Known, Message, Metric, PlainFigure, Undecided, Value, message,
};

use crate::compare::sentence::named_metric;
use crate::findings::messages::clauses;

const MINUTE: f64 = 60.0;

/// What is known of `figures`, which are those of the comparisons `compared` in another order.
pub(super) fn sentence(
    asked: &Comparison,
    compared: &[&Comparison],
    figures: &[PlainFigure],
    is_suspect: bool,
) -> Message {
    let name = |figure: &PlainFigure| {
        let mut compared = compared.iter();
        let found = compared.find(|comparison| comparison.metric == figure.metric);
        let phrase = found.map_or("", |comparison| comparison.metric_phrase.as_str());
        named_metric(&figure.metric, phrase)
    };
    let differing: Vec<Message> = figures
        .iter()
        .filter(|figure| figure.known == Known::Differs)
        .map(|figure| is_times(asked, figure, name(figure)))
        .collect();
    let chance = message!("plain-not-chance", count = differing.len());
    let chance = (!differing.is_empty()).then_some(chance);
    let others = figures.iter().filter_map(|figure| match &figure.known {
        Known::Differs => None,
        Known::Same { within } => Some(message!(
            "plain-same",
            challenger = &asked.challenger,
            baseline = &asked.baseline,
            metric = name(figure),
            within = Value::Share(*within)
        )),
        Known::Undecided { because } => Some(message!(
            "plain-undecided",
            metric = name(figure),
            because = reason(because)
        )),
    });
    let sentence = clauses(differing.into_iter().chain(chance).chain(others));
    if is_suspect {
        message!("suspect", sentence)
    } else {
        sentence
    }
}

/// `b needs 1.24 times the CPU time of a per operation`.
fn is_times(asked: &Comparison, figure: &PlainFigure, metric: Message) -> Message {
    let kind = if figure.metric == Metric::ServerCpu {
        "cpu"
    } else {
        "other"
    };
    message!(
        "plain-times",
        kind = Value::word(kind),
        challenger = &asked.challenger,
        baseline = &asked.baseline,
        metric,
        ratio = figure.ratio.map_or(Value::Unknown, Value::Ratio)
    )
}

fn reason(because: &Undecided) -> Message {
    match because {
        Undecided::Untrusted => message!("because-untrusted"),
        Undecided::NotMeasured => message!("because-not-measured"),
        Undecided::FewRounds { rounds, agree } => message!(
            "because-few-rounds",
            rounds = Value::Count(*rounds),
            agree = *agree
        ),
        Undecided::OtherPrograms { share } => {
            message!("because-other-programs", share = Value::Share(*share))
        }
        Undecided::Chance {
            varying: Some(varying),
            ..
        } => message!(
            "because-varying",
            target = &varying.target,
            low = Value::Rate(varying.low),
            high = Value::Rate(varying.high)
        ),
        Undecided::Chance {
            low,
            high,
            varying: None,
        } => message!(
            "because-chance",
            low = Value::Ratio(*low),
            high = Value::Ratio(*high)
        ),
        Undecided::Noise { floor } => message!("because-noise", floor = Value::Share(*floor)),
        Undecided::OneStart { up_to } => {
            message!("because-one-start", noise = Value::Share(*up_to))
        }
        Undecided::NotSustained => message!("because-not-sustained"),
    }
}

/// What would decide it; `None` if nothing would.
pub(super) fn advice(deciders: &[Decider]) -> Option<Message> {
    let either = |first, second| message!("plain-or", first, second);
    let any = deciders.iter().map(decider).reduce(either)?;
    Some(message!("plain-would-decide", deciders = any))
}

fn decider(decider: &Decider) -> Message {
    match decider {
        Decider::Rounds { rounds, seconds } => {
            let minutes = seconds.map(|seconds| (seconds / MINUTE).round());
            message!(
                "decider-rounds",
                rounds = Value::Plain(*rounds),
                timed = minutes.is_some(),
                minutes = Value::Count(minutes.unwrap_or(0.0) as u64)
            )
        }
        Decider::DecideCpu => message!("decider-cpu"),
        Decider::IdleMachine => message!("decider-idle-machine"),
        Decider::Launch => message!("decider-launch"),
        Decider::RestartAndRepeat => message!("decider-restart"),
    }
}
