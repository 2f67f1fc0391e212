//! Stop rules decide when a thread issues no more operations.

/// Decides when a thread has issued its last operation of a slice.
pub trait StopRule: Send {
    /// The operations that the rule allows. Called once, so that the hot path only compares
    /// numbers.
    fn allowance(&self) -> Allowance;
}

/// The operations that a thread can issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Only operations with an intended start before this time, nanoseconds since the origin.
    pub until: u64,
    /// At most this many operations.
    pub operations: u64,
}

impl Allowance {
    /// All operations.
    pub const UNLIMITED: Self = Self {
        until: u64::MAX,
        operations: u64::MAX,
    };

    /// The operations that all of `rules` allow.
    pub fn of_all(rules: &[Box<dyn StopRule>]) -> Self {
        rules.iter().fold(Self::UNLIMITED, |all, rule| {
            let one = rule.allowance();
            Self {
                until: all.until.min(one.until),
                operations: all.operations.min(one.operations),
            }
        })
    }
}

/// The rules of a thread: no operation starts at `close` or later, and at most `requests`
/// operations, if set.
pub(crate) fn rules(close: u64, requests: Option<u64>) -> Vec<Box<dyn StopRule>> {
    let mut rules: Vec<Box<dyn StopRule>> = vec![Box::new(AtTime(close))];
    if let Some(count) = requests {
        rules.push(Box::new(AfterCount(count)));
    }
    rules
}

/// The share of `total` operations that thread `thread` of `threads` issues.
pub(crate) fn share(total: u64, thread: usize, threads: usize) -> u64 {
    let (thread, threads) = (thread as u64, threads as u64);
    total / threads + u64::from(thread < total % threads)
}

/// The share of `total` operations for a thread with the connections `first..last` out of
/// `connections`. A thread with more connections issues more operations, so that all threads end at
/// about the same time.
pub(crate) fn share_by_connections(total: u64, first: u64, last: u64, connections: u64) -> u64 {
    let until = |connection: u64| {
        let scaled = u128::from(total) * u128::from(connection);
        (scaled / u128::from(connections.max(1))) as u64
    };
    until(last) - until(first)
}

/// The number of operations of each generator thread in a closed loop, if `threads` threads share
/// `total` operations and `connections`. A slice splits [`tenbin_plan::Load::requests`] in this
/// way.
pub fn shares(total: u64, connections: usize, threads: usize) -> Vec<u64> {
    let connections = connections as u64;
    let mut last = 0;
    let each = (0..threads).map(|thread| {
        let first = last;
        last += share(connections, thread, threads);
        share_by_connections(total, first, last, connections)
    });
    each.collect()
}

struct AtTime(u64);

impl StopRule for AtTime {
    fn allowance(&self) -> Allowance {
        Allowance {
            until: self.0,
            ..Allowance::UNLIMITED
        }
    }
}

struct AfterCount(u64);

impl StopRule for AfterCount {
    fn allowance(&self) -> Allowance {
        Allowance {
            operations: self.0,
            ..Allowance::UNLIMITED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{share, share_by_connections, shares};

    #[test]
    fn connections_get_like_shares_and_none_is_lost() {
        // Two threads share five connections: three and two.
        assert_eq!(share_by_connections(1000, 0, 3, 5), 600);
        assert_eq!(share_by_connections(1000, 3, 5, 5), 400);
        for total in [0, 1, 7, 1000, u64::MAX] {
            let parts = [(0, 3), (3, 5), (5, 7)];
            let shares = parts.map(|(first, last)| share_by_connections(total, first, last, 7));
            assert_eq!(shares.iter().sum::<u64>(), total);
        }
    }

    #[test]
    fn threads_share_by_their_connections() {
        assert_eq!(shares(1_000, 5, 2), [600, 400]);
        assert_eq!(shares(1_000, 1, 3), [1_000, 0, 0]);
    }

    #[test]
    fn shares_add_up_to_the_total() {
        for total in [0, 1, 7, 1000] {
            for threads in 1..9 {
                let sum: u64 = (0..threads).map(|t| share(total, t, threads)).sum();
                assert_eq!(sum, total);
            }
        }
    }
}
