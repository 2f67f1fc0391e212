//! Totals of a target's control group (cgroup v2; the kernel's
//! `Documentation/admin-guide/cgroup-v2.rst`).
//!
//! A group's totals cover every process in the group. Processes launched by Tenbin usually share
//! Tenbin's group, whose totals would include the load generator, so a group that contains Tenbin
//! is not used. The root group covers the whole machine and is not used either.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use procfs::FromRead as _;
use procfs::process::MountInfos;

use crate::usage::GroupUsage;

/// Where the control groups are mounted, and the group of this process.
#[derive(Debug)]
pub(super) struct Groups {
    /// Path of `/proc`; tests use another path.
    processes: PathBuf,
    /// Mount point of the control groups.
    mounted: PathBuf,
    /// The group that is visible at the mount point.
    shown: PathBuf,
    /// The group of this process.
    own: PathBuf,
}

impl Groups {
    /// Finds the control groups; `None` if the system has no cgroup v2.
    pub(super) fn find() -> Option<Self> {
        let mounts = MountInfos::from_file("/proc/self/mountinfo").ok()?;
        let mount = mounts.iter().find(|mount| mount.fs_type == "cgroup2")?;
        let processes = PathBuf::from("/proc");
        Some(Self {
            own: group_of(&processes.join("self"))?,
            mounted: mount.mount_point.clone(),
            shown: PathBuf::from(&mount.root),
            processes,
        })
    }

    /// Totals of the group that contains the processes `members`. `None` if the processes are in
    /// several groups, or in a group that contains this process.
    pub(super) fn of(&self, members: &[i32]) -> Option<GroupUsage> {
        let group = self.group_of_all(members)?;
        let is_topmost = group.parent().is_none();
        if is_topmost || self.own.starts_with(&group) {
            return None;
        }
        let below = group.strip_prefix(&self.shown).ok()?;
        if below.components().any(|part| part.as_os_str() == "..") {
            return None;
        }
        let directory = self.mounted.join(below);
        let usage = read(&directory)?;
        let members: HashSet<i32> = members.iter().copied().collect();
        let mut place = DefaultHasher::new();
        group.hash(&mut place);
        Some(GroupUsage {
            place: place.finish(),
            alone: holds_only(&directory, &members),
            ..usage
        })
    }

    /// The group that contains all processes in `members`; `None` if there are several groups.
    fn group_of_all(&self, members: &[i32]) -> Option<PathBuf> {
        let of = |pid: &i32| group_of(&self.processes.join(pid.to_string()));
        // Processes that have ended are ignored.
        let mut groups = members.iter().filter_map(of);
        let first = groups.next()?;
        groups.all(|group| group == first).then_some(first)
    }
}

/// Group of a process, from the line `0::/system.slice/nginx.service`.
fn group_of(process: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(process.join("cgroup")).ok()?;
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    path.starts_with('/').then(|| PathBuf::from(path))
}

/// Reads the totals of a group; `None` if no controller is enabled for the group.
fn read(directory: &Path) -> Option<GroupUsage> {
    let text = |file: &str| fs::read_to_string(directory.join(file)).ok();
    let number = |file: &str| text(file)?.trim().parse::<u64>().ok();
    let cpu = text("cpu.stat").unwrap_or_default();
    let io = text("io.stat");
    let usage = GroupUsage {
        cpu_seconds: field(&cpu, "usage_usec").map(|micros| micros as f64 / 1e6),
        memory_bytes: number("memory.current"),
        memory_peak_bytes: number("memory.peak"),
        throttled_periods: field(&cpu, "nr_throttled"),
        throttled_us: field(&cpu, "throttled_usec"),
        read_bytes: io.as_deref().and_then(|text| sum_of(text, "rbytes=")),
        written_bytes: io.as_deref().and_then(|text| sum_of(text, "wbytes=")),
        ..GroupUsage::default()
    };
    (usage != GroupUsage::default()).then_some(usage)
}

/// The value of a line such as `usage_usec 1234`.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(' ')?;
        (key == name).then(|| value.trim().parse().ok())?
    })
}

/// Sum over all devices; each device has a line `8:0 rbytes=90112 wbytes=0 rios=7 …`. A group
/// without I/O has no lines.
fn sum_of(text: &str, name: &str) -> Option<u64> {
    let mut words = text.lines().flat_map(str::split_whitespace);
    let counts = words.by_ref().filter_map(|word| word.strip_prefix(name));
    counts.map(|count| count.parse::<u64>().ok()).sum()
}

