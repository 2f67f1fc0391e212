//! What a cache does with the very sequence that is sent.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenbin_plan::{CacheDial, Pattern, PatternSet, percent};

use super::lru::Lru;
use super::sampler::{Sampler, Sampling};
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

/// The simulated caches of one target. They belong to the target as the real ones do: what
/// one workload has sent, the next may find there.
#[derive(Debug, Default)]
pub(crate) struct Caches(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    /// Requests of all workloads, by a hash of method, path and body.
    numbers: HashMap<u64, u32>,
    caches: Vec<(Shape, Vec<Lru>)>,
}

/// What kind of caches a target has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Answers that one holds.
    pub(super) size: u32,
    pub(super) hosts: usize,
    /// All hosts share one; otherwise each has its own.
    pub(super) shared: bool,
}

impl Shape {
    fn empty(self) -> Vec<Lru> {
        let caches = if self.shared { 1 } else { self.hosts };
        (0..caches).map(|_| Lru::new(self.size)).collect()
    }
}

impl Contents {
    /// The numbers of the patterns among all requests of the target.
    fn numbers(&mut self, set: &PatternSet) -> Vec<u32> {
        let hasher = BuildHasherDefault::<DefaultHasher>::new();
        let key = |one: &Pattern| hasher.hash_one((&one.method, &one.path, &one.body));
        let keys = set.patterns().iter().map(key);
        keys.map(|key| {
            let next = self.numbers.len() as u32;
            *self.numbers.entry(key).or_insert(next)
        })
        .collect()
    }

    fn of(&mut self, shape: Shape) -> &mut Vec<Lru> {
        let known = self.caches.iter().position(|(own, _)| *own == shape);
        let at = known.unwrap_or_else(|| {
            self.caches.push((shape, shape.empty()));
            self.caches.len() - 1
        });
        &mut self.caches[at].1
    }
}

/// Forecasts hits: one cache for each host, or one that all hosts share, which forgets the
/// least recently used answer, fed with what is sent in the order in which it is drawn. What
/// comes of requests that are out at the same time is not in it.
pub(super) struct Forecaster {
    caches: Arc<Caches>,
    shape: Shape,
    /// By pattern: its number among all requests of the target, if its answer may be cached.
    numbers: Vec<Option<u32>>,
    /// What draws the sequence again, by worker.
    samplers: Vec<Sampler>,
}

impl Forecaster {
    pub(super) fn new(
        caches: &Arc<Caches>,
        shape: Shape,
        set: &PatternSet,
        cacheable: Vec<bool>,
        sampling: &Sampling,
    ) -> Self {
        let numbers = held(caches).numbers(set);
        let numbers = numbers.into_iter().zip(cacheable);
        Self {
            caches: Arc::clone(caches),
            shape,
            numbers: numbers
                .map(|(number, cacheable)| cacheable.then_some(number))
                .collect(),
            samplers: samplers(sampling),
        }
    }

    /// The caches of the target are empty again.
    pub(super) fn forget(&mut self) {
        held(&self.caches).caches.clear();
    }

    /// A host is asked these patterns once, one after the other.
    pub(super) fn asked(&mut self, host: usize, patterns: &[u32]) {
        let mut contents = held(&self.caches);
        let caches = contents.of(self.shape);
        for &pattern in patterns {
            look(caches, &self.numbers, host, pattern);
        }
    }

    /// Each worker leaves out so many requests.
    pub(super) fn skip(&mut self, left_out: &[u64]) {
        for (sampler, &count) in self.samplers.iter_mut().zip(left_out) {
            sampler.skip(count);
        }
    }

    /// What becomes of the next requests, so many by worker and host. Workers take turns,
    /// and so do hosts.
    pub(super) fn replay(&mut self, drawn: &[Vec<u64>]) -> CacheForecast {
        let mut contents = held(&self.caches);
        let caches = contents.of(self.shape);
        Self::play(caches, &self.numbers, &mut self.samplers, drawn)
    }

    fn play(
        caches: &mut [Lru],
        numbers: &[Option<u32>],
        samplers: &mut [Sampler],
        drawn: &[Vec<u64>],
    ) -> CacheForecast {
        let mut forecast = CacheForecast::default();
        let mut players: Vec<Player> = drawn
            .iter()
            .enumerate()
            .map(|(worker, drawn)| Player::new(worker, drawn))
            .collect();
        let most = players.iter().map(|player| player.left).max().unwrap_or(0);
        for turn in 0..most {
            for player in &mut players {
                let Some(host) = player.next_host() else {
                    continue;
                };
                let pattern = samplers[player.worker].next(host);
                if turn >= MOST_REPLAYED {
                    continue;
                }
                if let Some(hit) = look(caches, numbers, host, pattern) {
                    forecast.lookups += 1;
                    forecast.hits += u64::from(hit);
                }
            }
        }
        forecast
    }

