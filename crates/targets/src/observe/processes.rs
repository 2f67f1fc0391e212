//! Reads the resource use of all processes below a guard (the parent of a launched command), or of
//! processes that Tenbin did not launch.
//!
//! When a parent collects an ended child, the kernel adds the child's CPU time and storage traffic
//! to the parent's "children" counters (`wait_task_zombie` in Linux' `kernel/exit.c`). The total is
//! therefore the sum of the use of all live processes, the children counters of all live processes,
//! and the children counters of the guard. Storage traffic has no separate children counters:
//! `/proc/PID/io` includes the traffic of ended children. Three cases need care:
//!
//! First, a child that is collected during a reading could count twice or not at all. Reading
//! parents before children excludes counting twice. If a process has disappeared, the reading is
//! repeated.
//! Second, if a parent ignores SIGCHLD, the kernel discards the counters of the parent's children.
//! The last values read are kept.
//! Third, the kernel counts ended processes in clock ticks, so a total can decrease by one tick.
//! Reported totals never decrease.
//!
//! Processes that Tenbin did not launch have no guard above them. When a topmost process ends, no
//! counter keeps its use, and its children leave the tree. The last values of the ended process are
//! then kept, and the children are still observed.
//!
//! Context switches are counted per thread (`/proc/PID/task/TID/status`) and are lost when the
//! thread ends. The switches of a thread between its last reading and its end are thus missing.

#[cfg(target_os = "linux")]
mod counters;
#[cfg(target_os = "linux")]
mod linux;

use crate::usage::{Detail, Usage};

/// The root of an observed process tree.
#[derive(Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "there is no /proc")
)]
pub(crate) enum Root {
    /// A guard with this process id; the guard itself is not observed.
    Guard(i32),
    /// Topmost processes with their start times; these processes are observed too.
    #[cfg(target_os = "linux")]
    Processes(Vec<super::find::Identity>),
}

/// Reads the totals of a process tree.
#[derive(Debug)]
pub(crate) struct Observer {
    #[cfg(target_os = "linux")]
    linux: linux::Observer,
}

#[cfg(target_os = "linux")]
impl Observer {
    /// Observes all processes below `root`. For a guard, this function must be called right after
    /// the start of the command.
    pub(crate) fn new(root: Root) -> Self {
        Self {
            linux: linux::Observer::new(root),
        }
    }

    /// Reads the totals so far; `None` if the guard or all topmost processes have ended.
    pub(crate) fn usage(&mut self, detail: Detail) -> Option<Usage> {
        self.linux.usage(detail)
    }

    /// Number of processes in the last reading.
    pub(crate) fn count(&self) -> usize {
        self.linux.count()
    }

    /// Ids of the processes in the last reading.
    pub(crate) fn members(&self) -> Vec<i32> {
        self.linux.members.clone()
    }
}

#[cfg(not(target_os = "linux"))]
impl Observer {
    pub(crate) fn new(_root: Root) -> Self {
        Self {}
    }

    pub(crate) fn usage(&mut self, _depth: Detail) -> Option<Usage> {
        None
    }

    pub(crate) fn count(&self) -> usize {
        0
    }

    pub(crate) fn members(&self) -> Vec<i32> {
        Vec::new()
    }
}
