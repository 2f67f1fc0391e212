//! Measures the time from the start of an acknowledged deletion until the blob is gone.
//!
//! A follower polls blobs on separate connections, so that polls do not slow down deletions. The
//! follower follows at most one blob per connection, because a poll that had to wait for a
//! connection would increase the measured time. While every connection has a blob, new deletions
//! are not followed.
//!
//! Each followed blob is read once before its deletion, also by the follower: a blob that could not
//! be read before is not gone because it cannot be read afterwards.

use std::sync::Arc;
use std::time::Duration;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Loss, Moment, Next, ResponseHead, Role, Transaction,
    Workload,
};
use tenbin_plan::duration::Time;

use crate::blob::phases::followed::{DeletedBlob, FollowedBlobs, Following};
use crate::blob::phases::handover::{Handover, Unread};
use crate::blob::phases::in_flight::{BROKE_OFF, Follow, InFlight, refusal};
use crate::blob::phases::positions::Budget;
use crate::blob::protocols::{BlobProtocol, Part, Presence};
use crate::blob::stored::batch::Batch;
use crate::blob::stored::journal::{Journal, note_gone};
use crate::s3::slots::Slots;
use crate::shared::held;

/// Operations of a phase whose deletions are followed: deletions, polls, and the times until blobs
/// are gone.
pub(crate) const FOLLOWED: &[&str] = &["DEL", "is it gone", "gone"];
/// Index of polls in [`FOLLOWED`]; [`EFFECT`] is the index of times until gone.
const POLL: usize = 1;
const EFFECT: usize = 2;

/// Wait of an idle follower, nanoseconds.
const IDLE: u64 = 1_000_000;

/// Number of consecutive polls whose connection the server closed within the response, after which
/// a blob counts as gone. Only for servers that report a missing blob by closing the connection.
const BREAKS: u8 = 2;

/// Maximum number of requests that read a blob before its deletion, and the wait between two of
/// them, nanoseconds.
const TRIES: u32 = 10;
const WAIT_BEFORE: u64 = 10_000_000;

/// Role of the operation with index `op` in [`FOLLOWED`].
pub(crate) fn role(op: usize) -> Role {
    match op {
        POLL => Role::Poll,
        EFFECT => Role::Effect,
        _ => Role::Request,
    }
}

/// Polls deleted blobs until they are gone.
pub(crate) struct Follower {
    batch: Arc<Batch>,
    dialect: Box<dyn BlobProtocol>,
    handover: Arc<Handover>,
    followed: FollowedBlobs,
    ended: Option<Transaction>,
    flights: Slots<InFlight>,
    /// The blob that each request in flight reads.
    deleting: Vec<Option<DeletedBlob>>,
    /// Blobs to read before their deletion; `reading`: those of the requests in flight.
    unread: Vec<Unread>,
    reading: Vec<Option<Unread>>,
    journal: Option<Journal>,
    budget: Budget,
}

impl Follower {
    pub(crate) fn new(
        batch: Arc<Batch>,
        dialect: Box<dyn BlobProtocol>,
        following: Following,
        handover: Arc<Handover>,
        journal: Option<Journal>,
        budget: Budget,
    ) -> Self {
        Self {
            batch,
            dialect,
            handover,
            followed: FollowedBlobs::new(following),
            ended: None,
            flights: Slots::default(),
            deleting: Vec::new(),
            unread: Vec::new(),
            reading: Vec::new(),
            journal,
            budget,
        }
    }

    /// Polls a blob, if a poll is due.
    fn poll(&mut self, now: Moment, exchange: &mut Exchange) -> bool {
        let Some(deleting) = self.followed.take_due(now.nanos) else {
            return false;
        };
        let place = self.request(now, exchange, deleting.place);
        self.deleting[place] = Some(deleting);
        true
    }

    /// Reads a blob before its deletion, if a blob is due.
    fn read_first(&mut self, now: Moment, exchange: &mut Exchange) -> bool {
        self.unread.append(&mut held(&self.handover.unread));
        let due = |unread: &Unread| unread.due <= now.nanos;
        let Some(at) = self.unread.iter().position(due) else {
            return false;
        };
        let unread = self.unread.swap_remove(at);
        let place = self.request(now, exchange, unread.place);
        self.reading[place] = Some(unread);
        true
    }

