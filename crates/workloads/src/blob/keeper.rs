//! What one worker has stored: written down as it is acknowledged, and handed over in
//! the end.

use std::sync::{Arc, Mutex, PoisonError};

use tenbin_engine::ErrorClass;

use super::batch::{Collected, Entry, Page};
use super::journal::Journal;
use super::work::Budget;

/// What one worker has stored.
pub(crate) struct Keeper {
    page: Page,
    /// Those of which nobody knows what became, and which can be found all the same.
    doubtful: Page,
    journal: Option<Journal>,
    pub(crate) budget: Budget,
    /// Where the pages go in the end.
    collected: Arc<Mutex<Collected>>,
}

impl Keeper {
    pub(crate) fn new(
        journal: Option<Journal>,
        budget: Budget,
        collected: Arc<Mutex<Collected>>,
    ) -> Self {
        Self {
            page: Page::default(),
            doubtful: Page::default(),
            journal,
            budget,
            collected,
        }
    }

    /// Takes down a blob that was acknowledged.
    pub(crate) fn keep(&mut self, entry: Entry<'_>) -> Result<(), (ErrorClass, String)> {
        if self.page.ends_with(entry.location) {
            let text = "its location is that of the blob before it";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.put(entry)
        {
            self.budget.set.note_orphan();
            let text = format!("its location could not be kept: {error}");
            return Err((ErrorClass::Status, text));
        }
        self.page.push(entry);
        Ok(())
    }

    /// Takes down where a blob is going to be, for as long as the run goes: locations on
    /// disk are those of whole blobs alone.
    pub(crate) fn expect(&mut self, entry: Entry<'_>) {
        if !self.budget.set.stays()
            && let Some(journal) = &mut self.journal
        {
            // Told again when it is whole, and then the run cannot do without.
            let _ = journal.put(entry);
        }
    }

    /// Nothing is left of a blob that was expected.
    pub(crate) fn forget(&mut self, number: u64) {
        if !self.budget.set.stays()
            && let Some(journal) = &mut self.journal
        {
            // Deleted twice at worst.
            let _ = journal.gone(number);
        }
    }

    /// An answer does not tell where a blob is. One that says that it was stored leaves a
    /// blob that nobody can find.
    pub(crate) fn miss(&self, status: u16) {
        if status == 200 {
            self.budget.set.note_orphan();
        }
    }

    /// A blob, or a part of it, may be there, and this tells where.
    pub(crate) fn doubt(&mut self, entry: Entry<'_>) {
        self.doubtful.push(entry);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(journal) = &mut self.journal {
            // Without it, a few blobs too many are taken for lost.
            let _ = journal.end();
        }
        let collected = self.collected.lock();
        let mut collected = collected.unwrap_or_else(PoisonError::into_inner);
        collected.pages.push(std::mem::take(&mut self.page));
        collected.doubtful.push(std::mem::take(&mut self.doubtful));
    }
}
