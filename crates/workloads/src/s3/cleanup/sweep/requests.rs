//! The requests of a sweep.

use tenbin_engine::Exchange;
use tenbin_plan::ListForm;

use super::listed::Item;
use super::{Job, Out, Sweep, SweepScope};
use crate::s3::actions::lock::{BYPASS, hold};
use crate::s3::messages::batch::Batch;
use crate::s3::messages::document::Document;
use crate::s3::objects::versions;
use crate::s3::signing::request_writer::RequestSpec;
use crate::s3::signing::uri::{canonical_query, push_encoded};

impl Sweep {
    pub(super) fn form(&self) -> ListForm {
        match self.scope {
            SweepScope::Objects => ListForm::V2,
            SweepScope::Versions | SweepScope::Locked => ListForm::Versions,
        }
    }

    pub(super) fn body(job: &Job) -> Option<Document> {
        match job {
            Job::Batch(_, items) => Some(Batch::of_keys(
                items
                    .iter()
                    .map(|item| (item.key.clone(), item.version.clone())),
            )),
            Job::Release(..) => Some(hold("OFF")),
            Job::List(..) | Job::One(..) | Job::IsEmpty(_) | Job::Bucket(_) => None,
        }
    }

    pub(super) fn write(&mut self, exchange: &mut Exchange, unix_seconds: u64, out: &Out) {
        let path;
        let bypass = [BYPASS];
        let bypass = match self.scope {
            SweepScope::Locked => &bypass[..],
            SweepScope::Objects | SweepScope::Versions => &[],
        };
        let md5 = out.body.as_ref().map(Document::md5_header);
        let with_md5: Vec<_> = md5.into_iter().chain(bypass.iter().copied()).collect();
        let announced = out.body.as_ref().map(Document::announced);
        let spec = match &out.job {
            Job::List(bucket, from) => {
                self.query = self.list_query(*bucket, from.as_ref());
                RequestSpec {
                    query: &self.query,
                    ..RequestSpec::plain("GET", *bucket, &self.place.buckets[*bucket].path)
                }
            }
            Job::IsEmpty(bucket) => {
                self.query = self.any_query();
                RequestSpec {
                    query: &self.query,
                    ..RequestSpec::plain("GET", *bucket, &self.place.buckets[*bucket].path)
                }
            }
            Job::Batch(bucket, _) => RequestSpec {
                query: b"delete=",
                headers: &with_md5,
                body: announced,
                ..RequestSpec::plain("POST", *bucket, &self.place.buckets[*bucket].path)
            },
            Job::Release(bucket, item) => {
                path = self.path_of(*bucket, item);
                let version = item.version.as_deref().unwrap_or_default();
                self.query = canonical_query([
                    (&b"legal-hold"[..], &b""[..]),
                    (b"versionId", version.as_bytes()),
                ]);
                RequestSpec {
                    query: &self.query,
                    headers: &with_md5[..1],
                    body: announced,
                    ..RequestSpec::plain("PUT", *bucket, &path)
                }
            }
            Job::One(bucket, item) => {
                path = self.path_of(*bucket, item);
                self.query.clear();
                if let Some(version) = &item.version {
                    versions::write_query(&mut self.query, version.as_bytes());
                }
                RequestSpec {
                    query: &self.query,
                    headers: bypass,
                    ..RequestSpec::plain("DELETE", *bucket, &path)
                }
            }
            Job::Bucket(bucket) => {
                RequestSpec::plain("DELETE", *bucket, &self.place.buckets[*bucket].path)
            }
        };
        self.writer.write(exchange, unix_seconds, &spec);
    }

    /// The percent-encoded path of an item.
    fn path_of(&self, bucket: usize, item: &Item) -> Vec<u8> {
        let mut path = self.place.buckets[bucket].path.clone();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        push_encoded(&mut path, item.key.as_bytes(), true);
        path
    }

    fn list_query(&self, bucket: usize, from: Option<&(String, String)>) -> Vec<u8> {
        let mut pairs: Vec<(&[u8], &[u8])> = vec![
            (b"max-keys", b"1000"),
            (b"prefix", self.prefixes[bucket].as_bytes()),
        ];
        match self.form() {
            ListForm::Versions => pairs.push((b"versions", b"")),
            ListForm::V1 | ListForm::V2 => pairs.push((b"list-type", b"2")),
        }
        if let Some((marker, version)) = from {
            match self.form() {
                ListForm::Versions => {
                    pairs.push((b"key-marker", marker.as_bytes()));
                    pairs.push((b"version-id-marker", version.as_bytes()));
                }
                ListForm::V1 | ListForm::V2 => {
                    pairs.push((b"continuation-token", marker.as_bytes()));
                }
            }
        }
        canonical_query(pairs)
    }

    /// Query for a listing of at most one entry of a bucket.
    fn any_query(&self) -> Vec<u8> {
        let form: (&[u8], &[u8]) = match self.form() {
            ListForm::Versions => (b"versions", b""),
            ListForm::V1 | ListForm::V2 => (b"list-type", b"2"),
        };
        canonical_query([(&b"max-keys"[..], &b"1"[..]), (b"prefix", b""), form])
    }
}
