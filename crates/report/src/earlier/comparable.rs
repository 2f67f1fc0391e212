//! Whether two runs can be compared.

use std::fmt;

use tenbin_result::{Language, Message, Value, message};
use tenbin_verdict::lint::is_named;

use super::Results;
use crate::language::say_in;

/// The reason why two runs cannot be compared. Prints one sentence in English.
#[derive(Debug, Clone, PartialEq)]
pub struct NotComparable(pub(super) Message);

impl NotComparable {
    /// The reason in a language, in one sentence.
    pub fn said(&self, language: Language) -> String {
        say_in(language, &self.0)
    }
}

impl fmt::Display for NotComparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said(Language::English))
    }
}

impl std::error::Error for NotComparable {}

/// Refuses runs on different machines.
pub(super) fn refuse_other_hosts(before: &Results, after: &Results) -> Result<(), NotComparable> {
    for ((what, then), (_, now)) in before.host.iter().zip(&after.host) {
        if let (Some(then), Some(now)) = (then, now)
            && then != now
        {
            return Err(NotComparable(message!(
                "other-machines",
                before = before.name.as_str(),
                after = after.name.as_str(),
                what = Value::word(what),
                then = format!("{then:?}"),
                now = format!("{now:?}")
            )));
        }
    }
    Ok(())
}

/// Refuses runs whose workloads send different requests.
pub(super) fn refuse_other_work(before: &Results, after: &Results) -> Result<(), NotComparable> {
    for (workload, then) in &before.terms {
        if let Some(now) = after.terms.get(workload)
            && let Some(difference) = then.difference(now)
        {
            return Err(NotComparable(message!(
                "other-requests",
                before = before.name.as_str(),
                after = after.name.as_str(),
                workload = workload.as_str(),
                difference
            )));
        }
    }
    Ok(())
}

/// Refuses a name in `changed` that is no workload of both runs.
pub(super) fn refuse_unknown_names(
    before: &Results,
    after: &Results,
    changed: &[String],
) -> Result<(), NotComparable> {
    let both: Vec<&str> = after
        .terms
        .keys()
        .map(String::as_str)
        .chain(after.series.iter().map(|each| each.workload.as_str()))
        .filter(|name| before.has(name) && after.has(name))
        .collect();
    for name in changed {
        if !both.iter().any(|workload| is_named(workload, name)) {
            let mut known = both.clone();
            known.sort_unstable();
            known.dedup();
            let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
            return Err(NotComparable(message!(
                "changed-unknown",
                name = format!("{name:?}"),
                known
            )));
        }
    }
    Ok(())
}

/// Why two runs have no figure in common: their targets, if none of them is in both, otherwise their
/// workloads.
pub(super) fn nothing_in_common(before: &Results, after: &Results) -> NotComparable {
    let is_file = before.origin.is_file() || after.origin.is_file();
    let is_of_after = |target: &str| after.named_targets().any(|other| other == target);
    let shares_target = before.named_targets().any(is_of_after);
    if !is_file && !shares_target {
        return NotComparable(message!(
            "no-target-in-common",
            before = before.name.as_str(),
            after = after.name.as_str(),
            then = before.some_targets(),
            now = after.some_targets()
        ));
    }
    NotComparable(message!(
        "nothing-in-common",
        before = before.name.as_str(),
        after = after.name.as_str(),
        then = before.some_workloads(),
        now = after.some_workloads(),
        file = is_file
    ))
}
