//! Stores blobs that are too large for one request in pieces: allocate space, write each piece,
//! sign the location. Smaller blobs are stored in one request.
//!
//! If storing a blob fails after the allocation, the allocated space is released. The access
//! layer's own client does the same.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Role, Transaction,
    Workload,
};

use crate::blob::phases::encoding::BodyEncoding;
use crate::blob::phases::in_flight::InFlight;
use crate::blob::phases::put::Numbers;
use crate::blob::protocols::access::Access;
use crate::blob::protocols::access_response;
use crate::blob::protocols::allocation::Allocation;
use crate::blob::protocols::{BlobProtocol, Gone};
use crate::blob::stored::batch::Entry;
use crate::blob::stored::recorder::Recorder;
use crate::s3::content::Content;
use crate::s3::slots::Slots;

const OPERATIONS: &[&str] = &["PUT", "/put", "/alloc", "/putat", "/sign", "/delete"];

/// Index of the transaction in [`OPERATIONS`]; all other operations are sub-requests.
const WHOLE: usize = 0;

/// The request that is in flight or comes next for a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    #[default]
    Put = 1,
    Allocate,
    Fill,
    Sign,
    GiveBack,
}

/// A blob that is being stored.
#[derive(Debug, Default)]
struct Building {
    flight: InFlight,
    /// Whether requests for the blob are in flight or still to be sent.
    live: bool,
    step: Step,
    room: Allocation,
    /// Index of the next piece, from 0.
    piece: u64,
}

impl Building {
    /// Whether space was allocated and its location is known.
    fn has_room(&self) -> bool {
        !self.room.location.is_empty()
    }
}

type Failure = (ErrorClass, String);

/// Stores blobs, one at a time on each connection, in pieces or in one request.
pub(crate) struct PieceWriter {
    numbers: Numbers,
    content: Arc<Content>,
    access: Access,
    encoding: BodyEncoding,
    /// Size above which blobs are stored in pieces, bytes.
    alloc_above: u64,
    buildings: Slots<Building>,
    /// Blobs whose next request can be sent.
    ready: VecDeque<usize>,
    ended: Option<Transaction>,
    recorder: Recorder,
}

impl PieceWriter {
    pub(crate) fn new(
        numbers: Numbers,
        content: Arc<Content>,
        access: Access,
        encoding: BodyEncoding,
        alloc_above: u64,
        recorder: Recorder,
    ) -> Self {
        Self {
            numbers,
            content,
            access,
            encoding,
            alloc_above,
            buildings: Slots::default(),
            ready: VecDeque::new(),
            ended: None,
            recorder,
        }
    }

    fn begin(&mut self, now: Moment) -> Option<usize> {
        if self.recorder.budget.is_spent() {
            return None;
        }
        let number = self.numbers.take()?;
        let size = self.content.size(number);
        let place = self.buildings.take();
        let building = &mut self.buildings[place];
        building.flight.begin(number, size);
        building.flight.started = now.nanos;
        building.live = true;
        building.room = Allocation::default();
        building.piece = 0;
        building.step = if size > self.alloc_above {
            Step::Allocate
        } else {
            Step::Put
        };
        Some(place)
    }

    /// Writes the next request of a blob.
    fn write(&mut self, place: usize, now: Moment, exchange: &mut Exchange) {
        let building = &mut self.buildings[place];
        let flight = &mut building.flight;
        flight.begin_again();
        let second = now.unix_seconds;
        match building.step {
            Step::Put => {
                self.content.write(flight.number, &mut flight.body);
                self.encoding.wrap(flight);
                self.access
                    .put(exchange, second, flight.number, &flight.body);
            }
            Step::Allocate => {
                self.access
                    .allocate(exchange, second, flight.size, &mut flight.body);
            }
            Step::Fill => {
                // Always `Some`: after the last piece, the step is `Sign`.
                if let Some(piece) = building.room.piece(building.piece) {
                    let length = piece.length as usize;
                    self.content
                        .write_part(flight.number, piece.offset, length, &mut flight.body);
                    self.encoding.wrap(flight);
                    self.access.put_at(exchange, second, &piece);
                }
            }
            Step::Sign => {
                let location = &building.room.location;
                self.access
                    .sign(exchange, second, location, &mut flight.body);
            }
            Step::GiveBack => {
                let room = entry(flight, &building.room.location);
                self.access
                    .delete(exchange, second, &[room], &mut flight.body);
            }
        }
    }

