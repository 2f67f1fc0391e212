//! A phase prepared for one target.

mod agents;
mod clean_up;
mod read_back;
mod workers;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tenbin_engine::Workload;
use tenbin_plan::{self as plan, BlobWork, Found, LARGEST_PUT, Phase, sentence};

use self::agents::Orders;
use self::clean_up::Inherited;
use self::read_back::Progress;
use crate::blob::phases::positions::Budget;
use crate::blob::protocols::BlobProtocol;
use crate::blob::protocols::access::Access;
use crate::blob::protocols::files::Files;
use crate::blob::protocols::s3::{self, S3};
use crate::blob::stored::batch::Collected;
use crate::blob::stored::journal::Journal;
use crate::blob::stored::messages::{self, s};
use crate::blob::stored::set::{BlobSets, Keeping, Set, Source};
use crate::error::WorkloadError;
use crate::prepared::{AgentSide, Observation, Prepared, Sequence, SetUp, Stage};
use crate::remote::{SliceReport, SliceState};
use crate::rng::name_number;
use crate::s3::content::{Content, Recipe};
use crate::s3::place::Place;
use crate::s3::setup::check::{self, Check};
use crate::s3::signing::request_writer::RequestWriter;
use crate::sequence::{Cursors, Position};
use crate::shared::held;
use crate::site::{BlobAccess, Site};
use crate::text::grouped;

/// A phase prepared for one target.
pub(crate) struct PreparedBlob {
    work: BlobWork,
    target: Site,
    set: Arc<Set>,
    /// Whether this is the first phase of its set. The first phase cleans up for all phases.
    is_first: bool,
    source: Source,
    /// The blobs that a mix of operations reads; `None` for phases, and for a mix that reads none.
    loaded: Option<Loaded>,
    /// Content of the blobs.
    content: Arc<Content>,
    /// Seed of the content.
    content_seed: u64,
    /// Bucket and prefix on an S3 store; `None` with other protocols.
    place: Option<Arc<Place>>,
    made_bucket: Arc<[AtomicBool]>,
    connections: usize,
    workers: usize,
    depth: usize,
    keep_alive: bool,
    /// Number of slices so far.
    slices: usize,
    /// Positions of the workers in their sequence of reads.
    cursors: Arc<Mutex<Cursors>>,
    /// Maximum number of objects that the next slice may read; `None` without a limit.
    things: Option<u64>,
    /// Blobs that the current slice has stored.
    collected: Arc<Mutex<Collected>>,
    seed: u64,
    name: u64,
    /// Number of batches that have been cleaned up.
    cleaned_up: usize,
    /// Number of blobs that the stages of the clean-up were to delete.
    to_delete: u64,
    /// Leftovers of an earlier run of the same plan, or of an agent, that must be removed.
    inherited: Option<Inherited>,
    /// Whether agents send the load, and this process is the coordinator.
    by_agents: bool,
    /// On the coordinator: the journal of the slice that agents are sending.
    of_agents: Option<Journal>,
    /// On an agent: what the coordinator has told.
    orders: Option<Orders>,
    read_back: Progress,
}

/// Blobs that are stored before the run.
struct Loaded {
    /// The storing phase that the set has for the blobs.
    phase: usize,
    state: Loading,
}

/// Whether this workload still has to store the blobs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loading {
    /// The blobs must be stored.
    Due,
    /// The stage that stores the blobs was started.
    Started,
    /// The blobs are stored, or another workload stores them.
    Done,
}