    /// Writes a request for the first byte of the blob at `at`, and returns the index of the flight.
    fn request(&mut self, now: Moment, exchange: &mut Exchange, at: u64) -> usize {
        let entry = self.batch.entry(at);
        let place = self.flights.take();
        if self.deleting.len() <= place {
            self.deleting.resize(place + 1, None);
            self.reading.resize(place + 1, None);
        }
        self.deleting[place] = None;
        self.reading[place] = None;
        exchange.tag = place as u64;
        exchange.op = POLL;
        exchange.content = None;
        let flight = &mut self.flights[place];
        flight.begin(entry.number, entry.size);
        flight.sent_at = now.nanos;
        let part = Part {
            offset: 0,
            length: 1.min(entry.size),
        };
        flight.expected = part.length;
        self.dialect
            .get(exchange, now.unix_seconds, entry, part, &mut flight.body);
        place
    }

    /// Evaluates the response to the read of a blob before its deletion.
    fn read(&mut self, place: usize, unread: Unread, status: u16, length: u64) -> Judgement {
        let flight = &self.flights[place];
        match self.dialect.presence(status, &flight.caught) {
            Presence::There if length == flight.expected => {
                self.handover.return_read(unread.place, Follow::Yes);
                Judgement::Correct
            }
            _ => {
                let text = self.dialect.refused(status, &flight.caught);
                self.not_read(place, unread, &text);
                refusal(text)
            }
        }
    }

    /// Handles a request that did not read a blob before its deletion.
    fn not_read(&mut self, place: usize, unread: Unread, why: &str) {
        let sent_at = self.flights[place].sent_at;
        let failed = unread.failed + 1;
        if failed < TRIES {
            return self.unread.push(Unread {
                failed,
                due: sent_at.saturating_add(WAIT_BEFORE),
                ..unread
            });
        }
        self.handover.return_read(unread.place, Follow::Unreadable);
        self.handover.give_back();
        let text = format!("could not be read before its deletion: {why}");
        self.ended = Some(Transaction {
            op: EFFECT,
            started: sent_at,
            payload: 0,
            ended: None,
            outcome: self.budget.failed(ErrorClass::Unexpected, text),
        });
    }

    /// Evaluates the response to a poll. A failed poll does not count as a failed operation. A blob
    /// whose state is still unknown at the time limit counts as one failure.
    fn answered(&mut self, place: usize, status: u16, length: u64) -> Judgement {
        let flight = &self.flights[place];
        let sent_at = flight.sent_at;
        match self.dialect.presence(status, &flight.caught) {
            Presence::Gone => {
                // If preceding responses were closed early, the blob was gone at the first of them.
                let deleting = self.deleting[place];
                let first = deleting.filter(|deleting| deleting.breaks > 0);
                self.gone(
                    place,
                    first.map_or(sent_at, |deleting| deleting.broke_since),
                );
                Judgement::Correct
            }
            Presence::There if length == flight.expected => {
                self.not_gone(place, None);
                Judgement::Correct
            }
            Presence::There => {
                let text = "the server responded with success but without content";
                self.not_gone(place, Some((ErrorClass::Short, text)));
                Judgement::Failed(ErrorClass::Short, text.to_owned())
            }
            Presence::Unknown => {
                let text = self.dialect.refused(status, &flight.caught);
                self.not_gone(place, Some((ErrorClass::Status, &text)));
                refusal(text)
            }
        }
    }

    /// Handles a poll without a complete response. If the target reports missing blobs by closing
    /// the connection, repeated early closes mean that the blob is gone.
    fn unanswered(&mut self, place: usize, class: ErrorClass) {
        let flight = &self.flights[place];
        let sent_at = flight.sent_at;
        if !flight.broke_off(class) || !self.dialect.breaks_off_when_gone() {
            return self.not_gone(place, Some((class, "no response")));
        }
        let Some(deleting) = &mut self.deleting[place] else {
            return;
        };
        if deleting.breaks == 0 {
            deleting.broke_since = sent_at;
        }
        deleting.breaks += 1;
        let (breaks, broke_since) = (deleting.breaks, deleting.broke_since);
        if breaks >= BREAKS {
            self.gone(place, broke_since)
        } else {
            self.again(place, Some((ErrorClass::Short, BROKE_OFF)))
        }
    }

