//! Sequential test of whether a share is below the allowed share, repeated after every probe.
//!
//! The test uses the same nominal level at each of [`LOOKS`] looks (S. J. Pocock, "Group sequential
//! methods in the design and analysis of clinical trials", Biometrika 64, 1977, table 1). Over all
//! looks, a share above the allowed share is decided as *below* with a probability of at most
//! [`SHARE_ERROR`], and a share below as *above* with a probability of at most [`SHARE_ERROR`].
//! Counts are treated as Poisson distributed. The test statistic is the signed root of the deviance
//! with a continuity correction (P. McCullagh and J. Nelder, *Generalized Linear Models*, 2nd ed.
//! 1989, sections 6.2 and 9.2). A share close to the allowed share stays undecided.
//!
//! A single pause can delay many requests beyond the limit, such as 50 ms. These requests count as
//! one event. Counts are therefore divided by the design effect: the variance of the counts per
//! second divided by the variance for independent requests (L. Kish, *Survey Sampling*, 1965,
//! section 5.4). The design effect is an estimate, so the stated error is approximate; this
//! module's tests simulate the error.

/// Maximum probability of deciding "below" although the share is above the allowed share. The same
/// maximum applies to a wrong "above".
pub const SHARE_ERROR: f64 = 0.05;
/// Maximum number of tests at one rate.
pub(crate) const LOOKS: usize = 6;
/// Critical value at each of six looks for an error of [`SHARE_ERROR`] on each side, 0.10 in total
/// (Pocock, table 1).
const CRITICAL: f64 = 2.164;
/// The critical value plus a margin for chance, used to plan the length of probes.
const EXPECTED: f64 = 2.55;
/// Minimum number of seconds to estimate how unevenly requests beyond the limit are spread over
/// time.
pub(crate) const FEWEST_SECONDS: usize = 3;

/// The estimate of how events are spread over time uses at least this number of frequencies, the
/// lowest ones.
const FEWEST_FREQUENCIES: usize = 3;
/// In long measurements, the estimate uses more frequencies: one per this number of measured
/// seconds, again the lowest ones. The periods of these frequencies are at least this number of
/// seconds.
const SECONDS_PER_FREQUENCY: usize = 24;

/// Request counts of one second or of a shorter interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Second {
    /// Requests beyond the limit, such as requests slower than 50 ms.
    pub beyond: u64,
    /// Requests beyond the limit that a stall of the machine may have delayed. Excused requests do
    /// not count against the target.
    pub excused: u64,
    /// All requests.
    pub all: u64,
    /// Whether a stall of the machine disturbed the second (see [`DISTURBED`]) and the second meets
    /// the limit if the excused requests count as within the limit. A void second is no evidence
    /// that the target failed.
    pub is_void: bool,
}

/// A stall disturbs a second if the share of requests that the stall may have delayed exceeds this
/// fraction of the allowed share.
pub const DISTURBED: f64 = 0.5;

impl Second {
    /// Counts of one second, with [`Second::is_void`] computed. A stall may have delayed `delayed`
    /// requests. `allowed` is the allowed share of requests beyond the limit, 0 to 1.
    pub fn judged((beyond, excused, all): (u64, u64, u64), delayed: u64, allowed: f64) -> Self {
        let share = |count: u64| count as f64 / all.max(1) as f64;
        Self {
            beyond,
            excused,
            all,
            is_void: share(delayed) > DISTURBED * allowed && share(beyond - excused) <= allowed,
        }
    }

    /// This second, with the excused requests counted as within the limit.
    pub(crate) fn certain(self) -> Self {
        Self {
            beyond: self.beyond - self.excused,
            excused: 0,
            ..self
        }
    }
}

/// Sums over several seconds at one rate or at neighbouring rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counted {
    pub(crate) beyond: f64,
    pub(crate) all: f64,
    /// Seconds with requests.
    pub(crate) seconds: usize,
    /// Seconds with a request beyond the limit.
    pub(crate) hit: usize,
    /// Number of requests beyond the limit that count as one event, at least 1.
    pub(crate) event: f64,
    /// Number of requests beyond the limit that count as one event if seconds of the same probe are
    /// dependent, at least 1.
    event_of_probes: f64,
    /// The lowest and the highest share beyond the limit among the probes.
    shares: (f64, f64),
}

