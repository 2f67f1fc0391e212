//! Figures of single requests: the slowest, the fastest, and counts by pattern.

use tenbin_engine::Seen;

use crate::single::{CacheForecast, PatternSeen, SingleSeen, SinglesSeen};

/// What one thread has seen of single requests. Takes no more room as it goes.
#[derive(Default)]
pub(super) struct Figures {
    slowest: Extremes,
    fastest: Extremes,
    /// By pattern; empty where there are too many of them.
    counts: Vec<Count>,
}

impl Figures {
    /// So many of the slowest and of the fastest, and counts of so many patterns.
    pub(super) fn new(extremes: usize, patterns: usize) -> Self {
        Self {
            slowest: Extremes::new(extremes),
            fastest: Extremes::new(extremes),
            counts: vec![Count::default(); patterns],
        }
    }

    /// Whether there is anything to be kept.
    pub(super) fn wants_any(&self) -> bool {
        self.slowest.most > 0 || !self.counts.is_empty()
    }

    #[inline]
    pub(super) fn take(&mut self, pattern: u32, host: usize, seen: Seen) {
        let single = Single {
            pattern,
            host,
            seen,
        };
        self.slowest.take(seen.nanos, single);
        if seen.status.is_some() {
            self.fastest.take(u64::MAX - seen.nanos, single);
        }
        if let Some(count) = self.counts.get_mut(pattern as usize) {
            count.take(seen);
        }
    }

    /// What two threads have seen.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.slowest.add(other.slowest);
        self.fastest.add(other.fastest);
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine.add(theirs);
        }
        self
    }

    /// The same with the requests by name.
    pub(super) fn told(self, labels: &[String], forecast: Option<CacheForecast>) -> SinglesSeen {
        let counts = (0..).zip(self.counts);
        SinglesSeen {
            slowest: self.slowest.told(labels),
            fastest: self.fastest.told(labels),
            patterns: counts.filter_map(|(at, count)| count.told(at)).collect(),
            forecast,
        }
    }
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Single {
    pattern: u32,
    host: usize,
    seen: Seen,
}

/// The requests of the highest ranks; of equal ones those that came first.
#[derive(Default)]
struct Extremes {
    most: usize,
    kept: Vec<(u64, Single)>,
    /// Once as many are kept as may be: the lowest rank among them, and its place.
    lowest: Option<(u64, usize)>,
}

impl Extremes {
    fn new(most: usize) -> Self {
        Self {
            most,
            kept: Vec::with_capacity(most),
            lowest: None,
        }
    }

    #[inline]
    fn take(&mut self, rank: u64, single: Single) {
        match self.lowest {
            Some((lowest, _)) if rank <= lowest => {}
            Some((_, place)) => {
                self.kept[place] = (rank, single);
                self.find_lowest();
            }
            None if self.kept.len() < self.most => {
                self.kept.push((rank, single));
                if self.kept.len() == self.most {
                    self.find_lowest();
                }
            }
            None => {}
        }
    }

    fn find_lowest(&mut self) {
        let ranks = self.kept.iter().enumerate();
        self.lowest = ranks
            .map(|(place, (rank, _))| (*rank, place))
            .min_by_key(|(rank, _)| *rank);
    }

    fn add(&mut self, other: Self) {
        for (rank, single) in other.kept {
            self.take(rank, single);
        }
    }

    fn told(mut self, labels: &[String]) -> Vec<SingleSeen> {
        self.kept.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        let kept = self.kept.into_iter();
        kept.map(|(_, single)| SingleSeen {
            request: labels[single.pattern as usize].clone(),
            host: single.host,
            status: single.seen.status,
            correct: single.seen.correct,
            nanos: single.seen.nanos,
        })
        .collect()
    }
}

/// What came of one pattern.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    ok: u64,
    failed: u64,
    sum: u64,
    min: u64,
    max: u64,
}

impl Count {
    #[inline]
    fn take(&mut self, seen: Seen) {
        if !seen.correct {
            self.failed += 1;
            return;
        }
        self.min = match self.ok {
            0 => seen.nanos,
            _ => self.min.min(seen.nanos),
        };
        self.max = self.max.max(seen.nanos);
        self.ok += 1;
        self.sum = self.sum.saturating_add(seen.nanos);
    }

    fn add(&mut self, other: &Self) {
        self.min = match (self.ok, other.ok) {
            (_, 0) => self.min,
            (0, _) => other.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.ok += other.ok;
        self.failed += other.failed;
        self.sum = self.sum.saturating_add(other.sum);
    }

    fn told(&self, pattern: u32) -> Option<PatternSeen> {
        (self.ok + self.failed > 0).then_some(PatternSeen {
            pattern,
            ok: self.ok,
            failed: self.failed,
            sum_nanos: self.sum,
            min_nanos: self.min,
            max_nanos: self.max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(nanos: u64) -> Seen {
        Seen {
            status: Some(200),
            correct: true,
            nanos,
        }
    }

    const LOST: Seen = Seen {
        status: None,
        correct: false,
        nanos: 1,
    };

    proptest::proptest! {
        /// Against sorting all of them, in however many threads.
        #[test]
        fn extremes_are_those_of_the_sorted_list(
            times in proptest::collection::vec((0..1000u64, 0..3usize), 0..200),
            most in 0..10usize,
        ) {
            let mut threads: Vec<Figures> = (0..3).map(|_| Figures::new(most, 1)).collect();
            for &(nanos, thread) in &times {
                threads[thread].take(0, 0, seen(nanos));
            }
            let all = threads.into_iter().reduce(Figures::and).unwrap();
            let told = all.told(&["GET /".to_owned()], None);
            let mut sorted: Vec<u64> = times.iter().map(|(nanos, _)| *nanos).collect();
            sorted.sort_unstable();
            let nanos = |singles: &[SingleSeen]| singles.iter().map(|s| s.nanos).collect::<Vec<_>>();
            let fewest = most.min(sorted.len());
            proptest::prop_assert_eq!(nanos(&told.fastest), &sorted[..fewest]);
            sorted.reverse();
            proptest::prop_assert_eq!(nanos(&told.slowest), &sorted[..fewest]);
            let count = told.patterns.first();
            proptest::prop_assert_eq!(count.map_or(0, |c| c.ok), times.len() as u64);
            proptest::prop_assert_eq!(count.map(|c| c.max_nanos), sorted.first().copied());
            proptest::prop_assert_eq!(count.map(|c| c.min_nanos), sorted.last().copied());
            proptest::prop_assert_eq!(count.map_or(0, |c| c.sum_nanos), sorted.iter().sum::<u64>());
        }
    }

    #[test]
    fn what_was_never_answered_is_slow_and_never_fast() {
        let mut figures = Figures::new(2, 2);
        figures.take(1, 3, LOST);
        let told = figures.told(&["GET /a".to_owned(), "GET /b".to_owned()], None);
        assert_eq!(told.fastest, []);
        assert_eq!(told.slowest[0].request, "GET /b");
        assert_eq!(told.slowest[0].host, 3);
        assert_eq!(told.slowest[0].status, None);
        assert_eq!((told.patterns[0].pattern, told.patterns[0].failed), (1, 1));
    }
}
