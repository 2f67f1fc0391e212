//! Blobs too large for one request are stored piece by piece: room is allotted, each
//! piece put where it belongs, and the whole signed. The smaller ones go in one request.
//!
//! Of a blob that fails half way, its room is given back, as the access layer's own
//! client does.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Role, Whole, Workload,
};

use super::access::Access;
use super::allocation::Allocation;
use super::answer;
use super::batch::Entry;
use super::dialect::{Dialect, Gone};
use super::flight::Flight;
use super::keeper::Keeper;
use super::parcel::Parcel;
use super::put::Numbers;
use crate::s3::content::Content;
use crate::s3::slots::Slots;

const OPERATIONS: &[&str] = &["PUT", "/put", "/alloc", "/putat", "/sign", "/delete"];

/// Place of the whole in [`OPERATIONS`]; the others are steps.
const WHOLE: usize = 0;

/// The request that a blob has out, or is to have next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Step {
    #[default]
    Put = 1,
    Allocate,
    Fill,
    Sign,
    GiveBack,
}

/// A blob on its way.
#[derive(Debug, Default)]
struct Building {
    flight: Flight,
    /// It is neither stored nor given up.
    live: bool,
    step: Step,
    room: Allocation,
    /// The piece that comes next, from 0.
    piece: u64,
}

impl Building {
    /// Something was allotted for it, and can be named.
    fn has_room(&self) -> bool {
        !self.room.location.is_empty()
    }
}

type Failure = (ErrorClass, String);

/// Stores one blob after the other, on each connection one.
pub(crate) struct Piecer {
    numbers: Numbers,
    content: Arc<Content>,
    access: Access,
    parcel: Parcel,
    /// Larger blobs than this go piece by piece, bytes.
    alloc_above: u64,
    buildings: Slots<Building>,
    /// Those whose next request can be sent.
    ready: VecDeque<usize>,
    ended: Option<Whole>,
    keeper: Keeper,
}

impl Piecer {
    pub(crate) fn new(
        numbers: Numbers,
        content: Arc<Content>,
        access: Access,
        parcel: Parcel,
        alloc_above: u64,
        keeper: Keeper,
    ) -> Self {
        Self {
            numbers,
            content,
            access,
            parcel,
            alloc_above,
            buildings: Slots::default(),
            ready: VecDeque::new(),
            ended: None,
            keeper,
        }
    }

