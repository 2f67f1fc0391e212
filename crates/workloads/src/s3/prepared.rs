//! An S3 workload prepared for one target, from the check of its buckets to the cleanup.

mod agent_side;
mod clean_up;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tenbin_engine::Workload;
use tenbin_plan::s3::SupportProbe;
use tenbin_plan::{self as plan, Choose, DataSet, Found, S3Operation, S3Work, Sentence, sentence};

use crate::prepared::{Observation, Prepared, Sequence, SetUp, Stage};
use crate::rng::name_number;
use crate::s3::action::Layout;
use crate::s3::cleanup::deletion::Remains;
use crate::s3::content::Content;
use crate::s3::messages::extra_headers::ExtraHeaders;
use crate::s3::objects::appended::Lengths;
use crate::s3::objects::catalogue::Catalogue;
use crate::s3::objects::generations::Ledgers;
use crate::s3::objects::marks::Marks;
use crate::s3::objects::orders::Orders;
use crate::s3::objects::uploads::Uploads;
use crate::s3::objects::versions::VersionIds;
use crate::s3::place::Place;
use crate::s3::read_back::progress::Progress;
use crate::s3::read_back::recorder::{Recorders, Reported};
use crate::s3::setup::check::{Check, Requirement};
use crate::s3::setup::checksum::ChecksumReport;
use crate::s3::setup::hosts::{HostReport, HostStep};
use crate::s3::setup::requirements;
use crate::sequence::{Cursors, Position};
use crate::shared::held;
use crate::site::Site;
use crate::text::grouped;

/// Connections that delete objects after a run.
pub(super) const CLEANUP_CONNECTIONS: usize = 4;

pub(super) struct PreparedS3 {
    pub(super) work: Arc<S3Work>,
    pub(super) target: Site,
    pub(super) place: Arc<Place>,
    pub(super) content: Arc<Content>,
    pub(super) extra_headers: Arc<ExtraHeaders>,
    pub(super) seed: u64,
    /// Hash of the workload's name, on which random choices depend.
    pub(super) name: u64,
    pub(super) keep_alive: bool,
    pub(super) connections: usize,
    /// Requests in flight per connection.
    pub(super) depth: usize,
    pub(super) threads: usize,
    /// Ids of the versions that were loaded last.
    pub(super) ids: Arc<VersionIds>,
    pub(super) lengths: Arc<Lengths>,
    pub(super) marks: Marks,
    pub(super) ledgers: Ledgers,
    /// The position of each worker in its request sequence.
    pub(super) cursors: Arc<Mutex<Cursors>>,
    /// The order in which each worker selects objects.
    pub(super) orders: Arc<Mutex<Orders>>,
    /// The next step before the first slice.
    pub(super) set_up: SetUpStep,
    /// The steps that are left of the check of the hosts; `None` before the first.
    pub(super) host_steps: Option<VecDeque<(HostStep, usize)>>,
    pub(super) host_report: Arc<Mutex<HostReport>>,
    pub(super) checksum_report: Arc<Mutex<ChecksumReport>>,
    /// The existing data set, if the workload uses it.
    pub(super) there: Option<Found>,
    /// Objects that must be loaded before the run; `None` for all.
    pub(super) missing: Option<Arc<[u64]>>,
    /// Number of objects of the data set that already existed before the run.
    pub(super) right: u64,
    /// Number of this run's objects that are kept after the run.
    pub(super) stay: u64,
    /// Multipart uploads to abort.
    pub(super) unfinished: Arc<Uploads>,
    pub(super) created: Created,
    sender: Sender,
    /// The next step after the run.
    clean_up: CleanUpStep,
    /// By bucket: whether this run may have created the bucket.
    pub(super) buckets_made: Arc<[AtomicBool]>,
    pub(super) remains: Arc<Remains>,
    /// Samples of what was written and deleted; `reported`: those of agents.
    pub(super) recorders: Recorders,
    pub(super) reported: Reported,
    pub(super) read_back: Progress,
}

/// A step before the first slice.
pub(super) enum SetUpStep {
    /// Existing objects are listed, if the workload can use existing objects.
    List,
    /// The list is used, which the stage before has filled.
    UseList(Arc<Mutex<Catalogue>>),
    /// The data for the first slice is loaded.
    Load,
    /// These operations, which the server may not support, are probed, the last first.
    Probe(Vec<(S3Operation, SupportProbe)>),
}

