//! The levels of a concurrency sweep: `1..256`, `1,2,4,8`, `10:100:10`.

use std::str::FromStr;

use crate::{Sentence, sentence};

/// Fewest levels of a concurrency sweep: with fewer levels, no knee can be found.
const FEWEST_LEVELS: usize = 3;
/// Maximum number of levels of a concurrency sweep. Each level becomes one workload; a larger number is taken
/// for a typing error.
const MOST_LEVELS: usize = 64;
const MOST_CONNECTIONS: u64 = 100_000;

/// Levels of connections, ascending, without duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SweepLevels(pub(crate) Vec<usize>);

impl FromStr for SweepLevels {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let text = text.trim();
        let mut levels = if let Some((from, to)) = text.split_once("..") {
            doubling(ends(text, from, to)?)
        } else if text.contains(':') {
            evenly(text)?
        } else if text.contains(',') {
            text.split(',')
                .map(|level| connections(text, level))
                .collect::<Result<_, _>>()?
        } else {
            return Err(no_levels(text));
        };
        levels.sort_unstable();
        levels.dedup();
        if levels.len() < FEWEST_LEVELS {
            return Err(sentence!(
                "too-few-levels",
                "{text:?} makes {levels} levels, and a ramp has at least {fewest_levels}; \
                    write for example \"1..64\"",
                text,
                levels = levels.len(),
                fewest_levels = FEWEST_LEVELS
            ));
        }
        if levels.len() > MOST_LEVELS {
            return Err(sentence!(
                "too-many-levels",
                "{text:?} makes {levels} levels, and a ramp has at most {most_levels}; take \
                    larger steps",
                text,
                levels = levels.len(),
                most_levels = MOST_LEVELS
            ));
        }
        let level = |level| usize::try_from(level).map_err(|_| no_levels(text));
        levels
            .into_iter()
            .map(level)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Levels from `from`, doubled each time, with `to` as the last level.
fn doubling((from, to): (u64, u64)) -> Vec<u64> {
    let mut levels: Vec<u64> = std::iter::successors(Some(from), |level| Some(level * 2))
        .take_while(|level| *level < to)
        .collect();
    levels.push(to);
    levels
}

fn evenly(text: &str) -> Result<Vec<u64>, Sentence> {
    let parts: Vec<&str> = text.split(':').collect();
    let [from, to, step] = parts[..] else {
        return Err(no_levels(text));
    };
    let (from, to) = ends(text, from, to)?;
    let step = connections(text, step)?;
    // Not collected completely: a step of 1 up to the maximum would give a long list.
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    Ok((from..=to).step_by(step).take(MOST_LEVELS + 1).collect())
}

fn ends(text: &str, from: &str, to: &str) -> Result<(u64, u64), Sentence> {
    let (from, to) = (connections(text, from)?, connections(text, to)?);
    if from > to {
        return Err(sentence!(
            "descending-levels",
            "{text:?} is descending; write the fewest connections first, as in \"1..64\": odd \
                blocks run the levels downwards",
            text
        ));
    }
    Ok((from, to))
}

fn connections(text: &str, number: &str) -> Result<u64, Sentence> {
    let number = number.trim().parse().map_err(|_| no_levels(text))?;
    if (1..=MOST_CONNECTIONS).contains(&number) {
        return Ok(number);
    }
    Err(sentence!(
        "level-out-of-range",
        "{number} in {text:?} is out of range; the number of connections must be 1 to \
            {most_connections}",
        number,
        text,
        most_connections = MOST_CONNECTIONS
    ))
}

fn no_levels(text: &str) -> Sentence {
    sentence!(
        "no-levels",
        "{text:?} is not a ramp; write for example \"1..256\" (doubling), \"1,2,4,8\" or \
            \"10:100:10\" (from, to, step)",
        text
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, levels) in [
            ("1..16", &[1, 2, 4, 8, 16][..]),
            ("3..20", &[3, 6, 12, 20]),
            ("8,1, 2", &[1, 2, 8]),
            ("10:40:10", &[10, 20, 30, 40]),
            ("1:6:2", &[1, 3, 5]),
        ] {
            assert_eq!(text.parse(), Ok(SweepLevels(levels.to_vec())), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in [
            ("fast", "is not a ramp"),
            ("16", "is not a ramp"),
            ("1:2", "is not a ramp"),
            ("1..", "is not a ramp"),
            ("16..1", "is descending"),
            ("0..8", "is out of range"),
            ("1:8:0", "is out of range"),
            ("4..8", "2 levels"),
            ("1:100000:1", "65 levels"),
            ("1..100001", "is out of range"),
        ] {
            let error = text.parse::<SweepLevels>().unwrap_err();
            assert!(error.text().contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in "[0-9.,: ]{0,30}|\\PC*") {
            let _ = text.parse::<SweepLevels>();
        }
    }
}
