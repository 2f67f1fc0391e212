//! Results in wrk's words. Pure functions, like every report.

use std::fmt::Write as _;
use std::time::Duration;

use hdrhistogram::Histogram;
use tenbin_record::{ErrorClass, quantile_ns};

use crate::escape::for_terminal;
use crate::web::Pooled;

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// URL of the request.
    pub url: &'a str,
    /// How long in all.
    pub duration: Duration,
    /// Threads.
    pub threads: u64,
    /// Connections.
    pub connections: u64,
    /// Print the distribution of latencies.
    pub latency: bool,
    /// Requests came at a rate, as wrk2 sends them.
    pub at_a_rate: bool,
    /// With a rate: print the distribution of service times as well.
    pub uncorrected: bool,
}

/// wrk's lines, or wrk2's where requests came at a rate.
pub fn text(asked: &Asked<'_>, pooled: &Pooled) -> String {
    let mut text = format!(
        "Running {} test @ {}\n  {} threads and {} connections\n",
        whole_time(asked.duration),
        for_terminal(asked.url),
        asked.threads,
        asked.connections
    );
    text.push_str("  Thread Stats   Avg      Stdev     Max   +/- Stdev\n");
    thread_stats(&mut text, asked, pooled);
    if asked.latency && asked.at_a_rate {
        let title = "Recorded Latency";
        text.push_str(&spectrum(title, &pooled.response));
        if asked.uncorrected {
            let title =
                "Uncorrected Latency (measured without taking delayed starts into account)";
            text.push('\n');
            text.push_str(&spectrum(title, &pooled.service));
        }
    } else if asked.latency {
        text.push_str("  Latency Distribution\n");
        for percent in [50_u8, 75, 90, 99] {
            let quantile = quantile_ns(&pooled.service, f64::from(percent) / 100.0);
            let value = quantile.map_or(unknown(), |nanos| time(nanos as f64));
            let _ = writeln!(text, "{percent:>7}%{}", value.padded(10));
        }
    }
    let _ = writeln!(
        text,
        "  {} requests in {:.2}s, {}B read",
        pooled.ok,
        pooled.seconds,
        binary(pooled.received as f64).text
    );
    failures(&mut text, pooled);
    let rate = pooled.per_second(pooled.ok as f64);
    let rate = rate.map_or("unknown".to_owned(), |rate| format!("{rate:.2}"));
    let transfer = pooled.per_second(pooled.received as f64);
    let transfer = transfer.map_or("unknown".to_owned(), |rate| {
        format!("{}B", binary(rate).text)
    });
    let _ = writeln!(text, "Requests/sec: {rate:>9}");
    let _ = writeln!(text, "Transfer/sec: {transfer:>11}");
    text
}

fn thread_stats(text: &mut String, asked: &Asked<'_>, pooled: &Pooled) {
    let service = match asked.at_a_rate {
        true => &pooled.response,
        false => &pooled.service,
    };
    if service.is_empty() {
        text.push_str("    Latency    unknown: no request was answered correctly\n");
    } else {
        row(
            text,
            "Latency",
            [service.mean(), service.stdev(), service.max() as f64].map(time),
            within_deviation(service),
        );
    }
    let rates = pooled.rates.iter().map(|rate| rate / asked.threads as f64);
    let rates: Vec<f64> = rates.collect();
    if let Some(spread) = Spread::of(&rates) {
        row(
            text,
            "Req/Sec",
            [spread.mean, spread.deviation, spread.largest].map(metric),
            spread.within,
        );
    }
}

fn row(text: &mut String, name: &str, [mean, deviation, largest]: [Printed; 3], within: f64) {
    let _ = writeln!(
        text,
        "    {name:<10}{}{}{}{:>8.2}%",
        mean.padded(8),
        deviation.padded(10),
        largest.padded(9),
        within * 100.0
    );
}

fn failures(text: &mut String, pooled: &Pooled) {
    use ErrorClass::{Connect, Protocol, Reset, Short, Stale, Timeout, Wrong};
    let sockets = [
        ("connect", pooled.failed_by(&[Connect])),
        (
            "read",
            pooled.failed_by(&[Reset, Protocol, Short, Wrong, Stale]),
        ),
        // Whatever is written here is also answered, or reset.
        ("write", 0),
        ("timeout", pooled.failed_by(&[Timeout])),
    ];
    if sockets.iter().any(|(_, count)| *count > 0) {
        let parts = sockets.map(|(name, count)| format!("{name} {count}"));
        let _ = writeln!(text, "  Socket errors: {}", parts.join(", "));
    }
    // wrk counts what is above 399.
    let others = pooled.statuses_outside(0..400);
    if others > 0 {
        let _ = writeln!(text, "  Non-2xx or 3xx responses: {others}");
    }
}

/// The percentiles that wrk2 has a line for.
const PERCENTILES: [f64; 8] = [50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0];
/// Steps of the spectrum from each half of the rest to the next.
const STEPS_IN_HALF: u32 = 5;

