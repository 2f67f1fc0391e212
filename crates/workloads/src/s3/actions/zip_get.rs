//! GetObject of a file inside a ZIP archive, as in MinIO.

use tenbin_engine::{BodyUse, Exchange, Judgement, Moment, ResponseHead};
use tenbin_plan::S3Operation;

use super::each::{Each, OneRequest};
use super::get::{WRONG, judge_content};
use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::archives::{self, Archives};
use crate::s3::objects::selection::Chooser;
use crate::s3::setup::archive_loader::EXTRACT;
use crate::s3::signing::request_writer::RequestSpec;
use crate::text::fill_decimal;

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Each::new(Chooser::new(setting), ZipGet::new(setting)))
}

/// Reads files from archives.
struct ZipGet {
    archives: Archives,
    /// By bucket: the path of a file, with placeholders for the numbers of archive and object.
    paths: Vec<Vec<u8>>,
}

/// Digits of a number in a file name.
const DIGITS: usize = 8;
/// Length of the text between the number of the archive and the number of the object.
const BETWEEN: usize = ".zip/".len();

impl ZipGet {
    fn new(setting: &Setting<'_>) -> Self {
        let file = format!("{}/{}", archives::name(0, "zip"), archives::number(0));
        let buckets = 0..setting.place.buckets.len();
        Self {
            archives: Archives::of(setting.work),
            paths: buckets
                .map(|bucket| setting.place.path_of(bucket, &file))
                .collect(),
        }
    }
}

impl OneRequest for ZipGet {
    const OPERATION: S3Operation = S3Operation::ZipGet;

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) {
        let object = exchange.tag;
        let archive = self.archives.of_object(object);
        let bucket = self.archives.bucket(archive);
        let path = &mut self.paths[bucket];
        let end = path.len();
        fill_decimal(&mut path[end - DIGITS..], object);
        let before = end - DIGITS - BETWEEN;
        fill_decimal(&mut path[before - DIGITS..before], archive);
        let headers = [EXTRACT];
        let spec = RequestSpec {
            headers: &headers,
            ..RequestSpec::plain("GET", bucket, path)
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        match head.status {
            200 if context.work.verify => BodyUse::Inspect,
            200 => BodyUse::Discard,
            _ => context.refusals.head(exchange, head),
        }
    }

    fn body(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        offset: u64,
        part: &[u8],
    ) {
        if context.refusals.body(exchange, part) {
            return;
        }
        if !context.content.matches(exchange.tag, offset, part) {
            exchange.note = WRONG;
        }
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement {
        match status {
            200 => judge_content(exchange, length, context.content.size(exchange.tag)),
            _ => context.refusals.failed(exchange),
        }
    }
}
