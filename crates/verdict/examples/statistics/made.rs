//! Slices of simulated runs.

use tenbin_plan::{Plan, Turn};
use tenbin_record::{ClientUse, OpFigures, Slice, SliceEnd, SliceHead};

/// A slice of one second with the given number of operations.
pub(crate) fn slice(plan: &Plan, turn: &Turn, index: u32, operations: f64) -> Slice {
    let mut op = OpFigures::new("GET");
    op.counts.ok = operations as u64;
    Slice {
        head: SliceHead {
            index,
            block: turn.block,
            round: turn.round,
            workload: plan.workloads[turn.workload].name.clone(),
            target: plan.targets[turn.target].name.clone(),
            connections: plan.workloads[turn.workload].load.connections,
            closed_loop: true,
            start: f64::from(index),
            ..SliceHead::default()
        },
        end: SliceEnd {
            seconds: 1.0,
            ..SliceEnd::default()
        },
        ops: vec![op],
        client: ClientUse {
            cpu_seconds: 0.1,
            busiest_thread: 0.1,
            ..ClientUse::default()
        },
        ..Slice::default()
    }
}
