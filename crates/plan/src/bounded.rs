//! Reading files up to a size limit: a file name can refer to an endless device, to a pipe, or to a
//! file that is too large by mistake.
//!
//! A run directory can come from somebody else. [`open_own`] and [`read_own`] are the only readers
//! of its files: they follow no symbolic link out of the directory.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::{Sentence, sentence};

/// Largest plan file, bytes.
pub(crate) const LARGEST_PLAN: u64 = 16 << 20;
/// Largest file that a plan names (a body, patterns, a trace, sizes), bytes. These files are kept
/// in memory.
pub(crate) const LARGEST_NAMED: u64 = 256 << 20;

/// Largest result file, of Tenbin or of another tool, that is read into memory, bytes.
pub const LARGEST_RESULT: u64 = 256 << 20;

/// Reads a regular file of at most `limit` bytes. `limit` is a multiple of 1 MiB. Pipes and devices
/// are refused, because reading a pipe can block forever.
///
/// # Errors
///
/// The errors of [`read_bounded`]; [`io::ErrorKind::InvalidInput`] if `path` is not a regular file.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_all(open_as(path, OFlags::empty())?, limit)
}

/// Reads a file of a run directory: a regular file of at most `limit` bytes that is no symbolic
/// link. `limit` is a multiple of 1 MiB.
///
/// # Errors
///
/// The errors of [`open_own`] and of reading; [`io::ErrorKind::FileTooLarge`] if the file is larger
/// than `limit`.
pub fn read_own(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_all(open_own(path)?, limit)
}

/// Opens a file of a run directory: a regular file that is no symbolic link.
///
/// # Errors
///
/// Errors of opening; [`io::ErrorKind::InvalidInput`] if `path` is a symbolic link or not a regular
/// file.
pub fn open_own(path: &Path) -> io::Result<File> {
    open_as(path, OFlags::NOFOLLOW)
}

/// Opens a regular file. The kind of the file is read from the open file, so that the file cannot
/// be replaced in between.
fn open_as(path: &Path, flags: OFlags) -> io::Result<File> {
    // Without NONBLOCK, opening a pipe blocks until its other end is opened.
    let flags = flags | OFlags::NONBLOCK;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let unusable = |why: Sentence| io::Error::new(io::ErrorKind::InvalidInput, why);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP) if flags.contains(OFlags::NOFOLLOW) => unusable(sentence!(
            "file-symbolic-link",
            "it is a symbolic link, and files of a run directory are regular files"
        )),
        // A socket.
        Some(Errno::NXIO) => unusable(sentence!("file-not-regular", "it is not a regular file")),
        _ => error,
    })?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(unusable(sentence!(
            "file-not-regular", "it is not a regular file"
        )))
    }
}

/// Longest time to wait until a program writes to a pipe.
const PIPE_WAIT: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// Opens a file, device or pipe to be read to its end.
///
/// # Errors
///
/// Errors of opening; [`io::ErrorKind::TimedOut`] if no program writes to a pipe within 5 s.
pub fn open_input(path: &Path) -> io::Result<File> {
    // Without NONBLOCK, opening a pipe blocks until its other end is opened.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    if file.metadata()?.file_type().is_fifo() {
        let mut ends = [PollFd::new(&file, PollFlags::IN)];
        if poll(&mut ends, Some(&PIPE_WAIT))? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                sentence!("pipe-without-writer", "no program writes to this pipe"),
            ));
        }
    }
    rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}

/// Reads a file of at most `limit` bytes. `limit` is a multiple of 1 MiB.
///
/// # Errors
///
/// Errors of opening and reading; [`io::ErrorKind::FileTooLarge`] if the size in the file system or
/// the number of bytes read exceeds `limit`.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?, limit)
}

fn read_all(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let expected = file.metadata()?.len();
    let mut bytes = Vec::new();
    if expected <= limit {
        bytes.reserve_exact(expected as usize + 1);
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    if expected > limit || bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

/// Opens a file of at most `limit` bytes, to be read step by step. `limit` is a multiple of 1 MiB.
///
/// # Errors
///
/// Errors of opening; [`io::ErrorKind::FileTooLarge`] if the file is larger than `limit`. The
/// reader returns the same error if more than `limit` bytes are read.
pub(crate) fn open_bounded(path: &Path, limit: u64) -> io::Result<Box<dyn BufRead>> {
    let file = File::open(path)?;
    if file.metadata()?.len() > limit {
        return Err(too_large(limit));
    }
    let left = limit;
    Ok(Box::new(BufReader::new(Bounded { file, left, limit })))
}

struct Bounded {
    file: File,
    left: u64,
    limit: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or_else(|| too_large(self.limit))?;
        Ok(read)
    }
}

fn too_large(limit: u64) -> io::Error {
    let limit = limit >> 20;
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        sentence!(
            "file-too-large",
            "it has more than {limit} MiB, the most that is read of such a file",
            limit
        ),
    )
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
            let mut bytes = Vec::new();
            let opened = open_bounded(&path, 1 << 20);
            let read = opened.and_then(|mut file| file.read_to_end(&mut bytes));
            assert_eq!(read.ok(), fits.then_some(size));
        }
        let endless = read_bounded(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
        assert!(endless.to_string().contains("1 MiB"), "{endless}");
        let device = read_regular(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert_eq!(device.kind(), io::ErrorKind::InvalidInput);
        let mut endless = open_bounded(Path::new("/dev/zero"), 1 << 20).unwrap();
        assert_eq!(
            open_own(scratch.path()).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(read_regular(&link, 2 << 20).is_ok());
        let refused = read_own(&link, 2 << 20).unwrap_err();
        assert!(refused.to_string().contains("symbolic link"), "{refused}");
        assert!(read_own(&path, 2 << 20).is_ok());
        let refused = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    }
}
