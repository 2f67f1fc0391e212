//! Blobs whose deletion was acknowledged are read until they are gone.
//!
//! A follower reads them on connections of its own, so that deletions keep their rate. It
//! follows no more blobs at once than it has connections: a read that is due never waits for
//! another one, and the time until gone is exact. Deletions beyond that are not followed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Role, Whole, Workload,
};
use tenbin_plan::duration::Time;

use super::batch::Batch;
use super::dialect::{Dialect, Part, Presence};
use super::flight::{BROKE_OFF, Flight, refusal};
use super::journal::{Journal, note_gone};
use super::work::Budget;
use crate::s3::slots::Slots;

/// Operations of a phase whose deletions are followed.
pub(super) const FOLLOWED: &[&str] = &["DEL", "is it gone", "gone"];
/// Places in [`FOLLOWED`].
const POLL: usize = 1;
const EFFECT: usize = 2;

/// The shortest rest between two polls of a blob, nanoseconds.
const SHORTEST_REST: u64 = 1_000_000;

/// How long a follower rests that has nothing to do, nanoseconds.
const IDLE: u64 = 1_000_000;

/// Answers in a row that begin and break off before the blob is taken for gone, where that
/// is how a server says so.
const BREAKS: u8 = 2;

/// The part of the time it has taken so far that a blob rests before the next poll: when it
/// went is known to within that part.
const PART_RESTED: u64 = 8;

/// What the operations of [`FOLLOWED`] are to the work.
pub(super) fn role(op: usize) -> Role {
    match op {
        POLL => Role::Poll,
        EFFECT => Role::Effect,
        _ => Role::Request,
    }
}

/// How blobs are followed until they are gone, nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Following {
    /// How long one may still be there after its deletion began.
    pub(crate) limit: u64,
    /// The longest rest between two polls of a blob.
    pub(crate) longest_rest: u64,
    /// Connections to poll on, and so blobs followed at once.
    pub(crate) connections: usize,
}

impl Following {
    /// When a deletion that began then should have taken effect.
    fn end(self, started: u64) -> u64 {
        started.saturating_add(self.limit)
    }

    /// When to poll a blob again that is still there now. At its end it is polled once more.
    fn due(self, started: u64, now: u64) -> u64 {
        let taken = now.saturating_sub(started);
        let longest = self.longest_rest.max(SHORTEST_REST);
        let rest = (taken / PART_RESTED).clamp(SHORTEST_REST, longest);
        now.saturating_add(rest).min(self.end(started).max(now))
    }
}

/// A blob whose deletion was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Leaving {
    place: u64,
    /// When its deletion began.
    started: u64,
    /// When the last poll began that read it.
    seen: Option<u64>,
    /// The last answers that began and broke off.
    breaks: u8,
    /// When the first of them was asked for.
    broke: u64,
}

/// The same with when to poll it again, by which it is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Going {
    due: u64,
    leaving: Leaving,
}

/// Where deleters leave blobs for a follower.
#[derive(Debug)]
pub(crate) struct Handover {
    /// Blobs that can be followed beside those that are.
    free: AtomicUsize,
    /// Deleters at work.
    deleters: AtomicUsize,
    offered: Mutex<Vec<Leaving>>,
}

impl Handover {
    pub(crate) fn new(following: Following, deleters: usize) -> Self {
        Self {
            free: AtomicUsize::new(following.connections),
            deleters: AtomicUsize::new(deleters),
            offered: Mutex::default(),
        }
    }

    /// Offers the blob at that place, whose deletion began then; whether it is followed.
    pub(super) fn offer(&self, place: u64, started: u64) -> bool {
        let free = &self.free;
        let taken = free.fetch_update(Ordering::AcqRel, Ordering::Acquire, |free| {
            free.checked_sub(1)
        });
        if taken.is_err() {
            return false;
        }
        let leaving = Leaving {
            place,
            started,
            seen: None,
            breaks: 0,
            broke: 0,
        };
        let offered = self.offered.lock();
        offered
            .unwrap_or_else(PoisonError::into_inner)
            .push(leaving);
        true
    }

    /// One of the deleters offers nothing more.
    pub(super) fn deleter_ended(&self) {
        self.deleters.fetch_sub(1, Ordering::AcqRel);
    }

