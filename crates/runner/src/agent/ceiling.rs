//! How many requests an agent's machine can send.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use tenbin_engine::{Destination, Drive, Part, Route, SliceEvent, drive};
use tenbin_plan::Load;
use tenbin_workloads::null::prepared;

/// Connections of the measurement, all on one thread.
const CONNECTIONS: usize = 4;
/// Length of the measurement: short, because an agent does nothing else meanwhile.
const WINDOW: Duration = Duration::from_millis(100);
const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
/// The end of each request, none of which has a body.
const END: &[u8] = b"\r\n\r\n";

/// Requests per second that `cores` cores can send, from the CPU time of one load generator thread
/// that sends small HTTP requests over loopback to a thread of this process; 0 if it cannot be
/// measured. Loopback counts the reception of the kernel too, so that a network allows more.
pub(super) fn ceiling(cores: usize) -> u64 {
    let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)) else {
        return 0;
    };
    let Ok(address) = listener.local_addr() else {
        return 0;
    };
    let responders = thread::spawn(move || {
        for stream in listener.incoming().take(CONNECTIONS).flatten() {
            thread::spawn(|| respond(stream));
        }
    });
    let (requests, cpu) = measured(address);
    if !responders.is_finished() {
        // A connection was not opened, so that the thread still waits for one.
        for _ in 0..CONNECTIONS {
            let _ = TcpStream::connect(address);
        }
    }
    let _ = responders.join();
    if cpu.is_zero() {
        0
    } else {
        (requests as f64 / cpu.as_secs_f64() * cores as f64) as u64
    }
}

/// Requests and CPU time of the load generator thread.
fn measured(address: SocketAddr) -> (u64, Duration) {
    let slice = Drive {
        destination: Destination::Route(Route::plain(address)),
        load: Load::closed(CONNECTIONS),
        seed: 1,
        lead: Duration::ZERO,
        window: Some(WINDOW),
        rest: None,
        stages: false,
        part: Part::default(),
    };
    let (mut requests, mut nanos) = (0, 0);
    let workers = prepared(1).slice();
    let _ = drive(&slice, workers, &AtomicBool::new(false), &mut |event| {
        if let SliceEvent::Sample(sample) = event
            && !sample.drain
        {
            requests += sample.ops.iter().map(|op| op.counts.ok).sum::<u64>();
            nanos += sample.cpu;
        }
    });
    (requests, Duration::from_nanos(nanos))
}

/// Responds to every request of a connection until the connection is closed.
fn respond(mut stream: TcpStream) {
    let mut bytes = [0; 4_096];
    let mut held = 0;
    while let Ok(read @ 1..) = stream.read(&mut bytes[held..]) {
        held += read;
        while let Some(end) = bytes[..held].windows(END.len()).position(|at| at == END) {
            bytes.copy_within(end + END.len()..held, 0);
            held -= end + END.len();
            if stream.write_all(RESPONSE).is_err() {
                return;
            }
        }
        if held == bytes.len() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceiling_grows_with_the_cores() {
        let one = ceiling(1);
        assert!(one > 1_000, "{one}");
        assert!(ceiling(1_000) > one * 10);
    }
}
