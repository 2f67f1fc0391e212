//! The checks of each experiment.

use super::Row;
use super::sides::{Log, Recorded};
use super::statistics::{
    answered, bytes_each, gaps, growth, mean, mean_response, poisson_p, quantile, rate_received,
    times_due, times_late, times_served,
};

/// One slice as logged by the server and as recorded by Tenbin.
pub(crate) struct Observed {
    pub(crate) log: Log,
    pub(crate) recorded: Recorded,
}

impl Observed {
    fn response(&self, q: f64) -> f64 {
        self.recorded.response.value_at_quantile(q) as f64 / 1e6
    }

    fn mean_response(&self) -> f64 {
        self.recorded.response.mean() / 1e6
    }

    fn service(&self, q: f64) -> f64 {
        self.recorded.service.value_at_quantile(q) as f64 / 1e6
    }

    fn lag(&self, q: f64) -> f64 {
        self.recorded.lag.value_at_quantile(q) as f64 / 1e6
    }
}

pub(crate) fn row(
    what: &'static str,
    limit: impl Into<String>,
    found: String,
    passed: bool,
) -> Row {
    Row {
        what,
        limit: limit.into(),
        found,
        passed,
    }
}

pub(crate) fn within(found: f64, truth: f64, share: f64) -> bool {
    (found / truth - 1.0).abs() <= share
}

/// Experiment 10, part of every experiment: counts of requests, bytes and connections agree on both
/// sides.
pub(crate) fn books(seen: &Observed) -> Vec<Row> {
    let Observed {
        log: Log { served, accepted },
        recorded,
    } = seen;
    // Both sides count the same requests. Requests without a response are not in the log; Tenbin
    // counts these requests as censored.
    let logged = served.len() as u64;
    let known = recorded.known();
    let counts = row(
        "requests recorded and logged",
        "equal, but for censored ones",
        format!("{known} and {logged}, {} censored", recorded.censored),
        known == logged + recorded.censored,
    );
    let (bytes_in, bytes_out) = bytes_each(served).unwrap_or((0, 0));
    let expected = (bytes_in * recorded.ok, bytes_out * recorded.ok);
    let bytes = row(
        "bytes of answered requests, sent and received",
        "equal to the server's",
        format!(
            "{} and {} of {} and {}",
            recorded.sent, recorded.received, expected.0, expected.1
        ),
        (recorded.sent, recorded.received) == expected,
    );
    let connections = row(
        "connections opened and logged",
        "equal",
        format!("{} and {accepted}", recorded.opened),
        recorded.opened == *accepted,
    );
    vec![counts, bytes, connections]
}

pub(super) fn fixed(seen: &Observed) -> Vec<Row> {
    let p50 = seen.response(0.5);
    vec![
        row(
            "median response",
            "10 ms within 0.3 ms",
            format!("{p50:.3} ms"),
            (p50 - 10.0).abs() <= 0.3,
        ),
        lateness(seen),
    ]
}

/// The lateness of the server itself; reported without a limit.
fn lateness(seen: &Observed) -> Row {
    let late = times_late(&seen.log.served);
    row(
        "how late the server answered, p50 and p99",
        "reported",
        format!(
            "{:.3} and {:.3} ms",
            quantile(&late, 0.5),
            quantile(&late, 0.99)
        ),
        true,
    )
}

pub(super) fn bimodal(seen: &Observed) -> Vec<Row> {
    let nominal = seen.response(0.995);
    let found = seen.service(0.995);
    let truth = quantile(&times_served(&seen.log.served), 0.995);
    vec![
        row(
            "response p99.5",
            "100 ms within 1 % and 0.3 ms",
            format!("{nominal:.3} ms"),
            (nominal - 100.0).abs() <= 1.3,
        ),
        row(
            "service p99.5 beside the server's log",
            "within 1 %",
            format!("{found:.3} and {truth:.3} ms"),
            within(found, truth, 0.01),
        ),
    ]
}

/// Quantiles of the standard normal distribution: probability, quantile, name of the check.
const NORMAL: &[(f64, f64, &str)] = &[
    (0.1, -1.281_552, "service p10 beside the server's log"),
    (0.5, 0.0, "service p50 beside the server's log"),
    (0.9, 1.281_552, "service p90 beside the server's log"),
    (0.95, 1.644_854, "service p95 beside the server's log"),
    (0.99, 2.326_348, "service p99 beside the server's log"),
    (0.999, 3.090_232, "service p99.9 beside the server's log"),
];
/// The log-normal service time of the experiment: median in milliseconds, and sigma.
const LOG_NORMAL: (f64, f64) = (20.0, 0.5);
/// Allowed transfer time between the programs, milliseconds; also the limit of experiment 2.
const WAY: f64 = 0.3;
/// Largest relative error of a histogram with three significant digits.
const HISTOGRAM: f64 = 0.001;

