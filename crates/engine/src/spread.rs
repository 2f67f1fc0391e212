//! How evenly the connections of a slice were served.
//!
//! Worker processes that accept on a shared socket take connections unevenly: one may get three
//! and another none. A connection that shares its worker with two others completes a third of the
//! requests that it would complete alone, until it is closed.

use serde::{Deserialize, Serialize};

/// Ratio of the fastest to the slowest connection above which the spread is uneven. Tenbin's own
/// convention, like the constants below.
const UNEVEN: f64 = 1.8;
/// Fewest requests that the median connection must complete.
const FEWEST_REQUESTS: f64 = 3.0;
/// Standard deviations of a count by which the fastest and the slowest must differ.
const BEYOND_CHANCE: f64 = 6.0;
/// Connections that were open for less than this share of the longest-lived connection are left
/// out: too short to give a rate.
const SHORTEST_LIFE: f64 = 0.5;

/// The figures of one connection in the measured window, from its opening to its end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Life {
    /// Correct responses.
    pub responses: u64,
    /// How long it was open, nanoseconds.
    pub nanos: u64,
    /// Sum of the service times of these responses, seconds.
    pub service: f64,
    /// Sum of their squared service times.
    pub service_squared: f64,
}

/// Request rates of single connections, over all connections of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of connections; a connection that was reopened counts once per opening.
    pub connections: u64,
    /// Median number of requests per connection.
    pub median_responses: f64,
    /// Rate of the slowest connection, requests per second.
    pub slowest: f64,
    /// First quartile of the rates.
    pub lower_quartile: f64,
    /// Median rate.
    pub median: f64,
    /// Third quartile of the rates.
    pub upper_quartile: f64,
    /// Rate of the fastest connection.
    pub fastest: f64,
    /// Squared coefficient of variation of service times within a connection: 0 if all are equal,
    /// 1 if they are exponential.
    pub variation: f64,
}

impl Spread {
    /// The spread of these connections, without those open for a much shorter time than the
    /// longest. `None` with fewer than two.
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
            variation: variation(&lives),
        })
    }

    /// Whether some connections were served much faster than others, beyond chance.
    pub fn is_uneven(&self) -> bool {
        if self.median_responses < FEWEST_REQUESTS || self.median <= 0.0 {
            return false;
        }
        let seconds = self.median_responses / self.median;
        let apart = (self.fastest - self.slowest) * seconds;
        // The variance of a renewal count (D. R. Cox, "Renewal Theory", 1962, section 3.3), plus
        // one for the requests in flight at both ends.
        let chance = (self.variation * self.median_responses + 1.0).sqrt();
        self.fastest >= UNEVEN * self.slowest && apart >= BEYOND_CHANCE * chance
    }
}

/// The squared coefficient of variation, pooled over connections so that differences between them
/// do not count; 1 with too few requests.
fn variation(lives: &[Life]) -> f64 {
    let (mut squares, mut freedom, mut sum, mut count) = (0.0, 0.0, 0.0, 0.0);
    for life in lives.iter().filter(|life| life.responses > 1) {
        let n = life.responses as f64;
        let mean = life.service / n;
        // As a share of each connection's own mean: the service times of a slow connection vary
        // more in seconds.
        squares += ((life.service_squared - life.service * mean) / (mean * mean)).max(0.0);
        freedom += n - 1.0;
        sum += life.service;
        count += n;
    }
    let is_known = freedom > 0.0 && sum > 0.0 && count > 0.0 && squares.is_finite();
    if is_known { squares / freedom } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spread of connections that were open for a second, whose service times have this
    /// squared coefficient of variation.
    fn spread(responses: &[u64], variation: f64) -> Option<Spread> {
        let lives: Vec<Life> = responses
            .iter()
            .map(|&responses| life(responses, 1_000_000_000, variation))
            .collect();
        Spread::of(&lives)
    }

    fn life(responses: u64, nanos: u64, variation: f64) -> Life {
        let n = responses as f64;
        let mean = nanos as f64 / 1e9 / n.max(1.0);
        Life {
            responses,
            nanos,
            service: n * mean,
            service_squared: mean * mean * (n + variation * (n - 1.0).max(0.0)),
        }
    }

    #[test]
    fn connections_that_share_a_worker_are_an_uneven_spread() {
        // Four workers with 3, 2, 2 and 1 connections: 500 requests a second each, and 15 in a
        // warm-up.
        for (responses, median) in [
            ([170, 170, 170, 250, 250, 250, 250, 500], 250.0),
            ([5, 5, 5, 7, 7, 7, 8, 15], 7.0),
        ] {
            let found = spread(&responses, 0.01).unwrap();
            assert!(found.is_uneven(), "{found:?}");
            assert!((found.variation - 0.01).abs() < 1e-9, "{found:?}");
            assert_eq!(found.median, median);
        }
        assert!(!spread(&[250, 250, 251, 249], 0.01).unwrap().is_uneven());
    }

    #[test]
    fn chance_is_not_an_uneven_spread() {
        // Exponential service times: four standard deviations between the extremes.
        assert!(!spread(&[12, 16, 20, 20, 25, 30], 1.0).unwrap().is_uneven());
        assert!(!spread(&[2, 9, 3, 1], 1.0).unwrap().is_uneven());
        // One response more or less is not a spread.
        assert!(!spread(&[3, 4, 5, 6], 0.0).unwrap().is_uneven());
        assert_eq!(spread(&[7], 0.0), None);
    }

    #[test]
    fn a_short_life_gives_no_rate() {
        let long = life(100, 1_000_000_000, 0.0);
        let short = Life {
            responses: 0,
            nanos: 1_000_000,
            ..Life::default()
        };
        let found = Spread::of(&[long, long, short]).unwrap();
        assert_eq!((found.connections, found.slowest), (2, 100.0));
    }
}
