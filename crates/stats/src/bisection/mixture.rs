//! The distribution of the noise of a block: a mixture of Student's distributions, one for each pair of
//! speeds of the two starts.

/// Degrees of freedom of the noise.
const FREEDOM: f64 = 4.0;
/// Least density of a block, as a part of the highest one.
const LEAST_DENSITY: f64 = 1e-18;
/// Centres in a scale.
pub(super) const CENTRES: f64 = 4.0;
/// How far a density is integrated, in scales.
const FARTHEST: f64 = 20.0;
/// A distance below which a divergence grows with its square, in scales.
const SMALL: f64 = 0.1;

/// The distribution of the noise of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// The scale of Student's distribution, a log ratio.
    pub(super) scale: f64,
    /// The modes of the starts.
    pub(super) modes: Modes,
}

/// Two speeds of the starts of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Modes {
    /// The distance of the two, a log ratio.
    pub(super) gap: f64,
    /// The probability that a block is off by this distance, in each direction; 0 without modes.
    pub(super) share: f64,
}

/// A possible noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weighed {
    pub(super) noise: Noise,
    /// The logarithm of its prior probability.
    pub(super) log_prior: f64,
    /// Its probability after the blocks, whatever the centres of the commits are.
    pub(super) weight: f64,
}

impl Noise {
    /// Log likelihood ratio that a block brings on average, of its centre against one at this distance:
    /// the divergence of Kullback and Leibler.
    pub(super) fn divergence(&self, distance: f64) -> f64 {
        let step = self.scale / CENTRES;
        let reach = FARTHEST * self.scale + self.modes.gap;
        // The cast rounds down.
        let steps = (2.0 * reach / step) as usize;
        let (mut all, mut sum) = (0.0, 0.0);
        for at in 0..=steps {
            let place = step * at as f64 - reach;
            let density = self.density(place);
            all += density;
            sum += density * (density / self.density(place - distance)).ln();
        }
        sum / all
    }

    /// The variance of a normal noise that tells small distances as well.
    pub(super) fn variance(&self) -> f64 {
        let distance = self.scale * SMALL;
        distance.powi(2) / (2.0 * self.divergence(distance))
    }

    /// The density, up to a constant factor.
    fn density(&self, place: f64) -> f64 {
        let Modes { gap, share } = self.modes;
        let of = |place: f64| density(place / self.scale);
        (1.0 - 2.0 * share) * of(place) + share * (of(place - gap) + of(place + gap))
    }
}

/// Student's density, as a part of the highest one, at a distance in scales.
pub(super) fn density(distance: f64) -> f64 {
    // To the power of (FREEDOM + 1) / 2.
    let power = 1.0 + distance * distance / FREEDOM;
    (1.0 / (power * power * power.sqrt())).max(LEAST_DENSITY)
}
