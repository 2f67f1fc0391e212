//! What a cache does with the very sequence that is sent.

use tenbin_plan::CacheDial;

use super::sampler::Sampling;
use crate::single::CacheForecast;

/// Of a slice with more requests, so many of each worker are looked at.
const MOST_REPLAYED: u64 = 5_000_000;
/// Requests that the forecast before a run is made of, as a multiple of the patterns,
/// and at least.
const PASSES: u64 = 20;
const FEWEST_FORECAST: u64 = 20_000;
const MOST_FORECAST: u64 = 2_000_000;
/// Share by which forecast and wish may part without a word.
const WORTH_A_WORD: f64 = 0.05;

/// Forecasts hits: one cache for each host, or one that all hosts share, which forgets the
/// least recently used answer, fed with what is sent in the order in which it is drawn. What
/// comes of requests that are out at the same time is not in it.
#[derive(Clone)]
pub(super) struct Forecaster {
    caches: Vec<Lru>,
    hosts: usize,
    /// By pattern: whether its answer may be cached.
    cacheable: Vec<bool>,
}

impl Forecaster {
    pub(super) fn new(size: u32, cacheable: Vec<bool>, hosts: usize, shared: bool) -> Self {
        let patterns = cacheable.len();
        let caches = if shared { 1 } else { hosts };
        Self {
            caches: (0..caches).map(|_| Lru::new(size, patterns)).collect(),
            hosts,
            cacheable,
        }
    }

    /// The caches are empty again.
    pub(super) fn forget(&mut self) {
        let patterns = self.cacheable.len();
        for cache in &mut self.caches {
            *cache = Lru::new(cache.size, patterns);
        }
    }

    /// A host is asked these patterns once, one after the other.
    pub(super) fn asked(&mut self, host: usize, patterns: &[u32]) {
        for &pattern in patterns {
            self.look(host, pattern);
        }
    }

    /// What becomes of so many requests by worker and host, from the begin of the
    /// sequence. Workers take turns, and so do hosts.
    pub(super) fn replay(&mut self, sampling: &Sampling, drawn: &[Vec<u64>]) -> CacheForecast {
        let mut forecast = CacheForecast::default();
        let mut players: Vec<Player> = drawn
            .iter()
            .enumerate()
            .map(|(worker, drawn)| Player::new(worker, drawn))
            .collect();
        let mut samplers: Vec<_> = (0..drawn.len()).map(|at| sampling.sampler(at)).collect();
        let most = players.iter().map(|player| player.left).max().unwrap_or(0);
        for _ in 0..most.min(MOST_REPLAYED) {
            for player in &mut players {
                let Some(host) = player.next_host() else {
                    continue;
                };
                let pattern = samplers[player.worker].next(host);
                if let Some(hit) = self.look(host, pattern) {
                    forecast.lookups += 1;
                    forecast.hits += u64::from(hit);
                }
            }
        }
        forecast
    }

    /// What is to be expected, in a sentence.
    pub(super) fn sentence(&self, sampling: &Sampling, dial: CacheDial) -> Option<String> {
        let patterns = self.cacheable.len() as u64;
        let requests = (patterns * PASSES).clamp(FEWEST_FORECAST, MOST_FORECAST);
        let each = requests / (sampling.workers() * self.hosts) as u64 + 1;
        let drawn = vec![vec![each; self.hosts]; sampling.workers()];
        let mut warm = self.clone();
        warm.replay(sampling, &drawn);
        let share = warm.replay(sampling, &drawn).share()?;
        let mut sentence = format!(
            "a cache of {} answers is expected to have {:.1} % of them once it is filled, by \
             simulation of the sequence that is sent",
            dial.size,
            share * 100.0
        );
        let wish = dial.hit.map(|hit| hit.share());
        if wish.is_some_and(|wish| (wish - share).abs() > WORTH_A_WORD) {
            sentence += "; that is not what cache_hit asks for, since it is the number of patterns \
                         that are all drawn alike (order = \"weighted\")";
        }
        Some(sentence)
    }

    /// `None` for what no cache keeps.
    fn look(&mut self, host: usize, pattern: u32) -> Option<bool> {
        let cache = host % self.caches.len();
        self.cacheable[pattern as usize].then(|| self.caches[cache].look(pattern))
    }
}

/// Goes through what one worker has drawn for its hosts: each host in its share, as
/// evenly as that can be done.
struct Player {
    worker: usize,
    drawn: Vec<u64>,
    credit: Vec<i64>,
    all: u64,
    left: u64,
}

impl Player {
    fn new(worker: usize, drawn: &[u64]) -> Self {
        let all = drawn.iter().sum();
        Self {
            worker,
            drawn: drawn.to_vec(),
            credit: vec![0; drawn.len()],
            all,
            left: all,
        }
    }

    fn next_host(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        if self.drawn.len() == 1 {
            return Some(0);
        }
        for (credit, drawn) in self.credit.iter_mut().zip(&self.drawn) {
            *credit += *drawn as i64;
        }
        let richest = (0..self.credit.len()).max_by_key(|&host| (self.credit[host], !host))?;
        self.credit[richest] -= self.all as i64;
        Some(richest)
    }
}

