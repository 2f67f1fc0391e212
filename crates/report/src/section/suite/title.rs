//! Builds workload names for the tables.

use tenbin_plan::size::Size;

use tenbin_result::format::{count, percent, plural};
use tenbin_result::{Document, Share, Subject, Workload};

/// The name of a workload: `PutObject (1KB)`, with the number of connections if other workloads
/// differ only in connections.
pub(super) fn title(document: &Document, workload: &Workload) -> String {
    let own = work(workload);
    let alike = document.workloads.iter().filter(|other| work(other) == own);
    let mut levels: Vec<Option<u64>> = alike.clone().map(|other| other.connections).collect();
    let several = levels.len();
    levels.sort_unstable();
    levels.dedup();
    if several == 1 {
        own
    } else if levels.len() == several
        && let Some(connections) = workload.connections
    {
        format!("{own}, {}", plural(connections, "connection"))
    } else {
        format!("{own}, {}", workload.name)
    }
}

/// The name of a workload without connections.
pub(super) fn work_of(document: &Document, name: &str) -> String {
    let mut all = document.workloads.iter();
    all.find(|workload| workload.name == name)
        .map_or_else(|| name.to_owned(), work)
}

fn work(workload: &Workload) -> String {
    let Some(subject) = &workload.subject else {
        return workload.name.clone();
    };
    let operations = match subject.operations.as_slice() {
        [only] => only.interface.clone(),
        several => mix(several),
    };
    match measure(subject) {
        Some(measure) => format!("{operations} ({measure})"),
        None => operations,
    }
}

fn mix(several: &[Share]) -> String {
    let all: f64 = several.iter().map(|each| each.share).sum();
    let parts: Vec<String> = several
        .iter()
        .map(|each| format!("{} {}", each.interface, percent(each.share / all)))
        .collect();
    parts.join(" + ")
}

fn measure(subject: &Subject) -> Option<String> {
    let lists = |share: &Share| share.operation == "list";
    if let (Some(objects), true) = (subject.objects, subject.operations.iter().all(lists)) {
        return Some(format!("{} keys", count(objects)));
    }
    let size = Size(subject.object_bytes?).to_string().replace('k', "K");
    Some(match subject.part_bytes {
        Some(part) => format!(
            "{size} in parts of {}",
            Size(part).to_string().replace('k', "K")
        ),
        None => size,
    })
}
