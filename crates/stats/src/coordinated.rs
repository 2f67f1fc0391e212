//! Correction for coordinated omission: the requests that a closed loop did not send while waiting
//! for a slow response.

/// Estimates the quantile `q` that an open loop with one operation every `interval` would have
/// measured.
///
/// `samples` are (time, count) pairs; times and `interval` have the same unit. As in HdrHistogram's
/// `recordValueWithExpectedInterval`, a sample longer than the interval adds samples for the
/// operations not sent meanwhile: a sample shorter by the interval, a sample shorter by twice the
/// interval, and so on down to the interval. The added samples are counted by a formula and not
/// stored, so the computing time does not depend on the length of a stall. `None` without samples,
/// for an interval that is not positive, and for a `q` outside 0 to 1.
pub fn uncoordinated_quantile(samples: &[(f64, u64)], interval: f64, q: f64) -> Option<f64> {
    let usable = interval > 0.0 && interval.is_finite() && (0.0..=1.0).contains(&q);
    let total: f64 = samples
        .iter()
        .map(|&(value, count)| count as f64 * stands_for(value, interval))
        .sum();
    if !usable || total <= 0.0 {
        return None;
    }
    let allowed = (1.0 - q) * total;
    let (mut low, mut high) = (0.0, samples.iter().map(|s| s.0).fold(0.0, f64::max));
    // Bisects until both ends agree to more than three digits.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if above(samples, interval, middle) > allowed {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

/// Number of samples that one measured sample counts for: the measured and the added samples.
fn stands_for(value: f64, interval: f64) -> f64 {
    (value / interval).floor().max(1.0)
}

/// Number of measured and added samples above `limit`.
fn above(samples: &[(f64, u64)], interval: f64, limit: f64) -> f64 {
    let longer = samples.iter().filter(|(value, _)| *value > limit);
    longer
        .map(|&(value, count)| {
            let mine = ((value - limit) / interval).ceil();
            count as f64 * mine.clamp(1.0, stands_for(value, interval))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in HdrHistogram's README: 10,000 responses after 1 ms and one response after 100
    /// s, with one request due every 10 ms.
    const STALL: [(f64, u64); 2] = [(0.001, 10_000), (100.0, 1)];

    #[test]
    fn a_pause_counts_for_all_that_was_not_sent() {
        let quantile = |q| uncoordinated_quantile(&STALL, 0.01, q).unwrap();
        assert!((quantile(0.499) - 0.001).abs() < 1e-6);
        // The added samples are spread evenly over the pause.
        assert!((quantile(0.75) - 50.0).abs() < 0.1, "{}", quantile(0.75));
        assert!((quantile(0.99) - 98.0).abs() < 0.1, "{}", quantile(0.99));
        assert!((quantile(1.0) - 100.0).abs() < 0.01);
    }

    #[test]
    fn short_responses_count_once() {
        let samples = [(0.001, 98), (0.009, 2)];
        let q = |q| uncoordinated_quantile(&samples, 0.01, q).unwrap();
        assert!((q(0.97) - 0.001).abs() < 1e-9);
        assert!((q(0.99) - 0.009).abs() < 1e-9);
    }

    #[test]
    fn no_samples_have_no_quantile() {
        assert_eq!(uncoordinated_quantile(&[], 0.01, 0.5), None);
        assert_eq!(uncoordinated_quantile(&STALL, 0.0, 0.5), None);
        assert_eq!(uncoordinated_quantile(&STALL, 0.01, 1.5), None);
    }
}
