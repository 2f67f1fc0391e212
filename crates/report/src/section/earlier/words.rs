//! The comparison of two runs in words: cells of its table, and sentences.

use std::cmp::Ordering;

use tenbin_result::format::{RATE, TIME, UNKNOWN, digits, ratio, ratio_interval};
use tenbin_result::{
    Doubt, Earlier, EarlierChange, EarlierPart, Figure, Language, Message, Trust, Value, Withheld,
    message,
};
use tenbin_verdict::said_data;

use crate::language::{figure_words, known_in, say_in};
use crate::paired::ROUNDING;

/// Most decimals of a ratio that is close to a limit.
const MOST_DECIMALS: u8 = 9;

/// Column headers of the table of changes between two runs.
pub(super) const COLUMNS: [&str; 9] = [
    "workload", "target", "part", "before", "after", "speed, after ÷ before",
    "control divided out", "interval", "verdict",
];

/// The row for one change in the table of [`COLUMNS`], not escaped.
pub(super) fn cells(earlier: &Earlier, change: &EarlierChange, language: Language) -> [String; 9] {
    let words = figure_words(language);
    let with_interval = |figure: Option<Figure>| match &change.unit {
        Some(name) => match figure {
            Some(figure) => format!("{} {name}", digits(figure.value)),
            None => UNKNOWN.to_owned(),
        },
        None if change.timed => TIME.with_interval(figure, words),
        None => RATE.with_interval(figure, words),
    };
    [
        change.workload.clone(),
        change
            .target
            .clone()
            .unwrap_or_else(|| "not named".to_owned()),
        match change.part {
            EarlierPart::Changed => "changed",
            EarlierPart::Control => "control",
            EarlierPart::Unnamed => "",
        }
        .to_owned(),
        with_interval(change.before),
        with_interval(change.after),
        match change.ratio {
            None => UNKNOWN.to_owned(),
            Some(figure) if change.unit.is_none() => ratio(figure.value),
            Some(figure) if change.undirected => ratio(figure.value),
            Some(figure) => say_in(language, &better_or_worse(figure.value)),
        },
        change.divided.map_or_else(String::new, |figure| {
            let mark = if is_paired(earlier, change) { "*" } else { "" };
            format!("{}{mark}", ratio(figure.value))
        }),
        // The interval that decides.
        ratio_interval(change.divided.or(change.ratio)),
        match change.part {
            EarlierPart::Control => "control".to_owned(),
            _ => change.change.words().to_owned(),
        },
    ]
}

/// Whether the ratio with the control divided out is paired by round and differs from the quotient of
/// the ratios in the table.
pub(super) fn is_paired(earlier: &Earlier, change: &EarlierChange) -> bool {
    let Some((ratio, divided)) = change.ratio.zip(change.divided) else {
        return false;
    };
    let controls = earlier.changes.iter().filter(|each| {
        each.workload == change.workload && each.part == EarlierPart::Control && each.unit.is_none()
    });
    let logs: Vec<f64> = controls
        .filter_map(|each| Some(each.ratio?.value.ln()))
        .collect();
    if earlier.shared.is_empty() || logs.is_empty() {
        return false;
    }
    let control = logs.iter().sum::<f64>() / logs.len() as f64;
    let apart = divided.value.ln() - (ratio.value.ln() - control);
    apart.abs() > ROUNDING
}

/// A ratio beyond a limit (up or down), with enough digits to see that.
pub(super) fn beyond(found: f64, limit: f64) -> Value {
    let is_hidden = |printed: &str| {
        let printed = printed.parse::<f64>();
        printed.is_ok_and(|printed| printed.ln().abs() <= limit.ln() + 1e-12)
    };
    if !is_hidden(&ratio(found)) {
        return Value::Ratio(found);
    }
    let mut decimals = 4..MOST_DECIMALS;
    let enough = decimals.find(|count| {
        let count = usize::from(*count);
        !is_hidden(&format!("{found:.count$}"))
    });
    Value::Fixed(found, enough.unwrap_or(MOST_DECIMALS))
}

/// The ratio of figures in a unit of a file, which may be no speed: above 1 is better.
fn better_or_worse(value: f64) -> Message {
    let change = match value.total_cmp(&1.0) {
        // It is printed as 1.000.
        _ if (value - 1.0).abs() < 0.000_5 => "same",
        Ordering::Greater => "better",
        Ordering::Less => "worse",
        Ordering::Equal => "same",
    };
    message!(
        "ratio-of-figures",
        ratio = Value::Ratio(value),
        change = Value::Word(change.to_owned())
    )
}

