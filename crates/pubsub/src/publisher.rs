//! The one that publishes: a thread that posts one message after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{MARK, Question};

/// How far a step's publishing has come.
#[derive(Debug, Default)]
struct Progress {
    published: AtomicU64,
    refused: AtomicU64,
    done: AtomicBool,
    stop: AtomicBool,
}

/// Publishes the messages of one step.
#[derive(Debug)]
pub(crate) struct Publisher {
    progress: Arc<Progress>,
    thread: JoinHandle<()>,
}

impl Publisher {
    /// Begins to publish messages with this mark.
    pub(crate) fn start(question: &Question, mark: &str) -> Self {
        let progress = Arc::new(Progress::default());
        let host = question.hosts.first().cloned().unwrap_or_default();
        let url = format!("http://{host}{}", question.publish);
        let (before, after) = question
            .message
            .split_once(MARK)
            .unwrap_or((&question.message, ""));
        let before = format!("{before}{mark}");
        let after = after.to_owned();
        let (messages, timeout) = (question.messages, question.timeout);
        let mine = Arc::clone(&progress);
        let thread = std::thread::spawn(move || {
            publish(&mine, &url, messages, timeout, &|number| {
                format!("{before}{number}{after}")
            });
            mine.done.store(true, Ordering::Release);
        });
        Self { progress, thread }
    }

    /// Whether every message was offered.
    pub(crate) fn is_done(&self) -> bool {
        self.progress.done.load(Ordering::Acquire)
    }

    /// Messages that the server took so far.
    pub(crate) fn published(&self) -> u64 {
        self.progress.published.load(Ordering::Acquire)
    }

    /// Ends it and tells how many messages the server took, and how many it did not.
    pub(crate) fn end(self) -> (u64, u64) {
        self.progress.stop.store(true, Ordering::Release);
        // A publisher that panicked has published what it counted.
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
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(timeout))
        .proxy(None)
        .build();
    let agent = ureq::Agent::new_with_config(config);
    for number in 0..messages {
        if progress.stop.load(Ordering::Acquire) {
            return;
        }
        let sent = agent
            .post(url)
            .content_type("application/json")
            .send(message(number));
        // The rest of an answer is read, so that its connection can be used again.
        let taken = sent.and_then(|answer| answer.into_body().read_to_vec());
        let counter = match taken {
            Ok(_) => &progress.published,
            Err(_) => &progress.refused,
        };
        counter.fetch_add(1, Ordering::AcqRel);
    }
}
