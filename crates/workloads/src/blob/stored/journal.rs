//! Journal of one worker: an append-only file of acknowledged PUTs and deletions. A record is
//! written before its operation counts, so that a killed process loses at most its last record.
//!
//! A record consists of its length and CRC-32 (four bytes each, little-endian), its kind, and
//! number, size and location of the blob. Each record is written in one call, so that a process
//! that is killed between two calls leaves only complete records.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::blob::protocols::checksums::crc32;
use crate::blob::stored::batch::{Batch, Entry};

const HEAD: usize = 8;
const FIXED: usize = 1 + 8 + 8;

/// Number of PUTs if there is no upper bound.
pub(crate) const UNKNOWN: u64 = u64::MAX;

const BEGIN: u8 = 0;
const PUT: u8 = 1;
const GONE: u8 = 2;
const END: u8 = 3;
const DELETING: u8 = 4;
const KEPT: u8 = 5;

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    record: Vec<u8>,
    /// Buffer for a record with several numbers.
    numbers: Vec<u8>,
}

/// A record of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// A slice has started for the set of this name, with at most `out` PUTs without a record at
    /// any time, or [`UNKNOWN`].
    Begin { set: &'a str, out: u64 },
    /// A PUT of a blob was acknowledged.
    Put(Entry<'a>),
    /// A blob was deleted.
    Gone(u64),
    /// The deletion of these blobs is about to be requested.
    Deleting(Vec<u64>),
    /// A requested deletion was refused.
    Kept(u64),
    /// The slice has ended, and all its responses are known.
    End,
}

impl Journal {
    /// A new journal; overwrites an existing file.
    pub(crate) fn create(path: &Path, set: &str, out: u64) -> io::Result<Self> {
        let mut journal = Self {
            file: File::create(path)?,
            record: Vec::new(),
            numbers: Vec::new(),
        };
        journal.write(BEGIN, out, 0, set.as_bytes())?;
        Ok(journal)
    }

    pub(crate) fn put(&mut self, entry: Entry<'_>) -> io::Result<()> {
        self.write(PUT, entry.number, entry.size, entry.location)
    }

    pub(crate) fn gone(&mut self, number: u64) -> io::Result<()> {
        self.write(GONE, number, 0, b"")
    }

    /// Records that the outcome of these deletions is unknown. Must be called before the deletions
    /// are requested.
    pub(crate) fn deleting(&mut self, numbers: impl Iterator<Item = u64>) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.numbers);
        text.clear();
        numbers.for_each(|number| text.extend_from_slice(&number.to_le_bytes()));
        let written = self.write(DELETING, 0, 0, &text);
        self.numbers = text;
        written
    }

    pub(crate) fn kept(&mut self, number: u64) -> io::Result<()> {
        self.write(KEPT, number, 0, b"")
    }

    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.write(END, 0, 0, b"")
    }

    fn write(&mut self, kind: u8, number: u64, size: u64, text: &[u8]) -> io::Result<()> {
        let record = &mut self.record;
        record.clear();
        record.extend_from_slice(&[0; HEAD]);
        record.push(kind);
        record.extend_from_slice(&number.to_le_bytes());
        record.extend_from_slice(&size.to_le_bytes());
        record.extend_from_slice(text);
        let length = (record.len() - HEAD) as u32;
        let sum = crc32(&record[HEAD..]);
        record[..4].copy_from_slice(&length.to_le_bytes());
        record[4..HEAD].copy_from_slice(&sum.to_le_bytes());
        self.file.write_all(record)
    }
}

/// The files `<start><number>.journal` in a directory, ascending by number; empty if the directory
/// does not exist.
pub(crate) fn files(directory: &Path, start: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut journals = Vec::new();
    for file in entries {
        let name = file?.file_name();
        let text = name.to_string_lossy();
        let number = text
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(".journal"));
        if let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) {
            journals.push((number, directory.join(&name)));
        }
    }
    // The journal of a follower comes last, because it contains the outcomes of deletions that
    // other journals requested.
    journals.sort();
    Ok(journals.into_iter().map(|(_, path)| path).collect())
}

/// The records of a journal, up to the first incomplete or damaged record.
pub(crate) fn read(mut bytes: &[u8]) -> Vec<Record<'_>> {
    let mut records = Vec::new();
    while let Some((record, rest)) = first(bytes) {
        records.push(record);
        bytes = rest;
    }
    records
}

fn first(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (length, sum) = (word(0)? as usize, word(4)?);
    let record = bytes.get(HEAD..HEAD.checked_add(length)?)?;
    if record.len() < FIXED || crc32(record) != sum {
        return None;
    }
    let number_at = |at: usize| Some(u64::from_le_bytes(*record.get(at..)?.first_chunk()?));
    let (number, size) = (number_at(1)?, number_at(9)?);
    let text = &record[FIXED..];
    let record = match record[0] {
        BEGIN => Record::Begin {
            set: std::str::from_utf8(text).ok()?,
            out: number,
        },
        PUT => Record::Put(Entry {
            number,
            size,
            location: text,
        }),
        GONE => Record::Gone(number),
        DELETING => {
            let (numbers, _) = text.as_chunks();
            Record::Deleting(
                numbers
                    .iter()
                    .map(|number| u64::from_le_bytes(*number))
                    .collect(),
            )
        }
        KEPT => Record::Kept(number),
        END => Record::End,
        _ => return None,
    };
    Some((record, &bytes[HEAD + length..]))
}

/// Marks the blob at `place` as deleted, in memory and in `journal`, if any.
pub(crate) fn note_gone(
    batch: &Batch,
    journal: &mut Option<Journal>,
    place: u64,
) -> Result<(), String> {
    batch.note_gone(place);
    match journal {
        None => Ok(()),
        Some(journal) => journal
            .gone(batch.entry(place).number)
            .map_err(|error| format!("the deletion could not be recorded: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written() -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let mut journal = Journal::create(&path, "set", 3).unwrap();
        journal.put(entry(7)).unwrap();
        journal.deleting([7, 9].into_iter()).unwrap();
        journal.gone(7).unwrap();
        journal.kept(9).unwrap();
        journal.end().unwrap();
        std::fs::read(path).unwrap()
    }

    fn entry(number: u64) -> Entry<'static> {
        Entry {
            number,
            size: 10,
            location: b"{\"crc\":1}",
        }
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(
            read(&written()),
            [
                Record::Begin { set: "set", out: 3 },
                Record::Put(entry(7)),
                Record::Deleting(vec![7, 9]),
                Record::Gone(7),
                Record::Kept(9),
                Record::End
            ]
        );
    }

    #[test]
    fn a_record_cut_short_is_none_and_those_before_it_stand() {
        let bytes = written();
        let mut whole = 0;
        for cut in 0..bytes.len() {
            let records = read(&bytes[..cut]);
            assert!(records.len() >= whole && records.len() < 6);
            whole = records.len();
        }
        assert_eq!(whole, 5);
    }

    proptest! {
        #[test]
        fn a_flipped_bit_ends_the_reading(at: prop::sample::Index, bit in 0_u32..8) {
            let mut bytes = written();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert!(read(&bytes).len() < 6);
        }
    }
}
