//! The deleted blobs that are followed, and when each is polled again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Shortest wait between two polls of a blob, nanoseconds.
const SHORTEST_REST: u64 = 1_000_000;
/// The wait before the next poll is the time since the start of the deletion divided by this
/// number, which limits the relative error of the measured time.
const PART_RESTED: u64 = 8;

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
    pub(super) fn end(self, started: u64) -> u64 {
        started.saturating_add(self.limit)
    }

    /// Time of the next poll of a blob that still exists, nanoseconds. The last poll is at the
    /// time limit.
    pub(super) fn due(self, started: u64, now: u64) -> u64 {
        let taken = now.saturating_sub(started);
        let longest = self.longest_rest.max(SHORTEST_REST);
        let rest = (taken / PART_RESTED).clamp(SHORTEST_REST, longest);
        now.saturating_add(rest).min(self.end(started).max(now))
    }
}

/// A blob whose deletion was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeletedBlob {
    pub(super) place: u64,
    /// Start of the deletion, nanoseconds since the start of the slice.
    pub(super) started: u64,
    /// Start of the last poll that read the blob, nanoseconds; `None` before such a poll.
    pub(super) seen: Option<u64>,
    /// Number of consecutive polls whose connection was closed within the response.
    pub(super) breaks: u8,
    /// Start of the first of the polls that `breaks` counts, nanoseconds.
    pub(super) broke_since: u64,
}

/// A blob ordered by the time of its next poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ScheduledPoll {
    pub(super) due: u64,
    pub(super) deleting: DeletedBlob,
}

/// Blobs that are followed.
#[derive(Debug)]
pub(super) struct FollowedBlobs {
    pub(super) following: Following,
    /// Blobs without a scheduled poll: newly offered, or not known to be gone after their last
    /// poll. Polls are scheduled when the current time is known.
    pub(super) found: Vec<DeletedBlob>,
    pub(super) waiting: BinaryHeap<Reverse<ScheduledPoll>>,
    /// Longest time until a blob was gone, nanoseconds.
    pub(super) longest: Option<u64>,
}

impl FollowedBlobs {
    pub(super) fn new(following: Following) -> Self {
        Self {
            following,
            found: Vec::new(),
            waiting: BinaryHeap::new(),
            longest: None,
        }
    }

    pub(super) fn schedule(&mut self, now: u64) {
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
    pub(super) fn take_due(&mut self, now: u64) -> Option<DeletedBlob> {
        let first = self.waiting.peek_mut()?;
        (first.0.due <= now).then(|| PeekMut::pop(first).0.deleting)
    }

    /// Time of the next poll, nanoseconds; `None` if no poll is scheduled.
    pub(super) fn next_due(&self) -> Option<u64> {
        self.waiting.peek().map(|poll| poll.0.due)
    }

    /// Number of blobs that still existed when more than `longest` had passed since the start of
    /// their deletion. Blobs that were observed for a shorter time are not counted.
    pub(super) fn still_there(&self) -> u64 {
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
}
