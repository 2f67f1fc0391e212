//! The subscribers: connections with endless responses, polled by one thread.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::stream::Stream;
use crate::{Config, Error};

/// Largest number of connections being opened at the same time, because servers limit the number of
/// connections that wait to be accepted.
const MAX_CONNECTING: usize = 100;
/// Longest wait for response headers once no subscriber has received headers before the timeout:
/// the server then probably sends the headers only with the first message.
const UNCONFIRMED_WAIT: Duration = Duration::from_secs(1);
const READ_BUFFER: usize = 64 << 10;

/// The subscribers and their event loop.
pub(crate) struct Pool {
    poll: Poll,
    events: Events,
    hosts: Vec<Host>,
    subscribers: Vec<Subscriber>,
    timeout: Duration,
    /// Longest wait for the response headers of new subscribers.
    confirm_timeout: Duration,
    mark: Vec<u8>,
    /// Numbers of messages that arrived at subscribers, with their times.
    arrivals: Vec<(u64, Instant)>,
    buffer: Vec<u8>,
    /// Error of the subscriber that failed last, while connecting or later.
    last_error: String,
}

struct Host {
    name: String,
    address: SocketAddr,
    request: Vec<u8>,
}

struct Subscriber {
    host: usize,
    /// `None` after the connection has ended.
    socket: Option<TcpStream>,
    /// Bytes of the request written so far.
    written: usize,
    stream: Stream,
}

