//! Ratios of two targets that were measured in blocks with an order that cancels drift.

use serde::Serialize;

use crate::estimate::{Estimate, Measured};
use crate::signed_rank::{hodges_lehmann, signed_rank_p};

/// Log ratio B/A of one block in any balanced order (an ABBA quad, a Williams square): the mean of
/// ln `b` minus the mean of ln `a`. In an ABBA quad, a drift that is linear in the logarithm
/// cancels. `None` if `a` or `b` is empty or contains a value that is not positive and finite.
pub fn block_log_ratio(a: &[f64], b: &[f64]) -> Option<f64> {
    Some(mean_log(b)? - mean_log(a)?)
}

fn mean_log(values: &[f64]) -> Option<f64> {
    let usable = !values.is_empty() && values.iter().all(|x| *x > 0.0 && x.is_finite());
    usable.then(|| values.iter().map(|x| x.ln()).sum::<f64>() / values.len() as f64)
}

/// The ratio B/A over all blocks: the Hodges–Lehmann estimate of the blocks' log ratios with the
/// signed-rank interval, converted from logarithms to ratios.
pub fn ratio(log_ratios: &[f64], confidence: f64) -> Measured {
    hodges_lehmann(log_ratios, confidence).rescaled(f64::exp)
}

/// Log drift from one slice to the next inside an ABBA quad, independent of the difference between
/// the targets.
///
/// `outer` are the figures of the first and last slice, which belong to one target; `inner` are the
/// figures of the two middle slices, which belong to the other target. Least squares over the four
/// positions with one level per target: (3·ln(outer ratio) + ln(inner ratio)) / 10, where each
/// ratio is later ÷ earlier slice. `None` unless all four values are positive and finite.
pub fn quad_drift(outer: [f64; 2], inner: [f64; 2]) -> Option<f64> {
    let outer = mean_log(&[outer[1]])? - mean_log(&[outer[0]])?;
    let inner = mean_log(&[inner[1]])? - mean_log(&[inner[0]])?;
    Some((3.0 * outer + inner) / 10.0)
}

/// Carry-over in an ABBA quad inside a sequence of quads: the logarithm of (figure after a slice of
/// the same target ÷ figure after a slice of the other target). The carry-over is independent of
/// the drift from slice to slice and of the difference between the targets.
///
/// The first and third slice follow a slice of their own target; the second and last slice follow a
/// slice of the other target. With a drift d and a carry-over e, ln(outer ratio) = 3d − e and
/// ln(inner ratio) = d + e, hence e = (3·ln(inner ratio) − ln(outer ratio)) / 4; each ratio is
/// later ÷ earlier slice. `None` unless all four values are positive and finite.
pub fn quad_carry_over(outer: [f64; 2], inner: [f64; 2]) -> Option<f64> {
    let outer = mean_log(&[outer[1]])? - mean_log(&[outer[0]])?;
    let inner = mean_log(&[inner[1]])? - mean_log(&[inner[0]])?;
    Some((3.0 * inner - outer) / 4.0)
}

/// Drift inside the quads of a run, estimated within each target: a difference between the targets
/// has no influence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// Log change from one slice to the next.
    pub per_slice: Estimate,
    /// Two-sided signed-rank p-value of "no drift", 0 to 1.
    pub p: f64,
}

impl Drift {
    /// Relative change from the first to the last slice of a quad: 0.01 is +1 %.
    pub fn across_quad(&self) -> f64 {
        (3.0 * self.per_slice.value).exp_m1()
    }

    /// Whether the interval excludes 0.
    pub fn is_significant(&self) -> bool {
        !self.per_slice.contains(0.0)
    }
}

/// Drift test over the [`quad_drift`] of each quad; `None` with fewer than six quads.
pub fn drift(per_quad: &[f64], confidence: f64) -> Option<Drift> {
    Some(Drift {
        per_slice: *hodges_lehmann(per_quad, confidence).estimate()?,
        p: signed_rank_p(per_quad)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_cancels_linear_drift_and_keeps_the_ratio() {
        let step = 0.97_f64;
        let (a, b) = (
            [100.0, 100.0 * step.powi(3)],
            [110.0 * step, 110.0 * step.powi(2)],
        );
        let d = block_log_ratio(&a, &b).unwrap();
        assert!((d.exp() - 1.1).abs() < 1e-12, "{d}");
    }

    #[test]
    fn drift_is_found_whatever_the_ratio() {
        let step = 0.97_f64;
        let d = quad_drift(
            [100.0, 100.0 * step.powi(3)],
            [300.0 * step, 300.0 * step.powi(2)],
        );
        assert!((d.unwrap() - step.ln()).abs() < 1e-12);

        let quads = [0.010, 0.012, 0.009, 0.011, 0.013, 0.008];
        let found = drift(&quads, 0.95).unwrap();
        assert!(found.is_significant());
        assert_eq!(found.p, 2.0 / 64.0);
        assert!((found.across_quad() - 0.032).abs() < 0.001);
        assert_eq!(drift(&quads[..5], 0.95), None);
    }

    #[test]
    fn carry_over_is_found_whatever_the_drift_and_the_ratio() {
        let (step, gain) = (0.97_f64, 1.05_f64);
        let e = quad_carry_over(
            [100.0 * gain, 100.0 * step.powi(3)],
            [300.0 * step, 300.0 * gain * step.powi(2)],
        );
        assert!((e.unwrap() - gain.ln()).abs() < 1e-12);
        assert_eq!(quad_carry_over([1.0, 1.0], [0.0, 1.0]), None);
    }

    #[test]
    fn a_slice_without_a_figure_leaves_its_block_without_one() {
        assert_eq!(block_log_ratio(&[1.0, 1.0], &[0.0, 1.0]), None);
        assert_eq!(block_log_ratio(&[1.0, 1.0], &[f64::NAN, 1.0]), None);
        assert_eq!(block_log_ratio(&[], &[1.0]), None);
        assert_eq!(quad_drift([1.0, -1.0], [1.0, 1.0]), None);
    }
}
