//! How evenly the server served the connections of a slice.
//!
//! Worker processes that accept on a shared socket take connections unevenly: a worker can get
//! three connections and another worker none. Until closed, a connection that shares a worker with
//! two others completes a third of the requests that the connection would complete alone.

use serde::{Deserialize, Serialize};

/// The spread is uneven only if the rate of the fastest connection is at least this multiple of the
/// rate of the slowest connection. All constants in this file are Tenbin's conventions.
const UNEVEN: f64 = 1.8;
/// The spread is uneven only if the median connection completes at least this number of requests.
const FEWEST_REQUESTS: f64 = 3.0;
/// The spread is uneven only if the request counts of the fastest and the slowest connection differ
/// by at least this number of standard deviations of a request count.
const BEYOND_CHANCE: f64 = 6.0;
/// Connections open for less than this share of the longest-lived connection's time are left out,
/// because their rates are too uncertain.
const SHORTEST_LIFE: f64 = 0.5;

/// A single request is long if it took at least this share of the time of its connection, and at
/// least [`FAR_LONGER`] times the mean time of a request. With long requests, the differences between
/// connections count as chance: a connection that had a long request by chance completes fewer
/// requests, although no other connection slows it down.
const LONG: f64 = 0.1;
/// See [`LONG`]. All requests of connections that share a worker are about equally long.
const FAR_LONGER: f64 = 5.0;

/// The figures of one connection inside the measured window. A connection that is reopened has
/// separate figures for each opening.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Life {
    /// Correct responses.
    pub responses: u64,
    /// Time for which the connection was open in the window, nanoseconds.
    pub nanos: u64,
    /// Sum of the service times of the correct responses, seconds.
    pub service: f64,
    /// Sum of the squared service times of the correct responses, square seconds.
    pub service_squared: f64,
    /// Requests that used the connection inside the window without a correct response inside it:
    /// requests that ended later, and lost requests.
    pub unfinished: u64,
    /// Sum of the times of these requests inside the window, seconds.
    pub unfinished_time: f64,
    /// Sum of the squares of these times, square seconds.
    pub unfinished_squared: f64,
    /// Longest time of a request of either kind, seconds.
    pub longest: f64,
}

/// The distribution of response rates over the connections of a slice: correct responses per second
/// of each connection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of connections; a reopened connection counts once per opening. Connections that were
    /// open only briefly are left out.
    pub connections: u64,
    /// Median number of correct responses per connection.
    pub median_responses: f64,
    /// Rate of the slowest connection, responses per second.
    pub slowest: f64,
    /// First quartile of the rates, responses per second.
    pub lower_quartile: f64,
    /// Median rate, responses per second.
    pub median: f64,
    /// Third quartile of the rates, responses per second.
    pub upper_quartile: f64,
    /// Rate of the fastest connection, responses per second.
    pub fastest: f64,
    /// Squared coefficient of variation of service times within a connection: 0 for equal times, 1
    /// for exponentially distributed times. If a rare request took a tenth of the time of its
    /// connection, the coefficient over all connections together, if that is larger.
    pub variation: f64,
}

impl Spread {
    /// The spread of these connections, without connections open for less than half the time of the
    /// longest-lived connection. `None` if fewer than two remain.
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

    /// Whether some connections were so much faster than others that chance is not the cause.
    pub fn is_uneven(&self) -> bool {
        if self.median_responses < FEWEST_REQUESTS || self.median <= 0.0 {
            return false;
        }
        let seconds = self.median_responses / self.median;
        let apart = (self.fastest - self.slowest) * seconds;
        // The variance of a renewal count (D. R. Cox, "Renewal Theory", 1962, section 3.3), plus 1
        // for the requests in flight at both ends of the window.
        let chance = (self.variation * self.median_responses + 1.0).sqrt();
        self.fastest >= UNEVEN * self.slowest && apart >= BEYOND_CHANCE * chance
    }
}

