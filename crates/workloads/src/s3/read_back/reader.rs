//! The worker that reads the objects of a sample.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;
use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use super::checked::Checked;
use crate::read_back::{Found, Miss, PART, ReadingTime, WHOLE};
use crate::s3::content::Content;
use crate::s3::messages::extra_headers::ExtraHeaders;
use crate::s3::objects::versions;
use crate::s3::place::{ObjectPath, Place};
use crate::s3::signing::request_writer::{Header, RequestSpec, RequestWriter};
use crate::s3::slots::Slots;

/// A request for an object of the sample: HEAD, or GET.
#[derive(Debug, Clone, Copy, Default)]
struct Job {
    /// Index of the object.
    at: usize,
    is_get: bool,
}

/// A request in flight.
#[derive(Debug, Default)]
struct Flight {
    job: Job,
    /// First byte of the range that was requested, if any, and then of the response.
    first: Option<u64>,
    /// Contents that the response has matched so far.
    contents: SmallVec<[u64; 2]>,
    /// Whether the response has a content that was expected; false only if contents are known.
    differs: bool,
    /// `Content-Length` of the response.
    length: Option<u64>,
}

/// Sends HEAD and GET for every object of the sample.
pub(super) struct Reader {
    pub(super) place: Arc<Place>,
    pub(super) content: Arc<Content>,
    pub(super) extra_headers: Arc<ExtraHeaders>,
    pub(super) writer: RequestWriter,
    path: ObjectPath,
    checked: Arc<Mutex<Vec<Checked>>>,
    jobs: VecDeque<Job>,
    flights: Slots<Flight>,
    time: ReadingTime,
    query: Vec<u8>,
    range: Vec<u8>,
}

impl Reader {
    /// Reads the objects with these indices in `checked`, after `wait` nanoseconds.
    pub(super) fn new(
        (place, content): (&Arc<Place>, &Arc<Content>),
        extra_headers: &Arc<ExtraHeaders>,
        writer: RequestWriter,
        checked: &Arc<Mutex<Vec<Checked>>>,
        objects: &[usize],
        wait: u64,
    ) -> Self {
        let jobs = objects.iter().flat_map(|&at| {
            let job = |is_get| Job { at, is_get };
            [job(false), job(true)]
        });
        Self {
            place: Arc::clone(place),
            content: Arc::clone(content),
            extra_headers: Arc::clone(extra_headers),
            writer,
            path: place.object_path(),
            checked: Arc::clone(checked),
            jobs: jobs.collect(),
            flights: Slots::default(),
            time: ReadingTime::after(wait),
            query: Vec::new(),
            range: Vec::new(),
        }
    }

    fn object(&self, at: usize) -> Option<Checked> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.get(at).cloned()
    }

    fn set(&mut self, exchange: &Exchange, found: impl FnOnce(&Flight, &Checked) -> Found) {
        let place = exchange.tag as usize;
        let job = self.flights[place].job;
        let mut all = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checked) = all.get_mut(job.at) {
            let found = found(&self.flights[place], checked);
            if job.is_get {
                checked.get = found
            } else {
                checked.head = found
            }
        }
        drop(all);
        self.flights.give_back(place);
    }

    fn write(&mut self, now: Moment, exchange: &mut Exchange, job: Job, object: &Checked) {
        let slot = self.flights.take();
        exchange.tag = slot as u64;
        exchange.op = 0;
        exchange.note = 0;
        exchange.bodyless_response = !job.is_get;
        let flight = &mut self.flights[slot];
        *flight = Flight {
            job,
            first: job.is_get.then(|| first_of(object)).flatten(),
            contents: object.contents.clone(),
            ..Flight::default()
        };
        self.query.clear();
        if let Some(version) = &object.version {
            versions::write_query(&mut self.query, version);
        }
        self.range.clear();
        if let Some(first) = flight.first {
            // Writing into memory never fails.
            let _ = write!(self.range, "bytes={first}-{}", first + PART - 1);
        }
        let headers: [Header<'_>; 1] = [("range", &self.range)];
        let bucket = self.place.bucket_of(object.object);
        let method = if job.is_get { "GET" } else { "HEAD" };
        let spec = RequestSpec {
            query: &self.query,
            extra_headers: &self.extra_headers.read,
            headers: &headers[..usize::from(flight.first.is_some())],
            ..RequestSpec::plain(method, bucket, self.path.of(bucket, object.object))
        };
        self.writer.write(exchange, now.unix_seconds, &spec);
    }
}

