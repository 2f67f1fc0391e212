//! Sentences about the conditions of `--expect` and `--fail-if`: the same in every output.

use tenbin_result::{Expectation, ExpectedUnit, Message, Standing, Value, message};

use crate::findings::messages::clauses;

/// The signs of relations with their words in messages; a sign before its own beginning.
const RELATIONS: [(&str, &str); 4] = [
    ("<=", "at-most"),
    (">=", "at-least"),
    ("<", "below"),
    (">", "above"),
];

/// The end of a bound that is a multiple of the baseline's figure.
const TIMES_BASELINE: &str = "x baseline";

/// What the figure must be: `p99 must be below 20 ms`.
pub fn demanded(expectation: &Expectation) -> Message {
    about("condition-demanded", expectation)
}

/// [`demanded`] with the target: `p99 of b must be below 20 ms`.
pub fn demanded_of_target(expectation: &Expectation) -> Message {
    about("condition-demanded-of-target", expectation)
}

/// The figure of a violated condition, and what the figure must be: `p99 of b is 31.9 ms at get and must
/// be below 20 ms`.
pub fn violated(expectation: &Expectation) -> Message {
    about("condition-violated", expectation)
}

/// What could not be decided: `p99 of b is below 20 ms at get`.
fn undecided(expectation: &Expectation) -> Message {
    about("condition-undecided", expectation)
}

/// The violated conditions of `--expect`; `None` if none is violated.
pub fn not_met(all: &[Expectation]) -> Option<Message> {
    let broken = all.iter().filter(|it| it.is_violated() && !it.fails_if);
    let conditions = listed(broken.map(violated))?;
    Some(message!("expectations-violated", conditions))
}

/// The conditions of `--fail-if` that are proven true; `None` if none is.
pub fn failed(all: &[Expectation]) -> Option<Message> {
    let broken = all.iter().filter(|it| it.is_violated() && it.fails_if);
    let conditions = listed(broken.map(violated))?;
    Some(message!("fail-if-violated", conditions))
}

/// The conditions of `--expect` that could not be decided, with the reason; `None` if all were
/// decided.
pub fn cannot_tell(all: &[Expectation]) -> Option<Message> {
    let open: Vec<&Expectation> = all.iter().filter(|it| it.is_undecided()).collect();
    let first = open.first()?.why.as_deref();
    let is_shared = open.iter().all(|it| it.why.as_deref() == first);
    if is_shared {
        let conditions = listed(open.iter().map(|it| undecided(it)))?;
        let why = reason(open[0]);
        return Some(message!("expectations-undecided", conditions, why));
    }
    let each = open.iter().map(|it| {
        let condition = undecided(it);
        message!("condition-undecided-because", condition, why = reason(it))
    });
    let conditions = listed(each)?;
    let why: Option<Message> = None;
    Some(message!("expectations-undecided", conditions, why))
}

/// Conditions of `--fail-if` of which none is proven true, and at least one is not proven false.
pub(super) fn not_proven(all: &[Expectation]) -> Option<Message> {
    let is_open = |it: &&Expectation| it.fails_if && it.standing == Standing::CannotTell;
    let open = all.iter().filter(is_open);
    let conditions = listed(open.map(undecided))?;
    Some(message!("fail-if-undecided", conditions))
}

fn listed(messages: impl Iterator<Item = Message>) -> Option<Message> {
    let mut messages = messages.peekable();
    messages.peek()?;
    Some(clauses(messages))
}

/// Why a condition could not be decided, after a colon; `None` if the document does not say.
fn reason(expectation: &Expectation) -> Option<Message> {
    let why = expectation.why.as_deref()?;
    let why = Message::or_text(expectation.data.as_ref(), why);
    Some(message!("condition-because", why))
}

/// The message `id` about a condition. A condition that this version cannot read is printed as
/// written.
fn about(id: &str, expectation: &Expectation) -> Message {
    let Some(parts) = Parts::of(&expectation.condition) else {
        let Expectation {
            condition,
            target,
            workload,
            ..
        } = expectation;
        return message!(
            "text",
            text = format!("{condition} by {target} at {workload}")
        );
    };
    Message::new(id)
        .with("figure", figure(parts.figure))
        .with("target", &expectation.target)
        .with("workload", &expectation.workload)
        .with("fails", expectation.fails_if)
        .with("relation", Value::word(parts.relation))
        .with("bound", value(expectation, parts.bound.into()))
        .with("seen", value(expectation, seen(expectation)))
}

/// The parts of a condition such as `p99<20ms`.
struct Parts<'e> {
    figure: &'e str,
    relation: &'static str,
    bound: String,
}

impl<'e> Parts<'e> {
    fn of(condition: &'e str) -> Option<Self> {
        let (figure, rest) = condition.split_at(condition.find(['<', '>'])?);
        let mut relations = RELATIONS.iter();
        let (relation, bound) =
            relations.find_map(|(sign, word)| Some((*word, rest.strip_prefix(*sign)?)))?;
        let times = bound.strip_suffix(TIMES_BASELINE);
        Some(Self {
            figure,
            relation,
            bound: times.map_or_else(|| spaced(bound), str::to_owned),
        })
    }
}

