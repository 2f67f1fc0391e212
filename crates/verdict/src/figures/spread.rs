//! How evenly a target serves its connections, over its slices.

use tenbin_record::{Slice, Spread};

use crate::cell::Cell;

/// A target counts as uneven if at least this share of its slices have unevenly served connections:
/// Tenbin's own convention.
const USUALLY: f64 = 0.50;

/// Whether failed requests were retried after a wait, which makes connections idle without the
/// server's doing.
fn backs_off(cell: &Cell<'_>, full: &[&Slice]) -> bool {
    let failed = |slice: &&Slice| slice.ops.iter().any(|op| op.failed_count() > 0);
    cell.workload.facts().retries() > 0 && full.iter().any(failed)
}

/// The statistics of the connections if the target serves connections unevenly in at least half of
/// the full slices, or did so in the warm-up. `None` otherwise, or if waits before retries may be
/// the cause. Slices with several hosts are ignored: there, connections can differ in rate because
/// the hosts differ.
pub(crate) fn uneven(cell: &Cell<'_>) -> Option<Vec<Spread>> {
    let full = cell.full();
    if backs_off(cell, &full) {
        return None;
    }
    let on_one_host = full.iter().filter(|slice| slice.hosts.is_empty());
    let known: Vec<Spread> = on_one_host.filter_map(|slice| slice.end.spread).collect();
    // If connections were reopened although the plan does not set this, the warm-up found uneven
    // connections.
    let in_warm_up =
        cell.workload.load.reopen.is_none() && full.iter().any(|slice| slice.reopen.is_some());
    let uneven = known.iter().filter(|spread| spread.is_uneven()).count();
    let usually = uneven > 0 && uneven as f64 >= USUALLY * known.len() as f64;
    (usually || (in_warm_up && !known.is_empty())).then_some(known)
}
