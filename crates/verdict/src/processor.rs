//! How busy the cores of a machine are that generator and target share.

use tenbin_record::Slice;

use crate::evidence::{Cell, Evidence};
use crate::server;
use crate::words::middle;

/// Share of all cores that neither side uses from which on CPU is not the limit, unless
/// others use them: Tenbin's own convention.
const UNUSED: f64 = 0.20;

/// Cores that one workload on one target keeps busy: medians over its full slices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Busy {
    /// Cores that the target uses.
    pub(crate) target: f64,
    /// Cores that target and generator use together.
    pub(crate) both: f64,
    /// Cores that there are.
    pub(crate) cores: usize,
}

impl Busy {
    /// `None` when the target may run on another machine, when nobody observed its own
    /// processes, and when the number of cores is not known.
    pub(crate) fn of(cell: &Cell<'_>, evidence: &Evidence<'_>) -> Option<Self> {
        let cores = evidence.cores.filter(|cores| *cores > 0)?;
        if !cell.runs_here() {
            return None;
        }
        let full = cell.full();
        Some(Self {
            target: middle(full.iter().filter_map(|slice| server::busy_cores(slice)))?,
            both: middle(full.iter().filter_map(|slice| both(slice)))?,
            cores,
        })
    }

    /// Share of the cores that neither of the two uses; others may.
    pub(crate) fn unused(&self) -> f64 {
        (1.0 - self.both / self.cores as f64).max(0.0)
    }

    /// Whether so many of them are left that CPU is not the limit, unless others use them.
    pub(crate) fn has_room(&self) -> bool {
        self.unused() > UNUSED
    }
}

fn both(slice: &Slice) -> Option<f64> {
    Some(server::busy_cores(slice)? + slice.client.cpu_seconds / slice.seconds)
}
