//! Finds other runs of an experiment, which show how much the experiment varies from run to run.

use std::path::{Path, PathBuf};

use tenbin_plan::{LARGEST_RESULT, read_own};
use tenbin_report::Results;
use tenbin_result::document_from_json;

/// Most runs to read: more say little more about the spread.
const MOST: usize = 20;

/// The results of the newest other runs in the directory of `run` that have the same name, as
/// reruns do. Runs that cannot be read are left out.
pub(crate) fn other_runs(run: &Path) -> Vec<Results> {
    let others = siblings(run).unwrap_or_default();
    let read = others.iter().rev().filter_map(|other| {
        let text = read_own(&other.join("result.json"), LARGEST_RESULT).ok()?;
        let document = document_from_json(&text).ok()?;
        Some(Results::of_document(&document))
    });
    read.take(MOST).collect()
}

/// The other run directories with the name of this one and another time, oldest first.
fn siblings(run: &Path) -> Option<Vec<PathBuf>> {
    let run = run.canonicalize().ok()?;
    let own = run.file_name()?.to_str()?;
    let name = experiment(own)?;
    let entries = std::fs::read_dir(run.parent()?).ok()?.flatten();
    let alike = entries.filter(|entry| {
        // A link can lead out of the directory.
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return false;
        }
        let other = entry.file_name();
        let other = other.to_str().filter(|other| *other != own);
        other.and_then(experiment) == Some(name)
    });
    let mut alike: Vec<PathBuf> = alike.map(|entry| entry.path()).collect();
    alike.sort_unstable();
    Some(alike)
}

/// The name of the experiment in the name of a run directory, which begins with the time of the
/// run. Runs of one second have a number at the end, and count as another experiment.
fn experiment(directory: &str) -> Option<&str> {
    const TIME: usize = "2026-01-31T120000".len();
    directory.get(TIME..)?.strip_prefix('-')
}
