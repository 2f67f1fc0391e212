//! Publish/subscribe benchmark over HTTP streaming: measures the throughput of messages to all
//! subscribers while the number of subscribers doubles in steps.
//!
//! A subscriber is a connection with an endless response. Every message contains a marker, which
//! the subscribers count in the received bytes, whatever the message format of the server. Messages
//! that do not arrive within the timeout count as lost.

mod descriptors;
mod messages;
mod pool;
mod publisher;
mod stream;

use std::time::{Duration, Instant};

use crate::messages::Messages;
use crate::pool::Pool;
use crate::publisher::Publisher;

pub use crate::messages::{ListedMessage, MOST_LISTED};

/// Placeholder in the message text, replaced by the marker.
pub const MARK: &str = "{id}";

/// Settings of a benchmark.
#[derive(Debug, Clone)]
pub struct Config {
    /// `host:port` of each server. Subscribers are distributed over the hosts in turn; messages are
    /// published to the first host.
    pub hosts: Vec<String>,
    /// Path and query of the subscription request.
    pub subscribe: String,
    /// Path and query that messages are posted to.
    pub publish: String,
    /// Text of every message; must contain [`MARK`].
    pub message: String,
    /// Number of subscribers in the first step; every further step doubles the number.
    pub subscribers: usize,
    /// Number of steps.
    pub steps: usize,
    /// Messages published in each step.
    pub messages: u64,
    /// Timeout for connecting and for the response to a published message. A step also ends if no
    /// message arrives for this time after the last message was published.
    pub timeout: Duration,
    /// Number in the markers that distinguishes this run from other runs.
    pub nonce: u64,
}

/// Result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Configured number of subscribers.
    pub subscribers: usize,
    /// Subscribers connected when the step started.
    pub connected: usize,
    /// Subscribers whose connection ended during the step.
    pub disconnected: usize,
    /// Number of messages that the server accepted.
    pub published: u64,
    /// Number of messages that the server rejected or did not respond to in time.
    pub refused: u64,
    /// Number of messages received, without duplicates, summed over all subscribers.
    pub received: u64,
    /// Number of duplicate messages received, summed over all subscribers.
    pub duplicates: u64,
    /// Seconds from the start of the first publish request to the arrival of the last message;
    /// `None` if no message arrived.
    pub seconds: Option<f64>,
    /// At most [`MOST_LISTED`] of the slowest messages that every subscriber received, slowest
    /// first.
    pub slowest: Vec<ListedMessage>,
    /// The first messages, at most [`MOST_LISTED`], that the server did not accept or that a
    /// subscriber did not receive, by number.
    pub failed: Vec<ListedMessage>,
}

impl Step {
    /// Number of lost messages: an accepted message counts once for each configured subscriber that
    /// did not receive the message.
    pub fn lost(&self) -> u64 {
        (self.published * self.subscribers as u64).saturating_sub(self.received)
    }

    /// Mean number of messages received per second and configured subscriber; `None` if no message
    /// arrived.
    pub fn per_second(&self) -> Option<f64> {
        let seconds = self.seconds.filter(|seconds| *seconds > 0.0)?;
        Some(self.received as f64 / self.subscribers as f64 / seconds)
    }

    /// Whether the server accepted all messages, every subscriber received each message exactly
    /// once, and no connection ended.
    pub fn is_complete(&self) -> bool {
        self.lost() == 0 && self.duplicates == 0 && self.refused == 0 && self.disconnected == 0
    }
}

/// An error that prevents the benchmark from running.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of a host cannot be resolved.
    #[error("{host} cannot be resolved: {why}")]
    Address {
        /// `host:port` of the server.
        host: String,
        /// Reason given by the resolver.
        why: String,
    },
    /// No subscriber could be connected to any host.
    #[error("no subscriber could be connected to {host}: {why}")]
    NoSubscriber {
        /// `host:port` of the first server in the configuration.
        host: String,
        /// Error of the subscriber that failed last.
        why: String,
    },
    /// The limit of open files is too low for the connections.
    #[error(
        "{needed} connections exceed this process's limit of open files ({limit}); raise the \
         limit, or use fewer subscribers or steps"
    )]
    Descriptors {
        /// Number of open files needed.
        needed: u64,
        /// Limit of open files of this process.
        limit: u64,
    },
    /// The operating system cannot poll the connections.
    #[error("cannot poll the connections: {0}")]
    Poll(#[from] std::io::Error),
}

