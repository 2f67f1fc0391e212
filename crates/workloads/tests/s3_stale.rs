//! Tests of objects that are overwritten while they are read, against a store with and without a
//! cache that returns earlier content.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::{BTreeMap, VecDeque};

use support::{Request, Response, drive, drive_stage, response, s3_work, site};
use tenbin_engine::{ErrorClass, Judgement};
use tenbin_plan::{self as plan, ContentKind, Mix, S3Operation, S3Work, WorkloadKind};
use tenbin_workloads::{Prepared, prepare};

/// A store that remembers the previous content of each object.
#[derive(Default)]
struct Store {
    now: BTreeMap<String, Vec<u8>>,
    before: BTreeMap<String, Vec<u8>>,
    /// One in this number of GETs of overwritten objects returns the previous content.
    stale_every: usize,
    gets: usize,
    /// GETs with the previous content in the response.
    stale: usize,
    /// One in this number of PUTs gets no response if it overwrites an object. These PUTs take
    /// effect at once or some requests later, in turn.
    lose_every: usize,
    lost: usize,
    late: VecDeque<(String, Vec<u8>)>,
    puts: usize,
}

impl Store {
    fn response(&mut self, request: &Request) -> Response {
        let key = request.path.clone();
        if self.late.len() > 5 {
            self.now.extend(self.late.pop_front());
        }
        if request.method == "PUT" {
            self.puts += 1;
            let over = self.now.contains_key(&key);
            let lost = over && self.lose_every > 0 && self.puts.is_multiple_of(self.lose_every);
            self.lost += usize::from(lost);
            if lost && self.lost.is_multiple_of(2) {
                self.late.push_back((key, request.body.clone()));
                return Response::Lost;
            }
            if let Some(old) = self.now.insert(key.clone(), request.body.clone()) {
                assert_ne!(old, request.body, "the same content again");
                self.before.insert(key, old);
            }
            return if lost {
                Response::Lost
            } else {
                response(200, "")
            };
        }
        let before = self.before.get(&key);
        if let (true, Some(before)) = (self.stale_every > 0, before) {
            self.gets += 1;
            if self.gets.is_multiple_of(self.stale_every) {
                self.stale += 1;
                return response(200, before.clone());
            }
        }
        response(200, self.now[&key].clone())
    }
}

fn rewriting(change: impl Fn(&mut S3Work)) -> plan::Workload {
    let mut work = s3_work(S3Operation::Get, 3000, 30);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        s3.mix = Mix::new([(S3Operation::Get, 70.0), (S3Operation::Put, 30.0)]).unwrap();
        s3.rewrite = true;
        change(s3);
    }
    work
}

/// Number of failures by class in `slices` slices. With a single connection per worker, no response
/// arrives while a PUT of the same object is in flight.
fn failures(
    prepared: &mut dyn Prepared,
    store: &mut Store,
    slices: usize,
    connections: usize,
) -> BTreeMap<ErrorClass, usize> {
    let mut server = |request: &Request| store.response(request);
    if let Some(mut stage) = prepared.before_run() {
        drive_stage(&mut stage, &mut server);
    }
    let mut failures = BTreeMap::new();
    for _ in 0..slices {
        let mut workers = prepared.slice();
        for worker in &mut workers {
            for one in drive(worker.as_mut(), connections, 500, 1000, &mut server) {
                let class = match one {
                    Ok(Judgement::Correct) => continue,
                    Ok(Judgement::Failed(class, _)) => class,
                    Err(class) => class,
                };
                *failures.entry(class).or_default() += 1;
            }
        }
        prepared.slice_done(workers);
    }
    failures
}

#[test]
fn an_honest_store_is_never_stale() {
    for connections in [1, 4, 40] {
        for content in [ContentKind::Pool, ContentKind::Unique] {
            let work = rewriting(|s3| s3.content = content);
            let mut prepared = prepare(&work, &site("http://localhost:9000"), 1, 2).unwrap();
            let mut store = Store::default();
            let failed = failures(prepared.as_mut(), &mut store, 3, connections);
            assert_eq!(failed, BTreeMap::new(), "{connections}");
            assert!(
                store.puts > 500 && store.before.len() == 30,
                "{}",
                store.puts
            );
        }
    }
}

