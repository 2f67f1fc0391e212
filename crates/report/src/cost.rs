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
    let loaded = loaded_with(document, result);
    if let Some(why) = &result.not_observed {
        return Some(if missing.is_empty() {
            format!("{name}: {why}")
        } else {
            format!(
                "{name}: {why}; busy only while {loaded} had load: {}",
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
            "not observed, not in the sum, and busy only while {loaded} had load: {}",
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

/// The targets with load while the unobserved programs of `result` were busy: `a or b` if two targets
/// use the same processes.
fn loaded_with(document: &Document, result: &ResultOf) -> String {
    let is_shared = |other: &ResultOf| {
        unobserved(other).any(|theirs| {
            let mut own = unobserved(result);
            own.any(|own| own.pids.iter().any(|pid| theirs.pids.contains(pid)))
        })
    };
    let mut names: Vec<&str> = Vec::new();
    for other in &document.results {
        let name = other.target.as_str();
        if !names.contains(&name) && (name == result.target || is_shared(other)) {
            names.push(name);
        }
    }
    names.join(" or ")
}

/// Maximum number of processes that are named one by one. The name of a program can also be that of
/// another cluster's processes.
const FEW_PROCESSES: usize = 3;

/// Name of a program, with the options that add the program to the figures.
fn how_to_observe(process: &ProcessCost) -> String {
    let name = &process.name;
    if process.pids.is_empty() || process.pids.len() > FEW_PROCESSES {
        return format!("{name} (--observe name:{name})");
    }
    let pids = process.pids.iter();
    let options: Vec<String> = pids.map(|pid| format!("--observe pid:{pid}")).collect();
    format!("{name} ({})", options.join(" "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_two_targets_use_is_busy_while_one_of_them_has_load() {
        let pair = include_bytes!("../tests/documents/pair.json");
        let mut pair = tenbin_result::document_from_json(pair).expect("a document");
        let own = |name: &str, pids: &[i32]| ProcessCost {
            name: name.to_owned(),
            processes: pids.len() as u64,
            observed: false,
            pids: pids.to_vec(),
            cpu: None,
            rss_bytes: None,
        };
        for result in &mut pair.results {
            result.processes = vec![own("blobnode", &[7, 8])];
        }
        let first = &pair.results[0];
        let other = pair.results.iter().find(|it| it.target != first.target);
        let names = [&first.target, &other.expect("a pair").target].map(String::as_str);
        let said = covered(&pair, first).expect("a sentence");
        assert!(
            said.contains(&format!("while {} had load", names.join(" or "))),
            "{said}"
        );
        assert!(
            said.contains("blobnode (--observe pid:7 --observe pid:8)"),
            "{said}"
        );
        pair.results[0].processes = vec![own("many", &[1, 2, 3, 4])];
        let said = covered(&pair, &pair.results[0]).expect("a sentence");
        assert!(
            said.contains(&format!("while {} had load", pair.results[0].target)),
            "{said}"
        );
        assert!(said.contains("many (--observe name:many)"), "{said}");
    }
}