impl PreparedBlob {
    pub(crate) fn new(
        work: &plan::Workload,
        blob: &BlobWork,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Self, WorkloadError> {
        let name = super::set_name(blob, seed);
        let keeping = match (&blob.locations, target.run_directory(), target.means()) {
            (directory, _, _) if target.is_on_agent() => Keeping::Elsewhere(directory.as_deref()),
            (Some(directory), _, _) => Keeping::OnDisk(directory),
            // With other protocols, the names of blobs show which blobs belong to the run.
            (None, Some(run), BlobAccess::Blobstore) => Keeping::Tracked(run),
            _ => Keeping::InMemory,
        };
        let (set, is_first) = target
            .shared::<BlobSets>()
            .set(&keeping, target.name(), &name, seed)
            .map_err(|error| WorkloadError::Locations {
                workload: work.name.clone(),
                path: blob.locations.clone().unwrap_or_default(),
                why: error.to_string(),
            })?;
        if let Some(what) = foreign_to(target.means(), blob) {
            return Err(WorkloadError::NoBlobstore {
                workload: work.name.clone(),
                what,
            });
        }
        let source = match blob.phase {
            Phase::Put | Phase::Mixed(_) => Source::Phase(set.add_phase()),
            Phase::Get | Phase::Delete => set.source(),
        };
        if blob.phase == Phase::Get && blob.verify {
            set.note_compared(source);
        }
        let workers = threads.min(work.load.connections).max(1);
        let loaded = loaded(blob, &set, target.means());
        Ok(Self {
            content: Arc::new(content(blob, set.seed)),
            place: place(blob, target, &set.name, set.seed),
            content_seed: set.seed,
            work: blob.clone(),
            target: target.clone(),
            set,
            is_first,
            source,
            loaded,
            made_bucket: Arc::new([AtomicBool::new(false)]),
            connections: work.load.connections,
            workers,
            depth: work.load.depth,
            keep_alive: work.load.keep_alive,
            slices: 0,
            cursors: Arc::new(Mutex::new(Cursors::new(workers, true))),
            things: None,
            collected: Arc::default(),
            seed,
            name: name_number(&work.name),
            cleaned_up: 0,
            to_delete: 0,
            inherited: None,
            by_agents: false,
            of_agents: None,
            orders: None,
            read_back: Progress::default(),
        })
    }

    /// Sets the seed of the content.
    fn use_seed(&mut self, seed: u64) {
        if self.content_seed != seed {
            self.content_seed = seed;
            self.content = Arc::new(content(&self.work, seed));
            self.place = place(&self.work, &self.target, &self.set.name, seed);
        }
    }

    /// A journal for a worker; `None` if locations are only in memory or agents send the load.
    fn journal(&self, worker: usize, out: u64) -> Option<Journal> {
        (!self.by_agents).then(|| self.set.journal(worker, out))?
    }

    fn dialect(&self) -> Box<dyn BlobProtocol> {
        match (self.target.means(), &self.place) {
            (BlobAccess::S3, Some(place)) => {
                Box::new(S3::new(place, &self.target, self.keep_alive))
            }
            (BlobAccess::Files, _) => Box::new(Files::new(&self.set.name)),
            _ => Box::new(self.access()),
        }
    }

    fn access(&self) -> Access {
        Access::new(&self.target, &self.work, self.keep_alive)
    }

    /// Whether any blob is too large for one request.
    fn in_pieces(&self) -> bool {
        let (_, largest) = self.work.sizes.extremes();
        self.target.means() == BlobAccess::Blobstore && largest > self.work.alloc_above
    }

    fn budget(&self) -> Budget {
        Budget {
            set: Arc::clone(&self.set),
            most: self.work.errors,
        }
    }

    fn is_dummy(&self) -> bool {
        self.target.means() == BlobAccess::Dummy
    }

    /// Ends the stage that stores blobs before the run, if it was started.
    fn end_loading(&mut self) {
        let Some(loaded) = &mut self.loaded else {
            return;
        };
        if loaded.state == Loading::Started {
            loaded.state = Loading::Done;
            let phase = loaded.phase;
            self.set.stored(phase, self.take_collected());
        }
    }
}

/// The blobs that a mix of operations reads.
fn loaded(work: &BlobWork, set: &Set, means: BlobAccess) -> Option<Loaded> {
    let is_read = work.phase.includes(Phase::Get) && matches!(work.phase, Phase::Mixed(_));
    if !is_read || means == BlobAccess::Dummy {
        return None;
    }
    let objects = work.objects.unwrap_or(0);
    let (phase, is_new) = set.loading_phase(&format!("{objects} of {}", work.sizes));
    let state = if is_new { Loading::Due } else { Loading::Done };
    Some(Loaded { phase, state })
}

/// The content of the blobs.
fn content(work: &BlobWork, seed: u64) -> Content {
    let recipe = Recipe {
        sizes: work.sizes.clone(),
        unique: true,
        ..Recipe::plain(0)
    };
    Content::new(seed, &recipe)
}

/// Bucket and prefix on an S3 store; `None` with other protocols.
fn place(work: &BlobWork, target: &Site, set: &str, seed: u64) -> Option<Arc<Place>> {
    let is_s3 = target.means() == BlobAccess::S3;
    is_s3.then(|| Arc::new(s3::place(target, work, seed, set)))
}

/// Name of a setting of the phase that this target does not support, if any.
fn foreign_to(means: BlobAccess, work: &BlobWork) -> Option<&'static str> {
    let (_, largest) = work.sizes.extremes();
    match means {
        BlobAccess::Blobstore => None,
        _ if work.batch > 1 => Some("batch"),
        _ if work.crc_framed => Some("crc_framed"),
        _ if !work.hashes.is_empty() => Some("hashes"),
        BlobAccess::S3 | BlobAccess::Files if largest > LARGEST_PUT => Some("a size above 1GiB"),
        _ => None,
    }
}

