//! How evenly a target serves its connections, over its slices.

use tenbin_record::{Slice, Spread};

use crate::cell::Cell;

/// Share of the slices in which connections must be served unevenly: Tenbin's own convention.
const USUALLY: f64 = 0.50;

/// Whether requests were sent again after a wait, during which their connection is idle for reasons
/// other than the server.
fn backs_off(cell: &Cell<'_>, full: &[&Slice]) -> bool {
    let failed = |slice: &&Slice| slice.ops.iter().any(|op| op.failed_count() > 0);
    cell.workload.facts().retries() > 0 && full.iter().any(failed)
}

/// The statistics of the connections, if they are served unevenly in most of the full slices or
/// were so in the warm-up. With several hosts, the connections of each host may have different
/// rates for reasons other than workers.
pub(crate) fn uneven(cell: &Cell<'_>) -> Option<Vec<Spread>> {
    let full = cell.full();
    if backs_off(cell, &full) {
        return None;
    }
    let on_one_host = full.iter().filter(|slice| slice.hosts.is_empty());
    let known: Vec<Spread> = on_one_host.filter_map(|slice| slice.spread).collect();
    // Reopening was not part of the plan: the warm-up caused it.
    let in_warm_up =
        cell.workload.load.reopen.is_none() && full.iter().any(|slice| slice.reopen.is_some());
    let uneven = known.iter().filter(|spread| spread.is_uneven()).count();
    let usually = uneven > 0 && uneven as f64 >= USUALLY * known.len() as f64;
    (usually || (in_warm_up && !known.is_empty())).then_some(known)
}
