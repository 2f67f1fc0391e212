//! What a phase deletes after its run, or after an earlier run of the same plan.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tenbin_plan::{Sentence, sentence};

use super::PreparedBlob;
use crate::blob::phases::delete::Deleter;
use crate::blob::phases::positions::{Budget, Positions, Walk};
use crate::blob::protocols::files;
use crate::blob::stored::messages::{self, s};
use crate::prepared::{CleanUp, Leftover, Reading, Stage};
use crate::s3::cleanup::deletion::Remains;
use crate::s3::cleanup::sweep::{Sweep, SweepScope};
use crate::s3::signing::request_writer::RequestWriter;
use crate::site::BlobAccess;
use crate::text::grouped;

/// Connections that delete leftovers after a run.
const CLEANUP_CONNECTIONS: usize = 8;

/// Cleanup of objects that an earlier run of the same plan, or an agent, left on an S3 store.
#[derive(Default)]
pub(super) struct Inherited {
    swept: bool,
    remains: Arc<Remains>,
}

/// Cleanup of blobs that an earlier run left and that are found by name.
impl PreparedBlob {
    /// The stage that deletes everything below the prefix of the set on an S3 store; `None` if
    /// nothing was inherited or an earlier call returned the stage.
    fn sweep(&mut self) -> Option<Stage> {
        let (inherited, place) = (self.inherited.as_mut()?, self.place.as_ref()?);
        if std::mem::replace(&mut inherited.swept, true) {
            return None;
        }
        let sweep = Sweep::new(
            Arc::clone(place),
            RequestWriter::new(place, &self.target, true),
            SweepScope::Objects,
            Vec::new(),
            Arc::clone(&inherited.remains),
        );
        Some(Stage {
            what: sentence!(
                "deleting-under",
                "deleting everything under {prefix}",
                prefix = place.prefix
            ),
            total: None,
            connections: CLEANUP_CONNECTIONS,
            workers: vec![Box::new(sweep)],
            must_succeed: false,
            host: None,
        })
    }

    fn unswept(&self, inherited: &Inherited) -> Option<String> {
        if self.target.means() == BlobAccess::Files && self.work.prefix.is_some() {
            return Some(format!(
                "blobs may be left in directory {}, which may also contain blobs of other runs; delete \
                those that are not needed by hand",
                self.set.name
            ));
        }
        let prefix = &self.place.as_ref()?.prefix;
        let bucket = &self.work.bucket;
        let left = inherited.remains.objects.load(Ordering::Acquire);
        if inherited.remains.unknown.load(Ordering::Acquire) {
            return Some(format!(
                "objects under {prefix} could not be listed and may be left in bucket {bucket}"
            ));
        }
        (left > 0).then(|| {
            format!(
                "up to {} objects under {prefix} could not be deleted from bucket {bucket}",
                grouped(left)
            )
        })
    }

    /// Numbers and sizes (bytes) of the files that an earlier run has left.
    fn files_left(&self) -> std::io::Result<Vec<(u64, u64)>> {
        let Ok(directory) = self.target.url.to_file_path() else {
            return Ok(Vec::new());
        };
        files::left(&directory.join(&self.set.name))
    }
}

impl Drop for PreparedBlob {
    fn drop(&mut self) {
        if self.is_first
            && self.target.means() == BlobAccess::Files
            && let Ok(directory) = self.target.url.to_file_path()
        {
            // Fails if the directory is not empty.
            let _ = std::fs::remove_dir(directory.join(&self.set.name));
        }
    }
}

impl CleanUp for PreparedBlob {
    fn read_back(&mut self) -> Reading {
        self.reading()
    }

    fn inherit(&mut self) {
        if self.is_first && !self.set.stays() && !self.is_dummy() {
            let is_own = self.work.prefix.is_none();
            self.inherited = Some(Inherited::default());
            match self.target.means() {
                BlobAccess::Files if is_own => self.set.inherit_numbers(self.files_left()),
                BlobAccess::Files => {}
                _ => self.set.inherit(),
            }
        }
    }

    fn lost(&self) -> Option<String> {
        messages::lost(&self.set).filter(|_| self.is_first && self.inherited.is_some())
    }

    fn after_run(&mut self) -> Option<Stage> {
        self.end_loading();
        if self.is_first {
            self.find_unreported();
        }
        if !self.is_first || self.set.stays() || self.is_dummy() {
            return None;
        }
        let batches = self.set.all();
        let found = batches[self.cleaned_up.min(batches.len())..]
            .iter()
            .position(|batch| batch.left() > 0);
        let Some(found) = found else {
            if let Some(sweep) = self.sweep() {
                return Some(sweep);
            }
            // All blobs are deleted.
            self.set.settle();
            return None;
        };
        let batch = Arc::clone(&batches[self.cleaned_up + found]);
        self.cleaned_up += found + 1;
        let left = batch.left();
        self.to_delete += left;
        let most = CLEANUP_CONNECTIONS.min(usize::try_from(left).unwrap_or(CLEANUP_CONNECTIONS));
        let positions = Arc::new(Positions::new(batch, None, false, 1));
        let budget = Budget {
            set: Arc::clone(&self.set),
            most: None,
        };
        let walk = Walk::new(&positions);
        let deleter = Deleter::new(walk, self.dialect(), 1, None, None, budget);
        Some(Stage {
            what: sentence!(
                "deleting-blobs",
                "deleting {blobs} blob{s}",
                blobs = grouped(left),
                s = s(left)
            ),
            total: Some(left),
            connections: most.max(1),
            workers: vec![Box::new(deleter)],
            must_succeed: false,
            host: None,
        })
    }

    fn kept(&self) -> Option<Sentence> {
        if !self.is_first || !self.set.stays() {
            return None;
        }
        Some(messages::kept(&self.set).into())
    }

    fn removed(&self) -> Vec<Sentence> {
        let deleted = self.to_delete.saturating_sub(self.set.left());
        let sentence = (deleted > 0).then(|| {
            sentence!(
                "deleted-blobs",
                "deleted {blobs} blob{s} of set {set}",
                blobs = grouped(deleted),
                s = s(deleted),
                set = self.set.name
            )
        });
        sentence.into_iter().collect()
    }

    fn leftovers(&self) -> Vec<Leftover> {
        if !self.is_first || self.is_dummy() {
            return Vec::new();
        }
        let left = if self.set.stays() { 0 } else { self.set.left() };
        let undeleted =
            (left > 0).then(|| format!("{} blob{} could not be deleted", grouped(left), s(left)));
        let inherited = self.inherited.as_ref();
        let unswept = inherited.and_then(|inherited| self.unswept(inherited));
        let unread = inherited.and_then(|_| self.set.trouble());
        let lost = messages::lost(&self.set).filter(|_| inherited.is_none());
        let followed = [
            messages::still_there(&self.set, self.target.means()),
            messages::unresolved(&self.set),
        ];
        // A blobstore finds a blob only by its location, which the run does not have, or no longer.
        let unremovable = self.target.means() == BlobAccess::Blobstore;
        let followed = followed.into_iter().chain([lost]);
        [
            one_of([undeleted, unswept, unread], false),
            one_of(followed, unremovable),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// One leftover for all sentences; `None` without a sentence.
fn one_of(
    sentences: impl IntoIterator<Item = Option<String>>,
    unremovable: bool,
) -> Option<Leftover> {
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| Leftover {
        unremovable,
        ..Leftover::from(sentences.join("; "))
    })
}