    /// What is to be expected, in a sentence.
    pub(super) fn sentence(&self, sampling: &Sampling, dial: CacheDial) -> Option<String> {
        let patterns = self.numbers.len() as u64;
        let requests = (patterns * PASSES).clamp(FEWEST_FORECAST, MOST_FORECAST);
        let hosts = self.shape.hosts;
        let each = requests / (sampling.workers() * hosts) as u64 + 1;
        let drawn = vec![vec![each; hosts]; sampling.workers()];
        let (mut caches, mut samplers) = (self.shape.empty(), samplers(sampling));
        let mut play = || Self::play(&mut caches, &self.numbers, &mut samplers, &drawn);
        play();
        let share = play().share()?;
        let mut sentence = format!(
            "a cache of {} answers is expected to have {} of them once it is filled, by \
             simulation of the sequence that is sent",
            dial.size,
            percent(share)
        );
        let wish = dial.hit.map(|hit| hit.share());
        if wish.is_some_and(|wish| (wish - share).abs() > WORTH_A_WORD) {
            sentence += "; that is not what cache_hit asks for, since it is the number of patterns \
                         that are all drawn alike (order = \"weighted\")";
        }
        Some(sentence)
    }
}

fn samplers(sampling: &Sampling) -> Vec<Sampler> {
    let workers = 0..sampling.workers();
    workers.map(|worker| sampling.sampler(worker)).collect()
}

fn held(caches: &Caches) -> MutexGuard<'_, Contents> {
    caches.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a host has the answer; `None` for what no cache keeps.
fn look(caches: &mut [Lru], numbers: &[Option<u32>], host: usize, pattern: u32) -> Option<bool> {
    let cache = host % caches.len();
    numbers[pattern as usize].map(|number| caches[cache].look(number))
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

#[cfg(test)]
mod tests {
    use super::super::sampler::tests::{paths, patterns};
    use super::*;

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
        let sampling = Sampling::new(&set, patterns.order, (7, 0), None, 2);
        let mut forecaster = forecaster(cache.size, &set, hosts, shared, &sampling);
        let drawn = vec![vec![40_000; hosts]; 2];
        forecaster.replay(&drawn).share().unwrap()
    }

    fn forecaster(
        size: u32,
        set: &PatternSet,
        hosts: usize,
        shared: bool,
        sampling: &Sampling,
    ) -> Forecaster {
        let shape = Shape {
            size,
            hosts,
            shared,
        };
        Forecaster::new(&Arc::default(), shape, set, vec![true; set.len()], sampling)
    }

    #[test]
    fn what_one_slice_or_workload_has_sent_the_next_may_find() {
        let patterns = patterns(&paths(100), "cache_size = 100\norder = \"sequential\"");
        let caches: Arc<Caches> = Arc::default();
        let shape = Shape {
            size: 100,
            hosts: 1,
            shared: false,
        };
        let sampling = Sampling::new(&patterns.set, patterns.order, (7, 0), None, 1);
        let cacheable = vec![true; 100];
        let new = || Forecaster::new(&caches, shape, &patterns.set, cacheable.clone(), &sampling);
        let (mut one, mut other) = (new(), new());
        assert_eq!(one.replay(&[vec![60]]).hits, 0);
        // The first 60 are there, and the next slice goes on with the other 40.
        assert_eq!(other.replay(&[vec![60]]).hits, 60);
        assert_eq!(one.replay(&[vec![40]]).hits, 0);
        assert_eq!(other.replay(&[vec![40]]).hits, 40);
        one.forget();
        one.skip(&[10]);
        assert_eq!(other.replay(&[vec![10]]).hits, 0);
        assert_eq!(one.replay(&[vec![90]]).hits, 0);
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
            let sampling = Sampling::new(&patterns.set, patterns.order, (7, 0), None, 1);
            forecaster(100, &patterns.set, 1, false, &sampling)
                .sentence(&sampling, patterns.cache.unwrap())
                .unwrap()
        };
        assert!(!said("cache_hit = \"50%\"").contains("not what"));
        assert!(said("cache_hit = \"50%\"\norder = \"sequential\"").contains("not what"));
    }
}
