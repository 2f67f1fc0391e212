//! Evidence about the centre of a sample that stays valid however often it is looked at.
//!
//! The evidence against "the centre is at most b" is the capital of a gambler who bets on the sign
//! of each observation minus b, before the sign is known and after its size is known. If the centre
//! is at most b and observations are symmetric about their centre, no strategy gains on average:
//! the capital is an *e-process*, and the probability that it ever reaches 1/α is at most α (J.
//! Ville 1939; A. Ramdas and others, "Game-theoretic statistics and safe anytime-valid inference",
//! Statistical Science 38, 2023, with symmetric distributions in section 5.4). Observations need no
//! finite variance and no known scale, and their distribution can change from one to the next.
//!
//! A bet stakes the share `c·tanh(κ·|x|)` of the capital on the sign of x = observation − b: for
//! normal observations, tanh is the best bet if κ is the distance of the centre divided by the
//! variance. Neither is known, so the capital is divided among a grid of scales κ and shares c. A
//! share below 1 loses at most that share when a single observation is far on the other side.

/// Scales of the bets, per unit of the natural logarithm: from differences of some percent in noise
/// of some percent to noise-free differences.
const SCALES: [f64; 6] = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0];
/// Largest shares of the capital that one bet stakes.
const SHARES: [f64; 2] = [1.0, 0.6];
/// Number of gamblers.
const BETS: usize = SCALES.len() * SHARES.len();
/// Limit of the capital of one gambler, which keeps products finite.
const RICHEST: f64 = 1e300;
/// Halvings of the range in which a bound is searched.
const HALVINGS: usize = 60;
/// Distance beyond the observations, natural logarithm, at which evidence is as large as it can be.
const FAR: f64 = 4.0;

/// The side on which the centre lies according to a hypothesis that evidence speaks against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// The centre is at most the bound.
    AtMost,
    /// The centre is at least the bound.
    AtLeast,
}

/// The largest evidence so far against "the centre of the sample is at most (or at least)
/// `bound`", at any number of observations. The observations are natural logarithms of ratios. 1 for
/// an empty sample.
///
/// The probability of a value of 1/α or more, if the hypothesis is true, is at most α. The evidence
/// falls with rising `bound` for [`Null::AtMost`], and rises for [`Null::AtLeast`].
pub fn evidence_against(null: Null, bound: f64, sample: &[f64]) -> f64 {
    let sign = match null {
        Null::AtMost => 1.0,
        Null::AtLeast => -1.0,
    };
    let mut capital = [1.0 / BETS as f64; BETS];
    let mut most: f64 = 1.0;
    for observation in sample {
        let distance = sign * (observation - bound);
        let mut gamblers = capital.iter_mut();
        for scale in SCALES {
            let bet = (scale * distance).tanh();
            for (share, capital) in SHARES.iter().zip(gamblers.by_ref()) {
                *capital = (*capital * (1.0 + share * bet)).min(RICHEST);
            }
        }
        most = most.max(capital.iter().sum());
    }
    most
}

/// The bounds that the sample does not exclude: evidence against a centre at most `low`, and
/// evidence against a centre at least `high`, has reached `1 / alpha` at some number of
/// observations. Each bound holds with the probability 1 − `alpha`, at every number of observations
/// at once. `None` for a bound that no evidence sets yet.
pub fn running_bounds(sample: &[f64], alpha: f64) -> (Option<f64>, Option<f64>) {
    (
        running_bound(Null::AtMost, sample, alpha),
        running_bound(Null::AtLeast, sample, alpha),
    )
}

