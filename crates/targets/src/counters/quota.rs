//! CPU quotas and memory limits of this process's cgroup and its parents (the kernel's
//! `Documentation/admin-guide/cgroup-v2.rst` and `Documentation/scheduler/sched-bwc.rst`).

use std::fs;
use std::path::{Path, PathBuf};

use procfs::FromRead as _;
use procfs::ProcessCGroups;
use procfs::process::{MountInfo, MountInfos};

use super::{CpuQuota, Throttled};

/// A `cpu.stat` file, which holds the counters of a CPU quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source(PathBuf);

/// The `cpu.stat` files that apply to this process; empty without cgroups.
pub(super) fn sources() -> Vec<Source> {
    let groups = ProcessCGroups::from_file("/proc/self/cgroup");
    let mounts = MountInfos::from_file("/proc/self/mountinfo");
    let (Ok(groups), Ok(mounts)) = (groups, mounts) else {
        return Vec::new();
    };
    directories(&groups, &mounts)
        .into_iter()
        .map(|directory| Source(directory.join("cpu.stat")))
        .collect()
}

/// Sum over the files; `None` if no file has quota counters. The root group has no counters.
pub(super) fn read(sources: &[Source]) -> Option<Throttled> {
    let texts = sources
        .iter()
        .filter_map(|Source(path)| fs::read_to_string(path).ok());
    let known = texts.filter_map(|text| parse(&text));
    known.reduce(|sum, one| Throttled {
        periods: sum.periods + one.periods,
        micros: sum.micros + one.micros,
    })
}

/// The smallest CPU quota of the cgroups of a process and their parents; `process` is its directory
/// in `/proc`. `None` without cgroups, and for a process that has ended.
pub(super) fn of(process: &Path) -> Option<CpuQuota> {
    let groups = ProcessCGroups::from_file(process.join("cgroup")).ok()?;
    let mounts = MountInfos::from_file("/proc/self/mountinfo").ok()?;
    smallest(&directories(&groups, &mounts))
}

fn smallest(directories: &[PathBuf]) -> Option<CpuQuota> {
    let quotas = directories.iter().filter_map(|directory| limit(directory));
    let quotas = quotas.map(CpuQuota::Millicores);
    (!directories.is_empty()).then(|| quotas.min().unwrap_or(CpuQuota::Unlimited))
}

/// The quota of one group, thousandths of a core; `None` without a quota.
fn limit(directory: &Path) -> Option<u64> {
    let text = |name| fs::read_to_string(directory.join(name)).ok();
    let (quota, period) = match text("cpu.max") {
        Some(both) => {
            let (quota, period) = both.trim().split_once(' ')?;
            (quota.to_owned(), period.to_owned())
        }
        None => (text("cpu.cfs_quota_us")?, text("cpu.cfs_period_us")?),
    };
    // Without a quota, version 2 says `max` and version 1 says -1.
    let quota: u64 = quota.trim().parse().ok()?;
    quota
        .saturating_mul(1000)
        .checked_div(period.trim().parse().ok()?)
}

/// Bytes that this process can still allocate within the limits of its cgroup and the parents;
/// `None` without a limit.
pub(super) fn memory_left() -> Option<u64> {
    let groups = ProcessCGroups::from_file("/proc/self/cgroup").ok()?;
    let mounts = MountInfos::from_file("/proc/self/mountinfo").ok()?;
    let left = |directory: PathBuf| {
        let number = |name| -> Option<u64> {
            let text = fs::read_to_string(directory.join(name)).ok()?;
            text.trim().parse().ok()
        };
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    };
    let all = directories(&groups, &mounts).into_iter();
    all.filter_map(left).min()
}

/// Directories of this process's cgroup and its parents, as far as they are mounted.
fn directories(groups: &ProcessCGroups, mounts: &MountInfos) -> Vec<PathBuf> {
    let of_group = |group: &procfs::ProcessCGroup| {
        let is_second = group.hierarchy == 0 && group.controllers.is_empty();
        let has_cpu = group.controllers.iter().any(|name| name == "cpu");
        let mount = mounts.iter().find(|mount| {
            (is_second && mount.fs_type == "cgroup2")
                || (has_cpu && mount.fs_type == "cgroup" && mount.super_options.contains_key("cpu"))
        })?;
        Some(upwards(mount, Path::new(&group.pathname)))
    };
    groups.0.iter().filter_map(of_group).flatten().collect()
}

