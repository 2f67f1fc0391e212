//! Fisher's exact test of two shares.

/// Probability that at most `fewer` of `out_of` cases have a property, if the property does not
/// depend on the group and `marked` of `among` other cases have it as well: the one-sided p-value of
/// Fisher's exact test (R. A. Fisher, "On the interpretation of χ² from contingency tables", 1922).
/// 1 without a case of one of the groups.
pub fn fewer_by_chance((marked, among): (usize, usize), (fewer, out_of): (usize, usize)) -> f64 {
    let (all, total) = (marked + fewer, among + out_of);
    let lowest = all.saturating_sub(among);
    let highest = fewer.min(out_of);
    let mut log =
        ln_choose(out_of, lowest) + ln_choose(among, all - lowest) - ln_choose(total, all);
    let mut sum = 0.0;
    for count in lowest..=highest {
        sum += log.exp();
        // The next number of ways is a multiple of this one.
        let more = (out_of - count) as f64 / (count + 1) as f64;
        let fewer_others = all.saturating_sub(count) as f64 / (among + count + 1 - all) as f64;
        log += (more * fewer_others).ln();
    }
    sum.min(1.0)
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
    fn the_recurrence_is_the_sum_of_all_ways() {
        for (marked, among, fewer, out_of) in (0..7)
            .flat_map(|marked| (0..7).map(move |fewer| (marked, 6, fewer, 6)))
            .chain([(3, 40, 1, 9), (40, 40, 2, 30), (25, 30, 0, 11)])
            .filter(|(marked, among, fewer, out_of)| marked <= among && fewer <= out_of)
        {
            let (all, total) = (marked + fewer, among + out_of);
            let ways = |count: usize| ln_choose(out_of, count) + ln_choose(among, all - count);
            let counts = all.saturating_sub(among)..=fewer.min(out_of);
            let slow: f64 = counts
                .map(|it| (ways(it) - ln_choose(total, all)).exp())
                .sum();
            let found = fewer_by_chance((marked, among), (fewer, out_of));
            assert!((found - slow.min(1.0)).abs() < 1e-12, "{found} {slow}");
        }
    }

    #[test]
    fn alike_groups_and_missing_groups_prove_nothing() {
        assert!((fewer_by_chance((8, 8), (8, 8)) - 1.0).abs() < 1e-12);
        assert!(fewer_by_chance((4, 8), (4, 8)) > 0.5);
        assert_eq!(fewer_by_chance((8, 8), (0, 0)), 1.0);
        assert_eq!(fewer_by_chance((0, 8), (0, 8)), 1.0);
    }
}