/// The squared coefficient of variation of service times: within connections or, with long requests,
/// the larger one of that and the coefficient over all requests.
fn variation(lives: &[Life]) -> f64 {
    let within = variation_within(lives);
    let (mut squares, mut sum, mut count) = (0.0, 0.0, 0.0);
    for life in lives {
        squares += life.service_squared + life.unfinished_squared;
        sum += life.service + life.unfinished_time;
        count += (life.responses + life.unfinished) as f64;
    }
    let mean = sum / count;
    let is_long = |life: &Life| {
        life.longest * 1e9 >= LONG * life.nanos as f64 && life.longest >= FAR_LONGER * mean
    };
    let of_all = squares / count / (mean * mean) - 1.0;
    if of_all.is_finite() && lives.iter().any(is_long) {
        within.max(of_all)
    } else {
        within
    }
}

/// The squared coefficient of variation of service times, pooled over connections so that
/// differences between connections do not count; 1 with too few requests.
fn variation_within(lives: &[Life]) -> f64 {
    let (mut squares, mut freedom, mut sum, mut count) = (0.0, 0.0, 0.0, 0.0);
    for life in lives.iter().filter(|life| life.responses > 1) {
        let n = life.responses as f64;
        let mean = life.service / n;
        // Deviations are relative to each connection's mean, because the service times of a slow
        // connection vary more in seconds.
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
            ..Life::default()
        }
    }

    #[test]
    fn connections_that_share_a_worker_are_an_uneven_spread() {
        // Four workers with 3, 2, 2 and 1 connections: in a second each worker completes 500
        // requests, in a short warm-up 15.
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
        // Long requests that are not rare are those of a crowded worker.
        let crowded = |responses: u64| Life {
            longest: 1.0 / responses as f64,
            ..life(responses, 1_000_000_000, 0.0)
        };
        let crowded = [4, 4, 4, 4, 6, 6, 6, 12, 12, 25].map(crowded);
        assert!(Spread::of(&crowded).unwrap().variation < 1e-9);
    }

    #[test]
    fn chance_is_not_an_uneven_spread() {
        // The slowest and the fastest connection are four standard deviations apart.
        assert!(!spread(&[12, 16, 20, 20, 25, 30], 1.0).unwrap().is_uneven());
        assert!(!spread(&[2, 9, 3, 1], 1.0).unwrap().is_uneven());
        // A difference of a few responses is not an uneven spread.
        assert!(!spread(&[3, 4, 5, 6], 0.0).unwrap().is_uneven());
        assert_eq!(spread(&[7], 0.0), None);
    }

    /// A connection that was open for two seconds: `short` requests of equal length in the time that
    /// is left, after `long` requests of 0.4 s.
    fn with_long(short: u64, long: u64) -> Life {
        let (n, times) = (short as f64, long as f64);
        let each = (2.0 - 0.4 * times) / n;
        Life {
            responses: short + long,
            nanos: 2_000_000_000,
            service: 2.0,
            service_squared: n * each * each + times * 0.16,
            longest: if long > 0 { 0.4 } else { each },
            ..Life::default()
        }
    }

    #[test]
    fn rare_long_requests_are_not_an_uneven_spread() {
        // Every hundredth request takes 0.4 s instead of 20 ms, which hits connections unequally.
        let mut lives = vec![with_long(100, 0); 6];
        lives.extend([with_long(80, 1); 5]);
        lives.extend([with_long(60, 2); 3]);
        lives.extend([with_long(40, 3), with_long(20, 4)]);
        let found = Spread::of(&lives).unwrap();
        assert!(found.fastest > 4.0 * found.slowest, "{found:?}");
        assert!(!found.is_uneven(), "{found:?}");
        // A request without a response in the window occupies a connection all the time.
        let mut lives = vec![with_long(360, 0); 14];
        lives.extend([0, 100].map(|responses| {
            let time = responses as f64 / 180.0;
            Life {
                responses,
                nanos: 2_000_000_000,
                service: time,
                service_squared: time / 180.0,
                unfinished: 1,
                unfinished_time: 2.0 - time,
                unfinished_squared: (2.0 - time).powi(2),
                longest: 2.0 - time,
            }
        }));
        let found = Spread::of(&lives).unwrap();
        assert_eq!(found.slowest, 0.0);
        assert!(!found.is_uneven(), "{found:?}");
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
