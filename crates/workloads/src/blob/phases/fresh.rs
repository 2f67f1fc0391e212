//! Deletes the blobs that the same worker has stored, the oldest first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::blob::phases::in_flight::InFlight;
use crate::blob::phases::positions::Budget;
use crate::blob::protocols::{BlobProtocol, Gone};
use crate::blob::stored::batch::{Collected, Entry};
use crate::blob::stored::journal::Journal;
use crate::s3::slots::Slots;
use crate::shared::held;

/// The blobs that a worker has stored in this slice and has not deleted, in the order of their
/// acknowledgements.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fresh(Arc<Mutex<VecDeque<OwnEntry>>>);

/// An [`Entry`] with its location.
#[derive(Debug, Clone)]
struct OwnEntry {
    number: u64,
    size: u64,
    location: Box<[u8]>,
}

impl OwnEntry {
    fn entry(&self) -> Entry<'_> {
        Entry {
            number: self.number,
            size: self.size,
            location: &self.location,
        }
    }
}

impl Fresh {
    pub(crate) fn push(&self, entry: Entry<'_>) {
        held(&self.0).push_back(OwnEntry {
            number: entry.number,
            size: entry.size,
            location: entry.location.into(),
        });
    }

    fn take(&self) -> Option<OwnEntry> {
        held(&self.0).pop_front()
    }
}

/// Deletes fresh blobs.
pub(crate) struct FreshDeleter {
    fresh: Fresh,
    dialect: Box<dyn BlobProtocol>,
    flights: Slots<InFlight>,
    /// The blob that each request in flight deletes.
    deleting: Vec<Option<OwnEntry>>,
    journal: Option<Journal>,
    budget: Budget,
    /// Numbers of the deleted blobs.
    deleted: Vec<u64>,
    /// Numbers of the blobs whose deletion was requested and not acknowledged.
    perhaps_deleted: Vec<u64>,
    /// Receives the numbers when the deleter is dropped.
    collected: Arc<Mutex<Collected>>,
}

impl FreshDeleter {
    pub(crate) fn new(
        fresh: Fresh,
        dialect: Box<dyn BlobProtocol>,
        journal: Option<Journal>,
        budget: Budget,
        collected: Arc<Mutex<Collected>>,
    ) -> Self {
        Self {
            fresh,
            dialect,
            flights: Slots::default(),
            deleting: Vec::new(),
            journal,
            budget,
            deleted: Vec::new(),
            perhaps_deleted: Vec::new(),
            collected,
        }
    }

    /// Evaluates the response to a deletion.
    fn outcome(&mut self, place: usize, status: u16) -> Result<(), String> {
        let Some(own) = self.deleting[place].take() else {
            return Ok(());
        };
        let caught = &self.flights[place].caught;
        let refused = match self.dialect.deleted(status, caught, &[own.entry()]) {
            Ok(Gone::All) => None,
            Ok(Gone::AllBut(_)) => Some(format!("not deleted ({status})")),
            Err(text) => Some(text),
        };
        if let Some(text) = refused {
            self.perhaps_deleted.push(own.number);
            return Err(text);
        }
        self.deleted.push(own.number);
        match &mut self.journal {
            None => Ok(()),
            Some(journal) => journal
                .gone(own.number)
                .map_err(|error| format!("the deletion could not be recorded: {error}")),
        }
    }
}

impl Workload for FreshDeleter {
    fn operations(&self) -> &[&'static str] {
        &["DELETE"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.budget.is_spent() {
            return Next::Exhausted;
        }
        let Some(own) = self.fresh.take() else {
            return Next::Wait;
        };
        let place = self.flights.take();
        if self.deleting.len() <= place {
            self.deleting.resize(place + 1, None);
        }
        exchange.tag = place as u64;
        exchange.op = 0;
        exchange.bodyless_response = false;
        exchange.content = Some(own.size);
        let flight = &mut self.flights[place];
        flight.begin(own.number, own.size);
        let entries = [own.entry()];
        self.dialect
            .delete(exchange, now.unix_seconds, &entries, &mut flight.body);
        self.deleting[place] = Some(own);
        Next::Ready
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
        let judgement = match self.outcome(place, status) {
            Ok(()) => Judgement::Correct,
            Err(text) => self.budget.refused(text),
        };
        self.flights.give_back(place);
        judgement
    }

    fn lost(&mut self, exchange: &mut Exchange, _class: ErrorClass) {
        let place = exchange.tag as usize;
        let own = self.deleting[place].take();
        self.perhaps_deleted.extend(own.map(|own| own.number));
        self.flights.give_back(place);
        self.budget.set.note_failure();
    }

    fn unprepared(&mut self, _class: ErrorClass) {
        self.budget.set.note_failure();
    }

    fn gives_up(&self) -> bool {
        self.budget.is_spent()
    }
}

impl Drop for FreshDeleter {
    fn drop(&mut self) {
        if let Some(journal) = &mut self.journal {
            // A failed write does no harm, because no PUT was in flight.
            let _ = journal.end();
        }
        // Without a response, the outcome of a deletion is unknown.
        let out = self.deleting.iter().flatten().map(|own| own.number);
        self.perhaps_deleted.extend(out);
        let mut collected = held(&self.collected);
        collected.deleted.append(&mut self.deleted);
        collected.perhaps_deleted.append(&mut self.perhaps_deleted);
    }
}
