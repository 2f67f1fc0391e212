//! Orders in which objects are selected, kept from slice to slice.

use std::collections::BTreeMap;

use crate::rng::Rng;
use crate::s3::objects::marks::{Share, Walk};
use crate::zipf::Zipf;

/// Index of a worker, and of its operation in the mix.
pub(crate) type Place = (usize, usize);

/// The orders of all workers, between slices.
#[derive(Default)]
pub(crate) struct Orders {
    pub(super) orders: BTreeMap<Place, Order>,
    /// Order-independent digest of the selected objects.
    pub(crate) digest: u64,
}

impl Orders {
    /// Skips the next `count` objects of an order.
    pub(crate) fn skip(&mut self, place: Place, count: u64) {
        if let Some(order) = self.orders.get_mut(&place) {
            for _ in 0..count {
                order.next();
            }
        }
    }
}

/// The order in which a worker selects objects.
pub(crate) enum Order {
    /// In ascending order.
    Walk(Walk),
    /// Uniformly at random.
    Uniform(Rng, u64),
    /// Zipf distributed.
    Zipf(Rng, Zipf),
    /// The order in the box, applied to the indices of one worker's share.
    Own(Share, Box<Order>),
}

impl Order {
    pub(crate) fn next(&mut self) -> Option<u64> {
        match self {
            Self::Walk(walk) => walk.next(),
            Self::Uniform(rng, objects) => Some(rng.below(*objects)),
            Self::Zipf(rng, zipf) => Some(zipf.draw(rng)),
            Self::Own(share, positions) => share.at(positions.next()?),
        }
    }
}
