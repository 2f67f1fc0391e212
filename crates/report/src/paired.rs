//! Ratios of two targets that differ from the quotient of the two targets' displayed figures.

use tenbin_result::{
    Comparison, Document, Figure, Message, Metric, MetricName, OperationResult, ResultOf, Value,
    message,
};
use tenbin_verdict::named_metric;

use crate::language::say;

/// Largest difference between a ratio and the quotient of two displayed figures that rounding can
/// explain, as a difference of natural logarithms. Displayed figures have three significant digits,
/// so 1.00 can stand for 1.005.
pub(crate) const ROUNDING: f64 = 0.01;

/// The ratios that differ from the quotient of the two targets' displayed figures, with the reason,
/// as text without a full stop; `None` if no ratio differs.
pub(crate) fn paired<'a>(
    document: &Document,
    comparisons: impl Iterator<Item = &'a Comparison>,
) -> Option<String> {
    let told: Vec<Message> = comparisons
        .filter_map(|comparison| apart(document, comparison))
        .collect();
    (!told.is_empty()).then(|| {
        let paired = message!("paired-ratios", ratios = Value::Clauses(told));
        say(document, &paired)
    })
}

/// Whether the ratio of a comparison differs from the quotient of the two targets' displayed
/// figures.
pub(crate) fn is_paired(document: &Document, comparison: &Comparison) -> bool {
    apart(document, comparison).is_some()
}

/// The difference as text: `throughput of b ÷ a 0.926, by the columns 0.810`; `None` without a
/// difference.
fn apart(document: &Document, comparison: &Comparison) -> Option<Message> {
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
        message!(
            "paired-ratio",
            metric = named_metric(&comparison.metric, &comparison.metric_phrase),
            challenger = comparison.challenger.as_str(),
            baseline = comparison.baseline.as_str(),
            ratio = Value::Ratio(found),
            quotient = Value::Ratio(quotient)
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
