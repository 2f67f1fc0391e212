//! PutObject of a tar archive that the server unpacks.

use tenbin_engine::{Exchange, Judgement, Moment, Next};
use tenbin_plan::S3Operation;

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::archives::{self, Archives, Made};
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::signing::request_writer::{OwnHeader, RequestSpec};

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(Snowball::new(setting))
}

/// Total size, bytes, at which one worker stops preparing archives; at least one archive is
/// prepared.
const PREPARED_BYTES: usize = 64 << 20;

/// Stores prepared archives one after the other. [`Exchange::tag`] is the index of the archive in
/// `prepared`.
struct Snowball {
    archives: Archives,
    prepared: Vec<(u64, Made, Vec<u8>)>,
    next: usize,
    headers: Vec<OwnHeader>,
    /// While probing: number of requests sent, and whether a request is in flight.
    probing: Option<(u32, bool)>,
}

impl Snowball {
    fn new(setting: &Setting<'_>) -> Self {
        let archives = Archives::of(setting.work);
        let mut snowball = Self {
            archives,
            prepared: Vec::new(),
            next: 0,
            headers: vec![(
                "x-amz-meta-snowball-auto-extract".to_owned(),
                b"true".to_vec(),
            )],
            probing: setting.probing.then_some((0, false)),
        };
        let most = if setting.probing { 1 } else { usize::MAX };
        let mut walk = Walk::once(Share::shared(
            setting.worker,
            setting.workers,
            archives.count(),
        ));
        let mut bytes = 0;
        while snowball.prepared.len() < most
            && bytes < PREPARED_BYTES
            && let Some(archive) = walk.next()
        {
            let objects = archives.objects(archive);
            let Some(tar) = archives::tar(setting.content, setting.place, archive, objects) else {
                continue;
            };
            bytes += tar.len();
            let made = Made::new(tar, setting.work.payload);
            let bucket = archives.bucket(archive);
            let path = setting
                .place
                .path_of(bucket, &archives::name(archive, "tar"));
            snowball.prepared.push((archive, made, path));
        }
        snowball
    }

    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let at = self.next % self.prepared.len().max(1);
        let Some((archive, made, path)) = self.prepared.get(at) else {
            return Next::Exhausted;
        };
        self.next = at + 1;
        exchange.tag = at as u64;
        let spec = RequestSpec {
            extra_headers: &self.headers,
            body: Some(made.announced()),
            ..RequestSpec::plain("PUT", self.archives.bucket(*archive), path)
        };
        context.writer.write(exchange, now.unix_seconds, &spec);
        Next::Ready
    }

    /// Writes a HEAD request for the last object of the first archive, which exists only if the
    /// server has unpacked the archive.
    fn check_unpacked(
        &self,
        context: &mut WorkerContext,
        now: Moment,
        exchange: &mut Exchange,
    ) -> Next {
        let Some((archive, ..)) = self.prepared.first() else {
            return Next::Exhausted;
        };
        let bucket = self.archives.bucket(*archive);
        let last = self.archives.objects(*archive).end.saturating_sub(1);
        let key = archives::unpacked(&context.place, *archive, last);
        let below = key.strip_prefix(&context.place.prefix).unwrap_or_default();
        let path = context.place.path_of(bucket, below);
        exchange.bodyless_response = true;
        let spec = RequestSpec::plain("HEAD", bucket, &path);
        context.writer.write(exchange, now.unix_seconds, &spec);
        // No archive has this index, so the request has no body.
        exchange.tag = u64::MAX;
        Next::Ready
    }
}

impl Action for Snowball {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::Snowball.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        match self.probing {
            None => self.spec(context, now, exchange),
            Some((_, true)) => Next::Wait,
            Some((0, false)) => {
                self.probing = Some((1, true));
                self.spec(context, now, exchange)
            }
            Some((1, false)) => {
                self.probing = Some((2, true));
                self.check_unpacked(context, now, exchange)
            }
            Some(_) => Next::Exhausted,
        }
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let prepared = usize::try_from(exchange.tag).ok();
        let prepared = prepared.and_then(|at| self.prepared.get(at));
        prepared.map_or(&[], |(_, made, _)| &made.body)
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        if let Some((_, out)) = &mut self.probing {
            *out = false;
        }
        context.refusals.judge_done(exchange, status)
    }
}
