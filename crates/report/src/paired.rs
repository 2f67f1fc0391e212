//! Ratios of two targets that differ from the quotient of the two targets' displayed figures.

use tenbin_result::format::ratio;
use tenbin_result::{Comparison, Document, Figure, Metric, MetricName, OperationResult, ResultOf};

/// Largest difference between a ratio and the quotient of two displayed figures that rounding can
/// explain, as a difference of natural logarithms. Displayed figures have three significant digits,
/// so 1.00 can stand for 1.005.
const ROUNDING: f64 = 0.01;

/// The ratios that differ from the quotient of the two targets' displayed figures, with the reason,
/// as text without a full stop; `None` if no ratio differs.
pub(crate) fn paired<'a>(
    document: &Document,
    comparisons: impl Iterator<Item = &'a Comparison>,
) -> Option<String> {
    let told: Vec<String> = comparisons
        .filter_map(|comparison| apart(document, comparison))
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "a ratio is estimated from the ratios of single blocks (paired by round, which cancels \
            drift), and may differ from the quotient of the columns: {}",
            told.join("; ")
        )
    })
}

/// Whether the ratio of a comparison differs from the quotient of the two targets' displayed
/// figures.
pub(crate) fn is_paired(document: &Document, comparison: &Comparison) -> bool {
    apart(document, comparison).is_some()
}

/// The difference as text: `throughput of b ÷ a 0.926, by the columns 0.810`; `None` without a
/// difference.
fn apart(document: &Document, comparison: &Comparison) -> Option<String> {
    let of = |target: &str| {
        let mut results = document.results_of(&comparison.workload);
        column(
            results.find(|result| result.target == target)?,
            &comparison.metric,
        )
    };
    let quotient = of(&comparison.challenger)?.value / of(&comparison.baseline)?.value;
    let found = comparison.ratio?.value;
    let differs = (found / quotient).ln().abs() > ROUNDING;
    (differs && quotient.is_finite() && quotient > 0.0).then(|| {
        format!(
            "{} of {} ÷ {} {}, by the columns {}",
            comparison.metric_phrase,
            comparison.challenger,
            comparison.baseline,
            ratio(found),
            ratio(quotient)
        )
    })
}

/// The figure of a result that the column of a metric shows.
fn column(result: &ResultOf, metric: &MetricName) -> Option<Figure> {
    let MetricName::Known(metric) = *metric else {
        return None;
    };
    let mut work = result.work();
    let only: Option<&OperationResult> = work.next().filter(|_| work.next().is_none());
    match metric {
        Metric::Throughput => result.throughput,
        Metric::ServerCpu => result.server_cpu,
        Metric::SERVICE_P50 | Metric::RESPONSE_P50 => only?.p50,
        Metric::SERVICE_P90 | Metric::RESPONSE_P90 => only?.p90,
        Metric::SERVICE_P99 | Metric::RESPONSE_P99 => only?.p99,
        _ => None,
    }
}
