//! What a closed loop did not ask while it waited.

/// An estimate of the quantile `q` that would have been seen had operations been due
/// every `interval`, whatever the answers did.
///
/// `samples` are times with their counts. As HdrHistogram's
/// `recordValueWithExpectedInterval` has it, a sample longer than the interval stands
/// for those that were not sent meanwhile: one shorter by the interval, one by twice the
/// interval, and so on down to the interval itself. It is computed and not recorded, so
/// that a long stall costs no more than a short one. `None` without samples, for an
/// interval that is not positive and for a `q` outside of 0 to 1.
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
    // Until the two are one figure to three digits and more.
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

/// How many samples a measured one stands for, itself among them.
fn stands_for(value: f64, interval: f64) -> f64 {
    (value / interval).floor().max(1.0)
}

/// Samples above `limit`, those that were not sent among them.
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

    /// The example in HdrHistogram's README: 10,000 answers of 1 ms, one of 100 s, and
    /// one was to be sent every 10 ms.
    const STALL: [(f64, u64); 2] = [(0.001, 10_000), (100.0, 1)];

    #[test]
    fn a_pause_counts_for_all_that_was_not_sent() {
        let quantile = |q| uncoordinated_quantile(&STALL, 0.01, q).unwrap();
        assert!((quantile(0.499) - 0.001).abs() < 1e-6);
        // The rest is spread evenly over the pause.
        assert!((quantile(0.75) - 50.0).abs() < 0.1, "{}", quantile(0.75));
        assert!((quantile(0.99) - 98.0).abs() < 0.1, "{}", quantile(0.99));
        assert!((quantile(1.0) - 100.0).abs() < 0.01);
    }

    #[test]
    fn short_answers_stand_for_themselves() {
        let samples = [(0.001, 98), (0.009, 2)];
        let q = |q| uncoordinated_quantile(&samples, 0.01, q).unwrap();
        assert!((q(0.97) - 0.001).abs() < 1e-9);
        assert!((q(0.99) - 0.009).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        assert_eq!(uncoordinated_quantile(&[], 0.01, 0.5), None);
        assert_eq!(uncoordinated_quantile(&STALL, 0.0, 0.5), None);
        assert_eq!(uncoordinated_quantile(&STALL, 0.01, 1.5), None);
    }
}
