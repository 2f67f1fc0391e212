//! S3: PUT, GET and DELETE of objects, signed, with content that can be checked.

mod check;
pub mod content;
mod place;
mod refusal;
mod ring;
mod scribe;
pub mod sigv4;
mod stamp;
mod tidy;
pub mod uri;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tenbin_engine::Workload;
use tenbin_plan::{self as plan, S3Operation, S3Work, WorkloadKind};

pub use refusal::{code, explain};

use self::check::Check;
use self::content::Content;
use self::place::{MOST_OBJECTS, Place};
use self::refusal::Refusals;
use self::ring::{Ledger, Share, Walk};
use self::scribe::Scribe;
use self::tidy::{Remains, Tidy};
use self::worker::{Choice, ObjectWorker};
use crate::error::WorkloadError;
use crate::kind::{Kind, Prepared, Stage};
use crate::rng::{Rng, name_number};
use crate::site::Site;
use crate::text::is_visible;

/// The most that one PUT may carry, bytes (Amazon S3 user guide, "Uploading objects").
const MOST_BYTES: u64 = 5 << 30;

/// Connections that put objects before a run: enough that setting up is not slow
/// where the load is one connection, few enough not to drown a small server.
const FILLING: std::ops::RangeInclusive<usize> = 8..=64;

/// Connections that remove objects after a run.
const TIDYING: usize = 4;

/// The kind `s3`.
#[derive(Debug, Clone, Copy)]
pub struct S3;

impl Kind for S3 {
    fn name(&self) -> &'static str {
        "s3"
    }

    fn summary(&self) -> &'static str {
        "one S3 operation on many objects: put, get or delete"
    }

    fn takes(&self, work: &WorkloadKind) -> bool {
        matches!(work, WorkloadKind::S3(_))
    }

    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError> {
        let WorkloadKind::S3(s3) = &work.kind else {
            return Err(WorkloadError::NoKind {
                workload: work.name.clone(),
            });
        };
        check_work(&work.name, s3)?;
        check_site(target)?;
        let size = usize::try_from(s3.size).map_err(|_| too_large(&work.name, s3.size))?;
        Ok(Box::new(PreparedS3 {
            place: Arc::new(Place::new(
                target,
                &s3.bucket,
                s3.virtual_host,
                seed,
                &work.name,
            )),
            content: Arc::new(Content::new(seed, size, s3.signed_payload).sent_from_file()),
            work: s3.clone(),
            target: target.clone(),
            seed,
            name: name_number(&work.name),
            keep_alive: work.load.keep_alive,
            connections: work.load.connections.max(1),
            threads: threads.max(1),
            ledger: Ledger::default(),
            bucket_made: Arc::new(AtomicBool::new(false)),
            remains: Arc::new(Remains::default()),
        }))
    }
}

fn check_work(workload: &str, work: &S3Work) -> Result<(), WorkloadError> {
    if !is_bucket_name(&work.bucket) {
        return Err(WorkloadError::Bucket {
            workload: workload.to_owned(),
            bucket: work.bucket.clone(),
        });
    }
    if work.size > MOST_BYTES {
        return Err(too_large(workload, work.size));
    }
    if !(1..=MOST_OBJECTS).contains(&work.objects) {
        return Err(WorkloadError::Objects {
            workload: workload.to_owned(),
            objects: work.objects,
            most: MOST_OBJECTS,
        });
    }
    Ok(())
}

fn too_large(workload: &str, size: u64) -> WorkloadError {
    WorkloadError::Size {
        workload: workload.to_owned(),
        size,
        most: MOST_BYTES,
    }
}

fn check_site(target: &Site) -> Result<(), WorkloadError> {
    let access_key = target
        .credentials
        .as_ref()
        .map_or("", |credentials| &credentials.access_key);
    let hosts = target.host_headers().iter().map(|host| ("host", &**host));
    let others = [("region", &*target.region), ("access key", access_key)];
    for (what, text) in hosts.chain(others) {
        if !is_visible(text) {
            return Err(WorkloadError::Site {
                url: target.shown(),
                what,
            });
        }
    }
    Ok(())
}

/// The general-purpose bucket naming rules of Amazon S3 that other servers share.
fn is_bucket_name(name: &str) -> bool {
    let edge = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = name.as_bytes();
    (3..=63).contains(&bytes.len())
        && bytes.iter().all(|b| edge(b) || matches!(b, b'-' | b'.'))
        && bytes.first().is_some_and(edge)
        && bytes.last().is_some_and(edge)
        && !name.contains("..")
}

