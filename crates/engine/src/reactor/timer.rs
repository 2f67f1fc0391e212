//! A timer for waits accurate to the microsecond; the poll's timeout has whole milliseconds.

use std::io;
use std::time::Duration;

use mio::{Poll, Token};

/// Token of the timer, outside the range of connection tokens.
const TIMER: Token = Token(usize::MAX);

/// A Linux timer (timerfd) that wakes the poll.
#[cfg(target_os = "linux")]
pub(super) struct Timer {
    fd: std::os::fd::OwnedFd,
}

#[cfg(target_os = "linux")]
impl Timer {
    pub(super) fn new(poll: &Poll) -> io::Result<Self> {
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        use std::os::fd::AsRawFd;

        // The kernel may delay a timer by the thread's timer slack, 50 µs by default. A failure to
        // lower the slack costs only precision, which the send lag shows.
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

    /// Arms the timer for `wait`. Returns the timeout for the poll call: `None`, because the timer
    /// ends the wait.
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
        // Setting the timer also clears an earlier expiry, so that the next expiry raises an event.
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

/// Replacement on systems without timerfd, where waits use only the poll's timeout.
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
