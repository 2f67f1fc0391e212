//! Blob locations that are kept after a run: workers write journals during a slice, and the
//! journals are merged into a database after the slice.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use redb::{
    Database, DatabaseError, ReadableTable, ReadableTableMetadata, StorageError, TableDefinition,
    WriteTransaction,
};

use crate::blob::stored::batch::{Entry, Page};
use crate::blob::stored::journal::{self, Journal, Record};

/// Table of blobs by set and number: size (eight bytes, little-endian) and location.
const BLOBS: TableDefinition<'_, (&str, u64), &[u8]> = TableDefinition::new("blobs");

/// Table of values by set and name: [`SEED`], [`NEXT`] and [`ORPHANS`].
const FIGURES: TableDefinition<'_, (&str, &str), u64> = TableDefinition::new("figures");

/// Table of the blobs in [`BLOBS`] whose deletion was requested and has an unknown outcome, by set
/// and number.
const DELETING: TableDefinition<'_, (&str, u64), ()> = TableDefinition::new("leaving");

const SEED: &str = "seed";
const NEXT: &str = "next";
const ORPHANS: &str = "orphans";

/// Database and journals with the blob locations of one target.
#[derive(Debug)]
pub(crate) struct Disk {
    directory: PathBuf,
    target: String,
    database: Database,
}

/// State of a set of blobs, as recorded in the database.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Seed of the content.
    pub(crate) seed: u64,
    /// The first unused blob number.
    pub(crate) next: u64,
    /// Upper bound for the number of blobs at unknown locations.
    pub(crate) orphans: u64,
}

impl Disk {
    /// Opens or creates the database of a target, and merges the journals of a killed run.
    pub(crate) fn open(directory: &Path, target: &str) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let path = file(directory, target);
        let database = Database::create(&path).map_err(|error| unopened(error, &path))?;
        let disk = Self {
            directory: directory.to_owned(),
            target: target.to_owned(),
            database,
        };
        disk.fold()?;
        Ok(disk)
    }

    /// Directory of the database and the journals.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// File of the database.
    pub(crate) fn file(&self) -> PathBuf {
        file(&self.directory, &self.target)
    }

    /// A journal for one worker of the next slice; `out` is the maximum number of PUTs in flight.
    pub(crate) fn journal(&self, worker: usize, set: &str, out: u64) -> io::Result<Journal> {
        let name = format!("{}.{worker}.journal", self.target);
        Journal::create(&self.directory.join(name), set, out)
    }

    /// Moves the contents of the journals into the database, syncs it to disk, and removes the
    /// journals.
    pub(crate) fn fold(&self) -> io::Result<()> {
        let journals = self.journals()?;
        if journals.is_empty() {
            return Ok(());
        }
        let transaction = self.database.begin_write().map_err(other)?;
        for journal in &journals {
            let bytes = std::fs::read(journal)?;
            fold_in(&transaction, &journal::read(&bytes)).map_err(other)?;
        }
        transaction.commit().map_err(other)?;
        // Merging a journal twice changes nothing.
        journals.iter().try_for_each(std::fs::remove_file)
    }

    fn journals(&self) -> io::Result<Vec<PathBuf>> {
        journal::files(&self.directory, &format!("{}.", self.target))
    }

    /// State of a set; a new set is created with `seed`.
    pub(crate) fn known(&self, set: &str, seed: u64) -> io::Result<Known> {
        let transaction = self.database.begin_write().map_err(other)?;
        let known = known(&transaction, set, seed).map_err(other)?;
        transaction.commit().map_err(other)?;
        Ok(known)
    }

    /// Every blob of a set, ascending by number.
    pub(crate) fn load(&self, set: &str) -> io::Result<Page> {
        let transaction = self.database.begin_write().map_err(other)?;
        load(&transaction, set).map_err(other)
    }

    /// Numbers of the blobs of a set whose deletion was requested and has an unknown outcome, in
    /// ascending order.
    pub(crate) fn deleting(&self, set: &str) -> io::Result<Vec<u64>> {
        let transaction = self.database.begin_write().map_err(other)?;
        deleting(&transaction, set).map_err(other)
    }
}