/// No pattern.
const NONE: u32 = u32::MAX;

/// A cache that forgets what was used least recently, of patterns by their numbers: a
/// list that is linked both ways.
#[derive(Clone)]
struct Lru {
    size: u32,
    held: u32,
    /// By pattern: the one used just before and just after it, and whether it is held.
    links: Vec<(u32, u32, bool)>,
    newest: u32,
    oldest: u32,
}

impl Lru {
    fn new(size: u32, patterns: usize) -> Self {
        Self {
            size,
            held: 0,
            links: vec![(NONE, NONE, false); patterns],
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Whether it is there; it is afterwards.
    fn look(&mut self, pattern: u32) -> bool {
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

    use super::super::sampler::tests::{paths, patterns};
    use super::*;

    /// The newest last; the first goes.
    fn naive(size: usize, sequence: &[u32]) -> Vec<bool> {
        let mut held: Vec<u32> = Vec::new();
        let look = |&pattern: &u32| {
            let place = held.iter().position(|&other| other == pattern);
            match place {
                Some(place) => drop(held.remove(place)),
                None if held.len() == size => drop(held.remove(0)),
                None => {}
            }
            held.push(pattern);
            place.is_some()
        };
        sequence.iter().map(look).collect()
    }

    proptest! {
        #[test]
        fn the_cache_is_that_of_a_plain_list(
            size in 1..12u32,
            sequence in prop::collection::vec(0..20u32, 0..300),
        ) {
            let mut lru = Lru::new(size, 20);
            let hits: Vec<bool> = sequence.iter().map(|&pattern| lru.look(pattern)).collect();
            prop_assert_eq!(hits, naive(size as usize, &sequence));
        }
    }

    fn share(text: &str, keys: &str, hosts: usize) -> f64 {
        share_of(text, keys, hosts, false)
    }

    fn share_of(text: &str, keys: &str, hosts: usize, shared: bool) -> f64 {
        let patterns = patterns(text, keys);
        let cache = patterns.cache.unwrap();
        let set = match cache.patterns() {
            Some(count) => patterns.set.choose(count, 7).unwrap(),
            None => (*patterns.set).clone(),
        };
        let sampling = Sampling::new(&set, patterns.order, 7, None, 2);
        let mut forecaster = Forecaster::new(cache.size, vec![true; set.len()], hosts, shared);
        let drawn = vec![vec![40_000; hosts]; 2];
        forecaster.replay(&sampling, &drawn).share().unwrap()
    }

    #[test]
    fn as_many_patterns_as_the_rate_asks_for_make_that_rate() {
        for (hit, expected) in [("10%", 0.1), ("25%", 0.25), ("50%", 0.5), ("90%", 0.9)] {
            let keys = format!("cache_hit = \"{hit}\"");
            for hosts in [1, 3] {
                let found = share(&paths(1000), &keys, hosts);
                // 80,000 and more draws: the standard deviation is below 0.2 points.
                assert!(
                    (found - expected).abs() < 0.015,
                    "{hit}, {hosts} hosts: {found}"
                );
            }
        }
    }

    #[test]
    fn other_orders_are_simulated_as_they_are() {
        // Whoever goes round more than the cache holds finds nothing in it.
        let keys = "cache_size = 100\norder = \"sequential\"";
        assert_eq!(share(&paths(101), keys, 1), 0.0);
        assert!(share(&paths(100), keys, 1) > 0.99);
        let zipf = share(&paths(1000), "cache_size = 100\norder = \"zipf:1\"", 1);
        assert!((0.4..0.7).contains(&zipf), "{zipf}");
    }

    #[test]
    fn what_one_host_has_answered_all_that_share_a_cache_know() {
        let keys = "cache_size = 100\norder = \"sequential\"";
        assert!(share_of(&paths(100), keys, 3, true) > 0.99);
        assert_eq!(share_of(&paths(101), keys, 3, true), 0.0);
        let dial = "cache_hit = \"50%\"";
        let found = share_of(&paths(1000), dial, 3, true);
        assert!((found - 0.5).abs() < 0.015, "{found}");
    }

    #[test]
    fn hosts_take_turns_by_what_they_were_sent() {
        let mut player = Player::new(0, &[2, 1]);
        let hosts: Vec<_> = std::iter::from_fn(|| player.next_host()).collect();
        assert_eq!(hosts, [0, 1, 0]);
    }

    #[test]
    fn a_forecast_that_is_not_what_was_asked_for_says_so() {
        let said = |keys: &str| {
            let patterns = patterns(&paths(200), keys);
            let sampling = Sampling::new(&patterns.set, patterns.order, 7, None, 1);
            let forecaster = Forecaster::new(100, vec![true; 200], 1, false);
            forecaster
                .sentence(&sampling, patterns.cache.unwrap())
                .unwrap()
        };
        assert!(!said("cache_hit = \"50%\"").contains("not what"));
        assert!(said("cache_hit = \"50%\"\norder = \"sequential\"").contains("not what"));
    }
}
