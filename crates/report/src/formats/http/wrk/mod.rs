//! The output format of wrk, and of wrk2 for an open loop.

mod read;

use std::fmt::Write as _;
use std::time::Duration;

use hdrhistogram::Histogram;
use tenbin_plan::{Pace, Reach, Target, conceal_url};
use tenbin_record::{ErrorClass, quantile_ns};
use tenbin_stats::printable_percentile;

use crate::escape::for_terminal;
use crate::formats::format::Format;
use crate::formats::hdr;
use crate::formats::judged::mark;
use crate::formats::pooled::{Pooled, of_one_workload};
use crate::formats::reader::{Read, Reader};
use crate::formats::write::{Run, Writer};

/// The text that wrk prints.
pub(in crate::formats) const FORMAT: Format = Format {
    name: "wrk",
    about: "the text that wrk prints, or wrk2 for a rate; one workload",
    file: "wrk.txt",
    read: Some(Reader::new(
        read::recognises,
        Read::Figures("the text of wrk", read::reported),
    )),
    write: Some(Writer::Run(|run| {
        of_one_workload(run, |run, target| {
            let text = of_target(run, target, &Shown::LATENCY);
            format!("{text}{}\n", mark(run.document)).into_bytes()
        })
    })),
    ..Format::PLAIN
};

/// Options of the output.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// URL of the request; `None` prints the target's URL.
    pub url: Option<&'a str>,
    /// Duration to print; `None` prints the measured time.
    pub duration: Option<Duration>,
    /// Whether to print the distribution of latencies.
    pub latency: bool,
    /// Whether to print the distribution of service times too, in an open loop.
    pub uncorrected: bool,
}

impl Shown<'_> {
    /// The output of `wrk --latency`.
    const LATENCY: Self = Self {
        url: None,
        duration: None,
        latency: true,
        uncorrected: false,
    };
}

/// The output of wrk for one target of a run with one workload.
pub fn of_target(run: &Run<'_>, target: &Target, shown: &Shown<'_>) -> String {
    let mut described = run.document.targets.iter();
    let described = described.find(|known| known.name == target.name);
    let url = match &target.reach {
        Reach::Endpoint { url } => {
            let mut public = url.clone();
            // Fails only for URLs that cannot contain credentials.
            let _ = public.set_username("");
            let _ = public.set_password(None);
            target.shown_url(&public)
        }
        Reach::Launched(_) | Reach::Builtin(_) | Reach::Files(_) => {
            described.map_or_else(String::new, |known| known.description.clone())
        }
    };
    let load = run.plan.workloads.first().map(|work| &work.load);
    let pooled = Pooled::of(run.record, &target.name);
    let measured = Duration::try_from_secs_f64(pooled.seconds.round()).unwrap_or_default();
    let given = shown.url.map(conceal_url);
    let asked = Asked {
        url: given.as_deref().unwrap_or(&url),
        duration: shown.duration.unwrap_or(measured),
        threads: run.plan.threads as u64,
        connections: load.map_or(0, |load| load.connections as u64),
        latency: shown.latency,
        at_a_rate: load.is_some_and(|load| load.pace != Pace::Closed),
        uncorrected: shown.uncorrected,
    };
    text(&asked, &pooled)
}

/// The settings of a run that the output shows.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    /// URL of the request.
    url: &'a str,
    /// Duration.
    duration: Duration,
    /// Threads.
    threads: u64,
    /// Connections.
    connections: u64,
    /// Whether to print the distribution of latencies.
    latency: bool,
    /// Whether the run is an open loop, as in wrk2.
    at_a_rate: bool,
    /// Whether to print the distribution of service times too, in an open loop.
    uncorrected: bool,
}

