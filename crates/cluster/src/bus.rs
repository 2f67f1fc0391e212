//! A connection to a NATS server for threads without an async runtime. A thread of its own runs the
//! client; messages pass through channels.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectOptions, Event, Subscriber};
use futures_util::StreamExt as _;
use futures_util::future::select;
use futures_util::stream::select_all;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tenbin_plan::{Sentence, sentence};
use tokio::sync::{mpsc as queue, oneshot};
use tokio::time::{sleep, timeout};

use crate::creds::Creds;
use crate::error::ClusterError;

/// Time limit of the first connection, with all attempts and subscriptions.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit of an attempt to connect to one address of the server.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval of pings. A connection whose server misses two pings is opened again.
const PING: Duration = Duration::from_secs(1);
/// Longest time that dropping a [`Bus`] takes, while the last messages are sent.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Messages of one subscription, and of all subscriptions together, that may wait to be read.
/// Further messages are lost, which is reported as [`Incoming::TooSlow`].
const MOST_WAITING: usize = 65_536;

/// A message from the server, or a change of the connection.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message {
        subject: String,
        payload: Vec<u8>,
        /// When the message arrived.
        at: Instant,
    },
    /// The connection was lost; the client opens it again.
    Disconnected,
    /// The connection is open, at first or again.
    Connected,
    /// Messages were lost because this process was too slow.
    TooSlow,
    /// A message was not sent, because it is larger than the server allows; bytes.
    TooLarge(usize),
    /// The credentials do not allow what this client does.
    Forbidden,
}

/// The messages that wait to be read: a limited number.
#[derive(Debug)]
pub(crate) struct Inbox {
    waiting: Receiver<Incoming>,
    /// Whether a message was dropped because too many waited.
    is_overrun: Arc<AtomicBool>,
}

impl Inbox {
    /// The next message. After messages were lost, [`Incoming::TooSlow`] comes first.
    pub(crate) fn recv_timeout(&self, wait: Duration) -> Result<Incoming, RecvTimeoutError> {
        if self.is_overrun.swap(false, Ordering::Relaxed) {
            Ok(Incoming::TooSlow)
        } else {
            self.waiting.recv_timeout(wait)
        }
    }
}

/// Adds messages to an [`Inbox`], and never waits.
#[derive(Debug, Clone)]
struct Delivery {
    waiting: SyncSender<Incoming>,
    is_overrun: Arc<AtomicBool>,
}

