//! Simulation of a cache with the exact sequence of requests that is sent.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex};

use tenbin_plan::{CacheDial, Pattern, PatternSet, percent};

use super::host_order::HostOrder;
use super::lru::Lru;
use super::sampler::{Sampler, Sampling};
use crate::rng::{Rng, name_number};
use crate::samples::CacheForecast;
use crate::shared::held;

/// Maximum number of simulated requests per worker and slice.
const MOST_REPLAYED: u64 = 5_000_000;
/// Number of simulated requests per pattern for the forecast before a run. The total is at least
/// [`FEWEST_FORECAST`] and at most [`MOST_FORECAST`].
const PASSES: u64 = 20;
const FEWEST_FORECAST: u64 = 20_000;
const MOST_FORECAST: u64 = 2_000_000;
/// Difference between forecast and target hit ratio, 0 to 1, above which the note about the
/// forecast mentions the difference.
const WORTH_A_WORD: f64 = 0.05;

/// The simulated caches of one target. Workloads share these caches like real caches: requests of
/// one workload fill the cache for the next workload.
#[derive(Debug, Default)]
pub(crate) struct Caches(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    /// Ids of the distinct requests of all workloads, from 0; the key is a hash of method, path and
    /// body.
    numbers: HashMap<u64, u32>,
    caches: Vec<(Shape, Vec<Lru>)>,
}

/// Size and sharing of a target's caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Maximum number of responses in a cache.
    pub(super) size: u32,
    pub(super) hosts: usize,
    /// Whether all hosts share one cache; otherwise each host has a separate cache.
    pub(super) shared: bool,
}

impl Shape {
    fn empty(self) -> Vec<Lru> {
        let caches = if self.shared { 1 } else { self.hosts };
        (0..caches).map(|_| Lru::new(self.size)).collect()
    }
}

impl Contents {
    /// The request id of each pattern. Patterns with the same request have the same id.
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

/// Forecasts cache hits by simulating least-recently-used caches, one per host or one for all
/// hosts. Requests are simulated in the order in which they are drawn, without effects of
/// concurrency.
pub(super) struct Forecaster {
    caches: Arc<Caches>,
    shape: Shape,
    /// By pattern: the id of the request, as in [`Contents`]; `None` if the response is not
    /// cacheable.
    numbers: Vec<Option<u32>>,
    /// By worker: a sampler that draws the same sequence as the worker.
    samplers: Vec<Sampler>,
    /// Whether the order of the hosts decides which patterns each host receives: hosts take from
    /// one sequence in which each pattern has its place.
    needs_order: bool,
}

/// The requests that a worker drew in a slice.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// Their number by host.
    pub(super) by_host: Vec<u64>,
    /// Their hosts in order, if needed.
    pub(super) order: HostOrder,
}

impl From<Vec<u64>> for Drawn {
    fn from(by_host: Vec<u64>) -> Self {
        Self {
            by_host,
            order: HostOrder::default(),
        }
    }
}

impl Forecaster {
    pub(super) fn new(
        caches: &Arc<Caches>,
        shape: Shape,
        set: &PatternSet,
        cacheable: Vec<bool>,
        sampling: &Sampling,
    ) -> Self {
        let numbers = held(&caches.0).numbers(set);
        let numbers = numbers.into_iter().zip(cacheable);
        Self {
            caches: Arc::clone(caches),
            shape,
            numbers: numbers
                .map(|(number, cacheable)| cacheable.then_some(number))
                .collect(),
            samplers: samplers(sampling),
            needs_order: shape.hosts > 1 && !shape.shared && sampling.is_one_sequence(),
        }
    }

    /// The memory for the order of the hosts in a slice of one worker.
    pub(super) fn order_to_keep(&self) -> HostOrder {
        if self.needs_order {
            HostOrder::keeping(MOST_REPLAYED as usize)
        } else {
            HostOrder::default()
        }
    }

    /// Empties the caches of the target.
    pub(super) fn forget(&mut self) {
        held(&self.caches.0).caches.clear();
    }

    /// Simulates the requests that counted search hits: each pattern once, in order.
    pub(super) fn add_counting(&mut self, host: usize, patterns: &[u32]) {
        let mut contents = held(&self.caches.0);
        let caches = contents.of(self.shape);
        for &pattern in patterns {
            lookup(caches, &self.numbers, host, pattern);
        }
    }

