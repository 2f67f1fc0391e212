//! Stores blobs, each in one request.

use std::sync::Arc;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Workload,
};

use crate::blob::phases::encoding::BodyEncoding;
use crate::blob::phases::in_flight::InFlight;
use crate::blob::protocols::BlobProtocol;
use crate::blob::stored::batch::Entry;
use crate::blob::stored::recorder::Recorder;
use crate::s3::content::Content;
use crate::s3::slots::Slots;

/// Numbers of the blobs of a worker: from `first`, in steps of `step`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) step: u64,
    /// End of the range, exclusive.
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

/// Stores blobs one after the other.
pub(crate) struct Putter {
    numbers: Numbers,
    content: Arc<Content>,
    dialect: Box<dyn BlobProtocol>,
    encoding: BodyEncoding,
    flights: Slots<InFlight>,
    recorder: Recorder,
}

impl Putter {
    pub(crate) fn new(
        numbers: Numbers,
        content: Arc<Content>,
        dialect: Box<dyn BlobProtocol>,
        encoding: BodyEncoding,
        recorder: Recorder,
    ) -> Self {
        Self {
            numbers: Numbers {
                end: numbers.end.min(dialect.numbers()),
                ..numbers
            },
            content,
            dialect,
            encoding,
            flights: Slots::default(),
            recorder,
        }
    }

    /// Evaluates a response, and records the blob if it was stored.
    fn outcome(&mut self, place: usize, status: u16) -> Result<(), (ErrorClass, String)> {
        let flight = &self.flights[place];
        let stored = self
            .dialect
            .stored(status, &flight.caught)
            .inspect_err(|_| self.recorder.miss(status))
            .map_err(|text| (ErrorClass::Status, text))?;
        self.recorder.keep(Entry {
            number: flight.number,
            size: flight.size,
            location: stored.location,
        })?;
        self.encoding.was_taken(flight, stored.sums)
    }
}

impl Workload for Putter {
    fn operations(&self) -> &[&'static str] {
        &["PUT"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        if self.recorder.budget.is_spent() {
            return Next::Exhausted;
        }
        let Some(number) = self.numbers.take() else {
            return Next::Exhausted;
        };
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = 0;
        exchange.bodyless_response = false;
        let flight = &mut self.flights[place];
        flight.begin(number, self.content.size(number));
        self.content.write(number, &mut flight.body);
        self.encoding.wrap(flight);
        self.dialect
            .put(exchange, now.unix_seconds, number, &flight.body);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.encoding.sent(&self.flights[exchange.tag as usize])
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.encoding
            .check_head(&mut self.flights[exchange.tag as usize], head);
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
            Err((class, text)) => self.recorder.budget.failed(class, text),
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        let (number, size) = (self.flights[place].number, self.flights[place].size);
        self.flights.give_back(place);
        self.recorder.budget.set.note_failure();
        match class {
            ErrorClass::Connect => {}
            _ if self.dialect.is_named_by_number() => self.recorder.doubt(Entry {
                number,
                size,
                location: b"",
            }),
            _ => self.recorder.budget.set.note_orphan(),
        }
    }
    fn unprepared(&mut self, _class: ErrorClass) {
        self.recorder.budget.set.note_failure();
    }

    fn gives_up(&self) -> bool {
        self.recorder.budget.is_spent()
    }
}
