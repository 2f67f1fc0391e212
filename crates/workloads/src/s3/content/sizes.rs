//! Sizes of prepared bodies, from a distribution of sizes.

use statrs::distribution::{ContinuousCDF, Normal};
use tenbin_plan::{LARGEST_OBJECT, SizeRange, Sizes};

/// A size of prepared bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Body {
    /// Size, bytes.
    pub(crate) size: usize,
    /// Share of all objects with this size, above 0; the shares of all bodies add up to 1.
    pub(crate) share: f64,
}

/// Approximates the distribution with about `count` bodies, ascending within each range of sizes.
/// Every range has at least one body, and the bodies of a range together have its configured share.
pub(crate) fn bodies(sizes: &Sizes, count: usize) -> Vec<Body> {
    let bodies = match sizes {
        Sizes::Ranges(ranges) => of_ranges(ranges, count),
        Sizes::LogNormal { median, sigma } => of_log_normal(*median, *sigma, count),
        Sizes::File { sizes, .. } => of_seen(sizes, count),
    };
    let of_size = |(size, share): (u64, f64)| Body {
        size: usize::try_from(size).unwrap_or(usize::MAX),
        share,
    };
    bodies.into_iter().map(of_size).collect()
}

/// Sizes and shares of bodies: each range has bodies in proportion to its share, at least one.
fn of_ranges(ranges: &[SizeRange], count: usize) -> Vec<(u64, f64)> {
    let all: f64 = ranges.iter().map(|range| range.share).sum();
    let of_range = |range: &SizeRange| {
        let share = range.share / all;
        let bodies = ((share * count as f64).round() as usize).max(1);
        let width = (range.to - range.from) as f64;
        let from = range.from;
        (0..bodies).map(move |at| {
            let within = (at as f64 + 0.5) / bodies as f64;
            let size = from + (within * (width + 1.0)).min(width) as u64;
            (size, share / bodies as f64)
        })
    };
    ranges.iter().flat_map(of_range).collect()
}

/// Sizes and shares of bodies with a log-normal distribution. All bodies have equal shares. The
/// size of a body is the mean size of the objects that the body represents. The mean over all
/// bodies is therefore the mean of the distribution, although a few huge objects determine much of
/// that mean.
///
/// With median m, the sizes below m · exp(z · σ) contribute m · exp(σ²/2) · Φ(z − σ) to the mean
/// (Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions", vol. 1, ch. 14).
fn of_log_normal(median: u64, sigma: f64, count: usize) -> Vec<(u64, f64)> {
    let normal = Normal::standard();
    let mean = median as f64 * (sigma * sigma / 2.0).exp();
    let each = 1.0 / count as f64;
    let deviate = |at: usize| match at {
        0 => f64::NEG_INFINITY,
        at if at == count => f64::INFINITY,
        at => normal.inverse_cdf(at as f64 * each),
    };
    let below = |z: f64| match z {
        f64::INFINITY => 1.0,
        f64::NEG_INFINITY => 0.0,
        z => normal.cdf(z - sigma),
    };
    (0..count)
        .map(|at| {
            let size = mean * (below(deviate(at + 1)) - below(deviate(at))) / each;
            // If rounding errors make the size 0 or not finite, use the middle quantile.
            let size = if size.is_normal() {
                size
            } else {
                let z = normal.inverse_cdf((at as f64 + 0.5) * each);
                median as f64 * (sigma * z).exp()
            };
            ((size.round().max(0.0) as u64).min(LARGEST_OBJECT), each)
        })
        .collect()
}

