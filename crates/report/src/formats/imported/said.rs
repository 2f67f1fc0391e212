//! Converts warp's request lists and aggregated results to the measurements that `tenbin lint`
//! checks.

use tenbin_verdict::lint::{Failed, Measurement, Percentile, Quote, Range, Reported, Said};

use super::{Imported, Operation, Quantile, Times};

/// Seconds in a nanosecond.
const NANO: f64 = 1e-9;

/// Percentiles computed from a list of requests.
const KNOWN: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Converts operations to measurements. The quote of a figure is not a line of the file, but a text
/// with the values behind the figure, such as `GET: 16 errors`.
pub(in crate::formats) fn reported(imported: &Imported) -> Reported {
    Reported {
        tool: "warp",
        command_line: imported.command_line.clone(),
        measurements: imported.operations.iter().map(measurement).collect(),
        ..Reported::default()
    }
}

fn measurement(operation: &Operation) -> Measurement {
    let name = &operation.name;
    let quote = |what: String| Quote {
        line: None,
        text: format!("{name}: {what}"),
    };
    let exactly = |seconds: f64, what: &str| {
        Said::new(
            Range::exactly(seconds),
            quote(format!("{what} {:.6} s", seconds)),
        )
    };
    let total = operation.ok.saturating_add(operation.failed);
    let mut of = Measurement::new(name);
    of.closed_loop = true;
    of.connections = operation
        .concurrency
        .filter(|concurrency| *concurrency > 0)
        .map(|it| Said::new(it, quote(format!("concurrency {it}"))));
    of.ended = Some(Said::new(total, quote(format!("{total} requests"))));
    if let Some(seconds) = operation.elapsed() {
        of.seconds = Some(exactly(seconds, "from the first start to the last end"));
        let rate = total as f64 / seconds;
        of.rate = Some(Said::new(
            Range::exactly(rate),
            quote(format!("{total} requests in {seconds:.3} s")),
        ));
    }
    if operation.failed > 0 {
        // warp includes failed requests in its objects, bytes and times.
        of.failures.push(Failed {
            what: "failed requests".to_owned(),
            count: operation.failed,
            counted: true,
            quote: quote(format!("{} errors", operation.failed)),
        });
    }
    if let Some((min, mean, max)) = operation.times.min_mean_max() {
        of.min = Some(exactly(min * NANO, "fastest"));
        of.mean = Some(exactly(mean * NANO, "mean of all requests"));
        of.max = Some(exactly(max * NANO, "slowest"));
    }
    for quantile in KNOWN {
        let range = match operation.times.quantile(quantile) {
            Quantile::Exactly(value) => Range::exactly(value * NANO),
            Quantile::Between(from, to) => Range {
                from: from * NANO,
                to: to * NANO,
            },
            Quantile::Unknown => continue,
        };
        of.percentiles.push(Percentile {
            quantile,
            time: range,
            quote: quote(format!(
                "{} from {:.6} s to {:.6} s",
                tenbin_verdict::lint::percentile_name(quantile),
                range.from,
                range.to
            )),
        });
    }
    if let Times::Windows(windows) = &operation.times
        && windows.windows > 1
    {
        let count = windows.windows;
        of.windows = Some(Said::new(
            count,
            quote(format!("requests_by_client has {count} windows")),
        ));
    }
    of
}
