//! Records what the workers write and delete.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::sample::{Entry, ExportedEntry, ExportedSample, KEPT, Sample};
use super::written::Written;
use crate::rng::mix;
use crate::shared::held;

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The object has the content of the request, and was appended to this often.
    Stored { appends: u32 },
    /// The object is deleted.
    Gone,
    /// The request has certainly had no effect.
    Refused,
    /// The request may have had an effect, or may have one later.
    Unknown,
}

impl Outcome {
    /// The object has the content of the request.
    pub(crate) const STORED: Self = Self::Stored { appends: 0 };

    /// The outcome of a request that failed with this status.
    pub(crate) fn of_failure(status: u16) -> Self {
        match status {
            300..500 | 503 => Self::Refused,
            _ => Self::Unknown,
        }
    }
}

/// The samples of one worker, kept from slice to slice.
#[derive(Debug, Clone, Default)]
struct OfWorker {
    /// By operation, in the order of [`Written::ALL`].
    samples: [Sample; Written::ALL.len()],
    acknowledged: [u64; Written::ALL.len()],
    /// The first generation of the next slice.
    generation: u64,
}

/// The samples of all workers, by worker.
type Shared = Arc<Mutex<BTreeMap<usize, OfWorker>>>;

/// The samples of a workload on one target.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorders {
    all: Shared,
    salt: u64,
    /// Whether each write of an object gets new content, so that a lost write is noticed although
    /// an earlier write of the object was stored.
    new_content: bool,
}

impl Recorders {
    pub(crate) fn new(seed: u64, new_content: bool) -> Self {
        Self {
            all: Arc::default(),
            salt: mix(seed ^ 0x7265_6164),
            new_content,
        }
    }

    /// The recorder of a worker, which goes back to `self` when it is dropped.
    pub(crate) fn of(&self, worker: usize) -> Recorder {
        let own = held(&self.all).remove(&worker).unwrap_or_default();
        Recorder {
            salt: self.salt,
            base: own.generation,
            own: Box::new(own),
            new_content: self.new_content,
            back: Some((worker, Arc::clone(&self.all))),
        }
    }

    /// Forgets which objects were deleted: they are stored again.
    pub(crate) fn restored(&self) {
        for own in held(&self.all).values_mut() {
            for (written, sample) in Written::ALL.iter().zip(&mut own.samples) {
                if written.deletes() {
                    sample.clear();
                }
            }
        }
    }

    /// The merged samples of all workers, by operation.
    pub(crate) fn merged(&self) -> Vec<Merged> {
        let all = held(&self.all);
        let samples = all.values().map(|own| {
            let samples = Written::ALL.iter().zip(&own.samples);
            samples
                .flat_map(|(written, sample)| sample.iter().map(|(k, e)| (*written, *k, e.clone())))
                .collect()
        });
        let mut merged = merge(samples.collect());
        for own in all.values() {
            for (one, acknowledged) in merged.iter_mut().zip(own.acknowledged) {
                one.acknowledged += acknowledged;
            }
        }
        merged
    }

    /// What an agent reports.
    pub(crate) fn export(&self) -> Vec<ExportedSample> {
        let merged = self.merged().into_iter().enumerate();
        let exported = merged.map(|(operation, one)| ExportedSample {
            operation,
            acknowledged: one.acknowledged,
            entries: one
                .entries
                .iter()
                .take(KEPT)
                .map(|(key, entry)| ExportedEntry::of(*key, entry))
                .collect(),
        });
        exported.filter(|one| one.acknowledged > 0).collect()
    }
}

/// The sample of one operation over all workers or agents.
#[derive(Debug, Clone)]
pub(crate) struct Merged {
    pub(crate) written: Written,
    pub(crate) acknowledged: u64,
    /// Entries by ascending key.
    pub(crate) entries: Vec<(u64, Entry)>,
}

