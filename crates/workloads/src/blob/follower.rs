//! Measures the time from the start of an acknowledged deletion until the blob is gone.
//!
//! A follower polls blobs on separate connections, so that polls do not slow down deletions. The
//! follower follows at most one blob per connection, because a poll that had to wait for a
//! connection would increase the measured time. While every connection has a blob, new deletions
//! are not followed.
//!
//! Each followed blob is read once before its deletion, also by the follower: a blob that could not
//! be read before is not gone because it cannot be read afterwards.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, ResponseHead, Role, Transaction,
    Workload,
};
use tenbin_plan::duration::Time;

use super::batch::Batch;
use super::in_flight::{BROKE_OFF, Follow, InFlight, refusal};
use super::journal::{Journal, note_gone};
use super::positions::Budget;
use super::protocol::{BlobProtocol, Part, Presence};
use crate::s3::slots::Slots;

/// Operations of a phase whose deletions are followed: deletions, polls, and the times until blobs
/// are gone.
pub(super) const FOLLOWED: &[&str] = &["DEL", "is it gone", "gone"];
/// Index of polls in [`FOLLOWED`]; [`EFFECT`] is the index of times until gone.
const POLL: usize = 1;
const EFFECT: usize = 2;

/// Shortest wait between two polls of a blob, nanoseconds.
const SHORTEST_REST: u64 = 1_000_000;

/// Wait of an idle follower, nanoseconds.
const IDLE: u64 = 1_000_000;

/// Number of consecutive polls whose connection the server closed within the response, after which
/// a blob counts as gone. Only for servers that report a missing blob by closing the connection.
const BREAKS: u8 = 2;

/// The wait before the next poll is the time since the start of the deletion divided by this
/// number, which limits the relative error of the measured time.
const PART_RESTED: u64 = 8;

/// Maximum number of requests that read a blob before its deletion, and the wait between two of
/// them, nanoseconds.
const TRIES: u32 = 10;
const WAIT_BEFORE: u64 = 10_000_000;

/// Role of the operation with index `op` in [`FOLLOWED`].
pub(super) fn role(op: usize) -> Role {
    match op {
        POLL => Role::Poll,
        EFFECT => Role::Effect,
        _ => Role::Request,
    }
}

/// Settings for following blobs, with times in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Following {
    /// Time limit from the start of a deletion until the blob must be gone.
    pub(crate) limit: u64,
    /// Longest wait between two polls of a blob.
    pub(crate) longest_rest: u64,
    /// Connections for polling: also the largest number of blobs followed at once.
    pub(crate) connections: usize,
}

impl Following {
    /// Time, nanoseconds, at which a blob must be gone if its deletion started at `started`.
    fn end(self, started: u64) -> u64 {
        started.saturating_add(self.limit)
    }

    /// Time of the next poll of a blob that still exists, nanoseconds. The last poll is at the
    /// time limit.
    fn due(self, started: u64, now: u64) -> u64 {
        let taken = now.saturating_sub(started);
        let longest = self.longest_rest.max(SHORTEST_REST);
        let rest = (taken / PART_RESTED).clamp(SHORTEST_REST, longest);
        now.saturating_add(rest).min(self.end(started).max(now))
    }
}

/// A blob whose deletion was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DeletedBlob {
    place: u64,
    /// Start of the deletion, nanoseconds since the start of the slice.
    started: u64,
    /// Start of the last poll that read the blob, nanoseconds; `None` before such a poll.
    seen: Option<u64>,
    /// Number of consecutive polls whose connection was closed within the response.
    breaks: u8,
    /// Start of the first of the polls that `breaks` counts, nanoseconds.
    broke_since: u64,
}

/// A blob that is read before its deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unread {
    place: u64,
    /// Number of requests that did not read the blob.
    failed: u32,
    /// Time of the next request, nanoseconds.
    due: u64,
}

/// A blob ordered by the time of its next poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ScheduledPoll {
    due: u64,
    deleting: DeletedBlob,
}

/// Passes blobs from deleters to a follower.
#[derive(Debug)]
pub(crate) struct Handover {
    /// Number of additional blobs that can be followed now.
    free: AtomicUsize,
    /// Number of active deleters.
    deleters: AtomicUsize,
    offered: Mutex<Vec<DeletedBlob>>,
    /// Number of blobs that are read before their deletion and were not returned to a deleter.
    reading: AtomicUsize,
    /// Number of blobs in `read`.
    returned: AtomicUsize,
    unread: Mutex<Vec<Unread>>,
    /// Blobs to delete now, and whether they are followed.
    read: Mutex<Vec<(u64, Follow)>>,
}

