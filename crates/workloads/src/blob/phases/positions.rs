//! Distribution of a batch's positions to the workers of a slice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tenbin_engine::{ErrorClass, Judgement};

use crate::blob::phases::in_flight::refusal;
use crate::blob::stored::batch::Batch;
use crate::blob::stored::set::Set;

/// Maximum number of positions that a worker takes at a time.
const LARGEST_BLOCK: u64 = 64;

/// Minimum number of blocks per worker, so that all workers end at about the same time.
const FEWEST_BLOCKS: u64 = 16;

/// Positions of a batch, distributed to the workers of a slice.
#[derive(Debug)]
pub(crate) struct Positions {
    batch: Arc<Batch>,
    /// Number of blocks that were distributed.
    next: AtomicU64,
    /// Number of positions to distribute: the first `count` positions of the batch.
    count: u64,
    block: u64,
    around: bool,
    /// The blocks of this process; `None` if this process has all blocks.
    share: Option<Share>,
}

impl Positions {
    /// Distributes the first `most` undeleted blobs of a batch, or all undeleted blobs with `None`:
    /// each blob once or, with `around`, in an endless cycle.
    pub(crate) fn new(batch: Arc<Batch>, most: Option<u64>, around: bool, workers: usize) -> Self {
        let count = most.map_or(batch.len(), |most| reach(&batch, most, false));
        let blocks = FEWEST_BLOCKS.saturating_mul(workers as u64).max(1);
        Self {
            batch,
            next: AtomicU64::new(0),
            count,
            block: (count / blocks).clamp(1, LARGEST_BLOCK),
            around,
            share: None,
        }
    }

    /// Leaves only the blocks of one agent, in proportion to its connections: the agents know
    /// nothing of each other.
    pub(crate) fn of_agent(
        self,
        (agent, agents): (usize, usize),
        (connections, workers): (usize, usize),
    ) -> Self {
        let own = (0..connections).filter(|connection| connection % workers % agents == agent);
        let blocks = FEWEST_BLOCKS.saturating_mul(connections as u64).max(1);
        Self {
            block: (self.count / blocks).clamp(1, LARGEST_BLOCK),
            share: Some(Share {
                own: own.map(|connection| connection as u64).collect(),
                of: connections as u64,
            }),
            ..self
        }
    }

    /// The first position of the next block; `None` if this process has no blocks.
    fn take_block(&self) -> Option<u64> {
        let nth = self.next.fetch_add(1, Ordering::Relaxed);
        let block = match &self.share {
            None => nth,
            Some(Share { own, of }) => {
                let turn = nth.checked_div(own.len() as u64)?;
                let connection = own[(nth % own.len() as u64) as usize];
                turn.saturating_mul(*of).saturating_add(connection)
            }
        };
        Some(block.saturating_mul(self.block))
    }
}

/// The blocks of one of several agents: blocks are dealt out to all connections in turn.
#[derive(Debug)]
struct Share {
    /// Connections of the agent.
    own: Vec<u64>,
    /// Number of connections of all agents.
    of: u64,
}

/// Number of positions, from the first, up to and including the `most`-th blob that is not deleted.
/// With `readable`, blobs that an earlier run was deleting are not counted.
pub(crate) fn reach(batch: &Batch, most: u64, readable: bool) -> u64 {
    let mut there = (0..batch.len()).filter(|&at| is_there(batch, at, readable));
    let last = usize::try_from(most.saturating_sub(1)).unwrap_or(usize::MAX);
    match most {
        0 => 0,
        _ => there.nth(last).map_or(batch.len(), |at| at + 1),
    }
}

fn is_there(batch: &Batch, at: u64, readable: bool) -> bool {
    !(batch.is_gone(at) || readable && batch.is_being_deleted(at))
}

/// One worker's iteration over the positions.
#[derive(Debug)]
pub(crate) struct Walk {
    positions: Arc<Positions>,
    at: u64,
    until: u64,
}

impl Walk {
    pub(crate) fn new(positions: &Arc<Positions>) -> Self {
        Self {
            positions: Arc::clone(positions),
            at: 0,
            until: 0,
        }
    }

    pub(crate) fn batch(&self) -> &Batch {
        &self.positions.batch
    }

    /// Position of the next blob that is not deleted; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<u64> {
        let Positions {
            batch,
            count,
            block,
            around,
            ..
        } = &*self.positions;
        // After one full cycle without a result, all blobs are deleted.
        for _ in 0..=*count {
            if self.at == self.until {
                self.at = self.positions.take_block()?;
                self.until = self.at.saturating_add(*block);
            }
            if *count == 0 || (!around && self.at >= *count) {
                return None;
            }
            let place = self.at % count;
            self.at += 1;
            if is_there(batch, place, false) {
                return Some(place);
            }
        }
        None
    }
}

