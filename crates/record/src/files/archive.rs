//! Packs a run directory into one file: a tar archive, compressed with zstd.
//!
//! The archive has one directory with the files from which a result is computed, and the files that
//! the caller names. The archive has no owners, no times and no other files, such as the output of
//! launched servers. The same run therefore always gives the same bytes.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

use tar::{Archive, Builder, EntryType, Header};
use tenbin_plan::{Sentence, open_own, sentence};

use crate::error::RecordError;
use crate::files::atomic::write_atomically_with;
use crate::files::names::{ENVIRONMENT_FILE, INTERVALS_FILE, LATENCY_FILE, PLAN_FILE, TOTALS_FILE};

/// The files from which a run is read.
const RAW_FILES: [&str; 5] = [
    PLAN_FILE, ENVIRONMENT_FILE, INTERVALS_FILE, LATENCY_FILE, TOTALS_FILE,
];
/// The magic number of a tar archive, and its place in the archive.
const MAGIC: &[u8] = b"ustar";
const MAGIC_AT: usize = 257;
/// Limit of the total size of the unpacked files, bytes. A ten-hour run with slices of 2 s has 0.25
/// GB.
const LARGEST: u64 = 8 << 30;
/// An archive can unpack to this number of bytes plus [`LIMIT_PER_BYTE`] for each byte of the
/// archive, so that a small file cannot fill a disk.
const SMALLEST_LIMIT: u64 = 64 << 20;
const LIMIT_PER_BYTE: u64 = 100;
/// Base-2 logarithm of the largest compression window, which is the default limit of `zstd`.
const LARGEST_WINDOW: u32 = 27;
/// Compression level. Histograms are compressed already; a higher level gains little.
const LEVEL: i32 = 3;

/// Sizes of a packed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackSize {
    /// Number of files.
    pub files: usize,
    /// Total size of the files before packing, bytes.
    pub content: u64,
    /// Size of the archive, bytes.
    pub packed: u64,
}

/// Whether `content` is a packed run: an archive that is compressed with zstd. Other tools compress
/// their lists with zstd.
pub fn is_packed(content: impl Read) -> bool {
    let mut beginning = [0; MAGIC_AT + MAGIC.len()];
    let decoder = zstd::Decoder::new(content);
    let read = decoder.and_then(|mut decoder| decoder.read_exact(&mut beginning));
    read.is_ok() && beginning[MAGIC_AT..] == *MAGIC
}

/// Writes the run in `directory` to `file`: the raw data, and the files named in `others` if they
/// exist.
///
/// # Errors
/// When a file cannot be read or written.
pub fn pack(directory: &Path, others: &[&str], file: &Path) -> Result<PackSize, RecordError> {
    let name = directory
        .canonicalize()
        .ok()
        .and_then(|path| Some(path.file_name()?.to_owned()));
    let name = PathBuf::from(name.unwrap_or_else(|| "run".into()));
    let mut size = PackSize {
        files: 0,
        content: 0,
        packed: 0,
    };
    let mut unread = None;
    write_atomically_with(file, |to| {
        let mut archive = Builder::new(zstd::Encoder::new(to, LEVEL)?);
        for each in RAW_FILES.iter().chain(others) {
            let path = directory.join(each);
            match append(&mut archive, &path, &name.join(each)) {
                Ok(0) => {}
                Ok(bytes) => {
                    size.files += 1;
                    size.content += bytes;
                }
                Err(Failed::Read(error)) => {
                    let shown = io::Error::new(error.kind(), Sentence::from(&error));
                    unread = Some((path, shown));
                    return Err(error);
                }
                Err(Failed::Write(error)) => return Err(error),
            }
        }
        archive.into_inner()?.finish()?.flush()
    })
    .map_err(|error| match unread.take() {
        Some((path, source)) => RecordError::io("read", &path, source),
        None => error,
    })?;
    let written = fs::metadata(file).map_err(|error| RecordError::io("read", file, error))?;
    size.packed = written.len();
    Ok(size)
}

