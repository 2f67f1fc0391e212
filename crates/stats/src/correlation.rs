//! How two series follow each other.

/// Pearson's correlation coefficient of pairs of values, −1 to 1. `None` with fewer than two pairs,
/// if a series is constant, or for values that are not finite.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let mean_x = pairs.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = pairs.iter().map(|(_, y)| y).sum::<f64>() / n;
    let sum = |of: &dyn Fn(f64, f64) -> f64| {
        let parts = pairs.iter().map(|(x, y)| of(x - mean_x, y - mean_y));
        parts.sum::<f64>()
    };
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    let correlation = sum(&|x, y| x * y) / spread;
    (spread > 0.0 && correlation.is_finite()).then_some(correlation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_follow_each_other_or_not() {
        let rising = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)];
        assert!((correlation(&rising).unwrap() - 1.0).abs() < 1e-12);
        let falling = rising.map(|(x, y)| (x, -y));
        assert!((correlation(&falling).unwrap() + 1.0).abs() < 1e-12);
        let apart = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        assert_eq!(correlation(&apart), Some(0.0));
        assert_eq!(correlation(&[(1.0, 2.0), (2.0, 2.0)]), None);
        assert_eq!(correlation(&[(1.0, 2.0)]), None);
        assert_eq!(correlation(&[]), None);
        assert_eq!(correlation(&[(f64::NAN, 2.0), (2.0, 1.0)]), None);
    }
}
