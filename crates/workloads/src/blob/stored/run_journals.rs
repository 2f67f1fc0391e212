//! Journals of blob locations that are otherwise only in memory, used to find and delete the blobs
//! of a killed run.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::blob::stored::batch::{Entry, Page};
use crate::blob::stored::journal::{self, Journal, Record};

/// Name of the journals' directory in a run directory.
const DIRECTORY: &str = "blobs";

/// Largest journal that is read, bytes: some 60 million blobs.
const LARGEST_JOURNAL: u64 = 4 << 30;

/// The journals of one set of one target, in the run directory.
#[derive(Debug)]
pub(crate) struct RunJournals {
    directory: PathBuf,
    set: String,
    /// Number of journals so far.
    count: AtomicU64,
}

/// Blobs in the journals of a killed run.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Blobs that were acknowledged and not deleted, by number.
    pub(crate) page: Page,
    /// Upper bound for the number of PUTs with unknown outcome.
    pub(crate) orphans: u64,
}

impl RunJournals {
    pub(crate) fn new(run_directory: &Path, target: &str, set: &str) -> Self {
        Self {
            directory: run_directory.join(DIRECTORY).join(target),
            set: set.to_owned(),
            count: AtomicU64::new(0),
        }
    }

    /// Directory of the journals.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A journal for one worker of the next slice; `out` is the maximum number of PUTs in flight.
    pub(crate) fn journal(&self, out: u64) -> io::Result<Journal> {
        std::fs::create_dir_all(&self.directory)?;
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{number}.journal", self.set);
        Journal::create(&self.directory.join(name), &self.set, out)
    }

    /// Reads the journals that a killed run has left.
    pub(crate) fn read(&self) -> io::Result<Found> {
        let (mut there, mut gone, mut orphans) = (BTreeMap::new(), Vec::new(), 0);
        for file in self.files()? {
            let bytes = tenbin_plan::read_own(&file, LARGEST_JOURNAL)?;
            let records = journal::read(&bytes);
            for record in &records {
                match record {
                    Record::Put(entry) => {
                        there.insert(entry.number, (entry.size, entry.location.to_owned()));
                    }
                    Record::Gone(number) => gone.push(*number),
                    Record::Begin { .. } | Record::Deleting(_) | Record::Kept(_) | Record::End => {}
                }
            }
            if let Some(Record::Begin { out, .. }) = records.first()
                && records.last() != Some(&Record::End)
            {
                orphans = u64::saturating_add(orphans, *out);
            }
        }
        for number in gone {
            there.remove(&number);
        }
        let mut page = Page::default();
        for (number, (size, location)) in there {
            page.push(Entry {
                number,
                size,
                location: &location,
            });
        }
        Ok(Found { page, orphans })
    }

    /// Removes the journals; called after all their blobs were deleted.
    pub(crate) fn forget(&self) -> io::Result<()> {
        self.files()?.iter().try_for_each(std::fs::remove_file)?;
        // Fails while another set has journals in the directory.
        let _ = std::fs::remove_dir(&self.directory);
        let _ = self.directory.parent().map(std::fs::remove_dir);
        Ok(())
    }

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        journal::files(&self.directory, &format!("{}.", self.set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::stored::batch::Batch;

    fn entry(number: u64) -> Entry<'static> {
        Entry {
            number,
            size: 7,
            location: b"{\"a\":1}",
        }
    }

    #[test]
    fn what_is_left_is_what_was_put_and_not_deleted() {
        let run = tempfile::tempdir().unwrap();
        let trail = RunJournals::new(run.path(), "store", "set");
        let mut first = trail.journal(4).unwrap();
        let mut second = trail.journal(4).unwrap();
        let mut deleting = trail.journal(0).unwrap();
        for number in [5, 1, 3] {
            first.put(entry(number)).unwrap();
        }
        second.put(entry(2)).unwrap();
        second.end().unwrap();
        deleting.gone(1).unwrap();
        // The run is killed here.
        RunJournals::new(run.path(), "store", "other")
            .journal(9)
            .unwrap();
        let again = RunJournals::new(run.path(), "store", "set");
        let found = again.read().unwrap();
        assert_eq!(found.orphans, 4);
        let batch = Batch::of(vec![found.page]);
        let left: Vec<_> = (0..batch.len()).map(|at| batch.entry(at)).collect();
        assert_eq!(left, [entry(2), entry(3), entry(5)]);
        again.forget().unwrap();
        assert_eq!(Batch::of(vec![again.read().unwrap().page]).len(), 0);
        let other = RunJournals::new(run.path(), "store", "other");
        assert_eq!(other.read().unwrap().orphans, 9);
        other.forget().unwrap();
        assert!(!run.path().join(DIRECTORY).exists());
    }
}
