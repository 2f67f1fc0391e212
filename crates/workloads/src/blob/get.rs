//! Blobs are read, and compared with what was put.

use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::ByteRange;

use super::dialect::{Dialect, Part};
use super::flight::{BROKE_OFF, Flight};
use super::round::Round;
use super::work::Budget;
use crate::range::is_range;
use crate::rng::Rng;
use crate::s3::content::unique::Unique;
use crate::s3::slots::Slots;

/// Bytes at the beginning of an answer that tell whose they are.
const TELLING: usize = 24;

/// Reads one blob after the other.
pub(crate) struct Getter {
    round: Round,
    dialect: Box<dyn Dialect>,
    /// What makes the content, if it is compared.
    made: Option<Unique>,
    range: Option<ByteRange>,
    rng: Rng,
    flights: Slots<Flight>,
    budget: Budget,
    /// Blobs with lower numbers were stored before, and some are deleted.
    oldest: u64,
}

impl Getter {
    pub(crate) fn new(
        round: Round,
        dialect: Box<dyn Dialect>,
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
                // Of a blob that ends before it, the last byte: nothing cannot be asked for.
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

    /// Why bytes are wrong: whose they are, if they are those of another blob.
    fn fault(&self, flight: &Flight) -> (ErrorClass, String) {
        let whose = self
            .made
            .and_then(|made| made.number_of(flight.offset, &flight.caught));
        match whose {
            Some(number) if number == flight.number => {
                let text = "its content is not what was put";
                (ErrorClass::Wrong, text.to_owned())
            }
            Some(number) if number < self.oldest => {
                let text = "its content is that of a blob stored before";
                (ErrorClass::Stale, text.to_owned())
            }
            Some(number) if number < self.budget.set.next() => {
                let text = "its content is that of another blob";
                (ErrorClass::Wrong, text.to_owned())
            }
            _ => {
                let text = "its content is not what was put";
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
            let text = "its head (Content-Range) tells of other bytes than were asked for";
            return Err((ErrorClass::Wrong, text.to_owned()));
        }
        if flight.wrong {
            return Err(self.fault(flight));
        }
        if length < flight.expected {
            return Err((ErrorClass::Short, "bytes are missing at its end".to_owned()));
        }
        if length > flight.expected {
            let text = "there are more bytes than were put";
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
        exchange.bodyless_answer = false;
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

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        let flight = &mut self.flights[exchange.tag as usize];
        let whole = flight.expected == flight.size;
        flight.refused = head.status != if whole { 200 } else { 206 };
        flight.begun = !flight.refused;
        // Looked at even where content is not.
        if !whole && !flight.refused && self.dialect.tells_parts() {
            let told = is_range(head, flight.offset, flight.expected, flight.size);
            flight.other_part = !told;
        }
        match flight.refused || self.made.is_some() {
            true => BodyUse::Inspect,
            false => BodyUse::Discard,
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
        // What comes behind the end is counted by its length.
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

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<(ErrorClass, &'static str)> {
        let flight = &self.flights[exchange.tag as usize];
        let counted = (ErrorClass::Short, BROKE_OFF);
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
