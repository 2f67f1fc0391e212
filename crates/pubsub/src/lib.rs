//! Publish and subscribe over HTTP streaming: how long it takes until a message has
//! reached every subscriber, with more and more of them.
//!
//! A subscriber is a connection whose answer never ends. Messages carry a mark, so that
//! each subscriber's are counted whatever the server wraps around them. What is lost is
//! counted as lost, and nothing is waited for without end.

mod descriptors;
mod pool;
mod publisher;
mod stream;

use std::time::{Duration, Instant};

use crate::pool::Pool;
use crate::publisher::Publisher;

/// What stands for the mark in the text of a message.
pub const MARK: &str = "{id}";

/// What is asked of a server.
#[derive(Debug, Clone)]
pub struct Question {
    /// `host:port`; subscribers go round them, and messages go to the first.
    pub hosts: Vec<String>,
    /// Path and query of the request whose answer never ends.
    pub subscribe: String,
    /// Path and query that messages are posted to.
    pub publish: String,
    /// A message, with [`MARK`] in it.
    pub message: String,
    /// Subscribers of the first step; each further one has twice as many.
    pub subscribers: usize,
    /// Number of steps.
    pub steps: usize,
    /// Messages of a step.
    pub messages: u64,
    /// The longest time for a connection, for the answer to a message, and without any
    /// message once all have been published.
    pub timeout: Duration,
    /// What tells this run's messages from those of any other.
    pub nonce: u64,
}

/// What came of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Subscribers asked for.
    pub subscribers: usize,
    /// Those that there were when it began.
    pub connected: usize,
    /// Those that fell away in it.
    pub fell_away: usize,
    /// Messages that the server took.
    pub published: u64,
    /// Messages that it did not.
    pub refused: u64,
    /// Messages that reached a subscriber, over all of them, each once.
    pub received: u64,
    /// Messages that came more than once.
    pub doubled: u64,
    /// From the begin of the first message's request to the last message's arrival,
    /// seconds; `None` if none arrived.
    pub seconds: Option<f64>,
}

impl Step {
    /// Messages that did not reach a subscriber that was asked for.
    pub fn lost(&self) -> u64 {
        (self.published * self.subscribers as u64).saturating_sub(self.received)
    }

    /// Messages a second that reached all subscribers asked for; lost ones count for
    /// nothing. `None` if none arrived.
    pub fn per_second(&self) -> Option<f64> {
        let seconds = self.seconds.filter(|seconds| *seconds > 0.0)?;
        Some(self.received as f64 / self.subscribers as f64 / seconds)
    }

    /// Whether every message reached every subscriber once.
    pub fn is_whole(&self) -> bool {
        self.lost() == 0 && self.doubled == 0 && self.refused == 0 && self.fell_away == 0
    }
}

/// Why nothing can be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A host has no address.
    #[error("{host} has no address: {why}")]
    Address {
        /// The host.
        host: String,
        /// What the resolver says.
        why: String,
    },
    /// Nobody listens, or nobody lets anybody subscribe.
    #[error("no subscriber could be connected to {host}: {why}")]
    NoSubscriber {
        /// The host.
        host: String,
        /// What went wrong with the last of them.
        why: String,
    },
    /// More connections than this process may have.
    #[error(
        "{needed} connections are more than this process may have ({limit}); raise the limit of \
         open files, or take fewer subscribers or steps"
    )]
    Descriptors {
        /// How many files there would be.
        needed: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The system does not let us wait for connections.
    #[error("cannot wait for connections: {0}")]
    Poll(#[from] std::io::Error),
}

/// Runs all steps and tells each as it ends. `stop` is asked again and again; when it says
/// yes the step under way is not told.
///
/// # Errors
/// When nothing can be measured.
pub fn run(
    question: &Question,
    stop: &dyn Fn() -> bool,
    told: &mut dyn FnMut(&Step),
) -> Result<(), Error> {
    descriptors::raise(most_subscribers(question))?;
    let mut pool = Pool::new(question)?;
    let mut subscribers = question.subscribers;
    for number in 0..question.steps {
        pool.grow_to(subscribers, stop)?;
        if stop() {
            return Ok(());
        }
        let mark = format!("tenbin-{:016x}-{number}-", question.nonce);
        let step = step(question, &mut pool, subscribers, &mark, stop)?;
        if stop() {
            return Ok(());
        }
        told(&step);
        subscribers = subscribers.saturating_mul(2);
    }
    Ok(())
}

/// Those of the last step.
pub fn most_subscribers(question: &Question) -> u64 {
    let doublings = u32::try_from(question.steps.saturating_sub(1)).unwrap_or(u32::MAX);
    (question.subscribers as u64).saturating_mul(2_u64.saturating_pow(doublings))
}

/// How often it is looked whether a step is over.
const LOOK: Duration = Duration::from_millis(10);

fn step(
    question: &Question,
    pool: &mut Pool,
    subscribers: usize,
    mark: &str,
    stop: &dyn Fn() -> bool,
) -> Result<Step, Error> {
    pool.begin(mark);
    let connected = pool.standing();
    let begun = Instant::now();
    let publisher = Publisher::start(question, mark);
    let mut last: Option<Instant> = None;
    let mut quiet_since = begun;
    while !stop() {
        if pool.turn(LOOK)? {
            last = Some(Instant::now());
            quiet_since = Instant::now();
        }
        if !publisher.is_done() {
            quiet_since = Instant::now();
        } else if pool.has_all(publisher.published()) || quiet_since.elapsed() > question.timeout {
            break;
        }
    }
    let (published, refused) = publisher.end();
    let (received, doubled) = pool.counts(published);
    Ok(Step {
        subscribers,
        connected,
        fell_away: connected.saturating_sub(pool.standing()),
        published,
        refused,
        received,
        doubled,
        seconds: last.map(|last| last.duration_since(begun).as_secs_f64()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step {
        subscribers: 10,
        connected: 10,
        fell_away: 0,
        published: 100,
        refused: 0,
        received: 1000,
        doubled: 0,
        seconds: Some(2.0),
    };

    #[test]
    fn lost_messages_are_no_throughput() {
        assert_eq!((STEP.lost(), STEP.per_second()), (0, Some(50.0)));
        assert!(STEP.is_whole());
        let lossy = Step {
            received: 900,
            ..STEP
        };
        assert_eq!((lossy.lost(), lossy.per_second()), (100, Some(45.0)));
        assert!(!lossy.is_whole());
        let silent = Step {
            received: 0,
            seconds: None,
            ..STEP
        };
        assert_eq!(silent.per_second(), None);
    }

    #[test]
    fn who_never_connected_has_lost_everything() {
        let fewer = Step {
            connected: 5,
            received: 500,
            ..STEP
        };
        assert_eq!(fewer.lost(), 500);
    }
}