struct PreparedS3 {
    work: S3Work,
    target: Site,
    place: Arc<Place>,
    content: Arc<Content>,
    seed: u64,
    /// The workload's name, as a number.
    name: u64,
    keep_alive: bool,
    connections: usize,
    threads: usize,
    ledger: Ledger,
    bucket_made: Arc<AtomicBool>,
    remains: Arc<Remains>,
}

impl Prepared for PreparedS3 {
    fn check(&mut self) -> Option<Stage> {
        let check = Check::new(
            Arc::clone(&self.place),
            self.scribe(),
            &self.target.region,
            Arc::clone(&self.bucket_made),
        );
        Some(Stage {
            what: format!("checking bucket {}", self.work.bucket),
            total: None,
            connections: 1,
            workers: vec![Box::new(check)],
            must_succeed: true,
        })
    }

    fn before_run(&mut self) -> Option<Stage> {
        (self.work.operation == S3Operation::Get).then(|| self.fill())
    }

    fn before_slice(&mut self) -> Option<Stage> {
        (self.work.operation == S3Operation::Delete).then(|| self.fill())
    }

    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        let workers = self.threads.min(self.connections);
        (0..workers)
            .map(|worker| {
                let choice = self.choice(worker, workers);
                Box::new(self.worker(self.work.operation, choice, false)) as Box<dyn Workload>
            })
            .collect()
    }

    fn after_run(&mut self) -> Option<Stage> {
        let objects = self.ledger.take();
        let bucket = self.bucket_made.swap(false, Ordering::AcqRel);
        if objects.is_empty() && !bucket {
            return None;
        }
        let what = match objects.len() {
            0 => format!("deleting bucket {}", self.work.bucket),
            1 => "deleting 1 object".to_owned(),
            many => format!("deleting {} objects", grouped(many as u64)),
        };
        let tidy = Tidy::new(
            Arc::clone(&self.place),
            self.scribe(),
            &objects,
            bucket,
            Arc::clone(&self.remains),
        );
        Some(Stage {
            what,
            total: Some(tidy.requests()),
            connections: TIDYING,
            workers: vec![Box::new(tidy)],
            must_succeed: false,
        })
    }

    fn left_behind(&self) -> Option<String> {
        let bucket = &self.work.bucket;
        let objects = self.remains.objects.load(Ordering::Acquire);
        let made = self.remains.buckets.load(Ordering::Acquire) > 0;
        if objects > 0 {
            return Some(format!(
                "up to {} objects under {} could not be deleted from bucket {bucket}",
                grouped(objects),
                self.place.prefix,
            ));
        }
        made.then(|| format!("bucket {bucket}, made for this run, could not be deleted"))
    }
}

impl PreparedS3 {
    /// Puts every object once.
    fn fill(&mut self) -> Stage {
        let objects = self.work.objects;
        let most = usize::try_from(objects).unwrap_or(usize::MAX);
        let connections = self
            .connections
            .clamp(*FILLING.start(), *FILLING.end())
            .min(most);
        let workers = self.threads.min(connections);
        Stage {
            what: format!("putting {} objects", grouped(objects)),
            total: Some(objects),
            connections,
            workers: (0..workers)
                .map(|worker| {
                    let share = Share::of(worker, workers, objects);
                    let walk = Walk::once(share).making(&mut self.ledger);
                    let worker = self.worker(S3Operation::Put, Choice::Walk(walk), true);
                    Box::new(worker) as Box<dyn Workload>
                })
                .collect(),
            must_succeed: true,
        }
    }

    /// The objects of one measured worker, the same in every slice and for every target.
    fn choice(&mut self, worker: usize, workers: usize) -> Choice {
        let objects = self.work.objects;
        match self.work.operation {
            S3Operation::Put => Choice::Walk(
                Walk::round(Share::shared(worker, workers, objects)).making(&mut self.ledger),
            ),
            S3Operation::Get => {
                Choice::Random(Rng::new(self.seed, &[self.name, worker as u64]), objects)
            }
            S3Operation::Delete => Choice::Walk(Walk::once(Share::of(worker, workers, objects))),
        }
    }

    fn worker(&self, operation: S3Operation, choice: Choice, give_up: bool) -> ObjectWorker {
        ObjectWorker {
            operation,
            choice,
            scribe: self.scribe(),
            path: self.place.object_path(),
            content: Arc::clone(&self.content),
            verify: self.work.verify,
            give_up,
            refusals: Refusals::default(),
        }
    }

    fn scribe(&self) -> Scribe {
        Scribe::new(&self.place, &self.target, self.keep_alive)
    }
}

/// `10,000`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
