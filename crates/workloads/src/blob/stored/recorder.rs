//! Records the blobs that one worker has stored: in the journal at each acknowledgement, and in the
//! set at the end of the slice.

use std::sync::{Arc, Mutex};

use tenbin_engine::ErrorClass;

use crate::blob::phases::fresh::Fresh;
use crate::blob::phases::positions::Budget;
use crate::blob::stored::batch::{Collected, Entry, Page};
use crate::blob::stored::journal::Journal;
use crate::shared::held;

/// Records the blobs that one worker has stored.
pub(crate) struct Recorder {
    page: Page,
    /// Blobs with a known location that may or may not be stored.
    doubtful: Page,
    journal: Option<Journal>,
    pub(crate) budget: Budget,
    /// Receives the recorded blobs when the recorder is dropped.
    collected: Arc<Mutex<Collected>>,
    /// Receives each recorded blob, if blobs are deleted in the same slice.
    fresh: Option<Fresh>,
}

impl Recorder {
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
            fresh: None,
        }
    }

    /// Passes each recorded blob to `fresh`, if any.
    pub(crate) fn with_fresh(mut self, fresh: Option<Fresh>) -> Self {
        self.fresh = fresh;
        self
    }

    /// Records a blob that was acknowledged.
    pub(crate) fn keep(&mut self, entry: Entry<'_>) -> Result<(), (ErrorClass, String)> {
        if self.page.ends_with(entry.location) {
            let text = "its location is that of the previous blob";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.put(entry)
        {
            self.budget.set.note_orphan();
            let text = format!("its location could not be recorded: {error}");
            return Err((ErrorClass::Status, text));
        }
        self.page.push(entry);
        if let Some(fresh) = &self.fresh {
            fresh.push(entry);
        }
        Ok(())
    }

    /// Records the location of an incomplete blob in the journal of the run. If locations are kept
    /// after the run, records nothing, because only complete blobs are kept.
    pub(crate) fn expect(&mut self, entry: Entry<'_>) {
        if !self.budget.set.stays()
            && let Some(journal) = &mut self.journal
        {
            // A failure is ignored here, because the complete blob is recorded again, and a failure
            // then counts.
            let _ = journal.put(entry);
        }
    }

    /// Removes the record of a blob whose allocated space was released.
    pub(crate) fn forget(&mut self, number: u64) {
        if !self.budget.set.stays()
            && let Some(journal) = &mut self.journal
        {
            // At worst the blob is deleted twice.
            let _ = journal.gone(number);
        }
    }

    /// Handles a PUT whose response has no usable location: with status 200, counts a blob that
    /// cannot be found; with other statuses, does nothing.
    pub(crate) fn miss(&self, status: u16) {
        if status == 200 {
            self.budget.set.note_orphan();
        }
    }

    /// Records that a blob, or a part of it, may be stored at this location.
    pub(crate) fn doubt(&mut self, entry: Entry<'_>) {
        self.doubtful.push(entry);
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(journal) = &mut self.journal {
            // If this write fails, the number of lost blobs is overestimated.
            let _ = journal.end();
        }
        let mut collected = held(&self.collected);
        collected.pages.push(std::mem::take(&mut self.page));
        collected.doubtful.push(std::mem::take(&mut self.doubtful));
    }
}
