//! What the network path between load generator and target carried, and what it lost.

use tenbin_record::{PackedHistogram, Slice, WireUse};

use crate::cell::Cell;
use crate::figures::latency::NANOS_PER_SECOND;
use crate::limit::observed::Observed;
use crate::limit::quantities::Quantity;
use crate::words::middle;

impl Observed {
    /// Sets the quantities of the network path: medians of the slices `full` of a cell.
    pub(super) fn transfers(&mut self, cell: &Cell<'_>, full: &[&Slice]) {
        self.set(
            Quantity::Loopback,
            Some(f64::from(u8::from(cell.target.is_on_loopback()))),
        );
        let planned = cell.workload.load.depth as f64;
        let mut set = |quantity, figure: &dyn Fn(&Slice, &Traffic) -> Option<f64>| {
            let figures = full.iter().map(|slice| figure(slice, &Traffic::of(slice)));
            self.set(quantity, middle(figures.flatten()));
        };
        set(Quantity::RoundTripShare, &|slice, traffic| {
            let round_trip = slice.wire()?.min_rtt_ns? as f64 / NANOS_PER_SECOND;
            Some(round_trip / traffic.mean_service()?)
        });
        set(Quantity::TransferShare, &|slice, traffic| {
            traffic.transfer_share(slice)
        });
        set(Quantity::QueueShare, &|slice, traffic| {
            let wire = slice.wire()?;
            let queued = wire.mean_rtt_ns?.saturating_sub(wire.min_rtt_ns?);
            Some(queued as f64 / NANOS_PER_SECOND / traffic.mean_service()?)
        });
        set(Quantity::BytesEach, &|_, traffic| {
            Some(traffic.bytes() / traffic.requests as f64)
        });
        set(Quantity::BitRate, &|slice, traffic| {
            Some(traffic.bytes() * 8.0 / slice.end.seconds)
        });
        set(Quantity::LossShare, &|slice, _| loss_share(&slice.wire()?));
        set(Quantity::StreamsAllowed, &|slice, _| {
            Some(slice.ledger.streams_allowed? as f64)
        });
        set(Quantity::StreamShare, &|slice, _| {
            Some(slice.ledger.streams_allowed? as f64 / planned)
        });
    }
}

/// The larger share of lost or late segments: of those sent, and of those received.
fn loss_share(wire: &WireUse) -> Option<f64> {
    let share = |lost: Option<u64>, all: Option<u64>| {
        let all = all.filter(|all| *all > 0)?;
        Some(lost? as f64 / all as f64)
    };
    let sent = share(wire.lost_segments(), wire.sent_segments);
    let received = share(wire.out_of_order_segments, wire.received_segments);
    sent.into_iter().chain(received).reduce(f64::max)
}

/// Bytes and times of the correct requests in a slice.
#[derive(Default)]
struct Traffic {
    sent: f64,
    received: f64,
    /// Requests that were timed.
    requests: u64,
    /// Sum of the service times, seconds.
    service: f64,
    /// Sum of the times to first byte, seconds.
    first_byte: f64,
}

impl Traffic {
    fn of(slice: &Slice) -> Self {
        let sum = |times: &PackedHistogram| match times.len() {
            0 => 0.0,
            count => times.mean() * count as f64 / NANOS_PER_SECOND,
        };
        slice.requests().fold(Self::default(), |sums, op| Self {
            sent: sums.sent + op.counts.sent as f64,
            received: sums.received + op.counts.received as f64,
            requests: sums.requests + op.times.service.len(),
            service: sums.service + sum(&op.times.service),
            first_byte: sums.first_byte + sum(&op.times.first_byte),
        })
    }

    fn bytes(&self) -> f64 {
        self.sent + self.received
    }

    /// Mean service time, seconds.
    fn mean_service(&self) -> Option<f64> {
        (self.service > 0.0).then(|| self.service / self.requests as f64)
    }

    /// Share of the service time that data transfer took; `None` if it was not measured.
    fn transfer_share(&self, slice: &Slice) -> Option<f64> {
        if self.service <= 0.0 {
            return None;
        }
        if self.sent > self.received {
            let sending = slice.wire()?.sending_ns? as f64 / NANOS_PER_SECOND;
            return Some((sending / self.service).min(1.0));
        }
        (self.first_byte > 0.0).then(|| 1.0 - self.first_byte / self.service)
    }
}
