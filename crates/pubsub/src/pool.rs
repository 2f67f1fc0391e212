//! All subscribers: connections whose answers never end, watched by one thread.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::stream::Stream;
use crate::{Error, Question};

/// As many connections are on their way at once: more would overrun what servers let
/// wait.
const AT_ONCE: usize = 100;
/// A server that confirmed nobody in time sends its heads with the first message: others
/// are waited for no longer than this.
const OF_THE_SILENT: Duration = Duration::from_secs(1);
const READ: usize = 64 << 10;

/// All subscribers.
pub(crate) struct Pool {
    poll: Poll,
    events: Events,
    hosts: Vec<Host>,
    subscribers: Vec<Subscriber>,
    timeout: Duration,
    /// How long a subscriber is waited for.
    patience: Duration,
    mark: Vec<u8>,
    buffer: Vec<u8>,
    /// What went wrong with the last subscriber that fell away.
    trouble: String,
}

struct Host {
    name: String,
    address: SocketAddr,
    request: Vec<u8>,
}

struct Subscriber {
    host: usize,
    /// `None` when it has fallen away.
    socket: Option<TcpStream>,
    /// Bytes of its request that are written.
    written: usize,
    stream: Stream,
}

impl Pool {
    /// Without any yet.
    pub(crate) fn new(question: &Question) -> Result<Self, Error> {
        let hosts = question.hosts.iter();
        let hosts = hosts.map(|name| {
            Ok(Host {
                name: name.clone(),
                address: address(name)?,
                request: format!(
                    "GET {} HTTP/1.1\r\nHost: {name}\r\nUser-Agent: tenbin\r\nAccept: */*\r\n\r\n",
                    question.subscribe
                )
                .into_bytes(),
            })
        });
        Ok(Self {
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            hosts: hosts.collect::<Result<_, Error>>()?,
            subscribers: Vec::new(),
            timeout: question.timeout,
            patience: question.timeout,
            mark: Vec::new(),
            buffer: vec![0; READ],
            trouble: "it did not answer in time".to_owned(),
        })
    }

    /// Connects so many in all; those that fell away are replaced.
    ///
    /// # Errors
    /// When there is not a single one then.
    pub(crate) fn grow_to(&mut self, count: usize, stop: &dyn Fn() -> bool) -> Result<(), Error> {
        self.subscribers.retain(|one| one.socket.is_some());
        self.renumber()?;
        let mut wave_began = Instant::now();
        loop {
            let waiting = self.unconfirmed();
            let in_time = wave_began.elapsed() < self.patience;
            let missing = count.saturating_sub(self.subscribers.len());
            if stop() || (waiting == 0 || !in_time) && missing == 0 {
                break;
            }
            if !in_time && waiting == self.standing() {
                self.patience = self.timeout.min(OF_THE_SILENT);
            }
            if waiting == 0 || !in_time {
                for _ in 0..missing.min(AT_ONCE) {
                    self.connect()?;
                }
                wave_began = Instant::now();
            }
            self.turn(Duration::from_millis(10))?;
        }
        self.drop_unwritten();
        if self.standing() == 0 && !stop() {
            return Err(Error::NoSubscriber {
                host: self
                    .hosts
                    .first()
                    .map_or_else(String::new, |host| host.name.clone()),
                why: self.trouble.clone(),
            });
        }
        Ok(())
    }

    /// Counts messages with this mark from now on.
    pub(crate) fn begin(&mut self, mark: &str) {
        self.mark = mark.as_bytes().to_vec();
        for one in &mut self.subscribers {
            one.stream.forget();
        }
    }

    /// Subscribers that are there.
    pub(crate) fn standing(&self) -> usize {
        self.subscribers
            .iter()
            .filter(|one| one.socket.is_some())
            .count()
    }

    /// Reads what has come, waiting for it for so long at most. Whether it was a message.
    pub(crate) fn turn(&mut self, wait: Duration) -> Result<bool, Error> {
        match self.poll.poll(&mut self.events, Some(wait)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(false),
            other => other?,
        }
        let mut any = false;
        for event in &self.events {
            let Some(one) = self.subscribers.get_mut(event.token().0) else {
                continue;
            };
            let before = one.stream.count;
            let request = &self.hosts[one.host].request;
            if let Err(why) = one.carry_on(request, &self.mark, &mut self.buffer) {
                self.trouble = why;
                one.socket = None;
            }
            any |= one.stream.count > before;
        }
        Ok(any)
    }

    /// Whether everybody who is there has got so many messages.
    pub(crate) fn has_all(&self, published: u64) -> bool {
        let mut there = self.subscribers.iter().filter(|one| one.socket.is_some());
        there.all(|one| one.stream.count >= published)
    }

    /// Messages received, each once at each subscriber, and those that came again.
    pub(crate) fn counts(&self, published: u64) -> (u64, u64) {
        let counts = || self.subscribers.iter().map(|one| one.stream.count);
        (
            counts().map(|count| count.min(published)).sum(),
            counts().map(|count| count.saturating_sub(published)).sum(),
        )
    }

    fn unconfirmed(&self) -> usize {
        let there = self.subscribers.iter().filter(|one| one.socket.is_some());
        there.filter(|one| !one.stream.is_confirmed()).count()
    }

    fn connect(&mut self) -> Result<(), Error> {
        let at = self.subscribers.len();
        let host = at % self.hosts.len();
        let mut socket = match TcpStream::connect(self.hosts[host].address) {
            Ok(socket) => Some(socket),
            Err(error) => {
                self.trouble = error.to_string();
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

    /// Who has not even asked is no subscriber.
    fn drop_unwritten(&mut self) {
        for one in &mut self.subscribers {
            if one.written < self.hosts[one.host].request.len() {
                one.socket = None;
            }
        }
    }

    /// Events name places, which change when some have fallen away.
    fn renumber(&mut self) -> Result<(), Error> {
        for (at, one) in self.subscribers.iter_mut().enumerate() {
            if let Some(socket) = &mut one.socket {
                let both = Interest::READABLE | Interest::WRITABLE;
                self.poll.registry().reregister(socket, Token(at), both)?;
            }
        }
        Ok(())
    }
}

impl Subscriber {
    /// Writes what is left of the request and reads what there is.
    fn carry_on(&mut self, request: &[u8], mark: &[u8], buffer: &mut [u8]) -> Result<(), String> {
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
                Ok(length) => self.stream.take(&buffer[..length], mark)?,
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
        .ok_or_else(|| failed("the name is not known".to_owned()))
}
