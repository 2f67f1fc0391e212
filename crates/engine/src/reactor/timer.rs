//! Waiting to the microsecond: a poll alone counts in whole milliseconds.

use std::io;
use std::time::Duration;

use mio::{Poll, Token};

/// Token of the timer, out of reach of any connection's.
const TIMER: Token = Token(usize::MAX);

/// A timer in the poll, where the system has one.
#[cfg(target_os = "linux")]
pub(super) struct Timer {
    fd: std::os::fd::OwnedFd,
}

#[cfg(target_os = "linux")]
impl Timer {
    pub(super) fn new(poll: &Poll) -> io::Result<Self> {
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        use std::os::fd::AsRawFd;

        // The system may delay a timer by its slack, 50 µs unless told otherwise.
        // Failing to lower it costs precision only, and shows as send lag.
        let _ = nix::sys::prctl::set_timerslack(1);
        let fd = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        poll.registry().register(
            &mut mio::unix::SourceFd(&fd.as_raw_fd()),
            TIMER,
            mio::Interest::READABLE,
        )?;
        Ok(Self { fd })
    }

    /// Rings after `wait`; returns the limit for the poll itself.
    pub(super) fn arm(&mut self, wait: Duration) -> io::Result<Option<Duration>> {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};

        let zero = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let value = Timespec {
            tv_sec: wait.as_secs() as i64,
            tv_nsec: i64::from(wait.subsec_nanos()),
        };
        // Setting it also takes back an earlier ring, so that the edge comes anew.
        timerfd_settime(
            &self.fd,
            TimerfdTimerFlags::empty(),
            &Itimerspec {
                it_interval: zero,
                it_value: value,
            },
        )?;
        Ok(None)
    }
}

/// Elsewhere the poll's own limit is all there is.
#[cfg(not(target_os = "linux"))]
pub(super) struct Timer;

#[cfg(not(target_os = "linux"))]
impl Timer {
    pub(super) fn new(_poll: &Poll) -> io::Result<Self> {
        let _ = TIMER;
        Ok(Self)
    }

    pub(super) fn arm(&mut self, wait: Duration) -> io::Result<Option<Duration>> {
        Ok(Some(wait))
    }
}
