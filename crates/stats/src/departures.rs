//! Whether several sources that were observed in the same blocks agree.

use crate::CONFIDENCE;
use crate::estimate::Measured;
use crate::signed_rank::hodges_lehmann;
use crate::simultaneous::confidence_of_each;

/// How far each source is from the mean of the others: the Hodges–Lehmann estimate of its
/// differences in each block, with the signed-rank interval. `blocks` has one value per source in
/// each block. All intervals hold together in 95 % of cases, for `families` such calls.
///
/// The usual test for different results of several studies, Cochran's Q (W. G. Cochran, *The
/// combination of estimates from different experiments*, Biometrics 10, 1954), needs independent
/// estimates with known variances. Sources in the same blocks are not independent: what slows a
/// block slows all sources. A difference inside a block cancels what the sources share, and the
/// signed-rank interval of these differences is exact for any symmetric distribution.
///
/// Empty with fewer than two sources, or if a block lacks a source.
pub fn departures(blocks: &[Vec<f64>], families: usize) -> Vec<Measured> {
    let sources = blocks.first().map_or(0, Vec::len);
    if sources < 2 || blocks.iter().any(|block| block.len() != sources) {
        return Vec::new();
    }
    // The difference of two sources is one difference, whichever comes first.
    let intervals = if sources == 2 { 1 } else { sources };
    let confidence = confidence_of_each(CONFIDENCE, intervals * families.max(1));
    let departure = |block: &Vec<f64>, source: usize| {
        let others = block.iter().sum::<f64>() - block[source];
        block[source] - others / (sources - 1) as f64
    };
    let each = (0..sources).map(|source| {
        let in_blocks = blocks.iter().map(|block| departure(block, source));
        hodges_lehmann(&in_blocks.collect::<Vec<f64>>(), confidence)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    /// The values of three sources in `count` blocks. Each value is the noise of its block plus the
    /// noise of its source. The second source has three times the noise of the others, and its
    /// values are higher by `apart`.
    fn blocks(dice: &mut Dice, count: usize, apart: f64) -> Vec<Vec<f64>> {
        let mut block = || {
            let mut noise = || dice.roll() + dice.roll() + dice.roll() - 1.5;
            let shared = noise();
            vec![
                shared + 0.1 * noise(),
                shared + 0.3 * noise() + apart,
                shared + 0.1 * noise(),
            ]
        };
        (0..count).map(|_| block()).collect()
    }

    fn excludes_zero(of: &Measured) -> bool {
        of.estimate().is_some_and(|of| !of.contains(0.0))
    }

    /// Share of 2,000 runs in which any source is found apart.
    fn found(blocks_of_run: usize, apart: f64) -> f64 {
        let mut dice = Dice(7);
        let runs = 2_000;
        let is_found = |_: &u32| {
            let blocks = blocks(&mut dice, blocks_of_run, apart);
            departures(&blocks, 1).iter().any(excludes_zero)
        };
        f64::from((0..runs).filter(is_found).count() as u32) / f64::from(runs)
    }

    #[test]
    fn sources_that_agree_are_found_apart_in_at_most_five_percent_of_runs() {
        for blocks in [8, 12, 20] {
            let false_alarms = found(blocks, 0.0);
            assert!((0.005..=0.05).contains(&false_alarms), "{false_alarms}");
        }
    }

    #[test]
    fn a_source_that_is_apart_is_found_whatever_the_sources_share() {
        let power = found(12, 0.5);
        assert!(power > 0.9, "{power}");
        let blocks = blocks(&mut Dice(3), 12, 0.5);
        let found = departures(&blocks, 1);
        let apart: Vec<f64> = found.iter().filter_map(Measured::value).collect();
        assert!((apart[1] - 0.5).abs() < 0.2, "{apart:?}");
        assert!(apart[0] < 0.0 && apart[2] < 0.0, "{apart:?}");
    }

    #[test]
    fn two_sources_have_one_difference() {
        let blocks: Vec<Vec<f64>> = (0..6)
            .map(|i| vec![0.1 + f64::from(i) / 1e3, 0.0])
            .collect();
        let [one, other] = departures(&blocks, 1)[..] else {
            panic!("two sources");
        };
        assert!(excludes_zero(&one), "six blocks are enough at 95 %");
        assert_eq!(one.value().map(|value| -value), other.value());
        assert!(!excludes_zero(&departures(&blocks, 2)[0]), "two families");
    }

    #[test]
    fn silent_about_one_source_and_incomplete_blocks() {
        assert_eq!(departures(&[], 1), []);
        assert_eq!(departures(&[vec![1.0], vec![2.0]], 1), []);
        assert_eq!(departures(&[vec![1.0, 2.0], vec![2.0]], 1), []);
    }
}
