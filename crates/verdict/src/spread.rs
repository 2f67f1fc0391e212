//! How evenly the connections of a target were served, over its slices.

use tenbin_record::{Slice, Spread};

use crate::cell::Cell;

/// Share of the slices in which connections have to be served unevenly: Tenbin's own convention.
const USUALLY: f64 = 0.50;

/// Whether requests were sent again after a wait: a connection idles meanwhile, whoever serves it.
fn backs_off(cell: &Cell<'_>, full: &[&Slice]) -> bool {
    let failed = |slice: &&Slice| slice.ops.iter().any(|op| op.failed_count() > 0);
    cell.workload.facts().retries() > 0 && full.iter().any(failed)
}

/// What is known of the connections, if they are served unevenly in most of the full slices, or
/// were in the warm-up. Of several hosts each may have a share of its own, which is no matter of
/// workers.
pub(crate) fn uneven(cell: &Cell<'_>) -> Option<Vec<Spread>> {
    let full = cell.full();
    if backs_off(cell, &full) {
        return None;
    }
    let on_one_host = full.iter().filter(|slice| slice.hosts.is_empty());
    let known: Vec<Spread> = on_one_host.filter_map(|slice| slice.spread).collect();
    // The plan did not ask for it: the warm-up did.
    let in_warm_up =
        cell.workload.load.reopen.is_none() && full.iter().any(|slice| slice.reopen.is_some());
    let uneven = known.iter().filter(|spread| spread.is_uneven()).count();
    let usually = uneven > 0 && uneven as f64 >= USUALLY * known.len() as f64;
    (usually || (in_warm_up && !known.is_empty())).then_some(known)
}
