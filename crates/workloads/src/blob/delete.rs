//! Blobs are deleted, and left to a follower where it is asked for when they are gone.

use std::sync::Arc;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Role, Workload,
};

use super::batch::Entry;
use super::dialect::{Dialect, Gone};
use super::flight::Flight;
use super::gone::{self, FOLLOWED, Handover};
use super::journal::{Journal, note_gone};
use super::work::{Budget, Walk};
use crate::s3::slots::Slots;

/// Statuses of a deletion that was not done. Above them, nobody knows.
const REFUSALS: std::ops::Range<u16> = 400..500;

/// The place of a deletion among the operations.
const DELETE: usize = 0;

/// Deletes blobs.
pub(crate) struct Deleter {
    walk: Walk,
    dialect: Box<dyn Dialect>,
    batch: usize,
    /// Where blobs are left for a follower, if they are followed until they are gone.
    handover: Option<Arc<Handover>>,
    flights: Slots<Flight>,
    journal: Option<Journal>,
    budget: Budget,
}

impl Deleter {
    pub(crate) fn new(
        walk: Walk,
        dialect: Box<dyn Dialect>,
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
            let handover = self.handover.as_ref();
            if !handover.is_some_and(|handover| handover.offer(place, started)) {
                note_gone(self.walk.batch(), &mut self.journal, place)?;
            }
        }
        match kept.len() {
            0 => Ok(()),
            some => Err(format!("{some} of {asked} not deleted ({status})")),
        }
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

impl Workload for Deleter {
    fn operations(&self) -> &[&'static str] {
        match self.handover {
            None => &FOLLOWED[..=DELETE],
            Some(_) => FOLLOWED,
        }
    }

    fn role(&self, op: usize) -> Role {
        gone::role(op)
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        exchange.bodyless_answer = false;
        match !self.budget.is_spent() && self.delete(now, exchange) {
            true => Next::Ready,
            false => Next::Exhausted,
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
        let judgement = match self.deleted(place, status) {
            Ok(()) => Judgement::Correct,
            Err(text) => self.budget.refused(text),
        };
        self.flights.give_back(place);
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        self.flights.give_back(exchange.tag as usize);
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
            // Nothing is lost without it: no PUT was out.
            let _ = journal.end();
        }
    }
}
