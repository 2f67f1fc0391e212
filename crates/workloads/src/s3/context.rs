//! What all operations of one worker work with.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_plan::S3Work;

use crate::s3::content::Content;
use crate::s3::messages::extra_headers::ExtraHeaders;
use crate::s3::messages::refusal::Refusals;
use crate::s3::objects::generations::Generations;
use crate::s3::objects::versions::{self, VersionId, VersionIds};
use crate::s3::place::{ObjectPath, Place};
use crate::s3::signing::request_writer::RequestWriter;

/// What all operations of one worker work with.
pub(crate) struct WorkerContext {
    pub(crate) work: Arc<S3Work>,
    pub(crate) place: Arc<Place>,
    pub(crate) content: Arc<Content>,
    pub(crate) writer: RequestWriter,
    pub(crate) path: ObjectPath,
    pub(crate) refusals: Refusals,
    /// Headers that go with every request of a kind.
    pub(crate) extra_headers: Arc<ExtraHeaders>,
    /// Which content objects may have, where PUT writes over them.
    pub(crate) generations: Option<Generations>,
    /// In a mix: objects that PUT has made and nothing else uses, the oldest first.
    pub(crate) fresh: VecDeque<u64>,
    /// The same with the version that each has, where objects have versions.
    pub(crate) fresh_versions: VecDeque<(u64, VersionId)>,
    /// Identifiers of the versions that have been laid out.
    pub(crate) ids: Arc<VersionIds>,
    /// Query of a request, written for each anew.
    pub(crate) query: Vec<u8>,
    /// Whether several operations are sent.
    pub(crate) mixed: bool,
}

impl WorkerContext {
    /// The object that a thing is, or is a version of.
    pub(crate) fn object_of(&self, thing: u64) -> u64 {
        versions::object_of(&self.work, thing)
    }

    /// Writes into `query` which version a thing is: nothing where it is an object.
    pub(crate) fn ask_version(&mut self, thing: u64) {
        match self.ids.of(thing) {
            Some(id) => versions::write_query(&mut self.query, id),
            None => self.query.clear(),
        }
    }

    /// Writes the path of an object as the header `x-amz-copy-source` has it: bucket
    /// and key, encoded.
    pub(crate) fn write_source(&mut self, out: &mut Vec<u8>, object: u64) {
        let bucket = self.place.bucket_of(object);
        out.clear();
        if self.work.virtual_host {
            out.push(b'/');
            out.extend_from_slice(self.place.buckets[bucket].name.as_bytes());
        }
        out.extend_from_slice(self.path.of(bucket, object));
    }
}
