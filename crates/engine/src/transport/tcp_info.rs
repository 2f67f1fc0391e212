//! Reads the kernel's statistics of TCP connections when they are closed, outside the hot path.

use std::cell::Cell;
use std::os::fd::BorrowedFd;

use serde::{Deserialize, Serialize};

/// Most connections per thread and second whose statistics are read. Without keep-alive each
/// request has a connection, and reading all statistics would cost measurable CPU time.
const MOST_IN_A_SECOND: u32 = 10_000;
const SECOND: u64 = 1_000_000_000;

/// Kernel statistics of a slice's TCP connections, including the settling time and the drain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpFigures {
    /// Number of connections whose statistics were read.
    pub connections: u64,
    /// Shortest round trip on any connection, nanoseconds (`tcpi_min_rtt`, which the kernel keeps
    /// in microseconds over the last five minutes of a connection).
    pub min_rtt: Option<u64>,
    /// Smoothed round trips at the end of the connections, nanoseconds, summed over connections
    /// (`tcpi_rtt`), including network queues and up to 40 ms of a delayed acknowledgement.
    #[serde(default)]
    pub rtt_sum: Option<u64>,
    /// Segments retransmitted by the load generator (`tcpi_total_retrans`).
    pub retransmits: u64,
    /// Unneeded retransmissions: segments that the peer reported as already received, with
    /// duplicate selective acknowledgements (`tcpi_dsack_dups`, RFC 2883). In these cases only the
    /// acknowledgement was late or lost. `None` on Linux before 4.19.
    pub unneeded: Option<u64>,
    /// Segments sent (`tcpi_segs_out`); `None` on Linux before 4.2.
    pub sent: Option<u64>,
    /// Time in which sent data was not yet acknowledged, nanoseconds (`tcpi_busy_time`); `None` on
    /// Linux before 4.10.
    #[serde(default)]
    pub sending_nanos: Option<u64>,
    /// Segments with data that arrived (`tcpi_data_segs_in`); `None` on Linux before 4.6.
    #[serde(default)]
    pub received: Option<u64>,
    /// Of `received`: segments that arrived before one sent earlier, because that one was lost or
    /// overtaken (`tcpi_rcv_ooopack`); `None` on Linux before 5.4.
    #[serde(default)]
    pub out_of_order: Option<u64>,
}

impl TcpFigures {
    /// Combines the statistics of two sets of connections: sums, and the shorter round trip.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let shorter = self.min_rtt.into_iter().chain(other.min_rtt).min();
        // `None` on a side without connections means 0, not unknown.
        let sum = |a: Option<u64>, b: Option<u64>| match (self.connections, other.connections) {
            (0, _) => b,
            (_, 0) => a,
            _ => a.zip(b).map(|(a, b)| a + b),
        };
        Self {
            connections: self.connections + other.connections,
            min_rtt: shorter,
            rtt_sum: sum(self.rtt_sum, other.rtt_sum),
            retransmits: self.retransmits + other.retransmits,
            unneeded: sum(self.unneeded, other.unneeded),
            sent: sum(self.sent, other.sent),
            sending_nanos: sum(self.sending_nanos, other.sending_nanos),
            received: sum(self.received, other.received),
            out_of_order: sum(self.out_of_order, other.out_of_order),
        }
    }
}

/// Collects the kernel statistics of one thread's TCP connections.
#[derive(Debug, Default)]
pub(crate) struct TcpRecorder {
    sum: Cell<TcpFigures>,
    /// End of the current second, and the number of connections read in this second.
    second: Cell<(u64, u32)>,
}

impl TcpRecorder {
    /// The sum of all statistics read so far.
    pub(crate) fn sum(&self) -> TcpFigures {
        self.sum.get()
    }

    /// Sets the current time, which resets the limit per second.
    pub(crate) fn tick(&self, now: u64) {
        if now >= self.second.get().0 {
            self.second.set((now.saturating_add(SECOND), 0));
        }
    }

    /// Moves the zero of time to `origin`: later times are nanoseconds since `origin`.
    pub(crate) fn begin_at(&self, origin: u64) {
        let (end, asked) = self.second.get();
        self.second.set((end.saturating_sub(origin), asked));
    }

