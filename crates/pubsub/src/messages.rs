//! The slowest and the failed messages of a step, each with its times.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::publisher::{Post, PostState};

/// Most messages in each list of a step.
pub const MOST_LISTED: usize = 5;
/// Most messages that are followed at a time. Before one more is followed, the oldest message is
/// judged by the subscribers that have received it so far.
const MOST_FOLLOWED: usize = 10_000;

/// A message of a step. All times but `start` count from the start of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMessage {
    /// Number of the message in its step, from 0; the marker in the message ends with this number.
    pub number: u64,
    /// Time from the start of the step to the start of the request.
    pub start: Duration,
    /// Time until the server accepted the message; `None` if the server did not.
    pub accepted: Option<Duration>,
    /// Reason why the message was not accepted: untrusted text of the server, or a network error.
    pub refusal: Option<String>,
    /// Number of subscribers that received the message; a duplicate counts as one more.
    pub receivers: u64,
    /// Time until the first subscriber received the message; `None` if no subscriber did.
    pub first: Option<Duration>,
    /// Time until the last of `receivers` subscribers received the message.
    pub last: Option<Duration>,
}

/// Follows the messages of a step from their requests to their subscribers.
#[derive(Debug)]
pub(crate) struct Messages {
    started: Instant,
    /// Configured number of subscribers.
    subscribers: u64,
    /// Number of subscribers that were connected at the start of the step.
    connected: u64,
    followed: BTreeMap<u64, Followed>,
    /// Slowest first.
    slowest: Vec<ListedMessage>,
    /// By number.
    failed: Vec<ListedMessage>,
}

#[derive(Debug)]
struct Followed {
    started: Instant,
    message: ListedMessage,
}

impl Messages {
    /// The messages of a step that starts at `started`.
    pub(crate) fn new(started: Instant, subscribers: usize, connected: usize) -> Self {
        Self {
            started,
            subscribers: subscribers as u64,
            connected: connected as u64,
            followed: BTreeMap::new(),
            slowest: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// Notes the progress of the requests of messages.
    pub(crate) fn posted(&mut self, posts: impl IntoIterator<Item = Post>) {
        for Post { number, at, state } in posts {
            match state {
                PostState::Started => self.follow(number, at),
                PostState::Accepted => self.change(number, at, |message, time| {
                    message.accepted = Some(time);
                }),
                PostState::Refused(why) => self.change(number, at, |message, _| {
                    message.refusal = Some(why);
                }),
            }
        }
    }

    /// Notes messages that arrived at a subscriber: their numbers and times.
    pub(crate) fn arrived(&mut self, arrivals: impl IntoIterator<Item = (u64, Instant)>) {
        for (number, at) in arrivals {
            self.change(number, at, |message, time| {
                message.receivers += 1;
                message.first.get_or_insert(time);
                message.last = Some(time);
            });
        }
    }

    /// The slowest messages that all subscribers received, slowest first, and the first messages
    /// that failed.
    pub(crate) fn into_lists(mut self) -> (Vec<ListedMessage>, Vec<ListedMessage>) {
        for (_, followed) in std::mem::take(&mut self.followed) {
            self.judge(followed.message);
        }
        (self.slowest, self.failed)
    }

    fn follow(&mut self, number: u64, started: Instant) {
        if self.followed.len() >= MOST_FOLLOWED
            && let Some((_, oldest)) = self.followed.pop_first()
        {
            self.judge(oldest.message);
        }
        let message = ListedMessage {
            number,
            start: started.saturating_duration_since(self.started),
            accepted: None,
            refusal: None,
            receivers: 0,
            first: None,
            last: None,
        };
        self.followed.insert(number, Followed { started, message });
    }

    /// Changes a message at a time after the start of its request, and judges the message if nothing
    /// more is expected. Ignores messages that are not followed.
    fn change(&mut self, number: u64, at: Instant, by: impl FnOnce(&mut ListedMessage, Duration)) {
        let Some(followed) = self.followed.get_mut(&number) else {
            return;
        };
        let message = &mut followed.message;
        by(message, at.saturating_duration_since(followed.started));
        let is_delivered = message.accepted.is_some() && message.receivers >= self.connected;
        if (is_delivered || message.refusal.is_some())
            && let Some(followed) = self.followed.remove(&number)
        {
            self.judge(followed.message);
        }
    }

    fn judge(&mut self, message: ListedMessage) {
        if message.accepted.is_some() && message.receivers >= self.subscribers {
            self.slowest.push(message);
            self.slowest.sort_by_key(|message| Reverse(message.last));
            self.slowest.truncate(MOST_LISTED);
        } else {
            self.failed.push(message);
            self.failed.sort_by_key(|message| message.number);
            self.failed.truncate(MOST_LISTED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    fn post(number: u64, at: Instant, state: PostState) -> [Post; 1] {
        [Post { number, at, state }]
    }

    #[test]
    fn the_slowest_messages_have_their_phases() {
        let start = Instant::now();
        let mut messages = Messages::new(start, 2, 2);
        for number in 0..10 {
            let at = start + MILLI * 100 * number;
            let took = MILLI * (number + 1);
            let number = u64::from(number);
            messages.posted(post(number, at, PostState::Started));
            messages.arrived([(number, at + took), (number, at + took * 2)]);
            messages.posted(post(number, at + took * 3, PostState::Accepted));
        }
        let (slowest, failed) = messages.into_lists();
        assert_eq!(failed, []);
        let numbers: Vec<u64> = slowest.iter().map(|message| message.number).collect();
        assert_eq!(numbers, [9, 8, 7, 6, 5]);
        let expected = ListedMessage {
            number: 9,
            start: MILLI * 900,
            accepted: Some(MILLI * 30),
            refusal: None,
            receivers: 2,
            first: Some(MILLI * 10),
            last: Some(MILLI * 20),
        };
        assert_eq!(slowest[0], expected);
    }

    #[test]
    fn refused_and_lost_messages_are_the_failed_ones() {
        let start = Instant::now();
        let mut messages = Messages::new(start, 2, 2);
        for number in [4, 5, 6] {
            messages.posted(post(number, start, PostState::Started));
        }
        messages.posted(post(5, start, PostState::Accepted));
        messages.arrived([(5, start + MILLI), (6, start), (6, start), (7, start)]);
        messages.posted(post(6, start, PostState::Accepted));
        messages.posted(post(4, start, PostState::Refused("status 503".to_owned())));
        let (slowest, failed) = messages.into_lists();
        assert_eq!((slowest.len(), slowest[0].number), (1, 6));
        assert_eq!((failed.len(), failed[0].number), (2, 4));
        assert_eq!(failed[0].refusal.as_deref(), Some("status 503"));
        assert_eq!((failed[1].number, failed[1].receivers), (5, 1));
    }

    #[test]
    fn the_number_of_followed_messages_is_limited() {
        let start = Instant::now();
        let mut messages = Messages::new(start, 1, 1);
        for number in 0..=MOST_FOLLOWED as u64 {
            messages.posted(post(number, start, PostState::Started));
            messages.posted(post(number, start, PostState::Accepted));
        }
        assert_eq!(messages.followed.len(), MOST_FOLLOWED);
        assert_eq!(messages.failed[0].number, 0);
    }
}
