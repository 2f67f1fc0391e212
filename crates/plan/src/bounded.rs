//! Files that somebody named, read with a bound: what is named may be a device that never
//! ends, or far larger than anyone meant.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest plan file, bytes.
pub(crate) const LARGEST_PLAN: u64 = 16 << 20;
/// Largest file that a plan names (a body, patterns, a trace, sizes), bytes. Such a file is
/// kept in memory.
pub(crate) const LARGEST_NAMED: u64 = 256 << 20;

/// Largest result file of this or another tool that is read at once, bytes.
pub const LARGEST_RESULT: u64 = 256 << 20;

/// The content of a regular file of at most `limit` bytes, a multiple of 1 MiB. A pipe or a
/// device is refused without opening it: opening a pipe may wait without end.
///
/// # Errors
///
/// Those of [`read_bounded`]; [`io::ErrorKind::InvalidInput`] if it is no regular file.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    read_bounded(path, limit)
}

/// The content of a file of at most `limit` bytes, a multiple of 1 MiB.
///
/// # Errors
///
/// Those of opening and reading; [`io::ErrorKind::FileTooLarge`] as soon as more than
/// `limit` bytes have been read, whatever size the file system gave.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let expected = file.metadata()?.len();
    let mut bytes = Vec::new();
    if expected <= limit {
        bytes.reserve_exact(expected as usize + 1);
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    if expected > limit || bytes.len() as u64 > limit {
        let limit = limit >> 20;
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {limit} MiB, the most that is read of such a file"),
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_limit_and_an_endless_one_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        for (size, fits) in [(0, true), (1 << 20, true), ((1 << 20) + 1, false)] {
            std::fs::write(&path, vec![b'x'; size]).unwrap();
            let read = read_bounded(&path, 1 << 20);
            assert_eq!(read.map(|bytes| bytes.len()).ok(), fits.then_some(size));
        }
        let endless = read_bounded(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
        assert!(endless.to_string().contains("1 MiB"), "{endless}");
        let device = read_regular(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(device.kind(), io::ErrorKind::InvalidInput);
    }
}
