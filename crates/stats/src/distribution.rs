//! The distributions behind the tests and intervals.

use std::f64::consts::{PI, TAU};

/// Degrees of freedom above which Student's t is replaced by the normal distribution: the
/// quantiles used here then differ by less than 0.2 %.
const NEARLY_NORMAL: usize = 1_000;

/// P(Z ≤ x) for a standard normal Z.
///
/// Series Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …), Abramowitz & Stegun 26.2.11. All terms have
/// the same sign, so no digits cancel.
pub fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 9.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let density = (-x * x / 2.0).exp() / TAU.sqrt();
    let mut term = x;
    let mut sum = x;
    let mut odd = 1.0;
    while term.abs() > sum.abs() * f64::EPSILON {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + density * sum
}

/// The x with P(Z ≤ x) = `p`; `None` unless 0 < p < 1.
pub fn normal_quantile(p: f64) -> Option<f64> {
    invert(p, normal_cdf)
}

/// P(T ≤ x) for Student's t with `df` integer degrees of freedom; `None` for 0.
///
/// Finite sums of Abramowitz & Stegun 26.7.3 and 26.7.4.
pub fn student_cdf(x: f64, df: usize) -> Option<f64> {
    if df == 0 || x.is_nan() {
        return None;
    }
    if df > NEARLY_NORMAL {
        return Some(normal_cdf(x));
    }
    let theta = (x / (df as f64).sqrt()).atan();
    let (sin, cos) = theta.sin_cos();
    let odd = df % 2 == 1;

    let mut power = if odd { cos } else { 1.0 };
    let mut exponent = usize::from(odd);
    let mut sum = 0.0;
    while exponent + 2 <= df {
        sum += power;
        exponent += 2;
        power *= cos * cos * (exponent - 1) as f64 / exponent as f64;
    }
    let two_sided = if odd {
        2.0 / PI * (theta + sin * sum)
    } else {
        sin * sum
    };
    Some(0.5 + two_sided / 2.0)
}

/// The x with P(T ≤ x) = `p`; `None` unless 0 < p < 1 and `df` > 0.
pub fn student_quantile(p: f64, df: usize) -> Option<f64> {
    student_cdf(0.0, df)?;
    invert(p, |x| student_cdf(x, df).unwrap_or(f64::NAN))
}

/// Solves `cdf(x) = p` by bisection, which is robust; slow, but called only a few times per run.
fn invert(p: f64, cdf: impl Fn(f64) -> f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let (mut low, mut high) = (-1.0, 1.0);
    while cdf(low) > p && low > -1e12 {
        low *= 2.0;
    }
    while cdf(high) < p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..120 {
        let middle = (low + high) / 2.0;
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

    #[test]
    fn normal_agrees_with_an_independent_implementation() {
        let oracle = Normal::standard();
        for x in [-6.0, -2.5, -1.0, -0.01, 0.0, 0.3, 1.959_964, 4.0, 8.0] {
            assert!((normal_cdf(x) - oracle.cdf(x)).abs() < 1e-10, "{x}");
        }
        for p in [0.001, 0.025, 0.5, 0.8, 0.975] {
            let x = normal_quantile(p).unwrap();
            assert!((x - oracle.inverse_cdf(p)).abs() < 1e-7, "{p}: {x}");
        }
        assert_eq!(normal_quantile(0.0), None);
        assert_eq!(normal_quantile(f64::NAN), None);
    }

    #[test]
    fn student_agrees_with_an_independent_implementation() {
        for df in [1, 2, 3, 4, 5, 7, 8, 30, 31, 400] {
            let oracle = StudentsT::new(0.0, 1.0, df as f64).unwrap();
            for x in [-12.0, -2.0, -0.5, 0.0, 0.9, 2.3, 40.0] {
                let ours = student_cdf(x, df).unwrap();
                assert!((ours - oracle.cdf(x)).abs() < 1e-9, "df {df}, x {x}");
            }
        }
        assert_eq!(student_cdf(1.0, 0), None);
    }

    #[test]
    fn student_quantiles_are_those_of_the_printed_tables() {
        for (p, df, table) in [
            (0.975, 1, 12.706),
            (0.975, 5, 2.571),
            (0.975, 7, 2.365),
            (0.80, 7, 0.896),
            (0.975, 30, 2.042),
        ] {
            let x = student_quantile(p, df).unwrap();
            assert!((x - table).abs() < 6e-4, "{p} {df}: {x}");
        }
    }
}
