//! Fisher's exact test of two shares.

/// Probability that at most `fewer` of `out_of` cases have a property, if the property does not
/// depend on the group and `marked` of `among` other cases have it as well: the one-sided p-value of
/// Fisher's exact test (R. A. Fisher, "On the interpretation of χ² from contingency tables", 1922).
/// 1 without a case of one of the groups.
pub fn fewer_by_chance((marked, among): (usize, usize), (fewer, out_of): (usize, usize)) -> f64 {
    let (all, total) = (marked + fewer, among + out_of);
    let lowest = all.saturating_sub(among);
    let highest = fewer.min(out_of);
    let ways = |count: usize| ln_choose(out_of, count) + ln_choose(among, all - count);
    let logs = (lowest..=highest).map(|count| ways(count) - ln_choose(total, all));
    logs.map(f64::exp).sum::<f64>().min(1.0)
}

/// Natural logarithm of the number of ways to choose `k` of `n`.
fn ln_choose(n: usize, k: usize) -> f64 {
    let k = k.min(n - k);
    (0..k).map(|i| ((n - i) as f64 / (k - i) as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lady_tasting_tea() {
        // All four right: 1 of 70; at most one wrong on each side: 17 of 70.
        assert!((fewer_by_chance((4, 4), (0, 4)) - 1.0 / 70.0).abs() < 1e-12);
        assert!((fewer_by_chance((3, 4), (1, 4)) - 17.0 / 70.0).abs() < 1e-12);
    }

    #[test]
    fn alike_groups_and_missing_groups_prove_nothing() {
        assert!((fewer_by_chance((8, 8), (8, 8)) - 1.0).abs() < 1e-12);
        assert!(fewer_by_chance((4, 8), (4, 8)) > 0.5);
        assert_eq!(fewer_by_chance((8, 8), (0, 0)), 1.0);
        assert_eq!(fewer_by_chance((0, 8), (0, 8)), 1.0);
    }
}