/// Sizes and shares of bodies for observed sizes; `seen` must be sorted in ascending order. With at
/// most `count` distinct sizes, each size has its own bodies; otherwise neighbouring sizes share a
/// body of their mean size.
fn of_seen(seen: &[u64], count: usize) -> Vec<(u64, f64)> {
    let share = |some: &[u64]| some.len() as f64 / seen.len() as f64;
    let different = seen.chunk_by(|one, next| one == next);
    if different.clone().count() <= count {
        let ranges: Vec<SizeRange> = different
            .map(|alike| SizeRange {
                from: alike[0],
                to: alike[0],
                share: share(alike),
            })
            .collect();
        return of_ranges(&ranges, count);
    }
    (0..count)
        .map(|at| &seen[at * seen.len() / count..(at + 1) * seen.len() / count])
        .map(|some| {
            let sum: f64 = some.iter().map(|&size| size as f64).sum();
            ((sum / some.len() as f64).round() as u64, share(some))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, count: usize) -> Vec<Body> {
        bodies(&text.parse().unwrap(), count)
    }

    fn sizes(bodies: &[Body]) -> Vec<usize> {
        bodies.iter().map(|body| body.size).collect()
    }

    /// Share of the objects with this size.
    fn share(bodies: &[Body], size: usize) -> f64 {
        let of_size = bodies.iter().filter(|body| body.size == size);
        of_size.map(|body| body.share).sum()
    }

    fn mean(bodies: &[Body]) -> f64 {
        let each = bodies.iter().map(|body| body.size as f64 * body.share);
        each.sum()
    }

    #[test]
    fn shares_are_met_however_small() {
        for (text, expected) in [
            ("1KiB:60,1MiB:30,64MiB:10", [0.6, 0.3, 0.1]),
            ("1KiB:9990,1MiB:5,64MiB:5", [0.999, 0.0005, 0.0005]),
            ("1KiB:1,1MiB:98,64MiB:1", [0.01, 0.98, 0.01]),
        ] {
            for count in [32, 100, 512] {
                let bodies = at(text, count);
                for (size, expected) in [1 << 10, 1 << 20, 64 << 20].into_iter().zip(expected) {
                    let share = share(&bodies, size);
                    assert!((share - expected).abs() < 1e-9, "{text} {size}: {share}");
                }
            }
        }
    }

    #[test]
    fn any_size_between_is_as_likely() {
        let bodies = at("0..999", 1000);
        assert_eq!(sizes(&bodies), (0..1000).collect::<Vec<_>>());
        assert!(bodies.iter().all(|body| (body.share - 0.001).abs() < 1e-9));
    }

    #[test]
    fn a_log_normal_has_its_median_spread_and_mean() {
        let sizes = sizes(&at("lognormal:64KiB:1.5", 1001));
        assert_eq!(sizes[500], 65536);
        // exp(1.5 · 1.2816) ≈ 6.84 times the median at 90 %.
        let high = sizes[900] as f64 / 65536.0;
        assert!((6.7..7.0).contains(&high), "{high}");
        assert!(sizes.iter().all(|&size| size as u64 <= LARGEST_OBJECT));
        for (sigma, count) in [("0.5", 32), ("1.5", 32), ("1.5", 512), ("2", 512)] {
            let mean = mean(&at(&format!("lognormal:64KiB:{sigma}"), count));
            let sigma: f64 = sigma.parse().unwrap();
            let ratio = mean / (65536.0 * (sigma * sigma / 2.0).exp());
            assert!((0.999..1.001).contains(&ratio), "{sigma} {count}: {ratio}");
        }
        let largest = at("lognormal:1GiB:10", 100).last().unwrap().size;
        assert_eq!(largest as u64, LARGEST_OBJECT);
        assert!(
            at("lognormal:64KiB:0", 10)
                .iter()
                .all(|body| body.size == 65536)
        );
    }

    #[test]
    fn real_sizes_are_taken_as_often_as_they_were_seen() {
        let seen = |sizes: Vec<u64>| Sizes::File {
            path: "seen".into(),
            sizes: sizes.into(),
        };
        assert_eq!(sizes(&bodies(&seen(vec![1, 1, 1, 500]), 4)), [1, 1, 1, 500]);
        let mut rare = vec![1; 9_999];
        rare.push(500);
        assert!((share(&bodies(&seen(rare), 32), 500) - 1e-4).abs() < 1e-9);
        let many = bodies(&seen((0..10_000).collect()), 32);
        assert_eq!(many.len(), 32);
        assert!((mean(&many) - 4_999.5).abs() < 1.0);
    }
}
