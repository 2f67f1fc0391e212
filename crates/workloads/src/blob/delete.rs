//! Blobs are deleted, and followed until they are gone where that is asked for.

use std::collections::VecDeque;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Role, Whole, Workload,
};

use super::batch::Entry;
use super::dialect::{Dialect, Gone, Part};
use super::flight::Flight;
use super::journal::Journal;
use super::work::{Budget, Walk};
use crate::s3::slots::Slots;

/// How long a blob rests after it was found to be still there, nanoseconds, as long as
/// there are others to delete.
const REST: u64 = 10_000_000;

/// Places in [`FOLLOWED`].
const DELETE: usize = 0;
const ASK: usize = 1;
const EFFECT: usize = 2;

const PLAIN: &[&str] = &["DEL"];
const FOLLOWED: &[&str] = &["DEL", "is it gone", "gone"];

/// A blob whose deletion was acknowledged.
#[derive(Debug, Clone, Copy)]
struct Going {
    place: u64,
    /// When its deletion began, and when to ask again; nanoseconds.
    started: u64,
    due: u64,
}

/// Deletes blobs.
pub(crate) struct Deleter {
    walk: Walk,
    dialect: Box<dyn Dialect>,
    batch: usize,
    /// Blobs that are on their way out, if they are followed.
    going: Option<VecDeque<Going>>,
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
        until_gone: bool,
        journal: Option<Journal>,
        budget: Budget,
    ) -> Self {
        Self {
            walk,
            batch: batch as usize,
            dialect,
            going: until_gone.then(VecDeque::new),
            ended: None,
            flights: Slots::default(),
            journal,
            budget,
        }
    }

    /// Asks whether a blob is gone, the one that has rested longest. Only one that is
    /// due, unless there is nothing else to do.
    fn ask(&mut self, now: Moment, exchange: &mut Exchange, only_due: bool) -> bool {
        let Some(going) = &mut self.going else {
            return false;
        };
        let due = |going: &Going| !only_due || going.due <= now.nanos;
        if !going.front().is_some_and(due) {
            return false;
        }
        let Some(next) = going.pop_front() else {
            return false;
        };
        let entry = self.walk.batch().entry(next.place);
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = ASK;
        let flight = &mut self.flights[place];
        flight.begin(entry.number, entry.size);
        flight.places.push(next.place);
        flight.started = next.started;
        let part = Part {
            offset: 0,
            length: 1.min(entry.size),
        };
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
        let body = &mut std::mem::take(&mut flight.body);
        self.dialect
            .delete(exchange, now.unix_seconds, &entries, body);
        flight.body = std::mem::take(body);
        true
    }

    /// What an answer to a deletion means. Blobs that are deleted are written down.
    fn deleted(&mut self, place: usize, status: u16, now: u64) -> Result<(), String> {
        let flight = &self.flights[place];
        let gone = self
            .dialect
            .deleted(status, &flight.caught, &entries(&self.walk, flight))?;
        let kept = match gone {
            Gone::All => Vec::new(),
            Gone::AllBut(kept) => kept,
        };
        let asked = flight.places.len();
        let started = flight.started;
        for (at, &place) in flight.places.iter().enumerate() {
            if kept.contains(&at) {
                continue;
            }
            match &mut self.going {
                Some(going) => going.push_back(Going {
                    place,
                    started,
                    due: now.saturating_add(REST),
                }),
                None => note_gone(&self.walk, &mut self.journal, place)?,
            }
        }
        match kept.len() {
            0 => Ok(()),
            some => Err(format!("{some} of {asked} not deleted ({status})")),
        }
    }

    /// What an answer to the question whether it is gone means.
    fn asked(&mut self, place: usize, status: u16) -> Judgement {
        let flight = &self.flights[place];
        let (at, started) = (flight.places[0], flight.started);
        match status {
            404 => {
                let outcome = match note_gone(&self.walk, &mut self.journal, at) {
                    Ok(()) => Judgement::Correct,
                    Err(text) => self.budget.refused(text),
                };
                self.ended = Some(Whole {
                    op: EFFECT,
                    started,
                    payload: 0,
                    outcome,
                });
                Judgement::Correct
            }
            200 | 206 => {
                self.rest(at, started);
                Judgement::Correct
            }
            _ => {
                self.rest(at, started);
                let text = self.dialect.refused(status, &self.flights[place].caught);
                self.budget.refused(text)
            }
        }
    }

    fn rest(&mut self, place: u64, started: u64) {
        if let Some(going) = &mut self.going {
            going.push_back(Going {
                place,
                started,
                due: 0,
            });
        }
    }
}

fn entries<'a>(walk: &'a Walk, flight: &Flight) -> smallvec::SmallVec<[Entry<'a>; 4]> {
    let places = flight.places.iter();
    places.map(|&at| walk.batch().entry(at)).collect()
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
        if self.budget.is_spent() {
            return Next::Exhausted;
        }
        if self.ask(now, exchange, true)
            || self.delete(now, exchange)
            || self.ask(now, exchange, false)
        {
            return Next::Ready;
        }
        match self.flights.are_out() {
            // An answer may bring something to ask after.
            true if self.going.is_some() => Next::Wait,
            _ => Next::Exhausted,
        }
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let started = self.flights[place].started;
        let judgement = match exchange.op {
            DELETE => match self.deleted(place, status, started) {
                Ok(()) => Judgement::Correct,
                Err(text) => {
                    let judgement = self.budget.refused(text);
                    if self.going.is_some() {
                        self.spoiled(started, judgement.clone());
                    }
                    judgement
                }
            },
            _ => self.asked(place, status),
        };
        self.flights.give_back(place);
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        self.budget.set.note_failure();
        if self.going.is_some() {
            let (at, started) = (self.flights[place].places[0], self.flights[place].started);
            match exchange.op {
                DELETE => self.spoiled(started, Judgement::Failed(class, String::new())),
                _ => self.rest(at, started),
            }
        }
        self.flights.give_back(place);
    }
}

impl Deleter {
    /// A deletion that is followed has come to nothing.
    fn spoiled(&mut self, started: u64, outcome: Judgement) {
        self.ended = Some(Whole {
            op: EFFECT,
            started,
            payload: 0,
            outcome,
        });
    }
}

impl Drop for Deleter {
    fn drop(&mut self) {
        if let Some(journal) = &mut self.journal {
            // Nothing is lost without it: no PUT was out.
            let _ = journal.end();
        }
    }
}
