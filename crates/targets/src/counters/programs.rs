//! Resource use of the processes on this machine.

/// CPU time and memory of a process.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Process id.
    pub pid: i32,
    /// Start time, clock ticks since boot; distinguishes processes that reuse an id.
    pub start: u64,
    /// Name in the kernel, at most 15 bytes. Chosen by the process, so output must escape the name.
    pub name: String,
    /// CPU seconds, summed over all threads; the resolution is a clock tick (10 ms).
    pub cpu_seconds: f64,
    /// Resident memory, bytes.
    pub rss_bytes: u64,
}

/// All processes except this process, its descendants, those in `except`, and kernel threads, at
/// most 5 ms ago. `None` if the processes cannot be listed.
#[cfg(target_os = "linux")]
pub fn programs(except: &[i32]) -> Option<Vec<Program>> {
    use std::collections::HashSet;

    use crate::tree;

    let all = tree::recent_processes();
    let own = i32::try_from(std::process::id()).ok()?;
    let mut left_out: HashSet<i32> = except.iter().copied().collect();
    left_out.insert(own);
    left_out.extend(tree::below(own, &all).iter().map(|process| process.pid));
    let others = all.iter().filter(|one| !left_out.contains(&one.pid));
    let found: Vec<Program> = others.map(program).collect();
    (!found.is_empty()).then_some(found)
}

/// The processes `pids`; ended processes are omitted.
#[cfg(target_os = "linux")]
pub fn programs_of(pids: &[i32]) -> Vec<Program> {
    let found = pids.iter().filter_map(|pid| crate::tree::stat(*pid));
    found.map(|process| program(&process)).collect()
}

/// The number that the kernel draws at each boot; `None` if the system has no `/proc`.
pub fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

#[cfg(target_os = "linux")]
fn program(process: &procfs::process::Stat) -> Program {
    let ticks = procfs::ticks_per_second() as f64;
    Program {
        pid: process.pid,
        start: process.starttime,
        cpu_seconds: (process.utime + process.stime) as f64 / ticks,
        rss_bytes: process.rss.saturating_mul(procfs::page_size()),
        name: process.comm.clone(),
    }
}

/// Returns no processes, because this system has no `/proc`.
#[cfg(not(target_os = "linux"))]
pub fn programs_of(_pids: &[i32]) -> Vec<Program> {
    Vec::new()
}

/// Returns `None`, because this system has no `/proc`.
#[cfg(not(target_os = "linux"))]
pub fn programs(_except: &[i32]) -> Option<Vec<Program>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_and_its_descendants_are_excluded() {
        let mut child = std::process::Command::new("sleep")
            .arg("30")
            .spawn()
            .unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        let found = programs(&[]).unwrap_or_default();
        let child_pid = i32::try_from(child.id()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let left_out = [own, child_pid];
        assert!(found.iter().all(|one| !left_out.contains(&one.pid)));
    }
}
