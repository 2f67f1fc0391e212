//! Parses text files of `/proc` and `/sys`.

use procfs::{KernelStats, VmStat};

use super::CpuTime;

/// CPU time from `/proc/stat`; `None` if a field is missing.
pub(super) fn cpu_time(stats: &KernelStats) -> Option<CpuTime> {
    let total = &stats.total;
    let seconds = |ticks: u64| ticks as f64 / procfs::ticks_per_second() as f64;
    // The kernel includes guest time in user time.
    Some(CpuTime {
        cores: stats.cpu_time.len() as u64,
        busy: seconds(total.user + total.nice + total.system),
        interrupts: seconds(total.irq? + total.softirq?),
        idle: seconds(total.idle),
        iowait: seconds(total.iowait?),
        steal: seconds(total.steal?),
    })
}

/// Pages swapped in or out since boot.
pub(super) fn swapped_pages(stats: &VmStat) -> Option<u64> {
    let count = |name| {
        stats
            .0
            .get(name)
            .and_then(|&pages| u64::try_from(pages).ok())
    };
    Some(count("pswpin")? + count("pswpout")?)
}

/// The total, microseconds, from the line `kind` of a pressure file: `some avg10=0.00 avg60=0.00
/// avg300=0.00 total=1234`. Parses only this line, because the file for the CPU has no line `full`
/// before Linux 5.13.
pub(super) fn stalled(text: &str, kind: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(kind))?;
    Some(procfs::parse_pressure_record(line).ok()?.total)
}

/// Parses a counter in a pair of lines, `Tcp: OutSegs RetransSegs …` and `Tcp: 12 3 …`.
pub(super) fn counter(text: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(group));
    while let (Some(names), Some(values)) = (lines.next(), lines.next()) {
        let at = names.split_whitespace().position(|word| word == name);
        if let Some(at) = at {
            return values.split_whitespace().nth(at)?.parse().ok();
        }
    }
    None
}

/// Sockets in TIME_WAIT, from the line `TCP: inuse 5 orphan 0 tw 12 …`.
pub(super) fn time_wait(sockets: &str) -> Option<u64> {
    let line = sockets.lines().find(|line| line.starts_with("TCP:"))?;
    let mut words = line.split_whitespace();
    words.find(|&word| word == "tw")?;
    words.next()?.parse().ok()
}

/// Converts Mbit/s to bits per second; `None` for −1, which means that the speed is unknown.
pub(super) fn link_speed(text: &str) -> Option<u64> {
    let megabits: i64 = text.trim().parse().ok()?;
    let megabits = u64::try_from(megabits)
        .ok()
        .filter(|&megabits| megabits > 0)?;
    megabits.checked_mul(1_000_000)
}

#[cfg(test)]
mod tests {
    use procfs::{FromBufRead as _, FromBufReadSI as _};

    use super::*;

    #[test]
    fn cpu_time_is_split_by_kind() {
        let text = "cpu  10 1 5 100 4 2 1 3 7 0\ncpu0 5 0 2 50 2 1 0 1 4 0\n\
                    cpu1 5 1 3 50 2 1 1 2 3 0\nintr 9\nctxt 1\nbtime 1\nprocesses 1\n";
        let stats =
            KernelStats::from_buf_read(text.as_bytes(), procfs::current_system_info()).unwrap();
        let cpu = cpu_time(&stats).unwrap();
        let ticks = |seconds: f64| (seconds * procfs::ticks_per_second() as f64).round() as u64;
        assert_eq!(cpu.cores, 2);
        assert_eq!(
            [cpu.busy, cpu.interrupts, cpu.idle, cpu.iowait, cpu.steal].map(ticks),
            [16, 3, 100, 4, 3],
            "guests are not counted twice"
        );
        assert_eq!(ticks(cpu.all()), 126);
    }

    #[test]
    fn missing_steal_time_is_unknown() {
        let text = "cpu  10 1 5 100 4 2 1\nctxt 1\nbtime 1\nprocesses 1\n";
        let stats =
            KernelStats::from_buf_read(text.as_bytes(), procfs::current_system_info()).unwrap();
        assert_eq!(cpu_time(&stats), None);
    }

    #[test]
    fn swapping_counts_both_directions() {
        let pages = |text: &str| swapped_pages(&VmStat::from_buf_read(text.as_bytes()).unwrap());
        assert_eq!(pages("pgpgin 5\npswpin 3\npswpout 4\n"), Some(7));
        assert_eq!(pages("pgpgin 5\n"), None);
    }

    #[test]
    fn pressure_is_read_line_by_line() {
        let text = "some avg10=37.11 avg60=19.98 avg300=15.91 total=229971139\n";
        assert_eq!(stalled(text, "some"), Some(229_971_139));
        assert_eq!(stalled(text, "full"), None);
        assert_eq!(stalled("some total=x\n", "some"), None);
        assert_eq!(stalled("", "some"), None);
    }

    #[test]
    fn counters_are_found_by_name() {
        let text = "Ip: Forwarding OutSegs\nIp: 2 9\n\
                    Tcp: RtoMin MaxConn OutSegs RetransSegs\nTcp: 200 -1 4965147 647\n\
                    TcpExt: ListenOverflows\nTcpExt: 70\n";
        assert_eq!(counter(text, "Tcp:", "OutSegs"), Some(4_965_147));
        assert_eq!(counter(text, "Tcp:", "RetransSegs"), Some(647));
        assert_eq!(counter(text, "TcpExt:", "ListenOverflows"), Some(70));
        assert_eq!(counter(text, "TcpExt:", "ListenDrops"), None);
        assert_eq!(counter(text, "Tcp:", "MaxConn"), None, "it is -1");
        assert_eq!(counter("Tcp: OutSegs\n", "Tcp:", "OutSegs"), None);
    }

    #[test]
    fn time_wait_is_read_from_its_line() {
        let text = "sockets: used 9\nTCP: inuse 5 orphan 0 tw 12 alloc 7 mem 1\nUDP: inuse 1\n";
        assert_eq!(time_wait(text), Some(12));
        assert_eq!(time_wait("UDP: inuse 1 tw 3"), None);
    }

    #[test]
    fn a_link_without_a_speed_is_unknown() {
        assert_eq!(link_speed("10000\n"), Some(10_000_000_000));
        assert_eq!(link_speed("-1\n"), None);
        assert_eq!(link_speed("0"), None);
        assert_eq!(link_speed(""), None);
    }
}
