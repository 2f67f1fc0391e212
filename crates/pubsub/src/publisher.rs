//! The publisher: a thread that posts messages one after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

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

/// A change in the state of a message.
#[derive(Debug)]
pub(crate) struct Post {
    /// Number of the message in its step.
    pub(crate) number: u64,
    pub(crate) at: Instant,
    pub(crate) state: PostState,
}

/// State of a message at the publisher.
#[derive(Debug)]
pub(crate) enum PostState {
    /// The request starts.
    Started,
    /// The server accepted the message.
    Accepted,
    /// The server rejected the message or did not respond in time, with the reason.
    Refused(String),
}

/// The publisher thread of one step.
#[derive(Debug)]
pub(crate) struct Publisher {
    progress: Arc<Progress>,
    posts: Receiver<Post>,
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
        let (sender, posts) = channel();
        let thread = std::thread::spawn(move || {
            // Subscribers read the digits up to the hyphen.
            let message = |number: u64| format!("{before}{number}-{after}");
            publish(&counters, &client, &path, messages, &message, &sender);
            counters.done.store(true, Ordering::Release);
        });
        Ok(Self {
            progress,
            posts,
            thread,
        })
    }

    /// Whether every message has been accepted or rejected, or has timed out.
    pub(crate) fn is_done(&self) -> bool {
        self.progress.done.load(Ordering::Acquire)
    }

    /// Messages that the server has accepted so far.
    pub(crate) fn published(&self) -> u64 {
        self.progress.published.load(Ordering::Acquire)
    }

    /// The changes of messages since the last call.
    pub(crate) fn posts(&self) -> impl Iterator<Item = Post> + '_ {
        self.posts.try_iter()
    }

    /// Stops the publisher. Returns two numbers of messages (accepted, and rejected or without a
    /// response in time) and the changes since the last call of [`Self::posts`].
    pub(crate) fn end(self) -> (u64, u64, Vec<Post>) {
        self.progress.stop.store(true, Ordering::Release);
        // If the thread has panicked, its counts up to the panic are valid.
        let _ = self.thread.join();
        (
            self.progress.published.load(Ordering::Acquire),
            self.progress.refused.load(Ordering::Acquire),
            self.posts.try_iter().collect(),
        )
    }
}

fn publish(
    progress: &Progress,
    client: &Client,
    path: &str,
    messages: u64,
    message: &dyn Fn(u64) -> String,
    posts: &Sender<Post>,
) {
    for number in 0..messages {
        if progress.stop.load(Ordering::Acquire) {
            return;
        }
        let tell = |state| {
            let at = Instant::now();
            // The receiver is dropped only after this thread has ended.
            let _ = posts.send(Post { number, at, state });
        };
        let text = message(number);
        tell(PostState::Started);
        let (state, counter) = match client.post(path, "application/json", text.as_bytes()) {
            Ok(reply) if reply.status < 400 => (PostState::Accepted, &progress.published),
            Ok(reply) => {
                let why = format!("status {}", reply.status);
                (PostState::Refused(why), &progress.refused)
            }
            Err(error) => (PostState::Refused(error.to_string()), &progress.refused),
        };
        tell(state);
        counter.fetch_add(1, Ordering::AcqRel);
    }
}
