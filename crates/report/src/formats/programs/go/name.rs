//! Builds benchmark names: the operation, then `key=value` parts.

use tenbin_plan::size::Size;
use tenbin_plan::work::traits_of;

use tenbin_result::{Document, Share, Subject, Workload};

/// The name of one workload on one target. The last part ends in a number without a dash before it,
/// because Go reads the text after a last dash as GOMAXPROCS.
pub(super) fn benchmark_name(document: &Document, workload: &Workload, target: &str) -> String {
    let alike = document
        .workloads
        .iter()
        .filter(|other| stem(other) == stem(workload) && load(other) == load(workload));
    let apart = if alike.count() > 1 {
        format!("/workload={}", part(&workload.name))
    } else {
        String::new()
    };
    let (stem, load) = (stem(workload), load(workload));
    format!("Benchmark{stem}{apart}/target={}{load}", part(target))
}

/// The operation or mix, with sizes and unusual settings.
fn stem(workload: &Workload) -> String {
    let Some(subject) = &workload.subject else {
        return format!("Workload/workload={}", part(&workload.name));
    };
    let parts = measures(subject) + &unusual(workload, subject);
    let prefix = traits_of(&subject.kind).and_then(|traits| traits.benchmark);
    match (prefix, subject.operations.as_slice()) {
        (Some(prefix), [only]) => format!("{prefix}{}{parts}", part(&only.operation)),
        (None, [only]) => format!("{}{parts}", part(&only.interface)),
        (_, several) => format!("Mixed{}{parts}", shares(several)),
    }
}

/// The object size, or the number of keys for a listing.
fn measures(subject: &Subject) -> String {
    let lists = |share: &Share| share.operation == "list";
    let mut parts = String::new();
    match (subject.objects, subject.object_bytes) {
        (Some(objects), _) if subject.operations.iter().all(lists) => {
            parts += &format!("/keys={objects}");
        }
        (_, Some(bytes)) => parts += &format!("/size={}", size(bytes)),
        (_, None) => {}
    }
    if let Some(bytes) = subject.part_bytes {
        parts += &format!("/part={}", size(bytes));
    }
    parts
}

/// The settings that differ from the defaults. Empty for plain HTTP, which has no defaults: the
/// name would otherwise contain the whole request.
fn unusual(workload: &Workload, subject: &Subject) -> String {
    let said = |key: &str| matches!(key, "part_size" | "list");
    let has_usual = traits_of(&subject.kind).is_some_and(|traits| traits.is_object_store);
    let settings = workload.settings.iter().flatten();
    settings
        .filter(|each| has_usual && !each.usual && !said(&each.key))
        .map(|each| format!("/{}={}", part(&each.key), part(&each.value)))
        .collect()
}

fn shares(several: &[Share]) -> String {
    several
        .iter()
        .map(|each| format!("/{}={}", part(&each.operation), each.share))
        .collect()
}

/// The load: the rate, if fixed, and the number of connections.
fn load(workload: &Workload) -> String {
    let rate = workload
        .rate
        .map_or_else(String::new, |rate| format!("/rate={rate}"));
    let connections = workload.connections;
    connections.map_or(rate.clone(), |connections| {
        format!("{rate}/conc={connections}")
    })
}

/// An exact size in the unit that gives the shortest text: `1KB`, `64KiB`.
fn size(bytes: u64) -> String {
    Size(bytes).to_string()
}

/// A value without characters that would split the name or the line.
fn part(text: &str) -> String {
    let breaks = |c: char| c == '/' || c == '=' || c.is_whitespace() || c.is_control();
    text.chars()
        .map(|c| if breaks(c) { '_' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_word_each() {
        assert_eq!(size(1_000), "1KB");
        assert_eq!(size(65_536), "64KiB");
        assert_eq!(part("a b/c=d\n"), "a_b_c_d_");
    }
}