/// Runs all steps and passes the result of each completed step to `report`. If `stop` returns true,
/// the benchmark ends without a report of the current step.
///
/// # Errors
/// If the benchmark cannot run.
pub fn run(
    config: &Config,
    stop: &dyn Fn() -> bool,
    report: &mut dyn FnMut(&Step),
) -> Result<(), Error> {
    descriptors::raise(most_subscribers(config))?;
    let mut pool = Pool::new(config)?;
    let mut subscribers = config.subscribers;
    for number in 0..config.steps {
        pool.grow_to(subscribers, stop)?;
        if stop() {
            return Ok(());
        }
        let mark = format!("tenbin-{:016x}-{number}-", config.nonce);
        let step = step(config, &mut pool, subscribers, &mark, stop)?;
        if stop() {
            return Ok(());
        }
        report(&step);
        subscribers = subscribers.saturating_mul(2);
    }
    Ok(())
}

/// Number of subscribers in the last step.
pub fn most_subscribers(config: &Config) -> u64 {
    let doublings = u32::try_from(config.steps.saturating_sub(1)).unwrap_or(u32::MAX);
    (config.subscribers as u64).saturating_mul(2_u64.saturating_pow(doublings))
}

/// Longest wait for messages between two checks of whether the step is complete.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

fn step(
    config: &Config,
    pool: &mut Pool,
    subscribers: usize,
    mark: &str,
    stop: &dyn Fn() -> bool,
) -> Result<Step, Error> {
    pool.start_counting(mark);
    let connected = pool.connected();
    let started = Instant::now();
    let publisher = Publisher::start(config, mark)?;
    let mut messages = Messages::new(started, subscribers, connected);
    let mut last: Option<Instant> = None;
    let mut quiet_since = started;
    while !stop() {
        if pool.poll(POLL_INTERVAL)? {
            last = Some(Instant::now());
            quiet_since = Instant::now();
        }
        messages.posted(publisher.posts());
        messages.arrived(pool.arrivals());
        if !publisher.is_done() {
            quiet_since = Instant::now();
        } else if pool.have_all(publisher.published()) || quiet_since.elapsed() > config.timeout {
            break;
        }
    }
    let (published, refused, posts) = publisher.end();
    messages.posted(posts);
    let (slowest, failed) = messages.into_lists();
    let (received, duplicates) = pool.counts(published);
    let mut step = Step {
        subscribers,
        connected,
        disconnected: connected.saturating_sub(pool.connected()),
        published,
        refused,
        received,
        duplicates,
        seconds: last.map(|last| last.duration_since(started).as_secs_f64()),
        slowest,
        failed,
    };
    // A message that took long can arrive after the list has given the message up.
    if step.refused == 0 && step.lost() == 0 {
        step.failed.clear();
    }
    Ok(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Step = Step {
        subscribers: 10,
        connected: 10,
        disconnected: 0,
        published: 100,
        refused: 0,
        received: 1000,
        duplicates: 0,
        seconds: Some(2.0),
        slowest: Vec::new(),
        failed: Vec::new(),
    };

    #[test]
    fn lost_messages_are_not_throughput() {
        assert_eq!((STEP.lost(), STEP.per_second()), (0, Some(50.0)));
        assert!(STEP.is_complete());
        let lossy = Step {
            received: 900,
            ..STEP
        };
        assert_eq!((lossy.lost(), lossy.per_second()), (100, Some(45.0)));
        assert!(!lossy.is_complete());
        let none_arrived = Step {
            received: 0,
            seconds: None,
            ..STEP
        };
        assert_eq!(none_arrived.per_second(), None);
    }

    #[test]
    fn a_subscriber_that_never_connected_loses_every_message() {
        let fewer = Step {
            connected: 5,
            received: 500,
            ..STEP
        };
        assert_eq!(fewer.lost(), 500);
    }
}
