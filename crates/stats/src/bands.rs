//! Percentile bands over bucketed observations.

/// The share of each bucket that belongs to each percentile band: for each band, one share (0 to 1)
/// per bucket.
///
/// `counts` are the observations per bucket, in ascending order of the observed value. `edges` are
/// the quantiles between the bands, ascending, above 0 and below 1: n edges give n + 1 bands.
///
/// A bucket that contains an edge is split in proportion, so that each band has exactly its share
/// of all observations. The split assumes observations spread evenly over the bucket. Without
/// observations, all shares are 0.
pub fn band_shares(counts: &[u64], edges: &[f64]) -> Vec<Vec<f64>> {
    let all: u64 = counts.iter().sum();
    let rank = |edge: f64| edge * all as f64;
    let lows = std::iter::once(0.0).chain(edges.iter().map(|edge| rank(*edge)));
    let highs = edges.iter().map(|edge| rank(*edge));
    let highs = highs.chain(std::iter::once(all as f64));
    lows.zip(highs)
        .map(|(low, high)| {
            let mut before = 0u64;
            counts
                .iter()
                .map(|&count| {
                    let (from, to) = (before as f64, (before + count) as f64);
                    before += count;
                    let inside = to.min(high) - from.max(low);
                    match count {
                        0 => 0.0,
                        _ => (inside / count as f64).clamp(0.0, 1.0),
                    }
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bucket_on_an_edge_is_parted() {
        let shares = band_shares(&[4, 0, 4, 2], &[0.5, 0.9]);
        let expected = [
            [1.0, 0.0, 0.25, 0.0],
            [0.0, 0.0, 0.75, 0.5],
            [0.0, 0.0, 0.0, 0.5],
        ];
        assert_eq!(shares, expected);
        assert_eq!(band_shares(&[0, 0], &[0.5]), [[0.0; 2]; 2]);
    }

    proptest! {
        #[test]
        fn every_band_has_its_share_and_every_bucket_goes_somewhere(
            counts in prop::collection::vec(0u64..1_000, 1..50),
        ) {
            let edges = [0.5, 0.9, 0.99];
            let all: u64 = counts.iter().sum();
            let shares = band_shares(&counts, &edges);
            let sizes = [0.5, 0.4, 0.09, 0.01];
            for (band, size) in shares.iter().zip(sizes) {
                let held: f64 = band.iter().zip(&counts).map(|(s, c)| s * *c as f64).sum();
                prop_assert!((held - size * all as f64).abs() < 1e-6);
            }
            for (at, count) in counts.iter().enumerate() {
                let sum: f64 = shares.iter().map(|band| band[at]).sum();
                let expected = if *count > 0 { 1.0 } else { 0.0 };
                prop_assert!((sum - expected).abs() < 1e-9);
            }
        }
    }
}
