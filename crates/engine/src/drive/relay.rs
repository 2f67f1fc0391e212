//! Passes the samples of all threads to the caller, and finds out when the measured window opens
//! and closes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::{Drive, SliceEvent};
use crate::clock::Clock;
use crate::sample::Sample;
use crate::start_barrier::StartBarrier;

/// Interval between checks whether every connection is open or has failed to open.
const BARRIER_POLL: Duration = Duration::from_millis(1);

/// Passes samples and window events to `listen` until the last thread is done. Returns the length
/// of the measured window, nanoseconds.
pub(super) fn relay(
    samples: &mpsc::Receiver<Sample>,
    clock: &Clock,
    drive: &Drive,
    threads: usize,
    (edge, barrier): (&AtomicU64, &Option<StartBarrier>),
    listen: &mut dyn FnMut(SliceEvent),
) -> u64 {
    let open = drive.lead.as_nanos() as u64;
    let planned = drive
        .window
        .map_or(u64::MAX, |window| window.as_nanos() as u64);
    let (mut opened, mut closed, mut longest) = (false, false, 0);
    // When a slice ends by request count, each thread ends at a different time.
    let mut through = vec![false; threads];
    loop {
        let next = if opened {
            samples.recv().ok()
        } else {
            let origin = barrier.as_ref().map_or(Some(0), StartBarrier::origin);
            let wait = origin.map_or(BARRIER_POLL, |origin| {
                Duration::from_nanos((origin + open).saturating_sub(clock.now()))
            });
            match samples.recv_timeout(wait) {
                Ok(sample) => Some(sample),
                Err(mpsc::RecvTimeoutError::Disconnected) => None,
                Err(mpsc::RecvTimeoutError::Timeout) if origin.is_none() => continue,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    opened = true;
                    listen(SliceEvent::Opened);
                    continue;
                }
            }
        };
        let Some(sample) = next else {
            return longest;
        };
        if !opened {
            opened = true;
            listen(SliceEvent::Opened);
        }
        if let Some(through) = through.get_mut(drive.part.index(sample.thread)) {
            if !sample.drain {
                longest = longest.max(sample.end);
            }
            let edge = edge.load(Ordering::Relaxed).saturating_sub(open);
            *through |= sample.drain || sample.end >= planned.min(edge);
        }
        listen(SliceEvent::Sample(Box::new(sample)));
        if !closed && through.iter().all(|&through| through) {
            closed = true;
            listen(SliceEvent::Closed);
        }
    }
}
