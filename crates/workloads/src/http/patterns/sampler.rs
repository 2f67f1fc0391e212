//! The order in which patterns are drawn: infinite, and reproducible from the seed.

use std::sync::Arc;

use tenbin_plan::{PatternOrder, PatternSet};

use crate::rng::{Rng, name_number};
use crate::zipf::Zipf;

/// How workers draw patterns; with separate pools if hosts have their own patterns.
pub(super) struct Sampling {
    order: PatternOrder,
    seed: u64,
    /// Hash of the workload's name. Workloads draw independently, so that a workload does not send
    /// requests whose responses another workload has just put into a cache.
    name: u64,
    workers: usize,
    /// One pool for all hosts, or one pool per host.
    pools: Vec<Pool>,
}

/// Patterns that are drawn for one host, or for all hosts.
struct Pool {
    /// Indices of the patterns in the order of the file; repeated patterns occur repeatedly.
    sequence: Arc<[u32]>,
    /// Indices of the distinct patterns.
    members: Arc<[u32]>,
    weighted: Arc<Alias>,
}

impl Sampling {
    pub(super) fn new(
        set: &PatternSet,
        order: PatternOrder,
        (seed, name): (u64, u64),
        hosts_of: Option<&[Vec<u32>]>,
        workers: usize,
    ) -> Self {
        let weights = set.weights();
        let all: Vec<u32> = (0..set.len() as u32).collect();
        let lists = hosts_of.map_or_else(
            || vec![all.as_slice()],
            |hosts| hosts.iter().map(Vec::as_slice).collect(),
        );
        let pools = lists.iter().map(|members| {
            let mut is_member = vec![false; set.len()];
            for &member in *members {
                is_member[member as usize] = true;
            }
            let here = set.sequence().iter().copied();
            let of_members: Vec<f64> = members.iter().map(|&at| weights[at as usize]).collect();
            Pool {
                sequence: here.filter(|&at| is_member[at as usize]).collect(),
                members: (*members).into(),
                weighted: Arc::new(Alias::new(&of_members)),
            }
        });
        Self {
            order,
            seed,
            name,
            workers,
            pools: pools.collect(),
        }
    }

    /// The sampler of a worker, at the start of its sequence.
    pub(super) fn sampler(&self, worker: usize) -> Sampler {
        let pools = self.pools.iter().enumerate();
        Sampler {
            draws: pools
                .map(|(host, pool)| self.draw(pool, worker, host))
                .collect(),
        }
    }

    /// Whether hosts have their own patterns.
    pub(super) fn is_by_host(&self) -> bool {
        self.pools.len() > 1
    }

    /// Whether all hosts take patterns from one sequence in which each pattern has its place.
    pub(super) fn is_one_sequence(&self) -> bool {
        let has_places = matches!(
            self.order,
            PatternOrder::Sequential | PatternOrder::Shuffled
        );
        has_places && !self.is_by_host()
    }

    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    fn draw(&self, pool: &Pool, worker: usize, host: usize) -> Draw {
        let stream = name_number("patterns");
        let parts = [stream, self.name, worker as u64, host as u64];
        let rng = Rng::new(self.seed, &parts);
        match self.order {
            PatternOrder::Weighted => Draw::Weighted {
                rng,
                members: Arc::clone(&pool.members),
                alias: Arc::clone(&pool.weighted),
            },
            PatternOrder::Sequential => Draw::Sequential {
                at: worker % pool.sequence.len(),
                step: self.workers % pool.sequence.len(),
                sequence: Arc::clone(&pool.sequence),
            },
            PatternOrder::Shuffled => Draw::Shuffled {
                rng,
                dealt: 0,
                deck: pool.sequence.to_vec(),
            },
            PatternOrder::Zipf { exponent } => Draw::Zipf {
                rng,
                zipf: Zipf::new(pool.members.len() as u64, exponent, self.seed),
                members: Arc::clone(&pool.members),
            },
        }
    }
}

/// The sampler of one worker.
#[derive(Default)]
pub(super) struct Sampler {
    /// One order for all hosts, or one order per host.
    draws: Vec<Draw>,
}

impl Sampler {
    /// The next pattern for a host.
    #[inline]
    pub(super) fn next(&mut self, host: usize) -> u32 {
        let at = if self.draws.len() == 1 { 0 } else { host };
        self.draws[at].next()
    }

