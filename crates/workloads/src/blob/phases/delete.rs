//! Deletes blobs, and passes them to a follower that measures the time until they are gone.

use std::sync::Arc;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Role, Workload,
};

use crate::blob::phases::follower::{self, FOLLOWED};
use crate::blob::phases::handover::Handover;
use crate::blob::phases::in_flight::{Follow, InFlight};
use crate::blob::phases::positions::{Budget, Walk};
use crate::blob::protocols::{BlobProtocol, Gone};
use crate::blob::stored::batch::Entry;
use crate::blob::stored::journal::{Journal, note_gone};
use crate::s3::slots::Slots;

/// Statuses of deletions that certainly failed. With higher statuses, the outcome is unknown.
const REFUSALS: std::ops::Range<u16> = 400..500;

/// Wait for blobs that are read before their deletion, nanoseconds.
const IDLE: u64 = 1_000_000;

/// Index of the deletion in [`FOLLOWED`].
const DELETE: usize = 0;

/// Deletes blobs.
pub(crate) struct Deleter {
    walk: Walk,
    dialect: Box<dyn BlobProtocol>,
    batch: usize,
    /// Passes deleted blobs to a follower; `None` if blobs are not followed.
    handover: Option<Arc<Handover>>,
    flights: Slots<InFlight>,
    journal: Option<Journal>,
    budget: Budget,
}

impl Deleter {
    pub(crate) fn new(
        walk: Walk,
        dialect: Box<dyn BlobProtocol>,
        batch: u32,
        handover: Option<Arc<Handover>>,
        journal: Option<Journal>,
        budget: Budget,
    ) -> Self {
        Self {
            walk,
            batch: batch as usize,
            dialect,
            handover,
            flights: Slots::default(),
            journal,
            budget,
        }
    }

    /// The next blob to delete, and whether it is followed. While blobs are read before their
    /// deletion, others are deleted.
    fn choose(&mut self, now: Moment) -> Result<(u64, Follow), Next> {
        let Some(handover) = &self.handover else {
            let first = self.walk.next().ok_or(Next::Exhausted)?;
            return Ok((first, Follow::No));
        };
        if let Some(read) = handover.take_read() {
            return Ok(read);
        }
        while handover.reserve() {
            match self.walk.next() {
                Some(place) => handover.read_first(place),
                None => {
                    handover.give_back();
                    break;
                }
            }
        }
        match self.walk.next() {
            Some(place) => Ok((place, Follow::No)),
            None if handover.is_reading() => Err(Next::Rest(now.nanos.saturating_add(IDLE))),
            None => Err(Next::Exhausted),
        }
    }

    fn delete(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let (first, follow) = match self.choose(now) {
            Ok(chosen) => chosen,
            Err(nothing) => return nothing,
        };
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = DELETE;
        let flight = &mut self.flights[place];
        flight.begin(self.walk.batch().entry(first).number, 0);
        flight.started = now.nanos;
        flight.follow = follow;
        flight.places.push(first);
        while flight.places.len() < self.batch {
            match self.walk.next() {
                Some(at) => flight.places.push(at),
                None => break,
            }
        }
        let batch = self.walk.batch();
        flight
            .places
            .iter()
            .for_each(|&at| batch.note_requested(at));
        let entries = entries(&self.walk, flight);
        flight.size = entries.iter().map(|entry| entry.size).sum();
        exchange.content = Some(flight.size);
        if self.budget.set.stays()
            && let Some(journal) = &mut self.journal
        {
            // If this write fails, a later run may request a deleted blob and report a failure.
            let _ = journal.deleting(entries.iter().map(|entry| entry.number));
        }
        let body = &mut std::mem::take(&mut flight.body);
        self.dialect
            .delete(exchange, now.unix_seconds, &entries, body);
        flight.body = std::mem::take(body);
        Next::Ready
    }

    /// Evaluates the response to a deletion, and records the blobs that are deleted.
    fn deleted(&mut self, place: usize, status: u16) -> Result<(), String> {
        let flight = &self.flights[place];
        let outcome = self
            .dialect
            .deleted(status, &flight.caught, &entries(&self.walk, flight));
        let was_deleting = |&place: &u64| self.walk.batch().is_being_deleted(place);
        let gone = match outcome {
            Ok(gone) => gone,
            // An earlier run has deleted these blobs.
            Err(_) if status == 404 && flight.places.iter().all(was_deleting) => Gone::All,
            Err(text) => {
                self.not_followed(flight.follow);
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
        let requested = flight.places.len();
        let started = flight.started;
        for (at, &place) in flight.places.iter().enumerate() {
            if kept.contains(&at) {
                note_kept(&self.walk, &mut self.journal, &[place]);
                self.not_followed(flight.follow);
                continue;
            }
            match (&self.handover, flight.follow) {
                (Some(handover), Follow::Yes) => handover.offer(place, started),
                (Some(_), Follow::Unreadable) => self.budget.set.note_unresolved(1),
                _ => note_gone(self.walk.batch(), &mut self.journal, place)?,
            }
        }
        match kept.len() {
            0 => Ok(()),
            some => Err(format!("{some} of {requested} not deleted ({status})")),
        }
    }
}

impl Deleter {
    /// Frees the place of a blob that was to be followed and was not deleted.
    fn not_followed(&self, follow: Follow) {
        if let (Some(handover), Follow::Yes) = (&self.handover, follow) {
            handover.give_back();
        }
    }
}

fn entries<'a>(walk: &'a Walk, flight: &InFlight) -> smallvec::SmallVec<[Entry<'a>; 4]> {
    let places = flight.places.iter();
    places.map(|&at| walk.batch().entry(at)).collect()
}

/// Records that the blobs still exist, after [`Journal::deleting`] recorded an unknown outcome.
fn note_kept(walk: &Walk, journal: &mut Option<Journal>, places: &[u64]) {
    for &place in places {
        walk.batch().note_kept(place);
        let number = walk.batch().entry(place).number;
        // If this write fails, a later run does not read the blob, and reports its state as
        // unknown.
        let _ = journal.as_mut().map(|journal| journal.kept(number));
    }
}

impl Workload for Deleter {
    fn operations(&self) -> &[&'static str] {
        match self.handover {
            None => &FOLLOWED[..=DELETE],
            Some(_) => FOLLOWED,
        }
    }

    fn role(&self, op: usize) -> Role {
        follower::role(op)
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        exchange.bodyless_response = false;
        if self.budget.is_spent() {
            Next::Exhausted
        } else {
            self.delete(now, exchange)
        }
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let judgement = match self.deleted(place, status) {
            Ok(()) => Judgement::Correct,
            Err(text) => self.budget.refused(text),
        };
        self.flights.give_back(place);
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        let place = exchange.tag as usize;
        self.not_followed(self.flights[place].follow);
        self.flights.give_back(place);
        self.budget.set.note_failure();
    }

    fn unprepared(&mut self, _class: ErrorClass) {
        self.budget.set.note_failure();
    }

    fn gives_up(&self) -> bool {
        self.budget.is_spent()
    }

    fn slice_over(&mut self) {
        if let Some(handover) = &self.handover {
            handover.deleter_ended();
        }
    }
}

impl Drop for Deleter {
    fn drop(&mut self) {
        if let Some(journal) = &mut self.journal {
            // A failed write does no harm, because no PUT was in flight.
            let _ = journal.end();
        }
    }
}
