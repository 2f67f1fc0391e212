//! Selection of the next object.

use std::sync::{Arc, Mutex};

use tenbin_plan::Choose;
use tenbin_plan::rng::mix;

use crate::rng::Rng;
use crate::s3::action::Setting;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::objects::orders::{Order, Orders, Place};
use crate::s3::objects::versions;
use crate::shared::held;
use crate::zipf::Zipf;

/// Selects the next object. In a measured slice, the order continues where the previous slice
/// ended: a chooser takes its order from `home`, and puts the order back when dropped.
pub(crate) struct Chooser {
    order: Option<Order>,
    /// Digest of the objects selected in this slice, added to [`Orders::digest`] when dropped.
    digest: u64,
    home: Option<(Arc<Mutex<Orders>>, Place)>,
}

impl Chooser {
    /// Selects objects of the workload in the order of the plan, the same for every target.
    pub(crate) fn new(setting: &mut Setting<'_>) -> Self {
        let objects = setting.work.objects;
        Self::over(setting, objects)
    }

    /// As [`Chooser::new`], with the objects or versions of the workload.
    pub(crate) fn of_things(setting: &mut Setting<'_>) -> Self {
        let things = versions::things(setting.work);
        Self::over(setting, things)
    }

    fn over(setting: &mut Setting<'_>, objects: u64) -> Self {
        let (worker, workers) = (setting.worker, setting.workers);
        Self::going_on(setting, |setting| {
            order_among(setting, objects, worker, workers)
        })
    }

    /// Continues the order of the previous slice, or starts the order that `begin` returns.
    fn going_on(setting: &mut Setting<'_>, begin: impl FnOnce(&mut Setting<'_>) -> Order) -> Self {
        let home = setting.part.map(|part| {
            let place = (setting.worker, part);
            (Arc::clone(setting.orders), place)
        });
        let known = home
            .as_ref()
            .and_then(|(orders, place)| held(orders).orders.remove(place));
        Self {
            order: Some(known.unwrap_or_else(|| begin(setting))),
            digest: 0,
            home,
        }
    }

    /// As [`Chooser::new`], with the objects of the worker's share, which no other worker
    /// overwrites.
    pub(crate) fn of_own(setting: &mut Setting<'_>) -> Self {
        let share = Share::shared(setting.worker, setting.workers, setting.work.objects);
        Self::going_on(setting, |setting| {
            let own = order_among(setting, share.count(), 0, 1);
            Order::Own(share, Box::new(own))
        })
    }

    /// Selects each object or version of the worker's share once.
    pub(crate) fn each_once(setting: &Setting<'_>) -> Self {
        let things = versions::things(setting.work);
        let share = Share::of(setting.worker, setting.workers, things);
        Self {
            order: Some(Order::Walk(Walk::once(share))),
            digest: 0,
            home: None,
        }
    }

    pub(crate) fn next(&mut self) -> Option<u64> {
        let thing = self.order.as_mut()?.next()?;
        self.digest = self.digest.wrapping_add(mix(thing));
        Some(thing)
    }
}

impl Drop for Chooser {
    fn drop(&mut self) {
        if let Some((orders, place)) = &self.home
            && let Some(order) = self.order.take()
        {
            let mut orders = held(orders);
            orders.digest = orders.digest.wrapping_add(self.digest);
            orders.orders.insert(*place, order);
        }
    }
}

/// The order that the plan sets.
fn order_among(setting: &mut Setting<'_>, objects: u64, worker: usize, workers: usize) -> Order {
    let rng = Rng::new(setting.seed, &[setting.name, setting.worker as u64]);
    match setting.work.choose {
        Choose::Uniform => Order::Uniform(rng, objects),
        Choose::Zipf { exponent } => Order::Zipf(rng, Zipf::new(objects, exponent, setting.seed)),
        Choose::Sequential => Order::Walk(Walk::round(Share::shared(worker, workers, objects))),
        Choose::Once => {
            Order::Walk(Walk::once(Share::of(worker, workers, objects)).going_on(setting.marks))
        }
    }
}
