//! The workers of a slice, by phase.

use std::sync::Arc;
use std::time::Duration;

use tenbin_engine::Workload;
use tenbin_plan::{Choose, Phase, Shares, sentence};

use super::PreparedBlob;
use super::agents::Orders;
use crate::blob::phases::delete::Deleter;
use crate::blob::phases::dummy::{Done, Dummy};
use crate::blob::phases::encoding::BodyEncoding;
use crate::blob::phases::followed::Following;
use crate::blob::phases::follower::Follower;
use crate::blob::phases::fresh::{Fresh, FreshDeleter};
use crate::blob::phases::get::Getter;
use crate::blob::phases::handover::Handover;
use crate::blob::phases::mixed::{Mixed, Part};
use crate::blob::phases::pieces::PieceWriter;
use crate::blob::phases::positions::{self, Positions, Walk};
use crate::blob::phases::put::{Numbers, Putter};
use crate::blob::phases::read_order::ReadOrder;
use crate::blob::stored::batch::Batch;
use crate::blob::stored::messages::s;
use crate::blob::stored::recorder::Recorder;
use crate::blob::stored::set::Source;
use crate::prepared::Stage;
use crate::rng::Rng;
use crate::s3::content::unique::Unique;
use crate::s3::setup::must_succeed::MustSucceed;
use crate::sequence::AtWork;
use crate::text::grouped;

/// Maximum number of connections that load blobs before a run: few enough not to overload a small
/// server.
const MOST_LOADING: usize = 64;

impl PreparedBlob {
    pub(super) fn putters(&self) -> Vec<Box<dyn Workload>> {
        let first = self.set.next();
        let end = match self.work.objects {
            Some(objects) => first.saturating_add(objects),
            None => u64::MAX,
        };
        let putter = |worker: usize| {
            let numbers = self.numbers(worker, self.workers, end);
            if !self.in_pieces() {
                return Box::new(self.putter(worker, numbers, None)) as Box<dyn Workload>;
            }
            let content = Arc::clone(&self.content);
            let encoding = BodyEncoding::new(&self.work);
            let recorder = self.recorder(worker);
            let (access, limit) = (self.access(), self.work.alloc_above);
            let piecer = PieceWriter::new(numbers, content, access, encoding, limit, recorder);
            Box::new(piecer)
        };
        (0..self.workers).map(putter).collect()
    }

    /// Numbers of the new blobs of a worker, below `end`.
    fn numbers(&self, worker: usize, workers: usize, end: u64) -> Numbers {
        Numbers {
            first: self.set.next() + worker as u64,
            step: workers as u64,
            end,
        }
    }

    fn recorder(&self, worker: usize) -> Recorder {
        // The worker's share of all requests in flight, rounded up.
        let out = (self.connections * self.depth).div_ceil(self.workers) as u64;
        Recorder::new(
            self.journal(worker, out),
            self.budget(),
            Arc::clone(&self.collected),
        )
    }

    /// A worker that stores each blob with one request, and passes the stored blobs to `fresh`.
    fn putter(&self, worker: usize, numbers: Numbers, fresh: Option<Fresh>) -> Putter {
        Putter::new(
            numbers,
            Arc::clone(&self.content),
            self.dialect(),
            BodyEncoding::new(&self.work),
            self.recorder(worker).with_fresh(fresh),
        )
    }

    /// The stage that stores the blobs which a mix of operations reads.
    pub(super) fn loading_stage(&self) -> Stage {
        let objects = self.work.objects.unwrap_or(0);
        let most = usize::try_from(objects).unwrap_or(usize::MAX);
        let connections = self.connections.min(MOST_LOADING).min(most).max(1);
        let workers = self.workers.min(connections);
        let end = self.set.next().saturating_add(objects);
        let loader = |worker: usize| {
            let numbers = self.numbers(worker, workers, end);
            let putter = self.putter(worker, numbers, None);
            let putter = MustSucceed::new(putter, "a blob cannot be put");
            Box::new(putter) as Box<dyn Workload>
        };
        Stage {
            what: sentence!(
                "loading-blobs",
                "loading {blobs} blob{s}",
                blobs = grouped(objects),
                s = s(objects)
            ),
            total: Some(objects),
            connections,
            workers: (0..workers).map(loader).collect(),
            must_succeed: true,
            host: None,
        }
    }

