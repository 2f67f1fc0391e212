//! Counting what came of operations, shipped about once a second.

use crate::clock::thread_cpu;
use crate::error::ErrorClass;
use crate::sample::{Ledger, OpSample, Sample, SetupSample};

/// Different failure texts kept in one sample; the rest go under one heading.
const MOST_FAILURE_TEXTS: usize = 32;
/// Heading of the rest.
const OTHER_FAILURES: &str = "other failures";

/// How an operation ended, in nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) intended: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
}

/// The measured window, nanoseconds since the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) open: u64,
    pub(crate) close: u64,
}

impl Window {
    fn holds(&self, time: u64) -> bool {
        self.open <= time && time < self.close
    }
}

/// One thread's counts since the last shipment.
pub(crate) struct Tally {
    window: Window,
    open_loop: bool,
    names: Vec<&'static str>,
    pub(crate) ops: Vec<OpSample>,
    /// Last status seen and how often, by operation: spares the map on the path
    /// of a request.
    run_of_status: Vec<(u16, u64)>,
    pub(crate) ledger: Ledger,
    since: u64,
    cpu_since: u64,
    thread: usize,
}

impl Tally {
    pub(crate) fn new(
        thread: usize,
        names: &[&'static str],
        window: Window,
        open_loop: bool,
    ) -> Self {
        Self {
            window,
            open_loop,
            names: names.to_vec(),
            ops: names.iter().map(|name| OpSample::new(name)).collect(),
            run_of_status: vec![(0, 0); names.len()],
            ledger: Ledger::default(),
            since: window.open,
            cpu_since: thread_cpu(),
            thread,
        }
    }

    /// Moves the end of the window to now: a slice by count ends when it ends.
    pub(crate) fn close_window(&mut self, at: u64) {
        self.window.close = self.window.close.min(at.max(self.window.open));
    }

    /// The lead is over. Operations are kept apart by their own times, since some
    /// of the window may have ended before this is called.
    /// `standing` are the connections that are open: they carry the window's
    /// requests, unlike those that the lead has used up.
    pub(crate) fn open_window(&mut self, standing: Ledger) {
        self.ledger = standing;
        self.since = self.window.open;
        self.cpu_since = thread_cpu();
    }

    /// An answer whose operation was counted, as a success or as a failure.
    pub(crate) fn status(&mut self, op: usize, status: u16) {
        let run = &mut self.run_of_status[op];
        if run.0 == status {
            run.1 += 1;
        } else {
            self.flush_status(op);
            self.run_of_status[op] = (status, 1);
        }
    }

    fn flush_status(&mut self, op: usize) {
        let (status, count) = std::mem::take(&mut self.run_of_status[op]);
        if count > 0 {
            *self.ops[op].statuses.entry(status).or_default() += count;
        }
    }

    /// A correct answer. Says whether it counts as throughput.
    pub(crate) fn correct(&mut self, op: usize, times: Times, payload: u64) -> bool {
        let figures = &mut self.ops[op];
        let in_window = self.window.holds(times.ended);
        if in_window {
            figures.ok += 1;
            figures.payload += payload;
        }
        if self.window.holds(times.intended) {
            figures
                .service
                .saturating_record((times.ended - times.started).max(1));
            if self.open_loop {
                figures
                    .response
                    .saturating_record((times.ended - times.intended).max(1));
                figures
                    .lag
                    .saturating_record((times.started - times.intended).max(1));
            }
        }
        in_window
    }

    /// A failure. One that ended before the window opened, or was due after it
    /// closed, is not of this slice. Says whether it counts.
    pub(crate) fn failed(
        &mut self,
        op: usize,
        times: Times,
        class: ErrorClass,
        text: &str,
    ) -> bool {
        if times.ended < self.window.open || times.intended >= self.window.close {
            return false;
        }
        let figures = &mut self.ops[op];
        figures.errors[class as usize] += 1;
        figures
            .failed
            .saturating_record((times.ended.saturating_sub(times.intended)).max(1));
        if !text.is_empty() {
            let known = figures.failures.contains_key(text);
            let room = figures.failures.len() < MOST_FAILURE_TEXTS;
            let heading = if known || room { text } else { OTHER_FAILURES };
            match figures.failures.get_mut(heading) {
                Some(count) => *count += 1,
                None => {
                    figures.failures.insert(heading.to_owned(), 1);
                }
            }
        }
        true
    }

    pub(crate) fn censored(&mut self, op: usize, times: Times) {
        if self.window.holds(times.intended) {
            self.ops[op].censored += 1;
        }
    }

    pub(crate) fn traffic(&mut self, op: usize, sent: u64, received: u64, ended: u64) {
        if self.window.holds(ended) {
            self.ops[op].sent += sent;
            self.ops[op].received += received;
        }
    }

    /// The start of the stretch now being counted.
    pub(crate) fn since(&self) -> u64 {
        self.since
    }

    /// Hands out what was counted up to `end` and starts anew.
    pub(crate) fn ship(&mut self, end: u64, backlog: u64, drain: bool) -> Sample {
        for op in 0..self.ops.len() {
            self.flush_status(op);
        }
        let fresh = self.names.iter().map(|name| OpSample::new(name)).collect();
        let cpu = thread_cpu();
        let sample = Sample {
            thread: self.thread,
            start: self.since.saturating_sub(self.window.open),
            end: end.saturating_sub(self.window.open),
            ops: std::mem::replace(&mut self.ops, fresh),
            ledger: std::mem::take(&mut self.ledger),
            setup: SetupSample::default(),
            hosts: Vec::new(),
            cpu: cpu.saturating_sub(self.cpu_since),
            backlog,
            drain,
        };
        self.since = end;
        self.cpu_since = cpu;
        sample
    }
}
