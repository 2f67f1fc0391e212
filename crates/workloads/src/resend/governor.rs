//! Limits the concurrent requests while data is loaded, and decides when to give up.
//!
//! A refusal halves the limit, and a number of successes raises the limit by one, like TCP's
//! congestion window (AIMD: Chiu and Jain, 1989). Each cut doubles this number of successes, so
//! that a server with one writer is not overloaded repeatedly.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of attempts after which a request counts as failed.
pub(super) const MOST_ATTEMPTS: u32 = 25;
/// Minimum number of consecutive refusals before a stage is given up.
const MOST_IN_A_ROW: u32 = 10;
/// Minimum time since the first of the consecutive refusals before a stage is given up,
/// nanoseconds.
const LONGEST_IN_A_ROW: u64 = 30_000_000_000;
/// Successes that raise the limit by one: initial number, doubled by each cut, and maximum.
const GROWTH: (u64, u64) = (8, 512);

/// Refusals of a server while data was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refused {
    /// Number of attempts that were refused or lost, and then retried.
    pub requests: u64,
    /// Lowest limit of concurrent requests.
    pub fewest_at_once: usize,
}

/// Limits the concurrent requests of one stage; shared by its workers.
#[derive(Debug)]
pub struct Governor {
    connections: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Limit of concurrent requests.
    window: usize,
    out: usize,
    /// Number of times the limit was halved. The refusal of a request admitted before the last cut
    /// causes no further cut.
    cuts: u64,
    /// Successes since the last change of the limit; `growth` successes raise the limit by one.
    successes: u64,
    growth: u64,
    refused: Refused,
    /// Number of consecutive refusals; `since` is the time of the first of these refusals,
    /// nanoseconds.
    in_a_row: u32,
    since: u64,
    /// The latest known time, nanoseconds.
    now: u64,
    /// No request is sent before this time, nanoseconds.
    quiet_until: u64,
}

impl Governor {
    /// A governor for a stage with `connections` connections.
    pub fn new(connections: usize) -> Self {
        let connections = connections.max(1);
        Self {
            connections,
            state: Mutex::new(State {
                window: connections,
                out: 0,
                cuts: 0,
                successes: 0,
                growth: GROWTH.0,
                refused: Refused {
                    requests: 0,
                    fewest_at_once: connections,
                },
                in_a_row: 0,
                since: 0,
                now: 0,
                quiet_until: 0,
            }),
        }
    }

    /// The refusals so far.
    pub fn refused(&self) -> Refused {
        self.state().refused
    }

    /// Admits one more request and returns how often the limit was halved so far; `Err` is the time
    /// at which to try again, nanoseconds.
    pub(super) fn admit(&self, now: u64) -> Result<u64, u64> {
        /// Length of a wait during which a request of another thread can end, nanoseconds.
        const A_MOMENT: u64 = 2_000_000;
        let mut state = self.state();
        state.now = state.now.max(now);
        if now < state.quiet_until {
            return Err(state.quiet_until);
        }
        if state.out >= state.window {
            return Err(now + A_MOMENT);
        }
        state.out += 1;
        Ok(state.cuts)
    }

    /// Takes back the admission of a request that is not sent.
    pub(super) fn withdraw(&self) {
        self.state().out -= 1;
    }

    /// Counts a request that has ended without a further retry as a success, whatever its outcome.
    pub(super) fn ended(&self) {
        let mut state = self.state();
        state.out -= 1;
        state.in_a_row = 0;
        state.successes += 1;
        if state.window < self.connections && state.successes >= state.growth {
            state.window += 1;
            state.successes = 0;
        }
    }

    /// Whether a request is retried if attempt number `attempts` is refused now.
    pub(super) fn insists(&self, attempts: u32) -> bool {
        let state = self.state();
        let long = state.now.saturating_sub(state.since) >= LONGEST_IN_A_ROW;
        let hopeless = state.in_a_row >= MOST_IN_A_ROW && long;
        attempts < MOST_ATTEMPTS && !hopeless
    }

    /// Counts a refused request. `cut` is the result of [`Governor::admit`] for the request;
    /// `requested_wait` is the wait that the server requested, nanoseconds.
    pub(super) fn refuse(&self, cut: u64, requested_wait: Option<u64>) {
        let mut state = self.state();
        state.out -= 1;
        state.refused.requests += 1;
        if state.in_a_row == 0 {
            state.since = state.now;
        }
        state.in_a_row += 1;
        if let Some(requested_wait) = requested_wait {
            state.quiet_until = state.quiet_until.max(state.now + requested_wait);
        }
        if cut == state.cuts {
            state.cuts += 1;
            state.window = (state.window / 2).max(1);
            state.refused.fewest_at_once = state.refused.fewest_at_once.min(state.window);
            state.successes = 0;
            state.growth = (state.growth * 2).min(GROWTH.1);
        }
    }

    /// Number of consecutive refusals, and the seconds since the first of these refusals.
    pub(super) fn in_a_row(&self) -> (u32, u64) {
        let state = self.state();
        let nanos = state.now.saturating_sub(state.since);
        (state.in_a_row, nanos / 1_000_000_000)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends all admitted requests to a server that processes one request at a time and refuses all
    /// others, until `successes` requests have succeeded; returns the refusals.
    fn at_a_busy_server(connections: usize, successes: u64) -> Refused {
        let governor = Governor::new(connections);
        let mut done = 0;
        let mut now = 0;
        while done < successes {
            now += 1_000_000;
            let mut cuts = Vec::new();
            while let Ok(cut) = governor.admit(now) {
                cuts.push(cut);
            }
            governor.ended();
            done += 1;
            for &cut in &cuts[1..] {
                governor.refuse(cut, None);
            }
        }
        governor.refused()
    }

    #[test]
    fn a_server_with_one_writer_gets_one_request_at_a_time_before_long() {
        let refused = at_a_busy_server(20, 2_500);
        assert_eq!(refused.fewest_at_once, 1);
        // 19 refusals at the start, then one per cut.
        assert!(refused.requests < 60, "{refused:?}");
    }

    #[test]
    fn a_server_that_takes_all_is_never_held_back() {
        let governor = Governor::new(3);
        for _ in 0..3 {
            assert!(governor.admit(0).is_ok());
        }
        assert!(governor.admit(0).is_err());
        governor.ended();
        assert!(governor.admit(0).is_ok());
        assert_eq!(governor.refused().requests, 0);
    }

    #[test]
    fn it_is_given_up_after_enough_refusals_and_time_without_a_success() {
        let governor = Governor::new(1);
        for second in 0..40 {
            let cut = governor.admit(second * 1_000_000_000).unwrap();
            assert_eq!(governor.insists(0), second < 30, "{second}");
            governor.refuse(cut, None);
        }
        assert!(!Governor::new(1).insists(MOST_ATTEMPTS));
        assert_eq!(governor.in_a_row().0, 40);
    }

    #[test]
    fn nothing_is_sent_while_the_server_asks_to_wait() {
        let governor = Governor::new(2);
        let cut = governor.admit(5).unwrap();
        governor.refuse(cut, Some(1_000));
        assert_eq!(governor.admit(6), Err(1_005));
        assert!(governor.admit(1_005).is_ok());
    }
}
