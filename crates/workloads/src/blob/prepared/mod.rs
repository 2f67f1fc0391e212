//! A phase prepared for one target.

mod agents;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenbin_engine::Workload;
use tenbin_plan::{self as plan, BlobWork, Found, LARGEST_PUT, Phase};

use self::agents::Orders;
use crate::blob::access::Access;
use crate::blob::batch::{Batch, Collected};
use crate::blob::delete::Deleter;
use crate::blob::dummy::{Done, Dummy};
use crate::blob::encoding::BodyEncoding;
use crate::blob::files::{self, Files};
use crate::blob::follower::{Follower, Following, Handover};
use crate::blob::get::Getter;
use crate::blob::journal::Journal;
use crate::blob::messages::{self, s};
use crate::blob::pieces::PieceWriter;
use crate::blob::positions::{self, Budget, Positions, Walk};
use crate::blob::protocol::BlobProtocol;
use crate::blob::put::{Numbers, Putter};
use crate::blob::read_order::ReadOrder;
use crate::blob::recorder::Recorder;
use crate::blob::s3::{self, S3};
use crate::blob::set::{BlobSets, Keeping, Set, Source};
use crate::error::WorkloadError;
use crate::kind::{Prepared, Stage};
use crate::remote::{SliceReport, SliceState};
use crate::rng::{Rng, name_number};
use crate::s3::cleanup::deletion::Remains;
use crate::s3::cleanup::sweep::{Sweep, SweepScope};
use crate::s3::content::unique::Unique;
use crate::s3::content::{Content, Recipe};
use crate::s3::place::Place;
use crate::s3::setup::check::{self, Check};
use crate::s3::signing::request_writer::RequestWriter;
use crate::sequence::{self, AtWork, Cursors, Position};
use crate::site::{BlobAccess, Site};
use crate::text::grouped;

/// Connections that delete leftovers after a run.
const CLEANUP_CONNECTIONS: usize = 8;