    /// Moves what was offered to `found`; whether more may come.
    fn collect(&self, found: &mut Vec<Leaving>) -> bool {
        // Looked at first: what the last deleter offered is there when it has ended.
        let more = self.deleters.load(Ordering::Acquire) > 0;
        let offered = self.offered.lock();
        found.append(&mut offered.unwrap_or_else(PoisonError::into_inner));
        more
    }

    fn give_back(&self) {
        self.free.fetch_add(1, Ordering::AcqRel);
    }
}

/// Blobs that are on their way out.
#[derive(Debug)]
struct Goings {
    following: Following,
    /// Those that were not found to be gone since the last request was prepared; when to
    /// poll them again follows from the time, which only then is known.
    found: Vec<Leaving>,
    waiting: BinaryHeap<Reverse<Going>>,
    /// The longest time that one took to be gone.
    longest: Option<u64>,
}

impl Goings {
    fn new(following: Following) -> Self {
        Self {
            following,
            found: Vec::new(),
            waiting: BinaryHeap::new(),
            longest: None,
        }
    }

    fn schedule(&mut self, now: u64) {
        let following = self.following;
        let going = self.found.drain(..).map(|leaving| {
            Reverse(Going {
                due: following.due(leaving.started, now),
                leaving,
            })
        });
        self.waiting.extend(going);
    }

    /// The blob to poll now, if there is one.
    fn take_due(&mut self, now: u64) -> Option<Leaving> {
        let first = self.waiting.peek_mut()?;
        (first.0.due <= now).then(|| PeekMut::pop(first).0.leaving)
    }

    /// When to poll the next.
    fn next_due(&self) -> Option<u64> {
        self.waiting.peek().map(|going| going.0.due)
    }

    /// Those that were last seen when others had long been gone, or of which none has gone.
    /// Of the others the slice has only seen too little.
    fn lasting(&self) -> u64 {
        let waiting = self.waiting.iter().map(|going| &going.0.leaving);
        let all = self.found.iter().chain(waiting);
        let lasts = |leaving: &&Leaving| {
            leaving.breaks == 0
                && leaving.seen.is_some_and(|seen| {
                    let age = seen.saturating_sub(leaving.started);
                    self.longest.is_none_or(|longest| age > longest)
                })
        };
        all.filter(lasts).count() as u64
    }
}

/// Reads deleted blobs until they are gone.
pub(crate) struct Follower {
    batch: Arc<Batch>,
    dialect: Box<dyn Dialect>,
    handover: Arc<Handover>,
    goings: Goings,
    ended: Option<Whole>,
    flights: Slots<Flight>,
    /// What is known of the blob that a flight reads.
    leaving: Vec<Option<Leaving>>,
    journal: Option<Journal>,
    budget: Budget,
}

impl Follower {
    pub(crate) fn new(
        batch: Arc<Batch>,
        dialect: Box<dyn Dialect>,
        following: Following,
        handover: Arc<Handover>,
        journal: Option<Journal>,
        budget: Budget,
    ) -> Self {
        Self {
            batch,
            dialect,
            handover,
            goings: Goings::new(following),
            ended: None,
            flights: Slots::default(),
            leaving: Vec::new(),
            journal,
            budget,
        }
    }

    /// Polls a blob, if one is due.
    fn poll(&mut self, now: Moment, exchange: &mut Exchange) -> bool {
        let Some(leaving) = self.goings.take_due(now.nanos) else {
            return false;
        };
        let entry = self.batch.entry(leaving.place);
        let place = self.flights.take();
        if self.leaving.len() <= place {
            self.leaving.resize(place + 1, None);
        }
        self.leaving[place] = Some(leaving);
        exchange.tag = place as u64;
        exchange.op = POLL;
        exchange.content = None;
        let flight = &mut self.flights[place];
        flight.begin(entry.number, entry.size);
        flight.asked = now.nanos;
        let part = Part {
            offset: 0,
            length: 1.min(entry.size),
        };
        flight.expected = part.length;
        self.dialect
            .get(exchange, now.unix_seconds, entry, part, &mut flight.body);
        true
    }

