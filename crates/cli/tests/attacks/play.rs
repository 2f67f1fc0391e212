//! A server that plays a script of bytes.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit of an endless script: longer than any attacked `tenbin` runs.
const WITHOUT_END: Duration = Duration::from_secs(70);

/// One action of the server on a connection.
#[derive(Clone)]
pub(crate) enum Act {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes repeatedly.
    Endless(Vec<u8>),
    /// Sends these bytes repeatedly, one byte every 20 ms.
    Drip(Vec<u8>),
    /// Keeps the connection open and sends nothing.
    Hold,
    /// Closes the connection with a reset.
    Reset,
    /// Keeps the connection open, reads the next request and restarts the script.
    Again,
}

/// An action that sends this text.
pub(crate) fn send(text: impl AsRef<[u8]>) -> Act {
    Act::Send(text.as_ref().to_vec())
}

/// An action that sends this text repeatedly.
pub(crate) fn endless(text: impl AsRef<[u8]>) -> Act {
    Act::Endless(text.as_ref().to_vec())
}

/// A protocol: reads requests and creates correct responses.
pub(crate) trait Speaks: Send + Sync + 'static {
    /// Opens the connection before the first request.
    fn greet(&self, stream: &mut TcpStream) -> Option<()>;
    /// Reads one request, and returns its stream ID (0 for HTTP/1.1).
    fn request(&self, stream: &mut TcpStream) -> Option<u32>;
    /// A correct response.
    fn well(&self, id: u32) -> Vec<u8>;
}

/// Starts a server that runs until the process ends, and returns its port. The first `well`
/// requests get correct responses; every later request gets the actions of the script.
pub(crate) fn server(
    protocol: impl Speaks,
    well: u32,
    script: impl Fn(u32) -> Vec<Act> + Send + Sync + 'static,
) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    serve_on(listener, protocol, well, script);
    port
}

/// As [`server`], on this listener.
pub(crate) fn serve_on(
    listener: TcpListener,
    protocol: impl Speaks,
    well: u32,
    script: impl Fn(u32) -> Vec<Act> + Send + Sync + 'static,
) {
    let shared = Arc::new((protocol, AtomicU32::new(0), script));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let shared = shared.clone();
            thread::spawn(move || {
                let (protocol, answered, script) = &*shared;
                let _ = serve(stream, protocol, well, answered, script);
            });
        }
    });
}

fn serve(
    mut stream: TcpStream,
    protocol: &impl Speaks,
    well: u32,
    answered: &AtomicU32,
    script: &impl Fn(u32) -> Vec<Act>,
) -> Option<()> {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(WITHOUT_END));
    protocol.greet(&mut stream)?;
    loop {
        let id = protocol.request(&mut stream)?;
        if answered.fetch_add(1, Ordering::Relaxed) < well {
            stream.write_all(&protocol.well(id)).ok()?;
        } else if !play(&mut stream, script(id)) {
            return None;
        }
    }
}

/// Performs the actions, and returns whether the connection stays open for the next request.
pub(crate) fn play(stream: &mut TcpStream, acts: Vec<Act>) -> bool {
    let begun = Instant::now();
    let goes_on = || begun.elapsed() < WITHOUT_END;
    for act in acts {
        let done = match act {
            Act::Send(bytes) => stream.write_all(&bytes).is_ok(),
            Act::Endless(bytes) => {
                let many = bytes.repeat((16_384 / bytes.len().max(1)).max(1));
                while goes_on() && stream.write_all(&many).is_ok() {}
                false
            }
            Act::Drip(bytes) => {
                for byte in bytes.iter().cycle() {
                    if !goes_on() || stream.write_all(&[*byte]).is_err() {
                        break;
                    }
                    thread::sleep(Duration::from_millis(20));
                }
                false
            }
            Act::Hold => {
                let mut rest = [0; 4096];
                while goes_on() && stream.read(&mut rest).is_ok_and(|count| count > 0) {}
                false
            }
            Act::Reset => {
                // Without SO_LINGER, close sends a reset only if received data is unread.
                let linger = nix::libc::linger {
                    l_onoff: 1,
                    l_linger: 0,
                };
                let _ = nix::sys::socket::setsockopt(
                    &stream.as_fd(),
                    nix::sys::socket::sockopt::Linger,
                    &linger,
                );
                return false;
            }
            Act::Again => return true,
        };
        if !done {
            return false;
        }
    }
    // Reads the rest, because unread data causes a reset that can discard the sent data.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let mut rest = [0; 4096];
    while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
    false
}

/// HTTP/1.1.
pub(crate) struct Http1 {
    /// Plays the script without waiting for a request.
    pub(crate) at_once: bool,
}

impl Speaks for Http1 {
    fn greet(&self, _stream: &mut TcpStream) -> Option<()> {
        Some(())
    }

    fn request(&self, stream: &mut TcpStream) -> Option<u32> {
        if self.at_once {
            return Some(0);
        }
        let mut seen = Vec::new();
        let mut some = [0; 4096];
        while !seen.ends_with(b"\r\n\r\n") {
            match stream.read(&mut some) {
                Ok(0) | Err(_) => return None,
                Ok(count) => seen.extend_from_slice(&some[..count]),
            }
        }
        Some(0)
    }

    fn well(&self, _id: u32) -> Vec<u8> {
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()
    }
}

/// HTTP/2 in clear text.
pub(crate) struct Http2;

/// A frame of HTTP/2 (RFC 9113, section 4.1).
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short payload");
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

impl Speaks for Http2 {
    fn greet(&self, stream: &mut TcpStream) -> Option<()> {
        let mut preface = [0; 24];
        stream.read_exact(&mut preface).ok()?;
        let settings = [frame(4, 0, 0, &[]), frame(4, 1, 0, &[])].concat();
        stream.write_all(&settings).ok()
    }

    fn request(&self, stream: &mut TcpStream) -> Option<u32> {
        const HEADERS: u8 = 1;
        loop {
            let mut head = [0; 9];
            stream.read_exact(&mut head).ok()?;
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            let mut payload = vec![0; length as usize];
            stream.read_exact(&mut payload).ok()?;
            if head[3] == HEADERS {
                return Some(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
            }
        }
    }

    fn well(&self, id: u32) -> Vec<u8> {
        // 0x88 is `:status: 200`, entry 8 of the static table of HPACK.
        [frame(1, 4, id, &[0x88]), frame(0, 1, id, b"ok")].concat()
    }
}