    /// Skips requests; `left_out` is their number by worker.
    pub(super) fn skip(&mut self, left_out: &[u64]) {
        for (sampler, &count) in self.samplers.iter_mut().zip(left_out) {
            sampler.skip(count);
        }
    }

    /// Simulates the next requests, which each worker drew. The requests of each worker are spread
    /// evenly over the slice, and so are those to each host unless their order is known.
    ///
    /// Two workers with 2 and 1 connections send requests at different rates. In `sequential` order
    /// each worker has its own part of the patterns: if the busier worker were simulated alone at the
    /// end of the slice, its part would seem to fit into a cache that is too small for all patterns.
    pub(super) fn replay(&mut self, drawn: &[Drawn]) -> CacheForecast {
        let mut contents = held(&self.caches.0);
        let caches = contents.of(self.shape);
        Self::play(caches, &self.numbers, &mut self.samplers, drawn)
    }

    fn play(
        caches: &mut [Lru],
        numbers: &[Option<u32>],
        samplers: &mut [Sampler],
        drawn: &[Drawn],
    ) -> CacheForecast {
        let mut forecast = CacheForecast::default();
        let mut players: Vec<Replay> = drawn
            .iter()
            .enumerate()
            .map(|(worker, drawn)| Replay::new(worker, drawn))
            .collect();
        let most = players.iter().map(|player| player.all).max().unwrap_or(0);
        for turn in 0..most {
            for player in &mut players {
                if !player.is_due(most) {
                    continue;
                }
                let Some(host) = player.next_host() else {
                    continue;
                };
                let pattern = samplers[player.worker].next(host);
                if turn >= MOST_REPLAYED {
                    continue;
                }
                if let Some(hit) = lookup(caches, numbers, host, pattern) {
                    forecast.lookups += 1;
                    forecast.hits += u64::from(hit);
                }
            }
        }
        forecast
    }

    /// The hit ratio when these requests are sent for the second time in a row.
    fn share_of(&self, sampling: &Sampling, drawn: &[Drawn]) -> Option<f64> {
        let (mut caches, mut samplers) = (self.shape.empty(), samplers(sampling));
        let mut play = || Self::play(&mut caches, &self.numbers, &mut samplers, drawn);
        play();
        play().share()
    }

    /// The forecast before a run, in one sentence; `None` if no response is cacheable.
    pub(super) fn sentence(&self, sampling: &Sampling, dial: CacheDial) -> Option<String> {
        let patterns = self.numbers.len() as u64;
        let requests = (patterns * PASSES).clamp(FEWEST_FORECAST, MOST_FORECAST);
        let hosts = self.shape.hosts;
        let each = requests / (sampling.workers() * hosts) as u64 + 1;
        let in_turns = |_| vec![each; hosts].into();
        let share = self.share_of(
            sampling,
            &(0..sampling.workers()).map(in_turns).collect::<Vec<_>>(),
        )?;
        let by_chance = self.needs_order.then(|| {
            let drawn = (0..sampling.workers()).map(|worker| by_chance(worker, each, hosts));
            self.share_of(sampling, &drawn.collect::<Vec<_>>())
        });
        let (least, most) = match by_chance.flatten() {
            Some(other) => (share.min(other), share.max(other)),
            None => (share, share),
        };
        let ratio = if most - least > WORTH_A_WORD {
            format!(
                "{} to {}, depending on the order in which hosts become free,",
                percent(least),
                percent(most)
            )
        } else {
            percent(share)
        };
        let mut sentence = format!(
            "a cache of {} responses is expected to have a hit ratio of {ratio} once it is filled, \
             by simulation of the request sequence",
            dial.size,
        );
        let wish = dial.hit.map(|hit| hit.share());
        let is_other = |wish: f64| wish > most + WORTH_A_WORD || wish < least - WORTH_A_WORD;
        if wish.is_some_and(is_other) {
            sentence += "; this differs from cache_hit, which sets the number of patterns and needs \
            all of them to be equally frequent (order = \"weighted\")";
        }
        Some(sentence)
    }
}