fn running_bound(null: Null, sample: &[f64], alpha: f64) -> Option<f64> {
    let first = *sample.first()?;
    if sample.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let is_excluded = |bound: f64| evidence_against(null, bound, sample) >= 1.0 / alpha;
    let lowest = sample.iter().copied().fold(first, f64::min) - FAR;
    let highest = sample.iter().copied().fold(first, f64::max) + FAR;
    let (mut excluded, mut possible) = match null {
        Null::AtMost => (lowest, highest),
        Null::AtLeast => (highest, lowest),
    };
    if !is_excluded(excluded) {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(excluded, possible);
        if is_excluded(middle) {
            excluded = middle;
        } else {
            possible = middle;
        }
    }
    Some(excluded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::normal_quantile;
    use crate::testing::Dice;

    fn normal(dice: &mut Dice) -> f64 {
        normal_quantile(dice.roll().clamp(1e-12, 1.0 - 1e-12)).unwrap()
    }

    /// Cauchy's distribution, which has no mean.
    fn cauchy(dice: &mut Dice) -> f64 {
        (std::f64::consts::PI * (dice.roll() - 0.5)).tan()
    }

    #[test]
    fn observations_that_agree_decide_after_six_and_none_decide_nothing() {
        let agreeing = [0.1; 8];
        let after = |n: usize| evidence_against(Null::AtMost, 0.0, &agreeing[..n]);
        assert!(after(4) < 20.0, "{}", after(4));
        assert!(after(6) >= 20.0, "{}", after(6));
        assert_eq!(after(0), 1.0);
        assert_eq!(evidence_against(Null::AtLeast, 0.0, &agreeing), 1.0);
        assert_eq!(running_bounds(&[], 0.05), (None, None));
        assert_eq!(running_bounds(&[0.1], 0.05), (None, None));
    }

    #[test]
    fn evidence_is_symmetric_and_falls_with_the_bound() {
        let mut dice = Dice(1);
        let sample: Vec<f64> = (0..30).map(|_| 0.02 * normal(&mut dice)).collect();
        let mirrored: Vec<f64> = sample.iter().map(|value| -value).collect();
        let mut last = f64::INFINITY;
        for step in -20..20 {
            let bound = f64::from(step) / 400.0;
            let evidence = evidence_against(Null::AtMost, bound, &sample);
            assert_eq!(evidence, evidence_against(Null::AtLeast, -bound, &mirrored));
            assert!(evidence <= last, "{bound}: {evidence} after {last}");
            last = evidence;
        }
    }

    #[test]
    fn one_in_twenty_true_hypotheses_is_ever_rejected_at_most() {
        let noises: [fn(&mut Dice) -> f64; 4] = [
            |dice| 0.02 * normal(dice),
            |dice| 0.01 * cauchy(dice),
            // Two values, as of processes that are fast or slow for their whole life.
            |dice| if dice.roll() < 0.5 { 0.08 } else { -0.08 },
            // Rare bursts on one side or the other.
            |dice| match dice.roll() {
                rare if rare < 0.1 => (0.05 - rare).signum() * 0.7,
                _ => 0.005 * normal(dice),
            },
        ];
        for (number, noise) in noises.iter().enumerate() {
            let mut dice = Dice(number as u64 + 10);
            let gates = 2_000;
            let rejected = (0..gates).filter(|_| {
                let sample: Vec<f64> = (0..200).map(|_| noise(&mut dice)).collect();
                evidence_against(Null::AtMost, 0.0, &sample) >= 20.0
            });
            let share = rejected.count() as f64 / f64::from(gates);
            // 2.5 standard errors above 5 %.
            assert!(share <= 0.062, "noise {number}: {share}");
        }
    }

    #[test]
    fn bounds_hold_at_every_look_and_become_narrow() {
        let (mut missed, mut width) = (0, 0.0);
        let (runs, centre) = (400, -0.04);
        let mut dice = Dice(3);
        for _ in 0..runs {
            let sample: Vec<f64> = (0..40).map(|_| centre + 0.02 * normal(&mut dice)).collect();
            let (low, high) = running_bounds(&sample, 0.05);
            let (low, high) = (low.unwrap(), high.unwrap());
            missed += u32::from(low > centre) + u32::from(high < centre);
            width += (high - low) / f64::from(runs);
        }
        // Two ends at 5 % each.
        assert!(f64::from(missed) / f64::from(runs) <= 0.10, "{missed}");
        // A fixed number of observations gives 0.0104.
        assert!((0.01..0.025).contains(&width), "{width}");
    }

    #[test]
    fn a_single_far_observation_does_not_take_all() {
        let mut sample = vec![0.03; 20];
        sample[10] = -2.0;
        assert!(evidence_against(Null::AtMost, 0.0, &sample) >= 20.0);
    }
}
