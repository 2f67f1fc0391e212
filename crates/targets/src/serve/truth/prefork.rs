//! Worker threads that share one listening socket, like a prefork server.
//!
//! Each worker waits for new connections and for requests on its connections. A worker serves one
//! request at a time, while its other connections wait. A connection stays with the worker that
//! accepted it, so connections are distributed unevenly. If three connections share a worker, each
//! gets a third of the worker's throughput. Total throughput depends on the number of workers that
//! have a connection.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mio::net::{TcpListener, TcpStream};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use tenbin_plan::rng::Rng;

use super::connection::{LONGEST_HEAD, parse};
use super::response::ResponseKind;
use super::{ServeError, Service, TruthOptions};

const LISTENER: Token = Token(0);
const EVENTS: usize = 64;
/// How often an idle worker checks whether it must end.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Starts the workers and returns the listen address.
pub(super) fn start(
    options: &TruthOptions,
    workers: NonZeroUsize,
    over: &Arc<AtomicBool>,
) -> Result<SocketAddr, ServeError> {
    let unusable = |source| ServeError::Listen {
        address: options.listen,
        source,
    };
    let listener = std::net::TcpListener::bind(options.listen).map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    for number in 0..workers.get() {
        // All workers use the same socket, so they share one accept queue.
        let shared = listener.try_clone().map_err(ServeError::Runtime)?;
        let mut worker = Worker::new(shared, options.service, options.seed, number as u64)
            .map_err(ServeError::Runtime)?;
        let over = Arc::clone(over);
        thread::Builder::new()
            .name(format!("worker {number}"))
            .spawn(move || worker.work(&over))
            .map_err(ServeError::Runtime)?;
    }
    Ok(address)
}

struct Worker {
    poll: Poll,
    listener: TcpListener,
    connections: HashMap<Token, OpenConnection>,
    next: usize,
    service: Service,
    random: Rng,
}

/// A connection and the bytes that have been read but not parsed.
struct OpenConnection {
    stream: TcpStream,
    bytes: Vec<u8>,
    is_over: bool,
}

impl Worker {
    fn new(
        listener: std::net::TcpListener,
        service: Service,
        seed: u64,
        number: u64,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let listener = TcpListener::from_std(listener);
        poll.registry().register(
            &mut SourceFd(&listener.as_raw_fd()),
            LISTENER,
            Interest::READABLE,
        )?;
        Ok(Self {
            poll,
            listener,
            connections: HashMap::new(),
            next: 1,
            service,
            random: Rng::new(seed, &[number]),
        })
    }

    fn work(&mut self, over: &AtomicBool) {
        let mut events = Events::with_capacity(EVENTS);
        let mut may_accept = true;
        while !over.load(Ordering::Relaxed) {
            let wait = if may_accept { Duration::ZERO } else { LOOK_UP };
            if let Err(error) = self.poll.poll(&mut events, Some(wait))
                && error.kind() != ErrorKind::Interrupted
            {
                return;
            }
            let ready: Vec<Token> = events.iter().map(mio::event::Event::token).collect();
            may_accept |= ready.contains(&LISTENER);
            // Accepts one connection at a time, so that other workers get connections too.
            may_accept = may_accept && self.accept();
            for token in ready.into_iter().filter(|token| *token != LISTENER) {
                self.serve(token);
            }
        }
    }

    /// Accepts a connection; returns whether more connections may be waiting.
    fn accept(&mut self) -> bool {
        let Ok((mut stream, _)) = self.listener.accept() else {
            return false;
        };
        let token = Token(self.next);
        self.next += 1;
        let _ = stream.set_nodelay(true);
        let registry = self.poll.registry();
        if registry
            .register(&mut stream, token, Interest::READABLE)
            .is_ok()
        {
            let held = OpenConnection {
                stream,
                bytes: Vec::new(),
                is_over: false,
            };
            self.connections.insert(token, held);
        }
        true
    }

    /// Responds to all complete requests on a connection.
    fn serve(&mut self, token: Token) {
        let Some(held) = self.connections.get_mut(&token) else {
            return;
        };
        held.read();
        loop {
            match held.take() {
                Ok(Some(delay)) => {
                    let drawn = self.service.draw(&mut self.random);
                    thread::sleep(Duration::from_nanos(delay.unwrap_or(drawn)));
                    held.response();
                }
                Ok(None) => break,
                Err(_) => held.is_over = true,
            }
            if held.is_over {
                break;
            }
        }
        if held.is_over {
            self.connections.remove(&token);
        }
    }
}

impl OpenConnection {
    fn read(&mut self) {
        let mut part = [0; 16 * 1024];
        loop {
            match self.stream.read(&mut part) {
                Ok(0) => self.is_over = true,
                Ok(read) => {
                    self.bytes.extend_from_slice(&part[..read]);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => self.is_over = true,
            }
            return;
        }
    }

    /// Consumes one request and returns the service time in its headers (nanoseconds), if set. The
    /// outer `Option` is `None` if no request is complete.
    fn take(&mut self) -> io::Result<Option<Option<u64>>> {
        let Some(head) = parse(&self.bytes)? else {
            return if self.bytes.len() > LONGEST_HEAD {
                Err(ErrorKind::InvalidData.into())
            } else {
                Ok(None)
            };
        };
        let length = usize::try_from(head.length + head.body).unwrap_or(usize::MAX);
        if self.bytes.len() < length {
            return Ok(None);
        }
        self.bytes.drain(..length);
        Ok(Some(head.overrides.delay))
    }

    fn response(&mut self) {
        use std::io::Write;

        // A response is smaller than any socket buffer, so one write sends the whole response.
        if self.stream.write_all(ResponseKind::Right.bytes()).is_err() {
            self.is_over = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::time::Instant;

    use super::*;

    #[test]
    fn only_workers_with_connections_serve_requests() {
        let options = TruthOptions {
            service: "fixed:5ms".parse().unwrap(),
            ..crate::serve::truth::tests::options(None)
        };
        let over = Arc::new(AtomicBool::new(false));
        let two = NonZeroUsize::new(2).unwrap();
        let address = start(&options, two, &over).unwrap();
        let started = Instant::now();
        let clients: Vec<_> = (0..4)
            .map(|_| {
                thread::spawn(move || {
                    let mut stream = std::net::TcpStream::connect(address).unwrap();
                    for _ in 0..10 {
                        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
                        let mut response = [0; 256];
                        let read = stream.read(&mut response).unwrap();
                        assert!(response[..read].ends_with(b"ground truth"));
                    }
                })
            })
            .collect();
        clients
            .into_iter()
            .for_each(|client| client.join().unwrap());
        // 40 requests of 5 ms take 100 ms with two workers, and 200 ms if one worker has all
        // connections.
        let took = started.elapsed();
        assert!(took >= Duration::from_millis(100), "{took:?}");
        over.store(true, Ordering::Relaxed);
    }
}