/// Merges the samples of several workers or agents. An object that several of them have written or
/// deleted has the state that any of them left; if some have written and others deleted the object,
/// its state is unknown.
fn merge(samples: Vec<Vec<(Written, u64, Entry)>>) -> Vec<Merged> {
    let mut objects: BTreeMap<u64, (Written, Entry)> = BTreeMap::new();
    for (written, key, entry) in samples.into_iter().flatten() {
        match objects.get_mut(&key) {
            None => {
                objects.insert(key, (written, entry));
            }
            Some((known, before)) if *known == written => before.merge(&entry),
            Some((_, before)) => before.unsure = true,
        }
    }
    let all = Written::ALL.iter().map(|&written| Merged {
        written,
        acknowledged: 0,
        entries: objects
            .iter()
            .filter(|(_, (of, _))| *of == written)
            .map(|(key, (_, entry))| (*key, entry.clone()))
            .collect(),
    });
    all.collect()
}

/// The samples that agents reported last.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    agents: Vec<Vec<ExportedSample>>,
    /// Whether the number of agents changed: an agent that left may have overwritten objects after
    /// its last report.
    changed: bool,
}

impl Reported {
    pub(crate) fn set(&mut self, agents: Vec<Vec<ExportedSample>>) {
        self.changed |= !self.agents.is_empty() && self.agents.len() != agents.len();
        self.agents = agents;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    pub(crate) fn merged(&self) -> Vec<Merged> {
        let samples = self.agents.iter().map(|samples| {
            let entries = samples.iter().flat_map(|sample| {
                let written = Written::ALL[sample.operation];
                let entries = sample.entries.iter().map(ExportedEntry::entry);
                entries.map(move |(key, entry)| (written, key, entry))
            });
            entries.collect()
        });
        let mut merged = merge(samples.collect());
        for sample in self.agents.iter().flatten() {
            merged[sample.operation].acknowledged += sample.acknowledged;
        }
        if self.changed {
            let entries = merged.iter_mut().flat_map(|one| &mut one.entries);
            entries.for_each(|(_, entry)| {
                entry.any_content = true;
                entry.etag = None;
            });
        }
        merged
    }
}

/// Records what one worker writes and deletes.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    salt: u64,
    /// The first generation of this slice.
    base: u64,
    own: Box<OfWorker>,
    new_content: bool,
    /// Where the samples go; `None` if nothing is recorded.
    back: Option<(usize, Shared)>,
}

impl Recorder {
    /// Number of the content with which an object is stored on the `turns`-th walk through all
    /// objects in this slice, from 0: each write of an object has another content than the write
    /// before.
    pub(crate) fn generation(&mut self, turns: u64) -> u64 {
        if !self.new_content || self.back.is_none() {
            return 0;
        }
        let generation = self.base + turns;
        self.own.generation = self.own.generation.max(generation + 1);
        generation
    }

    fn key(&self, object: u64, version: Option<&[u8]>) -> u64 {
        let version = version.unwrap_or_default().iter();
        version.fold(mix(object ^ self.salt), |key, &byte| {
            mix(key ^ u64::from(byte))
        })
    }

    /// Records that a request for this object is sent, which writes the content with this number.
    pub(crate) fn begin(
        &mut self,
        written: Written,
        object: u64,
        version: Option<&[u8]>,
        content: u64,
    ) {
        if self.back.is_none() {
            return;
        }
        let key = self.key(object, version);
        for (at, sample) in self.own.samples.iter_mut().enumerate() {
            if at != written as usize && !sample.is_empty() {
                sample.remove(key);
            }
        }
        let sample = &mut self.own.samples[written as usize];
        if let Some(entry) = sample.get_or_add(key, object) {
            entry.begin(content);
            if entry.version.is_none() {
                entry.version = version.map(Into::into);
            }
        }
    }

    /// Records the outcome of a request.
    pub(crate) fn end(
        &mut self,
        written: Written,
        object: u64,
        version: Option<&[u8]>,
        content: u64,
        outcome: Outcome,
    ) {
        if self.back.is_none() {
            return;
        }
        let is_done = matches!(outcome, Outcome::Stored { .. } | Outcome::Gone);
        self.own.acknowledged[written as usize] += u64::from(is_done);
        let key = self.key(object, version);
        let Some(entry) = self.own.samples[written as usize].get(key) else {
            return;
        };
        match outcome {
            Outcome::Stored { appends } => entry.acknowledge(content, true, appends),
            Outcome::Gone => entry.acknowledge(content, false, 0),
            Outcome::Refused => entry.refused(content),
            Outcome::Unknown => entry.doubt(content),
        }
    }

    /// Whether the object is in the sample.
    pub(crate) fn has(&mut self, written: Written, object: u64) -> bool {
        self.back.is_some() && {
            let key = self.key(object, None);
            self.own.samples[written as usize].get(key).is_some()
        }
    }

