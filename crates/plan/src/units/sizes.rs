//! Sizes of objects.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use crate::keys::scalar::{Field, Scalar};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::units::size::Size;
use crate::{Sentence, conceal_text, sentence};

/// The largest object that one PutObject accepts, bytes (Amazon S3 user guide, "Uploading
/// objects").
pub const LARGEST_OBJECT: u64 = 5 << 30;

/// Maximum number of sizes in a file.
pub(crate) const MOST_SIZES: usize = 10_000_000;

/// Sizes of objects. Written as `64KiB`, `1KiB..1MiB` (uniformly distributed),
/// `1KiB:60,1MiB:30,8MiB..64MiB:10` (with shares), `lognormal:64KiB:1.5` (median, and standard
/// deviation of the natural logarithm) or `file:PATH` (one size per line).
#[derive(Debug, Clone, PartialEq)]
pub enum Sizes {
    /// Ranges with shares; a fixed size is a range whose ends are equal.
    Ranges(Vec<SizeRange>),
    /// A log-normal distribution, cut off at [`LARGEST_OBJECT`].
    LogNormal {
        /// Median, bytes.
        median: u64,
        /// Standard deviation of the natural logarithm of the size, 0 to 10.
        sigma: f64,
    },
    /// Sizes from a file, each with the same probability.
    File {
        /// The file, with one size per line.
        path: PathBuf,
        /// The sizes in the file, bytes, ascending; never empty in a resolved plan.
        sizes: Arc<[u64]>,
    },
}

/// Uniformly distributed sizes from `from` to `to` bytes, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeRange {
    /// The smallest size, bytes.
    pub from: u64,
    /// The largest size, bytes.
    pub to: u64,
    /// The share, relative to the shares of the other ranges; positive.
    pub share: f64,
}

impl Sizes {
    /// The size or the range for the name of a workload: `1KiB` or `1KiB-to-1MiB`. `None` for
    /// several ranges and other distributions.
    pub(crate) fn in_name(&self) -> Option<String> {
        match self {
            sizes if sizes.only().is_some() => Some(sizes.to_string()),
            Self::Ranges(ranges) => match ranges.as_slice() {
                [SizeRange { from, to, .. }] => Some(format!("{}-to-{}", Size(*from), Size(*to))),
                _ => None,
            },
            _ => None,
        }
    }

    /// One size for all objects, bytes.
    pub fn fixed(size: u64) -> Self {
        Self::Ranges(vec![SizeRange {
            from: size,
            to: size,
            share: 1.0,
        }])
    }

    /// The size of all objects, bytes; `None` if sizes differ.
    pub fn only(&self) -> Option<u64> {
        match self {
            Self::Ranges(ranges) => match ranges.as_slice() {
                [range] if range.from == range.to => Some(range.from),
                _ => None,
            },
            Self::LogNormal { .. } => None,
            Self::File { sizes, .. } => {
                let (first, last) = (sizes.first()?, sizes.last()?);
                (first == last).then_some(*first)
            }
        }
    }

    /// The smallest and the largest possible size, bytes.
    pub fn extremes(&self) -> (u64, u64) {
        match self {
            Self::Ranges(ranges) => {
                let least = ranges.iter().map(|range| range.from).min();
                let most = ranges.iter().map(|range| range.to).max();
                (least.unwrap_or(0), most.unwrap_or(0))
            }
            Self::LogNormal { .. } => (0, LARGEST_OBJECT),
            Self::File { sizes, .. } => {
                let ends = sizes.first().zip(sizes.last());
                ends.map_or((0, 0), |(&first, &last)| (first, last))
            }
        }
    }

    /// A typical size, bytes, to estimate the amount of data: the mean of ranges, otherwise the
    /// median.
    pub fn typical(&self) -> u64 {
        match self {
            Self::Ranges(ranges) => {
                let all: f64 = ranges.iter().map(|range| range.share).sum();
                let mean = |range: &SizeRange| range.from / 2 + range.to / 2;
                let weighted = ranges
                    .iter()
                    .map(|range| mean(range) as f64 * range.share / all);
                weighted.sum::<f64>() as u64
            }
            Self::LogNormal { median, .. } => *median,
            Self::File { sizes, .. } => sizes.get(sizes.len() / 2).copied().unwrap_or(0),
        }
    }

