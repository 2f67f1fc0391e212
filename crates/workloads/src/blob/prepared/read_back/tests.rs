use std::collections::BTreeMap;

use tenbin_engine::{Exchange, Moment, Next, ResponseHead, Workload};
use tenbin_plan::{self as plan, BlobWork, Load, WorkloadKind};
use url::Url;

use super::*;
use crate::prepared::{CleanUp as _, Prepared as _};
use crate::site::Site;

/// A server that keeps blobs by the path of their request.
#[derive(Default)]
struct Server {
    stored: BTreeMap<String, Vec<u8>>,
    /// Whether PUTs store zeroes.
    stores_zeroes: bool,
    /// Whether deletions are acknowledged and not done.
    keeps_deleted: bool,
}

impl Server {
    fn respond(&mut self, request: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut words = request.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap().to_owned());
        match method {
            "PUT" => {
                let content = if self.stores_zeroes {
                    vec![0; body.len()]
                } else {
                    body.to_vec()
                };
                self.stored.insert(path, content);
                (200, Vec::new())
            }
            "DELETE" => {
                if !self.keeps_deleted {
                    self.stored.remove(&path);
                }
                (204, Vec::new())
            }
            _ => match self.stored.get(&path) {
                Some(content) => (200, content.clone()),
                None => (404, Vec::new()),
            },
        }
    }

    fn drive(&mut self, worker: &mut dyn Workload) {
        let mut now = Moment {
            nanos: 0,
            unix_seconds: 0,
        };
        let mut exchange = Exchange::default();
        loop {
            match worker.next(now, &mut exchange) {
                Next::Ready | Next::Same => {}
                Next::Rest(until) => {
                    now.nanos = until;
                    continue;
                }
                Next::Wait | Next::Exhausted => return,
            }
            let request = String::from_utf8(exchange.head.clone()).unwrap();
            let (status, content) = self.respond(&request, worker.payload(&exchange));
            let head = ResponseHead {
                status,
                length: Some(content.len() as u64),
                bytes: b"",
            };
            worker.head(&mut exchange, &head);
            worker.body(&mut exchange, 0, &content);
            worker.judge(&mut exchange, status, content.len() as u64);
        }
    }

    fn slice(&mut self, prepared: &mut PreparedBlob) {
        let mut workers = prepared.slice();
        for worker in &mut workers {
            self.drive(worker.as_mut());
        }
        prepared.slice_done(workers);
    }

    fn read_back(&mut self, prepared: &mut PreparedBlob) -> Vec<ReadBack> {
        loop {
            match prepared.read_back() {
                Reading::Done(results) => return results,
                Reading::Stage(stage) => {
                    for mut worker in stage.workers {
                        self.drive(worker.as_mut());
                    }
                }
            }
        }
    }
}

/// Phases of one set of 200 blobs on one target.
fn phases(means: BlobAccess, phases: &[Phase]) -> Vec<PreparedBlob> {
    let url = Url::parse("http://127.0.0.1:9/").unwrap();
    let site = Site::new(url, None, "").of_target("t", means);
    let prepared = phases.iter().map(|phase| {
        let mut blob = BlobWork::new(*phase, 100);
        blob.objects = Some(200);
        let work = plan::Workload {
            name: "w".to_owned(),
            kind: WorkloadKind::Blob(blob.clone()),
            load: Load::closed(4),
            stages: false,
        };
        PreparedBlob::new(&work, &blob, &site, 7, 2).unwrap()
    });
    prepared.collect()
}

#[test]
fn puts_that_store_something_else_are_found() {
    for means in [BlobAccess::S3, BlobAccess::Files] {
        for (stores_zeroes, misses) in [(false, 0), (true, 100)] {
            let mut server = Server {
                stores_zeroes,
                ..Server::default()
            };
            let mut put = phases(means, &[Phase::Put]).remove(0);
            server.slice(&mut put);
            let results = server.read_back(&mut put);
            assert_eq!(results.len(), 1, "{means:?}: {results:?}");
            let result = &results[0];
            assert_eq!((result.operation.as_str(), result.deletes), ("PUT", false));
            assert_eq!((result.acknowledged, result.checked), (200, 100));
            assert_eq!(result.other_content, misses, "{result:?}");
            assert_eq!(result.missed(), misses, "{result:?}");
        }
    }
}

#[test]
fn blobs_that_are_lost_are_missing() {
    let mut server = Server::default();
    let mut put = phases(BlobAccess::S3, &[Phase::Put]).remove(0);
    server.slice(&mut put);
    server.stored.clear();
    let results = server.read_back(&mut put);
    assert_eq!(results[0].missing, 100, "{results:?}");
    let example = results[0].example.as_deref().unwrap_or_default();
    assert!(
        example.ends_with("GET responded with 404"),
        "{example}: a bucket and a key, and the response"
    );
}

#[test]
fn deletions_that_were_not_done_are_found() {
    for (keeps_deleted, kept) in [(false, 0), (true, 100)] {
        let mut server = Server {
            keeps_deleted,
            ..Server::default()
        };
        let mut all = phases(BlobAccess::S3, &[Phase::Put, Phase::Get, Phase::Delete]);
        all.iter_mut().for_each(|phase| server.slice(phase));
        let results: Vec<_> = all
            .iter_mut()
            .map(|phase| server.read_back(phase))
            .collect();
        // The GETs have compared the blobs that are deleted now.
        assert_eq!(results[0].len(), 1);
        assert_eq!(results[0][0].not_checked, None);
        assert_eq!(results[1], []);
        let deleted = &results[2][0];
        assert!(deleted.deletes);
        assert_eq!((deleted.acknowledged, deleted.checked), (200, 100));
        assert_eq!((deleted.kept, deleted.missed()), (kept, kept));
    }
}

#[test]
fn what_cannot_be_checked_is_stated() {
    let mut server = Server::default();
    let mut all = phases(BlobAccess::S3, &[Phase::Put, Phase::Delete]);
    all.iter_mut().for_each(|phase| server.slice(phase));
    let put = server.read_back(&mut all[0]).remove(0);
    assert_eq!(put.uncheckable, Some(Uncheckable::AllDeleted));
    assert!(put.not_checked.is_some());
    assert_eq!(server.read_back(&mut all[1])[0].kept, 0);
}

#[test]
fn late_deletions_are_not_looked_for() {
    let mut delete = phases(BlobAccess::Blobstore, &[Phase::Put, Phase::Delete]).remove(1);
    let mut page = crate::blob::stored::batch::Page::default();
    page.push(crate::blob::stored::batch::Entry {
        number: 0,
        size: 100,
        location: b"{}",
    });
    let collected = crate::blob::stored::batch::Collected {
        pages: vec![page],
        deleted: vec![0],
        ..Default::default()
    };
    delete.set.stored(0, collected);
    let results = Server::default().read_back(&mut delete);
    assert_eq!(results[0].uncheckable, Some(Uncheckable::DeletesLater));
    assert_eq!((results[0].acknowledged, results[0].missed()), (1, 0));
}