#[test]
fn stale_responses_of_a_cache_are_counted_exactly() {
    let sizes = ["3000", "1KiB:60,10KiB:40"];
    for (content, size) in [ContentKind::Pool, ContentKind::Unique]
        .into_iter()
        .flat_map(|content| sizes.map(|size| (content, size)))
    {
        for compressible in [0, 90] {
            let work = rewriting(|s3| {
                s3.content = content;
                s3.sizes = size.parse().unwrap();
                s3.compressible = compressible;
            });
            let mut prepared = prepare(&work, &site("http://localhost:9000"), 1, 2).unwrap();
            let mut store = Store {
                stale_every: 10,
                ..Store::default()
            };
            let failed = failures(prepared.as_mut(), &mut store, 3, 1);
            assert!(store.stale > 100, "{}", store.stale);
            let expected = BTreeMap::from([(ErrorClass::Stale, store.stale)]);
            assert_eq!(failed, expected, "{content:?} {size} {compressible}");
        }
    }
}

#[test]
fn a_part_of_a_stale_object_is_stale_too() {
    let work = rewriting(|s3| s3.range = Some("random:500B".parse().unwrap()));
    let mut prepared = prepare(&work, &site("http://localhost:9000"), 1, 1).unwrap();
    let mut store = Store {
        stale_every: 10,
        ..Store::default()
    };
    let mut server = |request: &Request| match (store.response(request), request.header("range")) {
        (Response::Whole(200, body), Some(range)) => {
            let (first, last) = range["bytes=".len()..].split_once('-').unwrap();
            let range = first.parse::<usize>().unwrap()..=last.parse().unwrap();
            let told = format!("Content-Range: bytes {first}-{last}/{}", body.len());
            Response::Headed(206, told, body[range].to_vec())
        }
        (other, _) => other,
    };
    drive_stage(&mut prepared.before_run().unwrap(), &mut server);
    let judged = drive(prepared.slice()[0].as_mut(), 1, 1000, 70, &mut server);
    let stale = Ok(Judgement::Failed(ErrorClass::Stale, String::new()));
    let found = judged.iter().filter(|one| **one == stale).count();
    let correct = judged
        .iter()
        .filter(|one| **one == Ok(Judgement::Correct))
        .count();
    assert!(store.stale > 50);
    assert_eq!((found, correct), (store.stale, 1000 - store.stale));
}

#[test]
fn a_put_without_a_response_makes_nothing_stale() {
    let work = rewriting(|_| {});
    let mut prepared = prepare(&work, &site("http://localhost:9000"), 1, 2).unwrap();
    let mut store = Store {
        lose_every: 7,
        ..Store::default()
    };
    let failed = failures(prepared.as_mut(), &mut store, 3, 4);
    let expected = BTreeMap::from([(ErrorClass::Reset, store.lost)]);
    assert_eq!(failed, expected);
    assert!(store.lost > 50, "{}", store.lost);
}

#[test]
fn what_was_never_sent_is_wrong_and_not_stale() {
    let work = rewriting(|_| {});
    let mut prepared = prepare(&work, &site("http://localhost:9000"), 1, 1).unwrap();
    let mut store = Store::default();
    let mut gets = 0;
    drive_stage(&mut prepared.before_run().unwrap(), &mut |request| {
        store.response(request)
    });
    let judged = drive(prepared.slice()[0].as_mut(), 1, 500, 1000, &mut |request| {
        let answered = store.response(request);
        gets += usize::from(request.method == "GET");
        match answered {
            Response::Whole(200, mut body) if request.method == "GET" && gets % 10 == 0 => {
                body[2500] ^= 1;
                response(200, body)
            }
            other => other,
        }
    });
    let wrong = Ok(Judgement::Failed(ErrorClass::Wrong, String::new()));
    assert_eq!(
        judged.iter().filter(|one| **one == wrong).count(),
        gets / 10
    );
}