    /// What an answer to a poll means. Polls are no failures of the work: a blob of which
    /// nothing is learnt in time is one, once.
    fn answered(&mut self, place: usize, status: u16, length: u64) -> Judgement {
        let flight = &self.flights[place];
        let asked = flight.asked;
        match self.dialect.presence(status, &flight.caught) {
            Presence::Gone => {
                // An answer before it that broke off has told so already.
                let leaving = self.leaving[place];
                let first = leaving.filter(|leaving| leaving.breaks > 0);
                self.gone(place, first.map_or(asked, |leaving| leaving.broke));
                Judgement::Correct
            }
            Presence::There if length == flight.expected => {
                self.not_gone(place, None);
                Judgement::Correct
            }
            Presence::There => {
                let text = "answered as if it were there, and without its content";
                self.not_gone(place, Some((ErrorClass::Short, text)));
                Judgement::Failed(ErrorClass::Short, text.to_owned())
            }
            Presence::Unknown => {
                let text = self.dialect.refused(status, &flight.caught);
                self.not_gone(place, Some((ErrorClass::Status, &text)));
                refusal(text)
            }
        }
    }

    /// The answer to a poll was lost. One that began and broke off tells that the blob
    /// cannot be read any more, where nothing else ever does.
    fn unanswered(&mut self, place: usize, class: ErrorClass) {
        let flight = &self.flights[place];
        let asked = flight.asked;
        if !flight.broke_off(class) || !self.dialect.breaks_off_when_gone() {
            return self.not_gone(place, Some((class, "no answer")));
        }
        let Some(leaving) = &mut self.leaving[place] else {
            return;
        };
        if leaving.breaks == 0 {
            leaving.broke = asked;
        }
        leaving.breaks += 1;
        let (breaks, broke) = (leaving.breaks, leaving.broke);
        match breaks >= BREAKS {
            true => self.gone(place, broke),
            false => self.again(place, Some((ErrorClass::Short, BROKE_OFF))),
        }
    }

    /// It was gone when a poll began, then.
    fn gone(&mut self, place: usize, since: u64) {
        let Some(leaving) = self.leaving[place].take() else {
            return;
        };
        let took = since.saturating_sub(leaving.started);
        self.goings.longest = self.goings.longest.max(Some(took));
        let outcome = match note_gone(&self.batch, &mut self.journal, leaving.place) {
            Ok(()) => Judgement::Correct,
            Err(text) => self.budget.refused(text),
        };
        self.end(leaving, Some(since), outcome);
    }

    /// It is there, or its answer tells nothing, and why.
    fn not_gone(&mut self, place: usize, untold: Option<(ErrorClass, &str)>) {
        let asked = self.flights[place].asked;
        if let Some(leaving) = &mut self.leaving[place] {
            leaving.breaks = 0;
            if untold.is_none() {
                leaving.seen = Some(asked);
            }
        }
        self.again(place, untold);
    }

    /// It is polled again, unless it has had all its time.
    fn again(&mut self, place: usize, untold: Option<(ErrorClass, &str)>) {
        let asked = self.flights[place].asked;
        let Some(leaving) = self.leaving[place].take() else {
            return;
        };
        let following = self.goings.following;
        if asked < following.end(leaving.started) {
            return self.goings.found.push(leaving);
        }
        let limit = Time(Duration::from_nanos(following.limit));
        let (class, text) = match untold {
            None => {
                self.budget.set.note_lasting(1);
                let text = format!("still there {limit} after its deletion began");
                (ErrorClass::Timeout, text)
            }
            Some((class, why)) => {
                self.budget.set.note_untold(1);
                let text =
                    format!("gone or not is unknown {limit} after its deletion began: {why}");
                (class, text)
            }
        };
        let outcome = self.budget.failed(class, text);
        self.end(leaving, None, outcome);
    }

    /// A blob is followed no longer.
    fn end(&mut self, leaving: Leaving, ended: Option<u64>, outcome: Judgement) {
        self.handover.give_back();
        self.ended = Some(Whole {
            op: EFFECT,
            started: leaving.started,
            payload: 0,
            ended,
            outcome,
        });
    }
}

impl Workload for Follower {
    fn operations(&self) -> &[&'static str] {
        FOLLOWED
    }

    fn role(&self, op: usize) -> Role {
        role(op)
    }

