//! What a target's work cost it, in words for every report.

use tenbin_record::UseScope;

use tenbin_result::format::BYTES;
use tenbin_result::{Document, ProcessCost, ResultOf};

/// What stands behind a target of which only the whole host is known.
pub(crate) const WHOLE_HOST: &str = "whole host";

/// What that means.
pub(crate) const ABOUT_WHOLE_HOST: &str = "of a whole host only the CPU of everything that runs \
     on it is known, that of others included: the cost of the target is at most that";

/// What is told of a control group.
pub(crate) const ABOUT_GROUPS: &str = "memory of a control group includes files that the kernel \
     keeps for its processes, and its peak is the highest since the group was made";

/// Whether anything is known of what the target used.
pub(crate) fn is_known(result: &ResultOf) -> bool {
    result.server_cpu.is_some() || result.peak_rss_bytes.is_some()
}

/// Whether only the use of the whole host is known.
pub(crate) fn is_of_host(result: &ResultOf) -> bool {
    is_known(result) && result.scope == Some(UseScope::Host)
}

/// Name of the target, with a mark where the figures are those of its whole host.
pub(crate) fn named(result: &ResultOf) -> String {
    match is_of_host(result) {
        true => format!("{} ({WHOLE_HOST})", result.target),
        false => result.target.clone(),
    }
}

/// What the figures of a target cover and what they leave out; `None` where there is nothing to
/// say.
pub(crate) fn covered(document: &Document, result: &ResultOf) -> Option<String> {
    let name = &result.target;
    let missing: Vec<String> = unobserved(result).map(how_to_observe).collect();
    if let Some(why) = &result.not_observed {
        return Some(match missing.is_empty() {
            true => format!("{name}: {why}"),
            false => format!(
                "{name}: {why}; busy only while {name} had load: {}",
                missing.join(", ")
            ),
        });
    }
    let mut targets = document.targets.iter();
    let target = targets.find(|target| target.name == *name)?;
    let observed = target.observed.as_ref().filter(|_| is_known(result));
    let rest = match missing.is_empty() {
        true => format!("other processes that work for {name} are not in these figures"),
        false => format!(
            "not observed, not in the sum, and busy only while {name} had load: {}",
            missing.join(", ")
        ),
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

/// A program and the option that adds it to the figures.
fn how_to_observe(process: &ProcessCost) -> String {
    let name = &process.name;
    match process.pids.as_slice() {
        [pid] => format!("{name} (--observe pid:{pid})"),
        _ => format!("{name} (--observe name:{name})"),
    }
}

/// The programs of a target that get a row below the target's, with the name of each: all, unless
/// the only one is the target itself.
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

/// Whether there is anything to say of the target's cost.
pub(crate) fn has_rows(result: &ResultOf) -> bool {
    is_known(result) || !by_program(result).is_empty()
}

/// Memory that was looked at once, bytes.
pub(crate) fn memory(bytes: Option<u64>) -> String {
    BYTES.maybe(bytes.map(|bytes| bytes as f64))
}

/// What the group holds besides the target.
pub(crate) fn company(alone: bool) -> &'static str {
    match alone {
        true => "nobody",
        false => "others",
    }
}