    /// Skips `count` patterns, in equal parts for each host if hosts have their own patterns.
    pub(super) fn skip(&mut self, count: u64) {
        let hosts = self.draws.len() as u64;
        for at in 0..count {
            self.next((at % hosts.max(1)) as usize);
        }
    }
}

enum Draw {
    Weighted {
        rng: Rng,
        members: Arc<[u32]>,
        alias: Arc<Alias>,
    },
    Sequential {
        at: usize,
        step: usize,
        sequence: Arc<[u32]>,
    },
    /// Draws without replacement from a deck that is shuffled during the draws (Fisher–Yates), so
    /// that no draw waits for a complete shuffle.
    Shuffled {
        rng: Rng,
        dealt: usize,
        deck: Vec<u32>,
    },
    Zipf {
        rng: Rng,
        zipf: Zipf,
        members: Arc<[u32]>,
    },
}

impl Draw {
    #[inline]
    fn next(&mut self) -> u32 {
        match self {
            Self::Weighted {
                rng,
                members,
                alias,
            } => members[alias.draw(rng)],
            Self::Sequential { at, step, sequence } => {
                let next = sequence[*at];
                *at += *step;
                if *at >= sequence.len() {
                    *at -= sequence.len();
                }
                next
            }
            Self::Shuffled { rng, dealt, deck } => {
                if *dealt == deck.len() {
                    *dealt = 0;
                }
                let others = (deck.len() - *dealt) as u64;
                deck.swap(*dealt, *dealt + rng.below(others) as usize);
                *dealt += 1;
                deck[*dealt - 1]
            }
            Self::Zipf { rng, zipf, members } => members[zipf.draw(rng) as usize],
        }
    }
}

/// Draws weighted numbers in constant time: the alias method of A. J. Walker ("An efficient method
/// for generating discrete random variables with general distributions", ACM TOMS 3(3), 1977), with
/// the table construction of M. D. Vose (IEEE TSE 17(9), 1991).
struct Alias {
    /// Probability that a number is used instead of its alias.
    keep: Vec<f64>,
    alias: Vec<u32>,
}

