//! The workers of a slice, by phase.

use std::sync::Arc;
use std::time::Duration;

use tenbin_engine::Workload;
use tenbin_plan::{Choose, Phase};

use super::PreparedBlob;
use super::agents::Orders;
use crate::blob::phases::delete::Deleter;
use crate::blob::phases::dummy::{Done, Dummy};
use crate::blob::phases::encoding::BodyEncoding;
use crate::blob::phases::followed::Following;
use crate::blob::phases::follower::Follower;
use crate::blob::phases::get::Getter;
use crate::blob::phases::handover::Handover;
use crate::blob::phases::pieces::PieceWriter;
use crate::blob::phases::positions::{self, Positions, Walk};
use crate::blob::phases::put::{Numbers, Putter};
use crate::blob::phases::read_order::ReadOrder;
use crate::blob::stored::batch::Batch;
use crate::blob::stored::recorder::Recorder;
use crate::blob::stored::set::Source;
use crate::rng::Rng;
use crate::s3::content::unique::Unique;
use crate::sequence::AtWork;

impl PreparedBlob {
    pub(super) fn putters(&self) -> Vec<Box<dyn Workload>> {
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
    pub(super) fn reach(&self, batch: &Batch) -> u64 {
        let most = self.work.objects;
        most.map_or(batch.len(), |most| positions::reach(batch, most, true))
    }

    pub(super) fn getters(&self, batch: Arc<Batch>) -> Vec<Box<dyn Workload>> {
        let count = self.reach(&batch).min(self.things.unwrap_or(u64::MAX));
        let getter = |worker: usize| {
            let place = (self.connections, worker, self.workers);
            let course = AtWork::new(&self.cursors, worker);
            let made = self.work.verify.then(|| Unique::new(self.content_seed, 0));
            let getter = Getter::new(
                ReadOrder::new(
                    &batch,
                    count,
                    self.work.choose == Choose::Sequential,
                    place,
                    course,
                ),
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
}

/// Connections of one agent for polling: its share of `total`, at least one.
fn polls_of(total: usize, (agent, agents): (usize, usize)) -> usize {
    (total / agents + usize::from(agent < total % agents)).max(1)
}
