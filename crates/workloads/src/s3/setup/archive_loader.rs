//! Loads ZIP archives for operations that read from archives.

use slab::Slab;
use tenbin_engine::{ErrorClass, Exchange, Judgement, Moment, Next};

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::archives::{self, Archives, Made};
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::signing::request_writer::RequestSpec;

/// Request header that makes MinIO read from an archive.
pub(crate) const EXTRACT: (&str, &[u8]) = ("x-minio-extract", b"true");

/// Stores every archive once. [`Exchange::tag`] is the index of the archive in `out`.
pub(crate) struct ArchiveLoader {
    archives: Archives,
    walk: Walk,
    out: Slab<Made>,
}

impl ArchiveLoader {
    pub(crate) fn new(setting: &Setting<'_>) -> Self {
        let archives = Archives::of(setting.work);
        let share = Share::of(setting.worker, setting.workers, archives.count());
        Self {
            archives,
            walk: Walk::once(share),
            out: Slab::new(),
        }
    }
}

impl Action for ArchiveLoader {
    fn operations(&self) -> &'static [&'static str] {
        &["PUT archive"]
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(archive) = self.walk.next() else {
            return Next::Exhausted;
        };
        let objects = self.archives.objects(archive);
        let zip = archives::zip(&context.content, objects).unwrap_or_default();
        let made = Made::new(zip, context.work.payload);
        let bucket = self.archives.bucket(archive);
        let path = context
            .place
            .path_of(bucket, &archives::name(archive, "zip"));
        let spec = RequestSpec {
            extra_headers: &context.extra_headers.store,
            body: Some(made.announced()),
            ..RequestSpec::plain("PUT", bucket, &path)
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        exchange.tag = self.out.insert(made) as u64;
        Next::Ready
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let made = self.out.get(exchange.tag as usize);
        made.map_or(&[], |made| &made.body)
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        self.out.try_remove(exchange.tag as usize);
        context.refusals.judge_done(exchange, status)
    }

    fn lost(&mut self, _context: &mut WorkerContext, exchange: &mut Exchange, _class: ErrorClass) {
        self.out.try_remove(exchange.tag as usize);
    }
}
