//! Compares two results in warp's output format.

use std::fmt::Write as _;

use tenbin_result::format::UNKNOWN;
use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use super::section::{MIB, bounds_of, errors, exact, percentile, rates, time};
use super::{caveats, notes, unfit_line};
use crate::escape::for_terminal;

/// Shows both results side by side, with the change from the first to the second. `unfit` names the
/// results that cannot be trusted.
pub fn cmp(before: &Reported, after: &Reported, unfit: &[String]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "Before: {}", for_terminal(&before.files.join(", ")));
    let _ = writeln!(text, "After:  {}", for_terminal(&after.files.join(", ")));
    for earlier in &before.measurements {
        let name = earlier.name();
        match after.measurement(&name) {
            Some(later) => {
                let _ = write!(text, "\n{}", operation(earlier, later));
            }
            None => missing(&mut text, &name, "after"),
        }
    }
    for later in &after.measurements {
        let name = later.name();
        if before.measurement(&name).is_none() {
            missing(&mut text, &name, "before");
        }
    }
    let mut all = notes(before);
    for note in notes(after) {
        if !all.contains(&note) {
            all.push(note);
        }
    }
    caveats(&mut text, &all);
    text.push_str(&verdict(before, after, unfit));
    text
}

/// The last line of [`cmp`]: why no verdict is possible. Of several reasons, the most severe is
/// given.
fn verdict(before: &Reported, after: &Reported, unfit: &[String]) -> String {
    if !unfit.is_empty() {
        return unfit_line(unfit);
    }
    let pairs = before.measurements.iter();
    let mut pairs =
        pairs.filter_map(|earlier| Some((earlier, after.measurement(&earlier.name())?)));
    if pairs.any(|(earlier, later)| !differences(earlier, later).is_empty()) {
        return "\nVerdict: cannot tell: the two did different work, and there is only one run of each.\n"
            .to_owned();
    }
    "\nVerdict: cannot tell: one run each. A difference may be noise; compare the servers in one \
    interleaved run with tenbin s3, or repeat both runs.\n"
        .to_owned()
}

/// Largest relative difference of mean object sizes at which both runs count as drawing sizes from
/// the same distribution.
const SAME_SIZE: f64 = 0.05;

/// The differences of the two results in concurrency and mean object size.
fn differences(before: &Measurement, after: &Measurement) -> Vec<String> {
    let mut all = Vec::new();
    let connections = |of: &Measurement| of.connections.as_ref().map(|said| said.value);
    if let (Some(then), Some(now)) = (connections(before), connections(after))
        && then != now
    {
        all.push(format!("concurrency {then} -> {now}"));
    }
    let mean_size = |of: &Measurement| {
        let objects = of.objects().filter(|&objects| objects > 0)?;
        Some(of.bytes_of_ok()? as f64 / objects as f64)
    };
    if let (Some(then), Some(now)) = (mean_size(before), mean_size(after))
        && (then - now).abs() > SAME_SIZE * then.max(now)
    {
        let shown = |bytes: f64| match bytes {
            large if large >= MIB => format!("{:.2} MiB", large / MIB),
            small => format!("{small:.0} B"),
        };
        all.push(format!(
            "mean object size {} -> {}",
            shown(then),
            shown(now)
        ));
    }
    all
}

fn missing(text: &mut String, name: &str, side: &str) {
    let _ = writeln!(
        text,
        "\nOperation: {}\n* not in the result {side}",
        for_terminal(name)
    );
}

fn operation(before: &Measurement, after: &Measurement) -> String {
    let mut text = format!("Operation: {}\n", for_terminal(&before.name()));
    for difference in differences(before, after) {
        let _ = writeln!(text, "* DIFFERENT WORK: {difference}");
    }
    let mut row = |name: &str, shown: String| {
        let _ = writeln!(text, "* {name}: {shown}");
    };
    let both = |part: fn(&Measurement) -> Option<f64>| [part(before), part(after)];
    let carried = both(Measurement::bytes_per_second);
    if carried.iter().any(Option::is_some) {
        let shown = |bytes: f64| format!("{:.2} MiB/s", bytes / MIB);
        row("Average", change(carried, &shown));
    }
    row("Average", throughputs(before, after));
    for (name, quantile) in [("median", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        let pair = [before, after].map(|of| percentile(of, quantile).and_then(exact));
        row(&format!("Latency {name}"), change(pair, &time));
    }
    let of_times = |part: fn(&Measurement) -> &Option<Said<Range>>| {
        [before, after].map(|of| bounds_of(of, part(of)).and_then(exact))
    };
    row("Latency avg", change(of_times(|of| &of.mean), &time));
    row("Latency max", change(of_times(|of| &of.max), &time));
    let [then, now] = [before, after].map(|of| errors(of.known_failed()));
    let _ = writeln!(text, "* Errors: {then} -> {now}");
    text
}

/// The throughputs and their change. Objects and requests per second have no ratio.
fn throughputs(before: &Measurement, after: &Measurement) -> String {
    let both = [before, after].map(Measurement::objects_per_second);
    if before.per_second == after.per_second {
        return change(both, &|rate| rates(None, Some(rate), before.unit()));
    }
    let [then, now] = [before, after].map(|of| rates(None, of.objects_per_second(), of.unit()));
    format!("{then} -> {now} ({UNKNOWN}, the units differ)")
}

/// Formats a change: `62.15 MiB/s -> 74.61 MiB/s (+20.0 %)`.
fn change([before, after]: [Option<f64>; 2], show: &dyn Fn(f64) -> String) -> String {
    let shown = |value: Option<f64>| value.map_or(UNKNOWN.to_owned(), show);
    let change = match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => {
            format!("{:+.1} %", (after / before - 1.0) * 100.0)
        }
        (Some(before), Some(after)) if before == after => "+0.0 %".to_owned(),
        _ => UNKNOWN.to_owned(),
    };
    format!("{} -> {} ({change})", shown(before), shown(after))
}
