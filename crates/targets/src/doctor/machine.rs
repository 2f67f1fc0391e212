//! Samples the activity of this machine.

use std::time::Duration;

/// Activity of this machine during a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Activity {
    /// Online cores.
    pub(super) cores: usize,
    /// Used share of the CPU time of all cores, 0 to 1.
    pub(super) cpu_share: f64,
    /// Share of steal time in the CPU time of all cores, 0 to 1.
    pub(super) steal_share: f64,
    /// Load average over the last minute.
    pub(super) load: f64,
    /// Installed memory, bytes.
    pub(super) memory: u64,
    /// Available memory, bytes.
    pub(super) memory_available: u64,
    /// Swap space in use, bytes.
    pub(super) swap_used: u64,
    /// Pages swapped in or out during the sample.
    pub(super) pages_swapped: u64,
}

/// Formats a size with a binary unit and at most three digits.
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(not(target_os = "linux"))]
pub(super) fn watch(_time: Duration) -> Option<Activity> {
    None
}

/// Samples this machine for `time`; `None` if its counters are not readable.
#[cfg(target_os = "linux")]
pub(super) fn watch(time: Duration) -> Option<Activity> {
    linux::watch(time)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::thread;
    use std::time::Duration;

    use procfs::{Current as _, LoadAverage, Meminfo};

    use super::Activity;
    use crate::counters;

    pub(super) fn watch(time: Duration) -> Option<Activity> {
        let before = counters::cpu()?;
        let swapped_before = counters::swapped_pages();
        thread::sleep(time);
        let after = counters::cpu()?;
        let swapped = swapped_before.zip(counters::swapped_pages());
        let share =
            |part: f64| (part / (after.all() - before.all()).max(f64::MIN_POSITIVE)).max(0.0);
        let memory = Meminfo::current().ok()?;
        Some(Activity {
            cores: usize::try_from(after.cores).ok()?,
            // Each difference is zero on an idle machine; the difference of two sums may not be.
            cpu_share: share((after.busy - before.busy) + (after.interrupts - before.interrupts)),
            steal_share: share(after.steal - before.steal),
            load: LoadAverage::current().ok()?.one.into(),
            memory: memory.mem_total,
            memory_available: memory.mem_available?,
            swap_used: memory.swap_total.saturating_sub(memory.swap_free),
            // A kernel without swap has no counters; nothing is swapped.
            pages_swapped: swapped.map_or(0, |(before, after)| after.saturating_sub(before)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_up_to_three_digits() {
        for (count, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (200 << 20, "200 MiB"),
            (76 << 30, "76.0 GiB"),
        ] {
            assert_eq!(bytes(count), text);
        }
    }
}