    /// Evaluates the response to the request in flight, and selects the next request.
    fn advance(&mut self, place: usize, status: u16) -> Result<(), Failure> {
        let building = &mut self.buildings[place];
        let flight = &building.flight;
        let refused = |text| (ErrorClass::Status, text);
        match building.step {
            Step::Put => {
                let stored = self
                    .access
                    .stored(status, &flight.caught)
                    .inspect_err(|_| self.recorder.miss(status))
                    .map_err(refused)?;
                self.recorder.keep(entry(flight, stored.location))?;
                self.encoding.was_taken(flight, stored.sums)?;
                self.done(place);
            }
            Step::Allocate => {
                if status != 200 {
                    return Err(refused(self.access.refused(status, &flight.caught)));
                }
                match access_response::stored(&flight.caught) {
                    // Space with a known location can be released even if the response is otherwise
                    // wrong.
                    Some((location, _)) => building.room.location.extend_from_slice(location),
                    // Locations on disk contain only complete blobs, so these pieces cannot be found.
                    None => self.recorder.budget.set.note_orphan(),
                }
                building.room = Allocation::read(&flight.caught, flight.size)
                    .map_err(|text| (ErrorClass::Wrong, text.to_owned()))?;
                building.step = Step::Fill;
                self.recorder.expect(entry(flight, &building.room.location));
                self.ready.push_back(place);
            }
            Step::Fill => {
                if status != 200 {
                    return Err(refused(self.access.refused(status, &flight.caught)));
                }
                let sums = access_response::sums(&flight.caught);
                self.encoding.was_taken(flight, sums)?;
                building.piece += 1;
                if building.room.piece(building.piece).is_none() {
                    building.step = Step::Sign;
                }
                self.ready.push_back(place);
            }
            Step::Sign => {
                let signed = self
                    .access
                    .stored(status, &flight.caught)
                    .map_err(refused)?;
                self.recorder.keep(entry(flight, signed.location))?;
                self.done(place);
            }
            Step::GiveBack => {
                let room = entry(flight, &building.room.location);
                match self.access.deleted(status, &flight.caught, &[room]) {
                    Ok(Gone::All) => {
                        self.recorder.forget(flight.number);
                        self.free(place);
                    }
                    Ok(Gone::AllBut(_)) => {
                        return Err(refused("its pieces were not deleted (226)".to_owned()));
                    }
                    Err(text) => return Err(refused(text)),
                }
            }
        }
        Ok(())
    }

    /// Handles a failed request: the blob counts as one failure. Its space is released, or recorded
    /// for deletion at the end.
    fn spoil(&mut self, place: usize, class: ErrorClass, text: &str) {
        let step = self.buildings[place].step;
        if step == Step::GiveBack {
            self.leave(place);
            return self.free(place);
        }
        let outcome = self.recorder.budget.failed(class, text.to_owned());
        self.end(place, outcome);
        match step {
            _ if self.buildings[place].has_room() => {
                self.buildings[place].step = Step::GiveBack;
                self.ready.push_back(place);
            }
            _ => self.free(place),
        }
    }

    fn done(&mut self, place: usize) {
        self.end(place, Judgement::Correct);
        self.free(place);
    }

    /// Ends the transaction.
    fn end(&mut self, place: usize, outcome: Judgement) {
        let building = &self.buildings[place];
        self.ended = Some(Transaction {
            op: WHOLE,
            started: building.flight.started,
            payload: building.flight.size,
            ended: None,
            outcome,
        });
    }

