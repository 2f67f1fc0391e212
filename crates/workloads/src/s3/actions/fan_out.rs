//! One POST that creates many objects with the same content, as in MinIO.

use tenbin_engine::{BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::{Credentials, S3Operation};

use crate::s3::action::{Action, Setting};
use crate::s3::context::WorkerContext;
use crate::s3::objects::archives::{self, Archives};
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::signing::form::{BOUNDARY, Form, VALID, all_made};
use crate::s3::signing::keyring::KeyReader;
use crate::s3::signing::request_writer::{Body, OwnHeader, RequestSpec, RequestWriter};
use crate::s3::signing::sigv4::{Signer, UNSIGNED_PAYLOAD};

pub(super) fn action(setting: &mut Setting<'_>) -> Box<dyn Action> {
    Box::new(FanOut::new(setting))
}

/// Total size, bytes, at which one worker stops preparing forms; at least one form is prepared.
const PREPARED_BYTES: usize = 64 << 20;

/// Bytes kept of a response: ten thousand objects with about two hundred bytes each.
const KEPT_RESPONSE: usize = 8 << 20;

/// A prepared form.
struct Prepared {
    bucket: usize,
    objects: usize,
    body: Vec<u8>,
}

/// Posts prepared forms one after the other. [`Exchange::tag`] is the index of the form in
/// `prepared`.
struct FanOut {
    archives: Archives,
    share: Share,
    /// Writes unsigned heads, because each form contains a signature.
    writer: RequestWriter,
    signer: Option<FormSigner>,
    prepared: Vec<Prepared>,
    /// Time at which the forms are prepared again, before their policies expire, seconds since
    /// 1970-01-01 UTC.
    until: u64,
    out: usize,
    next: usize,
    headers: Vec<OwnHeader>,
}

/// Signs forms with the current keys.
struct FormSigner {
    signer: Signer,
    token: Option<String>,
    key_reader: Option<KeyReader>,
    region: String,
}

impl FormSigner {
    fn new(setting: &Setting<'_>) -> Option<Self> {
        let credentials = setting.target.credentials.as_ref()?;
        let ring = setting.target.keyring(&setting.work.bucket);
        let (key_reader, keys) = ring.map(KeyReader::new).unzip();
        let keys = keys.as_ref().unwrap_or(credentials);
        let region = setting.target.region.clone();
        Some(Self {
            signer: Self::signer(keys, &region, key_reader.as_ref()),
            token: token_of(keys),
            key_reader,
            region,
        })
    }

    fn signer(keys: &Credentials, region: &str, reader: Option<&KeyReader>) -> Signer {
        let key_use = reader.map(KeyReader::key_use).unwrap_or_default();
        Signer::new(keys, region, key_use.service())
    }

    /// Changes to newer keys. Returns whether there are any: then the forms are out of date.
    fn has_newer_keys(&mut self) -> bool {
        let newer = self.key_reader.as_mut().and_then(KeyReader::newer);
        if let Some(keys) = &newer {
            self.signer = Self::signer(keys, &self.region, self.key_reader.as_ref());
            self.token = token_of(keys);
        }
        newer.is_some()
    }
}

fn token_of(keys: &Credentials) -> Option<String> {
    let token = keys.session_token.as_ref();
    token.map(|token| token.secret.reveal().to_owned())
}

impl FanOut {
    fn new(setting: &Setting<'_>) -> Self {
        let archives = Archives::of(setting.work);
        let mut open = setting.target.clone();
        open.credentials = None;
        Self {
            archives,
            share: Share::shared(setting.worker, setting.workers, archives.count()),
            writer: RequestWriter::new(setting.place, &open, setting.keep_alive),
            signer: FormSigner::new(setting),
            prepared: Vec::new(),
            until: 0,
            out: 0,
            next: 0,
            headers: vec![(
                "content-type".to_owned(),
                format!("multipart/form-data; boundary={BOUNDARY}").into_bytes(),
            )],
        }
    }

    fn prepare(&mut self, context: &WorkerContext, now: u64) {
        self.prepared.clear();
        self.until = now + VALID / 2;
        let (mut signer, token) = match &mut self.signer {
            Some(keys) => (Some(&mut keys.signer), keys.token.as_deref()),
            None => (None, None),
        };
        let mut walk = Walk::once(self.share);
        let mut bytes = 0;
        while bytes < PREPARED_BYTES
            && let Some(group) = walk.next()
        {
            let objects = self.archives.objects(group);
            let keys: Vec<String> = objects.map(|object| context.place.key(object)).collect();
            let bucket = self.archives.bucket(group);
            let form = Form {
                bucket: &context.place.buckets[bucket].name,
                key: &format!("{}{}", context.place.prefix, archives::name(group, "form")),
                keys: &keys,
                content: context.content.body(group),
                token,
            };
            let body = form.body(signer.as_deref_mut(), now);
            bytes += body.len();
            self.prepared.push(Prepared {
                bucket,
                objects: keys.len(),
                body,
            });
        }
    }
}

impl Action for FanOut {
    fn operations(&self) -> &'static [&'static str] {
        S3Operation::FanOut.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        if self.signer.as_mut().is_some_and(FormSigner::has_newer_keys) {
            self.until = 0;
        }
        if now.unix_seconds >= self.until {
            // Forms in flight must not change.
            if self.out > 0 {
                return Next::Wait;
            }
            self.prepare(context, now.unix_seconds);
        }
        let at = self.next % self.prepared.len().max(1);
        let Some(prepared) = self.prepared.get(at) else {
            return Next::Exhausted;
        };
        self.next = at + 1;
        self.out += 1;
        exchange.tag = at as u64;
        let spec = RequestSpec {
            extra_headers: &self.headers,
            body: Some(Body {
                length: prepared.body.len() as u64,
                hash: UNSIGNED_PAYLOAD,
            }),
            ..RequestSpec::plain(
                "POST",
                prepared.bucket,
                &context.place.buckets[prepared.bucket].path,
            )
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
        Next::Ready
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let prepared = self.prepared.get(exchange.tag as usize);
        prepared.map_or(&[], |prepared| &prepared.body)
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        _head: &ResponseHead<'_>,
    ) -> BodyUse {
        context.refusals.catch_up_to(KEPT_RESPONSE, exchange);
        BodyUse::Inspect
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        _length: u64,
    ) -> Judgement {
        self.out -= 1;
        if status >= 300 {
            return context.refusals.failed(exchange);
        }
        let prepared = self.prepared.get(exchange.tag as usize);
        let expected = prepared.map_or(0, |prepared| prepared.objects);
        let made = status == 200 && all_made(context.refusals.caught(exchange), expected);
        context.refusals.release(exchange);
        if made {
            Judgement::Correct
        } else {
            Judgement::Failed(
                ErrorClass::Wrong,
                "the response does not name every object".to_owned(),
            )
        }
    }

    fn lost(&mut self, _context: &mut WorkerContext, _exchange: &mut Exchange, _class: ErrorClass) {
        self.out -= 1;
    }
}
