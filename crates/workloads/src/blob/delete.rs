//! Blobs are deleted, and followed until they are gone where that is asked for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::time::Duration;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Role, Whole, Workload,
};
use tenbin_plan::duration::Time;

use super::batch::Entry;
use super::dialect::{Dialect, Gone, Part, Presence};
use super::flight::{BROKE_OFF, Flight, refusal};
use super::journal::Journal;
use super::work::{Budget, Walk};
use crate::s3::slots::Slots;

/// The shortest rest between two questions after a blob, nanoseconds.
const SHORTEST_REST: u64 = 1_000_000;

/// Answers in a row that begin and break off before the blob is taken for gone, where that
/// is how a server says so.
const BREAKS: u8 = 2;

/// The part of the time it has taken so far that a blob rests before the next question:
/// when it went is known to within that part.
const PART_RESTED: u64 = 8;

/// Statuses of a deletion that was not done. Above them, nobody knows.
const REFUSALS: std::ops::Range<u16> = 400..500;

/// Places in [`FOLLOWED`].
const DELETE: usize = 0;
const ASK: usize = 1;
const EFFECT: usize = 2;

const PLAIN: &[&str] = &["DEL"];
const FOLLOWED: &[&str] = &["DEL", "is it gone", "gone"];

/// How blobs are followed until they are gone, nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Following {
    /// How long one may still be there after its deletion began.
    pub(crate) limit: u64,
    /// The longest rest between two questions.
    pub(crate) longest_rest: u64,
}

impl Following {
    /// When a deletion that began then should have taken effect.
    fn end(self, started: u64) -> u64 {
        started.saturating_add(self.limit)
    }

    /// When to ask again after a blob that is still there now. At its end it is asked
    /// after once more.
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
    /// The last question has read it.
    seen: bool,
    /// The last so many answers began and broke off.
    breaks: u8,
}

/// The same with when to ask again, by which it is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Going {
    due: u64,
    leaving: Leaving,
}

/// Blobs that are on their way out.
#[derive(Debug)]
struct Goings {
    following: Following,
    /// Those that were not found to be gone since the last request was prepared; when to
    /// ask again follows from the time, which only then is known.
    found: Vec<Leaving>,
    waiting: BinaryHeap<Reverse<Going>>,
}

