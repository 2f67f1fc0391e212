//! The orders in which objects are selected, kept from slice to slice.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::rng::Rng;
use crate::s3::objects::marks::{Share, Walk};
use crate::zipf::Zipf;

/// The worker, and its operation among those of a mix.
pub(crate) type Place = (usize, usize);

/// The orders of all workers, while none of them is at work.
#[derive(Default)]
pub(crate) struct Orders {
    pub(super) orders: BTreeMap<Place, Order>,
    /// A number for what was chosen, in whatever order.
    pub(crate) digest: u64,
}

impl Orders {
    /// Leaves out so many of those that this one would choose next.
    pub(crate) fn skip(&mut self, place: Place, count: u64) {
        if let Some(order) = self.orders.get_mut(&place) {
            for _ in 0..count {
                order.next();
            }
        }
    }
}

pub(crate) fn held(orders: &Mutex<Orders>) -> MutexGuard<'_, Orders> {
    orders.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The order in which a worker selects objects.
pub(crate) enum Order {
    /// One after the other.
    Walk(Walk),
    /// Any of so many.
    Uniform(Rng, u64),
    /// The popular ones more often.
    Zipf(Rng, Zipf),
    /// Any of those by any of these orders, of one worker's share: it chooses positions.
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
