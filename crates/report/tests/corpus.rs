//! Every input that the fuzzer keeps for run directories and result files, and every recorded
//! result file, must pass the fuzzer's own checks.

#[path = "../../../fuzz/checks/foreign.rs"]
mod foreign;
#[path = "../../../fuzz/checks/run_directory.rs"]
mod run_directory;

use std::path::{Path, PathBuf};

#[test]
fn the_kept_run_directories_pass() {
    replay(&kept("run_directory"), run_directory::check, 5);
}

#[test]
fn the_kept_result_files_pass() {
    replay(&kept("foreign"), foreign::check, 10);
}

#[test]
fn the_recorded_result_files_pass() {
    for tools in ["http", "recorded", "s3", "warp", "written"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        replay(&folder.join(tools), foreign::check, 5);
    }
}

fn kept(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target)
}

/// Runs `check` on every input in a folder, readable or not. At least `least_read` inputs must be
/// readable, because only readable inputs are evaluated and displayed.
fn replay(folder: &Path, check: fn(&[u8]) -> bool, least_read: usize) {
    let mut read = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let file = entry.expect("an entry").path();
        let input = std::fs::read(&file).expect("an input");
        // A panic alone would not show which input caused it.
        let passed = std::panic::catch_unwind(|| check(&input));
        let Ok(is_read) = passed else {
            panic!("{}", file.display());
        };
        read += usize::from(is_read);
    }
    assert!(
        read >= least_read,
        "only {read} inputs in {} were read",
        folder.display()
    );
}
