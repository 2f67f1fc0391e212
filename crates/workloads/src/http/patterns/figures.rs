//! Request samples (slowest and fastest), and counts by pattern.

use tenbin_engine::RequestOutcome;

use crate::samples::{CacheForecast, PatternCounts, RequestSample, SliceSamples};

/// Request samples and counts of one thread, in constant memory.
#[derive(Default)]
pub(super) struct Figures {
    slowest: Extremes,
    fastest: Extremes,
    /// Requests so far.
    completed: u64,
    /// Counts by pattern; empty if patterns are not counted.
    counts: Vec<Count>,
}

impl Figures {
    /// Keeps the `extremes` slowest and `extremes` fastest requests, and one [`Count`] for each of
    /// `patterns` patterns.
    pub(super) fn new(extremes: usize, patterns: usize) -> Self {
        Self {
            slowest: Extremes::new(extremes),
            fastest: Extremes::new(extremes),
            completed: 0,
            counts: vec![Count::default(); patterns],
        }
    }

    /// Whether anything is kept.
    pub(super) fn wants_any(&self) -> bool {
        self.slowest.most > 0 || !self.counts.is_empty()
    }

    #[inline]
    pub(super) fn take(&mut self, pattern: u32, host: usize, outcome: RequestOutcome) {
        let single = Single {
            pattern,
            number: self.completed,
            host,
            outcome,
        };
        self.completed += 1;
        self.slowest.take(outcome.nanos, single);
        if outcome.status.is_some() {
            self.fastest.take(u64::MAX - outcome.nanos, single);
        }
        if let Some(count) = self.counts.get_mut(pattern as usize) {
            count.take(outcome);
        }
    }

    /// Merges the samples and counts of two threads.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.slowest.add(other.slowest);
        self.fastest.add(other.fastest);
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine.add(theirs);
        }
        self
    }

    /// The samples and counts, with the labels of the requests.
    pub(super) fn named(self, labels: &[String], forecast: Option<CacheForecast>) -> SliceSamples {
        let counts = (0..).zip(self.counts);
        SliceSamples {
            slowest: self.slowest.named(labels),
            fastest: self.fastest.named(labels),
            patterns: counts.filter_map(|(at, count)| count.named(at)).collect(),
            forecast,
        }
    }
}

/// One request sample.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Single {
    pattern: u32,
    number: u64,
    host: usize,
    outcome: RequestOutcome,
}

/// The `most` requests with the highest ranks. A kept request is not replaced by a request of equal
/// rank. Ranks ascend with the latency, or descend if the fastest requests are kept.
#[derive(Default)]
struct Extremes {
    most: usize,
    kept: Vec<(u64, Single)>,
    /// The lowest kept rank and its index; `None` until `most` requests are kept.
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

    fn named(mut self, labels: &[String]) -> Vec<RequestSample> {
        self.kept.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        let kept = self.kept.into_iter();
        kept.map(|(_, single)| RequestSample {
            request: labels[single.pattern as usize].clone(),
            number: single.number,
            host: single.host,
            status: single.outcome.status,
            correct: single.outcome.correct,
            nanos: single.outcome.nanos,
        })
        .collect()
    }
}

/// Counts of one pattern.
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
    fn take(&mut self, outcome: RequestOutcome) {
        if !outcome.correct {
            self.failed += 1;
            return;
        }
        self.min = match self.ok {
            0 => outcome.nanos,
            _ => self.min.min(outcome.nanos),
        };
        self.max = self.max.max(outcome.nanos);
        self.ok += 1;
        self.sum = self.sum.saturating_add(outcome.nanos);
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

    fn named(&self, pattern: u32) -> Option<PatternCounts> {
        (self.ok + self.failed > 0).then_some(PatternCounts {
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

    fn outcome(nanos: u64) -> RequestOutcome {
        RequestOutcome {
            status: Some(200),
            correct: true,
            nanos,
        }
    }

    const LOST: RequestOutcome = RequestOutcome {
        status: None,
        correct: false,
        nanos: 1,
    };

    proptest::proptest! {
        /// Compares the kept requests with a sorted list of all requests, for any number of
        /// threads.
        #[test]
        fn extremes_are_those_of_the_sorted_list(
            times in proptest::collection::vec((0..1000u64, 0..3usize), 0..200),
            most in 0..10usize,
        ) {
            let mut threads: Vec<Figures> = (0..3).map(|_| Figures::new(most, 1)).collect();
            for &(nanos, thread) in &times {
                threads[thread].take(0, 0, outcome(nanos));
            }
            let all = threads.into_iter().reduce(Figures::and).unwrap();
            let samples = all.named(&["GET /".to_owned()], None);
            let mut sorted: Vec<u64> = times.iter().map(|(nanos, _)| *nanos).collect();
            sorted.sort_unstable();
            let nanos = |singles: &[RequestSample]| singles.iter().map(|s| s.nanos).collect::<Vec<_>>();
            let fewest = most.min(sorted.len());
            proptest::prop_assert_eq!(nanos(&samples.fastest), &sorted[..fewest]);
            sorted.reverse();
            proptest::prop_assert_eq!(nanos(&samples.slowest), &sorted[..fewest]);
            let count = samples.patterns.first();
            proptest::prop_assert_eq!(count.map_or(0, |c| c.ok), times.len() as u64);
            proptest::prop_assert_eq!(count.map(|c| c.max_nanos), sorted.first().copied());
            proptest::prop_assert_eq!(count.map(|c| c.min_nanos), sorted.last().copied());
            proptest::prop_assert_eq!(count.map_or(0, |c| c.sum_nanos), sorted.iter().sum::<u64>());
        }
    }

    #[test]
    fn a_request_without_a_response_is_slow_and_never_fast() {
        let mut figures = Figures::new(2, 2);
        figures.take(0, 0, outcome(5));
        figures.take(1, 3, LOST);
        let samples = figures.named(&["GET /a".to_owned(), "GET /b".to_owned()], None);
        assert_eq!(samples.fastest.len(), 1);
        let lost = &samples.slowest[1];
        assert_eq!((lost.request.as_str(), lost.number), ("GET /b", 1));
        assert_eq!((lost.host, lost.status), (3, None));
        assert_eq!(
            (samples.patterns[1].pattern, samples.patterns[1].failed),
            (1, 1)
        );
    }
}
