//! When to issue no more operations.

/// Tells when a thread has issued its last operation of a slice.
pub trait StopRule: Send {
    /// True when no further operation is to be issued, given the intended start
    /// of the next one (nanoseconds since the origin) and the number issued.
    fn over(&self, next_start: u64, issued: u64) -> bool;
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
}

#[cfg(test)]
mod tests {
    use super::share;

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