    /// Records the ETag of the response to the write of this content.
    pub(crate) fn etag(&mut self, written: Written, object: u64, content: u64, etag: [u8; 16]) {
        let key = self.key(object, None);
        if let Some(entry) = self.own.samples[written as usize].get(key) {
            entry.etag = Some((content, etag));
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let Some((worker, all)) = self.back.take() else {
            return;
        };
        let mut own = std::mem::take(&mut *self.own);
        let samples = own.samples.iter_mut();
        samples
            .flat_map(Sample::iter_mut)
            .for_each(|(_, entry)| entry.end());
        held(&all).insert(worker, own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(recorder: &mut Recorder, object: u64, content: u64) {
        recorder.begin(Written::Put, object, None, content);
        recorder.end(Written::Put, object, None, content, Outcome::STORED);
    }

    fn delete(recorder: &mut Recorder, object: u64) {
        recorder.begin(Written::Delete, object, None, 0);
        recorder.end(Written::Delete, object, None, 0, Outcome::Gone);
    }

    fn objects(recorders: &Recorders, written: Written) -> Vec<u64> {
        let merged = recorders.merged().swap_remove(written as usize);
        let certain = merged.entries.iter().filter(|(_, one)| one.is_certain());
        let mut objects: Vec<u64> = certain.map(|(_, one)| one.object).collect();
        objects.sort_unstable();
        objects
    }

    #[test]
    fn an_object_is_in_the_sample_of_its_last_operation() {
        let recorders = Recorders::new(1, true);
        let mut recorder = recorders.of(0);
        (0..4).for_each(|object| put(&mut recorder, object, object));
        (0..3).for_each(|object| delete(&mut recorder, object));
        drop(recorder);
        // The next slice goes on with the same samples.
        put(&mut recorders.of(0), 1, 1);
        assert_eq!(objects(&recorders, Written::Put), [1, 3]);
        assert_eq!(objects(&recorders, Written::Delete), [0, 2]);
        recorders.restored();
        assert_eq!(objects(&recorders, Written::Delete), [0_u64; 0]);
        assert_eq!(recorders.merged()[Written::Put as usize].acknowledged, 5);
    }

    #[test]
    fn of_two_workers_with_one_object_either_may_be_last() {
        let recorders = Recorders::new(1, true);
        put(&mut recorders.of(0), 7, 70);
        put(&mut recorders.of(1), 7, 71);
        put(&mut recorders.of(0), 8, 80);
        delete(&mut recorders.of(1), 8);
        assert_eq!(objects(&recorders, Written::Put), [7]);
        let merged = recorders.merged();
        let (_, entry) = &merged[0].entries[0];
        assert_eq!(entry.contents().collect::<Vec<_>>(), [70, 71]);
        assert_eq!(objects(&recorders, Written::Delete), [0_u64; 0]);
    }

    #[test]
    fn every_slice_and_every_walk_has_its_own_contents() {
        let recorders = Recorders::new(1, true);
        let mut first = recorders.of(0);
        assert_eq!((first.generation(0), first.generation(1)), (0, 1));
        drop(first);
        assert_eq!(recorders.of(0).generation(0), 2);
        assert_eq!(Recorder::default().generation(3), 0);
        assert_eq!(Recorders::new(1, false).of(0).generation(3), 0);
    }

    #[test]
    fn agents_report_what_a_coordinator_merges() {
        let recorders = Recorders::new(1, true);
        put(&mut recorders.of(0), 7, 70);
        let exported = recorders.export();
        assert!(exported.iter().all(ExportedSample::is_possible));
        let mut reported = Reported::default();
        reported.set(vec![exported.clone(), Vec::new()]);
        let merged = reported.merged();
        assert_eq!(merged[0].acknowledged, 1);
        let own = &recorders.merged()[0].entries[0];
        let (key, entry) = &merged[0].entries[0];
        assert_eq!((*key, entry.object), (own.0, 7));
        assert!(entry.contents().eq(own.1.contents()) && entry.is_certain());
        assert!(!merged[0].entries[0].1.any_content);
        reported.set(vec![exported]);
        assert!(
            reported.merged()[0].entries[0].1.any_content,
            "an agent left"
        );
    }
}