    /// The mean size, bytes; for a log-normal distribution, without the cut-off.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Ranges(_) => self.typical() as f64,
            Self::LogNormal { median, sigma } => *median as f64 * (sigma * sigma / 2.0).exp(),
            Self::File { sizes, .. } => {
                let all: f64 = sizes.iter().map(|&size| size as f64).sum();
                all / sizes.len().max(1) as f64
            }
        }
    }
}

impl FromStr for Sizes {
    type Err = Sentence;

    /// Reads the text, but not the content of a file: its sizes are left empty.
    fn from_str(text: &str) -> Result<Self, Sentence> {
        if let Some(path) = text.strip_prefix("file:") {
            if path.is_empty() {
                return Err(sentence!(
                    "file-without-name",
                    "\"file:\" needs the name of a file behind it"
                ));
            }
            return Ok(Self::File {
                path: path.into(),
                sizes: Arc::default(),
            });
        }
        if let Some(parameters) = text.strip_prefix("lognormal:") {
            return log_normal(text, parameters);
        }
        let several = text.contains(',');
        text.split(',')
            .map(|part| range(part.trim(), several))
            .collect::<Result<_, _>>()
            .map(Self::Ranges)
    }
}

fn log_normal(text: &str, parameters: &str) -> Result<Sizes, Sentence> {
    let wrong = || {
        sentence!(
            "no-log-normal",
            "{text:?} is not a log-normal size; write for example \"lognormal:64KiB:1.5\": \
                the median, and the standard deviation of the logarithm from 0 to 10",
            text
        )
    };
    let (median, sigma) = parameters.split_once(':').ok_or_else(wrong)?;
    let sigma: f64 = sigma.trim().parse().map_err(|_| wrong())?;
    if !(0.0..=10.0).contains(&sigma) {
        return Err(wrong());
    }
    Ok(Sizes::LogNormal {
        median: size(median)?,
        // `abs` removes the minus sign of -0, so that a printed plan reads back as the same plan.
        sigma: sigma.abs(),
    })
}

fn range(text: &str, needs_share: bool) -> Result<SizeRange, Sentence> {
    let (sizes, share) = match text.rsplit_once(':') {
        Some((sizes, share)) => (sizes, share.trim().parse().ok()),
        None if needs_share => (text, None),
        None => (text, Some(1.0)),
    };
    let share = share.filter(|share: &f64| share.is_finite() && *share > 0.0);
    let share = share.ok_or_else(|| {
        sentence!(
            "size-no-share",
            "{text:?} has no share, a number above 0; write for example \"1KiB:60,1MiB:40\"",
            text
        )
    })?;
    let (from, to) = match sizes.split_once("..") {
        Some((from, to)) => (size(from)?, size(to)?),
        None => {
            let one = size(sizes)?;
            (one, one)
        }
    };
    if from > to {
        return Err(sentence!(
            "size-descending",
            "{sizes:?} has the larger size first; write \"{to}..{from}\"",
            sizes,
            to = Size(to),
            from = Size(from)
        ));
    }
    Ok(SizeRange { from, to, share })
}

fn size(text: &str) -> Result<u64, Sentence> {
    let Size(size) = text
        .trim()
        .parse()
        .map_err(|error: crate::units::size::SizeError| error.sentence())?;
    check(size)
}

/// Returns the size, unless the size is too large for one PUT.
pub(crate) fn check(size: u64) -> Result<u64, Sentence> {
    if size > LARGEST_OBJECT {
        return Err(sentence!(
            "size-of-put",
            "{size} is more than one PUT can carry; the most is {largest_object}",
            size = Size(size),
            largest_object = Size(LARGEST_OBJECT)
        ));
    }
    Ok(size)
}