/// The set that counts failures, and the allowed number of failures.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    pub(crate) set: Arc<Set>,
    pub(crate) most: Option<u64>,
}

impl Budget {
    /// Whether there are more failures than allowed.
    pub(crate) fn is_spent(&self) -> bool {
        self.most.is_some_and(|most| self.set.failures() > most)
    }

    pub(crate) fn failed(&self, class: ErrorClass, text: String) -> Judgement {
        self.set.note_failure();
        Judgement::Failed(class, text)
    }

    pub(crate) fn refused(&self, text: String) -> Judgement {
        self.set.note_failure();
        refusal(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::stored::batch::{Entry, Page};

    fn batch(count: u64) -> Arc<Batch> {
        Arc::new(plain(count))
    }

    fn plain(count: u64) -> Batch {
        let mut page = Page::default();
        for number in 0..count {
            page.push(Entry {
                number,
                size: 1,
                location: b"",
            });
        }
        Batch::of(vec![page])
    }

    #[test]
    fn every_position_is_met_once_by_one_of_the_workers() {
        for count in [0, 1, 7, 1000, 5000] {
            let positions = Arc::new(Positions::new(batch(count), None, false, 3));
            let mut walks: Vec<Walk> = (0..3).map(|_| Walk::new(&positions)).collect();
            let mut seen = Vec::new();
            let mut resting = 0;
            while resting < walks.len() {
                resting = 0;
                for walk in &mut walks {
                    match walk.next() {
                        Some(place) => seen.push(place),
                        None => resting += 1,
                    }
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_position_is_met_once_by_one_of_the_agents() {
        for (count, connections, threads, agents) in [
            (0, 4, 4, 2),
            (7, 4, 4, 2),
            (1000, 64, 2, 2),
            (5000, 5, 3, 2),
            (999, 3, 3, 3),
        ] {
            let batch = batch(count);
            let of_agent = |agent| {
                let all = Positions::new(Arc::clone(&batch), None, false, threads);
                let own = all.of_agent((agent, agents), (connections, threads));
                let mut walk = Walk::new(&Arc::new(own));
                std::iter::from_fn(|| walk.next()).collect::<Vec<u64>>()
            };
            let shares: Vec<Vec<u64>> = (0..agents).map(of_agent).collect();
            for (agent, share) in shares.iter().enumerate() {
                let connections_of =
                    |worker| connections / threads + usize::from(worker < connections % threads);
                let own: usize = (agent..threads).step_by(agents).map(connections_of).sum();
                let fair = count as f64 * own as f64 / connections as f64;
                let most = 2.0 + count as f64 * 0.1;
                assert!(
                    (share.len() as f64 - fair).abs() <= most,
                    "{count}: {}",
                    share.len()
                );
            }
            let mut met = shares.concat();
            met.sort_unstable();
            assert_eq!(met, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_gone_is_left_out_and_the_rest_goes_round() {
        let batch = batch(5);
        batch.note_gone(1);
        let positions = Arc::new(Positions::new(Arc::clone(&batch), Some(3), true, 1));
        let mut walk = Walk::new(&positions);
        let seen: Vec<_> = (0..7).filter_map(|_| walk.next()).collect();
        assert_eq!(seen, [0, 2, 3, 0, 2, 3, 0]);
        for place in [0, 2, 3] {
            batch.note_gone(place);
        }
        assert_eq!(walk.next(), None);
    }

    #[test]
    fn what_was_being_deleted_is_deleted() {
        let batch = Arc::new(plain(6).with_deleting(vec![1, 4]));
        assert_eq!((batch.left(), batch.readable()), (6, 4));
        let met = |positions: Positions| {
            let mut walk = Walk::new(&Arc::new(positions));
            std::iter::from_fn(|| walk.next()).collect::<Vec<_>>()
        };
        let positions = || Positions::new(Arc::clone(&batch), None, false, 1);
        assert_eq!(met(positions()), [0, 1, 2, 3, 4, 5]);
        // Reads skip these blobs.
        assert_eq!(reach(&batch, 3, true), 4);
    }

    #[test]
    fn the_first_so_many_are_those_that_are_still_there() {
        let batch = batch(5);
        for expected in [vec![0, 1], vec![2, 3], vec![4], vec![]] {
            let positions = Positions::new(Arc::clone(&batch), Some(2), false, 1);
            let mut walk = Walk::new(&Arc::new(positions));
            let met: Vec<_> = std::iter::from_fn(|| walk.next()).collect();
            met.iter().for_each(|&at| batch.note_gone(at));
            assert_eq!(met, expected);
        }
    }
}
