//! How far the clock of another machine is from this machine's clock.
//!
//! Four times are known of a probe: sent (here), received (there), replied (there), returned (here).
//! The difference of the clocks is estimated as in NTP (RFC 5905, section 8), from the probe with
//! the shortest round trip. The estimate is off by at most half of that round trip.

/// A probe: four times in nanoseconds, the first and the last on this machine's clock, the others
/// on the other machine's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) replied: u64,
    pub(crate) returned: u64,
}

impl Probe {
    /// Time on the network, both ways, nanoseconds.
    fn round_trip(self) -> u64 {
        let here = self.returned.saturating_sub(self.sent);
        here.saturating_sub(self.replied.saturating_sub(self.received))
    }
}

/// The clock of another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OtherClock {
    /// What must be added to a time on this machine's clock, nanoseconds.
    ahead: i128,
    /// Largest possible error of `ahead`, nanoseconds.
    pub(crate) error: u64,
}

impl OtherClock {
    /// The estimate from `probes`; `None` without probes.
    pub(crate) fn estimate(probes: &[Probe]) -> Option<Self> {
        let best = probes.iter().min_by_key(|probe| probe.round_trip())?;
        let there = i128::from(best.received) + i128::from(best.replied);
        let here = i128::from(best.sent) + i128::from(best.returned);
        Some(Self {
            ahead: (there - here) / 2,
            error: best.round_trip().div_ceil(2),
        })
    }

    /// The shortest round trip of the probes, nanoseconds.
    pub(crate) fn round_trip(self) -> u64 {
        2 * self.error
    }

    /// The time on the other clock at which this machine's clock shows `here`; 0 before its origin.
    pub(crate) fn at(self, here: u64) -> u64 {
        u64::try_from(i128::from(here) + self.ahead).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_with_the_shortest_round_trip_decides() {
        // The other clock is 1,000,000 ns ahead.
        let slow = Probe {
            sent: 100,
            received: 1_005_100,
            replied: 1_005_200,
            returned: 5_300,
        };
        let quick = Probe {
            sent: 10_000,
            received: 1_010_050,
            replied: 1_010_150,
            returned: 10_200,
        };
        let clock = OtherClock::estimate(&[slow, quick]).expect("an estimate");
        assert_eq!(clock.error, 50);
        assert_eq!(clock.at(20_000), 1_020_000);
        assert_eq!(OtherClock::estimate(&[]), None);
    }

    #[test]
    fn the_error_covers_a_network_that_is_slow_in_one_direction() {
        // All of the round trip is on the way there; the other clock is 500 ns behind.
        let probe = Probe {
            sent: 10_000,
            received: 12_000 - 500,
            replied: 12_000 - 500,
            returned: 12_000,
        };
        let clock = OtherClock::estimate(&[probe]).expect("an estimate");
        let truth = 20_000 - 500;
        assert!(clock.at(20_000).abs_diff(truth) <= clock.error);
    }
}
