//! `--obj.size` and `--obj.randsize`.

use std::fmt::Write as _;

use tenbin_plan::size::{Size, SizeError};
use tenbin_plan::{Sentence, sentence};

use crate::parse::Given;

/// Sizes of objects, bytes: weighted ranges with uniformly distributed sizes. A fixed size is a
/// range whose bounds are equal.
#[derive(Debug, Clone, PartialEq)]
pub struct SizePlan(Vec<SizeRange>);

/// A uniform range of sizes, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeRange {
    /// Smallest size, bytes.
    pub least: u64,
    /// Largest size, bytes.
    pub most: u64,
    /// Weight, relative to the other ranges.
    pub weight: f64,
}

/// Span of warp's random sizes, in octaves (factors of 2) below the largest size.
const OCTAVES: u32 = 8;

/// Lower bound of warp's random sizes, bytes.
const LEAST: u64 = 128;

/// Number of ranges that approximate a logarithmically uniform distribution.
const STEPS: u32 = 32;

impl SizePlan {
    /// One size for all objects.
    pub fn fixed(size: u64) -> Self {
        Self(vec![SizeRange {
            least: size,
            most: size,
            weight: 1.0,
        }])
    }

    /// The ranges, at least one.
    pub fn ranges(&self) -> &[SizeRange] {
        &self.0
    }

    /// The mean size, bytes.
    pub fn mean(&self) -> f64 {
        let total: f64 = self.0.iter().map(|range| range.weight).sum();
        let part = |range: &SizeRange| {
            (range.least as f64 + range.most as f64) / 2.0 * (range.weight / total)
        };
        self.0.iter().map(part).sum()
    }

    /// The sizes in plan-file syntax: `64KiB`, `1KiB..1MiB` or `1KiB:60,1025..1MiB:40`.
    pub fn in_plan(&self) -> String {
        let several = self.0.len() > 1;
        let part = |range: &SizeRange| {
            let mut text = Size(range.least).to_string();
            if range.most != range.least {
                let _ = write!(text, "..{}", Size(range.most));
            }
            if several {
                let _ = write!(text, ":{}", range.weight);
            }
            text
        };
        self.0.iter().map(part).collect::<Vec<_>>().join(",")
    }

    /// A logarithmically uniform distribution, approximated by `STEPS` ranges.
    fn spread(least: u64, most: u64) -> Self {
        let low = least.max(1) as f64;
        let step = (most.max(1) as f64 / low).powf(1.0 / f64::from(STEPS));
        let bound = |at: u32| match at {
            0 => least,
            STEPS => most,
            at => (low * step.powi(at as i32)).round() as u64,
        };
        let ranges = (0..STEPS).map(|at| SizeRange {
            least: bound(at),
            most: bound(at + 1),
            weight: 1.0,
        });
        Self(ranges.collect())
    }
}

/// The sizes according to the flags.
pub(super) fn read(given: &mut Given) -> SizePlan {
    let text = given.text("obj.size").to_owned();
    match parse(&text, given.switch("obj.randsize")) {
        Ok((plan, note)) => {
            if let Some(note) = note {
                let noted = sentence!("flag-noted", "{flag}: {note}", flag = "--obj.size", note);
                given.note(noted.with_fixed("note", note));
            }
            plan
        }
        Err(wrong) => {
            given.wrong("obj.size", wrong);
            SizePlan::fixed(0)
        }
    }
}

