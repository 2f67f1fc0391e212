//! Listing and loading of data sets before a run, and aborts of unfinished multipart uploads.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use tenbin_plan::{DataSet, Found, Sentence, sentence};

use crate::prepared::Stage;
use crate::s3::action::{Layout, Setting};
use crate::s3::cleanup::abort_uploads::AbortUploads;
use crate::s3::content::Content;
use crate::s3::objects::catalogue::Catalogue;
use crate::s3::objects::dataset::Difference;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::prepared::{CLEANUP_CONNECTIONS, PreparedS3, SetUpStep};
use crate::s3::setup::survey::Survey;
use crate::text::grouped;

/// Maximum number of keys on a page of a listing, the limit of S3.
const PAGE: u64 = 1000;

impl PreparedS3 {
    /// The stage that lists existing objects, once, if the workload can use existing objects. The
    /// next call uses the list.
    pub(crate) fn survey(&mut self) -> Option<Stage> {
        match mem::replace(&mut self.set_up, SetUpStep::Load) {
            SetUpStep::List if self.work.data != DataSet::Fresh && self.needs_objects() => {
                let found = Arc::default();
                let stage = self.list(&found);
                self.set_up = SetUpStep::UseList(found);
                return Some(stage);
            }
            SetUpStep::UseList(found) => self.use_list(&found),
            SetUpStep::List | SetUpStep::Load => {}
            probe @ SetUpStep::Probe(_) => self.set_up = probe,
        }
        None
    }

    /// The stage that lists existing objects in `found`.
    fn list(&self, found: &Arc<Mutex<Catalogue>>) -> Stage {
        let existing = self.work.data == DataSet::Existing;
        let prefix = if existing {
            &self.place.given_prefix
        } else {
            &self.place.prefix
        };
        let survey = Survey::new(
            Arc::clone(&self.place),
            self.writer(),
            prefix,
            existing,
            Arc::clone(found),
        );
        Stage {
            what: sentence!(
                "listing-objects",
                "listing the objects in {place}",
                place = self.buckets()
            )
            .with_part("place", [self.buckets()]),
            total: (!existing).then(|| self.work.objects.div_ceil(PAGE).max(1)),
            connections: 1,
            workers: vec![Box::new(survey)],
            must_succeed: true,
            host: None,
        }
    }

    /// Uses the listed objects: as the data set, or as the part of the data set that need not be
    /// loaded.
    fn use_list(&mut self, found: &Mutex<Catalogue>) {
        let found = mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        if self.work.data == DataSet::Existing {
            let mut work = (*self.work).clone();
            work.objects = found.len() as u64;
            self.work = Arc::new(work);
            self.there = Found::of(found.sizes().iter().copied());
            self.content = Arc::new(Content::found(found.sizes().into()));
            self.place = Arc::new(self.place.with_found(Arc::new(found)));
            return;
        }
        let difference = Difference::new(
            &self.place,
            &self.content,
            self.filling_layout(),
            self.work.objects,
            &found,
        );
        self.right = self.work.objects - difference.missing.len() as u64;
        self.place = Arc::new(self.place.with_foreign_keys(difference.foreign_keys));
        self.missing = Some(difference.missing);
    }

    /// How objects are loaded: by multipart upload, in archives or by one PUT each.
    pub(crate) fn filling_layout(&self) -> Layout {
        let special = [Layout::InParts, Layout::Archives];
        let mut layouts = self.layouts().filter(|layout| special.contains(layout));
        layouts.next().unwrap_or(Layout::Objects)
    }

    /// One iteration over a worker's share of the objects to load.
    pub(crate) fn filling(
        setting: &Setting<'_>,
        objects: u64,
        missing: Option<&Arc<[u64]>>,
    ) -> Walk {
        let walk = Walk::once(Share::of(setting.worker, setting.workers, objects));
        match missing {
            Some(missing) => walk.among(missing),
            None => walk,
        }
    }

    /// The stage that aborts the uploads that earlier slices have left open, if any.
    pub(crate) fn abort_uploads(&mut self) -> Option<Stage> {
        self.marks.give_uploads(&self.unfinished);
        let uploads = self.unfinished.len() as u64;
        let abort_uploads = AbortUploads::new(
            Arc::clone(&self.place),
            self.writer(),
            Arc::clone(&self.unfinished),
        );
        (uploads > 0).then(|| Stage {
            what: sentence!(
                "aborting-uploads",
                "aborting {uploads} unfinished upload{s}",
                uploads = grouped(uploads),
                s = s(uploads)
            ),
            total: Some(abort_uploads.requests()),
            connections: CLEANUP_CONNECTIONS,
            workers: vec![Box::new(abort_uploads)],
            must_succeed: false,
            host: None,
        })
    }

    /// Message about multipart uploads that could not be aborted, if any.
    pub(crate) fn unfinished(&self) -> Option<String> {
        let uploads = self.unfinished.len() as u64;
        (uploads > 0).then(|| {
            format!(
                "up to {} unfinished upload{} under {} could not be aborted in {}",
                grouped(uploads),
                s(uploads),
                self.place.prefix,
                self.buckets(),
            )
        })
    }

    /// Message about the objects of a data set that are kept for later runs, if any.
    pub(crate) fn staying(&self) -> Option<Sentence> {
        let objects = self.right + self.stay;
        (objects > 0).then(|| {
            sentence!(
                "kept-for-later",
                "{objects} object{s} under {prefix} {are} kept in {place} for later runs",
                objects = grouped(objects),
                s = s(objects),
                prefix = self.place.prefix,
                are = if objects == 1 { "is" } else { "are" },
                place = self.buckets()
            )
            .with_part("place", [self.buckets()])
        })
    }
}

/// The plural ending for `count`: `s` or nothing.
pub(crate) fn s(count: u64) -> &'static str {
    match count {
        1 => "",
        _ => "s",
    }
}