impl Goings {
    fn new(following: Following) -> Self {
        Self {
            following,
            found: Vec::new(),
            waiting: BinaryHeap::new(),
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

    /// The blob to ask after now, if there is one.
    fn take_due(&mut self, now: u64) -> Option<Leaving> {
        let first = self.waiting.peek_mut()?;
        (first.0.due <= now).then(|| PeekMut::pop(first).0.leaving)
    }

    /// When to ask after the next.
    fn next_due(&self) -> Option<u64> {
        self.waiting.peek().map(|going| going.0.due)
    }

    /// Those that the last question has read, and those of which it is not known whether
    /// they are there.
    fn count(&self) -> (u64, u64) {
        let waiting = self.waiting.iter().map(|going| &going.0.leaving);
        let all = self.found.iter().chain(waiting);
        let seen = all.filter(|leaving| leaving.seen).count();
        let both = self.found.len() + self.waiting.len();
        (seen as u64, (both - seen) as u64)
    }
}

/// Deletes blobs.
pub(crate) struct Deleter {
    walk: Walk,
    dialect: Box<dyn Dialect>,
    batch: usize,
    /// Blobs that are on their way out, if they are followed.
    going: Option<Goings>,
    ended: Option<Whole>,
    flights: Slots<Flight>,
    journal: Option<Journal>,
    budget: Budget,
}

impl Deleter {
    pub(crate) fn new(
        walk: Walk,
        dialect: Box<dyn Dialect>,
        batch: u32,
        following: Option<Following>,
        journal: Option<Journal>,
        budget: Budget,
    ) -> Self {
        Self {
            walk,
            batch: batch as usize,
            dialect,
            going: following.map(Goings::new),
            ended: None,
            flights: Slots::default(),
            journal,
            budget,
        }
    }

    /// Asks whether a blob is gone, if one is due.
    fn ask(&mut self, now: Moment, exchange: &mut Exchange) -> bool {
        let due = self.going.as_mut();
        let Some(next) = due.and_then(|going| going.take_due(now.nanos)) else {
            return false;
        };
        let entry = self.walk.batch().entry(next.place);
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = ASK;
        exchange.content = None;
        let flight = &mut self.flights[place];
        flight.begin(entry.number, entry.size);
        flight.places.push(next.place);
        flight.started = next.started;
        flight.breaks = next.breaks;
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

    fn delete(&mut self, now: Moment, exchange: &mut Exchange) -> bool {
        let Some(first) = self.walk.next() else {
            return false;
        };
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = DELETE;
        let flight = &mut self.flights[place];
        flight.begin(self.walk.batch().entry(first).number, 0);
        flight.started = now.nanos;
        flight.places.push(first);
        while flight.places.len() < self.batch {
            match self.walk.next() {
                Some(at) => flight.places.push(at),
                None => break,
            }
        }
        let entries = entries(&self.walk, flight);
        flight.size = entries.iter().map(|entry| entry.size).sum();
        exchange.content = Some(flight.size);
        if self.budget.set.stays()
            && let Some(journal) = &mut self.journal
        {
            // Without it a later run asks for a blob that is gone, and says so.
            let _ = journal.leaving(entries.iter().map(|entry| entry.number));
        }
        let body = &mut std::mem::take(&mut flight.body);
        self.dialect
            .delete(exchange, now.unix_seconds, &entries, body);
        flight.body = std::mem::take(body);
        true
    }

    /// What an answer to a deletion means. Blobs that are deleted are written down.
    fn deleted(&mut self, place: usize, status: u16) -> Result<(), String> {
        let flight = &self.flights[place];
        let told = self
            .dialect
            .deleted(status, &flight.caught, &entries(&self.walk, flight));
        let was_leaving = |&place: &u64| self.walk.batch().is_leaving(place);
        let gone = match told {
            Ok(gone) => gone,
            // An earlier run has done it.
            Err(_) if status == 404 && flight.places.iter().all(was_leaving) => Gone::All,
            Err(text) => {
                if REFUSALS.contains(&status) {
                    note_kept(&self.walk, &mut self.journal, &flight.places);
                }
                return Err(text);
            }
        };
        let kept = match gone {
            Gone::All => Vec::new(),
            Gone::AllBut(kept) => kept,
        };
        let asked = flight.places.len();
        let started = flight.started;
        for (at, &place) in flight.places.iter().enumerate() {
            if kept.contains(&at) {
                note_kept(&self.walk, &mut self.journal, &[place]);
                continue;
            }
            match &mut self.going {
                Some(going) => going.found.push(Leaving {
                    place,
                    started,
                    seen: false,
                    breaks: 0,
                }),
                None => note_gone(&self.walk, &mut self.journal, place)?,
            }
        }
        match kept.len() {
            0 => Ok(()),
            some => Err(format!("{some} of {asked} not deleted ({status})")),
        }
    }

    /// What an answer to the question whether it is gone means. Questions are no failures
    /// of the work: a blob of which nothing is learnt in time is one, once.
    fn asked(&mut self, place: usize, status: u16, length: u64) -> Judgement {
        self.flights[place].breaks = 0;
        let flight = &self.flights[place];
        match self.dialect.presence(status, &flight.caught) {
            Presence::Gone => {
                self.gone(place);
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

    /// The answer to a question was lost. One that began and broke off tells that the blob
    /// cannot be read any more, where nothing else ever does.
    fn unanswered(&mut self, place: usize, class: ErrorClass) {
        let flight = &mut self.flights[place];
        if !flight.broke_off(class) {
            flight.breaks = 0;
            return self.not_gone(place, Some((class, "no answer")));
        }
        flight.breaks = flight.breaks.saturating_add(1);
        match self.dialect.breaks_off_when_gone() && flight.breaks >= BREAKS {
            true => self.gone(place),
            false => self.not_gone(place, Some((ErrorClass::Short, BROKE_OFF))),
        }
    }

    fn gone(&mut self, place: usize) {
        let at = self.flights[place].places[0];
        let outcome = match note_gone(&self.walk, &mut self.journal, at) {
            Ok(()) => Judgement::Correct,
            Err(text) => self.budget.refused(text),
        };
        self.end(place, outcome);
    }

    /// The blob is asked after again, unless it has had all its time. It is still there,
    /// or the answer did not tell, and why.
    fn not_gone(&mut self, place: usize, untold: Option<(ErrorClass, &str)>) {
        let flight = &self.flights[place];
        let (at, started, asked) = (flight.places[0], flight.started, flight.asked);
        let breaks = flight.breaks;
        let Some(going) = &mut self.going else { return };
        let following = going.following;
        if asked < following.end(started) {
            return going.found.push(Leaving {
                place: at,
                started,
                seen: untold.is_none(),
                breaks,
            });
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
        self.end(place, outcome);
    }

    /// A deletion that is followed has come to its end.
    fn end(&mut self, place: usize, outcome: Judgement) {
        self.ended = Some(Whole {
            op: EFFECT,
            started: self.flights[place].started,
            payload: self.flights[place].size,
            outcome,
        });
    }
}

fn entries<'a>(walk: &'a Walk, flight: &Flight) -> smallvec::SmallVec<[Entry<'a>; 4]> {
    let places = flight.places.iter();
    places.map(|&at| walk.batch().entry(at)).collect()
}

/// Those are there as before. Only locations on disk say that it was doubtful.
fn note_kept(walk: &Walk, journal: &mut Option<Journal>, places: &[u64]) {
    for &place in places {
        let number = walk.batch().entry(place).number;
        // Without it a later run leaves it out, and says so.
        let _ = journal.as_mut().map(|journal| journal.kept(number));
    }
}

fn note_gone(walk: &Walk, journal: &mut Option<Journal>, place: u64) -> Result<(), String> {
    walk.batch().note_gone(place);
    let number = walk.batch().entry(place).number;
    match journal {
        None => Ok(()),
        Some(journal) => journal
            .gone(number)
            .map_err(|error| format!("that it is gone could not be kept: {error}")),
    }
}

impl Workload for Deleter {
    fn operations(&self) -> &[&'static str] {
        match self.going {
            None => PLAIN,
            Some(_) => FOLLOWED,
        }
    }

    fn role(&self, op: usize) -> Role {
        match (&self.going, op) {
            (None, _) => Role::Request,
            (Some(_), EFFECT) => Role::Whole,
            (Some(_), _) => Role::Step,
        }
    }

    fn whole(&mut self) -> Option<Whole> {
        self.ended.take()
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        exchange.bodyless_answer = false;
        if let Some(going) = &mut self.going {
            going.schedule(now.nanos);
        }
        if self.budget.is_spent() {
            return Next::Exhausted;
        }
        if self.ask(now, exchange) || self.delete(now, exchange) {
            return Next::Ready;
        }
        match &self.going {
            None => Next::Exhausted,
            Some(going) => match going.next_due() {
                Some(due) => Next::Rest(due),
                // An answer may bring something to ask after.
                None if self.flights.are_out() => Next::Wait,
                None => Next::Exhausted,
            },
        }
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let flight = &mut self.flights[exchange.tag as usize];
        flight.begun = exchange.op == ASK && matches!(head.status, 200 | 206);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let judgement = match exchange.op {
            DELETE => match self.deleted(place, status) {
                Ok(()) => Judgement::Correct,
                Err(text) => {
                    let judgement = self.budget.refused(text);
                    if self.going.is_some() {
                        self.end(place, judgement.clone());
                    }
                    judgement
                }
            },
            _ => self.asked(place, status, length),
        };
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
        match (exchange.op, &self.going) {
            (DELETE, None) => self.budget.set.note_failure(),
            (DELETE, Some(_)) => {
                let outcome = self.budget.failed(class, String::new());
                self.end(place, outcome);
            }
            _ => self.unanswered(place, class),
        }
        self.flights.give_back(place);
    }
}

impl Drop for Deleter {
    fn drop(&mut self) {
        if let Some(going) = &self.going {
            let (lasting, untold) = going.count();
            self.budget.set.note_lasting(lasting);
            self.budget.set.note_untold(untold);
        }
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

    #[test]
    fn questions_come_less_and_less_often_and_last_at_the_end() {
        let following = Following {
            limit: 1000 * MILLI,
            longest_rest: 50 * MILLI,
        };
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
    fn who_is_due_first_is_asked_after_first() {
        let mut goings = Goings::new(Following {
            limit: 1000 * MILLI,
            longest_rest: 100 * MILLI,
        });
        let leaving = |place, started, seen| Leaving {
            place,
            started,
            seen,
            breaks: 0,
        };
        goings.found = vec![leaving(1, 0, true), leaving(2, 400 * MILLI, false)];
        assert_eq!(goings.count(), (1, 1));
        goings.schedule(400 * MILLI);
        assert_eq!(goings.count(), (1, 1));
        assert!(goings.take_due(400 * MILLI).is_none());
        assert_eq!(goings.next_due(), Some(401 * MILLI));
        assert_eq!(
            goings.take_due(401 * MILLI).map(|going| going.place),
            Some(2)
        );
        assert!(goings.take_due(401 * MILLI).is_none());
        assert_eq!(
            goings.take_due(450 * MILLI).map(|going| going.place),
            Some(1)
        );
    }
}