    fn free(&mut self, place: usize) {
        self.buildings[place].live = false;
        self.buildings.give_back(place);
    }

    /// Records allocated space whose pieces may be stored but belong to no complete blob.
    fn leave(&mut self, place: usize) {
        let building = &self.buildings[place];
        if self.recorder.budget.set.stays() {
            self.recorder.budget.set.note_orphan()
        } else {
            self.recorder
                .doubt(entry(&building.flight, &building.room.location))
        }
    }
}

fn entry<'a>(flight: &InFlight, location: &'a [u8]) -> Entry<'a> {
    Entry {
        number: flight.number,
        size: flight.size,
        location,
    }
}

impl Workload for PieceWriter {
    fn operations(&self) -> &[&'static str] {
        OPERATIONS
    }

    fn role(&self, op: usize) -> Role {
        match op {
            WHOLE => Role::Transaction,
            _ => Role::Step,
        }
    }

    fn transaction(&mut self) -> Option<Transaction> {
        self.ended.take()
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let next = self.ready.pop_front().or_else(|| self.begin(now));
        let Some(place) = next else {
            return if self.buildings.are_out() {
                Next::Wait
            } else {
                Next::Exhausted
            };
        };
        exchange.tag = place as u64;
        exchange.op = self.buildings[place].step as usize;
        exchange.bodyless_response = false;
        self.write(place, now, exchange);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.encoding
            .sent(&self.buildings[exchange.tag as usize].flight)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.encoding
            .check_head(&mut self.buildings[exchange.tag as usize].flight, head);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.buildings[exchange.tag as usize].flight.catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let place = exchange.tag as usize;
        match self.advance(place, status) {
            Ok(()) => Judgement::Correct,
            Err((class, text)) => {
                self.spoil(place, class, &text);
                Judgement::Failed(class, text)
            }
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        // Only responses in these steps contain the location, so the location is unknown.
        let unnamed = matches!(self.buildings[place].step, Step::Put | Step::Allocate);
        if unnamed && class != ErrorClass::Connect {
            self.recorder.budget.set.note_orphan();
        }
        self.spoil(place, class, "");
    }

    fn unprepared(&mut self, _class: ErrorClass) {
        self.recorder.budget.set.note_failure();
    }

    fn gives_up(&self) -> bool {
        self.recorder.budget.is_spent()
    }
}

impl Drop for PieceWriter {
    fn drop(&mut self) {
        for place in 0..self.buildings.len() {
            let building = &self.buildings[place];
            if building.live && building.has_room() {
                self.leave(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tenbin_plan::{BlobWork, Phase};
    use url::Url;

    use super::*;
    use crate::blob::phases::positions::Budget;
    use crate::blob::stored::batch::Collected;
    use crate::blob::stored::set::{BlobSets, Keeping, Set};
    use crate::s3::content::Recipe;
    use crate::site::Site;

    /// A writer of one blob of six bytes in pieces of four bytes.
    struct Bench {
        set: Arc<Set>,
        collected: Arc<Mutex<Collected>>,
        piecer: Option<PieceWriter>,
        exchange: Exchange,
    }

    const ROOM: &str = r#"{"cluster_id":1,"size":6,"blob_size":4,"crc":9,"blobs":[{"min_bid":5,"vid":2,"count":2}]}"#;

    impl Bench {
        fn new() -> Self {
            let keeping = Keeping::InMemory;
            let (set, _) = BlobSets::default().set(&keeping, "t", "s", 1).unwrap();
            let collected = Arc::<Mutex<Collected>>::default();
            let work = BlobWork::new(Phase::Put, 6);
            let url = Url::parse("http://127.0.0.1:9500/").unwrap();
            let budget = Budget {
                set: Arc::clone(&set),
                most: None,
            };
            let numbers = Numbers {
                first: 0,
                step: 1,
                end: 1,
            };
            let piecer = PieceWriter::new(
                numbers,
                Arc::new(Content::new(1, &Recipe::plain(6))),
                Access::new(&Site::new(url, None, ""), &work, true),
                BodyEncoding::new(&work),
                1,
                Recorder::new(None, budget, Arc::clone(&collected)),
            );
            Self {
                set,
                collected,
                piecer: Some(piecer),
                exchange: Exchange::default(),
            }
        }

        fn piecer(&mut self) -> (&mut PieceWriter, &mut Exchange) {
            (self.piecer.as_mut().unwrap(), &mut self.exchange)
        }

        /// The next request and its body, if there is one.
        fn next_request(&mut self) -> Option<(String, String)> {
            let now = Moment {
                nanos: 1,
                unix_seconds: 1,
            };
            let (piecer, exchange) = self.piecer();
            if piecer.next(now, exchange) != Next::Ready {
                return None;
            }
            let head = String::from_utf8(exchange.head.clone()).unwrap();
            let body = String::from_utf8_lossy(piecer.payload(exchange)).into_owned();
            let call = head.split([' ', '?']).nth(1).unwrap().to_owned();
            Some((call, body))
        }

        fn respond(&mut self, status: u16, body: &str) -> Option<Transaction> {
            let (piecer, exchange) = self.piecer();
            piecer.body(exchange, 0, body.as_bytes());
            piecer.judge(exchange, status, body.len() as u64);
            piecer.transaction()
        }

        fn lose(&mut self, class: ErrorClass) {
            let (piecer, exchange) = self.piecer();
            piecer.lost(exchange, class);
        }

        /// Number of blobs that cannot be found, and number of allocations to delete at the end.
        fn left(mut self) -> (u64, usize) {
            drop(self.piecer.take());
            let collected = self.collected.lock().unwrap();
            let rooms = collected.doubtful.iter().map(|page| page.len());
            (self.set.orphans(), rooms.sum())
        }
    }

    fn call(next_request: Option<(String, String)>) -> String {
        next_request.map_or(String::new(), |(call, _)| call)
    }

    #[test]
    fn room_that_cannot_be_used_is_given_back() {
        let mut bench = Bench::new();
        assert_eq!(call(bench.next_request()), "/alloc");
        let whole = bench.respond(200, &format!(r#"{{"location":{ROOM},"tokens":[]}}"#));
        assert!(matches!(whole.unwrap().outcome, Judgement::Failed(..)));
        let (back, body) = bench.next_request().unwrap();
        assert_eq!(back, "/delete");
        assert_eq!(body, format!(r#"{{"locations":[{ROOM}]}}"#));
        assert_eq!(bench.respond(200, "{}"), None);
        assert_eq!(bench.next_request(), None);
        assert_eq!(bench.left(), (0, 0));
    }

    #[test]
    fn room_that_is_not_taken_back_is_deleted_in_the_end() {
        let mut bench = Bench::new();
        bench.next_request();
        bench.respond(200, &format!(r#"{{"location":{ROOM},"tokens":["a"]}}"#));
        for _ in 0..2 {
            assert_eq!(call(bench.next_request()), "/putat");
            bench.respond(200, "{}");
        }
        assert_eq!(call(bench.next_request()), "/sign");
        bench.respond(400, "");
        assert_eq!(call(bench.next_request()), "/delete");
        bench.respond(500, "");
        assert_eq!(bench.left(), (0, 1));
    }

    #[test]
    fn blobs_without_a_known_location_are_counted() {
        let mut nameless = Bench::new();
        nameless.next_request();
        nameless.respond(200, "{}");
        assert_eq!(nameless.next_request(), None);
        assert_eq!(nameless.left(), (1, 0));
        for (class, orphans) in [(ErrorClass::Reset, 1), (ErrorClass::Connect, 0)] {
            let mut lost = Bench::new();
            lost.next_request();
            lost.lose(class);
            assert_eq!(lost.next_request(), None);
            assert_eq!(lost.left(), (orphans, 0), "{class:?}");
        }
        let mut refused = Bench::new();
        refused.next_request();
        refused.respond(429, "");
        assert_eq!(refused.left(), (0, 0));
    }
}
