//! Measures the wake-up latency of this machine without code of Tenbin, as a reference for late
//! responses.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::Row;
use super::against::Bench;
use super::judge::row;
use super::statistics::quantile;

/// Pause between requests in experiment 2, in which both cores become idle.
const GAP: Duration = Duration::from_millis(10);
const ROUND_TRIPS: u32 = 500;

/// Reports the wake-up latency of this machine, without a limit.
pub(super) fn perform(_: &Bench) -> Result<Vec<Row>> {
    let (late, round_trip) = measure()?;
    let shown = |what, mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let (p50, p99) = (quantile(&times, 0.5), quantile(&times, 0.99));
        row(what, "reported", format!("{p50:.3} and {p99:.3} ms"), true)
    };
    Ok(vec![
        shown("how late a sleep of 10 ms ends, p50 and p99", late),
        shown(
            "a byte to a thread that sleeps 10 ms and back, beyond the 10 ms, p50 and p99",
            round_trip,
        ),
    ])
}

/// Milliseconds by which each sleep of [`GAP`] ended late, and milliseconds of each round trip
/// beyond [`GAP`]. The echoing thread sleeps for [`GAP`] before it responds, like the server in
/// experiment 2.
fn measure() -> Result<(Vec<f64>, Vec<f64>)> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen for round trips")?;
    let mut client = TcpStream::connect(listener.local_addr()?)?;
    let (server, _) = listener.accept()?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let echo = thread::spawn(move || echo_later(server));
    let (mut late, mut round_trip) = (Vec::new(), Vec::new());
    for _ in 0..ROUND_TRIPS {
        let asleep = Instant::now();
        thread::sleep(GAP);
        late.push(milliseconds(asleep.elapsed().saturating_sub(GAP)));
        let sent = Instant::now();
        client.write_all(b"x")?;
        client.read_exact(&mut [0])?;
        round_trip.push(milliseconds(sent.elapsed().saturating_sub(GAP)));
    }
    drop(client);
    echo.join()
        .map_err(|_| anyhow!("the echoing thread panicked"))?;
    Ok((late, round_trip))
}

fn echo_later(mut peer: TcpStream) {
    let mut byte = [0];
    while peer.read_exact(&mut byte).is_ok() {
        thread::sleep(GAP);
        if peer.write_all(&byte).is_err() {
            return;
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
