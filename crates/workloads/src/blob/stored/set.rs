//! The blobs that the phases on one target share.

use std::collections::HashSet;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::blob::phases::dummy::Done;
use crate::blob::stored::batch::{Batch, Collected, Entry};
use crate::blob::stored::disk::Disk;
use crate::blob::stored::journal::Journal;
use crate::blob::stored::run_journals::{Found, RunJournals};
use crate::blob::stored::transfer::Counts;
use crate::shared::held;

/// The sets of one target.
#[derive(Debug, Default)]
pub(crate) struct BlobSets(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    disks: Vec<(PathBuf, Arc<Disk>)>,
    sets: Vec<(Option<PathBuf>, Arc<Set>)>,
}

impl BlobSets {
    /// Returns the set with this name, and whether this call created the set. A new set keeps its
    /// locations as `keeping` says.
    pub(crate) fn set(
        &self,
        keeping: &Keeping<'_>,
        target: &str,
        name: &str,
        seed: u64,
    ) -> io::Result<(Arc<Set>, bool)> {
        let locations = match *keeping {
            Keeping::OnDisk(directory) => Some(directory),
            Keeping::Elsewhere(directory) => directory,
            Keeping::Tracked(_) | Keeping::InMemory => None,
        };
        let mut contents = held(&self.0);
        let mut sets = contents.sets.iter();
        let known = sets.find(|(at, set)| at.as_deref() == locations && set.name == name);
        if let Some((_, set)) = known {
            return Ok((Arc::clone(set), false));
        }
        let record = match *keeping {
            Keeping::OnDisk(directory) => Some(Record::Disk(contents.disk(directory, target)?)),
            Keeping::Tracked(run) => Some(Record::RunJournals(RunJournals::new(run, target, name))),
            Keeping::InMemory | Keeping::Elsewhere(_) => None,
        };
        let set = Arc::new(Set::new(name, seed, record)?);
        let at = locations.map(Path::to_owned);
        contents.sets.push((at, Arc::clone(&set)));
        Ok((set, true))
    }
}

/// Where the locations of a set are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keeping<'a> {
    /// On disk in this directory; kept after the run.
    OnDisk(&'a Path),
    /// In memory, with journals in this run directory.
    Tracked(&'a Path),
    /// Only in memory.
    InMemory,
    /// By the coordinator of this agent, in this directory if the blobs are kept after the run.
    Elsewhere(Option<&'a Path>),
}

/// Where locations are recorded on disk.
#[derive(Debug)]
enum Record {
    Disk(Arc<Disk>),
    RunJournals(RunJournals),
}

impl Contents {
    fn disk(&mut self, directory: &Path, target: &str) -> io::Result<Arc<Disk>> {
        if let Some((_, disk)) = self.disks.iter().find(|(at, _)| at == directory) {
            return Ok(Arc::clone(disk));
        }
        let disk = Arc::new(Disk::open(directory, target)?);
        self.disks.push((directory.to_owned(), Arc::clone(&disk)));
        Ok(disk)
    }
}

/// Identifies the batch of the blobs that were stored before the run.
const BEFORE: u64 = u64::MAX;

/// The blobs that the phases on one target share.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) name: String,
    /// Seed of the content.
    pub(crate) seed: u64,
    record: Option<Record>,
    batches: Mutex<Batches>,
    /// The first unused blob number.
    next: AtomicU64,
    /// Upper bound for the number of blobs that cannot be found, because the outcome or location of
    /// their PUT is unknown.
    orphans: AtomicU64,
    /// Upper bound for the number of blobs of earlier runs that cannot be found.
    pub(crate) earlier_orphans: u64,
    /// Number of blobs that still existed at their last poll, although their deletion was
    /// acknowledged.
    still_there: AtomicU64,
    /// Number of blobs whose deletion was acknowledged and whose last poll was inconclusive.
    unresolved: AtomicU64,
    /// Failures since the start of the run.
    failures: AtomicU64,
    /// Upper bound for the number of blobs that agents have stored and not reported yet.
    unreported: AtomicU64,
    /// On the coordinator: the batch that the agents have; see [`Set::identified_batch`].
    sent: Mutex<Option<u64>>,
    /// On an agent: the last batch that the coordinator sent.
    received: Mutex<Option<(u64, Arc<Batch>)>>,
    dummies: Mutex<Vec<Vec<Arc<Done>>>>,
    /// The storing phases that load blobs before the run, each with a description of its blobs.
    loading: Mutex<Vec<(String, usize)>>,
    /// The sources whose blobs a phase reads and compares with what was stored.
    compared: Mutex<Vec<Source>>,
}

/// The operation counts of one PUT phase without a real server, one [`Done`] per slice.
pub(crate) struct DummiesOf<'a> {
    dummies: MutexGuard<'a, Vec<Vec<Arc<Done>>>>,
    phase: usize,
}