/// Reads the text of a file with one size per line; `#` starts a comment. The result is ascending.
pub(crate) fn read_file(text: &str) -> Result<Arc<[u64]>, Sentence> {
    let mut sizes = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let size = size(line).map_err(|why| {
            let why = why.with_texts(&conceal_text);
            sentence!("on-line", "line {at}: {why}", at = at + 1, why)
        })?;
        sizes.push(size);
        if sizes.len() > MOST_SIZES {
            return Err(sentence!(
                "too-many-sizes",
                "it has more than {most_sizes} sizes",
                most_sizes = MOST_SIZES
            ));
        }
    }
    if sizes.is_empty() {
        return Err(sentence!(
            "no-sizes",
            "it has no sizes; write one a line, such as 64KiB or 65536"
        ));
    }
    sizes.sort_unstable();
    Ok(sizes.into())
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ranges(ranges) => {
                let alone = ranges.len() == 1;
                for (at, range) in ranges.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    range.write(f, alone)?;
                }
                Ok(())
            }
            Self::LogNormal { median, sigma } => {
                write!(f, "lognormal:{}:{sigma}", Size(*median))
            }
            Self::File { path, .. } => write!(f, "file:{}", path.display()),
        }
    }
}

impl SizeRange {
    fn write(&self, f: &mut fmt::Formatter<'_>, alone: bool) -> fmt::Result {
        write!(f, "{}", Size(self.from))?;
        if self.to != self.from {
            write!(f, "..{}", Size(self.to))?;
        }
        if !alone || self.share.to_bits() != 1.0_f64.to_bits() {
            write!(f, ":{}", self.share)?;
        }
        Ok(())
    }
}

/// Reads the key `size`, and the file that its value names.
pub(crate) fn resolve(resolver: &mut Resolver<'_>, field: &Field) -> Option<Sizes> {
    let sizes: Sizes = resolver.read("size", field, Scalar::parsed)?;
    let Sizes::File { path, .. } = sizes else {
        return Some(sizes);
    };
    let place = field.as_ref().map_or(Place::Nowhere, |field| field.place);
    let path = resolver.directory.join(path);
    if resolver.context.without_files {
        // Two different sizes stand for the unread file, because the sizes in a file usually
        // differ.
        let sizes = [1, 1 << 20].into();
        return Some(Sizes::File { path, sizes });
    }
    let bytes = resolver.file(place, "size", &path)?;
    let read = String::from_utf8(bytes)
        .map_err(|_| sentence!("not-utf8", "it is not UTF-8 text"))
        .and_then(|text| read_file(&text));
    match read {
        Ok(sizes) => Some(Sizes::File { path, sizes }),
        Err(why) => {
            resolver.wrong(
                place,
                "size",
                sentence!("of-file", "{path}: {why}", path = path.display(), why),
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back_as_it_was_written() {
        for text in [
            "64KiB",
            "0",
            "1KiB..1MiB",
            "1KiB:60,1MiB:30,8MiB..64MiB:10",
            "1KiB:0.5,1MiB:2.25",
            "lognormal:64KiB:1.5",
            "file:/tmp/sizes.txt",
        ] {
            let sizes: Sizes = text.parse().unwrap();
            assert_eq!(sizes.to_string(), text);
        }
        assert_eq!("64KiB".parse(), Ok(Sizes::fixed(65536)));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("2KiB..1KiB", "write \"1KiB..2KiB\""),
            ("1KiB,1MiB", "has no share"),
            ("1KiB:0", "has no share"),
            ("1KiB:nan,1MiB:1", "has no share"),
            ("6GiB", "more than one PUT"),
            ("lognormal:64KiB", "not a log-normal size"),
            ("lognormal:64KiB:-1", "not a log-normal size"),
            ("file:", "needs the name of a file"),
            ("much", "is not a size"),
        ] {
            let error = text.parse::<Sizes>().unwrap_err();
            assert!(error.text().contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_has_one_size_a_line() {
        let sizes = read_file("# seen in March\n64KiB\n\n1000 # small\n").unwrap();
        assert_eq!(*sizes, [1000, 65536]);
        assert!(read_file("\n").unwrap_err().text().contains("no sizes"));
        let error = read_file("1\nmuch\n").unwrap_err();
        assert!(error.text().starts_with("line 2: "), "{error}");
    }
}
