//! The order in which requests are drawn.

use std::fmt;
use std::str::FromStr;

use crate::choose::Choose;
use crate::keys::value::read_from_text;
use crate::{Sentence, sentence};

/// The order in which requests are drawn from patterns. Requests are drawn without end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum PatternOrder {
    /// At random by weight, with replacement.
    #[default]
    Weighted,
    /// In the order of the file, and then from the start again.
    Sequential,
    /// All patterns in a random order, then all in another random order, and so on.
    Shuffled,
    /// Zipf distribution: the probability of the `n`-th most popular pattern is proportional to `n`
    /// to the power of minus `exponent`. The order of popularity follows from the seed.
    Zipf {
        /// Above 0, at most 10.
        exponent: f64,
    },
}

impl FromStr for PatternOrder {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-order",
                "{text:?} is not one of \"weighted\", \"sequential\", \"shuffled\", \"zipf\", \
                    \"zipf:1.1\" (an exponent above 0, at most 10)",
                text
            )
        };
        match text {
            "weighted" => Ok(Self::Weighted),
            "sequential" => Ok(Self::Sequential),
            "shuffled" => Ok(Self::Shuffled),
            _ => match text.parse() {
                Ok(Choose::Zipf { exponent }) => Ok(Self::Zipf { exponent }),
                _ => Err(wrong()),
            },
        }
    }
}

impl fmt::Display for PatternOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weighted => f.write_str("weighted"),
            Self::Sequential => f.write_str("sequential"),
            Self::Shuffled => f.write_str("shuffled"),
            Self::Zipf { exponent } => write!(f, "zipf:{exponent}"),
        }
    }
}

read_from_text!(PatternOrder);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in ["weighted", "sequential", "shuffled", "zipf:1.1"] {
            let order: PatternOrder = text.parse().unwrap();
            assert_eq!(order.to_string(), text);
        }
        for text in ["", "uniform", "once", "zipf:0", "zipf:11", "zipf:nan"] {
            assert!(text.parse::<PatternOrder>().is_err(), "{text}");
        }
    }
}