/// Requests to hosts in random order, as if each host became free at a random time.
fn by_chance(worker: usize, each: u64, hosts: usize) -> Drawn {
    let mut rng = Rng::new(0, &[name_number("order of hosts"), worker as u64]);
    let mut by_host = vec![0; hosts];
    let all = each * hosts as u64;
    let mut order = HostOrder::keeping(usize::try_from(all).unwrap_or(usize::MAX));
    for _ in 0..all {
        let host = rng.below(hosts as u64) as usize;
        by_host[host] += 1;
        order.push(host);
    }
    Drawn { by_host, order }
}

fn samplers(sampling: &Sampling) -> Vec<Sampler> {
    let workers = 0..sampling.workers();
    workers.map(|worker| sampling.sampler(worker)).collect()
}

/// Looks up a response in the cache of a host, and adds a missing response; returns whether the
/// cache had the response, or `None` if the response is not cacheable.
fn lookup(caches: &mut [Lru], numbers: &[Option<u32>], host: usize, pattern: u32) -> Option<bool> {
    let cache = host % caches.len();
    numbers[pattern as usize].map(|number| caches[cache].lookup(number))
}

/// Replays the requests of one worker, in the order of their hosts. If the order is unknown, the
/// requests to each host are spread as evenly as possible.
struct Replay<'a> {
    worker: usize,
    drawn: &'a [u64],
    order: &'a HostOrder,
    credit: Vec<i64>,
    all: u64,
    left: u64,
    /// Turns times `all` since the last request: a request is due when the sum reaches the number of
    /// turns.
    due: u64,
}

impl<'a> Replay<'a> {
    fn new(worker: usize, drawn: &'a Drawn) -> Self {
        let Drawn { by_host, order } = drawn;
        let all = by_host.iter().sum();
        Self {
            worker,
            drawn: by_host,
            order,
            credit: vec![0; by_host.len()],
            all,
            left: all,
            due: 0,
        }
    }

    /// Whether the worker sends a request in the next of `turns` turns, over which its requests are
    /// spread evenly. `turns` is at least the number of its requests.
    fn is_due(&mut self, turns: u64) -> bool {
        self.due += self.all;
        let Some(rest) = self.due.checked_sub(turns) else {
            return false;
        };
        self.due = rest;
        true
    }

