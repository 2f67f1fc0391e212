//! The worker that reads the blobs of a sample.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::blob::phases::in_flight::{BROKE_OFF, InFlight};
use crate::blob::protocols::{BlobProtocol, Presence};
use crate::blob::read_back::sample::Checked;
use crate::read_back::{Found, Miss, ReadingTime};
use crate::s3::content::unique::Unique;
use crate::s3::slots::Slots;
use crate::shared::held;

/// A request in flight, and the index of its blob in the sample.
#[derive(Debug, Default)]
struct Flight {
    at: usize,
    is_deleted: bool,
    request: InFlight,
}

/// Sends a GET for every blob of the sample.
pub(crate) struct Reader {
    checked: Arc<Mutex<Vec<Checked>>>,
    dialect: Box<dyn BlobProtocol>,
    /// Generates the expected content.
    made: Unique,
    jobs: VecDeque<usize>,
    flights: Slots<Flight>,
    time: ReadingTime,
}

impl Reader {
    /// Reads the blobs with these indices in `checked`, after `wait` nanoseconds.
    pub(crate) fn new(
        checked: &Arc<Mutex<Vec<Checked>>>,
        dialect: Box<dyn BlobProtocol>,
        made: Unique,
        blobs: &[usize],
        wait: u64,
    ) -> Self {
        Self {
            checked: Arc::clone(checked),
            dialect,
            made,
            jobs: blobs.iter().copied().collect(),
            flights: Slots::default(),
            time: ReadingTime::after(wait),
        }
    }

    /// Records what a request found, and frees its place.
    fn found(&mut self, place: usize, found: Found) {
        if let Some(checked) = held(&self.checked).get_mut(self.flights[place].at) {
            checked.found = found;
        }
        self.flights.give_back(place);
    }

    /// What a complete response says of the blob.
    fn outcome(&self, flight: &Flight, status: u16, length: u64) -> Found {
        let request = &flight.request;
        let presence = self.dialect.presence(status, &request.caught);
        let responded = || format!("GET responded with {status}");
        if flight.is_deleted {
            return match presence {
                Presence::There => Found::Wrong(Miss::Kept, responded()),
                Presence::Gone => Found::Right,
                Presence::Unknown => Found::Unknown,
            };
        }
        match presence {
            Presence::There => {}
            Presence::Gone => return Found::Wrong(Miss::Missing, responded()),
            Presence::Unknown => return Found::Unknown,
        }
        if request.wrong {
            let text = "GET returned other content than was written".to_owned();
            return Found::Wrong(Miss::OtherContent, text);
        }
        if length != request.expected {
            let text = format!(
                "GET returned {length} bytes instead of {}",
                request.expected
            );
            return Found::Wrong(Miss::OtherSize, text);
        }
        Found::Right
    }
}

impl Workload for Reader {
    fn operations(&self) -> &[&'static str] {
        &["read back"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if let Some(instead) = self.time.instead(now) {
            return instead;
        }
        let Some(at) = self.jobs.pop_front() else {
            return Next::Exhausted;
        };
        let Some(blob) = held(&self.checked).get(at).cloned() else {
            return Next::Exhausted;
        };
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = 0;
        exchange.bodyless_response = false;
        exchange.content = Some(blob.part.length);
        let entry = blob.batch.entry(blob.at);
        let flight = &mut self.flights[place];
        flight.at = at;
        flight.is_deleted = blob.is_deleted;
        let request = &mut flight.request;
        request.begin(entry.number, entry.size);
        request.offset = blob.part.offset;
        request.expected = blob.part.length;
        self.dialect.get(
            exchange, now.unix_seconds, entry, blob.part, &mut request.body,
        );
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].request.body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let request = &mut self.flights[exchange.tag as usize].request;
        request.refused = !matches!(head.status, 200 | 206);
        request.begun = !request.refused;
        if head.status == 200 {
            // The server sends the complete blob.
            request.offset = 0;
            request.expected = request.size;
        }
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        let made = self.made;
        let request = &mut self.flights[exchange.tag as usize].request;
        if request.refused {
            return request.catch(part);
        }
        // The total length shows bytes beyond the expected length.
        let room = request.expected.saturating_sub(offset);
        let part = &part[..part.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        let from = request.offset + offset;
        request.wrong |= !made.matches(request.number, from, part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let found = self.outcome(&self.flights[place], status, length);
        self.found(place, found);
        Judgement::Correct
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        let flight = &self.flights[place];
        let is_missing = self.dialect.breaks_off_when_gone() && flight.request.broke_off(class);
        let found = match (is_missing, flight.is_deleted) {
            (true, true) => Found::Right,
            (true, false) => Found::Wrong(Miss::Missing, BROKE_OFF.to_owned()),
            (false, _) => Found::Unknown,
        };
        self.found(place, found);
    }
}
