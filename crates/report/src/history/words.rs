//! Sentences about changes and about single runs.

use tenbin_result::{
    Circumstance, CircumstanceKind, HistoryChange, HistoryPoint, HistorySeries, Language, Message,
    Trust, UNLIMITED, Value, message,
};
use tenbin_verdict::change_ends;

use crate::escape::shortened;
use crate::language::say_in;

/// Most circumstances in a sentence.
const MOST: usize = 8;
/// Longest value of a circumstance, letters.
const LETTERS: usize = 60;

/// The day of a time: `2026-01-31`.
pub(super) fn day(started: &str) -> String {
    started.get(..10).unwrap_or(started).to_owned()
}

/// The moments of two runs: the days, with the time of day if both are on one day.
pub(super) fn from_to(first: &str, last: &str) -> [String; 2] {
    let is_one_day = first.get(..10) == last.get(..10) && first != last;
    [first, last].map(|started| match started.get(11..16) {
        Some(time) if is_one_day => format!("{} {time}", day(started)),
        _ => day(started),
    })
}

/// How large a change is, and when it happened.
pub(super) fn change(series: &HistorySeries, change: &HistoryChange) -> Message {
    let known = change.ratio.and_then(|ratio| {
        let ends = ratio.interval?;
        Some(change_ends(ratio.value, ends.low, ends.high))
    });
    let ends = known.map_or(Value::Unknown, Value::Message);
    message!(
        "history-change",
        size = change
            .ratio
            .map_or(Value::Unknown, |ratio| Value::Change(ratio.value)),
        ends,
        better = change.better,
        relative = series.anchor.is_some(),
        anchor = series.anchor.clone().unwrap_or_default(),
        run = change.run.as_str(),
        day = day(&change.started),
        after = change.after.as_str(),
        dated = change.earliest == change.latest,
        earliest = change.earliest.as_str(),
        latest = change.latest.as_str()
    )
}

/// What else is different since the run before the change.
pub(super) fn circumstances(series: &HistorySeries, change: &HistoryChange) -> Message {
    let shown = change.changed.iter().take(MOST);
    let told: Vec<Message> = shown.map(circumstance).collect();
    if told.is_empty() {
        return message!("history-nothing-else", after = change.after.as_str());
    }
    let is_anchor = change
        .changed
        .iter()
        .any(|each| changes_anchor(series, each));
    message!(
        "history-else",
        after = change.after.as_str(),
        changed = Value::Clauses(told),
        more = change.changed.len().saturating_sub(MOST) as u64,
        anchor = is_anchor,
        name = series.anchor.clone().unwrap_or_default()
    )
}

/// Whether the anchor is another program since then.
fn changes_anchor(series: &HistorySeries, circumstance: &Circumstance) -> bool {
    use CircumstanceKind::{Description, Program, Version};

    circumstance.of.is_some()
        && circumstance.of == series.anchor
        && matches!(circumstance.what, Version | Program | Description)
}

fn circumstance(of: &Circumstance) -> Message {
    message!(
        "history-circumstance",
        what = Value::word(of.what.word()),
        own = of.of.is_none(),
        target = of.of.clone().unwrap_or_default(),
        before = told(of.what, &of.before),
        after = told(of.what, &of.after)
    )
}

fn told(what: CircumstanceKind, value: &str) -> Value {
    match (what, value) {
        (CircumstanceKind::CpuQuota, UNLIMITED) => message!("history-no-quota").into(),
        (CircumstanceKind::CpuQuota, cores) => {
            message!("history-quota", cores = shortened(cores, LETTERS)).into()
        }
        _ => shortened(value, LETTERS).into(),
    }
}

/// What is special about a run in the table.
pub(super) fn note(series: &HistorySeries, point: &HistoryPoint, language: Language) -> String {
    let mut notes: Vec<Message> = Vec::new();
    if let Some(note) = &point.note {
        notes.push(message!("text", text = note.as_str()));
    }
    let mut changes = series.changes.iter();
    if let Some(change) = changes.find(|change| change.run == point.run) {
        let size = change
            .ratio
            .map_or(Value::Unknown, |ratio| Value::Change(ratio.value));
        notes.push(message!("history-note-change", size));
    }
    if point.outlier {
        notes.push(message!("history-note-outlier"));
    }
    if point.imported {
        notes.push(message!("history-note-imported"));
    }
    if point.trust == Trust::Suspect {
        notes.push(message!("text", text = Trust::Suspect.word()));
    }
    let is_move = |it: &&Circumstance| match it.what {
        CircumstanceKind::Machine => true,
        CircumstanceKind::CpuQuota => it.of.is_none() || it.of.as_ref() == Some(&series.target),
        _ => false,
    };
    notes.extend(point.changed.iter().filter(is_move).map(circumstance));
    if point
        .changed
        .iter()
        .any(|each| changes_anchor(series, each))
    {
        notes.push(message!("history-note-anchor"));
    }
    let said: Vec<String> = notes.iter().map(|note| say_in(language, note)).collect();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_day_have_a_time_of_day() {
        let (first, last) = ("2026-01-31T09:30:15Z", "2026-01-31T10:05:00Z");
        assert_eq!(
            from_to(first, last),
            ["2026-01-31 09:30", "2026-01-31 10:05"]
        );
        assert_eq!(
            from_to(first, "2026-02-01T10:05:00Z"),
            ["2026-01-31", "2026-02-01"]
        );
    }
}
