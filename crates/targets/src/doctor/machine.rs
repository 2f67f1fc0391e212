//! What this machine is doing, watched for a moment.

use std::time::Duration;

/// How much a machine is at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// Cores that run programs.
    pub(super) cores: usize,
    /// Share of the CPU time of all cores that was used, 0 to 1.
    pub(super) cpu_share: f64,
    /// Share that other machines on the same hardware took, 0 to 1.
    pub(super) steal_share: f64,
    /// Runnable tasks, averaged over the last minute.
    pub(super) load: f64,
    /// Bytes of memory.
    pub(super) memory: u64,
    /// Bytes of it that programs could still have.
    pub(super) memory_available: u64,
    /// Bytes of swap that hold something.
    pub(super) swap_used: u64,
    /// Pages that went to swap or came back.
    pub(super) pages_swapped: u64,
}

/// A size for people: three digits and a binary unit.
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
pub(super) fn watch(_time: Duration) -> Option<Rest> {
    None
}

/// Watches this machine for `time`; `None` where it does not tell.
#[cfg(target_os = "linux")]
pub(super) fn watch(time: Duration) -> Option<Rest> {
    linux::watch(time)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::thread;
    use std::time::Duration;

    use super::Rest;

    #[derive(Clone, Copy)]
    struct Ticks {
        all: u64,
        idle: u64,
        steal: u64,
    }

    pub(super) fn watch(time: Duration) -> Option<Rest> {
        let (cores, before) = ticks(&fs::read_to_string("/proc/stat").ok()?)?;
        let swapped_before = pages_swapped();
        thread::sleep(time);
        let (_, after) = ticks(&fs::read_to_string("/proc/stat").ok()?)?;
        let all = after.all.saturating_sub(before.all).max(1) as f64;
        let share = |before: u64, after: u64| after.saturating_sub(before) as f64 / all;
        let steal_share = share(before.steal, after.steal);
        let load = fs::read_to_string("/proc/loadavg").ok()?;
        let memory = fs::read_to_string("/proc/meminfo").ok()?;
        let in_swap =
            kibibytes(&memory, "SwapTotal:")?.saturating_sub(kibibytes(&memory, "SwapFree:")?);
        Some(Rest {
            cores,
            cpu_share: (1.0 - share(before.idle, after.idle) - steal_share).max(0.0),
            steal_share,
            load: load.split_whitespace().next()?.parse().ok()?,
            memory: kibibytes(&memory, "MemTotal:")? * 1024,
            memory_available: kibibytes(&memory, "MemAvailable:")? * 1024,
            swap_used: in_swap * 1024,
            pages_swapped: pages_swapped().saturating_sub(swapped_before),
        })
    }

    /// From the line `cpu  user nice system idle iowait irq softirq steal …` of
    /// `/proc/stat`, and the number of the lines for single cores.
    fn ticks(text: &str) -> Option<(usize, Ticks)> {
        let cores = text
            .lines()
            .filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "))
            .count();
        let line = text.lines().find(|line| line.starts_with("cpu "))?;
        let numbers: Vec<u64> = line
            .split_whitespace()
            .skip(1)
            .map_while(|number| number.parse().ok())
            .collect();
        // What guests used, behind these, is in the first two already.
        let own = numbers.get(..8)?;
        let ticks = Ticks {
            all: own.iter().sum(),
            idle: own[3] + own[4],
            steal: own[7],
        };
        Some((cores, ticks))
    }

    fn kibibytes(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }

    /// Since the machine was started; 0 on kernels without swap.
    fn pages_swapped() -> u64 {
        let text = fs::read_to_string("/proc/vmstat").unwrap_or_default();
        let count = |name| {
            let value = text.lines().find_map(|line: &str| line.strip_prefix(name));
            value.and_then(|value| value.trim().parse::<u64>().ok())
        };
        count("pswpin ").unwrap_or(0) + count("pswpout ").unwrap_or(0)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_lines_of_the_kernel_are_read() {
            let text = "cpu  10 1 5 100 4 0 1 3 0 0\ncpu0 5 0 2 50 2 0 0 1 0 0\ncpu1 5 1 3 50 2 0 1 2 0 0\nintr 9\n";
            let (cores, ticks) = ticks(text).unwrap();
            assert_eq!(
                (cores, ticks.all, ticks.idle, ticks.steal),
                (2, 124, 104, 3)
            );
            let memory = "MemTotal:       16 kB\nSwapTotal:  8 kB\n";
            assert_eq!(kibibytes(memory, "SwapTotal:"), Some(8));
            assert_eq!(kibibytes(memory, "SwapFree:"), None);
        }
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
