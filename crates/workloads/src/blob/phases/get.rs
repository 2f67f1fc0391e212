//! Reads blobs, and compares them with what was stored.

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Loss, Moment, Next, ResponseHead, Workload,
};
use tenbin_plan::ByteRange;

use crate::blob::phases::in_flight::{BROKE_OFF, InFlight};
use crate::blob::phases::positions::Budget;
use crate::blob::phases::read_order::ReadOrder;
use crate::blob::protocols::{BlobProtocol, Part};
use crate::range::is_range;
use crate::rng::Rng;
use crate::s3::content::unique::Unique;
use crate::s3::slots::Slots;

/// Number of first bytes of a response that identify the blob.
const TELLING: usize = 24;

/// Reads blobs one after the other.
pub(crate) struct Getter {
    round: ReadOrder,
    dialect: Box<dyn BlobProtocol>,
    /// Generates the expected content; `None` if content is not compared.
    made: Option<Unique>,
    range: Option<ByteRange>,
    rng: Rng,
    flights: Slots<InFlight>,
    budget: Budget,
    /// Lowest number in the batch. Blobs with lower numbers were stored earlier and may be deleted.
    oldest: u64,
}

impl Getter {
    pub(crate) fn new(
        round: ReadOrder,
        dialect: Box<dyn BlobProtocol>,
        made: Option<Unique>,
        range: Option<ByteRange>,
        rng: Rng,
        budget: Budget,
    ) -> Self {
        let oldest = round.batch().first_number().unwrap_or(0);
        Self {
            round,
            dialect,
            made,
            range,
            rng,
            flights: Slots::default(),
            budget,
            oldest,
        }
    }

    fn part_of(&mut self, size: u64) -> Part {
        match self.range {
            None => Part {
                offset: 0,
                length: size,
            },
            Some(ByteRange::Fixed { first, last }) => {
                // Of a blob that ends before `first`, the last byte: a range cannot be empty.
                let offset = first.min(size.saturating_sub(1));
                let length = (last - first).saturating_add(1).min(size - offset);
                Part { offset, length }
            }
            Some(ByteRange::Random { length }) => {
                let length = length.min(size);
                let offset = self.rng.below((size - length).saturating_add(1));
                Part { offset, length }
            }
        }
    }

    /// Why the content is wrong: it belongs to another blob, or differs from the stored content.
    fn fault(&self, flight: &InFlight) -> (ErrorClass, String) {
        let whose = self
            .made
            .and_then(|made| made.number_of(flight.offset, &flight.caught));
        match whose {
            Some(number) if number == flight.number => {
                let text = "the content differs from what was stored";
                (ErrorClass::Wrong, text.to_owned())
            }
            Some(number) if number < self.oldest => {
                let text = "the content is that of a blob stored earlier";
                (ErrorClass::Stale, text.to_owned())
            }
            Some(number) if number < self.budget.set.next() => {
                let text = "the content is that of another blob";
                (ErrorClass::Wrong, text.to_owned())
            }
            _ => {
                let text = "the content differs from what was stored";
                (ErrorClass::Wrong, text.to_owned())
            }
        }
    }

    fn outcome(&self, place: usize, status: u16, length: u64) -> Result<(), (ErrorClass, String)> {
        let flight = &self.flights[place];
        if flight.refused {
            let text = self.dialect.refused(status, &flight.caught);
            return Err((ErrorClass::Status, text));
        }
        if flight.other_part && length == flight.expected {
            let text = "Content-Range states another range than requested";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if flight.wrong {
            return Err(self.fault(flight));
        }
        if length < flight.expected {
            return Err((ErrorClass::Short, "bytes are missing at the end".to_owned()));
        }
        if length > flight.expected {
            let text = "the response has more bytes than were stored";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        Ok(())
    }
}

impl Workload for Getter {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.budget.is_spent() {
            return Next::Exhausted;
        }
        let Some(at) = self.round.next() else {
            return Next::Exhausted;
        };
        let size = self.round.batch().entry(at).size;
        let part = self.part_of(size);
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = 0;
        exchange.bodyless_response = false;
        exchange.content = Some(part.length);
        let entry = self.round.batch().entry(at);
        let flight = &mut self.flights[place];
        flight.begin(entry.number, size);
        flight.offset = part.offset;
        flight.expected = part.length;
        self.dialect
            .get(exchange, now.unix_seconds, entry, part, &mut flight.body);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let flight = &mut self.flights[exchange.tag as usize];
        let whole = flight.expected == flight.size;
        flight.refused = head.status != if whole { 200 } else { 206 };
        flight.begun = !flight.refused;
        // The range is checked even if the content is not.
        if !whole && !flight.refused && self.dialect.states_range() {
            let is_right = is_range(head, flight.offset, flight.expected, flight.size);
            flight.other_part = !is_right;
        }
        if flight.refused || self.made.is_some() {
            BodyUse::Inspect
        } else {
            BodyUse::Discard
        }
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let flight = &mut self.flights[exchange.tag as usize];
        if flight.refused {
            return flight.catch(part);
        }
        let Some(made) = self.made else { return };
        if flight.caught.len() < TELLING {
            let room = TELLING - flight.caught.len();
            flight
                .caught
                .extend_from_slice(&part[..part.len().min(room)]);
        }
        // Bytes beyond the expected length are detected by the total length.
        let room = flight.expected.saturating_sub(offset);
        let part = &part[..part.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        let from = flight.offset + offset;
        flight.wrong |= !made.matches(flight.number, from, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let outcome = self.outcome(place, status, length);
        self.flights.give_back(place);
        match outcome {
            Ok(()) => Judgement::Correct,
            Err((class, text)) => self.budget.failed(class, text),
        }
    }

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<Loss> {
        let flight = &self.flights[exchange.tag as usize];
        let counted = Loss::Failed(ErrorClass::Short, BROKE_OFF);
        flight.broke_off(class).then_some(counted)
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
}
