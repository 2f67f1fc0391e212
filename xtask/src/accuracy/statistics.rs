//! Statistics of server logs.

use super::sides::{Backlog, Served};

/// p-value of the Kolmogorov–Smirnov test that the received requests are a Poisson process with a
/// rate of `per_second`.
pub(crate) fn poisson_p(served: &[Served], per_second: f64) -> f64 {
    let mean = 1e9 / per_second;
    kolmogorov_smirnov(gaps(served), |gap| 1.0 - (-gap / mean).exp())
}

/// p-value of the Kolmogorov–Smirnov test: asymptotic distribution with the small-sample correction
/// of M. A. Stephens, "Use of the Kolmogorov–Smirnov, Cramér–von Mises and related statistics
/// without extensive tables", 1970.
fn kolmogorov_smirnov(mut sample: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let farthest = (0_u32..)
        .zip(&sample)
        .map(|(below, &x)| {
            let (below, expected) = (f64::from(below), distribution(x));
            (expected - below / n).max((below + 1.0) / n - expected)
        })
        .fold(0.0, f64::max);
    let scaled = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * farthest;
    // For smaller values, the series converges too slowly, and the sum is 1 to nine digits.
    if scaled < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
        sign * (-2.0 * f64::from(k * k) * scaled * scaled).exp()
    };
    (2.0 * (1..100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

/// Nanoseconds between successive requests that the server received.
pub(crate) fn gaps(served: &[Served]) -> Vec<f64> {
    received(served)
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .collect()
}

/// Requests received per second, by least squares, which reduces the influence of the first
/// requests, which wait for connections.
pub(crate) fn rate_received(served: &[Served]) -> f64 {
    let points = (0_u32..).zip(received(served));
    let points: Vec<(f64, f64)> = points.map(|(index, at)| (f64::from(index), at)).collect();
    1e9 / least_squares(&points)
}

/// Sorted times at which the server received requests, nanoseconds since its start.
fn received(served: &[Served]) -> Vec<f64> {
    let mut at: Vec<f64> = served.iter().map(|one| one.received as f64).collect();
    at.sort_by(f64::total_cmp);
    at
}

/// The mean response time in milliseconds, from the log of the server, of requests due at `0,
/// 1/rate, 2/rate, …`. Requests need not be matched, because the mean of differences is the
/// difference of means. The start of the schedule is estimated from the request with the smallest
/// delay. The result is too small by that delay, and excludes the transfer time of the response.
pub(crate) fn mean_response(served: &[Served], per_second: f64) -> f64 {
    let gap = 1e9 / per_second;
    let due_after = |index: u32| f64::from(index) * gap;
    let start = (0..)
        .zip(received(served))
        .map(|(index, at)| at - due_after(index))
        .fold(f64::INFINITY, f64::min);
    let n = served.len() as f64;
    let answered = served.iter().map(|one| one.answered as f64).sum::<f64>() / n;
    (answered - start - (n - 1.0) / 2.0 * gap) / 1e6
}

/// Sorted milliseconds from the receipt of each request to the due time of the response.
pub(crate) fn times_due(served: &[Served]) -> Vec<f64> {
    sorted_millis(served.iter().map(|one| one.due - one.received))
}

/// Sorted milliseconds from the receipt of each request to the write of the response.
pub(crate) fn times_served(served: &[Served]) -> Vec<f64> {
    sorted_millis(served.iter().map(|one| one.answered - one.received))
}

/// Sorted milliseconds from the due time to the write of each response.
pub(crate) fn times_late(served: &[Served]) -> Vec<f64> {
    sorted_millis(served.iter().map(|one| one.answered - one.due))
}

fn sorted_millis(nanos: impl Iterator<Item = u64>) -> Vec<f64> {
    let mut millis: Vec<f64> = nanos.map(|nanos| nanos as f64 / 1e6).collect();
    millis.sort_by(f64::total_cmp);
    millis
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The quantile `q` of sorted values: the smallest value with at least the share `q` of the values
/// at or below.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.clamp(1, sorted.len().max(1)) - 1)
        .copied()
        .unwrap_or(f64::NAN)
}

/// Growth of the backlog, operations per second.
pub(crate) fn growth(backlog: &[Backlog]) -> f64 {
    let points: Vec<(f64, f64)> = backlog.iter().map(|one| (one.at, one.waiting)).collect();
    least_squares(&points)
}

/// Slope of the least-squares line through the points.
fn least_squares(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let x = points.iter().map(|point| point.0).sum::<f64>() / n;
    let y = points.iter().map(|point| point.1).sum::<f64>() / n;
    let both: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    both / points
        .iter()
        .map(|point| (point.0 - x).powi(2))
        .sum::<f64>()
}

/// Number of requests with this kind of response.
pub(crate) fn answered(served: &[Served], answer: &str) -> u64 {
    served.iter().filter(|one| one.answer == answer).count() as u64
}

/// Bytes of a request and of a correct response; `None` if the sizes vary.
pub(crate) fn bytes_each(served: &[Served]) -> Option<(u64, u64)> {
    let mut right = served.iter().filter(|one| one.answer == "ok");
    let first = right.next()?;
    let alike = |one: &Served| (one.bytes_in, one.bytes_out) == (first.bytes_in, first.bytes_out);
    right
        .all(alike)
        .then_some((first.bytes_in, first.bytes_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_exponential_gaps_from_others() {
        // Quantiles at equally spaced probabilities fit the distribution as well as a sample can.
        let shares = || (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0);
        let exponential = |x: f64| 1.0 - (-x).exp();
        let right: Vec<f64> = shares().map(|share| -(1.0_f64 - share).ln()).collect();
        assert!(kolmogorov_smirnov(right.clone(), exponential) > 0.99);
        let too_slow: Vec<f64> = right.iter().map(|gap| gap * 1.2).collect();
        assert!(kolmogorov_smirnov(too_slow, exponential) < 0.01);
        let uniform: Vec<f64> = shares().map(|share| 2.0 * share).collect();
        assert!(kolmogorov_smirnov(uniform, exponential) < 1e-6);
        assert!(kolmogorov_smirnov(vec![1.0; 1000], exponential) < 1e-6);
    }

    #[test]
    fn the_tail_of_the_distribution_is_kolmogorovs() {
        // D = 0.0515 for n = 1,000 is 1.6355 after the correction; the published value for 1 % is
        // 1.628.
        let sample: Vec<f64> = (0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0).collect();
        let p = kolmogorov_smirnov(sample, |x| (x - 0.051).max(0.0));
        assert!((0.008..0.011).contains(&p), "{p}");
    }

    #[test]
    fn the_mean_response_is_known_from_both_logs_ends() {
        let served = |received: u64, answered: u64| Served {
            received: received * 1_000_000,
            due: answered * 1_000_000,
            answered: answered * 1_000_000,
            bytes_in: 1,
            bytes_out: 1,
            answer: "ok".to_owned(),
        };
        // Requests due at 50, 60, 70 and 80 ms; no responses between 51 and 90 ms.
        let all = [
            served(50, 51),
            served(60, 90),
            served(70, 90),
            served(90, 91),
        ];
        let mean = mean_response(&all, 100.0);
        assert!(
            (mean - (1.0 + 30.0 + 20.0 + 11.0) / 4.0).abs() < 1e-6,
            "{mean}"
        );
        assert!((rate_received(&all[..3]) - 100.0).abs() < 1e-6);
    }
}
