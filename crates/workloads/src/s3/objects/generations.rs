//! Allowed content of objects that are overwritten while they are read.
//!
//! Each time an object is overwritten, it gets the content of its next *generation*. The response
//! to a GET must not be older than the last generation acknowledged before the GET was sent, nor
//! newer than the last generation sent before the response was received. All generations between
//! these two are correct.
//!
//! A PUT that failed or was lost may take effect at any later time, even after the next PUT. The
//! oldest allowed generation of that object is then not raised any more, so that a response is
//! reported as stale only if it is certainly stale.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use crate::s3::content::{Content, generation_of, number, object_of};
use crate::s3::objects::marks::Share;

/// State of one object, written by one worker at a time. The state is kept from slice to slice,
/// like the content of the server.
#[derive(Debug, Default)]
struct State {
    /// The last generation that was sent.
    sent: AtomicU32,
    /// The oldest generation that the server is still allowed to return.
    certain: AtomicU32,
    phase: AtomicU8,
}

/// Bit of [`State::phase`]: a PUT is in flight. [`UNSURE`] is the bit for an earlier PUT with an
/// unknown outcome.
const OUT: u8 = 1;
const UNSURE: u8 = 2;

/// State of the objects of one worker's share.
#[derive(Debug)]
struct Ledger {
    share: Share,
    states: Vec<State>,
}

/// State of all objects of a workload, kept from slice to slice.
#[derive(Debug, Default)]
pub(crate) struct Ledgers(Vec<Arc<Ledger>>);

impl Ledgers {
    /// State of a share, continued from the previous slices. No two workers of a slice may have the
    /// same share.
    pub(crate) fn of(&mut self, share: Share) -> Generations {
        let known = self.0.iter().find(|ledger| ledger.share == share);
        let ledger = known.cloned().unwrap_or_else(|| {
            let ledger = Arc::new(Ledger {
                share,
                states: (0..share.count()).map(|_| State::default()).collect(),
            });
            self.0.push(Arc::clone(&ledger));
            ledger
        });
        for state in &ledger.states {
            // The outcome of a PUT in flight at the end of a slice stays unknown.
            if state.phase.load(Relaxed) & OUT != 0 {
                state.phase.store(UNSURE, Relaxed);
            }
        }
        Generations(ledger)
    }
}

/// State of the objects of one worker.
#[derive(Debug)]
pub(crate) struct Generations(Arc<Ledger>);

/// Result of the check of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// An allowed generation.
    Right(u64),
    /// A generation that is too old.
    Stale(u64),
    /// No generation of the object.
    Nothing,
}

impl Generations {
    /// The share of the worker.
    pub(crate) fn share(&self) -> Share {
        self.0.share
    }

    fn state(&self, object: u64) -> &State {
        &self.0.states[self.0.share.position(object) as usize]
    }

    /// Starts a PUT of an object: returns the number of its next generation, or `None` while an
    /// earlier PUT is in flight.
    pub(crate) fn begin(&self, object: u64) -> Option<u64> {
        let state = self.state(object);
        let phase = state.phase.load(Relaxed);
        if phase & OUT != 0 {
            return None;
        }
        let next = state.sent.load(Relaxed).checked_add(1)?;
        state.sent.store(next, Relaxed);
        state.phase.store(phase | OUT, Relaxed);
        Some(number(object, next.into()))
    }

    /// Records the outcome of the PUT of `number`.
    pub(crate) fn settle(&self, number: u64, acknowledged: bool) {
        let state = self.state(object_of(number));
        let sure = state.phase.load(Relaxed) & UNSURE == 0;
        if acknowledged && sure {
            // [`Generations::begin`] has created this generation from a `u32`, so the
            // conversion succeeds.
            let generation = u32::try_from(generation_of(number)).unwrap_or(u32::MAX);
            state.certain.store(generation, Relaxed);
            state.phase.store(0, Relaxed);
        } else {
            state.phase.store(UNSURE, Relaxed)
        }
    }

    /// The oldest generation that is allowed in the response to a GET sent now.
    pub(crate) fn certain(&self, object: u64) -> u64 {
        self.state(object).certain.load(Relaxed).into()
    }

    /// The generation that `fits` a response received now. `certain` is the generation that was the
    /// oldest allowed generation when the GET was sent. Prefers an allowed generation to a stale
    /// generation.
    pub(crate) fn find(
        &self,
        content: &Content,
        object: u64,
        certain: u64,
        fits: impl Fn(u64) -> bool,
    ) -> Found {
        let sent = u64::from(self.state(object).sent.load(Relaxed));
        let oldest = (sent + 1).saturating_sub(content.generations());
        let find = |generations: std::ops::Range<u64>| {
            let mut generations = generations.rev();
            generations.find(|&generation| fits(number(object, generation)))
        };
        let right = find(certain.max(oldest)..sent + 1).map(Found::Right);
        right
            .or_else(|| find(oldest..certain.max(oldest)).map(Found::Stale))
            .unwrap_or(Found::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s3::content::Recipe;

    fn share() -> Share {
        Share::of(1, 3, 10)
    }

    fn find(generations: &Generations, certain: u64, response: u64) -> Found {
        let content = Content::new(1, &Recipe::plain(100));
        generations.find(&content, 4, certain, |tried| tried == number(4, response))
    }

    #[test]
    fn what_may_come_back_follows_from_what_was_sent_and_acknowledged() {
        let generations = Ledgers::default().of(share());
        assert_eq!(generations.certain(4), 0);
        let first = generations.begin(4).unwrap();
        assert_eq!(generations.begin(4), None, "two at once");
        let before = generations.certain(4);
        generations.settle(first, true);
        let second = generations.begin(4).unwrap();
        let now = generations.certain(4);
        assert_eq!((before, now), (0, 1));
        assert_eq!(find(&generations, before, 0), Found::Right(0));
        assert_eq!(find(&generations, now, 0), Found::Stale(0));
        assert_eq!(find(&generations, now, 1), Found::Right(1));
        assert_eq!(find(&generations, now, 2), Found::Right(2), "sent");
        assert_eq!(find(&generations, now, 3), Found::Nothing);
        generations.settle(second, true);
        assert_eq!(
            find(&generations, generations.certain(4), 1),
            Found::Stale(1)
        );
        // Other objects are unaffected.
        assert_eq!(generations.certain(1), 0);
    }

    #[test]
    fn a_lost_put_may_take_effect_later() {
        let mut ledgers = Ledgers::default();
        let generations = ledgers.of(share());
        let put = |acknowledged| {
            let number = generations.begin(4).unwrap();
            generations.settle(number, acknowledged);
        };
        put(true);
        put(false);
        put(true);
        assert_eq!(generations.certain(4), 1);
        assert_eq!(find(&generations, 1, 2), Found::Right(2));
        assert_eq!(find(&generations, 1, 0), Found::Stale(0));
    }

    #[test]
    fn the_next_slice_knows_what_the_last_one_wrote() {
        let mut ledgers = Ledgers::default();
        let first = ledgers.of(share());
        let number = first.begin(4).unwrap();
        first.settle(number, true);
        first.begin(7).unwrap();
        let second = ledgers.of(share());
        assert_eq!((second.certain(4), second.certain(7)), (1, 0));
        // The outcome of a PUT in flight at the end of the first slice is unknown, which does not
        // block the next PUT.
        let put = second.begin(7).unwrap();
        assert_eq!(generation_of(put), 2);
        second.settle(put, true);
        assert_eq!(second.certain(7), 0);
    }
}
