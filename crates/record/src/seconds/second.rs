//! One second of a slice.

use tenbin_engine::Ledger;

use crate::histogram::packed::PackedHistogram;
use crate::slice::stalls::Stalls;
use crate::slice::thread_use::ThreadUse;
use crate::slice::{HostFigures, OpFigures, SetupFigures};

/// One second of a slice, merged over threads.
#[derive(Debug)]
pub(crate) struct Interval {
    /// Number of the second in the window, from 0.
    pub(crate) second: u64,
    /// Earliest start of the samples, nanoseconds since the start of the window.
    pub(crate) start: u64,
    /// Latest end of the samples, nanoseconds since the start of the window.
    pub(crate) end: u64,
    /// Whether the samples cover the drain after the window.
    pub(crate) drain: bool,
    /// Figures by operation, in the order of the workload. In a closed loop
    /// `response` is empty.
    pub(crate) ops: Vec<OpFigures>,
    /// Counters of connection events.
    pub(crate) ledger: Ledger,
    /// Set-up times of connections.
    pub(crate) setup: SetupFigures,
    /// Figures by host, in the order of the slice's hosts.
    pub(crate) hosts: Vec<HostFigures>,
    /// Times of the work by agent, by which the agents are compared; empty without agents, and in
    /// seconds that were read from a file.
    pub(crate) agents: Vec<PackedHistogram>,
    /// Resource use of every thread.
    pub(crate) threads: Vec<ThreadUse>,
    /// Waits of threads for a core, if observed.
    pub(crate) stalls: Option<Stalls>,
}
