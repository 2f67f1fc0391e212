//! The bare loop: sends fixed bytes, reads and counts responses, without parsing and timing. Its
//! CPU time is the minimum for any load generator.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::buffer::spare_capacity;
use rustix::event::epoll;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
/// Largest number of events per `epoll_wait` call.
const EVENTS: usize = 1024;

/// Sends requests to `address` on `connections` connections for `length`. Returns the number of
/// responses. Every response must fit into one TCP segment.
pub(crate) fn run(address: &str, connections: usize, length: Duration) -> Result<u64> {
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut streams = (0..connections)
        .map(|_| connect(address))
        .collect::<Result<Vec<_>>>()?;
    for (at, stream) in streams.iter_mut().enumerate() {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&poll, &*stream, epoll::EventData::new_u64(at as u64), flags)?;
        stream.write_all(REQUEST)?;
    }
    let mut buffer = vec![0; 64 * 1024];
    let mut events = Vec::with_capacity(EVENTS);
    let mut answers = 0;
    let end = Instant::now() + length;
    while Instant::now() < end {
        let limit = rustix::time::Timespec {
            tv_sec: 0,
            tv_nsec: 100_000_000,
        };
        epoll::wait(&poll, spare_capacity(&mut events), Some(&limit))?;
        for event in events.drain(..) {
            let stream = &mut streams[event.data.u64() as usize];
            match stream.read(&mut buffer) {
                Ok(0) => bail!("the server closed a connection"),
                Ok(_) => {
                    answers += 1;
                    stream.write_all(REQUEST)?;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error).context("cannot read an answer"),
            }
        }
    }
    Ok(answers)
}

fn connect(address: &str) -> Result<TcpStream> {
    let stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}
