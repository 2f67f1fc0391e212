//! How evenly a slice's connections were served.
//!
//! Worker processes that accept on one shared socket take connections as they come: one may get
//! three and another none. A connection that shares its worker with two others completes a third
//! of what it completes alone, for as long as it lives.

use serde::{Deserialize, Serialize};

/// Ratio of the fastest to the slowest connection from which on the spread is uneven. This and
/// what follows are Tenbin's own conventions.
const UNEVEN: f64 = 1.8;
/// Fewest requests that half of the connections have to complete: fewer are chance.
const FEWEST_REQUESTS: f64 = 20.0;
/// Standard deviations of a random count by which the fastest and the slowest have to differ.
const BEYOND_CHANCE: f64 = 6.0;
/// Share of the longest life below which the life of a connection is too short to give a rate.
const SHORTEST_LIFE: f64 = 0.5;

/// One connection in the measured window, from its opening to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Correct responses.
    pub responses: u64,
    /// How long it was open, nanoseconds.
    pub nanos: u64,
}

/// Requests that single connections completed a second, over all connections of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Connections, each life of one that was opened again by itself.
    pub connections: u64,
    /// Requests that half of them completed at least.
    pub median_responses: f64,
    /// The slowest, requests a second.
    pub slowest: f64,
    /// A quarter is slower.
    pub lower_quartile: f64,
    /// Half is slower.
    pub median: f64,
    /// A quarter is faster.
    pub upper_quartile: f64,
    /// The fastest.
    pub fastest: f64,
}

impl Spread {
    /// Of these lives; those that are much shorter than the longest are left out. `None` with
    /// fewer than two.
    pub fn of(lives: &[Life]) -> Option<Self> {
        let longest = lives.iter().map(|life| life.nanos).max()?;
        let long_enough =
            |life: &&Life| life.nanos > 0 && life.nanos as f64 >= SHORTEST_LIFE * longest as f64;
        let lives: Vec<Life> = lives.iter().filter(long_enough).copied().collect();
        if lives.len() < 2 {
            return None;
        }
        let mut rates: Vec<f64> = lives
            .iter()
            .map(|life| life.responses as f64 * 1e9 / life.nanos as f64)
            .collect();
        rates.sort_by(f64::total_cmp);
        let mut counts: Vec<f64> = lives.iter().map(|life| life.responses as f64).collect();
        counts.sort_by(f64::total_cmp);
        let at = |sorted: &[f64], share: f64| {
            sorted[(share * (sorted.len() - 1) as f64).round() as usize]
        };
        Some(Self {
            connections: lives.len() as u64,
            median_responses: at(&counts, 0.5),
            slowest: rates[0],
            lower_quartile: at(&rates, 0.25),
            median: at(&rates, 0.5),
            upper_quartile: at(&rates, 0.75),
            fastest: rates[rates.len() - 1],
        })
    }

    /// Whether some connections were served much faster than others, beyond chance.
    pub fn is_uneven(&self) -> bool {
        if self.median_responses < FEWEST_REQUESTS || self.median <= 0.0 {
            return false;
        }
        let seconds = self.median_responses / self.median;
        let apart = (self.fastest - self.slowest) * seconds;
        self.fastest >= UNEVEN * self.slowest
            && apart >= BEYOND_CHANCE * self.median_responses.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(responses: &[u64]) -> Option<Spread> {
        let lives: Vec<Life> = responses
            .iter()
            .map(|&responses| Life {
                responses,
                nanos: 1_000_000_000,
            })
            .collect();
        Spread::of(&lives)
    }

    #[test]
    fn connections_that_share_a_worker_are_slower() {
        // Four workers of 50 a second with 3, 2, 2 and 1 connections.
        let found = spread(&[170, 170, 170, 250, 250, 250, 250, 500]).unwrap();
        assert!(found.is_uneven(), "{found:?}");
        assert_eq!(
            (found.slowest, found.median, found.fastest),
            (170.0, 250.0, 500.0)
        );
        assert!(!spread(&[250, 250, 251, 249]).unwrap().is_uneven());
    }

    #[test]
    fn chance_is_not_an_uneven_spread() {
        // As many by chance: four standard deviations between the extremes.
        assert!(!spread(&[12, 16, 20, 20, 25, 30]).unwrap().is_uneven());
        assert!(!spread(&[2, 9, 3, 1]).unwrap().is_uneven());
        assert_eq!(spread(&[7]), None);
    }

    #[test]
    fn a_short_life_gives_no_rate() {
        let long = Life {
            responses: 100,
            nanos: 1_000_000_000,
        };
        let short = Life {
            responses: 0,
            nanos: 1_000_000,
        };
        let found = Spread::of(&[long, long, short]).unwrap();
        assert_eq!((found.connections, found.slowest), (2, 100.0));
    }
}
