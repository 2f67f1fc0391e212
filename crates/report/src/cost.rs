//! Texts for the cost of a target.

use tenbin_record::UseScope;

use tenbin_result::format::BYTES;
use tenbin_result::{Document, ProcessCost, ResultOf};

/// Mark for a target whose figures are those of its whole host.
pub(crate) const WHOLE_HOST: &str = "whole host";

/// Explanation of the mark [`WHOLE_HOST`].
pub(crate) const ABOUT_WHOLE_HOST: &str = "of a whole host, only the CPU time of all programs on \
it is known: an upper bound of the cost of the target";

/// Explanation of the figures for control groups.
pub(crate) const ABOUT_GROUPS: &str = "memory of a control group includes the page cache of its \
processes; its peak is the largest since the group was created";

/// Whether any resource use of the target is known.
pub(crate) fn is_known(result: &ResultOf) -> bool {
    result.server_cpu.is_some() || result.peak_rss_bytes.is_some()
}

/// Whether only the resource use of the whole host is known.
pub(crate) fn covers_whole_host(result: &ResultOf) -> bool {
    is_known(result) && result.scope == Some(UseScope::Host)
}

/// Name of the target, marked if the figures are those of its whole host.
pub(crate) fn named(result: &ResultOf) -> String {
    if covers_whole_host(result) {
        format!("{} ({WHOLE_HOST})", result.target)
    } else {
        result.target.clone()
    }
}

/// The processes that a target's figures include and exclude; `None` without anything to report.
pub(crate) fn covered(document: &Document, result: &ResultOf) -> Option<String> {
    let name = &result.target;
    let missing: Vec<String> = unobserved(result).map(how_to_observe).collect();
    if let Some(why) = &result.not_observed {
        return Some(if missing.is_empty() {
            format!("{name}: {why}")
        } else {
            format!(
                "{name}: {why}; busy only while {name} had load: {}",
                missing.join(", ")
            )
        });
    }
    let mut targets = document.targets.iter();
    let target = targets.find(|target| target.name == *name)?;
    let observed = target.observed.as_ref().filter(|_| is_known(result));
    let rest = if missing.is_empty() {
        format!("other processes of {name} are not included in these figures")
    } else {
        format!(
            "not observed, not in the sum, and busy only while {name} had load: {}",
            missing.join(", ")
        )
    };
    match observed {
        Some(observed) => Some(format!("observed of {name}: {observed}; {rest}")),
        None if missing.is_empty() => None,
        None => Some(format!("{name}: {rest}")),
    }
}

fn unobserved(result: &ResultOf) -> impl Iterator<Item = &ProcessCost> {
    result.processes.iter().filter(|process| !process.observed)
}

/// Name of a program, with the option that adds the program to the figures.
fn how_to_observe(process: &ProcessCost) -> String {
    let name = &process.name;
    match process.pids.as_slice() {
        [pid] => format!("{name} (--observe pid:{pid})"),
        _ => format!("{name} (--observe name:{name})"),
    }
}

/// The programs of a target that get a separate row below the target's row, each with its name: all
/// programs, unless the only program is the target itself.
pub(crate) fn by_program(result: &ResultOf) -> Vec<(String, &ProcessCost)> {
    let all = &result.processes;
    if all.len() < 2 && all.iter().all(|process| process.observed) {
        return Vec::new();
    }
    let named = |process: &ProcessCost| {
        let several = match process.processes {
            0 | 1 => String::new(),
            count => format!(" ({count} processes)"),
        };
        let missing = if process.observed {
            ""
        } else {
            ", not observed"
        };
        format!("{}{several}{missing}", process.name)
    };
    all.iter()
        .map(|process| (named(process), process))
        .collect()
}

/// Whether the table of costs has rows for the target: its resource use is known, or programs of
/// the target have separate rows.
pub(crate) fn has_rows(result: &ResultOf) -> bool {
    is_known(result) || !by_program(result).is_empty()
}

/// A memory size as text; `unknown` for `None`.
pub(crate) fn memory(bytes: Option<u64>) -> String {
    BYTES.maybe(bytes.map(|bytes| bytes as f64))
}

/// Text that says whether the control group contains other programs than the target.
pub(crate) fn company(alone: bool) -> &'static str {
    if alone { "nobody" } else { "others" }
}