pub(super) fn log_normal(seen: &Observed) -> Vec<Row> {
    let n = seen.recorded.service.len();
    let served = times_served(&seen.log.served);
    let due = times_due(&seen.log.served);
    let (median, sigma) = LOG_NORMAL;
    let mut rows = vec![row(
        "samples",
        "at least 1,000,000",
        n.to_string(),
        n >= 1_000_000,
    )];
    for (q, z, what) in NORMAL {
        let found = seen.service(*q);
        let logged = quantile(&served, *q);
        let theory = median * (sigma * z).exp();
        // Standard error of a quantile: √(q(1 − q)/n) ÷ density.
        let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() / (sigma * theory);
        let error = (q * (1.0 - q) / n as f64).sqrt() / density;
        let drawn = quantile(&due, *q);
        let chance = 2.576 * error;
        rows.push(row(
            what,
            format!("within 0.1 % + {chance:.3} ms (99 %) + {WAY} ms"),
            format!("{found:.3} and {logged:.3} ms"),
            (found - logged).abs() <= HISTOGRAM * logged + chance + WAY,
        ));
        rows.push(row(
            "the same at the server beside theory",
            format!("within {chance:.3} ms (99 %)"),
            format!("{drawn:.3} and {theory:.3} ms"),
            (drawn - theory).abs() <= chance,
        ));
    }
    rows
}

/// Checks a run without responses for 15 s of its 30 s, at 100/s.
pub(super) fn half_stopped(seen: &Observed) -> Vec<Row> {
    let mean = seen.mean_response();
    let truth = mean_response(&seen.log.served, 100.0);
    let p99 = seen.response(0.99);
    vec![
        row(
            "mean response",
            "3750 ms within 5 %",
            format!("{mean:.0} ms"),
            within(mean, 3750.0, 0.05),
        ),
        row(
            "mean response beside the server's log",
            "within 1 %",
            format!("{mean:.1} and {truth:.1} ms"),
            within(mean, truth, 0.01),
        ),
        row(
            "p99 of response",
            "at least 14500 ms",
            format!("{p99:.0} ms"),
            p99 >= 14_500.0,
        ),
    ]
}

/// Checks a run whose load generator is stopped for 1 s of 6 s, at 200/s.
pub(super) fn generator_stopped(seen: &Observed) -> Vec<Row> {
    let longest = seen.recorded.lag.max() as f64 / 1e6;
    let waited = seen.recorded.lag.len() - seen.recorded.lag.count_between(0, 99_999_999);
    let mean = seen.mean_response();
    let truth = mean_response(&seen.log.served, 200.0);
    vec![
        row(
            "longest send lag",
            "at least 990 ms",
            format!("{longest:.0} ms"),
            longest >= 990.0,
        ),
        row(
            "requests sent 100 ms late or more",
            "180 within 5",
            waited.to_string(),
            waited.abs_diff(180) <= 5,
        ),
        row(
            "mean response beside the server's log",
            "within 2 % and 0.3 ms",
            format!("{mean:.1} and {truth:.1} ms"),
            (mean - truth).abs() <= 0.02 * truth + WAY,
        ),
    ]
}

/// Checks a run of 10 s at 100/s without responses from about 4 s on; all responses then arrive
/// within the timeout.
pub(super) fn late_answers(seen: &Observed) -> Vec<Row> {
    let Some(longest) = times_served(&seen.log.served).last().copied() else {
        return Vec::new();
    };
    let p99 = seen.response(0.99);
    let mean = seen.mean_response();
    let truth = mean_response(&seen.log.served, 100.0);
    vec![
        row(
            "p99 of response beside the longest at the server",
            "at least 0.95 of it",
            format!("{p99:.0} and {longest:.0} ms"),
            p99 >= 0.95 * longest,
        ),
        row(
            "mean response beside the server's log",
            "within 1 %",
            format!("{mean:.1} and {truth:.1} ms"),
            within(mean, truth, 0.01),
        ),
        row(
            "responses recorded",
            "1000",
            seen.recorded.response.len().to_string(),
            seen.recorded.response.len() == 1000,
        ),
    ]
}

/// Checks a run of 10 s at 100/s without responses from about 4 s on, until long after the timeout
/// of 8 s.
pub(super) fn no_answers(seen: &Observed) -> Vec<Row> {
    let unanswered = 1000_u64.saturating_sub(seen.log.served.len() as u64);
    let censored = seen.recorded.censored;
    let p99 = seen.recorded.at_least(0.99).unwrap_or(f64::NAN);
    vec![
        row(
            "censored, and unanswered by the server's log",
            "equal",
            format!("{censored} and {unanswered}"),
            censored == unanswered && censored > 0,
        ),
        row(
            "p99 with what timed out",
            "at least 8000 ms",
            format!("{p99:.0} ms"),
            p99 >= 7_999.0,
        ),
    ]
}

