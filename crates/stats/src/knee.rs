//! The knee of a concurrency sweep: beyond it, more clients add little throughput.

use serde::Serialize;

/// A number of clients is below the knee if up to two doublings of the clients raise the throughput
/// by at least this share.
pub const KNEE_GAIN: f64 = 0.03;

/// The knee: the lowest number of clients at which up to two doublings of the clients raise the
/// throughput by less than [`KNEE_GAIN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Knee {
    /// The knee was found.
    At {
        /// Number of clients at the knee.
        clients: usize,
    },
    /// The knee is at this number of clients or higher: two further doublings were not tested.
    AtLeast {
        /// Lower bound of the number of clients at the knee.
        clients: usize,
    },
}

impl Knee {
    /// The number of clients at the knee, or the lower bound of this number.
    pub fn clients(self) -> usize {
        match self {
            Self::At { clients } | Self::AtLeast { clients } => clients,
        }
    }
}

/// The knee among `levels` of (clients, throughput), in ascending order of clients. The knee is the
/// lowest number of clients N for which all levels above N, up to 4N, have less than
/// 1 + [`KNEE_GAIN`] times the throughput at N. `None` without levels.
pub fn knee(levels: &[(usize, f64)]) -> Option<Knee> {
    let most = levels.last()?.0;
    let gains = |at: usize| {
        let (clients, throughput) = levels[at];
        let above = levels[at + 1..].iter();
        let mut near = above.take_while(|(n, _)| *n <= 4 * clients);
        near.any(|(_, x)| *x >= throughput * (1.0 + KNEE_GAIN))
    };
    let at = (0..levels.len()).find(|&at| !gains(at))?;
    let clients = levels[at].0;
    // If the next level is more than two doublings away, no level tests whether this is the knee.
    let tested = most >= 4 * clients;
    let skipped = levels.get(at + 1).is_some_and(|(n, _)| *n > 4 * clients);
    Some(if tested && !skipped {
        Knee::At { clients }
    } else {
        Knee::AtLeast { clients }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(throughputs: &[f64]) -> Option<Knee> {
        let levels = throughputs.iter().enumerate();
        let levels: Vec<(usize, f64)> = levels.map(|(at, &x)| (1 << at, x)).collect();
        knee(&levels)
    }

    #[test]
    fn the_first_level_that_two_doublings_do_not_better_is_the_knee() {
        // Four workers.
        let four = [100.0, 200.0, 400.0, 400.0, 401.0, 399.0];
        assert_eq!(found(&four), Some(Knee::At { clients: 4 }));
        // Two gains of 2 % exceed 3 % together.
        let slow = [100.0, 200.0, 204.0, 208.1, 208.1, 208.1];
        assert_eq!(found(&slow), Some(Knee::At { clients: 4 }));
        let falling = [100.0, 90.0, 50.0];
        assert_eq!(found(&falling), Some(Knee::At { clients: 1 }));
    }

    #[test]
    fn an_untested_knee_is_not_claimed() {
        let rising = [100.0, 200.0, 400.0, 800.0];
        assert_eq!(found(&rising), Some(Knee::AtLeast { clients: 8 }));
        let once = [100.0, 200.0, 400.0, 400.0];
        assert_eq!(found(&once), Some(Knee::AtLeast { clients: 4 }));
        let gap = [(1, 100.0), (8, 100.0)];
        assert_eq!(knee(&gap), Some(Knee::AtLeast { clients: 1 }));
        assert_eq!(knee(&[]), None);
    }
}