fn unopened(error: DatabaseError, path: &Path) -> io::Error {
    let file = path.display();
    match error {
        DatabaseError::DatabaseAlreadyOpen => io::Error::other(
            "another run keeps its locations there; wait for it to end, or name another directory",
        ),
        DatabaseError::Storage(StorageError::Io(error))
            if error.kind() != io::ErrorKind::InvalidData =>
        {
            error
        }
        error => io::Error::other(format!(
            "{file} was changed or damaged after a run wrote it ({error}); restore a copy, or name \
            another directory"
        )),
    }
}

fn file(directory: &Path, target: &str) -> PathBuf {
    directory.join(format!("{target}.redb"))
}

fn known(transaction: &WriteTransaction, set: &str, seed: u64) -> Result<Known, redb::Error> {
    let mut figures = transaction.open_table(FIGURES)?;
    let mut read = |name, otherwise| -> Result<u64, redb::Error> {
        if let Some(known) = figures.get((set, name))? {
            return Ok(known.value());
        }
        figures.insert((set, name), otherwise)?;
        Ok(otherwise)
    };
    Ok(Known {
        seed: read(SEED, seed)?,
        next: read(NEXT, 0)?,
        orphans: read(ORPHANS, 0)?,
    })
}

fn load(transaction: &WriteTransaction, set: &str) -> Result<Page, redb::Error> {
    let blobs = transaction.open_table(BLOBS)?;
    let mut page = Page::default();
    for found in blobs.range((set, 0)..=(set, u64::MAX))? {
        let (key, value) = found?;
        let (size, location) = value.value().split_at_checked(8).unwrap_or_default();
        page.push(Entry {
            number: key.value().1,
            size: size.try_into().map_or(0, u64::from_le_bytes),
            location,
        });
    }
    Ok(page)
}

fn deleting(transaction: &WriteTransaction, set: &str) -> Result<Vec<u64>, redb::Error> {
    let deleting = transaction.open_table(DELETING)?;
    let mut numbers = Vec::new();
    for found in deleting.range((set, 0)..=(set, u64::MAX))? {
        numbers.push(found?.0.value().1);
    }
    Ok(numbers)
}

