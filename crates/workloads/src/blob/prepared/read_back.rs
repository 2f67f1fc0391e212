//! The stages that read a sample of blobs back, and their result.

use std::sync::{Arc, Mutex};

use tenbin_plan::Phase;

use super::PreparedBlob;
use crate::blob::read_back::reader::Reader;
use crate::blob::read_back::sample::{Checked, drawn};
use crate::prepared::{Reading, Stage};
use crate::read_back::{CONNECTIONS, Found, READ, ReadBack, Uncheckable, WAIT, stage_text};
use crate::rng::Rng;
use crate::s3::content::unique::Unique;
use crate::shared::held;
use crate::site::BlobAccess;

/// How far reading back has come.
#[derive(Default)]
pub(super) struct Progress {
    step: Step,
    checked: Arc<Mutex<Vec<Checked>>>,
    results: Vec<ReadBack>,
    /// By result: number of blobs in the sample.
    known: Vec<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Begin,
    ReadAgain,
    End,
}

impl PreparedBlob {
    /// The next step of reading back.
    pub(super) fn reading(&mut self) -> Reading {
        if self.is_dummy() {
            return Reading::Done(Vec::new());
        }
        match self.read_back.step {
            Step::Begin => {
                self.read_back.step = Step::ReadAgain;
                self.choose();
                let all: Vec<usize> = (0..held(&self.read_back.checked).len()).collect();
                self.read(&all, 0)
            }
            Step::ReadAgain => {
                self.read_back.step = Step::End;
                let mut wrong = Vec::new();
                for (at, blob) in held(&self.read_back.checked).iter_mut().enumerate() {
                    if matches!(blob.found, Found::Wrong(..)) {
                        blob.is_late = true;
                        wrong.push(at);
                    }
                }
                self.read(&wrong, WAIT)
            }
            Step::End => Reading::Done(self.read_back_results()),
        }
    }

    /// The stage that reads these blobs after a wait in nanoseconds, or the next step without blobs.
    fn read(&mut self, blobs: &[usize], wait: u64) -> Reading {
        if blobs.is_empty() {
            return self.reading();
        }
        let made = Unique::new(self.content_seed, 0);
        let reader = Reader::new(&self.read_back.checked, self.dialect(), made, blobs, wait);
        Reading::Stage(Stage {
            what: stage_text(blobs.len(), wait != 0),
            total: Some(blobs.len() as u64),
            connections: CONNECTIONS.min(blobs.len()),
            workers: vec![Box::new(reader)],
            must_succeed: false,
            host: None,
        })
    }

    /// Chooses the blobs to read, of the operations that the phase sends.
    fn choose(&mut self) {
        for (operation, deletes) in [(Phase::Put, false), (Phase::Delete, true)] {
            if self.work.phase.includes(operation) {
                self.choose_of(deletes);
            }
        }
    }

    fn choose_of(&mut self, deletes: bool) {
        if deletes && self.work.until_gone {
            // The follower has already looked for the deleted blobs.
            return;
        }
        let batches = self.set.of_source(self.source);
        let mut rng = Rng::new(self.seed, &[self.name, 2, u64::from(deletes)]);
        let at = self.read_back.results.len();
        let (count, mut checked) = drawn(&batches, deletes, at, &mut rng);
        let acknowledged = if deletes {
            count
        } else {
            batches.iter().map(|batch| batch.len()).sum()
        };
        if acknowledged == 0 {
            return;
        }
        let deletes_later = deletes && self.target.means() == BlobAccess::Blobstore;
        let uncheckable = if deletes_later {
            checked.clear();
            Some(Uncheckable::DeletesLater)
        } else if count == 0 && !self.is_compared() {
            Some(Uncheckable::AllDeleted)
        } else {
            None
        };
        let why = uncheckable.map(|why| match why {
            Uncheckable::DeletesLater => "deletion is asynchronous: not looked for (--until-gone)",
            Uncheckable::AllDeleted => "every blob was deleted again before the end of the run",
        });
        self.read_back.results.push(ReadBack {
            operation: if deletes { "DELETE" } else { "PUT" }.to_owned(),
            deletes,
            acknowledged,
            not_checked: why.map(str::to_owned),
            uncheckable,
            ..ReadBack::default()
        });
        self.read_back.known.push(count.min(READ as u64));
        held(&self.read_back.checked).append(&mut checked);
    }

    /// Whether GETs of the run have compared the content of blobs that the phase has put.
    fn is_compared(&self) -> bool {
        let by_itself = self.work.verify && self.work.phase.includes(Phase::Get);
        by_itself || self.set.is_compared(self.source)
    }

    fn read_back_results(&mut self) -> Vec<ReadBack> {
        let mut results = std::mem::take(&mut self.read_back.results);
        for blob in held(&self.read_back.checked).iter() {
            if let Some(result) = results.get_mut(blob.result) {
                let number = blob.batch.entry(blob.at).number;
                result.add(&blob.found, blob.is_late, || self.describe(number));
            }
        }
        for (result, known) in results.iter_mut().zip(&self.read_back.known) {
            if result.uncheckable.is_none() {
                result.not_checked = result.too_few(*known);
            }
        }
        self.read_back = Progress::default();
        results
    }

    fn describe(&self, number: u64) -> String {
        match &self.place {
            Some(place) => {
                let bucket = &self.work.bucket;
                format!("object {} in bucket {bucket}", place.key(number))
            }
            None => format!("blob {number}"),
        }
    }
}

#[cfg(test)]
mod tests;
