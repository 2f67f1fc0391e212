//! Which of the objects that are there is next.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenbin_plan::Choose;
use tenbin_plan::rng::mix;

use crate::rng::Rng;
use crate::s3::action::Setting;
use crate::s3::objects::marks::{Share, Walk};
use crate::s3::objects::versions;
use crate::zipf::Zipf;

/// Which of the objects that are there is next. In a measured slice it goes on where the
/// slice before it ended: it takes its way from `home` and gives it back when it is dropped.
pub(crate) struct Chooser {
    way: Option<Way>,
    /// As [`Ways::digest`], of this slice.
    digest: u64,
    home: Option<(Arc<Mutex<Ways>>, Place)>,
}

/// The worker, and its operation among those of a mix.
pub(crate) type Place = (usize, usize);

/// The ways of all workers, while none of them is at work.
#[derive(Default)]
pub(crate) struct Ways {
    ways: BTreeMap<Place, Way>,
    /// A number for what was chosen, in whatever order.
    pub(crate) digest: u64,
}

impl Ways {
    /// Leaves out so many of those that this one would choose next.
    pub(crate) fn skip(&mut self, place: Place, count: u64) {
        if let Some(way) = self.ways.get_mut(&place) {
            for _ in 0..count {
                way.next();
            }
        }
    }
}

pub(crate) fn held(ways: &Mutex<Ways>) -> MutexGuard<'_, Ways> {
    ways.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Way {
    /// One after the other.
    Walk(Walk),
    /// Any of so many.
    Uniform(Rng, u64),
    /// The popular ones more often.
    Zipf(Rng, Zipf),
    /// Any of those by any of these ways, of one worker's share: it chooses positions.
    Own(Share, Box<Way>),
}

impl Chooser {
    /// Of the objects of the workload, as its plan says; the same for every target.
    pub(crate) fn new(setting: &mut Setting<'_>) -> Self {
        let objects = setting.work.objects;
        Self::over(setting, objects)
    }

    /// The same of the things of the workload: objects, or versions of them.
    pub(crate) fn of_things(setting: &mut Setting<'_>) -> Self {
        let things = versions::things(setting.work);
        Self::over(setting, things)
    }

    fn over(setting: &mut Setting<'_>, objects: u64) -> Self {
        let (worker, workers) = (setting.worker, setting.workers);
        Self::going_on(setting, |setting| {
            Way::among(setting, objects, worker, workers)
        })
    }

    /// On the way of the slice before, if there was one.
    fn going_on(setting: &mut Setting<'_>, begin: impl FnOnce(&mut Setting<'_>) -> Way) -> Self {
        let home = setting.part.map(|part| {
            let place = (setting.worker, part);
            (Arc::clone(setting.ways), place)
        });
        let known = home
            .as_ref()
            .and_then(|(ways, place)| held(ways).ways.remove(place));
        Self {
            way: Some(known.unwrap_or_else(|| begin(setting))),
            digest: 0,
            home,
        }
    }

    /// As [`Chooser::new`], of the worker's own share, which nobody else writes over.
    pub(crate) fn of_own(setting: &mut Setting<'_>) -> Self {
        let share = Share::shared(setting.worker, setting.workers, setting.work.objects);
        Self::going_on(setting, |setting| {
            let own = Way::among(setting, share.count(), 0, 1);
            Way::Own(share, Box::new(own))
        })
    }

    /// Once over all things, by one worker of several.
    pub(crate) fn each_once(setting: &Setting<'_>) -> Self {
        let things = versions::things(setting.work);
        let share = Share::of(setting.worker, setting.workers, things);
        Self {
            way: Some(Way::Walk(Walk::once(share))),
            digest: 0,
            home: None,
        }
    }

    pub(crate) fn next(&mut self) -> Option<u64> {
        let thing = self.way.as_mut()?.next()?;
        self.digest = self.digest.wrapping_add(mix(thing));
        Some(thing)
    }
}

impl Drop for Chooser {
    fn drop(&mut self) {
        if let Some((ways, place)) = &self.home
            && let Some(way) = self.way.take()
        {
            let mut ways = held(ways);
            ways.digest = ways.digest.wrapping_add(self.digest);
            ways.ways.insert(*place, way);
        }
    }
}

impl Way {
    fn among(setting: &mut Setting<'_>, objects: u64, worker: usize, workers: usize) -> Self {
        let rng = Rng::new(setting.seed, &[setting.name, setting.worker as u64]);
        match setting.work.choose {
            Choose::Uniform => Self::Uniform(rng, objects),
            Choose::Zipf { exponent } => {
                Self::Zipf(rng, Zipf::new(objects, exponent, setting.seed))
            }
            Choose::Sequential => Self::Walk(Walk::round(Share::shared(worker, workers, objects))),
            Choose::Once => {
                Self::Walk(Walk::once(Share::of(worker, workers, objects)).going_on(setting.marks))
            }
        }
    }

    fn next(&mut self) -> Option<u64> {
        match self {
            Self::Walk(walk) => walk.next(),
            Self::Uniform(rng, objects) => Some(rng.below(*objects)),
            Self::Zipf(rng, zipf) => Some(zipf.draw(rng)),
            Self::Own(share, positions) => share.at(positions.next()?),
        }
    }
}