impl Counted {
    /// Sums the counts of the seconds of all `probes`.
    pub(crate) fn of(probes: &[&[Second]]) -> Self {
        let seconds = probes.iter().copied().flatten();
        let filled: Vec<Second> = seconds.filter(|second| second.all > 0).copied().collect();
        let beyond = filled.iter().map(|s| s.beyond).sum::<u64>() as f64;
        let all = filled.iter().map(|s| s.all).sum::<u64>() as f64;
        let sums = probes.iter().map(|p| sum(p)).filter(|p| p.all > 0);
        let sums: Vec<Second> = sums.collect();
        let shares = sums.iter().map(|p| p.beyond as f64 / p.all as f64);
        Self {
            beyond,
            all,
            event_of_probes: design_effect(&sums, beyond, all).max(1.0),
            shares: shares.fold((1.0, 0.0), |(low, high), share| {
                (f64::min(low, share), f64::max(high, share))
            }),
            seconds: filled.len(),
            hit: filled.iter().filter(|s| s.beyond > 0).count(),
            event: event(&filled, beyond, all),
        }
    }

    /// These counts, with the field `event` replaced by the argument `event` if that is larger.
    pub(crate) fn with_events_of(self, event: f64) -> Self {
        Self {
            event: self.event.max(event),
            ..self
        }
    }

    /// Whether the share beyond the limit is below the allowed share; `None` if undecided.
    pub(crate) fn is_below(&self, allowed: f64) -> Option<bool> {
        let (lowest, highest) = self.shares;
        // If probes contradict each other, a disturbance of a whole probe counts as one event.
        let event = if lowest <= allowed && allowed < highest {
            self.event.max(self.event_of_probes)
        } else {
            self.event
        };
        let expected = self.all * allowed / event;
        let events = self.beyond / event;
        if events + 0.5 < expected && deviate(events + 0.5, expected) >= CRITICAL {
            // A few seconds without a pause are no evidence against rare pauses.
            return (self.seconds >= FEWEST_SECONDS).then_some(true);
        }
        let is_above = events - 0.5 > expected && deviate(events - 0.5, expected) >= CRITICAL;
        is_above.then_some(false)
    }

    /// Total number of requests needed for a decision if the share beyond the limit stays as
    /// observed.
    pub(crate) fn needed(&self, allowed: f64) -> f64 {
        let share = if self.all > 0.0 {
            self.beyond / self.all
        } else {
            0.0
        };
        self.needed_at(share, allowed)
    }

    /// Total number of requests needed for a decision if the share beyond the limit is `share`.
    pub(crate) fn needed_at(&self, share: f64, allowed: f64) -> f64 {
        // The deviance is proportional to the number of requests, except for the continuity
        // correction.
        let enough = EXPECTED.powi(2) / 2.0 + 0.7;
        enough * self.event / (deviate(share, allowed).powi(2) / 2.0)
    }
}

/// Absolute signed root of the deviance of a Poisson count: a standard normal deviate.
fn deviate(count: f64, expected: f64) -> f64 {
    let log = if count > 0.0 {
        count * (count / expected).ln()
    } else {
        0.0
    };
    (2.0 * (log - count + expected).max(0.0)).sqrt()
}

