//! CPU use of a machine that load generator and target share.

use tenbin_plan::Reach;
use tenbin_record::Slice;
use tenbin_result::{Message, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::server;
use crate::words::middle;

/// Idle share of all cores above which CPU is not the limit: Tenbin's own convention.
const ROOM: f64 = 0.20;

/// Busy cores for one workload on one target: medians over the full slices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Busy {
    /// Cores that the target uses.
    pub(crate) target: f64,
    /// Cores that the load generator uses; 0 with agents.
    pub(crate) generator: f64,
    /// Cores that target and load generator use together.
    pub(crate) both: f64,
    /// Cores that other programs use; 0 if unknown.
    pub(crate) others: f64,
    /// Cores that the busiest process of the target uses; `None` if unknown.
    pub(crate) process: Option<f64>,
    /// Cores that the busiest thread of the target uses; `None` if unknown.
    pub(crate) thread: Option<f64>,
    /// Number of cores that the target may use.
    pub(crate) cores: usize,
    /// Number of cores of the machine.
    pub(crate) online: usize,
    /// Idle share of the CPU time of all cores, 0 to 1; `None` if unknown. Time of interrupts, of
    /// other programs and of other virtual machines on the same hardware is not idle.
    idle: Option<f64>,
}

impl Busy {
    /// `None` if the target may run on another machine, if its processes are not observed, or if
    /// the number of cores is unknown.
    pub(crate) fn of(cell: &Cell<'_>, evidence: &Evidence<'_>) -> Option<Self> {
        if !cell.runs_here() {
            return None;
        }
        let full = cell.full();
        let usable = evidence.cores?;
        let online = full
            .iter()
            .find_map(|slice| Some(slice.machine()?.cpu?.cores));
        let online = online.and_then(|cores| usize::try_from(cores).ok());
        let online = online.unwrap_or(usable);
        if online == 0 || usable == 0 {
            return None;
        }
        let median = |figure: &dyn Fn(&Slice) -> Option<f64>| {
            middle(full.iter().filter_map(|slice| figure(slice)))
        };
        let per_second = |slice: &Slice, seconds: f64| {
            (slice.end.seconds > 0.0).then_some(seconds / slice.end.seconds)
        };
        // The agents send the load, from other machines: this machine's load generator uses no CPU.
        let of_generator = |slice: &Slice| {
            if slice.agents.is_empty() {
                per_second(slice, slice.client.cpu_seconds)
            } else {
                Some(0.0)
            }
        };
        let target = median(&server::busy_cores)?;
        // A quota or an affinity can leave Tenbin fewer cores than the machine has. A target that Tenbin
        // launched has the same limits, unless it uses more.
        let is_limited = matches!(cell.target.reach, Reach::Launched(_)) && target <= usable as f64;
        let cores = if is_limited { usable } else { online };
        Some(Self {
            target,
            generator: median(&of_generator)?,
            both: median(&|slice| {
                let generator = of_generator(slice)?;
                Some(server::busy_cores(slice)? + generator)
            })?,
            others: median(&|slice| {
                let machine = slice.machine()?;
                (machine.seconds > 0.0).then_some(machine.others_cpu_seconds? / machine.seconds)
            })
            .unwrap_or(0.0),
            process: median(&|slice| {
                per_second(
                    slice,
                    server::amount(slice, |used| used.busiest_process_seconds)?,
                )
            }),
            thread: median(&|slice| {
                per_second(
                    slice,
                    server::amount(slice, |used| used.busiest_thread_seconds)?,
                )
            }),
            idle: median(&|slice| slice.machine()?.cpu?.idle_share()),
            cores,
            online,
        })
    }

    /// Idle share of the CPU time of all cores, 0 to 1. If unknown, the share that neither target
    /// nor load generator used.
    pub(crate) fn idle(&self) -> f64 {
        self.idle
            .unwrap_or_else(|| (1.0 - self.both / self.cores as f64).max(0.0))
    }

    /// The idle share: "65 % of 2 cores was idle".
    pub(crate) fn idle_message(&self) -> Message {
        message!(
            "idle-cores",
            share = Value::Share(self.idle()),
            cores = self.cores,
            known = self.idle.is_some()
        )
    }

    /// Whether the idle share of the machine is known, rather than only the use by target and load
    /// generator.
    pub(crate) fn knows_idle(&self) -> bool {
        self.idle.is_some()
    }

    /// Whether enough CPU time is idle that CPU is not the limit.
    pub(crate) fn has_room(&self) -> bool {
        self.idle() > ROOM
    }
}