/// A number with a space before its unit, as figures are printed: `20 ms`.
fn spaced(bound: &str) -> String {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let unit = bound.trim_start_matches(is_of_number);
    let number = &bound[..bound.len() - unit.len()];
    let begins = |c: char| c.is_ascii_alphabetic() || c == '%';
    // `1m30s` has two units.
    let is_plain = unit.starts_with(begins) && !unit.contains(|c: char| c.is_ascii_digit());
    match unit {
        "us" => format!("{number} µs"),
        _ if is_plain => format!("{number} {unit}"),
        _ => bound.to_owned(),
    }
}

fn figure(name: &str) -> Message {
    message!(
        "condition-figure",
        name = Value::word(name),
        shown = name.to_owned()
    )
}

/// A value of the figure: `31.9 ms`, or `0.95 times that of the baseline`.
fn value(expectation: &Expectation, shown: Value) -> Message {
    let ratio = expectation.unit == ExpectedUnit::Ratio;
    message!("condition-value", ratio, shown)
}

/// The measured figure.
fn seen(expectation: &Expectation) -> Value {
    let Some(figure) = expectation.figure else {
        return Value::Unknown;
    };
    match expectation.unit {
        ExpectedUnit::PerSecond => Value::Rate(figure.value),
        ExpectedUnit::Seconds => Value::Seconds(figure.value),
        ExpectedUnit::Share => Value::Share(figure.value),
        ExpectedUnit::BytesPerSecond => Value::Bandwidth(figure.value),
        ExpectedUnit::Bytes => Value::Bytes(figure.value as u64),
        ExpectedUnit::Ratio => Value::Ratio(figure.value),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_result::{Figure, Language};

    use super::*;
    use crate::findings::messages::Messages;

    fn expectation(condition: &str, unit: ExpectedUnit, value: f64) -> Expectation {
        Expectation {
            fails_if: false,
            condition: condition.to_owned(),
            target: "b".to_owned(),
            workload: "get".to_owned(),
            unit,
            figure: Some(Figure {
                value,
                interval: None,
                n: 8,
            }),
            extreme: false,
            standing: Standing::NotMet,
            why: None,
            data: None,
        }
    }

    fn said(message: &Message) -> String {
        Messages::NONE.in_english(message)
    }

    fn in_japanese(message: &Message) -> String {
        Messages::NONE.say(message, Language::Japanese).unwrap()
    }

    #[test]
    fn a_failed_condition_says_the_figure_and_what_it_must_not_be() {
        let mut failing = expectation("p99>5ms", ExpectedUnit::Seconds, 0.0319);
        failing.fails_if = true;
        let all = [failing];
        assert_eq!(not_met(&all), None);
        let sentence = failed(&all).unwrap();
        assert_eq!(
            said(&sentence),
            "FAILED: p99 of b is 31.9 ms at get and must not be above 5 ms"
        );
        assert_eq!(
            in_japanese(&sentence),
            "不合格(FAILED): get での b の p99 は 31.9 ms だが 5 ms 超であってはならない"
        );
        assert_eq!(said(&demanded(&all[0])), "p99 must not be above 5 ms");
    }

    #[test]
    fn every_unit_and_relation_has_words() {
        let of =
            |condition: &str, unit, value| said(&violated(&expectation(condition, unit, value)));
        assert_eq!(
            of("throughput>=1000/s", ExpectedUnit::PerSecond, 800.0),
            "throughput of b is 800/s at get and must be at least 1000/s"
        );
        assert_eq!(
            of("errors<=0.1%", ExpectedUnit::Share, 0.02),
            "error rate of b is 2 % at get and must be at most 0.1 %"
        );
        assert_eq!(
            of("max<1m30s", ExpectedUnit::Seconds, 100.0),
            "longest time of b is 100 s at get and must be below 1m30s"
        );
        assert_eq!(
            of("throughput>0.95x baseline", ExpectedUnit::Ratio, 0.8),
            "throughput of b is 0.800 times that of the baseline at get and must be above 0.95 times \
             that of the baseline"
        );
        assert_eq!(
            of("max<=1us", ExpectedUnit::Seconds, 0.0001),
            "longest time of b is 100 µs at get and must be at most 1 µs"
        );
        assert_eq!(
            of("as an older version wrote", ExpectedUnit::Share, 0.0),
            "as an older version wrote by b at get"
        );
    }

    #[test]
    fn a_shared_reason_stands_once() {
        let open = |name: &str, why: &str| Expectation {
            target: name.to_owned(),
            standing: Standing::CannotTell,
            why: Some(why.to_owned()),
            ..expectation("p99<5ms", ExpectedUnit::Seconds, 0.0319)
        };
        let of = |all: &[Expectation]| said(&cannot_tell(all).unwrap());
        assert_eq!(
            of(&[open("a", "too few slices"), open("b", "too few slices")]),
            "cannot tell whether p99 of a is below 5 ms at get; p99 of b is below 5 ms at get: too few \
             slices"
        );
        assert_eq!(
            of(&[open("a", "too few slices"), open("b", "unknown")]),
            "cannot tell whether p99 of a is below 5 ms at get: too few slices; p99 of b is below 5 ms \
             at get: unknown"
        );
        assert_eq!(cannot_tell(&[]), None);
    }
}