impl Prepared for PreparedBlob {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        let slice = self.slices;
        self.slices += 1;
        if self.is_dummy() {
            return self.dummies(slice);
        }
        let batch = || match &self.orders {
            Some(orders) => Arc::clone(&orders.batch),
            None => self.set.batch(self.source, slice),
        };
        match self.work.phase {
            Phase::Put => self.putters(),
            Phase::Get => self.getters(batch()),
            Phase::Delete => self.deleters(batch()),
            Phase::Mixed(shares) => {
                let loaded = self.loaded.as_ref().map(|loaded| loaded.phase);
                let read = loaded.map(|phase| self.set.batch(Source::Phase(phase), 0));
                self.mixed(&read.unwrap_or_default(), shares)
            }
        }
    }

    fn slice_done(&mut self, workers: Vec<Box<dyn Workload>>) {
        // Each worker hands over its stored blobs when it is dropped.
        drop(workers);
        // What agents have done is in their reports.
        if self.is_dummy() || self.by_agents || self.orders.is_some() {
            return;
        }
        match (self.work.phase, self.source) {
            (Phase::Put | Phase::Mixed(_), Source::Phase(phase)) => {
                self.set.stored(phase, self.take_collected());
            }
            _ => self.set.settle(),
        }
    }

    fn spent(&self) -> Option<String> {
        if self.is_dummy() || matches!(self.work.phase, Phase::Put | Phase::Mixed(_)) {
            return None;
        }
        let batch = self.set.batch(self.source, self.slices);
        let (verb, found) = match self.work.phase {
            Phase::Delete => ("delete", batch.left()),
            Phase::Put | Phase::Get | Phase::Mixed(_) => ("read", batch.readable()),
        };
        (found == 0).then(|| {
            format!(
                "there is nothing to {verb}: {}",
                messages::nothing(&self.set, self.source, &batch)
            )
        })
    }

    fn failed(&self) -> Option<String> {
        if let Some(trouble) = self.set.trouble() {
            let directory = self.set.directory();
            return Some(format!(
                "locations cannot be kept in {}: {trouble}",
                directory.display()
            ));
        }
        self.budget().is_spent().then(|| {
            let most = self.work.errors.unwrap_or(0);
            let failures = self.set.failures();
            format!(
                "{} operation{} failed, and the run may have {}",
                grouped(failures),
                s(failures),
                grouped(most)
            )
        })
    }
}

impl SetUp for PreparedBlob {
    fn check(&mut self) -> Option<Stage> {
        let place = self.place.as_ref()?;
        let check = Check::new(
            Arc::clone(place),
            RequestWriter::new(place, &self.target, true),
            &self.target.region,
            check::Requirement::Objects,
            Arc::clone(&self.made_bucket),
            true,
        );
        Some(Stage {
            what: sentence!(
                "checking-bucket",
                "checking bucket {bucket}",
                bucket = self.work.bucket
            ),
            total: None,
            connections: 1,
            workers: vec![Box::new(check)],
            must_succeed: true,
            host: None,
        })
    }

    fn before_run(&mut self) -> Option<Stage> {
        self.end_loading();
        let loaded = self.loaded.as_mut()?;
        if loaded.state != Loading::Due {
            return None;
        }
        loaded.state = Loading::Started;
        Some(self.loading_stage())
    }

    fn found(&self) -> Option<Found> {
        if self.source != Source::Before {
            return None;
        }
        let batch = self.set.batch(self.source, 0);
        Found::of((0..batch.len()).map(|at| batch.entry(at).size))
    }

    fn rename(&mut self, name: &str) {
        self.name = name_number(name);
    }
}

impl Sequence for PreparedBlob {
    fn position(&self) -> Option<Position> {
        let reads = self.work.phase == Phase::Get && !self.is_dummy();
        reads.then(|| held(&self.cursors).position())
    }

    fn ends_at(&mut self, ends: Option<&[u64]>) {
        held(&self.cursors).ends_at(ends);
    }

    fn skip_to(&mut self, position: &[u64]) {
        held(&self.cursors).skip_to(position);
    }

    fn readable(&self, slice: usize) -> Option<u64> {
        let reads = self.work.phase == Phase::Get && !self.is_dummy();
        reads.then(|| self.reach(&self.set.batch(self.source, slice)))
    }

    fn continue_slice(&mut self) {
        self.slices = self.slices.saturating_sub(1);
    }

    fn limit_reads(&mut self, things: u64) {
        self.things = Some(things);
    }
}

impl Observation for PreparedBlob {}

impl AgentSide for PreparedBlob {
    fn state_for_agents(&mut self) -> SliceState {
        self.state()
    }

    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String> {
        self.merge(reports)
    }

    fn is_continuable(&self) -> bool {
        // The blobs that the lost agent has stored or deleted in its last slice are unknown.
        false
    }

    fn set_state(&mut self, state: SliceState) -> Result<(), String> {
        self.take_state(state)
    }

    fn report(&mut self) -> SliceReport {
        self.report_blobs()
    }
}