fn fold_in(transaction: &WriteTransaction, records: &[Record<'_>]) -> Result<(), redb::Error> {
    let Some(Record::Begin { set, out }) = records.first() else {
        return Ok(());
    };
    let mut blobs = transaction.open_table(BLOBS)?;
    let mut deleting = transaction.open_table(DELETING)?;
    let mut figures = transaction.open_table(FIGURES)?;
    // Nearly all requested deletions have a known outcome by the end of the slice, so only
    // deletions without an outcome are recorded.
    let mut pending = BTreeSet::new();
    let doubtful = !deleting.is_empty()?;
    let mut value = Vec::new();
    let mut next = figures.get((*set, NEXT))?.map_or(0, |next| next.value());
    for record in records {
        match record {
            Record::Put(entry) => {
                value.clear();
                value.extend_from_slice(&entry.size.to_le_bytes());
                value.extend_from_slice(entry.location);
                blobs.insert((*set, entry.number), value.as_slice())?;
                next = next.max(entry.number + 1);
            }
            Record::Gone(number) => {
                blobs.remove((*set, *number))?;
                pending.remove(number);
                if doubtful {
                    deleting.remove((*set, *number))?;
                }
            }
            Record::Deleting(numbers) => pending.extend(numbers),
            Record::Kept(number) => {
                pending.remove(number);
                deleting.remove((*set, *number))?;
            }
            Record::Begin { .. } | Record::End => {}
        }
    }
    for number in pending {
        deleting.insert((*set, number), ())?;
    }
    figures.insert((*set, NEXT), next)?;
    if records.last() != Some(&Record::End) && *out > 0 {
        let before = figures
            .get((*set, ORPHANS))?
            .map_or(0, |known| known.value());
        figures.insert((*set, ORPHANS), before.saturating_add(*out))?;
    }
    Ok(())
}

fn other(error: impl Into<redb::Error>) -> io::Error {
    io::Error::other(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::stored::batch::Batch;

    fn entry(number: u64) -> Entry<'static> {
        Entry {
            number,
            size: number + 1,
            location: b"{}",
        }
    }

    fn numbers(disk: &Disk, set: &str) -> Vec<u64> {
        let batch = Batch::of(vec![disk.load(set).unwrap()]);
        (0..batch.len()).map(|at| batch.entry(at).number).collect()
    }

    #[test]
    fn an_error_on_locations_says_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let first = Disk::open(directory.path(), "store").unwrap();
        let message = |target| {
            Disk::open(directory.path(), target)
                .unwrap_err()
                .to_string()
        };
        assert!(message("store").contains("wait for it to end"));
        drop(first);
        std::fs::write(directory.path().join("other.redb"), [7; 5_000]).unwrap();
        assert!(message("other").contains("restore a copy"));
    }

    #[test]
    fn acknowledged_blobs_survive_a_kill_and_count_once() {
        let directory = tempfile::tempdir().unwrap();
        {
            let disk = Disk::open(directory.path(), "store").unwrap();
            assert_eq!(disk.known("set", 5).unwrap().seed, 5);
            let mut journal = disk.journal(0, "set", 4).unwrap();
            let mut second = disk.journal(1, "set", 4).unwrap();
            for number in [0, 2, 4] {
                journal.put(entry(number)).unwrap();
            }
            second.put(entry(1)).unwrap();
            second.end().unwrap();
            journal.gone(2).unwrap();
            // The run is killed here: the journal is neither merged nor ended.
        }
        let disk = Disk::open(directory.path(), "store").unwrap();
        assert_eq!(numbers(&disk, "set"), [0, 1, 4]);
        assert!(numbers(&disk, "other").is_empty());
        let known = disk.known("set", 99).unwrap();
        assert_eq!((known.seed, known.next, known.orphans), (5, 5, 4));
        disk.fold().unwrap();
        assert_eq!(disk.known("set", 99).unwrap().orphans, 4);
        let batch = Batch::of(vec![disk.load("set").unwrap()]);
        assert_eq!(batch.entry(2), entry(4));
    }

    #[test]
    fn blobs_that_were_being_deleted_are_distinguished() {
        let directory = tempfile::tempdir().unwrap();
        let disk = Disk::open(directory.path(), "store").unwrap();
        let mut journal = disk.journal(0, "set", 0).unwrap();
        for number in 0..8 {
            journal.put(entry(number)).unwrap();
        }
        disk.fold().unwrap();
        let mut journal = disk.journal(0, "set", 0).unwrap();
        journal.deleting([0, 1, 2, 3, 4].into_iter()).unwrap();
        journal.gone(0).unwrap();
        journal.kept(1).unwrap();
        // The run is killed here.
        disk.fold().unwrap();
        assert_eq!(numbers(&disk, "set"), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(disk.deleting("set").unwrap(), [2, 3, 4]);
        assert!(disk.deleting("other").unwrap().is_empty());
        let mut journal = disk.journal(0, "set", 0).unwrap();
        journal.deleting([2, 3].into_iter()).unwrap();
        journal.gone(2).unwrap();
        journal.kept(3).unwrap();
        journal.gone(4).unwrap();
        // Merging a journal twice changes nothing.
        let path = directory.path().join("store.0.journal");
        let bytes = std::fs::read(&path).unwrap();
        for _ in 0..2 {
            std::fs::write(&path, &bytes).unwrap();
            disk.fold().unwrap();
            assert_eq!(numbers(&disk, "set"), [1, 3, 5, 6, 7]);
            assert!(disk.deleting("set").unwrap().is_empty());
        }
    }

    #[test]
    fn a_second_process_gets_an_error_that_names_the_use() {
        let directory = tempfile::tempdir().unwrap();
        let _first = Disk::open(directory.path(), "store").unwrap();
        assert!(Disk::open(directory.path(), "store").is_err());
        assert!(Disk::open(directory.path(), "another").is_ok());
    }
}