/// The directories from `group` up to the mount point. A mount may show only a subtree of the
/// groups, as in a container.
fn upwards(mount: &MountInfo, group: &Path) -> Vec<PathBuf> {
    let below = group.strip_prefix(&mount.root).unwrap_or(Path::new(""));
    let shown = below.ancestors().map(|part| mount.mount_point.join(part));
    shown.collect()
}

/// Parses `cpu.stat`: cgroup v2 counts microseconds, v1 nanoseconds.
fn parse(text: &str) -> Option<Throttled> {
    let field = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.split_once(' ')?;
            (key == name).then(|| value.trim().parse::<u64>().ok())?
        })
    };
    let micros =
        field("throttled_usec").or_else(|| field("throttled_time").map(|nanos| nanos / 1_000))?;
    Some(Throttled {
        periods: field("nr_throttled")?,
        micros,
    })
}

#[cfg(test)]
mod tests {
    use procfs::FromBufRead as _;

    use super::*;

    fn found(groups: &str, mounts: &str) -> Vec<String> {
        let groups = ProcessCGroups::from_buf_read(groups.as_bytes()).unwrap();
        let mounts = MountInfos::from_buf_read(mounts.as_bytes()).unwrap();
        let paths = directories(&groups, &mounts);
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn every_parent_group_may_have_a_quota() {
        let groups = "0::/user.slice/user-1000.slice/run.scope\n";
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
        assert_eq!(
            found(groups, mounts),
            [
                "/sys/fs/cgroup/user.slice/user-1000.slice/run.scope",
                "/sys/fs/cgroup/user.slice/user-1000.slice",
                "/sys/fs/cgroup/user.slice",
                "/sys/fs/cgroup/",
            ]
        );
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        let mounts = "31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        assert_eq!(found("0::/docker/abc\n", mounts), ["/sys/fs/cgroup/"]);
        let own = "31 23 0:28 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        assert_eq!(found("0::/\n", own), ["/sys/fs/cgroup/"]);
    }

    #[test]
    fn cgroup_v1_is_recognized_by_its_controllers() {
        let groups = "9:name=systemd:/\n2:cpuacct:/a\n1:cpu:/b\n0::/\n";
        let mounts = "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n\
                      33 31 0:30 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct\n";
        assert_eq!(found(groups, mounts), ["/cg/cpu/b", "/cg/cpu/"]);
        assert_eq!(found(groups, ""), [""; 0]);
    }

    #[test]
    fn the_smallest_quota_of_a_group_and_its_parents_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let found = |below: &str| {
            let group = root.path().join(below);
            let parts = group
                .ancestors()
                .take_while(|it| it.starts_with(root.path()));
            smallest(&parts.map(Path::to_owned).collect::<Vec<_>>())
        };
        write("two/cpu.max", "150000 100000\n");
        write("two/below/cpu.max", "max 100000\n");
        write("two/less/cpu.max", "5000 10000\n");
        assert_eq!(found("two/below"), Some(CpuQuota::Millicores(1500)));
        assert_eq!(found("two/less"), Some(CpuQuota::Millicores(500)));
        write("one/cpu.cfs_quota_us", "-1\n");
        write("one/cpu.cfs_period_us", "100000\n");
        assert_eq!(found("one"), Some(CpuQuota::Unlimited));
        write("one/cpu.cfs_quota_us", "200000\n");
        assert_eq!(found("one"), Some(CpuQuota::Millicores(2000)));
        write("one/cpu.cfs_period_us", "0\n");
        assert_eq!(found("one"), Some(CpuQuota::Unlimited), "malformed");
        assert_eq!(smallest(&[]), None, "no groups");
    }

    #[test]
    fn both_versions_report_throttled_time() {
        let second = "usage_usec 9\nnr_periods 20\nnr_throttled 3\nthrottled_usec 45000\n";
        let first = "nr_periods 20\nnr_throttled 3\nthrottled_time 45000000\n";
        let expected = Some(Throttled {
            periods: 3,
            micros: 45_000,
        });
        assert_eq!(parse(second), expected);
        assert_eq!(parse(first), expected);
        assert_eq!(parse("usage_usec 9\nuser_usec 4\n"), None);
    }
}
