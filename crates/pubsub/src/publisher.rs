//! The publisher: a thread that posts messages one after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{Config, MARK};

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
    pub(crate) fn start(config: &Config, mark: &str) -> Self {
        let progress = Arc::new(Progress::default());
        let host = config.hosts.first().cloned().unwrap_or_default();
        let url = format!("http://{host}{}", config.publish);
        let (before, after) = config
            .message
            .split_once(MARK)
            .unwrap_or((&config.message, ""));
        let before = format!("{before}{mark}");
        let after = after.to_owned();
        let (messages, timeout) = (config.messages, config.timeout);
        let counters = Arc::clone(&progress);
        let thread = std::thread::spawn(move || {
            publish(&counters, &url, messages, timeout, &|number| {
                format!("{before}{number}{after}")
            });
            counters.done.store(true, Ordering::Release);
        });
        Self { progress, thread }
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
    url: &str,
    messages: u64,
    timeout: Duration,
    message: &dyn Fn(u64) -> String,
) {
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(timeout))
        .proxy(None)
        .max_redirects(0)
        .build();
    let agent = ureq::Agent::new_with_config(agent);
    for number in 0..messages {
        if progress.stop.load(Ordering::Acquire) {
            return;
        }
        let sent = agent
            .post(url)
            .content_type("application/json")
            .send(message(number));
        // The connection can be reused only after the entire response was read.
        let accepted = sent.and_then(|response| response.into_body().read_to_vec());
        let counter = match accepted {
            Ok(_) => &progress.published,
            Err(_) => &progress.refused,
        };
        counter.fetch_add(1, Ordering::AcqRel);
    }
}
