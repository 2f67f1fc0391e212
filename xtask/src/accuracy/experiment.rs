//! The experiments: what the server does, what Tenbin is asked, what must be found.

use super::Row;
use super::observed::Observed;

/// One experiment.
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    /// Options of `tenbin serve truth`.
    pub(crate) server: &'static [&'static str],
    /// Options of `tenbin http`.
    pub(crate) load: &'static [&'static str],
    pub(crate) judge: fn(&Observed) -> Vec<Row>,
}

/// All of them.
pub(crate) const PLAN: &[Experiment] = &[
    Experiment {
        name: "fixed service of 10 ms, 100/s",
        server: &["--service", "fixed:10ms"],
        load: &["--rate", "100/s", "--slice", "10s"],
        judge: |seen| {
            let p50 = quantile(seen, 0.5);
            vec![row(
                "median response 10 ms within 0.3 ms",
                p50,
                "ms",
                (p50 - 10.0).abs() <= 0.3,
            )]
        },
    },
    Experiment {
        name: "99 % in 1 ms, 1 % in 100 ms, 500/s",
        server: &["--service", "bimodal:99%:1ms,100ms"],
        load: &["--rate", "500/s", "--slice", "20s", "-c", "64"],
        judge: |seen| {
            let nominal = quantile(seen, 0.995);
            let found = seen.service.value_at_quantile(0.995) as f64 / 1e6;
            let truth = server_quantile(seen, 0.995);
            vec![
                row(
                    "response p99.5 100 ms within 1 %",
                    nominal,
                    "ms",
                    (nominal - 100.0).abs() <= 1.0,
                ),
                row(
                    "service p99.5 less what the server logged, within 1 %",
                    found - truth,
                    "ms",
                    (found / truth - 1.0).abs() <= 0.01,
                ),
            ]
        },
    },
    Experiment {
        name: "nothing answered for 15 s of 30 s, 100/s",
        server: &["--service", "fixed:1ms", "--stall", "8s+15s"],
        load: &["--rate", "100/s", "--slice", "30s", "-c", "64"],
        judge: |seen| {
            let mean = seen.response.mean() / 1e6;
            let p99 = quantile(seen, 0.99);
            vec![
                row(
                    "mean 3750 ms within 5 %",
                    mean,
                    "ms",
                    (mean / 3750.0 - 1.0).abs() <= 0.05,
                ),
                row("p99 at least 14500 ms", p99, "ms", p99 >= 14_500.0),
            ]
        },
    },
    Experiment {
        name: "Poisson arrivals at 1000/s",
        server: &[],
        load: &[
            "--rate",
            "1000/s",
            "--arrivals",
            "poisson",
            "--slice",
            "20s",
            "-c",
            "64",
        ],
        judge: |seen| {
            let rate = seen.operations as f64 / 20.0;
            // Poisson(20 000): sd 141, three of them are 2.1 %.
            let lag = seen.lag.value_at_quantile(0.99) as f64 / 1e6;
            let shape = gap_variation(seen);
            vec![
                row(
                    "rate 1000/s within three standard errors",
                    rate,
                    "/s",
                    (rate / 1e3 - 1.0).abs() <= 0.021,
                ),
                row("send lag p99 below 1 ms", lag, "ms", lag < 1.0),
                row(
                    "variation of gaps at the server 1 within 5 %",
                    shape,
                    "",
                    (shape - 1.0).abs() <= 0.05,
                ),
            ]
        },
    },
    Experiment {
        name: "one queue, exponential service of 1 ms, Poisson arrivals at 500/s",
        server: &["--service", "exponential:1ms", "--single-queue"],
        load: &[
            "--rate",
            "500/s",
            "--arrivals",
            "poisson",
            "--slice",
            "30s",
            "-c",
            "64",
        ],
        judge: |seen| {
            // Theory says 1/(μ − λ) = 2 ms; 15,000 waiting times scatter by about 4 %
            // around it, so the server's own mean is the truth here.
            let mean = seen.service.mean() / 1e6;
            let truth = server_mean(seen);
            vec![
                row(
                    "mean service as the server logged it, within 3 % and 0.1 ms",
                    mean - truth,
                    "ms",
                    (mean - truth).abs() <= 0.03 * truth + 0.1,
                ),
                row(
                    "mean at the server 2 ms within 15 %",
                    truth,
                    "ms",
                    (truth / 2.0 - 1.0).abs() <= 0.15,
                ),
            ]
        },
    },
];

fn row(asked: &'static str, found: f64, unit: &str, passed: bool) -> Row {
    Row {
        asked,
        found: format!("{found:.3} {unit}"),
        passed,
    }
}

fn quantile(seen: &Observed, q: f64) -> f64 {
    seen.response.value_at_quantile(q) as f64 / 1e6
}

/// Mean time from receipt to answer, milliseconds, as the server logged it.
fn server_mean(seen: &Observed) -> f64 {
    let sum: u64 = seen
        .served
        .iter()
        .map(|one| one.answered - one.received)
        .sum();
    sum as f64 / seen.served.len() as f64 / 1e6
}

/// Quantile of the time from receipt to answer, milliseconds, as the server logged it.
fn server_quantile(seen: &Observed, q: f64) -> f64 {
    let mut times: Vec<u64> = seen
        .served
        .iter()
        .map(|one| one.answered - one.received)
        .collect();
    times.sort_unstable();
    let rank = (q * times.len() as f64).ceil() as usize;
    times[rank.clamp(1, times.len()) - 1] as f64 / 1e6
}

/// Standard deviation of the gaps between arrivals, in means: 1 if exponential,
/// 0 if even.
fn gap_variation(seen: &Observed) -> f64 {
    let mut at: Vec<u64> = seen.served.iter().map(|one| one.received).collect();
    at.sort_unstable();
    let gaps: Vec<f64> = at
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (n - 1.0);
    variance.sqrt() / mean
}
