//! Distance at which the values of a series are about independent.

/// How many values apart two values of a series are about independent: (1 + r) / (1 - r), rounded
/// up, for a lag-1 autocorrelation r (M. B. Priestley, "Spectral Analysis and Time Series", 5.3.2).
/// 1 if chance alone can explain r, and at most 199.
pub fn independent_spacing(series: &[u64]) -> usize {
    let mean = series.iter().sum::<u64>() as f64 / series.len().max(1) as f64;
    let parts: Vec<f64> = series.iter().map(|&one| one as f64 - mean).collect();
    let all: f64 = parts.iter().map(|part| part * part).sum();
    let lagged: f64 = parts.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let r = (lagged / all).min(0.99);
    // Chance alone gives up to 2 / √n.
    if all > 0.0 && r > 2.0 / (series.len() as f64).sqrt() {
        ((1.0 + r) / (1.0 - r)).ceil() as usize
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_a_slow_series_are_not_independent() {
        let cycle: Vec<u64> = (0..128).map(|at| at / 5 % 16 * 40).collect();
        let spacing = independent_spacing(&cycle);
        assert!(spacing > 5, "{spacing}");
        let random: Vec<u64> = (0..128_u64).map(|at| at * 7_919 % 101).collect();
        assert_eq!(independent_spacing(&random), 1);
        assert_eq!(independent_spacing(&[7; 9]), 1);
    }
}
