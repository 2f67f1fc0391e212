//! The tree of processes on this machine.

#[cfg(target_os = "linux")]
mod recent;

use nix::unistd::Pid;

#[cfg(target_os = "linux")]
pub(crate) use self::recent::{newest_process, recent_processes};

/// Live descendants of the process `root`, without zombies and without `root`.
#[cfg(target_os = "linux")]
pub(crate) fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = below(root.as_raw(), &all_processes());
    found.retain(|process| !matches!(process.state, 'Z' | 'X'));
    found
        .into_iter()
        .map(|process| Pid::from_raw(process.pid))
        .collect()
}

/// Returns no processes: without `/proc`, the caller uses process groups instead.
#[cfg(not(target_os = "linux"))]
pub(crate) fn descendants(_root: Pid) -> Vec<Pid> {
    Vec::new()
}

/// The processes in `processes` that descend from `root`.
#[cfg(target_os = "linux")]
pub(crate) fn below(root: i32, processes: &[procfs::process::Stat]) -> Vec<procfs::process::Stat> {
    use std::collections::{HashMap, HashSet};

    let mut children: HashMap<i32, Vec<&procfs::process::Stat>> = HashMap::new();
    for process in processes {
        children.entry(process.ppid).or_default().push(process);
    }
    let mut seen = HashSet::from([root]);
    let mut open = vec![root];
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if seen.insert(child.pid) {
                open.push(child.pid);
                found.push((*child).clone());
            }
        }
    }
    found
}

/// The `stat` of every process that can be read.
#[cfg(target_os = "linux")]
pub(crate) fn all_processes() -> Vec<procfs::process::Stat> {
    process_ids().filter_map(stat).collect()
}

/// The ids of all processes that this user can see.
#[cfg(target_os = "linux")]
fn process_ids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The `stat` of a process; `None` if the process has ended.
#[cfg(target_os = "linux")]
pub(crate) fn stat(pid: i32) -> Option<procfs::process::Stat> {
    use std::io::Read as _;

    use procfs::FromRead;
    // The kernel gives the whole line to one read: a name of up to 64 bytes and 52 numbers. Reading
    // to the end takes twice as many system calls, for every process of the machine.
    let mut line = [0; 2_048];
    let mut file = std::fs::File::open(format!("/proc/{pid}/stat")).ok()?;
    let length = file.read(&mut line).ok()?;
    procfs::process::Stat::from_read(&line[..length]).ok()
}
