//! What lists of requests and sums of them say, for the rules about files of other tools.

use tenbin_verdict::lint::{Failed, Measurement, Percentile, Quote, Range, Reported, Said};

use super::{Imported, Operation, Quantile, Times, Tool};

/// Seconds in a nanosecond.
const NANO: f64 = 1e-9;

/// Percentiles computed from a list of requests.
const KNOWN: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Converts operations to measurements. The quote of a figure is not a line of the file, but a text
/// with the values behind the figure, such as `GET: 16 errors`.
pub(in crate::formats) fn reported(imported: &Imported) -> Reported {
    let operations = imported.operations.iter();
    Reported {
        tool: imported.tool.name,
        command_line: imported.command_line.clone(),
        measurements: operations
            .map(|it| measurement(it, imported.tool))
            .collect(),
        caveats: imported.caveats.clone(),
        judged: imported.judged.clone(),
        ..Reported::default()
    }
}

fn measurement(operation: &Operation, tool: Tool) -> Measurement {
    let name = &operation.name;
    let quote = |what: String| Quote {
        line: None,
        text: format!("{name}: {what}"),
    };
    let exactly = |seconds: f64, what: &str| {
        Said::new(
            Range::exactly(seconds),
            quote(format!("{what} {seconds:.6} s")),
        )
    };
    let mut of = Measurement::new(name);
    of.closed_loop = tool.closed_loop;
    of.connections = operation
        .concurrency
        .filter(|concurrency| *concurrency > 0)
        .map(|it| Said::new(it, quote(format!("concurrency {it}"))));
    let elapsed = operation.elapsed();
    of.seconds = elapsed.map(|seconds| exactly(seconds, "measured time"));
    let failed = operation.failed.filter(|failed| *failed > 0);
    let counted = failed.filter(|_| tool.counts_failures).unwrap_or_default();
    if let Some(ended) = operation.ok.map(|ok| ok.saturating_add(counted)) {
        of.ended = Some(Said::new(ended, quote(format!("{ended} requests"))));
        of.rate = elapsed.map(|seconds| {
            Said::new(
                Range::exactly(ended as f64 / seconds),
                quote(format!("{ended} requests in {seconds:.3} s")),
            )
        });
    }
    if let Some(count) = failed {
        of.failures.push(Failed {
            what: "failed requests".to_owned(),
            count,
            counted: tool.counts_failures,
            quote: quote(format!("{count} errors")),
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
    match &operation.times {
        Times::Each(each) => of.samples = Some(each.len()),
        Times::Windows(windows) if windows.windows > 1 => {
            let count = windows.windows;
            of.windows = Some(Said::new(
                count,
                quote(format!("requests_by_client has {count} windows")),
            ));
        }
        Times::Windows(_) | Times::Stated(_) | Times::Unknown => {}
    }
    of
}
