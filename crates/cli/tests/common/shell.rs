//! Shell lines of a test's preparation.

use std::process::Command;

/// Runs a line with `sh` in `directory`; fails the test if the line fails.
pub(crate) fn shell(directory: &str, line: &str) {
    let status = Command::new("sh")
        .args(["-c", line])
        .current_dir(directory)
        .status();
    assert!(status.expect("a shell").success(), "{line}");
}
