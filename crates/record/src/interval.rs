//! One second of a slice.

use tenbin_engine::Ledger;

use crate::slice::{HostFigures, OpFigures, SetupFigures};
use crate::stalls::Stalls;
use crate::thread_use::ThreadUse;

/// One second of a slice, merged over threads.
#[derive(Debug)]
pub(crate) struct Interval {
    /// Second of the window, or of the time since the window opened, from 0.
    pub(crate) second: u64,
    /// Earliest start of its samples, nanoseconds after the window opened.
    pub(crate) start: u64,
    /// Latest end of its samples.
    pub(crate) end: u64,
    /// Whether all this came in after the window closed.
    pub(crate) drain: bool,
    /// Figures by operation, in the order of the workload. In a closed loop
    /// `response` is empty.
    pub(crate) ops: Vec<OpFigures>,
    /// What happened to connections.
    pub(crate) ledger: Ledger,
    /// How long opening them took.
    pub(crate) setup: SetupFigures,
    /// Figures by host, in the order of the slice's.
    pub(crate) hosts: Vec<HostFigures>,
    /// What every thread used.
    pub(crate) threads: Vec<ThreadUse>,
    /// Long waits for a core.
    pub(crate) stalls: Option<Stalls>,
}
