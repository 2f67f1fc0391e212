//! Blobs are stored, each in one request.

use std::sync::Arc;

use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};

use super::batch::Entry;
use super::dialect::Dialect;
use super::flight::Flight;
use super::keeper::Keeper;
use super::parcel::Parcel;
use crate::s3::content::Content;
use crate::s3::slots::Slots;

/// Numbers that a worker gives to its blobs: from `first`, each `step` behind the last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) step: u64,
    /// The first that is none any more.
    pub(crate) end: u64,
}

impl Numbers {
    pub(crate) fn take(&mut self) -> Option<u64> {
        let number = self.first;
        (number < self.end).then(|| {
            self.first += self.step;
            number
        })
    }
}

/// Stores one blob after the other.
pub(crate) struct Putter {
    numbers: Numbers,
    content: Arc<Content>,
    dialect: Box<dyn Dialect>,
    parcel: Parcel,
    flights: Slots<Flight>,
    keeper: Keeper,
}

impl Putter {
    pub(crate) fn new(
        numbers: Numbers,
        content: Arc<Content>,
        dialect: Box<dyn Dialect>,
        parcel: Parcel,
        keeper: Keeper,
    ) -> Self {
        Self {
            numbers: Numbers {
                end: numbers.end.min(dialect.numbers()),
                ..numbers
            },
            content,
            dialect,
            parcel,
            flights: Slots::default(),
            keeper,
        }
    }

    /// What an answer of that status means; a blob that was stored is written down.
    fn outcome(&mut self, place: usize, status: u16) -> Result<(), (ErrorClass, String)> {
        let flight = &self.flights[place];
        let stored = self
            .dialect
            .stored(status, &flight.caught)
            .inspect_err(|_| self.keeper.miss(status))
            .map_err(|text| (ErrorClass::Status, text))?;
        self.keeper.keep(Entry {
            number: flight.number,
            size: flight.size,
            location: stored.location,
        })?;
        self.parcel.was_taken(flight, stored.sums)
    }
}

impl Workload for Putter {
    fn operations(&self) -> &[&'static str] {
        &["PUT"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.keeper.budget.is_spent() {
            return Next::Exhausted;
        }
        let Some(number) = self.numbers.take() else {
            return Next::Exhausted;
        };
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = 0;
        exchange.bodyless_answer = false;
        let flight = &mut self.flights[place];
        flight.begin(number, self.content.size(number));
        self.content.write(number, &mut flight.body);
        self.parcel.wrap(flight);
        self.dialect
            .put(exchange, now.unix_seconds, number, &flight.body);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.parcel.sent(&self.flights[exchange.tag as usize])
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        self.parcel
            .look(&mut self.flights[exchange.tag as usize], head);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let outcome = self.outcome(place, status);
        self.flights.give_back(place);
        match outcome {
            Ok(()) => Judgement::Correct,
            Err((class, text)) => self.keeper.budget.failed(class, text),
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        let (number, size) = (self.flights[place].number, self.flights[place].size);
        self.flights.give_back(place);
        self.keeper.budget.set.note_failure();
        match class {
            ErrorClass::Connect => {}
            _ if self.dialect.names_by_number() => self.keeper.doubt(Entry {
                number,
                size,
                location: b"",
            }),
            _ => self.keeper.budget.set.note_orphan(),
        }
    }
    fn unprepared(&mut self, _class: ErrorClass) {
        self.keeper.budget.set.note_failure();
    }

    fn gives_up(&self) -> bool {
        self.keeper.budget.is_spent()
    }
}
