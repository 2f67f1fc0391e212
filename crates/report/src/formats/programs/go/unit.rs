//! Which figures in a unit of Go's benchmarks are better, where the file does not say so.

use tenbin_verdict::Better;

/// Units of time.
const TIMES: &[&str] = &[
    "ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "second", "seconds",
];
/// What a benchmark spends besides time: less is better, and more of it per second.
const AMOUNTS: &[&str] = &[
    "b", "kb", "mb", "gb", "bytes", "cycles", "instructions", "syscalls", "allocs", "gcs",
    "evictions",
];
/// What can be good or bad per second: an allocator is measured in `allocs/s`.
const UNCLEAR: &[&str] = &["allocs", "gcs", "gc", "waits", "evictions", "panics"];
/// What nobody wants, also per second.
const FAULTS: &[&str] = &[
    "err", "error", "errors", "failed", "dropped", "lost", "rejected", "aborts", "retransmits",
    "failures", "faults", "misses", "retries", "timeouts", "drops", "stalls", "conflicts",
];
/// Names of rates: more is better.
const RATES: &[&str] = &["qps", "rps", "tps", "fps", "iops", "ops", "throughput"];
/// End of the names of bit rates, such as `Gbps`.
const BITS: &str = "bps";

/// Which figures are better by the name of their unit: `MB/s`, `req/sec` and `qps` are rates,
/// `B/op`, `p99-ns` and `ns/GC` are costs. benchstat knows only the units of `go test` itself.
pub(super) fn better(unit: &str) -> Better {
    let unit = unit.to_lowercase();
    let (counted, per) = match unit.rsplit_once('/') {
        Some((counted, per)) => (counted, Some(per)),
        None => (unit.as_str(), None),
    };
    let mut words = counted.rsplit(['-', '_', '.', ' ']);
    let word = words.next().unwrap_or_default();
    let is_per_second = per.is_some_and(|per| TIMES.contains(&per));
    let is_rate = per.is_none() && (RATES.contains(&word) || word.ends_with(BITS));
    if FAULTS.contains(&word) {
        Better::Lower
    } else if is_rate || is_per_second && !TIMES.contains(&word) && !UNCLEAR.contains(&word) {
        Better::Higher
    } else if !is_per_second && (TIMES.contains(&word) || AMOUNTS.contains(&word)) {
        Better::Lower
    } else {
        Better::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_unit_says_which_figures_are_better() {
        for rate in ["MB/s", "req/sec", "qps", "write-iops", "ops/second", "Gbps"] {
            assert_eq!(better(rate), Better::Higher, "{rate}");
        }
        for cost in [
            "B/op", "allocs/op", "p99-ns", "ns/GC", "client-cpu-ns/op", "peak_bytes", "errors/s",
            "misses",
        ] {
            assert_eq!(better(cost), Better::Lower, "{cost}");
        }
        for unknown in [
            "hits/op", "pages", "%", "B/s/core", "ratio", "lag-ms/s", "%hit", "allocs/s",
        ] {
            assert_eq!(better(unknown), Better::Unknown, "{unknown}");
        }
    }
}