/// What may exist below the prefix.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Created {
    /// Nothing of Tenbin.
    #[default]
    Nothing,
    /// Objects of this run, whose numbers are known.
    Numbered,
    /// Objects of an earlier run or of agents, whose numbers are unknown.
    Unnumbered,
}

impl Created {
    /// Records that this run creates objects.
    pub(super) fn add_own(&mut self) {
        if *self == Self::Nothing {
            *self = Self::Numbered;
        }
    }
}

/// Who sends the load of the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sender {
    /// This process alone.
    Here,
    /// Agents, which were told the state; this process is the coordinator.
    Agents,
    /// This process, as an agent.
    Agent {
        /// Digest of the selected objects before the slice.
        digest_before: u64,
    },
}

/// A step after the run.
#[derive(Debug)]
enum CleanUpStep {
    /// Multipart uploads that are still open are aborted.
    AbortUploads,
    /// Objects and buckets are deleted.
    Delete,
    /// These deleted objects are listed, and then these buckets are deleted.
    List(Vec<u64>, Vec<usize>),
}

impl Prepared for PreparedS3 {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        self.workers(self.work.retries)
    }

    fn slice_with_retries(&mut self, most: u32) -> Option<Vec<Box<dyn Workload>>> {
        (self.work.retries == 0).then(|| self.workers(most))
    }

    fn slice_done(&mut self, _workers: Vec<Box<dyn Workload>>) {}

    fn spent(&self) -> Option<String> {
        let spent = self.work.choose == Choose::Once && self.marks.all_read();
        spent.then(|| {
            format!(
                "all {} objects have been read once; configure more objects or fewer rounds",
                grouped(self.work.objects)
            )
        })
    }
}

impl SetUp for PreparedS3 {
    fn check(&mut self) -> Option<Stage> {
        // One host: hosts that do not share their buckets would contradict each other.
        let check = Check::new(
            Arc::clone(&self.place),
            self.writer().for_host(0),
            &self.target.region,
            Requirement::of(&self.work),
            Arc::clone(&self.buckets_made),
            self.work.data != DataSet::Existing,
        );
        Some(Stage {
            what: sentence!("checking", "checking {what}", what = self.buckets())
                .with_part("what", [self.buckets()]),
            total: None,
            connections: 1,
            workers: vec![Box::new(check)],
            must_succeed: true,
            host: Some(0),
        })
    }

    fn before_run(&mut self) -> Option<Stage> {
        if let Some(check) = self.check_hosts() {
            return Some(check);
        }
        if let Some(survey) = self.survey() {
            return Some(survey);
        }
        if matches!(self.set_up, SetUpStep::Load) {
            self.set_up = SetUpStep::Probe(requirements::probes(&self.work));
            let missing = self.missing.as_ref();
            let is_there = self.work.data == DataSet::Existing
                || missing.is_some_and(|missing| missing.is_empty());
            if self.needs_objects() && !self.used_up_by_a_slice() && !is_there {
                return Some(self.fill());
            }
        }
        self.probe().or_else(|| self.check_checksum())
    }

    fn before_slice(&mut self) -> Option<Stage> {
        if let Some(abort_uploads) = self.abort_uploads() {
            return Some(abort_uploads);
        }
        (self.needs_objects() && self.used_up_by_a_slice()).then(|| self.fill())
    }

    fn found(&self) -> Option<Found> {
        self.there
    }

    fn rename(&mut self, name: &str) {
        self.name = name_number(name);
    }
}

impl Sequence for PreparedS3 {
    fn position(&self) -> Option<Position> {
        self.has_sequence().then(|| {
            let digest = held(&self.orders).digest;
            held(&self.cursors).position_of(digest)
        })
    }

    fn ends_at(&mut self, ends: Option<&[u64]>) {
        held(&self.cursors).ends_at(ends);
    }

    fn skip_to(&mut self, position: &[u64]) {
        let left_out = held(&self.cursors).skip_to(position);
        // For a mix, it is unknown which operations were skipped.
        if !self.is_mixed() {
            for (worker, &count) in left_out.iter().enumerate() {
                held(&self.orders).skip((worker, 0), count);
            }
        }
    }
}