    /// Records that the blob was gone when the poll at time `since` was sent.
    fn gone(&mut self, place: usize, since: u64) {
        let Some(deleting) = self.deleting[place].take() else {
            return;
        };
        let took = since.saturating_sub(deleting.started);
        self.followed.longest = self.followed.longest.max(Some(took));
        let outcome = match note_gone(&self.batch, &mut self.journal, deleting.place) {
            Ok(()) => Judgement::Correct,
            Err(text) => self.budget.refused(text),
        };
        self.end(deleting, Some(since), outcome);
    }

    /// Handles a blob that exists, or whose state is unknown for the reason in `unresolved`.
    fn not_gone(&mut self, place: usize, unresolved: Option<(ErrorClass, &str)>) {
        let sent_at = self.flights[place].sent_at;
        if let Some(deleting) = &mut self.deleting[place] {
            deleting.breaks = 0;
            if unresolved.is_none() {
                deleting.seen = Some(sent_at);
            }
        }
        self.again(place, unresolved);
    }

    /// Schedules the next poll or, after the time limit, stops following the blob.
    fn again(&mut self, place: usize, unresolved: Option<(ErrorClass, &str)>) {
        let sent_at = self.flights[place].sent_at;
        let Some(deleting) = self.deleting[place].take() else {
            return;
        };
        let following = self.followed.following;
        if sent_at < following.end(deleting.started) {
            return self.followed.found.push(deleting);
        }
        let limit = Time(Duration::from_nanos(following.limit));
        let (class, text) = match unresolved {
            None => {
                self.budget.set.note_still_there(1);
                let text = format!("still there {limit} after its deletion began");
                (ErrorClass::Timeout, text)
            }
            Some((class, why)) => {
                self.budget.set.note_unresolved(1);
                let text = format!(
                    "unknown whether it still exists {limit} after its deletion began: {why}"
                );
                (class, text)
            }
        };
        let outcome = self.budget.failed(class, text);
        self.end(deleting, None, outcome);
    }

    /// Stops following a blob.
    fn end(&mut self, deleting: DeletedBlob, ended: Option<u64>, outcome: Judgement) {
        self.handover.give_back();
        self.ended = Some(Transaction {
            op: EFFECT,
            started: deleting.started,
            payload: 0,
            ended,
            outcome,
        });
    }
}

impl Workload for Follower {
    fn operations(&self) -> &[&'static str] {
        FOLLOWED
    }

    fn role(&self, op: usize) -> Role {
        role(op)
    }

    fn own_connections(&self) -> Option<usize> {
        Some(self.followed.following.connections)
    }

    fn transaction(&mut self) -> Option<Transaction> {
        self.ended.take()
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        exchange.bodyless_response = false;
        let more = self.handover.collect(&mut self.followed.found);
        self.followed.schedule(now.nanos);
        if self.budget.is_spent() {
            return Next::Exhausted;
        }
        if self.poll(now, exchange) || more && self.read_first(now, exchange) {
            return Next::Ready;
        }
        match self.followed.next_due() {
            None if !more && !self.flights.are_out() => Next::Exhausted,
            due => {
                let look = now.nanos.saturating_add(IDLE);
                Next::Rest(due.map_or(look, |due| due.min(look)))
            }
        }
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        let flight = &mut self.flights[exchange.tag as usize];
        flight.begun = matches!(head.status, 200 | 206);
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let judgement = match self.reading[place].take() {
            Some(unread) => self.read(place, unread, status, length),
            None => self.answered(place, status, length),
        };
        self.flights.give_back(place);
        judgement
    }

    /// The response to a poll of a missing blob can be a connection that is closed within the
    /// response: no failure.
    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<Loss> {
        let place = exchange.tag as usize;
        if !self.flights[place].broke_off(class) {
            return None;
        }
        let is_poll = self.reading[place].is_none();
        Some(if is_poll && self.dialect.breaks_off_when_gone() {
            Loss::Expected
        } else {
            Loss::Failed(ErrorClass::Short, BROKE_OFF)
        })
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        match self.reading[place].take() {
            Some(unread) => self.not_read(place, unread, "no response"),
            None => self.unanswered(place, class),
        }
        self.flights.give_back(place);
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.handover.collect(&mut self.followed.found);
        self.budget
            .set
            .note_still_there(self.followed.still_there());
        if let Some(journal) = &mut self.journal {
            // A failed write does no harm, because no PUT was in flight.
            let _ = journal.end();
        }
    }
}
