//! How many requests may be out at once, over everything that multiplies them.

use crate::desk::Desk;
use crate::problem::Place;
use crate::target::Target;
use crate::workload::Workload;

/// Each needs room of its own in memory and in what the wires keep, whether it is
/// used or not: more than this is surely a slip.
const MOST_OUT: usize = 100_000;

/// Notes workloads that would have too many requests out at once on a target. Each
/// number is right on its own; what they come to is told once for each workload.
pub(super) fn check(desk: &mut Desk<'_>, workloads: &[Workload], targets: &[Target]) {
    let Some((target, hosts)) = targets
        .iter()
        .map(|target| (target, target.host_count()))
        .max_by_key(|&(_, hosts)| hosts)
    else {
        return;
    };
    for Workload { name, load, .. } in workloads {
        let (connections, depth) = (load.connections, load.depth);
        let out = connections.saturating_mul(depth).saturating_mul(hosts);
        if out <= MOST_OUT {
            continue;
        }
        let mut factors = format!("{connections} connections");
        if hosts > 1 {
            let target = &target.name;
            factors += &format!(" to each of the {hosts} hosts of target {target:?}");
        }
        if depth > 1 {
            factors += &format!(", {depth} requests deep,");
        }
        desk.refuse(
            Place::Nowhere,
            format!(
                "workload {name:?}: {factors} could have {out} requests out at once, and the \
                 most is {MOST_OUT}; lower connections or depth"
            ),
        );
    }
}