pub(super) fn constant(seen: &Observed) -> Vec<Row> {
    let rate = rate_received(&seen.log.served);
    let mut apart = gaps(&seen.log.served);
    apart.sort_by(f64::total_cmp);
    let gap = |q| quantile(&apart, q) / 1e6;
    let lag = seen.lag(0.99);
    vec![
        row(
            "rate at the server",
            "1000/s within 0.1 %",
            format!("{rate:.2}/s"),
            within(rate, 1000.0, 0.001),
        ),
        row(
            "gaps at the server, p10 and p90",
            "1 ms within 10 %",
            format!("{:.4} and {:.4} ms", gap(0.1), gap(0.9)),
            within(gap(0.1), 1.0, 0.1) && within(gap(0.9), 1.0, 0.1),
        ),
        row(
            "p99 of send lag",
            "below 1 ms",
            format!("{lag:.3} ms"),
            lag < 1.0,
        ),
    ]
}

pub(super) fn poisson(seen: &Observed) -> Vec<Row> {
    let rate = seen.recorded.known() as f64 / 30.0;
    let p = poisson_p(&seen.log.served, 300.0);
    let lag = seen.lag(0.99);
    vec![
        row(
            "rate",
            // 9,000 requests with a Poisson distribution have a standard deviation of 95.
            "300/s within three standard errors, 3.2 %",
            format!("{rate:.2}/s"),
            within(rate, 300.0, 0.032),
        ),
        row(
            "gaps at the server are exponential: p of Kolmogorov–Smirnov",
            "above 0.01",
            format!("{p:.3}"),
            p > 0.01,
        ),
        row(
            "p99 of send lag",
            "below 1 ms",
            format!("{lag:.3} ms"),
            lag < 1.0,
        ),
    ]
}

/// Checks a run at 2,000/s on a server that starts at most 1,000 requests per second.
pub(super) fn overload(seen: &Observed) -> Vec<Row> {
    let capacity = seen.recorded.throughput;
    // The backlog grows linearly only after the first second, when all connections are busy.
    let grown = growth(seen.recorded.backlog.get(1..).unwrap_or_default());
    vec![
        row(
            "throughput",
            "1000/s within 1 %",
            format!("{capacity:.1}/s"),
            within(capacity, 1000.0, 0.01),
        ),
        row(
            "slope of the backlog",
            "1000/s within 2 %",
            format!("{grown:+.1}/s"),
            within(grown, 1000.0, 0.02),
        ),
    ]
}

/// Checks a single queue with a utilisation of 0.5; exponential service, 2,000 per second.
pub(super) fn half_busy(seen: &Observed) -> Vec<Row> {
    queue(seen, 0.5)
}

/// Checks the same queue with a utilisation of 0.8.
pub(super) fn busy(seen: &Observed) -> Vec<Row> {
    queue(seen, 0.8)
}

fn queue(seen: &Observed, busy: f64) -> Vec<Row> {
    const PER_SECOND: f64 = 2000.0;
    let theory = 1e3 / (PER_SECOND * (1.0 - busy));
    // Successive waiting times are correlated: the variance of their mean over n customers is
    // ρ(2 + 5ρ − 4ρ² + ρ³) ÷ ((1 − ρ)⁴ μ² n) (N. Blomqvist, "The covariance function of
    // the M/G/1 queueing system", 1967).
    let n = seen.log.served.len() as f64;
    let variance =
        busy * (2.0 + 5.0 * busy - 4.0 * busy.powi(2) + busy.powi(3)) / (1.0 - busy).powi(4) / n;
    let error = variance.sqrt() * 1e3 / PER_SECOND / theory;
    let scheduled = mean(&times_due(&seen.log.served));
    let logged = mean(&times_served(&seen.log.served));
    let found = seen.recorded.service.mean() / 1e6;
    vec![
        row(
            "mean service beside the server's log",
            "within 3 % and 0.1 ms",
            format!("{found:.4} and {logged:.4} ms"),
            (found - logged).abs() <= 0.03 * logged + 0.1,
        ),
        row(
            "mean at the server beside 1 ÷ (μ − λ)",
            format!(
                "{theory} ms within the larger of 3 % and three standard errors, {:.1} %",
                300.0 * error
            ),
            format!("{scheduled:.4} ms"),
            within(scheduled, theory, (3.0 * error).max(0.03)),
        ),
        lateness(seen),
    ]
}

/// Checks a run with three kinds of wrong responses, 1 % of the requests each.
pub(super) fn wrong_answers(seen: &Observed) -> Vec<Row> {
    let Observed { log, recorded } = seen;
    let served = &log.served;
    let [reset, truncated, malformed] =
        ["reset", "truncate", "malformed"].map(|answer| answered(served, answer));
    // Tenbin counts truncated responses and connection resets in the same error class.
    let truth = [reset + truncated, malformed];
    let found = ["reset", "protocol"].map(|class| recorded.errors_of(class));
    let right = answered(served, "ok");
    vec![
        row(
            "reset or truncated, and malformed answers",
            "equal to the server's",
            format!("{found:?} and {truth:?}"),
            found == truth && reset.min(truncated).min(malformed) > 0,
        ),
        row(
            "right answers",
            "equal to the server's",
            format!("{} and {right}", recorded.response.len()),
            recorded.response.len() == right,
        ),
    ]
}
