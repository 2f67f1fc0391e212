//! Which objects a worker takes, and which Tenbin may have made.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The objects `first`, `first + step`, … below `objects`: one worker's share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) first: u64,
    pub(crate) step: u64,
    pub(crate) objects: u64,
}

impl Share {
    /// The share of worker `worker` of `workers`.
    pub(crate) fn of(worker: usize, workers: usize, objects: u64) -> Self {
        Self {
            first: worker as u64,
            step: workers as u64,
            objects,
        }
    }

    /// The same, but never empty: workers beyond the objects share them.
    pub(crate) fn shared(worker: usize, workers: usize, objects: u64) -> Self {
        let workers = workers
            .min(usize::try_from(objects).unwrap_or(usize::MAX))
            .max(1);
        Self::of(worker % workers, workers, objects)
    }

    /// Its object at a position, from 0.
    fn at(self, position: u64) -> Option<u64> {
        let object = self.first + position * self.step;
        (object < self.objects).then_some(object)
    }
}

/// How far into its share somebody has ever put objects. Has a cache line of its
/// own, and is written only when an object is put for the first time.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Mark {
    share: Share,
    reached: AtomicU64,
}

/// What Tenbin may have made: every object for which a PUT was as much as
/// prepared, acknowledged or not, deleted since or not. A request without an
/// answer may take effect later.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Vec<Arc<Mark>>);

impl Ledger {
    /// The mark of a share, kept from earlier if there is one.
    pub(crate) fn mark(&mut self, share: Share) -> Arc<Mark> {
        if let Some(mark) = self.0.iter().find(|mark| mark.share == share) {
            return Arc::clone(mark);
        }
        let mark = Arc::new(Mark {
            share,
            reached: AtomicU64::new(0),
        });
        self.0.push(Arc::clone(&mark));
        mark
    }

    /// Every object that may have been made, each once, ascending; forgotten here.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        let mut made: Vec<u64> = self
            .0
            .drain(..)
            .flat_map(|mark| {
                let reached = mark.reached.load(Ordering::Acquire);
                (0..reached).filter_map(move |position| mark.share.at(position))
            })
            .collect();
        made.sort_unstable();
        made.dedup();
        made
    }
}

/// A walk over a share, from its beginning.
pub(crate) struct Walk {
    share: Share,
    position: u64,
    /// Noted as made: positions below `reached`. None for who makes nothing.
    mark: Option<(Arc<Mark>, u64)>,
    again: bool,
}

impl Walk {
    /// Once over the share.
    pub(crate) fn once(share: Share) -> Self {
        Self {
            share,
            position: 0,
            mark: None,
            again: false,
        }
    }

    /// Nowhere.
    pub(crate) fn none() -> Self {
        Self::once(Share::of(0, 1, 0))
    }

    /// Round and round.
    pub(crate) fn round(share: Share) -> Self {
        Self {
            again: true,
            ..Self::once(share)
        }
    }

    /// Notes every object it comes to as made.
    pub(crate) fn making(self, ledger: &mut Ledger) -> Self {
        let mark = ledger.mark(self.share);
        let reached = mark.reached.load(Ordering::Acquire);
        Self {
            mark: Some((mark, reached)),
            ..self
        }
    }

    /// The next object.
    pub(crate) fn next(&mut self) -> Option<u64> {
        let object = match self.share.at(self.position) {
            Some(object) => object,
            None if self.again => {
                self.position = 0;
                self.share.at(0)?
            }
            None => return None,
        };
        self.position += 1;
        if let Some((mark, reached)) = &mut self.mark
            && self.position > *reached
        {
            *reached = self.position;
            // The greater of two: workers beyond the objects have the same share.
            mark.reached.fetch_max(self.position, Ordering::Release);
        }
        Some(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut walk: Walk) -> Vec<u64> {
        std::iter::from_fn(|| walk.next()).collect()
    }

    #[test]
    fn shares_part_the_objects() {
        let mut objects: Vec<u64> = (0..3)
            .flat_map(|worker| all(Walk::once(Share::of(worker, 3, 10))))
            .collect();
        objects.sort_unstable();
        assert_eq!(objects, (0..10).collect::<Vec<_>>());
        assert_eq!(all(Walk::once(Share::of(2, 3, 2))), []);
    }

    #[test]
    fn a_round_never_ends_even_with_fewer_objects_than_workers() {
        let mut walk = Walk::round(Share::shared(2, 3, 2));
        assert_eq!((walk.next(), walk.next()), (Some(0), Some(0)));
        let mut walk = Walk::round(Share::shared(1, 2, 5));
        let walked: Vec<_> = (0..5).map_while(|_| walk.next()).collect();
        assert_eq!(walked, [1, 3, 1, 3, 1]);
    }

    #[test]
    fn made_is_what_was_come_to_and_nothing_else() {
        let mut ledger = Ledger::default();
        let mut put = Walk::round(Share::of(1, 2, 7)).making(&mut ledger);
        put.next();
        put.next();
        // A second slice begins again and gets less far.
        let mut put = Walk::round(Share::of(1, 2, 7)).making(&mut ledger);
        put.next();
        let mut fill = Walk::once(Share::of(0, 3, 7)).making(&mut ledger);
        fill.next();
        fill.next();
        let mut delete = Walk::once(Share::of(0, 1, 7));
        delete.next();
        assert_eq!(ledger.take(), [0, 1, 3]);
        assert_eq!(ledger.take(), []);
    }

    #[test]
    fn a_round_makes_its_share_once() {
        let mut ledger = Ledger::default();
        let mut put = Walk::round(Share::of(0, 2, 4)).making(&mut ledger);
        for _ in 0..100 {
            put.next();
        }
        assert_eq!(ledger.take(), [0, 2]);
    }
}