enum Failed {
    Read(io::Error),
    Write(io::Error),
}

/// Appends a file and returns its length; leaves out a missing file and returns 0. A symbolic link
/// is an error: it can lead to a private file outside the run directory.
fn append<W: Write>(archive: &mut Builder<W>, path: &Path, name: &Path) -> Result<u64, Failed> {
    let file = match open_own(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened.map_err(Failed::Read)?,
    };
    let length = file.metadata().map_err(Failed::Read)?.len();
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(length);
    header.set_mode(0o644);
    header.set_mtime(0);
    archive
        .append_data(&mut header, name, file.take(length))
        .map_err(Failed::Write)?;
    Ok(length)
}

/// Unpacks `file` into the directory `into`, which must exist, and returns the name of the run's
/// directory in the archive. Writes only files that [`pack`] packs, and nothing outside `into`.
///
/// # Errors
/// When the file cannot be read, is not a packed run, or has entries that [`pack`] never writes.
pub fn unpack(file: &Path, others: &[&str], into: &Path) -> Result<String, RecordError> {
    let foreign = |why: Sentence| RecordError::NotPacked {
        path: file.to_owned(),
        why,
    };
    if !file.is_file() {
        let why = sentence!("packed-no-file", "it is not an ordinary file");
        return Err(foreign(why));
    }
    let unreadable = |error: io::Error| foreign(Sentence::from(&error));
    let opened = File::open(file).map_err(|error| RecordError::io("read", file, error))?;
    let mut decoder = zstd::Decoder::new(BufReader::new(opened)).map_err(unreadable)?;
    decoder.window_log_max(LARGEST_WINDOW).map_err(unreadable)?;
    let packed = file.metadata().map_or(0, |metadata| metadata.len());
    let mut left =
        LARGEST.min(SMALLEST_LIMIT.saturating_add(packed.saturating_mul(LIMIT_PER_BYTE)));
    // Allows extra bytes for tar headers and padding; the loop below enforces the limit on file
    // content.
    let mut archive = Archive::new(decoder.take(left + SMALLEST_LIMIT));
    let mut run = String::new();
    let mut unpacked = BTreeSet::new();
    for entry in archive.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let path = entry.path().map_err(unreadable)?.into_owned();
        let (directory, name) = names(&path).ok_or_else(|| {
            foreign(sentence!(
                "packed-outside",
                "it has a file outside the run's directory"
            ))
        })?;
        let known = RAW_FILES.iter().chain(others).find(|each| **each == name);
        let Some(known) = known.filter(|_| entry.header().entry_type() == EntryType::Regular)
        else {
            let why = sentence!("packed-foreign-entry", "it has an entry that no run has");
            return Err(foreign(why));
        };
        if !unpacked.insert(*known) {
            return Err(foreign(sentence!("packed-twice", "it has a file twice")));
        }
        run = directory;
        let target = into.join(known);
        let mut to = File::create(&target).map_err(|e| RecordError::io("write", &target, e))?;
        let mut content = (&mut entry).take(left + 1);
        let length = copy(&mut content, &mut to).map_err(|failed| match failed {
            Failed::Read(error) => unreadable(error),
            Failed::Write(error) => RecordError::io("write", &target, error),
        })?;
        left = left.checked_sub(length).ok_or_else(|| {
            foreign(sentence!(
                "packed-too-large",
                "it unpacks to more than a run of its size can hold"
            ))
        })?;
    }
    if unpacked.contains(PLAN_FILE) {
        Ok(run)
    } else {
        Err(foreign(sentence!("packed-no-plan", "it has no plan.toml")))
    }
}