/// Formats the figures as wrk does, or as wrk2 does for an open loop.
fn text(asked: &Asked<'_>, pooled: &Pooled) -> String {
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
            let title = "Uncorrected Latency (measured without taking delayed starts into account)";
            text.push('\n');
            text.push_str(&spectrum(title, &pooled.service));
        }
    } else if asked.latency {
        text.push_str("  Latency Distribution\n");
        for percent in [50_u8, 75, 90, 99] {
            let quantile = certain(&pooled.service, f64::from(percent) / 100.0);
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
    let service = if asked.at_a_rate {
        &pooled.response
    } else {
        &pooled.service
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
    use ErrorClass::{Check, Connect, Protocol, Reset, Short, Stale, Timeout, Unexpected, Wrong};
    let sockets = [
        ("connect", pooled.failed_by(&[Connect])),
        (
            "read",
            pooled.failed_by(&[Reset, Protocol, Short, Wrong, Stale, Unexpected, Check]),
        ),
        // Always 0: a request that is written also ends with a response or a reset.
        ("write", 0),
        ("timeout", pooled.failed_by(&[Timeout])),
    ];
    if sockets.iter().any(|(_, count)| *count > 0) {
        let parts = sockets.map(|(name, count)| format!("{name} {count}"));
        let _ = writeln!(text, "  Socket errors: {}", parts.join(", "));
    }
    // wrk counts statuses above 399.
    let others = pooled.statuses_outside(0..400);
    if others > 0 {
        let _ = writeln!(text, "  Non-2xx or 3xx responses: {others}");
    }
}

/// The quantile, nanoseconds, if there are enough requests to bound it from both sides; the longest
/// time needs one.
fn certain(histogram: &Histogram<u64>, quantile: f64) -> Option<u64> {
    let is_certain = quantile >= 1.0 || printable_percentile(quantile, histogram.len());
    quantile_ns(histogram, quantile).filter(|_| is_certain)
}

/// The percentiles for which wrk2 prints a line.
const PERCENTILES: [f64; 8] = [50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0];
/// Number of percentiles printed each time the distance to 100 % halves.
const STEPS_IN_HALF: u32 = 5;

/// Formats a latency distribution as wrk2 does: one line per usual percentile, then HdrHistogram's
/// text format in milliseconds.
fn spectrum(title: &str, histogram: &Histogram<u64>) -> String {
    let mut text = format!("  Latency Distribution (HdrHistogram - {title})\n");
    for percent in PERCENTILES {
        let quantile = certain(histogram, percent / 100.0);
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
    text.push_str(&hdr::summary(histogram));
    text.push_str("----------------------------------------------------------\n");
    text
}

/// A number with its unit, if it has one.
struct Printed {
    text: String,
    /// Number of columns reserved for a longer unit.
    pad: usize,
}

impl Printed {
    /// Aligns the digits to the right, so that units form a column.
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

/// Share of the values within one standard deviation of the mean. A value is known only by its
/// bucket, which counts if any part of the bucket is within that range.
fn within_deviation(histogram: &Histogram<u64>) -> f64 {
    let (mean, deviation) = (histogram.mean(), histogram.stdev());
    let near = histogram
        .iter_recorded()
        .filter(|each| {
            let value = each.value_iterated_to();
            let low = histogram.lowest_equivalent(value) as f64;
            let high = histogram.highest_equivalent(value) as f64;
            low <= mean + deviation && high >= mean - deviation
        })
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
    use tenbin_record::OpFigures;

    use super::*;

    /// The lines that wrk itself prints for these figures.
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

    const ASKED: Asked<'_> = Asked {
        url: "http://127.0.0.1:8787/",
        duration: Duration::from_secs(12),
        threads: 1,
        connections: 16,
        latency: true,
        at_a_rate: false,
        uncorrected: false,
    };

    fn pooled() -> Pooled {
        let mut op = OpFigures::new("GET");
        op.counts.ok = 1_000;
        op.statuses = [(200, 700), (302, 300), (404, 7)].into();
        op.errors = [(ErrorClass::Status, 7), (ErrorClass::Timeout, 2)].into();
        op.times.service.record_n(800_000, 1_000).unwrap();
        op.times.response.record_n(800_000, 999).unwrap();
        op.times.response.record(5_000_000).unwrap();
        let mut pooled = Pooled::nothing();
        pooled.seconds = 12.0;
        pooled.add_op(&op);
        pooled.rates = vec![90.0, 110.0];
        pooled
    }

    /// The lines of wrk, with the text that programs search for. A redirect is not a failure.
    #[test]
    fn lines_are_those_of_wrk() {
        let text = text(&ASKED, &pooled());
        for line in [
            "Running 12s test @ http://127.0.0.1:8787/",
            "  1 threads and 16 connections",
            "    Latency   800.00us    0.00us 800.25us  100.00%",
            "    Req/Sec   100.00     14.14   110.00    100.00%",
            "  Latency Distribution",
            "     99%  800.25us",
            "  1000 requests in 12.00s, 0.00B read",
            "  Socket errors: connect 0, read 0, write 0, timeout 2",
            "  Non-2xx or 3xx responses: 7",
            "Requests/sec:     83.33",
            "Transfer/sec:       0.00B",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}\n{text}");
        }
    }

    /// The lines of wrk2, with the columns of HdrHistogram's text format.
    #[test]
    fn at_a_rate_lines_are_those_of_wrk2() {
        let asked = Asked {
            at_a_rate: true,
            uncorrected: true,
            ..ASKED
        };
        let text = text(&asked, &pooled());
        for line in [
            "  Latency Distribution (HdrHistogram - Recorded Latency)",
            " 50.000%  800.25us",
            "100.000%    5.00ms",
            "  Detailed Percentile spectrum:",
            "       Value   Percentile   TotalCount 1/(1-Percentile)",
            "       0.800     0.000000          999         1.00",
            "       5.001     1.000000         1000          inf",
            "#[Mean    =        0.804, StdDeviation   =        0.133]",
            "#[Max     =        5.001, Total count    =         1000]",
            "----------------------------------------------------------",
            "  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}\n{text}");
        }
        let recorded = Asked {
            uncorrected: false,
            ..asked
        };
        assert!(!super::text(&recorded, &pooled()).contains("Uncorrected"));
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