/// A distribution of latencies as wrk2 prints it: HdrHistogram's text format, in
/// milliseconds, below a line for each usual percentile.
fn spectrum(title: &str, histogram: &Histogram<u64>) -> String {
    let mut text = format!("  Latency Distribution (HdrHistogram - {title})\n");
    for percent in PERCENTILES {
        let quantile = quantile_ns(histogram, percent / 100.0);
        let value = quantile.map_or(unknown(), |nanos| time(nanos as f64));
        let _ = writeln!(text, "{percent:>7.3}%{}", value.padded(10));
    }
    let millis = |nanos: f64| nanos / 1e6;
    let _ = writeln!(
        text,
        "\n  Detailed Percentile spectrum:\n{:>12} {:>12} {:>12} {:>12}\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    );
    let mut seen = 0;
    for each in histogram.iter_quantiles(STEPS_IN_HALF) {
        seen += each.count_since_last_iteration();
        let quantile = each.quantile_iterated_to();
        let _ = writeln!(
            text,
            "{:>12.3} {quantile:>12.6} {seen:>12} {:>12.2}",
            millis(each.value_iterated_to() as f64),
            1.0 / (1.0 - quantile)
        );
    }
    let _ = writeln!(
        text,
        "#[Mean    = {:>12.3}, StdDeviation   = {:>12.3}]",
        millis(histogram.mean()),
        millis(histogram.stdev())
    );
    let _ = writeln!(
        text,
        "#[Max     = {:>12.3}, Total count    = {:>12}]",
        millis(histogram.max() as f64),
        histogram.len()
    );
    let _ = writeln!(
        text,
        "#[Buckets = {:>12}, SubBuckets     = {:>12}]",
        histogram.buckets(),
        SUB_BUCKETS
    );
    text.push_str("----------------------------------------------------------\n");
    text
}

/// Buckets within a power of two of a histogram with three significant digits.
const SUB_BUCKETS: u32 = 2_048;

/// A number with its unit, if it has one.
struct Printed {
    text: String,
    /// Places that a longer unit would take.
    pad: usize,
}

impl Printed {
    /// Right-aligned by its digits, so that units stand in a column of their own.
    fn padded(&self, width: usize) -> String {
        let width = width - self.pad;
        format!("{:>width$}{}", self.text, " ".repeat(self.pad))
    }
}

fn unknown() -> Printed {
    Printed {
        text: "unknown".to_owned(),
        pad: 0,
    }
}

fn scaled(value: f64, step: f64, units: &[&str]) -> Printed {
    let mut value = value;
    let mut at = 0;
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    Printed {
        text: format!("{value:.2}{}", units[at]),
        pad: 2 - units[at].len(),
    }
}

fn metric(value: f64) -> Printed {
    scaled(value, 1_000.0, &["", "k", "M", "G", "T"])
}

fn binary(value: f64) -> Printed {
    scaled(value, 1_024.0, &["", "K", "M", "G", "T"])
}

fn time(nanos: f64) -> Printed {
    scaled(nanos / 1e3, 1_000.0, &["us", "ms", "s"])
}

fn whole_time(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 3_600 && seconds % 3_600 == 0 => format!("{}h", seconds / 3_600),
        seconds if seconds >= 60 && seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

/// Share of the values that are no further from the mean than the deviation.
fn within_deviation(histogram: &Histogram<u64>) -> f64 {
    let (mean, deviation) = (histogram.mean(), histogram.stdev());
    let low = (mean - deviation).max(0.0).ceil() as u64;
    let high = (mean + deviation).floor() as u64;
    let near = histogram
        .iter_recorded()
        .filter(|each| (low..=high).contains(&each.value_iterated_to()))
        .map(|each| each.count_at_value())
        .sum::<u64>();
    near as f64 / histogram.len() as f64
}

struct Spread {
    mean: f64,
    deviation: f64,
    largest: f64,
    within: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let largest = values.iter().copied().reduce(f64::max)?;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = match values.len() {
            1 => 0.0,
            _ => (squares / (count - 1.0)).sqrt(),
        };
        let near = values
            .iter()
            .filter(|value| (*value - mean).abs() <= deviation);
        Some(Self {
            mean,
            deviation,
            largest,
            within: near.count() as f64 / count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// wrk's own lines for these figures, with the same columns.
    #[test]
    fn columns_stand_where_wrk_has_them() {
        let mut text = String::new();
        row(
            &mut text,
            "Latency",
            [time(5_290_000.0), time(547_090.0), time(11_040_000.0)],
            0.9299,
        );
        row(
            &mut text,
            "Req/Sec",
            [metric(755.5), metric(24.32), metric(800.0)],
            0.6,
        );
        assert_eq!(
            text,
            "    Latency     5.29ms  547.09us  11.04ms   92.99%\n    Req/Sec   755.50     24.32   800.00     60.00%\n"
        );
        assert_eq!(format!("{}B", binary(51_886.0).text), "50.67KB");
    }

    #[test]
    fn spread_is_that_of_a_sample() {
        let spread = Spread::of(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!((spread.mean, spread.largest), (3.0, 6.0));
        assert!((spread.deviation - 2.160_25).abs() < 1e-4);
        assert_eq!(spread.within, 0.75);
        assert_eq!(Spread::of(&[4.0]).unwrap().deviation, 0.0);
        assert!(Spread::of(&[]).is_none());
    }
}
