//! Data directories of launched targets that an interrupted run has left behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A data directory that a launched target left in a run directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataLeft {
    /// Name of the target.
    pub target: String,
    /// The directory.
    pub path: PathBuf,
    /// Number of files in the directory.
    pub files: u64,
    /// Total size of the files, bytes.
    pub bytes: u64,
}

/// Data directory of a target, below the directory `targets` of all targets.
pub(crate) fn directory_of(targets: &Path, target: &str) -> PathBuf {
    targets.join(target).join("data")
}

/// The data directories that `targets` left in a run directory, including empty directories.
pub fn data_left<'a>(run_dir: &Path, targets: impl Iterator<Item = &'a str>) -> Vec<DataLeft> {
    let root = run_dir.join("targets");
    let found = targets.filter_map(|target| {
        let path = directory_of(&root, target);
        // Tenbin creates no symbolic links here, and must not follow links.
        if !fs::symlink_metadata(&path).ok()?.is_dir() {
            return None;
        }
        let mut left = DataLeft {
            target: target.to_owned(),
            path: path.clone(),
            files: 0,
            bytes: 0,
        };
        left.count(&path);
        Some(left)
    });
    found.collect()
}

impl DataLeft {
    fn count(&mut self, directory: &Path) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(data) if data.is_dir() => self.count(&entry.path()),
                Ok(data) => {
                    self.files += 1;
                    self.bytes += data.len();
                }
                // The file was removed in the meantime.
                Err(_) => {}
            }
        }
    }

    /// Removes the directory and everything in it.
    ///
    /// # Errors
    /// The error of the first file that cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        remove(&self.path)
    }
}

/// Removes a data directory, and then its parent directory if empty.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if let Some(parent) = path.parent() {
        let _ = fs::remove_dir(parent);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_data_directories_are_counted_and_removed() {
        let root = tempfile::tempdir().unwrap();
        let targets = root.path().join("targets");
        let data = directory_of(&targets, "own");
        fs::create_dir_all(data.join("deep")).unwrap();
        fs::write(data.join("a"), [0; 7]).unwrap();
        fs::write(data.join("deep/b"), [0; 5]).unwrap();
        fs::write(targets.join("own.log"), "log").unwrap();
        // Data of another program, reachable through a symbolic link.
        let precious = root.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::create_dir(targets.join("linked")).unwrap();
        std::os::unix::fs::symlink(&precious, directory_of(&targets, "linked")).unwrap();

        let names = ["own", "linked", "none"];
        let left = data_left(root.path(), names.into_iter());
        let [own] = left.as_slice() else {
            panic!("{left:?}")
        };
        assert_eq!((own.target.as_str(), own.files, own.bytes), ("own", 2, 12));
        own.remove().unwrap();
        assert!(!targets.join("own").exists());
        assert!(targets.join("own.log").exists() && precious.exists());
        assert!(data_left(root.path(), names.into_iter()).is_empty());
    }
}