/// The first byte to read of a large object; `None` if the object is read completely.
fn first_of(object: &Checked) -> Option<u64> {
    let size = object.sizes.iter().copied().min().unwrap_or(0);
    // The last append is the last that can be lost.
    let last = size / (u64::from(object.appends) + 1) * u64::from(object.appends);
    (size > WHOLE)
        .then(|| last.min(size - PART) + object.key % (size - PART - last.min(size - PART) + 1))
}

/// What a response says of an object.
fn judge(flight: &Flight, object: &Checked, status: u16, length: u64) -> Found {
    let method = if flight.job.is_get { "GET" } else { "HEAD" };
    let is_there = matches!(status, 200 | 206);
    // 405: a delete marker was requested by its version.
    let is_gone = matches!(status, 404 | 410) || object.version.is_some() && status == 405;
    if object.written.deletes() {
        return match (is_there, is_gone) {
            (true, _) => Found::Wrong(Miss::Kept, format!("{method} responded with {status}")),
            (_, true) => Found::Right,
            _ => Found::Unknown,
        };
    }
    if is_gone {
        return Found::Wrong(Miss::Missing, format!("{method} responded with {status}"));
    }
    if !is_there {
        return Found::Unknown;
    }
    let fits = |length: u64| object.sizes.is_empty() || object.sizes.contains(&length);
    let expected = || object.sizes.first().copied().unwrap_or(0);
    if let Some(length) = flight
        .length
        .filter(|length| status == 200 && !fits(*length))
    {
        let text = format!(
            "{method} announced {length} bytes instead of {}",
            expected()
        );
        return Found::Wrong(Miss::OtherSize, text);
    }
    if flight.job.is_get && flight.differs {
        let text = "GET returned other content than was written".to_owned();
        return Found::Wrong(Miss::OtherContent, text);
    }
    let is_short = match status {
        206 => length < PART.min(expected()),
        _ => !fits(length),
    };
    if flight.job.is_get && is_short {
        let text = format!("GET returned {length} bytes instead of {}", expected());
        return Found::Wrong(Miss::OtherSize, text);
    }
    Found::Right
}

impl Workload for Reader {
    fn operations(&self) -> &[&'static str] {
        &["read back"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if let Some(instead) = self.time.instead(now) {
            return instead;
        }
        let Some(job) = self.jobs.pop_front() else {
            return Next::Exhausted;
        };
        let Some(object) = self.object(job.at) else {
            return Next::Exhausted;
        };
        self.write(now, exchange, job, &object);
        Next::Ready
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let flight = &mut self.flights[exchange.tag as usize];
        flight.length = head.length;
        if head.status == 200 {
            // The server sends the complete object.
            flight.first = None;
        }
        if flight.job.is_get && !flight.contents.is_empty() && matches!(head.status, 200 | 206) {
            BodyUse::Inspect
        } else {
            BodyUse::Discard
        }
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let flight = &mut self.flights[exchange.tag as usize];
        let at = flight.first.unwrap_or(0).saturating_add(offset);
        let content = &self.content;
        if !flight.differs {
            flight
                .contents
                .retain(|number| Checked::matches(content, *number, at, part));
            flight.differs = flight.contents.is_empty();
        }
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        self.set(exchange, |flight, object| {
            judge(flight, object, status, length)
        });
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.set(exchange, |_, _| Found::Unknown);
    }
}