/// A phase prepared for one target.
pub(crate) struct PreparedBlob {
    work: BlobWork,
    target: Site,
    set: Arc<Set>,
    /// Whether this is the first phase of its set. The first phase cleans up for all phases.
    is_first: bool,
    source: Source,
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
    /// Leftovers of an earlier run of the same plan, or of an agent, that must be removed.
    inherited: Option<Inherited>,
    /// Whether agents send the load, and this process is the coordinator.
    by_agents: bool,
    /// On the coordinator: the journal of the slice that agents are sending.
    of_agents: Option<Journal>,
    /// On an agent: what the coordinator has told.
    orders: Option<Orders>,
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
            Phase::Put => Source::Phase(set.add_phase()),
            Phase::Get | Phase::Delete => set.source(),
        };
        let workers = threads.min(work.load.connections).max(1);
        Ok(Self {
            content: Arc::new(content(blob, set.seed)),
            place: place(blob, target, &set.name, set.seed),
            content_seed: set.seed,
            work: blob.clone(),
            target: target.clone(),
            set,
            is_first,
            source,
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
            inherited: None,
            by_agents: false,
            of_agents: None,
            orders: None,
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

    fn putters(&self) -> Vec<Box<dyn Workload>> {
        let first = self.set.next();
        let end = match self.work.objects {
            Some(objects) => first.saturating_add(objects),
            None => u64::MAX,
        };
        // The worker's share of all requests in flight, rounded up.
        let out = (self.connections * self.depth).div_ceil(self.workers) as u64;
        let putter = |worker: usize| {
            let numbers = Numbers {
                first: first + worker as u64,
                step: self.workers as u64,
                end,
            };
            let content = Arc::clone(&self.content);
            let encoding = BodyEncoding::new(&self.work);
            let recorder = Recorder::new(
                self.journal(worker, out),
                self.budget(),
                Arc::clone(&self.collected),
            );
            if self.in_pieces() {
                let (access, limit) = (self.access(), self.work.alloc_above);
                let piecer = PieceWriter::new(numbers, content, access, encoding, limit, recorder);
                return Box::new(piecer) as Box<dyn Workload>;
            }
            let putter = Putter::new(numbers, content, self.dialect(), encoding, recorder);
            Box::new(putter) as Box<dyn Workload>
        };
        (0..self.workers).map(putter).collect()
    }

    /// Number of positions of a batch, from the first, that a slice reads.
    fn reach(&self, batch: &Batch) -> u64 {
        let most = self.work.objects;
        most.map_or(batch.len(), |most| positions::reach(batch, most, true))
    }

    fn getters(&self, batch: Arc<Batch>) -> Vec<Box<dyn Workload>> {
        let count = self.reach(&batch).min(self.things.unwrap_or(u64::MAX));
        let getter = |worker: usize| {
            let place = (self.connections, worker, self.workers);
            let course = AtWork::new(&self.cursors, worker);
            let made = self.work.verify.then(|| Unique::new(self.content_seed, 0));
            let getter = Getter::new(
                ReadOrder::new(&batch, count, self.work.around, place, course),
                self.dialect(),
                made,
                self.work.range,
                Rng::new(self.seed, &[self.name, worker as u64]),
                self.budget(),
            );
            Box::new(getter) as Box<dyn Workload>
        };
        (0..self.workers).map(getter).collect()
    }

    fn deleters(&self, batch: Arc<Batch>) -> Vec<Box<dyn Workload>> {
        let following = self.following();
        let own = match &self.orders {
            Some(Orders { part, .. }) => (part.0..self.workers).step_by(part.1).count(),
            None => self.workers,
        };
        let handover = following.map(|following| Arc::new(Handover::new(following, own)));
        let most = self.work.objects;
        let positions = Positions::new(Arc::clone(&batch), most, false, self.workers);
        let positions = Arc::new(match &self.orders {
            Some(orders) => positions.of_agent(orders.part, (self.connections, self.workers)),
            None => positions,
        });
        let deleter = |worker: usize| {
            let deleter = Deleter::new(
                Walk::new(&positions),
                self.dialect(),
                self.work.batch,
                handover.clone(),
                self.journal(worker, 0),
                self.budget(),
            );
            Box::new(deleter) as Box<dyn Workload>
        };
        let mut workers: Vec<_> = (0..self.workers).map(deleter).collect();
        if let Some((following, handover)) = following.zip(handover.clone()) {
            let journal = self.journal(self.workers, 0);
            let dialect = self.dialect();
            let follower =
                Follower::new(batch, dialect, following, handover, journal, self.budget());
            workers.push(Box::new(follower));
        }
        workers
    }

    fn following(&self) -> Option<Following> {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.work.until_gone.then(|| Following {
            limit: nanos(self.work.gone_within),
            longest_rest: nanos(self.work.poll_interval),
            connections: match &self.orders {
                Some(orders) => polls_of(self.work.poll_connections, orders.part),
                None => self.work.poll_connections,
            },
        })
    }

    fn dummies(&self, slice: usize) -> Vec<Box<dyn Workload>> {
        let done = Arc::new(Done::default());
        let before = match self.work.phase {
            Phase::Put => {
                self.set.dummies(self.source).push(Arc::clone(&done));
                None
            }
            _ if self.source == Source::Before => None,
            _ => {
                let before = self.set.dummies(self.source);
                let found = before.get(slice).or(before.last());
                found.map(|done| done.count())
            }
        };
        let most = before
            .unwrap_or(u64::MAX)
            .min(self.work.objects.unwrap_or(u64::MAX));
        let dummy = |worker: usize| {
            let (worker, workers) = (worker as u64, self.workers as u64);
            let share = most / workers + u64::from(worker < most % workers);
            let dummy = Dummy::new(self.work.phase, share, Arc::clone(&done));
            Box::new(dummy) as Box<dyn Workload>
        };
        (0..self.workers).map(dummy).collect()
    }

    fn is_dummy(&self) -> bool {
        self.target.means() == BlobAccess::Dummy
    }
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

/// Connections of one agent for polling: its share of `total`, at least one.
fn polls_of(total: usize, (agent, agents): (usize, usize)) -> usize {
    (total / agents + usize::from(agent < total % agents)).max(1)
}

/// Cleanup of objects that an earlier run of the same plan, or an agent, left on an S3 store.
#[derive(Default)]
struct Inherited {
    swept: bool,
    remains: Arc<Remains>,
    unknown: Arc<AtomicBool>,
}

/// Cleanup of blobs that an earlier run left and that are found by name.
impl PreparedBlob {
    /// The stage that deletes everything below the prefix of the set on an S3 store; `None` if
    /// nothing was inherited or an earlier call returned the stage.
    fn sweep(&mut self) -> Option<Stage> {
        let (inherited, place) = (self.inherited.as_mut()?, self.place.as_ref()?);
        if std::mem::replace(&mut inherited.swept, true) {
            return None;
        }
        let sweep = Sweep::new(
            Arc::clone(place),
            RequestWriter::new(place, &self.target, true),
            SweepScope::Objects,
            Vec::new(),
            Arc::clone(&inherited.remains),
            Arc::clone(&inherited.unknown),
        );
        Some(Stage {
            what: format!("deleting everything under {}", place.prefix),
            total: None,
            connections: CLEANUP_CONNECTIONS,
            workers: vec![Box::new(sweep)],
            must_succeed: false,
            host: None,
        })
    }

    fn unswept(&self, inherited: &Inherited) -> Option<String> {
        if self.target.means() == BlobAccess::Files && self.work.prefix.is_some() {
            return Some(format!(
                "blobs may be left in directory {}, which may also contain blobs of other runs; delete \
                those that are not needed by hand",
                self.set.name
            ));
        }
        let prefix = &self.place.as_ref()?.prefix;
        let bucket = &self.work.bucket;
        let left = inherited.remains.objects.load(Ordering::Acquire);
        if inherited.unknown.load(Ordering::Acquire) {
            return Some(format!(
                "objects under {prefix} could not be listed and may be left in bucket {bucket}"
            ));
        }
        (left > 0).then(|| {
            format!(
                "up to {} objects under {prefix} could not be deleted from bucket {bucket}",
                grouped(left)
            )
        })
    }

    /// Numbers and sizes (bytes) of the files that an earlier run has left.
    fn files_left(&self) -> std::io::Result<Vec<(u64, u64)>> {
        let Ok(directory) = self.target.url.to_file_path() else {
            return Ok(Vec::new());
        };
        files::left(&directory.join(&self.set.name))
    }
}

impl Drop for PreparedBlob {
    fn drop(&mut self) {
        if self.is_first
            && self.target.means() == BlobAccess::Files
            && let Ok(directory) = self.target.url.to_file_path()
        {
            // Fails if the directory is not empty.
            let _ = std::fs::remove_dir(directory.join(&self.set.name));
        }
    }
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
            what: format!("checking bucket {}", self.work.bucket),
            total: None,
            connections: 1,
            workers: vec![Box::new(check)],
            must_succeed: true,
            host: None,
        })
    }

    fn position(&self) -> Option<Position> {
        let reads = self.work.phase == Phase::Get && !self.is_dummy();
        reads.then(|| sequence::held(&self.cursors).position())
    }

    fn ends_at(&mut self, ends: Option<&[u64]>) {
        sequence::held(&self.cursors).ends_at(ends);
    }

    fn skip_to(&mut self, position: &[u64]) {
        sequence::held(&self.cursors).skip_to(position);
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
            (Phase::Put, Source::Phase(phase)) => {
                self.set.stored(phase, self.take_collected());
            }
            _ => self.set.settle(),
        }
    }

    fn is_continuable(&self) -> bool {
        // The blobs that the lost agent has stored or deleted in its last slice are unknown.
        false
    }

    fn state_for_agents(&mut self) -> SliceState {
        self.state()
    }

    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String> {
        self.merge(reports)
    }

    fn set_state(&mut self, state: SliceState) -> Result<(), String> {
        self.take_state(state)
    }

    fn report(&mut self) -> SliceReport {
        self.report_blobs()
    }

    fn inherit(&mut self) {
        if self.is_first && !self.set.stays() && !self.is_dummy() {
            let is_own = self.work.prefix.is_none();
            self.inherited = Some(Inherited::default());
            match self.target.means() {
                BlobAccess::Files if is_own => self.set.inherit_numbers(self.files_left()),
                BlobAccess::Files => {}
                _ => self.set.inherit(),
            }
        }
    }

    fn after_run(&mut self) -> Option<Stage> {
        if self.is_first {
            self.find_unreported();
        }
        if !self.is_first || self.set.stays() || self.is_dummy() {
            return None;
        }
        let batches = self.set.all();
        let found = batches[self.cleaned_up.min(batches.len())..]
            .iter()
            .position(|batch| batch.left() > 0);
        let Some(found) = found else {
            if let Some(sweep) = self.sweep() {
                return Some(sweep);
            }
            // All blobs are deleted.
            self.set.settle();
            return None;
        };
        let batch = Arc::clone(&batches[self.cleaned_up + found]);
        self.cleaned_up += found + 1;
        let left = batch.left();
        let most = CLEANUP_CONNECTIONS.min(usize::try_from(left).unwrap_or(CLEANUP_CONNECTIONS));
        let positions = Arc::new(Positions::new(batch, None, false, 1));
        let budget = Budget {
            set: Arc::clone(&self.set),
            most: None,
        };
        let walk = Walk::new(&positions);
        let deleter = Deleter::new(walk, self.dialect(), 1, None, None, budget);
        Some(Stage {
            what: format!("deleting {} blob{}", grouped(left), s(left)),
            total: Some(left),
            connections: most.max(1),
            workers: vec![Box::new(deleter)],
            must_succeed: false,
            host: None,
        })
    }

    fn spent(&self) -> Option<String> {
        if self.is_dummy() || self.work.phase == Phase::Put {
            return None;
        }
        let batch = self.set.batch(self.source, self.slices);
        let (verb, found) = match self.work.phase {
            Phase::Delete => ("delete", batch.left()),
            Phase::Put | Phase::Get => ("read", batch.readable()),
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

    fn kept(&self) -> Option<String> {
        if !self.is_first || !self.set.stays() {
            return None;
        }
        Some(messages::kept(&self.set))
    }

    fn lost(&self) -> Option<String> {
        messages::lost(&self.set).filter(|_| self.is_first && self.inherited.is_some())
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

    fn left_behind(&self) -> Option<String> {
        if !self.is_first || self.is_dummy() {
            return None;
        }
        let left = if self.set.stays() { 0 } else { self.set.left() };
        let undeleted =
            (left > 0).then(|| format!("{} blob{} could not be deleted", grouped(left), s(left)));
        let inherited = self.inherited.as_ref();
        let unswept = inherited.and_then(|inherited| self.unswept(inherited));
        let unread = inherited.and_then(|_| self.set.trouble());
        let lost = messages::lost(&self.set).filter(|_| inherited.is_none());
        let followed = [
            messages::still_there(&self.set, self.target.means()),
            messages::unresolved(&self.set),
        ];
        let sentences = [undeleted, unswept, unread].into_iter();
        let sentences = sentences.chain(followed).chain([lost]);
        let sentences: Vec<String> = sentences.flatten().collect();
        (!sentences.is_empty()).then(|| sentences.join("; "))
    }
}