    fn begin(&mut self, now: Moment) -> Option<usize> {
        if self.keeper.budget.is_spent() {
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
        building.step = match size > self.alloc_above {
            true => Step::Allocate,
            false => Step::Put,
        };
        Some(place)
    }

    /// Writes the request of a blob's next step.
    fn write(&mut self, place: usize, now: Moment, exchange: &mut Exchange) {
        let building = &mut self.buildings[place];
        let flight = &mut building.flight;
        flight.begin_again();
        let second = now.unix_seconds;
        match building.step {
            Step::Put => {
                self.content.write(flight.number, &mut flight.body);
                self.parcel.wrap(flight);
                self.access
                    .put(exchange, second, flight.number, &flight.body);
            }
            Step::Allocate => {
                self.access
                    .allocate(exchange, second, flight.size, &mut flight.body);
            }
            Step::Fill => {
                // The last piece is not asked for once it is stored.
                if let Some(piece) = building.room.piece(building.piece) {
                    let length = piece.length as usize;
                    self.content
                        .write_part(flight.number, piece.offset, length, &mut flight.body);
                    self.parcel.wrap(flight);
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

    /// What an answer to the step that is out means, and what comes next.
    fn advance(&mut self, place: usize, status: u16) -> Result<(), Failure> {
        let building = &mut self.buildings[place];
        let flight = &building.flight;
        let refused = |text| (ErrorClass::Status, text);
        match building.step {
            Step::Put => {
                let stored = self
                    .access
                    .stored(status, &flight.caught)
                    .inspect_err(|_| self.keeper.miss(status))
                    .map_err(refused)?;
                self.keeper.keep(entry(flight, stored.location))?;
                self.parcel.was_taken(flight, stored.sums)?;
                self.done(place);
            }
            Step::Allocate => {
                if status != 200 {
                    return Err(refused(self.access.refused(status, &flight.caught)));
                }
                match answer::stored(&flight.caught) {
                    // Whatever else is wrong with the answer, this can be given back.
                    Some((location, _)) => building.room.location.extend_from_slice(location),
                    None => self.keeper.budget.set.note_orphan(),
                }
                building.room = Allocation::read(&flight.caught, flight.size)
                    .map_err(|text| (ErrorClass::Wrong, text.to_owned()))?;
                building.step = Step::Fill;
                self.keeper.expect(entry(flight, &building.room.location));
                self.ready.push_back(place);
            }
            Step::Fill => {
                if status != 200 {
                    return Err(refused(self.access.refused(status, &flight.caught)));
                }
                let sums = answer::sums(&flight.caught);
                self.parcel.was_taken(flight, sums)?;
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
                self.keeper.keep(entry(flight, signed.location))?;
                self.done(place);
            }
            Step::GiveBack => {
                let room = entry(flight, &building.room.location);
                match self.access.deleted(status, &flight.caught, &[room]) {
                    Ok(Gone::All) => {
                        self.keeper.forget(flight.number);
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

    /// A step has failed, and with it the blob, which is counted once. What may be there
    /// of it is given back, or else is to be found in the end.
    fn spoil(&mut self, place: usize, class: ErrorClass, text: &str) {
        let step = self.buildings[place].step;
        if step == Step::GiveBack {
            self.leave(place);
            return self.free(place);
        }
        let outcome = self.keeper.budget.failed(class, text.to_owned());
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

    /// The whole has come to its end.
    fn end(&mut self, place: usize, outcome: Judgement) {
        let building = &self.buildings[place];
        self.ended = Some(Whole {
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

    /// Pieces may be there that nobody will ask for.
    fn leave(&mut self, place: usize) {
        let building = &self.buildings[place];
        match self.keeper.budget.set.stays() {
            // Nobody keeps where they are.
            true => self.keeper.budget.set.note_orphan(),
            false => self
                .keeper
                .doubt(entry(&building.flight, &building.room.location)),
        }
    }
}

fn entry<'a>(flight: &Flight, location: &'a [u8]) -> Entry<'a> {
    Entry {
        number: flight.number,
        size: flight.size,
        location,
    }
}

impl Workload for Piecer {
    fn operations(&self) -> &[&'static str] {
        OPERATIONS
    }

    fn role(&self, op: usize) -> Role {
        match op {
            WHOLE => Role::Whole,
            _ => Role::Step,
        }
    }

    fn whole(&mut self) -> Option<Whole> {
        self.ended.take()
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let next = self.ready.pop_front().or_else(|| self.begin(now));
        let Some(place) = next else {
            return match self.buildings.are_out() {
                true => Next::Wait,
                false => Next::Exhausted,
            };
        };
        exchange.tag = place as u64;
        exchange.op = self.buildings[place].step as usize;
        exchange.bodyless_answer = false;
        self.write(place, now, exchange);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.parcel
            .sent(&self.buildings[exchange.tag as usize].flight)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &AnswerHead<'_>) -> BodyUse {
        self.parcel
            .look(&mut self.buildings[exchange.tag as usize].flight, head);
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
        // What was stored or allotted, nobody can name.
        let unnamed = matches!(self.buildings[place].step, Step::Put | Step::Allocate);
        if unnamed && class != ErrorClass::Connect {
            self.keeper.budget.set.note_orphan();
        }
        self.spoil(place, class, "");
    }

    fn unprepared(&mut self, _class: ErrorClass) {
        self.keeper.budget.set.note_failure();
    }

    fn gives_up(&self) -> bool {
        self.keeper.budget.is_spent()
    }
}

impl Drop for Piecer {
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
    use crate::blob::batch::Collected;
    use crate::blob::set::{Keeping, Set, Shelf};
    use crate::blob::work::Budget;
    use crate::s3::content::Recipe;
    use crate::site::Site;

    /// One blob of six bytes in pieces of four.
    struct Bench {
        set: Arc<Set>,
        collected: Arc<Mutex<Collected>>,
        piecer: Option<Piecer>,
        exchange: Exchange,
    }

    const ROOM: &str = r#"{"cluster_id":1,"size":6,"blob_size":4,"crc":9,"blobs":[{"min_bid":5,"vid":2,"count":2}]}"#;

    impl Bench {
        fn new() -> Self {
            let keeping = Keeping::InMemory;
            let (set, _) = Shelf::default().set(&keeping, "t", "s", 1).unwrap();
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
            let piecer = Piecer::new(
                numbers,
                Arc::new(Content::new(1, &Recipe::plain(6))),
                Access::new(&Site::new(url, None, ""), &work, true),
                Parcel::new(&work),
                1,
                Keeper::new(None, budget, Arc::clone(&collected)),
            );
            Self {
                set,
                collected,
                piecer: Some(piecer),
                exchange: Exchange::default(),
            }
        }

        fn piecer(&mut self) -> (&mut Piecer, &mut Exchange) {
            (self.piecer.as_mut().unwrap(), &mut self.exchange)
        }

        /// The call that comes next, and its body; none where nothing does.
        fn asked(&mut self) -> Option<(String, String)> {
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

        fn answer(&mut self, status: u16, body: &str) -> Option<Whole> {
            let (piecer, exchange) = self.piecer();
            piecer.body(exchange, 0, body.as_bytes());
            piecer.judge(exchange, status, body.len() as u64);
            piecer.whole()
        }

        fn lose(&mut self, class: ErrorClass) {
            let (piecer, exchange) = self.piecer();
            piecer.lost(exchange, class);
        }

        /// Blobs nobody can find, and rooms that are to be deleted in the end.
        fn left(mut self) -> (u64, usize) {
            drop(self.piecer.take());
            let collected = self.collected.lock().unwrap();
            let rooms = collected.doubtful.iter().map(|page| page.len());
            (self.set.orphans(), rooms.sum())
        }
    }

    fn call(asked: Option<(String, String)>) -> String {
        asked.map_or(String::new(), |(call, _)| call)
    }

    #[test]
    fn room_that_cannot_be_used_is_given_back() {
        let mut bench = Bench::new();
        assert_eq!(call(bench.asked()), "/alloc");
        let whole = bench.answer(200, &format!(r#"{{"location":{ROOM},"tokens":[]}}"#));
        assert!(matches!(whole.unwrap().outcome, Judgement::Failed(..)));
        let (back, body) = bench.asked().unwrap();
        assert_eq!(back, "/delete");
        assert_eq!(body, format!(r#"{{"locations":[{ROOM}]}}"#));
        assert_eq!(bench.answer(200, "{}"), None);
        assert_eq!(bench.asked(), None);
        assert_eq!(bench.left(), (0, 0));
    }

    #[test]
    fn room_that_is_not_taken_back_is_deleted_in_the_end() {
        let mut bench = Bench::new();
        bench.asked();
        bench.answer(200, &format!(r#"{{"location":{ROOM},"tokens":["a"]}}"#));
        for _ in 0..2 {
            assert_eq!(call(bench.asked()), "/putat");
            bench.answer(200, "{}");
        }
        assert_eq!(call(bench.asked()), "/sign");
        bench.answer(400, "");
        assert_eq!(call(bench.asked()), "/delete");
        bench.answer(500, "");
        assert_eq!(bench.left(), (0, 1));
    }

    #[test]
    fn what_nobody_can_name_is_counted() {
        let mut nameless = Bench::new();
        nameless.asked();
        nameless.answer(200, "{}");
        assert_eq!(nameless.asked(), None);
        assert_eq!(nameless.left(), (1, 0));
        for (class, orphans) in [(ErrorClass::Reset, 1), (ErrorClass::Connect, 0)] {
            let mut lost = Bench::new();
            lost.asked();
            lost.lose(class);
            assert_eq!(lost.asked(), None);
            assert_eq!(lost.left(), (orphans, 0), "{class:?}");
        }
        let mut refused = Bench::new();
        refused.asked();
        refused.answer(429, "");
        assert_eq!(refused.left(), (0, 0));
    }
}
