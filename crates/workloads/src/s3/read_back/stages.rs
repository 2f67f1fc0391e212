//! The stages that read a sample back, and their result.

use md5::{Digest, Md5};
use tenbin_plan::S3Operation;
use tenbin_plan::s3::{Effect, Feature};

use super::checked::Checked;
use super::progress::{Progress, Step};
use super::reader::Reader;
use super::recorder::Merged;
use super::sample::Entry;
use crate::prepared::{Reading, Stage};
use crate::read_back::{CONNECTIONS, READ, ReadBack, WAIT, stage_text};
use crate::s3::content::Content;
use crate::s3::prepared::PreparedS3;
use crate::shared::held;

/// Largest total size of the contents whose MD5 is computed, bytes.
const HASHED_BYTES: u64 = 256 << 20;

impl PreparedS3 {
    /// The next step of reading back.
    pub(crate) fn reading(&mut self) -> Reading {
        match self.read_back.step {
            Step::Begin => {
                self.read_back.step = Step::ReadAgain;
                self.choose();
                let all: Vec<usize> = (0..held(&self.read_back.checked).len()).collect();
                if let Some(stage) = self.read(&all, 0) {
                    return Reading::Stage(stage);
                }
                self.reading()
            }
            Step::ReadAgain => {
                self.read_back.step = Step::End;
                let mut checked = held(&self.read_back.checked);
                let wrong = checked.iter_mut().enumerate();
                let wrong = wrong.filter(|(_, object)| object.is_wrong());
                let wrong: Vec<usize> = wrong
                    .map(|(at, object)| {
                        object.is_late = true;
                        at
                    })
                    .collect();
                drop(checked);
                if let Some(stage) = self.read(&wrong, WAIT) {
                    return Reading::Stage(stage);
                }
                self.reading()
            }
            Step::End => Reading::Done(self.results()),
        }
    }

    /// Chooses the objects to read, and judges the ETags of the responses to their writes.
    fn choose(&mut self) {
        let merged = if self.reported.is_empty() {
            self.recorders.merged()
        } else {
            self.reported.merged()
        };
        let mut checked = Vec::new();
        for one in merged.iter().filter(|one| one.acknowledged > 0) {
            let certain = one.entries.iter().filter(|(_, entry)| entry.is_certain());
            let chosen: Vec<&(u64, Entry)> = certain.take(READ).collect();
            checked.extend(
                chosen
                    .iter()
                    .map(|(key, entry)| Checked::new(one.written, *key, entry, &self.content)),
            );
            let result = self.beginning(one, chosen.iter().map(|(_, entry)| entry));
            self.read_back.results.push(result);
            self.read_back.known.push(one.entries.len() as u64);
        }
        *held(&self.read_back.checked) = checked;
    }

    /// The result of an operation before its objects are read.
    fn beginning<'a>(&self, merged: &Merged, entries: impl Iterator<Item = &'a Entry>) -> ReadBack {
        let mut result = ReadBack {
            operation: merged.written.name().to_owned(),
            deletes: merged.written.deletes(),
            acknowledged: merged.acknowledged,
            ..ReadBack::default()
        };
        let mut hashed = 0;
        let (mut own, mut others) = (0, Vec::new());
        for entry in entries.filter(|_| self.content.is_known()) {
            let Some((number, etag)) = entry.etag else {
                continue;
            };
            hashed += self.content.size(number);
            if hashed > HASHED_BYTES {
                break;
            }
            if md5_of(&self.content, number) == etag {
                own += 1
            } else {
                others.push((entry.object, etag))
            }
        }
        if let Some((object, etag)) = others.first().filter(|_| own > 0) {
            result.other_etag = others.len() as u64;
            let hex: String = etag.iter().map(|byte| format!("{byte:02x}")).collect();
            result.example = Some(format!(
                "{}: the ETag in the response to the write was {hex}, not the MD5 of the content",
                self.describe(*object)
            ));
        }
        result
    }

    /// The stage that reads these objects, if any, after a wait in nanoseconds.
    fn read(&self, objects: &[usize], wait: u64) -> Option<Stage> {
        if objects.is_empty() {
            return None;
        }
        let reader = Reader::new(
            (&self.place, &self.content),
            &self.extra_headers,
            self.writer(),
            &self.read_back.checked,
            objects,
            wait,
        );
        Some(Stage {
            what: stage_text(objects.len(), wait != 0),
            total: Some(2 * objects.len() as u64),
            connections: CONNECTIONS.min(2 * objects.len()),
            workers: vec![Box::new(reader)],
            must_succeed: false,
            host: None,
        })
    }

    fn describe(&self, object: u64) -> String {
        let bucket = &self.place.buckets[self.place.bucket_of(object)].name;
        format!("object {} in bucket {bucket}", self.place.key(object))
    }

    fn results(&mut self) -> Vec<ReadBack> {
        let mut results = std::mem::take(&mut self.read_back.results);
        for checked in held(&self.read_back.checked).iter() {
            let own = |result: &&mut ReadBack| result.operation == checked.written.name();
            if let Some(result) = results.iter_mut().find(own) {
                checked.count(result, || self.describe(checked.object));
            }
        }
        for (result, known) in results.iter_mut().zip(&self.read_back.known) {
            // An object with a wrong ETag and right content is one miss, and one with wrong content
            // is not two.
            let others = result.missing + result.other_size + result.other_content;
            result.other_etag = result.other_etag.min(result.checked.saturating_sub(others));
            result.not_checked = result.too_few(*known);
        }
        results.extend(self.never_read());
        self.read_back = Progress::default();
        results
    }

    /// The operations of the workload that write and are not read back.
    fn never_read(&self) -> Vec<ReadBack> {
        let is_unread = |operation: &S3Operation| {
            let versions_are_unread = match operation {
                S3Operation::Put | S3Operation::Delete => self.is_mixed(),
                S3Operation::Multipart => true,
                _ => false,
            };
            let writes = operation.facts().effect != Effect::Reads;
            writes && !operation.has(Feature::ReadBack)
                || versions_are_unread && self.work.versions > 0
        };
        let operations = self.work.mix.operations().filter(is_unread);
        let operations = operations.map(|operation| ReadBack {
            operation: operation.title().to_owned(),
            deletes: operation.uses_up(),
            not_checked: Some("this operation is not read back".to_owned()),
            ..ReadBack::default()
        });
        operations.collect()
    }
}

fn md5_of(content: &Content, number: u64) -> [u8; 16] {
    if !content.is_made() {
        Md5::digest(content.body(number)).into()
    } else {
        let mut made = Vec::new();
        content.write(number, &mut made);
        Md5::digest(&made).into()
    }
}
