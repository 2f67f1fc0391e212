//! Measures the CPU use of an agent's machine during the window of a slice.

use std::path::Path;

use tenbin_cluster::CpuOfMachine;
use tenbin_engine::SliceEvent;
use tenbin_record::CpuUse;
use tenbin_targets::MachineMonitor;
use tenbin_targets::counters::CpuTime;

use crate::machine::{cpu_between, own_cpu_seconds};

/// Reads the CPU time at the start and at the end of the window.
pub(crate) struct CpuWatch {
    monitor: MachineMonitor,
    /// Whether all targets are known to run on other machines.
    is_alone: bool,
    opened: Option<Reading>,
    used: Option<CpuOfMachine>,
}

struct Reading {
    cpu: Option<CpuTime>,
    own: Option<f64>,
}

impl CpuWatch {
    /// `directory` is on a filesystem whose free space the monitor reads, too.
    pub(crate) fn new(directory: &Path, is_alone: bool) -> Self {
        Self {
            monitor: MachineMonitor::new(directory),
            is_alone,
            opened: None,
            used: None,
        }
    }

    pub(crate) fn on_event(&mut self, event: &SliceEvent) {
        match event {
            SliceEvent::Opened => self.opened = Some(self.read()),
            SliceEvent::Sample(_) => {}
            SliceEvent::Closed => {
                let closed = self.read();
                self.used = self.opened.as_ref().and_then(|opened| {
                    let cpu = cpu_between(opened.cpu?, closed.cpu?);
                    let own = opened.own.zip(closed.own);
                    let own = own.map(|(before, after)| (after - before).max(0.0));
                    used(cpu, own.filter(|_| self.is_alone))
                });
            }
        }
    }

    /// The CPU use in the window; `None` if the kernel does not report CPU times, or the window was
    /// too short.
    pub(crate) fn used(&self) -> Option<CpuOfMachine> {
        self.used
    }

    fn read(&self) -> Reading {
        Reading {
            cpu: self.monitor.read().cpu,
            own: own_cpu_seconds(),
        }
    }
}

/// `own` is the CPU time of this process; `None` if the CPU time of other programs cannot be told
/// from that of a target.
fn used(cpu: CpuUse, own: Option<f64>) -> Option<CpuOfMachine> {
    let all = cpu.all()?;
    let share = |seconds: f64| (seconds / all).clamp(0.0, 1.0);
    Some(CpuOfMachine {
        busy: 1.0 - share(cpu.idle + cpu.iowait),
        others: own.map(|own| share(cpu.busy - own) * cpu.cores as f64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time() -> CpuUse {
        CpuUse {
            cores: 4,
            busy: 5.0,
            interrupts: 0.5,
            idle: 4.0,
            iowait: 0.25,
            steal: 0.25,
        }
    }

    #[test]
    fn busy_is_what_is_not_idle_and_others_is_what_this_process_did_not_use() {
        let used = used(time(), Some(3.0)).expect("known");
        assert!((used.busy - 0.575).abs() < 1e-12, "{used:?}");
        let others = used.others.expect("known");
        assert!((others - 0.8).abs() < 1e-12, "2 of 10 s on 4 cores");
    }

    #[test]
    fn the_use_of_others_is_never_below_0() {
        let more_than_all = used(time(), Some(7.0)).expect("known");
        assert_eq!(more_than_all.others, Some(0.0), "clock ticks are coarse");
        assert_eq!(used(time(), None).expect("known").others, None);
        assert_eq!(used(CpuUse::default(), Some(1.0)), None);
    }

    #[test]
    fn only_the_window_counts() {
        let mut watch = CpuWatch::new(&std::env::temp_dir(), true);
        watch.on_event(&SliceEvent::Closed);
        assert_eq!(watch.used(), None, "the window did not open");
        watch.on_event(&SliceEvent::Opened);
        assert_eq!(watch.used(), None);
    }
}