impl Observation for PreparedS3 {
    fn ignored_checksum(&self) -> Option<&'static str> {
        self.checksum_ignored()
    }
}

impl PreparedS3 {
    /// Prepares a workload for one target; workload and target must have been checked before.
    pub(super) fn new(
        work: &plan::Workload,
        s3: &S3Work,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Self {
        // Existing objects may differ between targets, and in a mix the next operation depends on
        // responses.
        let alike = s3.data != DataSet::Existing && s3.mix.single().is_some();
        let made: Vec<AtomicBool> = (0..s3.buckets.max(1)).map(|_| false.into()).collect();
        let prepared = Self {
            place: Arc::new(Place::new(target, s3, seed, &work.name)),
            content: Arc::new(
                Content::new(seed, &requirements::recipe(s3, target)).sent_from_file(),
            ),
            extra_headers: Arc::new(ExtraHeaders::new(s3, seed)),
            work: Arc::new(s3.clone()),
            target: target.clone(),
            seed,
            name: name_number(&work.name),
            keep_alive: work.load.keep_alive,
            connections: work.load.connections.max(1),
            depth: work.load.depth.max(1),
            threads: threads.max(1),
            ids: Arc::default(),
            lengths: Arc::new(requirements::lengths(s3)),
            marks: Marks::default(),
            ledgers: Ledgers::default(),
            cursors: Arc::default(),
            orders: Arc::default(),
            set_up: SetUpStep::List,
            host_steps: None,
            host_report: Arc::default(),
            checksum_report: Arc::default(),
            there: None,
            missing: None,
            right: 0,
            stay: 0,
            unfinished: Arc::default(),
            created: Created::Nothing,
            sender: Sender::Here,
            clean_up: CleanUpStep::AbortUploads,
            buckets_made: made.into(),
            remains: Arc::new(Remains::default()),
            // Data that is kept must have the content that a later run expects.
            recorders: Recorders::new(seed, s3.data == DataSet::Fresh && s3.versions == 0),
            reported: Reported::default(),
            read_back: Progress::default(),
        };
        let cursors = Cursors::new(prepared.count(), alike);
        Self {
            cursors: Arc::new(Mutex::new(cursors)),
            ..prepared
        }
    }

    /// The measured workers of one slice, with up to `retries` retries per request.
    fn workers(&mut self, retries: u32) -> Vec<Box<dyn Workload>> {
        self.created.add_own();
        let workers = self.count();
        let all = 0..workers;
        all.map(|worker| self.measured_with_retries(worker, workers, retries))
            .collect()
    }

    /// Name of the buckets in messages.
    pub(super) fn buckets(&self) -> Sentence {
        match self.place.buckets.as_slice() {
            [only] => sentence!("bucket", "bucket {bucket}", bucket = only.name),
            [first, .., last] => sentence!(
                "buckets",
                "buckets {first} to {last}",
                first = first.name,
                last = last.name
            ),
            [] => sentence!("no-bucket", "no bucket"),
        }
    }

    pub(super) fn needs_objects(&self) -> bool {
        self.layouts().any(|layout| layout != Layout::Nothing)
    }

    pub(super) fn layouts(&self) -> impl Iterator<Item = Layout> + '_ {
        // In a mix, DELETE takes the objects that PUT has created.
        let mixed = self.is_mixed();
        let operations = self.work.mix.operations();
        operations
            .filter(move |&operation| !(mixed && operation == S3Operation::Delete))
            .map(Layout::of)
    }

    pub(super) fn is_mixed(&self) -> bool {
        self.work.mix.single().is_none()
    }

    /// Number of measured workers in a slice.
    fn count(&self) -> usize {
        let workers = self.threads.min(self.connections);
        if self.work.rewrite {
            // Two workers never write the same object.
            workers.min(usize::try_from(self.work.objects).unwrap_or(usize::MAX))
        } else {
            workers
        }
    }

    pub(super) fn has_sequence(&self) -> bool {
        self.work.has_sequence()
    }

    fn used_up_by_a_slice(&self) -> bool {
        self.work.mix.single().is_some_and(S3Operation::uses_up)
    }
}