impl Handover {
    pub(crate) fn new(following: Following, deleters: usize) -> Self {
        Self {
            free: AtomicUsize::new(following.connections),
            deleters: AtomicUsize::new(deleters),
            offered: Mutex::default(),
            reading: AtomicUsize::new(0),
            returned: AtomicUsize::new(0),
            unread: Mutex::default(),
            read: Mutex::default(),
        }
    }

    /// Reserves the place of a blob to follow; returns false if every place is taken.
    pub(super) fn reserve(&self) -> bool {
        let free = self
            .free
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |free| {
                free.checked_sub(1)
            });
        free.is_ok()
    }

    /// Lets the follower read the blob at `place` before its deletion. A place must be reserved.
    pub(super) fn read_first(&self, place: u64) {
        self.reading.fetch_add(1, Ordering::AcqRel);
        held(&self.unread).push(Unread {
            place,
            failed: 0,
            due: 0,
        });
    }

    /// A blob that was read, or could not be read, and is to be deleted now.
    pub(super) fn take_read(&self) -> Option<(u64, Follow)> {
        if self.returned.load(Ordering::Acquire) == 0 {
            return None;
        }
        let read = held(&self.read).pop()?;
        self.returned.fetch_sub(1, Ordering::AcqRel);
        self.reading.fetch_sub(1, Ordering::AcqRel);
        Some(read)
    }

    /// Whether the follower has not returned all blobs that it was to read.
    pub(super) fn is_reading(&self) -> bool {
        self.reading.load(Ordering::Acquire) > 0
    }

    fn return_read(&self, place: u64, follow: Follow) {
        held(&self.read).push((place, follow));
        self.returned.fetch_add(1, Ordering::AcqRel);
    }

    /// Offers the blob at `place`, whose deletion started at `started`, and whose place was
    /// reserved.
    pub(super) fn offer(&self, place: u64, started: u64) {
        let deleting = DeletedBlob {
            place,
            started,
            seen: None,
            breaks: 0,
            broke_since: 0,
        };
        held(&self.offered).push(deleting);
    }

    /// Records that a deleter has ended.
    pub(super) fn deleter_ended(&self) {
        self.deleters.fetch_sub(1, Ordering::AcqRel);
    }

    /// Moves the offered blobs to `found`; returns whether more blobs can be offered.
    fn collect(&self, found: &mut Vec<DeletedBlob>) -> bool {
        // Loaded before `offered`, so that the offers of an ended deleter are visible.
        let more = self.deleters.load(Ordering::Acquire) > 0;
        found.append(&mut held(&self.offered));
        more
    }

    /// Frees the place of a blob that is no longer followed.
    pub(super) fn give_back(&self) {
        self.free.fetch_add(1, Ordering::AcqRel);
    }
}

fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Blobs that are followed.
#[derive(Debug)]
struct FollowedBlobs {
    following: Following,
    /// Blobs without a scheduled poll: newly offered, or not known to be gone after their last
    /// poll. Polls are scheduled when the current time is known.
    found: Vec<DeletedBlob>,
    waiting: BinaryHeap<Reverse<ScheduledPoll>>,
    /// Longest time until a blob was gone, nanoseconds.
    longest: Option<u64>,
}

impl FollowedBlobs {
    fn new(following: Following) -> Self {
        Self {
            following,
            found: Vec::new(),
            waiting: BinaryHeap::new(),
            longest: None,
        }
    }

    fn schedule(&mut self, now: u64) {
        let following = self.following;
        let poll = self.found.drain(..).map(|deleting| {
            Reverse(ScheduledPoll {
                due: following.due(deleting.started, now),
                deleting,
            })
        });
        self.waiting.extend(poll);
    }

    /// The blob to poll now, if a poll is due.
    fn take_due(&mut self, now: u64) -> Option<DeletedBlob> {
        let first = self.waiting.peek_mut()?;
        (first.0.due <= now).then(|| PeekMut::pop(first).0.deleting)
    }

    /// Time of the next poll, nanoseconds; `None` if no poll is scheduled.
    fn next_due(&self) -> Option<u64> {
        self.waiting.peek().map(|poll| poll.0.due)
    }