impl Delivery {
    /// Returns whether anybody still reads messages.
    fn add(&self, incoming: Incoming) -> bool {
        match self.waiting.try_send(incoming) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.is_overrun.store(true, Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}

fn delivery(most: usize) -> (Delivery, Inbox) {
    let (sender, waiting) = mpsc::sync_channel(most);
    let is_overrun = Arc::new(AtomicBool::new(false));
    let delivery = Delivery {
        waiting: sender,
        is_overrun: Arc::clone(&is_overrun),
    };
    (
        delivery,
        Inbox {
            waiting,
            is_overrun,
        },
    )
}

/// Decides on the NATS thread whether a message, by subject, content and time of arrival, is worth
/// reading.
pub(crate) type Filter = Box<dyn Fn(&str, &[u8], Instant) -> bool + Send>;

/// Where the server is, and how to log in.
#[derive(Debug, Clone)]
pub struct Server {
    /// URL: `nats://HOST:PORT`, or `tls://HOST:PORT` to refuse a connection without TLS.
    pub url: String,
    /// Credentials; `None` for a server that needs none.
    pub creds: Option<Creds>,
}

/// A connection to a NATS server. Closed when dropped.
#[derive(Debug)]
pub(crate) struct Bus {
    outbox: Outbox,
    closing: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Sends messages; can be copied to other threads.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(queue::UnboundedSender<Outgoing>);

#[derive(Debug)]
enum Outgoing {
    Message { subject: String, payload: Vec<u8> },
    Close,
}

impl Outbox {
    /// Sends `message` to `subject`. Does not wait; whether the message arrived is known only from
    /// a response.
    pub(crate) fn send(&self, subject: &str, message: &impl Serialize) {
        self.send_bytes(subject, rmp_serde::to_vec(message));
    }

    /// Sends `message` with the names of its fields, which other builds can read.
    pub(crate) fn send_named(&self, subject: &str, message: &impl Serialize) {
        self.send_bytes(subject, rmp_serde::to_vec_named(message));
    }

    fn send_bytes(&self, subject: &str, payload: Result<Vec<u8>, rmp_serde::encode::Error>) {
        let payload = payload.expect("messages can be serialized");
        // Fails only after the bus was closed.
        let _ = self.0.send(Outgoing::Message {
            subject: subject.to_owned(),
            payload,
        });
    }
}

/// Reads a message; `None` if it has another form, for example from another version.
pub(crate) fn read<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    rmp_serde::from_slice(payload).ok()
}

impl Bus {
    /// Connects to `server` and subscribes to `subjects`. `name` is shown by the server's tools;
    /// `inbox` is the prefix of this client's inboxes. Messages that `filter` rejects are dropped.
    ///
    /// # Errors
    /// When the server cannot be reached within 5 seconds, or refuses the credentials.
    pub(crate) fn connect(
        server: &Server,
        name: &str,
        inbox: &str,
        subjects: Vec<String>,
        filter: Filter,
    ) -> Result<(Self, Inbox), ClusterError> {
        let (outbox, outgoing) = queue::unbounded_channel();
        let (incoming, received) = delivery(MOST_WAITING);
        let (opened, result) = mpsc::channel();
        let (closing, closed) = oneshot::channel();
        let refuse = |why: Sentence| ClusterError::Connect {
            url: server.url.clone(),
            why,
        };
        let session = Session {
            url: server.url.clone(),
            options: connect_options(server, name, inbox, incoming.clone()),
            subjects,
            filter,
            incoming,
            outgoing,
            opened,
            closed,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refuse(Sentence::from(&error)))?;
        let thread = thread::Builder::new().name("nats".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(session.run());
            // A reconnection may be waiting for the address of a host.
            runtime.shutdown_background();
        });
        let thread = thread.map_err(|error| refuse(Sentence::from(&error)))?;
        match result.recv() {
            Ok(Ok(())) => Ok((
                Self {
                    outbox: Outbox(outbox),
                    closing: Some(closing),
                    thread: Some(thread),
                },
                received,
            )),
            Ok(Err(why)) if server.creds.is_none() && why.text().contains("UnknownIssuer") => {
                Err(refuse(sentence!(
                    "nats-without-creds",
                    "the hub's certificate is not known: use --creds FILE (written by tenbin hub)"
                )))
            }
            Ok(Err(why)) => Err(refuse(why)),
            Err(_) => Err(refuse(sentence!("nats-client-ended", "the client ended"))),
        }
    }

    /// Sends messages.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }
}

impl Drop for Bus {
    /// Sends what is still waiting, for at most two seconds.
    fn drop(&mut self) {
        let _ = self.outbox.0.send(Outgoing::Close);
        drop(self.closing.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The options of the client, which reports changes of the connection to `changes`.
fn connect_options(server: &Server, name: &str, inbox: &str, changes: Delivery) -> ConnectOptions {
    let options = ConnectOptions::new()
        .name(name)
        .custom_inbox_prefix(inbox)
        .connection_timeout(ATTEMPT_TIMEOUT)
        .ping_interval(PING)
        .subscription_capacity(MOST_WAITING)
        .ignore_discovered_servers()
        .event_callback(move |event| {
            let change = match event {
                Event::Disconnected => Some(Incoming::Disconnected),
                Event::Connected => Some(Incoming::Connected),
                Event::SlowConsumer(_) => Some(Incoming::TooSlow),
                Event::ServerError(error) if is_forbidden(&error) => Some(Incoming::Forbidden),
                _ => None,
            };
            if let Some(change) = change {
                changes.add(change);
            }
            std::future::ready(())
        });
    let Some(creds) = &server.creds else {
        return options;
    };
    let options = options.nkey(creds.seed.clone());
    match &creds.authority {
        Some(authority) => options
            .add_root_certificates(authority.clone())
            .require_tls(true),
        None => options,
    }
}

/// What the thread of a [`Bus`] needs to connect, and to pass messages in both directions.
struct Session {
    url: String,
    options: ConnectOptions,
    subjects: Vec<String>,
    filter: Filter,
    incoming: Delivery,
    outgoing: queue::UnboundedReceiver<Outgoing>,
    /// Receives the result of the first connection.
    opened: mpsc::Sender<Result<(), Sentence>>,
    /// Ends when the bus is dropped.
    closed: oneshot::Receiver<()>,
}

impl Session {
    /// Connects, then passes messages until the bus is closed.
    async fn run(self) {
        let opening = open(&self.url, self.options, self.subjects);
        let seconds = CONNECT_TIMEOUT.as_secs();
        let no_response = |_| {
            Err(sentence!(
                "nats-no-response",
                "no response within {seconds} s",
                seconds
            ))
        };
        let opening = timeout(CONNECT_TIMEOUT, opening).await;
        let client = match opening.unwrap_or_else(no_response) {
            Ok((client, subscribers)) => {
                let _ = self.opened.send(Ok(()));
                let incoming = self.incoming.clone();
                tokio::spawn(forward(subscribers, incoming, self.filter));
                client
            }
            Err(why) => {
                let _ = self.opened.send(Err(why));
                return;
            }
        };
        let too_long = async {
            let _ = self.closed.await;
            sleep(CLOSE_TIMEOUT).await;
        };
        let sent = publish(&client, self.outgoing, &self.incoming);
        select(pin!(sent), pin!(too_long)).await;
    }
}

async fn open(
    url: &str,
    options: ConnectOptions,
    subjects: Vec<String>,
) -> Result<(Client, Vec<Subscriber>), Sentence> {
    let client = options.connect(url).await.map_err(|error| chain(&error))?;
    let mut subscribers = Vec::new();
    for subject in subjects {
        let subscriber = client.subscribe(subject).await;
        subscribers.push(subscriber.map_err(|error| chain(&error))?);
    }
    // The server knows the subscriptions before the caller goes on.
    client.flush().await.map_err(|error| chain(&error))?;
    Ok((client, subscribers))
}

/// The message of an error with its causes.
fn chain(error: &dyn std::error::Error) -> Sentence {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    sentence!("nats-said", "{text}", text)
}

/// Whether the server reports a missing permission.
fn is_forbidden(error: &async_nats::ServerError) -> bool {
    let text = error.to_string().to_lowercase();
    text.contains("permissions violation")
}

async fn forward(subscribers: Vec<Subscriber>, incoming: Delivery, filter: Filter) {
    let mut messages = select_all(subscribers);
    while let Some(message) = messages.next().await {
        let at = Instant::now();
        if !filter(&message.subject, &message.payload, at) {
            continue;
        }
        let is_read = incoming.add(Incoming::Message {
            subject: message.subject.to_string(),
            payload: message.payload.to_vec(),
            at,
        });
        if !is_read {
            return;
        }
    }
}

async fn publish(
    client: &Client,
    mut outgoing: queue::UnboundedReceiver<Outgoing>,
    failed: &Delivery,
) {
    while let Some(next) = outgoing.recv().await {
        match next {
            Outgoing::Message { payload, .. } if payload.len() > client.max_payload() => {
                failed.add(Incoming::TooLarge(payload.len()));
            }
            Outgoing::Message { subject, payload } => {
                // Fails only after the client was closed.
                let _ = client.publish(subject, payload.into()).await;
            }
            Outgoing::Close => break,
        }
    }
    let _ = client.flush().await;
}

/// A bus without a server.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// What was sent on a bus without a server.
    pub(crate) struct Sent(queue::UnboundedReceiver<Outgoing>);

    impl Sent {
        /// The next message, with its subject.
        pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Option<(String, T)> {
            match self.0.try_recv() {
                Ok(Outgoing::Message { subject, payload }) => {
                    let message = rmp_serde::from_slice(&payload).expect("a message");
                    Some((subject, message))
                }
                _ => None,
            }
        }
    }

    /// Adds messages to the inbox of a bus without a server.
    pub(crate) struct Arriving(Delivery);

    impl Arriving {
        pub(crate) fn add(&self, subject: &str, message: &impl Serialize) {
            self.0.add(Incoming::Message {
                subject: subject.to_owned(),
                payload: rmp_serde::to_vec(message).expect("a message"),
                at: Instant::now(),
            });
        }
    }

    pub(crate) fn bus() -> (Bus, Sent, Inbox, Arriving) {
        let (outbox, outgoing) = queue::unbounded_channel();
        let (delivery, inbox) = delivery(64);
        let bus = Bus {
            outbox: Outbox(outbox),
            closing: None,
            thread: None,
        };
        (bus, Sent(outgoing), inbox, Arriving(delivery))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    /// Connects to a server that responds to this number of pings and to nothing after them. Returns
    /// the result and how long it took.
    fn connect_to_an_unresponsive_server(
        after_pings: usize,
    ) -> (Result<(Bus, Inbox), ClusterError>, Duration) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let info = "INFO {\"server_id\":\"s\",\"version\":\"2.11.0\",\"proto\":1,\
                        \"headers\":true,\"max_payload\":1048576}\r\n";
            stream.write_all(info.as_bytes()).expect("a client");
            let lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
            let pings = lines.map_while(Result::ok).filter(|line| line == "PING");
            for _ in pings.take(after_pings) {
                stream.write_all(b"PONG\r\n").expect("a client");
            }
            thread::sleep(Duration::from_secs(60));
        });
        let server = Server {
            url: format!("nats://127.0.0.1:{port}"),
            creds: None,
        };
        let keep_all = Box::new(|_: &str, _: &[u8], _| true);
        let start = Instant::now();
        let connected = Bus::connect(&server, "test", "inbox", vec!["a".to_owned()], keep_all);
        (connected, start.elapsed())
    }

