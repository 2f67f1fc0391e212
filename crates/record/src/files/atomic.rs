//! Atomic writes of complete files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use tenbin_plan::sentence;

use crate::error::RecordError;

/// Writes a complete file atomically: a reader sees either the old or the new content. Writes a
/// temporary file in the same directory and renames it. Devices and pipes, such as `/dev/null`, are
/// opened and written directly, because the rename would replace them.
///
/// # Errors
/// The path and the reason; [`RecordError::DiskFull`] if there is no space. The temporary file is
/// removed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// Like [`write_atomically`], for a file too large for memory: `write` gets a buffered writer.
///
/// # Errors
/// As [`write_atomically`].
pub fn write_atomically_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), RecordError> {
    if let Some(device) = open_device(path) {
        return device
            .and_then(|file| {
                let mut file = BufWriter::new(file);
                write(&mut file)?;
                file.flush()
            })
            .map_err(|e| RecordError::io("write", path, e));
    }
    let failed = |error| RecordError::io("write", path, error);
    let (temporary, file) = create_beside(path).map_err(failed)?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file)
        .and_then(|()| file.flush())
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        failed(error)
    })
}

/// Checks that [`write_atomically`] could write this file now; leaves no file behind.
///
/// # Errors
/// The path and the reason. An existing path that is not a regular file, such as a directory or a
/// device, is an error, because the rename would replace it.
pub fn can_write_atomically(path: &Path) -> Result<(), RecordError> {
    let refused = |error| RecordError::io("write", path, error);
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => {
            return Err(refused(std::io::Error::other(sentence!(
                "not-regular", "it is not a regular file"
            ))));
        }
        _ => {}
    }
    create_beside(path)
        .and_then(|(temporary, _)| fs::remove_file(temporary))
        .map_err(refused)
}

/// Opens a device or a pipe for writing; an error for a directory. `None` for a regular file and for a
/// path that does not exist.
fn open_device(path: &Path) -> Option<io::Result<fs::File>> {
    let there = fs::metadata(path).ok().filter(|there| !there.is_file())?;
    if there.is_dir() {
        return Some(Err(io::ErrorKind::IsADirectory.into()));
    }
    Some(fs::OpenOptions::new().write(true).open(path))
}

/// Creates a temporary file in the directory of `path`, under a name that no file has. Never follows a
/// symbolic link: a run directory of somebody else could have one in its place.
fn create_beside(path: &Path) -> io::Result<(PathBuf, fs::File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_file_name(format!(".tenbin-{}-{count}.part", process::id()));
        let created = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary);
        match created {
            // A killed process with the same id, or one on another machine, can have the name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (temporary, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileTypeExt as _;

    use super::*;

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let is_device = |path: &str| fs::metadata(path).unwrap().file_type().is_char_device();
        write_atomically(Path::new("/dev/null"), b"text").unwrap();
        assert!(is_device("/dev/null"));
        write_atomically(Path::new("/dev/full"), b"text").unwrap_err();
        assert!(is_device("/dev/full"));
    }

    #[test]
    fn an_unwritable_place_is_detected_before_writing() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("result.csv");
        can_write_atomically(&file).unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        for path in [
            root.path().join("missing/result.csv"),
            root.path().to_owned(),
            "/dev/full".into(),
            "/proc/result.csv".into(),
        ] {
            can_write_atomically(&path).unwrap_err();
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("result.json");
        write_atomically(&path, b"old").unwrap();
        let failed = write_atomically_with(&path, |file| {
            file.write_all(b"new")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_of_the_user_with_a_similar_name_stays() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("result.csv");
        let own = root.path().join("result.csv.part");
        fs::write(&own, "own").unwrap();
        can_write_atomically(&path).unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&own).unwrap(), b"own");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    }

    #[test]
    fn two_writers_of_one_file_do_not_meet() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("result.csv");
        write_atomically_with(&path, |file| {
            write_atomically(&path, b"inner").map_err(io::Error::other)?;
            file.write_all(b"outer")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"outer");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }
}