impl Alias {
    /// Builds the tables. Weights must not be negative, and at least one weight must be above 0.
    fn new(weights: &[f64]) -> Self {
        let sum: f64 = weights.iter().sum();
        let scale = weights.len() as f64 / sum;
        let mut keep: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut alias: Vec<u32> = (0..weights.len() as u32).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) =
            (0..weights.len() as u32).partition(|&at| keep[at as usize] < 1.0);
        while let (Some(less), Some(&more)) = (small.pop(), large.last()) {
            alias[less as usize] = more;
            keep[more as usize] -= 1.0 - keep[less as usize];
            if keep[more as usize] < 1.0 {
                large.pop();
                small.push(more);
            }
        }
        // The remaining weights are 1, apart from rounding.
        for at in small.into_iter().chain(large) {
            keep[at as usize] = 1.0;
        }
        Self { keep, alias }
    }

    #[inline]
    fn draw(&self, rng: &mut Rng) -> usize {
        let at = rng.below(self.keep.len() as u64) as usize;
        if rng.unit() < self.keep[at] {
            at
        } else {
            self.alias[at] as usize
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use tenbin_plan::{Context, Draft, Patterns, WorkloadKind};

    use super::*;

    /// The patterns of a file with this text.
    pub(crate) fn patterns(text: &str, keys: &str) -> Patterns {
        let plan = format!(
            "[[target]]\nurl = \"http://h:1\"\n[[workload]]\nkind = \"http\"\npatterns = \"p\"\n{keys}"
        );
        let text = text.as_bytes().to_vec();
        let mut context = Context::of_this_process().unwrap();
        context.open = Box::new(move |_| Ok(Box::new(std::io::Cursor::new(text.clone()))));
        let draft = Draft::from_toml(&plan, std::path::Path::new("plan.toml")).unwrap();
        let plan = draft.resolve(&mut context).unwrap();
        let WorkloadKind::Http(work) = &plan.workloads[0].kind else {
            panic!("an http workload");
        };
        work.patterns.clone().unwrap()
    }

    pub(crate) fn paths(count: usize) -> String {
        (0..count).map(|at| format!("/{at}\n")).collect()
    }

    fn sampling(text: &str, order: &str, workers: usize) -> Sampling {
        let patterns = patterns(text, &format!("order = {order:?}"));
        Sampling::new(&patterns.set, patterns.order, (7, 0), None, workers)
    }

    fn drawn(sampling: &Sampling, worker: usize, count: usize) -> Vec<u32> {
        let mut sampler = sampling.sampler(worker);
        (0..count).map(|_| sampler.next(0)).collect()
    }

    #[test]
    fn frequencies_are_what_the_file_says() {
        let text = r#"{"a": {"frequency": 0.7, "patterns": ["/1", "/2"]},
                       "b": {"frequency": 0.25, "patterns": ["/3", "/3", "/4"]},
                       "c": {"frequency": 0.05, "patterns": ["/5"]}}"#;
        let draws = 100_000;
        let expected = [0.35, 0.35, 0.25 * 2.0 / 3.0, 0.25 / 3.0, 0.05];
        let seen = drawn(&sampling(text, "weighted", 1), 0, draws);
        for (pattern, share) in (0..).zip(expected) {
            let count = seen.iter().filter(|&&at| at == pattern).count() as f64;
            let mean = draws as f64 * share;
            // Binomial distribution: five standard deviations either way.
            let limit = 5.0 * (mean * (1.0 - share)).sqrt();
            assert!(
                (count - mean).abs() < limit,
                "{pattern}: {count}, not {mean}"
            );
        }
    }

    #[test]
    fn a_sequence_follows_from_the_seed_and_differs_by_worker() {
        for order in ["weighted", "shuffled", "zipf:1"] {
            let one = sampling(&paths(50), order, 2);
            assert_eq!(drawn(&one, 0, 500), drawn(&one, 0, 500), "{order}");
            assert_ne!(drawn(&one, 0, 500), drawn(&one, 1, 500), "{order}");
        }
    }

    #[test]
    fn in_sequence_workers_share_the_file_and_begin_again() {
        let two = sampling("/a\n/b\n/a\n/c\n", "sequential", 2);
        assert_eq!(drawn(&two, 0, 4), [0, 0, 0, 0]);
        assert_eq!(drawn(&two, 1, 4), [1, 2, 1, 2]);
        let many = sampling("/a\n/b\n/c\n", "sequential", 7);
        assert_eq!(drawn(&many, 6, 4), [0, 1, 2, 0]);
        assert_eq!(drawn(&sampling("/a\n", "sequential", 3), 2, 3), [0, 0, 0]);
    }

    #[test]
    fn a_shuffle_deals_everything_before_anything_again() {
        let one = sampling(&paths(20), "shuffled", 1);
        let dealt = drawn(&one, 0, 60);
        for pass in dealt.chunks(20) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<_>>());
        }
        assert_ne!(dealt[..20], dealt[20..40]);
    }

    #[test]
    fn hosts_draw_only_from_their_own_patterns() {
        let patterns = patterns(&paths(4), "");
        let hosts = [vec![0, 2], vec![1, 2, 3]];
        for order in ["weighted", "sequential", "shuffled", "zipf:1"] {
            let order = order.parse().unwrap();
            let sampling = Sampling::new(&patterns.set, order, (7, 0), Some(&hosts), 1);
            let mut sampler = sampling.sampler(0);
            for at in 0..200 {
                let next = sampler.next(at % 2);
                assert!(hosts[at % 2].contains(&next), "{order}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn alias_tables_keep_every_weight(weights in proptest::collection::vec(0.0..10.0f64, 1..40)) {
            proptest::prop_assume!(weights.iter().sum::<f64>() > 0.1);
            let alias = Alias::new(&weights);
            let sum: f64 = weights.iter().sum();
            let mut chances = vec![0.0; weights.len()];
            for at in 0..weights.len() {
                let each = 1.0 / weights.len() as f64;
                let kept = alias.keep[at].clamp(0.0, 1.0);
                chances[at] += each * kept;
                chances[alias.alias[at] as usize] += each * (1.0 - kept);
            }
            for (chance, weight) in chances.iter().zip(&weights) {
                proptest::prop_assert!((chance - weight / sum).abs() < 1e-9);
            }
        }
    }
}