impl Pool {
    /// A pool without subscribers.
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let hosts = config.hosts.iter();
        let hosts = hosts.map(|name| {
            Ok(Host {
                name: name.clone(),
                address: address(name)?,
                request: format!(
                    "GET {} HTTP/1.1\r\nHost: {name}\r\nUser-Agent: tenbin\r\nAccept: */*\r\n\r\n",
                    config.subscribe
                )
                .into_bytes(),
            })
        });
        Ok(Self {
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            hosts: hosts.collect::<Result<_, Error>>()?,
            subscribers: Vec::new(),
            timeout: config.timeout,
            confirm_timeout: config.timeout,
            mark: Vec::new(),
            arrivals: Vec::new(),
            buffer: vec![0; READ_BUFFER],
            last_error: "no response in time".to_owned(),
        })
    }

    /// Opens connections for `count` subscribers in total: keeps connected subscribers and replaces
    /// disconnected ones. Failed attempts are not repeated in the same call.
    ///
    /// # Errors
    /// If no subscriber could be connected.
    pub(crate) fn grow_to(&mut self, count: usize, stop: &dyn Fn() -> bool) -> Result<(), Error> {
        self.subscribers
            .retain(|subscriber| subscriber.socket.is_some());
        self.renumber()?;
        let mut batch_started = Instant::now();
        loop {
            let waiting = self.unconfirmed();
            let in_time = batch_started.elapsed() < self.confirm_timeout;
            let missing = count.saturating_sub(self.subscribers.len());
            if stop() || (waiting == 0 || !in_time) && missing == 0 {
                break;
            }
            if !in_time && waiting == self.connected() {
                self.confirm_timeout = self.timeout.min(UNCONFIRMED_WAIT);
            }
            if waiting == 0 || !in_time {
                for _ in 0..missing.min(MAX_CONNECTING) {
                    self.connect()?;
                }
                batch_started = Instant::now();
            }
            self.poll(Duration::from_millis(10))?;
        }
        self.drop_unwritten();
        if self.connected() == 0 && !stop() {
            return Err(Error::NoSubscriber {
                host: self
                    .hosts
                    .first()
                    .map_or_else(String::new, |host| host.name.clone()),
                why: self.last_error.clone(),
            });
        }
        Ok(())
    }

    /// Resets the counts and starts to count messages with this marker.
    pub(crate) fn start_counting(&mut self, mark: &str) {
        self.mark = mark.as_bytes().to_vec();
        self.arrivals.clear();
        for subscriber in &mut self.subscribers {
            subscriber.stream.reset_count();
        }
    }

    /// Number of connected subscribers.
    pub(crate) fn connected(&self) -> usize {
        self.subscribers
            .iter()
            .filter(|subscriber| subscriber.socket.is_some())
            .count()
    }

    /// Waits at most `wait` for data, and reads the data. Returns whether a message arrived.
    pub(crate) fn poll(&mut self, wait: Duration) -> Result<bool, Error> {
        match self.poll.poll(&mut self.events, Some(wait)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(false),
            other => other?,
        }
        let mut any = false;
        for event in &self.events {
            let Some(subscriber) = self.subscribers.get_mut(event.token().0) else {
                continue;
            };
            let before = subscriber.stream.count;
            let request = &self.hosts[subscriber.host].request;
            if let Err(why) = subscriber.advance(request, &self.mark, &mut self.buffer) {
                self.last_error = why;
                subscriber.socket = None;
            }
            any |= subscriber.stream.count > before;
            let now = Instant::now();
            let numbers = subscriber.stream.numbers.drain(..);
            self.arrivals.extend(numbers.map(|number| (number, now)));
        }
        Ok(any)
    }

    /// The messages that arrived at subscribers since the last call: their numbers and times.
    pub(crate) fn arrivals(&mut self) -> impl Iterator<Item = (u64, Instant)> + '_ {
        self.arrivals.drain(..)
    }

    /// Whether every connected subscriber has received `published` messages.
    pub(crate) fn have_all(&self, published: u64) -> bool {
        let mut connected = self
            .subscribers
            .iter()
            .filter(|subscriber| subscriber.socket.is_some());
        connected.all(|subscriber| subscriber.stream.count >= published)
    }

    /// Messages received without duplicates, and duplicates, each summed over all subscribers.
    /// Messages that a subscriber received in excess of `published` are duplicates.
    pub(crate) fn counts(&self, published: u64) -> (u64, u64) {
        let counts = || {
            self.subscribers
                .iter()
                .map(|subscriber| subscriber.stream.count)
        };
        (
            counts().map(|count| count.min(published)).sum(),
            counts().map(|count| count.saturating_sub(published)).sum(),
        )
    }

    fn unconfirmed(&self) -> usize {
        let connected = self
            .subscribers
            .iter()
            .filter(|subscriber| subscriber.socket.is_some());
        connected
            .filter(|subscriber| !subscriber.stream.is_confirmed())
            .count()
    }

    fn connect(&mut self) -> Result<(), Error> {
        let at = self.subscribers.len();
        let host = at % self.hosts.len();
        let mut socket = match TcpStream::connect(self.hosts[host].address) {
            Ok(socket) => Some(socket),
            Err(error) => {
                self.last_error = error.to_string();
                None
            }
        };
        if let Some(socket) = &mut socket {
            let both = Interest::READABLE | Interest::WRITABLE;
            self.poll.registry().register(socket, Token(at), both)?;
        }
        self.subscribers.push(Subscriber {
            host,
            socket,
            written: 0,
            stream: Stream::default(),
        });
        Ok(())
    }

    /// Disconnects subscribers whose request is not completely written.
    fn drop_unwritten(&mut self) {
        for subscriber in &mut self.subscribers {
            if subscriber.written < self.hosts[subscriber.host].request.len() {
                subscriber.socket = None;
            }
        }
    }

    /// Registers all sockets again after a removal, because poll tokens are indexes of subscribers.
    fn renumber(&mut self) -> Result<(), Error> {
        for (at, subscriber) in self.subscribers.iter_mut().enumerate() {
            if let Some(socket) = &mut subscriber.socket {
                let both = Interest::READABLE | Interest::WRITABLE;
                self.poll.registry().reregister(socket, Token(at), both)?;
            }
        }
        Ok(())
    }
}

impl Subscriber {
    /// Writes the rest of the request, and reads the available response bytes.
    fn advance(&mut self, request: &[u8], mark: &[u8], buffer: &mut [u8]) -> Result<(), String> {
        let Some(socket) = &mut self.socket else {
            return Ok(());
        };
        if let Ok(Some(error)) = socket.take_error() {
            return Err(error.to_string());
        }
        while self.written < request.len() {
            match socket.write(&request[self.written..]) {
                Ok(written) => self.written += written,
                Err(error) if is_not_yet(error.kind()) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
        loop {
            match socket.read(buffer) {
                Ok(0) => return Err("the server closed its connection".to_owned()),
                Ok(length) => self.stream.feed(&buffer[..length], mark)?,
                Err(error) if is_not_yet(error.kind()) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

fn is_not_yet(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::NotConnected | ErrorKind::Interrupted
    )
}

fn address(host: &str) -> Result<SocketAddr, Error> {
    let failed = |why: String| Error::Address {
        host: host.to_owned(),
        why,
    };
    let mut found = host
        .to_socket_addrs()
        .map_err(|error| failed(error.to_string()))?;
    found
        .next()
        .ok_or_else(|| failed("the name is unknown".to_owned()))
}
