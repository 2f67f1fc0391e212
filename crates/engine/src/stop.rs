//! When to issue no more operations.

/// Tells when a thread has issued its last operation of a slice.
pub trait StopRule: Send {
    /// True when no further operation is to be issued, given the intended start
    /// of the next one (nanoseconds since the origin) and the number issued.
    fn over(&self, next_start: u64, issued: u64) -> bool;

    /// How many more operations it allows at most, given the number issued.
    fn left(&self, issued: u64) -> u64 {
        let _ = issued;
        u64::MAX
    }
}

/// The rules of a slice: the window's end, and a share of a count if one is set.
pub(crate) fn rules(close: u64, requests: Option<u64>) -> Vec<Box<dyn StopRule>> {
    let mut rules: Vec<Box<dyn StopRule>> = vec![Box::new(AtTime(close))];
    if let Some(count) = requests {
        rules.push(Box::new(AfterCount(count)));
    }
    rules
}

/// The share that thread `thread` of `threads` has in `total` operations.
pub(crate) fn share(total: u64, thread: usize, threads: usize) -> u64 {
    let (thread, threads) = (thread as u64, threads as u64);
    total / threads + u64::from(thread < total % threads)
}

/// The share that a thread has in `total` operations by its share in all
/// `connections`: those numbered `first` to `last`, exclusively. So that threads
/// with more connections do not rest while the others still work.
pub(crate) fn share_by_connections(total: u64, first: u64, last: u64, connections: u64) -> u64 {
    let until = |connection: u64| {
        let scaled = u128::from(total) * u128::from(connection);
        (scaled / u128::from(connections.max(1))) as u64
    };
    until(last) - until(first)
}

struct AtTime(u64);

impl StopRule for AtTime {
    fn over(&self, next_start: u64, _issued: u64) -> bool {
        next_start >= self.0
    }
}

struct AfterCount(u64);

impl StopRule for AfterCount {
    fn over(&self, _next_start: u64, issued: u64) -> bool {
        issued >= self.0
    }

    fn left(&self, issued: u64) -> u64 {
        self.0.saturating_sub(issued)
    }
}

#[cfg(test)]
mod tests {
    use super::{share, share_by_connections};

    #[test]
    fn connections_get_like_shares_and_none_is_lost() {
        // Five connections on two threads: three and two.
        assert_eq!(share_by_connections(1000, 0, 3, 5), 600);
        assert_eq!(share_by_connections(1000, 3, 5, 5), 400);
        for total in [0, 1, 7, 1000, u64::MAX] {
            let parts = [(0, 3), (3, 5), (5, 7)];
            let shares = parts.map(|(first, last)| share_by_connections(total, first, last, 7));
            assert_eq!(shares.iter().sum::<u64>(), total);
        }
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
