//! Simultaneous confidence intervals.
//!
//! The probability that several 95 % intervals all contain their true values is below 95 %.
//! Bonferroni's inequality divides the error among the intervals and holds for any dependence
//! between the intervals (Dunn, *Multiple comparisons among means*, Journal of the American
//! Statistical Association 56, 1961). Holm's step-down tests have slightly more power, but no
//! two-sided intervals that agree with the decisions of the tests (Strassburger & Bretz,
//! *Compatible simultaneous lower confidence bounds for the Holm procedure*, Statistics in Medicine
//! 27, 2008): a reported interval could contradict the decision.

/// Confidence that each of `intervals` intervals needs so that all intervals hold simultaneously
/// with the confidence `together`: 1 − (1 − together)/intervals. `intervals` = 0 counts as 1.
pub fn confidence_of_each(together: f64, intervals: usize) -> f64 {
    1.0 - (1.0 - together) / intervals.max(1) as f64
}

/// Lower bound of the confidence that intervals with the confidences cᵢ hold simultaneously: 1 −
/// Σ(1 − cᵢ), at least 0.
pub fn confidence_together(each: impl IntoIterator<Item = f64>) -> f64 {
    let wrong: f64 = each.into_iter().map(|confidence| 1.0 - confidence).sum();
    (1.0 - wrong).max(0.0)
}

/// The p-value of one of `tests` tests after Bonferroni's correction. The corrected p-value is at
/// most 5 % if and only if the interval with [`confidence_of_each`] (95 % together) excludes "no
/// difference".
pub fn bonferroni(p: f64, tests: usize) -> f64 {
    (p * tests.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bonferroni_divides_and_sums_the_error() {
        assert_eq!(confidence_of_each(0.95, 1), 0.95);
        assert_eq!(confidence_of_each(0.95, 0), 0.95);
        let each = confidence_of_each(0.95, 6);
        assert!((each - 0.991_667).abs() < 1e-6, "{each}");
        let together = confidence_together([each; 6]);
        assert!((together - 0.95).abs() < 1e-12, "{together}");
        assert_eq!(confidence_together([0.2; 3]), 0.0);
        assert_eq!((bonferroni(0.01, 4), bonferroni(0.5, 4)), (0.04, 1.0));
    }
}