/// The design effect, at least 1. Accounts for events longer than a second and for regular events.
fn event(seconds: &[Second], beyond: f64, all: f64) -> f64 {
    if seconds.len() < FEWEST_SECONDS {
        // The size of events is unknown: all requests of a second may belong to one event.
        let most = seconds.iter().map(|s| s.beyond).max().unwrap_or(0) as f64;
        return (most * (1.0 - beyond / all)).max(1.0);
    }
    if seconds.len() <= 2 * FEWEST_FREQUENCIES {
        // With few seconds the estimate is uncertain, and an underestimate does more harm than an
        // overestimate: add 1/n of the effect of one event per second.
        let hit = seconds.iter().filter(|s| s.beyond > 0).count().max(1) as f64;
        let n = seconds.len() as f64;
        let effect = design_effect(seconds, beyond, all).max(1.0);
        return ((effect * (n + 1.0) + beyond / hit) / n).max(1.0);
    }
    let frequencies = FEWEST_FREQUENCIES.max(seconds.len() / SECONDS_PER_FREQUENCY);
    let effect = long_run_effect(seconds, beyond, all, frequencies);
    (effect * of_student(2 * frequencies)).max(1.0)
}

/// The long-run design effect, from the lowest frequencies of the counts per second (P.
/// Heidelberger and P. D. Welch, "A spectral method for confidence interval generation and run
/// length control in simulations", Communications of the ACM 24, 1981). Each frequency has two
/// degrees of freedom. Random events have the same power at all frequencies; regular events have
/// little power below the frequency of the events.
fn long_run_effect(seconds: &[Second], beyond: f64, all: f64, frequencies: usize) -> f64 {
    let n = seconds.len() as f64;
    let share = beyond / all;
    if beyond <= 0.0 || share >= 1.0 {
        return 1.0;
    }
    let power = |frequency: usize| {
        let turn = std::f64::consts::TAU * frequency as f64 / n;
        let sum = seconds
            .iter()
            .enumerate()
            .fold((0.0, 0.0), |sum, (at, second)| {
                let excess = second.beyond as f64 - share * second.all as f64;
                let (sin, cos) = (turn * at as f64).sin_cos();
                (sum.0 + excess * cos, sum.1 + excess * sin)
            });
        f64::powi(sum.0, 2) + f64::powi(sum.1, 2)
    };
    let powers: f64 = (1..=frequencies).map(power).sum();
    powers / frequencies as f64 / (share * (1.0 - share) * all)
}

fn sum(seconds: &[Second]) -> Second {
    Second {
        beyond: seconds.iter().map(|s| s.beyond).sum(),
        all: seconds.iter().map(|s| s.all).sum(),
        ..Second::default()
    }
}

/// Variance of the counts beyond the limit divided by the variance for independent requests.
fn design_effect(clusters: &[Second], beyond: f64, all: f64) -> f64 {
    let n = clusters.len() as f64;
    let share = beyond / all;
    if beyond <= 0.0 || share >= 1.0 || n < 2.0 {
        return 1.0;
    }
    let squares: f64 = clusters
        .iter()
        .map(|s| (s.beyond as f64 - share * s.all as f64).powi(2))
        .sum();
    squares / (share * (1.0 - share) * all) * n / (n - 1.0)
}

