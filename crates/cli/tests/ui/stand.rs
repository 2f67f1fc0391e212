//! Directories of runs.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::common::Scratch;
use crate::common::days::{PLAN, month};

/// A month of runs in `days`, of which only the newest, [`NEWEST`], has its raw data. Returns its path.
pub(crate) fn days(scratch: &Scratch) -> PathBuf {
    month(scratch);
    let real = only(&scratch.path().join("real"));
    let newest = scratch.path().join("days").join(NEWEST);
    fs::rename(real, &newest).expect("another name");
    newest
}

/// The run with raw data.
pub(crate) const NEWEST: &str = "2026-02-01T120000-daily";

/// The only entry of a directory.
pub(crate) fn only(directory: &Path) -> PathBuf {
    let mut entries = fs::read_dir(directory).expect("a directory");
    entries.next().expect("an entry").expect("an entry").path()
}

/// Copies the files of a run.
pub(crate) fn copy(run: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(run).expect("a run") {
        let from = entry.expect("an entry").path();
        if from.is_file() {
            fs::copy(&from, to.join(from.file_name().expect("a name"))).expect("a copy");
        }
    }
}

/// Writes a run with nothing but the first part of a result.
pub(crate) fn small(root: &Path, name: &str, trust: &str, verdict: &str) -> PathBuf {
    let run = root.join(name);
    fs::create_dir_all(&run).expect("a directory");
    fs::write(run.join("plan.toml"), PLAN).expect("a plan");
    let result = json!({
        "schema": "tenbin.result/1",
        "run": {
            "id": name, "directory": name, "name": "daily", "complete": true, "planned_slices": 2,
            "started": format!("{}Z", name.get(..10).unwrap_or_default()), "seed": 1, "threads": 1,
            "rounds": 2, "slice_seconds": 1.0, "warmup_seconds": 0.0,
        },
        "trust": trust,
        "verdicts": [verdict],
    });
    fs::write(run.join("result.json"), result.to_string()).expect("a result");
    run
}