    fn next_host(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        if self.drawn.len() == 1 {
            return Some(0);
        }
        let request = usize::try_from(self.all - self.left - 1).unwrap_or(usize::MAX);
        if let Some(host) = self.order.get(request) {
            return Some(host);
        }
        for (credit, drawn) in self.credit.iter_mut().zip(self.drawn) {
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
        let cache = patterns.cache().unwrap();
        let set = match cache.patterns() {
            Some(count) => patterns.set.choose(count, 7).unwrap(),
            None => (*patterns.set).clone(),
        };
        let sampling = Sampling::new(&set, patterns.order, (7, 0), None, 2);
        let mut forecaster = forecaster(cache.size, &set, hosts, shared, &sampling);
        let drawn = [vec![40_000; hosts].into(), vec![40_000; hosts].into()];
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
    fn a_cache_is_kept_between_slices_and_workloads() {
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
        assert_eq!(one.replay(&[vec![60].into()]).hits, 0);
        // The first 60 patterns are cached, and the next slice continues with the remaining 40.
        assert_eq!(other.replay(&[vec![60].into()]).hits, 60);
        assert_eq!(one.replay(&[vec![40].into()]).hits, 0);
        assert_eq!(other.replay(&[vec![40].into()]).hits, 40);
        one.forget();
        one.skip(&[10]);
        assert_eq!(other.replay(&[vec![10].into()]).hits, 0);
        assert_eq!(one.replay(&[vec![90].into()]).hits, 0);
    }

    #[test]
    fn the_number_of_patterns_gives_the_target_hit_ratio() {
        for (hit, expected) in [("10%", 0.1), ("25%", 0.25), ("50%", 0.5), ("90%", 0.9)] {
            let keys = format!("cache_hit = \"{hit}\"");
            for hosts in [1, 3] {
                let found = share(&paths(1000), &keys, hosts);
                // At least 80,000 draws: the standard deviation is below 0.2 percentage points.
                assert!(
                    (found - expected).abs() < 0.015,
                    "{hit}, {hosts} hosts: {found}"
                );
            }
        }
    }

    #[test]
    fn every_order_is_simulated() {
        // A cyclic sequence longer than the cache never hits.
        let keys = "cache_size = 100\norder = \"sequential\"";
        assert_eq!(share(&paths(101), keys, 1), 0.0);
        assert!(share(&paths(100), keys, 1) > 0.99);
        let zipf = share(&paths(1000), "cache_size = 100\norder = \"zipf:1\"", 1);
        assert!((0.4..0.7).contains(&zipf), "{zipf}");
    }

    #[test]
    fn a_shared_cache_holds_responses_of_all_hosts() {
        let keys = "cache_size = 100\norder = \"sequential\"";
        assert!(share_of(&paths(100), keys, 3, true) > 0.99);
        assert_eq!(share_of(&paths(101), keys, 3, true), 0.0);
        let dial = "cache_hit = \"50%\"";
        let found = share_of(&paths(1000), dial, 3, true);
        assert!((found - 0.5).abs() < 0.015, "{found}");
    }

    /// One of two threads sends twice as many requests, because it has twice as many connections.
    #[test]
    fn threads_share_a_cache_until_the_end_of_a_slice() {
        let patterns = patterns(&paths(180), "cache_size = 100\norder = \"sequential\"");
        let sampling = Sampling::new(&patterns.set, patterns.order, (7, 0), None, 2);
        // The busier thread alone would find its 90 patterns in the cache.
        let mut busier_first = forecaster(100, &patterns.set, 1, false, &sampling);
        let forecast = busier_first.replay(&[vec![2_000].into(), vec![1_000].into()]);
        assert_eq!((forecast.hits, forecast.lookups), (0, 3_000));
        let mut alone = forecaster(100, &patterns.set, 1, false, &sampling);
        let forecast = alone.replay(&[vec![2_000].into(), vec![0].into()]);
        assert_eq!((forecast.hits, forecast.lookups), (1_910, 2_000));
    }

    #[test]
    fn hosts_take_turns_by_what_they_were_sent() {
        let drawn = vec![2, 1].into();
        let mut player = Replay::new(0, &drawn);
        let hosts: Vec<_> = std::iter::from_fn(|| player.next_host()).collect();
        assert_eq!(hosts, [0, 1, 0]);
    }

    /// In turns, each of two hosts would get every second of 200 patterns, and hold them all.
    #[test]
    fn the_order_of_the_hosts_decides_which_patterns_each_receives() {
        let patterns = patterns(&paths(200), "cache_size = 100\norder = \"sequential\"");
        let sampling = Sampling::new(&patterns.set, patterns.order, (7, 0), None, 1);
        let hits = |host_of: &dyn Fn(usize) -> usize| {
            let mut forecaster = forecaster(100, &patterns.set, 2, false, &sampling);
            let mut order = forecaster.order_to_keep();
            let mut by_host = vec![0; 2];
            for request in 0..20_000 {
                order.push(host_of(request));
                by_host[host_of(request)] += 1;
            }
            let drawn = [Drawn { by_host, order }];
            forecaster.replay(&drawn).share().unwrap()
        };
        assert!(hits(&|request| request % 2) > 0.98);
        // Each host gets another half in every pass.
        let other_half = hits(&|request| (request + request / 200) % 2);
        assert!(other_half < 0.01, "{other_half}");
        let single = forecaster(100, &patterns.set, 1, false, &sampling);
        assert_eq!(single.order_to_keep().get(0), None);
    }

    #[test]
    fn a_forecast_that_differs_from_the_target_is_reported() {
        let said = |keys: &str| {
            let patterns = patterns(&paths(200), keys);
            let sampling = Sampling::new(&patterns.set, patterns.order, (7, 0), None, 1);
            forecaster(100, &patterns.set, 1, false, &sampling)
                .sentence(&sampling, patterns.cache().unwrap())
                .unwrap()
        };
        assert!(!said("cache_hit = \"50%\"").contains("differs from"));
        let patterns = patterns(&paths(200), "cache_size = 100\norder = \"sequential\"");
        let sampling = Sampling::new(&patterns.set, patterns.order, (7, 0), None, 1);
        let two = forecaster(100, &patterns.set, 2, false, &sampling);
        let both = two.sentence(&sampling, patterns.cache().unwrap()).unwrap();
        assert!(
            both.contains(" % to 100 %, depending on the order"),
            "{both}"
        );
        assert!(said("cache_hit = \"50%\"\norder = \"sequential\"").contains("differs from"));
    }
}
