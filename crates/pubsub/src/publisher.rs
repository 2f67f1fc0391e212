//! The publisher: a thread that posts messages one after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use tenbin_http::{Client, Login};

use crate::{Config, Error, MARK};

/// Size of the largest response to a message, bytes.
const MAX_BODY: usize = 10 << 20;

/// Progress of the publisher in one step.
#[derive(Debug, Default)]
struct Progress {
    published: AtomicU64,
    refused: AtomicU64,
    done: AtomicBool,
    stop: AtomicBool,
}

/// The publisher thread of one step.
#[derive(Debug)]
pub(crate) struct Publisher {
    progress: Arc<Progress>,
    thread: JoinHandle<()>,
}

impl Publisher {
    /// Starts to publish messages with this marker.
    ///
    /// # Errors
    /// If the first host cannot be part of a URL.
    pub(crate) fn start(config: &Config, mark: &str) -> Result<Self, Error> {
        let progress = Arc::new(Progress::default());
        let host = config.hosts.first().cloned().unwrap_or_default();
        let client = Client::new(&format!("http://{host}"), &Login::default());
        let mut client = client.map_err(|error| Error::Address {
            host,
            why: error.to_string(),
        })?;
        client.set_timeout(config.timeout);
        client.set_max_body(MAX_BODY);
        let path = config.publish.clone();
        let (before, after) = config
            .message
            .split_once(MARK)
            .unwrap_or((&config.message, ""));
        let before = format!("{before}{mark}");
        let after = after.to_owned();
        let messages = config.messages;
        let counters = Arc::clone(&progress);
        let thread = std::thread::spawn(move || {
            publish(&counters, &client, &path, messages, &|number| {
                format!("{before}{number}{after}")
            });
            counters.done.store(true, Ordering::Release);
        });
        Ok(Self { progress, thread })
    }

    /// Whether every message has been accepted or rejected, or has timed out.
    pub(crate) fn is_done(&self) -> bool {
        self.progress.done.load(Ordering::Acquire)
    }

    /// Messages that the server has accepted so far.
    pub(crate) fn published(&self) -> u64 {
        self.progress.published.load(Ordering::Acquire)
    }

    /// Stops the publisher. Returns two numbers of messages: accepted, and rejected or without a
    /// response in time.
    pub(crate) fn end(self) -> (u64, u64) {
        self.progress.stop.store(true, Ordering::Release);
        // If the thread has panicked, its counts up to the panic are valid.
        let _ = self.thread.join();
        (
            self.progress.published.load(Ordering::Acquire),
            self.progress.refused.load(Ordering::Acquire),
        )
    }
}

fn publish(
    progress: &Progress,
    client: &Client,
    path: &str,
    messages: u64,
    message: &dyn Fn(u64) -> String,
) {
    for number in 0..messages {
        if progress.stop.load(Ordering::Acquire) {
            return;
        }
        let sent = client.post(path, "application/json", message(number).as_bytes());
        let counter = match sent {
            Ok(reply) if reply.status < 400 => &progress.published,
            _ => &progress.refused,
        };
        counter.fetch_add(1, Ordering::AcqRel);
    }
}