impl Deref for DummiesOf<'_> {
    type Target = Vec<Arc<Done>>;

    fn deref(&self) -> &Self::Target {
        &self.dummies[self.phase]
    }
}

impl DerefMut for DummiesOf<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.dummies[self.phase]
    }
}

#[derive(Debug, Default)]
struct Batches {
    /// By storing phase: the blobs that each slice stored.
    stored: Vec<Vec<Arc<Batch>>>,
    /// Blobs that may exist without an acknowledgement.
    doubtful: Vec<Arc<Batch>>,
    /// Blobs that were stored before the run.
    before: Option<Arc<Batch>>,
    /// Why locations could not be recorded or read.
    trouble: Option<String>,
}

/// Source of the blobs for a phase that reads or deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A storing phase, by its index among the storing phases.
    Phase(usize),
    /// Blobs from before the run.
    Before,
}

impl Set {
    fn new(name: &str, seed: u64, record: Option<Record>) -> io::Result<Self> {
        let known = match &record {
            Some(Record::Disk(disk)) => disk.known(name, seed)?,
            _ => crate::blob::stored::disk::Known {
                seed,
                ..Default::default()
            },
        };
        Ok(Self {
            name: name.to_owned(),
            seed: known.seed,
            record,
            batches: Mutex::default(),
            next: known.next.into(),
            orphans: AtomicU64::new(0),
            earlier_orphans: known.orphans,
            still_there: AtomicU64::new(0),
            unresolved: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            unreported: AtomicU64::new(0),
            sent: Mutex::default(),
            received: Mutex::default(),
            dummies: Mutex::default(),
            loading: Mutex::default(),
            compared: Mutex::default(),
        })
    }

    /// Whether locations are kept after the run.
    pub(crate) fn stays(&self) -> bool {
        self.disk().is_some()
    }

    fn disk(&self) -> Option<&Disk> {
        match &self.record {
            Some(Record::Disk(disk)) => Some(disk),
            _ => None,
        }
    }

    fn trail(&self) -> Option<&RunJournals> {
        match &self.record {
            Some(Record::RunJournals(trail)) => Some(trail),
            _ => None,
        }
    }

    /// Directory of the recorded locations, for messages.
    pub(crate) fn directory(&self) -> PathBuf {
        match &self.record {
            Some(Record::Disk(disk)) => disk.directory().to_owned(),
            Some(Record::RunJournals(trail)) => trail.directory().to_owned(),
            None => PathBuf::new(),
        }
    }