/// Factor for a variance that was estimated with `freedom` degrees of freedom: the squared ratio of
/// Student's critical value to the normal critical value (M. Abramowitz and I. Stegun, *Handbook of
/// Mathematical Functions*, 26.7.5).
fn of_student(freedom: usize) -> f64 {
    let (z, v) = (CRITICAL, freedom.max(1) as f64);
    let first = (z.powi(2) + 1.0) / (4.0 * v);
    let second = (5.0 * z.powi(4) + 16.0 * z.powi(2) + 3.0) / (96.0 * v * v);
    (1.0 + first + second).powi(2)
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// A second of 1,000 requests with random events, `rate` per second; each event puts `size`
    /// requests beyond the limit.
    fn second(rng: &mut StdRng, rate: f64, size: u64) -> Second {
        // Counts how many exponential intervals fit into a second, which gives a Poisson
        // distribution.
        let (mut events, mut left) = (0, 1.0);
        loop {
            left += (1.0 - rng.random::<f64>()).ln() / rate;
            if left < 0.0 {
                break;
            }
            events += 1;
        }
        Second {
            beyond: (events * size).min(1_000),
            all: 1_000,
            ..Second::default()
        }
    }

    /// The shares of 800 sequential tests that end with the decision *below* and with *above*. The
    /// true share is `times` the allowed share. Each test has up to six looks, after 3, 9, 21, 33,
    /// 45 and 57 seconds.
    fn decided(times: f64, size: u64, allowed: f64) -> (f64, f64) {
        let mut rng = StdRng::seed_from_u64(11);
        let rate = times * allowed * 1_000.0 / size as f64;
        let (mut below, mut above) = (0, 0);
        for _ in 0..800 {
            let mut seen = Vec::new();
            for length in [3, 6, 12, 12, 12, 12] {
                let probe = (0..length).map(|_| second(&mut rng, rate, size));
                seen.push(probe.collect::<Vec<_>>());
                let probes: Vec<&[Second]> = seen.iter().map(Vec::as_slice).collect();
                match Counted::of(&probes).is_below(allowed) {
                    Some(true) => below += 1,
                    Some(false) => above += 1,
                    None => continue,
                }
                break;
            }
        }
        (f64::from(below) / 800.0, f64::from(above) / 800.0)
    }

    #[test]
    fn a_share_at_the_limit_is_rarely_called_below_or_above_it() {
        for (size, allowed) in [(1, 0.01), (1, 0.001), (5, 0.01)] {
            let (below, above) = decided(1.0, size, allowed);
            // With 800 tests, the observed error has a standard deviation of 0.8 %; the limit
            // allows two.
            let most = SHARE_ERROR + 0.015;
            assert!(below <= most, "{below} of events of {size}, {allowed}");
            assert!(above <= most, "{above} of events of {size}, {allowed}");
        }
    }

    #[test]
    fn a_share_away_from_the_limit_is_decided() {
        let (below, above) = decided(0.3, 1, 0.01);
        assert!(below > 0.97 && above < 0.02, "{below} {above}");
        let (below, above) = decided(3.0, 1, 0.01);
        assert!(above > 0.97 && below < 0.02, "{below} {above}");
        let (below, above) = decided(4.0, 20, 0.01);
        assert!(above > 0.9 && below < 0.05, "{below} {above}");
    }

    #[test]
    fn one_event_decides_nothing_and_none_needs_enough_requests() {
        let of = |beyond, all| Second {
            beyond,
            all,
            ..Second::default()
        };
        let quiet = |all| of(0, all);
        let one = [quiet(1_000), of(60, 1_000), quiet(1_000)];
        assert_eq!(Counted::of(&[&one]).is_below(0.01), None);
        assert_eq!(Counted::of(&[&[quiet(100); 3]]).is_below(0.01), None);
        assert_eq!(Counted::of(&[&[quiet(200); 3]]).is_below(0.01), Some(true));
        assert_eq!(
            Counted::of(&[&[quiet(9_000)]]).is_below(0.01),
            None,
            "too short"
        );
        assert_eq!(Counted::of(&[]).is_below(0.01), None);
        let outage = [of(900, 1_000); 4];
        let probes = [&[quiet(1_000); 4][..], &outage, &[quiet(1_000); 4]];
        assert_eq!(
            Counted::of(&probes).is_below(0.01),
            None,
            "one probe of three"
        );
        let all = [of(500, 500); 3];
        assert_eq!(Counted::of(&[&all]).is_below(0.01), Some(false));
    }

    #[test]
    fn the_requests_that_are_needed_are_about_enough() {
        for share in [0.0, 0.002, 0.03] {
            let of = |seconds: u64| -> Vec<Second> {
                let beyond = (share * 1_000.0) as u64;
                (0..seconds)
                    .map(|_| Second {
                        beyond,
                        all: 1_000,
                        ..Second::default()
                    })
                    .collect()
            };
            let first = Counted::of(&[&of(3)]);
            let seconds = (first.needed(0.01) / 1_000.0).ceil() as u64;
            let found = Counted::of(&[&of(seconds.max(3))]).is_below(0.01);
            assert_eq!(found, Some(share < 0.01), "{share}: {seconds} s");
        }
    }
}