    fn own_connections(&self) -> Option<usize> {
        Some(self.goings.following.connections)
    }

    fn whole(&mut self) -> Option<Whole> {
        self.ended.take()
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        exchange.bodyless_answer = false;
        let more = self.handover.collect(&mut self.goings.found);
        self.goings.schedule(now.nanos);
        if self.budget.is_spent() {
            return Next::Exhausted;
        }
        if self.poll(now, exchange) {
            return Next::Ready;
        }
        match self.goings.next_due() {
            None if !more && !self.flights.are_out() => Next::Exhausted,
            due => {
                let look = now.nanos.saturating_add(IDLE);
                Next::Rest(due.map_or(look, |due| due.min(look)))
            }
        }
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let flight = &mut self.flights[exchange.tag as usize];
        flight.begun = matches!(head.status, 200 | 206);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let judgement = self.answered(place, status, length);
        self.flights.give_back(place);
        judgement
    }

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<(ErrorClass, &'static str)> {
        let flight = &self.flights[exchange.tag as usize];
        let counted = (ErrorClass::Short, BROKE_OFF);
        flight.broke_off(class).then_some(counted)
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        self.unanswered(place, class);
        self.flights.give_back(place);
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.handover.collect(&mut self.goings.found);
        self.budget.set.note_lasting(self.goings.lasting());
        if let Some(journal) = &mut self.journal {
            // Nothing is lost without it: no PUT was out.
            let _ = journal.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;

    fn following(limit: u64, longest_rest: u64) -> Following {
        Following {
            limit: limit * MILLI,
            longest_rest: longest_rest * MILLI,
            connections: 2,
        }
    }

    fn leaving(place: u64, started: u64, seen: Option<u64>) -> Leaving {
        Leaving {
            place,
            started,
            seen,
            breaks: 0,
            broke: 0,
        }
    }

    #[test]
    fn polls_come_less_and_less_often_and_last_at_the_end() {
        let following = following(1000, 50);
        let (started, mut now) = (7 * MILLI, 9 * MILLI);
        let mut rests = Vec::new();
        while now < following.end(started) {
            let due = following.due(started, now);
            rests.push(due - now);
            now = due;
        }
        assert_eq!(now, following.end(started));
        assert_eq!(rests[0], MILLI);
        let but_the_last = &rests[..rests.len() - 1];
        assert!(but_the_last.is_sorted());
        assert_eq!(but_the_last.last(), Some(&(50 * MILLI)));
        assert!((30..80).contains(&rests.len()), "{}", rests.len());
    }

    #[test]
    fn who_is_due_first_is_polled_first() {
        let mut goings = Goings::new(following(1000, 100));
        goings.found = vec![leaving(1, 0, None), leaving(2, 400 * MILLI, None)];
        goings.schedule(400 * MILLI);
        assert!(goings.take_due(400 * MILLI).is_none());
        assert_eq!(goings.next_due(), Some(401 * MILLI));
        let mut due = |now| goings.take_due(now).map(|going| going.place);
        assert_eq!(due(401 * MILLI), Some(2));
        assert_eq!(due(401 * MILLI), None);
        assert_eq!(due(450 * MILLI), Some(1));
    }

    #[test]
    fn only_a_blob_seen_for_longer_than_others_took_is_still_there_at_the_end() {
        let mut goings = Goings::new(following(1000, 100));
        goings.found = vec![
            leaving(1, 0, Some(90 * MILLI)),
            leaving(2, 0, Some(110 * MILLI)),
            leaving(3, 0, None),
        ];
        assert_eq!(goings.lasting(), 2);
        goings.longest = Some(100 * MILLI);
        assert_eq!(goings.lasting(), 1);
    }

    #[test]
    fn no_more_blobs_are_followed_than_there_are_connections() {
        let handover = Handover::new(following(1000, 100), 1);
        assert!(handover.offer(1, 0) && handover.offer(2, 0));
        assert!(!handover.offer(3, 0));
        let mut found = Vec::new();
        assert!(handover.collect(&mut found));
        assert_eq!(found.len(), 2);
        handover.give_back();
        assert!(handover.offer(4, 0));
        handover.deleter_ended();
        assert!(!handover.collect(&mut found));
        assert_eq!(found.len(), 3);
    }
}
