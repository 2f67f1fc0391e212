//! State shared by all operations of one worker.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_plan::{S3Work, Style};

use crate::s3::content::Content;
use crate::s3::messages::extra_headers::ExtraHeaders;
use crate::s3::messages::judging::Refusals;
use crate::s3::objects::generations::Generations;
use crate::s3::objects::versions::{self, VersionId, VersionIds};
use crate::s3::place::{ObjectPath, Place};
use crate::s3::read_back::Recorder;
use crate::s3::signing::request_writer::RequestWriter;

/// State shared by all operations of one worker.
pub(crate) struct WorkerContext {
    pub(crate) work: Arc<S3Work>,
    pub(crate) place: Arc<Place>,
    pub(crate) content: Arc<Content>,
    pub(crate) writer: RequestWriter,
    pub(crate) path: ObjectPath,
    pub(crate) refusals: Refusals,
    /// Constant headers by kind of request.
    pub(crate) extra_headers: Arc<ExtraHeaders>,
    /// Possible generations of the content, if PUT overwrites objects.
    pub(crate) generations: Option<Generations>,
    /// In a mix: objects that PUT has created for DELETE and that no other operation uses, oldest
    /// first.
    pub(crate) fresh: VecDeque<u64>,
    /// As `fresh`, if objects have versions: the objects with their versions.
    pub(crate) fresh_versions: VecDeque<(u64, VersionId)>,
    /// Ids of the versions that were loaded.
    pub(crate) ids: Arc<VersionIds>,
    /// Buffer for the query of a request.
    pub(crate) query: Vec<u8>,
    /// Records what is written and deleted.
    pub(crate) recorder: Recorder,
    /// Whether the workload is a mix of operations.
    pub(crate) mixed: bool,
}

impl WorkerContext {
    /// The object that `thing`, the number of an object or version, refers to.
    pub(crate) fn object_of(&self, thing: u64) -> u64 {
        versions::object_of(&self.work, thing)
    }

    /// Replaces `query` with the version that `thing` refers to; clears `query` for an object
    /// without versions.
    pub(crate) fn write_version(&mut self, thing: u64) {
        match self.ids.of(thing) {
            Some(id) => versions::write_query(&mut self.query, id),
            None => self.query.clear(),
        }
    }

    /// Replaces `out` with the path of an object as in `x-amz-copy-source`: bucket and key,
    /// encoded.
    pub(crate) fn write_source(&mut self, out: &mut Vec<u8>, object: u64) {
        let bucket = self.place.bucket_of(object);
        out.clear();
        if self.work.style == Style::Virtual {
            out.push(b'/');
            out.extend_from_slice(self.place.buckets[bucket].name.as_bytes());
        }
        out.extend_from_slice(self.path.of(bucket, object));
    }
}