/// The directory and the name of `directory/name`; `None` for every other path.
fn names(path: &Path) -> Option<(String, &str)> {
    let mut parts = path.components();
    let (Some(Component::Normal(directory)), Some(Component::Normal(name)), None) =
        (parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    Some((directory.to_string_lossy().into_owned(), name.to_str()?))
}

fn copy(from: &mut impl Read, to: &mut File) -> Result<u64, Failed> {
    let mut buffer = vec![0; 64 << 10];
    let mut length = 0;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(length),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failed::Read(error)),
        };
        to.write_all(&buffer[..count]).map_err(Failed::Write)?;
        length += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in [
            (PLAN_FILE, "name = \"x\"\n"),
            (INTERVALS_FILE, "{}\n"),
            ("result.json", "{}"),
            ("secret.log", "not packed"),
        ] {
            fs::write(directory.path().join(name), content).unwrap();
        }
        directory
    }

    fn archive(entries: &[(&str, EntryType, &[u8])]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut builder = Builder::new(zstd::Encoder::new(file.reopen().unwrap(), 1).unwrap());
        for (name, kind, content) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            // Written directly, because `set_path` refuses an attacker's path.
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, *content).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap();
        file
    }

    fn refusal(file: &Path) -> String {
        let into = tempfile::tempdir().unwrap();
        let why = unpack(file, &["result.json"], into.path()).unwrap_err();
        why.to_string()
    }

    #[test]
    fn what_was_packed_is_unpacked_and_nothing_else() {
        let (run, into) = (run(), tempfile::tempdir().unwrap());
        let file = into.path().join("run.tar.zst");
        let size = pack(run.path(), &["result.json"], &file).unwrap();
        assert_eq!((size.files, size.content), (3, 11 + 3 + 2));
        let again = into.path().join("again.tar.zst");
        pack(run.path(), &["result.json"], &again).unwrap();
        assert_eq!(fs::read(&file).unwrap(), fs::read(&again).unwrap());
        assert!(is_packed(fs::read(&file).unwrap().as_slice()));
        let list = zstd::encode_all("idx\tthread\n".repeat(99).as_bytes(), 1).unwrap();
        assert!(!is_packed(list.as_slice()));

        let to = tempfile::tempdir().unwrap();
        let name = unpack(&file, &["result.json"], to.path()).unwrap();
        assert_eq!(Some(name.as_ref()), run.path().file_name());
        for file in [PLAN_FILE, INTERVALS_FILE, "result.json"] {
            let content = |directory: &Path| fs::read(directory.join(file)).unwrap();
            assert_eq!(content(to.path()), content(run.path()));
        }
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 3);
    }

    #[test]
    fn hostile_archives_are_refused() {
        let plan = ("run/plan.toml", EntryType::Regular, &b"x"[..]);
        for (entries, why) in [
            (
                vec![("../plan.toml", EntryType::Regular, &b"x"[..])],
                "outside",
            ),
            (
                vec![("/etc/plan.toml", EntryType::Regular, b"x")],
                "outside",
            ),
            (
                vec![("run/a/plan.toml", EntryType::Regular, b"x")],
                "outside",
            ),
            (vec![("run/other", EntryType::Regular, b"x")], "no run has"),
            (
                vec![("run/plan.toml", EntryType::Symlink, b"")],
                "no run has",
            ),
            (vec![("run/plan.toml", EntryType::Fifo, b"")], "no run has"),
            (vec![plan, plan], "twice"),
            (
                vec![("run/result.json", EntryType::Regular, b"x")],
                "plan.toml",
            ),
            (vec![], "plan.toml"),
        ] {
            let refused = refusal(archive(&entries).path());
            assert!(refused.contains(why), "{refused}");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"not packed").unwrap();
        assert!(refusal(file.path()).contains("is not a packed run"));
        assert!(refusal(Path::new("/dev/zero")).contains("not an ordinary file"));
        let zeros = vec![0; 90 << 20];
        let bomb = archive(&[plan, ("run/result.json", EntryType::Regular, &zeros)]);
        assert!(refusal(bomb.path()).contains("more than a run"));
        let whole = fs::read(archive(&[plan]).path()).unwrap();
        fs::write(file.path(), &whole[..whole.len() - 5]).unwrap();
        assert!(refusal(file.path()).contains("is not a packed run"));
    }
}
