//! Locations that are kept in memory, written down all the same: what a run that is
//! killed has stored can then be found and deleted.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::{Entry, Page};
use super::journal::{self, Journal, Record};

/// Directory in a run directory.
const DIRECTORY: &str = "blobs";

/// Journals of one set of one target, in the directory of the run.
#[derive(Debug)]
pub(crate) struct Trail {
    directory: PathBuf,
    set: String,
    /// Journals so far.
    count: AtomicU64,
}

/// What journals tell.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Blobs that were acknowledged and not deleted, by number.
    pub(crate) page: Page,
    /// PUTs of which nobody knows what became, at most.
    pub(crate) orphans: u64,
}

impl Trail {
    pub(crate) fn new(run_directory: &Path, target: &str, set: &str) -> Self {
        Self {
            directory: run_directory.join(DIRECTORY).join(target),
            set: set.to_owned(),
            count: AtomicU64::new(0),
        }
    }

    /// Where the journals are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A journal of one worker in the slice that begins; `out` is how many PUTs it has
    /// out at once, at most.
    pub(crate) fn journal(&self, out: u64) -> io::Result<Journal> {
        std::fs::create_dir_all(&self.directory)?;
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{number}.journal", self.set);
        Journal::create(&self.directory.join(name), &self.set, out)
    }

    /// What a run that was killed has left.
    pub(crate) fn read(&self) -> io::Result<Found> {
        let (mut there, mut gone, mut orphans) = (BTreeMap::new(), Vec::new(), 0);
        for file in self.files()? {
            let bytes = std::fs::read(file)?;
            let records = journal::read(&bytes);
            for record in &records {
                match record {
                    Record::Put(entry) => {
                        there.insert(entry.number, (entry.size, entry.location.to_owned()));
                    }
                    Record::Gone(number) => gone.push(*number),
                    Record::Begin { .. } | Record::Leaving(_) | Record::Kept(_) | Record::End => {}
                }
            }
            if let Some(Record::Begin { out, .. }) = records.first()
                && records.last() != Some(&Record::End)
            {
                orphans += out;
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

    /// Removes the journals: nothing of what they tell of is left.
    pub(crate) fn forget(&self) -> io::Result<()> {
        self.files()?.iter().try_for_each(std::fs::remove_file)?;
        // Not while another set has journals there.
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
    use crate::blob::batch::Batch;

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
        let trail = Trail::new(run.path(), "store", "set");
        let mut first = trail.journal(4).unwrap();
        let mut second = trail.journal(4).unwrap();
        let mut deleting = trail.journal(0).unwrap();
        for number in [5, 1, 3] {
            first.put(entry(number)).unwrap();
        }
        second.put(entry(2)).unwrap();
        second.end().unwrap();
        deleting.gone(1).unwrap();
        // Killed here.
        Trail::new(run.path(), "store", "other").journal(9).unwrap();
        let again = Trail::new(run.path(), "store", "set");
        let found = again.read().unwrap();
        assert_eq!(found.orphans, 4);
        let batch = Batch::of(vec![found.page]);
        let left: Vec<_> = (0..batch.len()).map(|at| batch.entry(at)).collect();
        assert_eq!(left, [entry(2), entry(3), entry(5)]);
        again.forget().unwrap();
        assert_eq!(Batch::of(vec![again.read().unwrap().page]).len(), 0);
        let other = Trail::new(run.path(), "store", "other");
        assert_eq!(other.read().unwrap().orphans, 9);
        other.forget().unwrap();
        assert!(!run.path().join(DIRECTORY).exists());
    }
}
