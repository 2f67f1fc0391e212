//! An HTTP server whose responses cost a known CPU time.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::time::ClockId;
use rustix::event::{PollFd, PollFlags, poll};

const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n";
/// End of the head of a request; requests with a body are not understood.
const END: &[u8] = b"\r\n\r\n";

/// Serves on this port of 127.0.0.1 until the process is killed. One thread spends `micros` of CPU
/// time on each response, which includes reading, writing and waiting: with more connections than one
/// it serves `1,000,000 ÷ micros` requests per second of CPU time.
///
/// # Errors
/// If an argument is no number, or the port is taken.
pub(crate) fn serve(port: &str, micros: &str) -> Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    let cost = Duration::from_micros(micros.parse().context("no number of microseconds")?);
    let port: u16 = port.parse().context("no port")?;
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    let mut connections: Vec<Connection> = Vec::new();
    let mut spent = cpu_time()?;
    loop {
        let mut ready: Vec<PollFd<'_>> = connections
            .iter()
            .map(|it| PollFd::new(&it.stream, PollFlags::IN))
            .chain([PollFd::new(&listener, PollFlags::IN)])
            .collect();
        poll(&mut ready, None)?;
        let ready: Vec<bool> = ready.iter().map(|it| !it.revents().is_empty()).collect();
        let accepts = ready.last() == Some(&true);
        let mut at = 0;
        let mut failed = None;
        connections.retain_mut(|connection| {
            at += 1;
            !ready[at - 1]
                || connection
                    .respond(|| {
                        while cpu_time()? < spent + cost {}
                        spent = cpu_time()?;
                        Ok(())
                    })
                    .unwrap_or_else(|error| {
                        failed = Some(error);
                        false
                    })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if accepts {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            connections.push(Connection {
                stream,
                head: Vec::new(),
            });
        }
    }
}

struct Connection {
    stream: TcpStream,
    /// What was read of the next request.
    head: Vec<u8>,
}

impl Connection {
    /// Reads once, and responds after `work` if the request is complete. Returns whether the
    /// connection is still open.
    fn respond(&mut self, work: impl FnOnce() -> Result<()>) -> Result<bool> {
        let mut buffer = [0; 4096];
        let count = match self.stream.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(true),
            // The client is gone.
            Err(_) => return Ok(false),
        };
        self.head.extend_from_slice(&buffer[..count]);
        if !self.head.ends_with(END) {
            return Ok(true);
        }
        self.head.clear();
        work()?;
        Ok(self.stream.write_all(RESPONSE).is_ok())
    }
}

fn cpu_time() -> Result<Duration> {
    Ok(ClockId::CLOCK_THREAD_CPUTIME_ID.now()?.into())
}