    #[test]
    fn an_unresponsive_server_delays_a_connection_for_a_limited_time() {
        let (connected, took) = connect_to_an_unresponsive_server(0);
        let error = connected.expect_err("no connection");
        assert!(error.to_string().contains("cannot connect"), "{error}");
        assert!(took < 3 * CONNECT_TIMEOUT, "{took:?}");
    }

    #[test]
    fn an_unresponsive_server_delays_the_end_for_a_limited_time() {
        let (connected, _) = connect_to_an_unresponsive_server(2);
        let (bus, _inbox) = connected.expect("connected");
        for _ in 0..5_000 {
            bus.outbox().send("a", &"x".repeat(9_000));
        }
        let start = Instant::now();
        drop(bus);
        let took = start.elapsed();
        assert!(took < 3 * CLOSE_TIMEOUT, "{took:?}");
    }

    #[test]
    fn a_full_inbox_loses_messages_without_waiting_and_says_so() {
        let (delivery, inbox) = delivery(2);
        for bytes in 0..3 {
            assert!(delivery.add(Incoming::TooLarge(bytes)));
        }
        let next = || inbox.recv_timeout(Duration::ZERO);
        assert!(matches!(next(), Ok(Incoming::TooSlow)));
        assert!(matches!(next(), Ok(Incoming::TooLarge(0))));
        assert!(matches!(next(), Ok(Incoming::TooLarge(1))));
        assert!(matches!(next(), Err(RecvTimeoutError::Timeout)));
        drop(inbox);
        assert!(!delivery.add(Incoming::TooSlow));
    }
}
