//! The stages that check whether the server refuses content with a wrong checksum, and what the check
//! has found.

use std::mem;

use tenbin_plan::s3::Feature;
use tenbin_plan::{DataSet, sentence};

use crate::prepared::{Leftover, Stage};
use crate::s3::content::checksum;
use crate::s3::prepared::PreparedS3;
use crate::s3::setup::checksum::{ChecksumCheck, ChecksumStep};
use crate::shared::held;

/// The last part of the object's key.
const NAME: &str = "checksum-check";

impl PreparedS3 {
    /// The stage that checks whether the server refuses a wrong checksum; `None` after the check,
    /// and for a workload that sends no checksum or may store no object that it can delete.
    pub(in crate::s3) fn check_checksum(&mut self) -> Option<Stage> {
        // An object in a bucket with object lock could not be deleted.
        let may_store = self.work.data != DataSet::Existing && !self.work.mix.any(Feature::Locks);
        let header = checksum::header(self.work.checksum).filter(|_| may_store)?;
        let is_begun = mem::replace(&mut held(&self.checksum_report).is_begun, true);
        (!is_begun).then(|| self.checksum_stage(ChecksumStep::Store, header))
    }

    /// The deletion of the object after the run, if the check could not delete it; `None` after one
    /// attempt.
    pub(in crate::s3) fn finish_checksum_check(&mut self) -> Option<Stage> {
        let header = checksum::header(self.work.checksum)?;
        let is_due = {
            let mut report = held(&self.checksum_report);
            report.is_left && !mem::replace(&mut report.is_deleted_again, true)
        };
        is_due.then(|| self.checksum_stage(ChecksumStep::Delete, header))
    }

    /// The header of the workload's checksum if the server has acknowledged content with a wrong
    /// one.
    pub(in crate::s3) fn checksum_ignored(&self) -> Option<&'static str> {
        let is_ignored = held(&self.checksum_report).is_ignored;
        checksum::header(self.work.checksum).filter(|_| is_ignored)
    }

    /// The object of the check, if it could not be deleted.
    pub(in crate::s3) fn checksum_leftover(&self) -> Option<Leftover> {
        let is_left = held(&self.checksum_report).is_left;
        let bucket = &self.place.buckets[0].name;
        is_left.then(|| Leftover {
            what: format!(
                "the object {}{NAME} of the check of checksums may still be in bucket {bucket}",
                self.place.prefix
            ),
            bucket: Some(bucket.clone()),
            prefix: Some(self.place.prefix.clone()),
            ..Leftover::default()
        })
    }

    fn checksum_stage(&self, step: ChecksumStep, header: &'static str) -> Stage {
        let check = ChecksumCheck::new(
            step,
            self.place.path_of(0, NAME),
            (self.work.checksum, header),
            &self.extra_headers,
            &self.checksum_report,
            self.writer().for_host(0),
        );
        let what = match step {
            ChecksumStep::Store => sentence!(
                "checking-checksum",
                "checking whether the server refuses a wrong {header}",
                header
            ),
            ChecksumStep::Delete | ChecksumStep::Done => sentence!(
                "deleting-objects",
                "deleting {objects} object{s}",
                objects = "1",
                s = ""
            ),
        };
        Stage {
            what,
            total: None,
            connections: 1,
            workers: vec![Box::new(check)],
            must_succeed: false,
            host: Some(0),
        }
    }
}
