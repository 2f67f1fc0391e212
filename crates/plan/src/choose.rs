//! Choice of the next object, byte ranges of objects, and prefixes of keys.

use std::fmt;
use std::str::FromStr;

use crate::keys::value::read_from_text;
use crate::units::size::Size;
use crate::{Sentence, sentence};

read_from_text!(Choose, ByteRange, Prefixes);

/// How an operation chooses its next object among the existing objects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choose {
    /// At random, with equal probabilities.
    Uniform,
    /// Zipf distribution: the probability of the `n`-th most popular object is proportional to `n`
    /// to the power of minus `exponent`. The order of popularity follows from the seed.
    Zipf {
        /// Above 0, at most 10; about 1 in many real workloads.
        exponent: f64,
    },
    /// In order, and then from the start again.
    Sequential,
    /// Each object at most once in a run, so that no earlier read
    /// has put it into a cache.
    Once,
}

/// The default exponent of the Zipf distribution, common in popularity distributions.
const USUAL_EXPONENT: f64 = 1.0;

impl FromStr for Choose {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-choice-of-objects",
                "{text:?} is not one of \"uniform\", \"zipf\", \"zipf:1.1\" (an exponent \
                    above 0, at most 10), \"sequential\", \"once\"",
                text
            )
        };
        match text {
            "uniform" => Ok(Self::Uniform),
            "sequential" => Ok(Self::Sequential),
            "once" => Ok(Self::Once),
            "zipf" => Ok(Self::Zipf {
                exponent: USUAL_EXPONENT,
            }),
            _ => {
                let exponent = text.strip_prefix("zipf:").ok_or_else(wrong)?;
                let exponent: f64 = exponent.parse().map_err(|_| wrong())?;
                let fits = exponent > 0.0 && exponent <= 10.0;
                fits.then_some(Self::Zipf { exponent }).ok_or_else(wrong)
            }
        }
    }
}

impl fmt::Display for Choose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Zipf { exponent } => write!(f, "zipf:{exponent}"),
            Self::Sequential => f.write_str("sequential"),
            Self::Once => f.write_str("once"),
        }
    }
}

/// A byte range of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteRange {
    /// `length` bytes at a random offset: `random:64KiB`.
    Random {
        /// Length in bytes, at least 1.
        length: u64,
    },
    /// Bytes `first` to `last`, counted from 0, both included: `0-1023`.
    Fixed {
        /// The first byte.
        first: u64,
        /// The last byte, not before `first`.
        last: u64,
    },
}

impl FromStr for ByteRange {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-byte-range",
                "{text:?} is not a range; write \"random:64KiB\" for 64 KiB from anywhere in \
                    the object, or \"0-1023\" for its first 1024 bytes",
                text
            )
        };
        if let Some(length) = text.strip_prefix("random:") {
            let Size(length) = length.parse().map_err(|_| wrong())?;
            let some = length > 0;
            return some.then_some(Self::Random { length }).ok_or_else(wrong);
        }
        let (first, last) = text.split_once('-').ok_or_else(wrong)?;
        let first = first.trim().parse().map_err(|_| wrong())?;
        let last = last.trim().parse().map_err(|_| wrong())?;
        let fits = first <= last && last < u64::MAX;
        fits.then_some(Self::Fixed { first, last })
            .ok_or_else(wrong)
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random { length } => write!(f, "random:{}", Size(*length)),
            Self::Fixed { first, last } => write!(f, "{first}-{last}"),
        }
    }
}

impl ByteRange {
    /// The size, bytes, that an object must have at least so that the range lies within the object.
    pub fn needs(self) -> u64 {
        match self {
            Self::Random { length } => length,
            Self::Fixed { last, .. } => last.saturating_add(1),
        }
    }

    /// The range for the name of a workload: `random-64KiB` or `0-1023`.
    pub(crate) fn in_name(self) -> String {
        self.to_string().replace(':', "-")
    }
}

/// The number of prefixes on each level of object keys: on the first level, below the prefix that
/// all keys of the run have; on further levels, below each prefix of the level above.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prefixes(pub Vec<u32>);

/// Maximum number of prefix levels.
const MOST_LEVELS: usize = 8;
/// Maximum number of prefixes below one prefix.
const MOST_NAMES: u32 = 65_536;

impl FromStr for Prefixes {
    type Err = Sentence;

    /// Reads `16/16`: sixteen prefixes with sixteen prefixes below each.
    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-prefix-tree",
                "{text:?} is not a tree of prefixes; write for example \"16/16\" for sixteen \
                    prefixes with sixteen below each; at most {most_levels} levels of 1 to \
                    {most_names}",
                text,
                most_levels = MOST_LEVELS,
                most_names = MOST_NAMES
            )
        };
        let levels = text
            .split('/')
            .map(|level| {
                let names = level.trim().parse().ok();
                names.filter(|names| (1..=MOST_NAMES).contains(names))
            })
            .collect::<Option<Vec<u32>>>();
        levels
            .filter(|levels| levels.len() <= MOST_LEVELS)
            .map(Self)
            .ok_or_else(wrong)
    }
}

impl fmt::Display for Prefixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&levels.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back<T: FromStr<Err = Sentence> + fmt::Display>(right: &[&str], wrong: &[&str]) {
        for text in right {
            let value: T = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(value.to_string(), *text);
        }
        for text in wrong {
            assert!(text.parse::<T>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        read_back::<Choose>(
            &["uniform", "zipf:1.1", "sequential", "once"],
            &["zipf:0", "zipf:-1", "zipf:nan", "twice", ""],
        );
        read_back::<ByteRange>(
            &["random:64KiB", "0-1023", "5-5"],
            &["random:0", "2-1", "-5", "0", "0-18446744073709551615"],
        );
        read_back::<Prefixes>(&["16", "16/16", "1/2/3"], &["", "0", "16/", "a"]);
    }
}
