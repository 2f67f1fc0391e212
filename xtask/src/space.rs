//! Free disk space, checked before the builds that need most of it.

use anyhow::{Result, ensure};

use crate::shell;

/// What a build of all tests takes, with the servers, in bytes.
const NEEDED: u64 = 14_000_000_000;

/// Fails if a first build of the tests would fill the disk: compilers and linkers then end with
/// errors that do not name the cause.
///
/// # Errors
///
/// If there is too little space, or the space cannot be read.
pub(crate) fn check() -> Result<()> {
    let target = shell::target_directory();
    // This task itself is in the same directory; only the tests build the program.
    if target.join("debug/tenbin").is_file() {
        return Ok(());
    }
    let disk = rustix::fs::statvfs(&target)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    ensure!(
        free >= NEEDED,
        "{} has {:.1} GB free, and the tests need {:.0} GB: make space, or name another directory with \
         CARGO_TARGET_DIR",
        target.display(),
        free as f64 / 1e9,
        NEEDED as f64 / 1e9
    );
    Ok(())
}
