//! From a distribution of sizes to the sizes of prepared bodies.

use statrs::distribution::{ContinuousCDF, Normal};
use tenbin_plan::{LARGEST_OBJECT, SizeRange, Sizes};

/// The sizes at `count` evenly spaced quantiles, ascending: as good a likeness of the
/// distribution as that many bodies can be.
pub(super) fn quantiles(sizes: &Sizes, count: usize) -> Vec<usize> {
    (0..count)
        .map(|at| (at as f64 + 0.5) / count as f64)
        .map(|q| quantile(sizes, q))
        .map(|size| usize::try_from(size).unwrap_or(usize::MAX))
        .collect()
}

/// The size that a share `q` of all objects does not exceed, bytes.
fn quantile(sizes: &Sizes, q: f64) -> u64 {
    match sizes {
        Sizes::Ranges(ranges) => of_ranges(ranges, q),
        Sizes::LogNormal { median, sigma } => {
            let z = Normal::standard().inverse_cdf(q);
            let size = *median as f64 * (sigma * z).exp();
            (size.round().max(0.0) as u64).min(LARGEST_OBJECT)
        }
        Sizes::File { sizes, .. } => {
            let at = (q * sizes.len() as f64) as usize;
            sizes[at.min(sizes.len().saturating_sub(1))]
        }
    }
}

/// Ranges stand in the order given: what counts is how often each is met.
fn of_ranges(ranges: &[SizeRange], q: f64) -> u64 {
    let all: f64 = ranges.iter().map(|range| range.share).sum();
    let mut left = q * all;
    for range in ranges {
        if left < range.share {
            let within = left / range.share;
            let width = (range.to - range.from) as f64;
            return range.from + (within * (width + 1.0)).min(width) as u64;
        }
        left -= range.share;
    }
    ranges.last().map_or(0, |range| range.to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, count: usize) -> Vec<usize> {
        quantiles(&text.parse().unwrap(), count)
    }

    #[test]
    fn shares_are_met() {
        let sizes = at("1KiB:60,1MiB:30,64MiB:10", 100);
        let count = |size: usize| sizes.iter().filter(|&&each| each == size).count();
        assert_eq!(
            (count(1 << 10), count(1 << 20), count(64 << 20)),
            (60, 30, 10)
        );
    }

    #[test]
    fn any_size_between_is_as_likely() {
        let sizes = at("0..999", 1000);
        assert_eq!(sizes, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_log_normal_has_its_median_and_spread() {
        let sizes = at("lognormal:64KiB:1.5", 1001);
        assert_eq!(sizes[500], 65536);
        // exp(1.5 · 1.2816) ≈ 6.84 times the median at 90 %.
        let high = sizes[900] as f64 / 65536.0;
        assert!((6.7..7.0).contains(&high), "{high}");
        assert!(sizes.iter().all(|&size| size as u64 <= LARGEST_OBJECT));
        assert_eq!(
            *at("lognormal:1GiB:10", 100).last().unwrap() as u64,
            LARGEST_OBJECT
        );
    }

    #[test]
    fn real_sizes_are_taken_as_often_as_they_were_seen() {
        let sizes = Sizes::File {
            path: "seen".into(),
            sizes: [1, 1, 1, 500].into(),
        };
        assert_eq!(quantiles(&sizes, 4), [1, 1, 1, 500]);
    }
}