    /// Reads the statistics of a connection that is about to be closed.
    pub(super) fn ask(&self, socket: BorrowedFd<'_>) {
        let (end, asked) = self.second.get();
        if asked >= MOST_IN_A_SECOND {
            return;
        }
        self.second.set((end, asked + 1));
        if let Some(figures) = of_socket(socket) {
            self.sum.set(self.sum.get().and(figures));
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn of_socket(_socket: BorrowedFd<'_>) -> Option<TcpFigures> {
    None
}

#[cfg(target_os = "linux")]
fn of_socket(socket: BorrowedFd<'_>) -> Option<TcpFigures> {
    use std::mem::{offset_of, size_of};

    use nix::libc::tcp_info;

    // The kernel's `struct tcp_info` has more fields than the library's, but only at the end: Linux
    // never moves fields.
    const MIN_RTT: usize = offset_of!(tcp_info, tcpi_min_rtt);
    const SEGMENTS_OUT: usize = MIN_RTT - 12;
    const DATA_SEGMENTS_IN: usize = MIN_RTT + 4;
    const BUSY_TIME: usize = MIN_RTT + 20;
    const DSACK_DUPS: usize = MIN_RTT + 68;
    const OUT_OF_ORDER: usize = MIN_RTT + 76;
    const LONGEST: usize = OUT_OF_ORDER + size_of::<u32>();

    let mut answer = [0; if size_of::<tcp_info>() > LONGEST {
        size_of::<tcp_info>()
    } else {
        LONGEST
    }];
    let answer = linux::ask(socket, &mut answer)?;
    // An older kernel returns fewer bytes.
    let field = |at: usize| {
        let bytes = answer.get(at..at + size_of::<u32>())?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    let busy_micros = answer
        .get(BUSY_TIME..BUSY_TIME + size_of::<u64>())
        .and_then(|bytes| Some(u64::from_ne_bytes(bytes.try_into().ok()?)));
    let min_rtt = field(MIN_RTT);
    Some(TcpFigures {
        connections: 1,
        // All bits set means that no round trip was measured.
        min_rtt: min_rtt
            .filter(|&micros| micros > 0 && micros < u32::MAX)
            .map(|micros| u64::from(micros) * 1_000),
        rtt_sum: field(offset_of!(tcp_info, tcpi_rtt)).map(|micros| u64::from(micros) * 1_000),
        retransmits: field(offset_of!(tcp_info, tcpi_total_retrans))?.into(),
        unneeded: field(DSACK_DUPS).map(u64::from),
        sent: field(SEGMENTS_OUT).map(u64::from),
        sending_nanos: busy_micros.map(|micros| micros.saturating_mul(1_000)),
        received: field(DATA_SEGMENTS_IN).map(u64::from),
        out_of_order: field(OUT_OF_ORDER).map(u64::from),
    })
}

#[cfg(target_os = "linux")]
mod linux {
    #![allow(unsafe_code, reason = "no library has a safe call for TCP_INFO")]

    use std::os::fd::{AsRawFd, BorrowedFd};

    use nix::libc;

    /// The `struct tcp_info` of a socket (tcp(7)), up to the size of `room`.
    pub(super) fn ask<'r>(socket: BorrowedFd<'_>, room: &'r mut [u8]) -> Option<&'r [u8]> {
        let mut length = libc::socklen_t::try_from(room.len()).ok()?;
        // SAFETY: `socket` is borrowed, so the descriptor is open for the whole call.
        // `room` is exclusively borrowed memory of `length` bytes, and getsockopt(2)
        // writes at most `length` bytes to it and the count of them to `length`, which is
        // a live `socklen_t`. Neither pointer is kept after the call. The bytes are plain
        // `u8`, initialised before, so whatever was written to them is valid.
        let result = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                room.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if result != 0 {
            return None;
        }
        room.get(..usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_round_trip_counts_and_retransmits_add_up() {
        let figures = |min_rtt, retransmits| TcpFigures {
            connections: 1,
            min_rtt,
            retransmits,
            unneeded: Some(retransmits),
            sent: None,
            ..TcpFigures::default()
        };
        let sum = figures(None, 2).and(figures(Some(7_000), 0));
        let sum = sum.and(figures(Some(9_000), 3));
        assert_eq!(
            (sum.connections, sum.min_rtt, sum.retransmits),
            (3, Some(7_000), 5)
        );
        assert_eq!((sum.unneeded, sum.sent), (Some(5), None));
        let first = TcpFigures::default().and(figures(None, 4));
        assert_eq!(first.unneeded, Some(4));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_tcp_connection_has_figures_and_another_socket_has_none() {
        use std::io::{Read as _, Write as _};
        use std::os::fd::AsFd as _;

        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut here = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut there, _) = listener.accept().unwrap();
        here.write_all(b"x").unwrap();
        there.read_exact(&mut [0]).unwrap();
        there.write_all(b"y").unwrap();
        here.read_exact(&mut [0]).unwrap();

        let figures = of_socket(here.as_fd()).unwrap();
        let rtt = figures.min_rtt.expect("a round trip was timed");
        // A wrong field of the struct would rarely be in this range.
        assert!((1_000..1_000_000_000).contains(&rtt), "{rtt}");
        let smoothed = figures.rtt_sum.expect("a round trip is kept");
        assert!((rtt..1_000_000_000).contains(&smoothed), "{smoothed}");
        assert_eq!(figures.retransmits, 0);
        // Segments sent: handshake, one byte and acknowledgements.
        let sent = figures.sent.expect("segments are counted");
        assert!((2..20).contains(&sent), "{sent}");
        assert_eq!(figures.unneeded, Some(0));
        // The peer sent one byte, in order. One byte here waited for its acknowledgement.
        assert_eq!((figures.received, figures.out_of_order), (Some(1), Some(0)));
        let sending = figures.sending_nanos.expect("the time is counted");
        assert!(sending < 1_000_000_000, "{sending}");
        let (unix, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert_eq!(of_socket(unix.as_fd()), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_number_of_connections_read_per_second_is_limited() {
        use std::os::fd::AsFd as _;

        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let here = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let notes = TcpRecorder::default();
        notes.tick(5);
        for _ in 0..2 * MOST_IN_A_SECOND {
            notes.ask(here.as_fd());
        }
        assert_eq!(notes.sum().connections, u64::from(MOST_IN_A_SECOND));
        notes.tick(5 + SECOND - 1);
        notes.ask(here.as_fd());
        assert_eq!(notes.sum().connections, u64::from(MOST_IN_A_SECOND));
        notes.tick(5 + SECOND);
        notes.ask(here.as_fd());
        assert_eq!(notes.sum().connections, u64::from(MOST_IN_A_SECOND) + 1);
    }
}