    /// File of the locations that are kept after the run.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.disk().map(Disk::file)
    }

    /// Adds a storing phase; returns its index.
    pub(crate) fn add_phase(&self) -> usize {
        let mut batches = held(&self.batches);
        batches.stored.push(Vec::new());
        batches.stored.len() - 1
    }

    /// The storing phase that loads the blobs described by `blobs` before the run, and whether this
    /// call added the phase. Mixes of operations that need the same blobs share them.
    pub(crate) fn loading_phase(&self, blobs: &str) -> (usize, bool) {
        let known = {
            let loading = held(&self.loading);
            let mut known = loading.iter();
            known.find(|(of, _)| of == blobs).map(|&(_, phase)| phase)
        };
        if let Some(phase) = known {
            return (phase, false);
        }
        let phase = self.add_phase();
        held(&self.loading).push((blobs.to_owned(), phase));
        (phase, true)
    }

    /// Source of the blobs for the next phase that reads or deletes.
    pub(crate) fn source(&self) -> Source {
        match held(&self.batches).stored.len() {
            0 => Source::Before,
            phases => Source::Phase(phases - 1),
        }
    }

    /// Records that a phase reads the blobs of this source and compares their content.
    pub(crate) fn note_compared(&self, source: Source) {
        held(&self.compared).push(source);
    }

    /// Whether a phase reads the blobs of this source and compares their content.
    pub(crate) fn is_compared(&self, source: Source) -> bool {
        held(&self.compared).contains(&source)
    }

    /// All blobs of a source that have an acknowledged PUT, by slice.
    pub(crate) fn of_source(&self, source: Source) -> Vec<Arc<Batch>> {
        let batches = held(&self.batches);
        match source {
            Source::Phase(phase) => batches.stored.get(phase).cloned().unwrap_or_default(),
            Source::Before => batches.before.iter().map(Arc::clone).collect(),
        }
    }

    /// The batch for slice `nth`, from 0, of a phase that reads or deletes. With a storing phase as
    /// `source`: the blobs stored by slice `nth` of the storing phase, or by its last slice if it
    /// had fewer slices. Otherwise: the blobs from before the run.
    pub(crate) fn batch(&self, source: Source, nth: usize) -> Arc<Batch> {
        self.identified_batch(source, nth).1
    }

    /// As [`Set::batch`], with a number that identifies the batch in this set.
    pub(crate) fn identified_batch(&self, source: Source, nth: usize) -> (u64, Arc<Batch>) {
        let mut batches = held(&self.batches);
        match source {
            Source::Phase(phase) => {
                let stored = &batches.stored[phase];
                let at = nth.min(stored.len().saturating_sub(1));
                let batch = stored.get(at).map(Arc::clone).unwrap_or_default();
                let id = match stored.len() {
                    0 => BEFORE - 1,
                    _ => ((phase as u64) << 32) + at as u64,
                };
                (id, batch)
            }
            Source::Before => {
                if let Some(before) = &batches.before {
                    return (BEFORE, Arc::clone(before));
                }
                let found = self.found_before();
                if let Err(error) = &found {
                    batches.trouble = Some(error.to_string());
                }
                let batch = Arc::new(found.unwrap_or_default());
                batches.before = Some(Arc::clone(&batch));
                (BEFORE, batch)
            }
        }
    }

    fn found_before(&self) -> io::Result<Batch> {
        let Some(disk) = self.disk() else {
            return Ok(Batch::default());
        };
        let page = disk.load(&self.name)?;
        Ok(Batch::of(vec![page]).with_deleting(disk.deleting(&self.name)?))
    }

    /// The first unused blob number.
    pub(crate) fn next(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Ends a slice of a storing phase.
    pub(crate) fn stored(&self, phase: usize, collected: Collected) {
        let batch = Batch::of(collected.pages);
        let each_of = |numbers: Vec<u64>, note: fn(&Batch, u64)| {
            if numbers.is_empty() {
                return;
            }
            let numbers: HashSet<u64> = numbers.into_iter().collect();
            let is_one = |at: &u64| numbers.contains(&batch.entry(*at).number);
            (0..batch.len())
                .filter(is_one)
                .for_each(|at| note(&batch, at));
        };
        each_of(collected.deleted, Batch::note_gone);
        each_of(collected.perhaps_deleted, Batch::note_requested);
        let doubtful = Arc::new(Batch::of(collected.doubtful));
        if let Some(last) = batch.last_number() {
            self.next.fetch_max(last + 1, Ordering::Relaxed);
        }
        let mut batches = held(&self.batches);
        batches.stored[phase].push(Arc::new(batch));
        batches.doubtful.push(doubtful);
        drop(batches);
        self.settle();
    }

    /// Ends a slice. With locations on disk, merges the journals into the database; otherwise
    /// removes the journals if all blobs are deleted.
    pub(crate) fn settle(&self) {
        let settled = match &self.record {
            Some(Record::Disk(disk)) => disk.fold(),
            Some(Record::RunJournals(trail)) if self.left() == 0 => trail.forget(),
            Some(Record::RunJournals(_)) | None => Ok(()),
        };
        if let Err(error) = settled {
            self.note_trouble(&error);
        }
    }

    /// A journal for a worker; `None` if locations are only in memory or the journal cannot be
    /// created.
    pub(crate) fn journal(&self, worker: usize, out: u64) -> Option<Journal> {
        let journal = match self.record.as_ref()? {
            Record::Disk(disk) => disk.journal(worker, &self.name, out),
            Record::RunJournals(trail) => trail.journal(out),
        };
        journal.map_err(|error| self.note_trouble(&error)).ok()
    }

    /// Takes over the blobs in the journals of a killed run.
    pub(crate) fn inherit(&self) {
        let Some(trail) = self.trail() else { return };
        self.take_over(trail.read());
    }

    /// Takes over blobs that are identified by their numbers; `numbers` has number and size (bytes)
    /// of each blob.
    pub(crate) fn inherit_numbers(&self, numbers: io::Result<Vec<(u64, u64)>>) {
        self.take_over(numbers.map(|numbers| {
            let mut found = Found::default();
            for (number, size) in numbers {
                found.page.push(Entry {
                    number,
                    size,
                    location: b"",
                });
            }
            found
        }));
    }

    fn take_over(&self, found: io::Result<Found>) {
        match found {
            Ok(found) => {
                self.note_orphans(found.orphans);
                let batch = Arc::new(Batch::of(vec![found.page]));
                held(&self.batches).before = Some(batch);
            }
            Err(error) => self.note_trouble(&error),
        }
    }

    pub(crate) fn note_trouble(&self, error: &io::Error) {
        held(&self.batches).trouble = Some(error.to_string());
    }

    /// Why locations could not be recorded or read; `None` without an error.
    pub(crate) fn trouble(&self) -> Option<String> {
        held(&self.batches).trouble.clone()
    }

    /// All known blobs that may still exist.
    pub(crate) fn all(&self) -> Vec<Arc<Batch>> {
        let batches = held(&self.batches);
        let stored = batches.stored.iter().flatten();
        let all = stored.chain(&batches.before).chain(&batches.doubtful);
        all.map(Arc::clone).collect()
    }

    /// Number of blobs with locations on disk.
    pub(crate) fn left_on_disk(&self) -> u64 {
        let load = |disk: &Disk| disk.load(&self.name).ok();
        self.disk()
            .and_then(load)
            .map_or(0, |page| Batch::of(vec![page]).len())
    }

    /// Number of blobs with locations on disk whose deletion was requested and has an unknown
    /// outcome.
    pub(crate) fn deleting_on_disk(&self) -> u64 {
        let deleting = |disk: &Disk| disk.deleting(&self.name).ok();
        let deleting = self.disk().and_then(deleting);
        deleting.map_or(0, |numbers| numbers.len() as u64)
    }

    /// The operation counts of a PUT phase without a real server, one per slice.
    pub(crate) fn dummies(&self, source: Source) -> DummiesOf<'_> {
        let mut dummies = held(&self.dummies);
        let phase = match source {
            Source::Phase(phase) => phase,
            Source::Before => 0,
        };
        if dummies.len() <= phase {
            dummies.resize_with(phase + 1, Vec::new);
        }
        DummiesOf { dummies, phase }
    }

    /// Number of known blobs that still exist.
    pub(crate) fn left(&self) -> u64 {
        self.all().iter().map(|batch| batch.left()).sum()
    }

    pub(crate) fn note_orphan(&self) {
        self.note_orphans(1);
    }

    pub(crate) fn note_orphans(&self, count: u64) {
        add(&self.orphans, count);
    }

    /// Upper bound for the number of this run's blobs that cannot be found.
    pub(crate) fn orphans(&self) -> u64 {
        self.orphans.load(Ordering::Relaxed)
    }

    pub(crate) fn note_still_there(&self, count: u64) {
        self.still_there.fetch_add(count, Ordering::Relaxed);
    }

    /// Number of this run's blobs that still existed at their last poll, although their deletion
    /// was acknowledged.
    pub(crate) fn still_there(&self) -> u64 {
        self.still_there.load(Ordering::Relaxed)
    }

    pub(crate) fn note_unresolved(&self, count: u64) {
        self.unresolved.fetch_add(count, Ordering::Relaxed);
    }

    /// Number of this run's blobs whose deletion was acknowledged, and whose last poll was
    /// inconclusive.
    pub(crate) fn unresolved(&self) -> u64 {
        self.unresolved.load(Ordering::Relaxed)
    }

    pub(crate) fn note_failure(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// Failures since the start of the run.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}

/// What the coordinator and the agents of a run know of each other.
impl Set {
    /// Failures and other counts since the start of the run.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            failures: self.failures(),
            orphans: self.orphans(),
            still_there: self.still_there(),
            unresolved: self.unresolved(),
        }
    }

    /// Adds the counts of an agent.
    pub(crate) fn add_counts(&self, counts: Counts) {
        add(&self.failures, counts.failures);
        add(&self.orphans, counts.orphans);
        add(&self.still_there, counts.still_there);
        add(&self.unresolved, counts.unresolved);
    }

    /// On an agent: sets the first unused blob number and the failures of all agents.
    pub(crate) fn continue_from(&self, next: u64, failures: u64) {
        self.next.store(next, Ordering::Relaxed);
        self.failures.store(failures, Ordering::Relaxed);
    }

    /// Records that agents are about to store at most `most` blobs.
    pub(crate) fn await_report(&self, most: u64) {
        self.unreported.store(most, Ordering::Relaxed);
    }

    /// Upper bound for the number of blobs that agents have stored and not reported; 0 from then
    /// on.
    pub(crate) fn take_unreported(&self) -> u64 {
        self.unreported.swap(0, Ordering::Relaxed)
    }

    /// Records that the agents are sent this batch next; returns whether they have it already.
    pub(crate) fn have_agents(&self, id: u64) -> bool {
        held(&self.sent).replace(id) == Some(id)
    }

    /// On an agent: keeps the batch that the coordinator sent.
    pub(crate) fn receive(&self, id: u64, batch: &Arc<Batch>) {
        *held(&self.received) = Some((id, Arc::clone(batch)));
    }

    /// On an agent: the last batch that the coordinator sent, if it has this number.
    pub(crate) fn received(&self, id: u64) -> Option<Arc<Batch>> {
        let received = held(&self.received);
        let same = received.as_ref().filter(|(known, _)| *known == id);
        same.map(|(_, batch)| Arc::clone(batch))
    }
}