/// Whether the group and its subgroups contain only processes in `members`.
fn holds_only(directory: &Path, members: &HashSet<i32>) -> bool {
    let Ok(text) = fs::read_to_string(directory.join("cgroup.procs")) else {
        return false;
    };
    let is_member = |line: &str| line.trim().parse().is_ok_and(|pid| members.contains(&pid));
    if !text.lines().all(is_member) {
        return false;
    }
    let Ok(entries) = fs::read_dir(directory) else {
        return false;
    };
    let mut below = entries.flatten().map(|entry| entry.path());
    below.all(|path| !path.is_dir() || holds_only(&path, members))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulated machine with processes in control groups.
    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn process(&self, pid: i32, group: &str) {
            self.write(
                &format!("proc/{pid}/cgroup"),
                &format!("1:cpu:/x\n0::{group}\n"),
            );
        }

        fn groups(&self, own: &str) -> Groups {
            Groups {
                processes: self.0.path().join("proc"),
                mounted: self.0.path().join("cg"),
                shown: PathBuf::from("/"),
                own: PathBuf::from(own),
            }
        }

        /// A machine with a service that has two processes and all counters.
        fn with_service() -> Self {
            let machine = Self::new();
            machine.process(10, "/service");
            machine.process(11, "/service");
            machine.write("cg/service/cgroup.procs", "10\n11\n");
            machine.write("cg/service/memory.current", "5000\n");
            machine.write("cg/service/memory.peak", "9000\n");
            let cpu = "usage_usec 2500000\nuser_usec 1\nnr_periods 9\nnr_throttled 3\n\
                       throttled_usec 45000\n";
            machine.write("cg/service/cpu.stat", cpu);
            let io = "8:0 rbytes=100 wbytes=20 rios=1 wios=1\n8:16 rbytes=1 wbytes=2 rios=0\n";
            machine.write("cg/service/io.stat", io);
            machine
        }
    }

    #[test]
    fn a_separate_group_has_all_totals() {
        let machine = Machine::with_service();
        let found = machine.groups("/user").of(&[10, 11]).unwrap();
        let expected = GroupUsage {
            place: found.place,
            alone: true,
            cpu_seconds: Some(2.5),
            memory_bytes: Some(5000),
            memory_peak_bytes: Some(9000),
            throttled_periods: Some(3),
            throttled_us: Some(45_000),
            read_bytes: Some(101),
            written_bytes: Some(22),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_group_of_the_load_generator_is_not_used() {
        let machine = Machine::with_service();
        assert_eq!(machine.groups("/service").of(&[10, 11]), None);
        assert_eq!(machine.groups("/service/below").of(&[10, 11]), None);
        assert!(machine.groups("/service2").of(&[10]).is_some());
    }

    #[test]
    fn the_root_group_is_not_used() {
        let machine = Machine::with_service();
        machine.process(10, "/");
        machine.write("cg/cpu.stat", "usage_usec 5\n");
        assert_eq!(machine.groups("/user").of(&[10]), None);
    }

    #[test]
    fn other_processes_in_a_group_and_several_groups_are_detected() {
        let machine = Machine::with_service();
        let groups = machine.groups("/user");
        assert!(!groups.of(&[10]).unwrap().alone, "11 is a stranger");
        machine.write("cg/service/below/cgroup.procs", "12\n");
        assert!(!groups.of(&[10, 11]).unwrap().alone);
        machine.process(12, "/service/below");
        assert_eq!(groups.of(&[10, 11, 12]), None, "in one and in another");
    }

    #[test]
    fn missing_totals_of_a_group_are_unknown() {
        let machine = Machine::with_service();
        let directory = machine.0.path().join("cg/service");
        for file in ["memory.peak", "io.stat", "memory.current"] {
            fs::remove_file(directory.join(file)).unwrap();
        }
        machine.write("cg/service/cpu.stat", "usage_usec 7\n");
        let found = machine.groups("/user").of(&[10, 11]).unwrap();
        let unknown = [
            found.memory_bytes, found.memory_peak_bytes, found.throttled_us, found.read_bytes,
        ];
        assert_eq!(unknown, [None; 4], "not 0");
        fs::remove_file(directory.join("cpu.stat")).unwrap();
        assert_eq!(machine.groups("/user").of(&[10, 11]), None);
    }

    #[test]
    fn a_group_that_is_not_mounted_is_not_used() {
        let machine = Machine::with_service();
        machine.process(10, "/../other");
        assert_eq!(machine.groups("/user").of(&[10]), None);
        let groups = Groups {
            shown: PathBuf::from("/docker/abc"),
            ..machine.groups("/user")
        };
        assert_eq!(groups.of(&[11]), None);
    }
}
