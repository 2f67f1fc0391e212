//! An HTTP server whose requests cost a known number of computing steps, so that the true ratio of
//! two such servers is known also on a busy machine.

use std::hint::black_box;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use anyhow::{Context, Result};

/// Steps of one percent of a request. A request of 100 % takes some tenths of a millisecond, in which
/// the handling of its connection hardly counts.
const STEPS: u64 = 4_000;
const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n";

/// Serves on 127.0.0.1 until the process ends. Each request computes `percent` of the usual steps.
///
/// # Errors
/// If an argument is no number, or the port is taken.
pub(crate) fn serve(port: &str, percent: &str) -> Result<()> {
    let port: u16 = port.parse().context("the port is no number")?;
    let percent: u64 = percent.parse().context("the share is no number")?;
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    for connection in listener.incoming() {
        let connection = connection?;
        // A connection that breaks ends its thread alone.
        thread::spawn(move || respond(connection, percent * STEPS));
    }
    Ok(())
}

/// Responds to the requests of a connection, one after the other. Requests have no body.
fn respond(mut connection: TcpStream, steps: u64) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    let mut filled = 0;
    loop {
        match connection.read(&mut buffer[filled..])? {
            0 => return Ok(()),
            more => filled += more,
        }
        if buffer[..filled].ends_with(b"\r\n\r\n") {
            compute(steps);
            connection.write_all(RESPONSE)?;
            filled = 0;
        } else if filled == buffer.len() {
            return Err(ErrorKind::InvalidData.into());
        }
    }
}

fn compute(steps: u64) {
    let mut state = black_box(1_u64);
    for step in 0..steps {
        state = black_box(state.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step);
    }
    black_box(state);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_connection_are_answered_one_after_the_other() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = thread::spawn(move || respond(listener.accept().expect("a client").0, 10));
        let mut client = TcpStream::connect(address).expect("a server");
        let mut exchange = |parts: &[&[u8]]| {
            for part in parts {
                client.write_all(part).expect("sent");
            }
            let mut response = vec![0; RESPONSE.len()];
            client.read_exact(&mut response).expect("a response");
            assert_eq!(response, RESPONSE);
        };
        exchange(&[b"GET / HTTP/1.1\r\n\r\n"]);
        exchange(&[b"GET /a HT", b"TP/1.1\r\n\r\n"]);
        drop(client);
        assert!(server.join().expect("no panic").is_ok());
    }
}
