//! The space that a run takes on the disk.

use std::fs;
use std::path::{Path, PathBuf};

/// Sum of the sizes of the files in a directory and below, bytes. Links are not followed; what cannot
/// be read counts nothing.
pub(crate) fn bytes_of(directory: &Path) -> u64 {
    let mut bytes = 0_u64;
    let mut directories: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_dir() {
                directories.push(entry.path());
            } else if metadata.is_file() {
                bytes = bytes.saturating_add(metadata.len());
            }
        }
    }
    bytes
}

/// A number of bytes with three digits or less and its unit: `4.2 MiB`.
pub(crate) fn said(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1_024.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_024.0;
        unit += 1;
    }
    let digits = usize::from(value < 9.95);
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_count_and_links_do_not() {
        let scratch = tempfile::tempdir().expect("a directory");
        let run = scratch.path().join("run");
        fs::create_dir_all(run.join("deep/er")).expect("directories");
        fs::write(scratch.path().join("outside"), [0; 500]).expect("a file");
        fs::write(run.join("a"), [0; 30]).expect("a file");
        fs::write(run.join("deep/er/b"), [0; 12]).expect("a file");
        std::os::unix::fs::symlink(scratch.path(), run.join("up")).expect("a link");
        std::os::unix::fs::symlink("../outside", run.join("file")).expect("a link");
        assert_eq!(bytes_of(&run), 42);
        assert_eq!(bytes_of(&scratch.path().join("missing")), 0);
    }

    #[test]
    fn a_size_has_few_digits() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 KiB"),
            (4_404_019, "4.2 MiB"),
            (52 << 20, "52 MiB"),
            (1_023 << 20, "1.0 GiB"),
            (7_000 << 40, "7000 TiB"),
        ] {
            assert_eq!(said(bytes), expected, "{bytes}");
        }
    }
}