/// Adds to a count, which stays at its largest value.
fn add(sum: &AtomicU64, count: u64) {
    let added = |sum: u64| Some(sum.saturating_add(count));
    let _ = sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, added);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::stored::batch::Page;

    fn page(numbers: &[u64]) -> Collected {
        let mut page = Page::default();
        for &number in numbers {
            page.push(Entry {
                number,
                size: 1,
                location: b"",
            });
        }
        Collected {
            pages: vec![page],
            ..Collected::default()
        }
    }

    #[test]
    fn each_slice_works_on_what_the_one_as_far_along_has_stored() {
        let sets = BlobSets::default();
        let (set, is_new) = sets.set(&Keeping::InMemory, "t", "s", 1).unwrap();
        assert!(is_new);
        assert_eq!(set.source(), Source::Before);
        let first = set.add_phase();
        let reads = set.source();
        let second = set.add_phase();
        set.stored(first, page(&[0, 1]));
        set.stored(first, page(&[2]));
        set.stored(second, page(&[3, 4, 5]));
        assert_eq!(set.next(), 6);
        let lengths = |source| [0, 1, 2].map(|nth| set.batch(source, nth).len());
        assert_eq!(lengths(reads), [2, 1, 1]);
        assert_eq!(lengths(set.source()), [3, 3, 3]);
        assert_eq!(set.left(), 6);
        let deleted = vec![7];
        set.stored(
            second,
            Collected {
                deleted,
                ..page(&[6, 7, 8])
            },
        );
        assert_eq!(set.left(), 8);
        let (loaded, is_new) = set.loading_phase("10 of 1KiB");
        assert!(is_new && set.loading_phase("10 of 2KiB").1);
        assert_eq!(set.loading_phase("10 of 1KiB"), (loaded, false));
        let (again, is_new) = sets.set(&Keeping::InMemory, "t", "s", 1).unwrap();
        assert!(!is_new && Arc::ptr_eq(&set, &again));
    }
}