/// The controls and how much they changed.
fn of_controls(earlier: &Earlier) -> Option<Message> {
    let range = earlier.controls?;
    Some(message!(
        "controls-changed",
        count = range.count,
        low = Value::Ratio(range.low),
        high = Value::Ratio(range.high),
        by = if earlier.shared.is_empty() {
            Value::Word("work".to_owned())
        } else {
            Value::Word("target".to_owned())
        },
        shared = Value::Texts(earlier.shared.clone())
    ))
}

/// Says which intervals hold simultaneously; `None` with fewer than two comparisons.
fn of_intervals(earlier: &Earlier) -> Option<Message> {
    (earlier.together > 1).then(|| message!("intervals-of-earlier", comparisons = earlier.together))
}

/// The INVALID and SUSPECT runs, in sentences without a full stop, INVALID first.
pub(super) fn of_doubts(earlier: &Earlier, language: Language) -> Vec<String> {
    let said = |doubt: &Doubt| {
        let message = message!(
            "doubt",
            trust = doubt.trust.word(),
            name = doubt.name.as_str(),
            invalid = Value::Flag(doubt.trust == Trust::Invalid),
            why = reason(doubt, language)
        );
        say_in(language, &message)
    };
    earlier.doubts.iter().map(said).collect()
}

/// The reason of a doubt; in English if it has no text in this language.
pub(super) fn reason(doubt: &Doubt, language: Language) -> String {
    let said = match (&doubt.finding, &doubt.data) {
        (Some(finding), _) => said_data(&finding.rule, &finding.data, language)
            .map(|(evidence, _)| format!("{}: {evidence}", finding.rule)),
        (None, Some(reason)) => known_in(language, reason),
        (None, None) => None,
    };
    said.unwrap_or_else(|| doubt.why.clone())
}

/// Why no change is called faster, slower or equivalent.
fn of_withheld(earlier: &Earlier) -> Vec<Message> {
    let said = |reason: &Withheld| match reason {
        Withheld::NotValid(name) => Some(message!("withheld-not-valid", name = name.as_str())),
        Withheld::ControlMoved {
            ratio: moved,
            limit,
        } => Some(message!(
            "withheld-control-moved",
            moved = beyond(*moved, *limit),
            limit = Value::Typed(*limit)
        )),
        Withheld::Unjudged(_) => None,
    };
    let mut messages: Vec<Message> = earlier.withheld.iter().filter_map(said).collect();
    let unjudged = earlier.withheld.iter().filter_map(|reason| match reason {
        Withheld::Unjudged(name) => Some(message!("text", text = name.as_str())),
        Withheld::NotValid(_) | Withheld::ControlMoved { .. } => None,
    });
    let both = |first, second| message!("both", first, second);
    let unjudged = unjudged.reduce(both);
    messages.extend(unjudged.map(|names| message!("withheld-unjudged", names)));
    messages
}

/// The variation from run to run that the intervals include; `None` if nothing is divided by a
/// control.
fn of_run_to_run(earlier: &Earlier) -> Option<Message> {
    let known = earlier.changes.iter().filter_map(|each| each.run_to_run);
    let widest = known.max_by(|one, other| one.least_factor.total_cmp(&other.least_factor))?;
    Some(message!(
        "run-to-run",
        deviation = Value::Share(widest.deviation),
        freedom = widest.freedom.map_or_else(
            || Value::Word("assumed".to_owned()),
            |freedom| Value::Text(freedom.to_string())
        ),
        least = Value::Ratio(widest.least_factor)
    ))
}

/// Notes on the table of changes, in sentences without a full stop.
pub(super) fn remarks(earlier: &Earlier, language: Language) -> Vec<String> {
    let said = of_withheld(earlier)
        .into_iter()
        .chain(of_controls(earlier))
        .chain(of_run_to_run(earlier))
        .chain(of_intervals(earlier))
        .map(|message| say_in(language, &message));
    let warnings = earlier.warnings.iter().enumerate();
    let notes = warnings.map(|(at, english)| {
        // Older versions wrote only English text, and newer versions can have other messages.
        let data = earlier.warning_data.get(at);
        let warning = data.and_then(|data| known_in(language, data));
        let warning = warning.unwrap_or_else(|| english.clone());
        say_in(language, &message!("note", warning))
    });
    said.chain(notes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_shows_on_which_side_of_the_limit_it_is() {
        assert_eq!(beyond(2.27, 1.25), Value::Ratio(2.27));
        assert_eq!(beyond(0.5, 1.25), Value::Ratio(0.5));
        assert_eq!(beyond(1.2503, 1.25), Value::Fixed(1.2503, 4));
        assert_eq!(beyond(0.799_99, 1.25), Value::Fixed(0.799_99, 5));
    }
}
