//! Which of the objects that are there is next.

use tenbin_plan::Choose;

use super::action::Setting;
use super::marks::{Share, Walk};
use super::versions;
use crate::rng::Rng;
use crate::zipf::Zipf;

/// Which of the objects that are there is next.
pub(crate) enum Chooser {
    /// One after the other.
    Walk(Walk),
    /// Any of so many.
    Uniform(Rng, u64),
    /// The popular ones more often.
    Zipf(Rng, Zipf),
    /// Any of those by any of these ways, of one worker's share: it chooses positions.
    Own(Share, Box<Chooser>),
}

impl Chooser {
    /// Of the objects of the workload, as its plan says; the same in every slice and
    /// for every target.
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
        Self::among(setting, objects, worker, workers)
    }

    /// As [`Chooser::new`], of the worker's own share, which nobody else writes over.
    pub(crate) fn of_own(setting: &mut Setting<'_>) -> Self {
        let share = Share::shared(setting.worker, setting.workers, setting.work.objects);
        let own = Self::among(setting, share.count(), 0, 1);
        Self::Own(share, Box::new(own))
    }

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

    /// Once over all things, by one worker of several.
    pub(crate) fn each_once(setting: &Setting<'_>) -> Self {
        let things = versions::things(setting.work);
        let share = Share::of(setting.worker, setting.workers, things);
        Self::Walk(Walk::once(share))
    }

    pub(crate) fn next(&mut self) -> Option<u64> {
        match self {
            Self::Walk(walk) => walk.next(),
            Self::Uniform(rng, objects) => Some(rng.below(*objects)),
            Self::Zipf(rng, zipf) => Some(zipf.draw(rng)),
            Self::Own(share, positions) => share.at(positions.next()?),
        }
    }
}
