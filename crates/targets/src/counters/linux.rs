//! Reads counters from `/proc` and `/sys`.

use std::fs;
use std::path::Path;

use procfs::net::InterfaceDeviceStatus;
use procfs::{Current, CurrentSI, KernelStats, VmStat};

use super::parse;
use super::{CpuTime, Frequency, Link, MachineCounters, Pressure, Tcp};

const LOOPBACK: &str = "lo";
/// Flag of an interface that is up, `IFF_UP` of `<net/if.h>`.
const UP: u64 = 1;

pub(super) fn read() -> MachineCounters {
    MachineCounters {
        cpu: cpu(),
        pressure: pressure(),
        tcp: tcp(),
        swapped_pages: swapped_pages(),
        throttled: None,
        frequency: frequency(),
        governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        disk: None,
        links: links(),
    }
}

/// CPU time of this machine since boot.
pub(crate) fn cpu() -> Option<CpuTime> {
    parse::cpu_time(&KernelStats::current().ok()?)
}

/// Pages swapped in or out since boot; `None` for a kernel without swap.
pub(crate) fn swapped_pages() -> Option<u64> {
    parse::swapped_pages(&VmStat::current().ok()?)
}

pub(super) fn time_wait() -> Option<u64> {
    parse::time_wait(&fs::read_to_string("/proc/net/sockstat").ok()?)
}

pub(super) fn local_ports() -> Option<(u16, u16)> {
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut range = range.split_whitespace().map(str::parse);
    Some((range.next()?.ok()?, range.next()?.ok()?))
}

pub(super) fn time_wait_reuse() -> Option<u64> {
    number(Path::new("/proc/sys/net/ipv4/tcp_tw_reuse"))
}

fn pressure() -> Pressure {
    let total = |resource, kind| {
        let text = fs::read_to_string(Path::new("/proc/pressure").join(resource)).ok()?;
        parse::stalled(&text, kind)
    };
    Pressure {
        cpu_some: total("cpu", "some"),
        io_some: total("io", "some"),
        io_full: total("io", "full"),
        memory_some: total("memory", "some"),
        memory_full: total("memory", "full"),
    }
}

pub(super) fn tcp() -> Tcp {
    let snmp = fs::read_to_string("/proc/net/snmp").unwrap_or_default();
    let netstat = fs::read_to_string("/proc/net/netstat").unwrap_or_default();
    Tcp {
        active_opens: parse::counter(&snmp, "Tcp:", "ActiveOpens"),
        sent_segments: parse::counter(&snmp, "Tcp:", "OutSegs"),
        retransmitted_segments: parse::counter(&snmp, "Tcp:", "RetransSegs"),
        listen_overflows: parse::counter(&netstat, "TcpExt:", "ListenOverflows"),
        listen_drops: parse::counter(&netstat, "TcpExt:", "ListenDrops"),
        time_wait: time_wait(),
    }
}

fn frequency() -> Option<Frequency> {
    let cores = fs::read_dir("/sys/devices/system/cpu").ok()?;
    let (mut fastest, mut most) = (None::<u64>, None::<u64>);
    let cores = cores.flatten();
    for core in cores.filter(|entry| is_core(&entry.file_name().to_string_lossy())) {
        let place = core.path().join("cpufreq");
        fastest = fastest.max(number(&place.join("scaling_cur_freq")));
        most = most.max(number(&place.join("cpuinfo_max_freq")));
    }
    let megahertz = |kilohertz: u64| kilohertz as f64 / 1e3;
    Some(Frequency {
        fastest_mhz: megahertz(fastest?),
        most_mhz: megahertz(most.filter(|&most| most > 0)?),
    })
}

/// Whether a directory entry is a core; others are for example `cpuidle` and `vulnerabilities`.
fn is_core(folder: &str) -> bool {
    let number = folder.strip_prefix("cpu");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn links() -> Vec<Link> {
    let Ok(InterfaceDeviceStatus(all)) = InterfaceDeviceStatus::current() else {
        return Vec::new();
    };
    let mut links: Vec<Link> = all
        .into_values()
        .filter(|device| device.name != LOOPBACK && is_up(&device.name))
        .map(|device| Link {
            bits_per_second: text(attribute(&device.name, "speed"))
                .and_then(|text| parse::link_speed(&text)),
            name: device.name,
            received: device.recv_bytes,
            sent: device.sent_bytes,
        })
        .collect();
    links.sort_by(|a, b| a.name.cmp(&b.name));
    links
}

fn is_up(name: &str) -> bool {
    let flags = text(attribute(name, "flags"));
    let flags = flags.and_then(|text| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok());
    flags.is_some_and(|flags| flags & UP != 0)
        && text(attribute(name, "operstate")).is_none_or(|state| state != "down")
}

fn attribute(link: &str, name: &str) -> String {
    format!("/sys/class/net/{link}/{name}")
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The text of a file with a single line, without white space around it.
fn text(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