    /// The workers of a mix of operations; GET reads the blobs of `batch`.
    pub(super) fn mixed(&self, batch: &Arc<Batch>, shares: Shares) -> Vec<Box<dyn Workload>> {
        let of_worker = |worker: usize| {
            let fresh = Fresh::default();
            let part = |(operation, share): (Phase, u32)| -> Part {
                let deletes = shares.delete > 0;
                let worker: Box<dyn Workload> = match operation {
                    Phase::Put => {
                        let numbers = self.numbers(worker, self.workers, u64::MAX);
                        let fresh = deletes.then(|| fresh.clone());
                        Box::new(self.putter(worker, numbers, fresh))
                    }
                    Phase::Delete => Box::new(FreshDeleter::new(
                        fresh.clone(),
                        self.dialect(),
                        self.journal(self.workers + worker, 0),
                        self.budget(),
                        Arc::clone(&self.collected),
                    )),
                    Phase::Get | Phase::Mixed(_) => {
                        Box::new(self.getter(batch, batch.len(), true, worker))
                    }
                };
                (worker, share)
            };
            let parts = shares.each().map(part).collect();
            Box::new(Mixed::new(parts, self.order(worker))) as Box<dyn Workload>
        };
        (0..self.workers).map(of_worker).collect()
    }

    /// Selects the operations of a mix, alike in every slice and on every target.
    fn order(&self, worker: usize) -> Rng {
        Rng::new(self.seed, &[self.name, worker as u64, 1])
    }

    /// Number of positions of a batch, from the first, that a slice reads.
    pub(super) fn reach(&self, batch: &Batch) -> u64 {
        let most = self.work.objects;
        most.map_or(batch.len(), |most| positions::reach(batch, most, true))
    }

    pub(super) fn getters(&self, batch: Arc<Batch>) -> Vec<Box<dyn Workload>> {
        let count = self.reach(&batch).min(self.things.unwrap_or(u64::MAX));
        let again = self.work.choose == Choose::Sequential;
        let getter = |worker: usize| {
            Box::new(self.getter(&batch, count, again, worker)) as Box<dyn Workload>
        };
        (0..self.workers).map(getter).collect()
    }

    /// A worker that reads its share of the first `count` blobs of a batch, once or again and again.
    fn getter(&self, batch: &Arc<Batch>, count: u64, again: bool, worker: usize) -> Getter {
        let place = (self.connections, worker, self.workers);
        let course = AtWork::new(&self.cursors, worker);
        let made = self.work.verify.then(|| Unique::new(self.content_seed, 0));
        Getter::new(
            ReadOrder::new(batch, count, again, place, course),
            self.dialect(),
            made,
            self.work.range,
            Rng::new(self.seed, &[self.name, worker as u64]),
            self.budget(),
        )
    }

    pub(super) fn deleters(&self, batch: Arc<Batch>) -> Vec<Box<dyn Workload>> {
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

    pub(super) fn dummies(&self, slice: usize) -> Vec<Box<dyn Workload>> {
        if let Phase::Mixed(shares) = self.work.phase {
            let part = |(operation, share): (Phase, u32)| -> Part {
                let name = match operation {
                    Phase::Put => "PUT",
                    Phase::Get | Phase::Mixed(_) => "GET",
                    Phase::Delete => "DELETE",
                };
                let dummy = Dummy::new(name, u64::MAX, Arc::default());
                (Box::new(dummy), share)
            };
            let mixed = |worker: usize| {
                let parts = shares.each().map(part).collect();
                Box::new(Mixed::new(parts, self.order(worker))) as Box<dyn Workload>
            };
            return (0..self.workers).map(mixed).collect();
        }
        let done = Arc::new(Done::default());
        let name = match self.work.phase {
            Phase::Put => "PUT",
            Phase::Get | Phase::Mixed(_) => "GET",
            Phase::Delete => "DEL",
        };
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
            let dummy = Dummy::new(name, share, Arc::clone(&done));
            Box::new(dummy) as Box<dyn Workload>
        };
        (0..self.workers).map(dummy).collect()
    }
}

/// Connections of one agent for polling: its share of `total`, at least one.
fn polls_of(total: usize, (agent, agents): (usize, usize)) -> usize {
    (total / agents + usize::from(agent < total % agents)).max(1)
}
