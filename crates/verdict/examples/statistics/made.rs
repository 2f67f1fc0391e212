//! Slices of simulated runs.

use tenbin_plan::{Plan, Turn};
use tenbin_record::{ClientUse, OpFigures, Slice};

/// A slice of one second with the given number of operations.
pub(crate) fn slice(plan: &Plan, turn: &Turn, index: u32, operations: f64) -> Slice {
    let mut op = OpFigures::new("GET");
    op.counts.ok = operations as u64;
    Slice {
        index,
        block: turn.block,
        round: turn.round,
        workload: plan.workloads[turn.workload].name.clone(),
        target: plan.targets[turn.target].name.clone(),
        start: f64::from(index),
        seconds: 1.0,
        connections: plan.workloads[turn.workload].load.connections,
        closed_loop: true,
        ops: vec![op],
        client: ClientUse {
            cpu_seconds: 0.1,
            busiest_thread: 0.1,
            ..ClientUse::default()
        },
        ..Slice::default()
    }
}
