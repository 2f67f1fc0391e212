//! Writes the line of one slice: its name, the number of operations, and values with their units.

use tenbin_result::SliceFigures;

/// Returns the line, with its newline. Unknown values are left out, because the format cannot
/// express them.
///
/// `errors_seen` adds `errors/op`. `sequential` says that operations were sent one at a time and
/// adds `µs/op`: the length of the slice divided by the number of successful operations, as in `go
/// test -bench`.
pub(super) fn slice_line(
    name: &str,
    (slice, iterations): (&SliceFigures, u64),
    errors_seen: bool,
    sequential: bool,
) -> String {
    let operations = slice.ok.zip(slice.failed).map(|(ok, failed)| ok + failed);
    let each = |amount: f64| Some(amount / operations? as f64);
    let each_ok = |amount: f64| Some(amount / slice.ok? as f64);
    let nanos = |seconds: f64| seconds * 1e9;
    let payload = slice.payload_bytes.filter(|bytes| *bytes > 0);
    let stored = slice.stored_bytes.filter(|bytes| *bytes > 0);
    // The kernel counts CPU time in ticks: 0 means less than one tick.
    let server_cpu = slice.server_cpu.filter(|seconds| *seconds > 0.0);
    let values = [
        ("ns/op", slice.mean.map(nanos)),
        (
            "µs/op",
            slice
                .throughput
                .filter(|rate| sequential && *rate > 0.0)
                .map(|rate| 1e6 / rate),
        ),
        ("ops/s", slice.throughput),
        (
            "MB/s",
            payload
                .zip(slice.seconds.filter(|seconds| *seconds > 0.0))
                .map(|(bytes, seconds)| bytes as f64 / seconds / 1e6),
        ),
        ("p50-ns", slice.p50.map(nanos)),
        ("p99-ns", slice.p99.map(nanos)),
        ("errors/op", slice.failed_share().filter(|_| errors_seen)),
        (
            "client-cpu-ns/op",
            slice.client_cpu.and_then(|cpu| each(nanos(cpu))),
        ),
        (
            "B/op",
            slice
                .client_allocated_bytes
                .and_then(|bytes| each(bytes as f64)),
        ),
        (
            "allocs/op",
            slice
                .client_allocations
                .and_then(|count| each(count as f64)),
        ),
        (
            "server-cpu-ns/op",
            server_cpu.and_then(|cpu| each_ok(nanos(cpu))),
        ),
        (
            "server-written-B/B",
            slice
                .server_written_bytes
                .zip(stored)
                .map(|(written, stored)| written as f64 / stored as f64),
        ),
    ];
    let mut line = format!("{name} {iterations}");
    for (unit, value) in values {
        if let Some(value) = value {
            line += &format!(" {} {unit}", short(value));
        }
    }
    line.push('\n');
    line
}

/// Six significant digits, without exponent notation.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (5.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn values_are_short_and_exact_enough() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1_234_567.8, "1234568"),
            (12.345_678_9, "12.3457"),
            (0.000_123_456_7, "0.000123457"),
            (1e-12, "0"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