    /// Number of blobs that still existed when more than `longest` had passed since the start of
    /// their deletion. Blobs that were observed for a shorter time are not counted.
    fn still_there(&self) -> u64 {
        let waiting = self.waiting.iter().map(|poll| &poll.0.deleting);
        let all = self.found.iter().chain(waiting);
        let lasts = |deleting: &&DeletedBlob| {
            deleting.breaks == 0
                && deleting.seen.is_some_and(|seen| {
                    let age = seen.saturating_sub(deleting.started);
                    self.longest.is_none_or(|longest| age > longest)
                })
        };
        all.filter(lasts).count() as u64
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

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<(ErrorClass, &'static str)> {
        let flight = &self.flights[exchange.tag as usize];
        let counted = (ErrorClass::Short, BROKE_OFF);
        flight.broke_off(class).then_some(counted)
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

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;

    fn following(limit: u64, longest_rest: u64) -> Following {
        Following {
            limit: limit * MILLI,
            longest_rest: longest_rest * MILLI,
            connections: 2,
        }
    }

    fn deleting(place: u64, started: u64, seen: Option<u64>) -> DeletedBlob {
        DeletedBlob {
            place,
            started,
            seen,
            breaks: 0,
            broke_since: 0,
        }
    }

    #[test]
    fn polls_become_rarer_and_the_last_is_at_the_limit() {
        let following = following(1000, 50);
        let (started, mut now) = (7 * MILLI, 9 * MILLI);
        let mut rests = Vec::new();
        while now < following.end(started) {
            let due = following.due(started, now);
            rests.push(due - now);
            now = due;
        }
        assert_eq!(now, following.end(started));
        assert_eq!(rests[0], MILLI);
        let but_the_last = &rests[..rests.len() - 1];
        assert!(but_the_last.is_sorted());
        assert_eq!(but_the_last.last(), Some(&(50 * MILLI)));
        assert!((30..80).contains(&rests.len()), "{}", rests.len());
    }

    #[test]
    fn the_blob_due_first_is_polled_first() {
        let mut followed = FollowedBlobs::new(following(1000, 100));
        followed.found = vec![deleting(1, 0, None), deleting(2, 400 * MILLI, None)];
        followed.schedule(400 * MILLI);
        assert!(followed.take_due(400 * MILLI).is_none());
        assert_eq!(followed.next_due(), Some(401 * MILLI));
        let mut due = |now| followed.take_due(now).map(|poll| poll.place);
        assert_eq!(due(401 * MILLI), Some(2));
        assert_eq!(due(401 * MILLI), None);
        assert_eq!(due(450 * MILLI), Some(1));
    }

    #[test]
    fn only_a_blob_seen_for_longer_than_others_took_is_still_there_at_the_end() {
        let mut followed = FollowedBlobs::new(following(1000, 100));
        followed.found = vec![
            deleting(1, 0, Some(90 * MILLI)),
            deleting(2, 0, Some(110 * MILLI)),
            deleting(3, 0, None),
        ];
        assert_eq!(followed.still_there(), 2);
        followed.longest = Some(100 * MILLI);
        assert_eq!(followed.still_there(), 1);
    }

    #[test]
    fn a_blob_is_deleted_after_it_was_read() {
        let handover = Handover::new(following(1000, 100), 1);
        assert!(handover.reserve() && !handover.is_reading());
        handover.read_first(7);
        assert!(handover.is_reading());
        assert_eq!(handover.take_read(), None);
        handover.return_read(7, Follow::Yes);
        assert_eq!(handover.take_read(), Some((7, Follow::Yes)));
        assert!(!handover.is_reading());
    }

    #[test]
    fn no_more_blobs_are_followed_than_there_are_connections() {
        let handover = Handover::new(following(1000, 100), 1);
        assert!(handover.reserve() && handover.reserve());
        assert!(!handover.reserve());
        handover.offer(1, 0);
        handover.offer(2, 0);
        let mut found = Vec::new();
        assert!(handover.collect(&mut found));
        assert_eq!(found.len(), 2);
        handover.give_back();
        assert!(handover.reserve());
        handover.offer(4, 0);
        handover.deleter_ended();
        assert!(!handover.collect(&mut found));
        assert_eq!(found.len(), 3);
    }
}
