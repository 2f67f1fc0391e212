//! A least-recently-used cache.

/// No pattern: the end of the list.
const NONE: u32 = u32::MAX;

/// A least-recently-used cache of pattern numbers: a doubly linked list.
#[derive(Debug)]
pub(super) struct Lru {
    pub(super) size: u32,
    held: u32,
    /// By pattern: the previous and the next pattern in order of use, and whether the pattern is
    /// cached.
    links: Vec<(u32, u32, bool)>,
    newest: u32,
    oldest: u32,
}

impl Lru {
    pub(super) fn new(size: u32) -> Self {
        Self {
            size,
            held: 0,
            links: Vec::new(),
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Returns whether a pattern is cached, and makes the pattern the most recently used.
    pub(super) fn lookup(&mut self, pattern: u32) -> bool {
        if self.links.len() <= pattern as usize {
            self.links.resize(pattern as usize + 1, (NONE, NONE, false));
        }
        let hit = self.links[pattern as usize].2;
        if hit {
            self.unlink(pattern);
        } else if self.held == self.size {
            let oldest = self.oldest;
            self.unlink(oldest);
            self.links[oldest as usize].2 = false;
        } else {
            self.held += 1;
        }
        self.push(pattern);
        hit
    }

    fn push(&mut self, pattern: u32) {
        let before = self.newest;
        self.links[pattern as usize] = (before, NONE, true);
        match before {
            NONE => self.oldest = pattern,
            before => self.links[before as usize].1 = pattern,
        }
        self.newest = pattern;
    }

    fn unlink(&mut self, pattern: u32) {
        let (before, after, _) = self.links[pattern as usize];
        match before {
            NONE => self.oldest = after,
            before => self.links[before as usize].1 = after,
        }
        match after {
            NONE => self.newest = before,
            after => self.links[after as usize].0 = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reference implementation: a list with the newest entry last, whose first entry is evicted.
    fn naive(size: usize, sequence: &[u32]) -> Vec<bool> {
        let mut held: Vec<u32> = Vec::new();
        let lookup = |&pattern: &u32| {
            let place = held.iter().position(|&other| other == pattern);
            match place {
                Some(place) => drop(held.remove(place)),
                None if held.len() == size => drop(held.remove(0)),
                None => {}
            }
            held.push(pattern);
            place.is_some()
        };
        sequence.iter().map(lookup).collect()
    }

    proptest! {
        #[test]
        fn the_cache_is_that_of_a_plain_list(
            size in 1..12u32,
            sequence in prop::collection::vec(0..20u32, 0..300),
        ) {
            let mut lru = Lru::new(size);
            let hits: Vec<bool> = sequence.iter().map(|&pattern| lru.lookup(pattern)).collect();
            prop_assert_eq!(hits, naive(size as usize, &sequence));
        }
    }
}