fn parse(text: &str, random: bool) -> Result<(SizePlan, Option<&'static str>), Sentence> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.iter().any(|part| part.contains(':')) {
        if random {
            return Err(sentence!(
                "warp-random-weights",
                "weights and --obj.randsize cannot be combined; leave one out"
            ));
        }
        return weighted(&parts);
    }
    let sizes = parts
        .iter()
        .map(|part| size(part))
        .collect::<Result<Vec<u64>, Sentence>>()?;
    match (sizes.as_slice(), random) {
        ([size], false) => Ok((SizePlan::fixed(*size), None)),
        ([most], true) => {
            let least = (most >> OCTAVES).max(LEAST).min(*most);
            Ok((SizePlan::spread(least, *most), None))
        }
        ([least, most], _) if least > most => Err(sentence!(
            "warp-larger-first",
            "{text:?} starts with the larger size; write the smaller one first",
            text
        )),
        ([least, most], true) => Ok((SizePlan::spread(*least, *most), None)),
        ([_, most], false) => Ok((
            SizePlan::fixed(*most),
            Some(
                "every object has the larger size, as in warp; a range of sizes needs \
                --obj.randsize",
            ),
        )),
        _ => Err(sentence!(
            "warp-no-sizes",
            "{text:?} is neither one size, nor a smaller and a larger one, nor a list of sizes with weights; \
            write for example \"1MiB\", \"1KiB,1MiB\" or \"1KiB:60,1MiB:40\"",
            text
        )),
    }
}

fn weighted(parts: &[&str]) -> Result<(SizePlan, Option<&'static str>), Sentence> {
    let mut sizes = Vec::with_capacity(parts.len());
    for part in parts {
        let (bytes, weight) = part.split_once(':').ok_or_else(|| {
            sentence!(
                "warp-no-weight",
                "{part:?} has no weight; write for example \"1KiB:60,1MiB:40\"",
                part
            )
        })?;
        let weight: f64 = weight
            .trim()
            .parse()
            .ok()
            .filter(|weight: &f64| weight.is_finite() && *weight >= 0.0)
            .ok_or_else(|| {
                sentence!(
                    "warp-bad-weight",
                    "{weight:?} is not a weight; write a number such as 60",
                    weight
                )
            })?;
        sizes.push((size(bytes)?, weight));
    }
    sizes.retain(|&(_, weight)| weight > 0.0);
    sizes.sort_by_key(|&(size, _)| size);
    if sizes.is_empty() {
        return Err(sentence!(
            "warp-no-weights",
            "all weights are 0; increase one of them"
        ));
    }
    if let Some(pair) = sizes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(sentence!(
            "warp-two-weights",
            "{size} has two weights; give one",
            size = Size(pair[0].0)
        ));
    }
    let mut below = 0;
    let mut ranges = Vec::with_capacity(sizes.len());
    for (most, weight) in sizes {
        ranges.push(SizeRange {
            least: (below + 1).min(most),
            most,
            weight,
        });
        below = most;
    }
    Ok((
        SizePlan(ranges),
        Some("sizes are uniform from each size down to the next smaller one, as in warp"),
    ))
}

fn size(text: &str) -> Result<u64, Sentence> {
    text.parse()
        .map(|Size(bytes)| bytes)
        .map_err(|error: SizeError| error.sentence())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_warp_reads_them() {
        for (text, random, plan) in [
            ("10MiB", false, "10MiB"),
            ("1MB", false, "1MB"),
            ("1M", false, "1MB"),
            ("1KB", false, "1KB"),
            ("4k", false, "4KB"),
            ("4Ki", false, "4KiB"),
            ("512", false, "512"),
            ("1KiB,1MiB", false, "1MiB"),
            ("1MiB:40,4096:60", false, "1..4KiB:60,4097..1MiB:40"),
        ] {
            let read = parse(text, random).map(|(plan, _)| plan.in_plan());
            assert_eq!(read.as_deref(), Ok(plan), "{text}");
        }
        for text in [
            "", "soon", "1MiB,1KiB", "1,2,3", "1KiB:x", "1KiB:1,2", "1KiB:0", "1KiB:1,1024:2",
        ] {
            assert!(parse(text, false).is_err(), "{text}");
        }
    }

    /// Warp states that the mean of its random sizes is 0.179 of the largest size.
    #[test]
    fn random_sizes_have_warps_mean_and_bounds() {
        let (plan, _) = parse("10MiB", true).expect("a plan");
        let share = plan.mean() / f64::from(10 << 20);
        assert!((share - 0.1796).abs() < 0.0005, "{share}");
        assert_eq!(plan.ranges()[0].least, 40 << 10);
        assert_eq!(plan.ranges()[31].most, 10 << 20);
    }
}
