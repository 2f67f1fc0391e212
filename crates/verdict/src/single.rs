//! Single requests and their patterns, over all slices.

use std::collections::BTreeMap;

use serde::Serialize;
use tenbin_record::{CacheUse, PatternCount, SearchUse, SingleRequest, Singles};
use tenbin_stats::{CONFIDENCE, Measured, clustered_mean};

use crate::basis::Basis;
use crate::evidence::Cell;

/// What is known of single requests of a workload on a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SingleFigures {
    /// The slowest of all slices, the slowest first.
    pub slowest: Vec<SingleRequest>,
    /// The fastest that were answered, the fastest first.
    pub fastest: Vec<SingleRequest>,
    /// What came of each pattern that was sent, by its position.
    pub patterns: Vec<PatternFigures>,
}

/// What came of one pattern.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatternFigures {
    /// Its position among those of the workload, from 0.
    pub pattern: u32,
    /// Correct answers, over all slices.
    pub ok: u64,
    /// Failures, over all slices.
    pub failed: u64,
    /// Mean time of its correct answers, seconds, over the slices that count.
    pub mean: Measured,
    /// The shortest time of a correct answer, seconds: an extreme, which has no
    /// interval.
    pub min: Option<f64>,
    /// The longest one.
    pub max: Option<f64>,
}

pub(crate) fn of_cell(cell: &Cell<'_>, basis: &Basis<'_>) -> SingleFigures {
    let all = || {
        cell.slices
            .iter()
            .filter_map(|slice| slice.singles.as_ref())
    };
    // As many as were kept of one slice: the others are not known to be the next ones.
    let most = |of: fn(&Singles) -> usize| all().map(of).max().unwrap_or(0);
    let mut slowest: Vec<SingleRequest> = all().flat_map(|s| s.slowest.clone()).collect();
    slowest.sort_by_key(|request| std::cmp::Reverse(request.ns));
    slowest.truncate(most(|singles| singles.slowest.len()));
    let mut fastest: Vec<SingleRequest> = all().flat_map(|s| s.fastest.clone()).collect();
    fastest.sort_by_key(|request| request.ns);
    fastest.truncate(most(|singles| singles.fastest.len()));
    let mut counts: BTreeMap<u32, Vec<PatternCount>> = BTreeMap::new();
    for count in all().flat_map(|singles| &singles.patterns) {
        counts.entry(count.pattern).or_default().push(*count);
    }
    let means = means(basis);
    let patterns = counts.into_iter().map(|(pattern, counts)| {
        let timed = || counts.iter().filter(|count| count.ok > 0);
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        PatternFigures {
            pattern,
            ok: counts.iter().map(|count| count.ok).sum(),
            failed: counts.iter().map(|count| count.failed).sum(),
            mean: means.get(&pattern).map_or(Measured::Unknown, |sums| {
                basis.checked(clustered_mean(sums, CONFIDENCE))
            }),
            min: timed().map(|count| count.min_ns).min().map(seconds),
            max: timed().map(|count| count.max_ns).max().map(seconds),
        }
    });
    SingleFigures {
        slowest,
        fastest,
        patterns: patterns.collect(),
    }
}

/// Sums of times in seconds and correct answers, a slice each, by pattern.
fn means(basis: &Basis<'_>) -> BTreeMap<u32, Vec<(f64, f64)>> {
    let mut means: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    let singles = basis
        .slices()
        .iter()
        .filter_map(|slice| slice.singles.as_ref());
    for count in singles.flat_map(|singles| &singles.patterns) {
        if count.ok > 0 {
            let sum = count.sum_ns as f64 / 1e9;
            let of_slice = (sum, count.ok as f64);
            means.entry(count.pattern).or_default().push(of_slice);
        }
    }
    means
}

/// What the caches did over all slices, if that was asked for.
pub(crate) fn cache_of(cell: &Cell<'_>) -> Option<CacheUse> {
    let all = cell.slices.iter().filter_map(|slice| slice.cache);
    all.reduce(CacheUse::and)
}

/// What the search server reported over all slices; `None` unless it did in every one.
pub(crate) fn search_of(cell: &Cell<'_>) -> Option<SearchUse> {
    let all = cell.slices.iter().map(|slice| slice.search);
    let all: Option<Vec<SearchUse>> = all.collect();
    all?.into_iter().reduce(SearchUse::and)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::figures;
    use crate::testing::Run;

    fn single(ns: u64) -> SingleRequest {
        SingleRequest {
            request: "GET /a".to_owned(),
            host: None,
            status: Some(200),
            correct: true,
            ns,
        }
    }

    #[test]
    fn slices_are_put_together() {
        let mut run = Run::single(6);
        let mut at = 0;
        run.each(|slice| {
            at += 1;
            slice.0.singles = Some(Singles {
                slowest: vec![single(at * 1_000_000), single(at * 500_000)],
                fastest: vec![single(at), single(at + 1)],
                patterns: vec![PatternCount {
                    pattern: 3,
                    ok: 10,
                    failed: 1,
                    sum_ns: at * 10_000_000,
                    min_ns: at,
                    max_ns: at * 2_000_000,
                }],
            });
        });
        let row = figures(&run.plan, &run.slices).remove(0).singles;
        let nanos = |all: &[SingleRequest]| all.iter().map(|s| s.ns).collect::<Vec<_>>();
        assert_eq!(nanos(&row.slowest), [6_000_000, 5_000_000]);
        assert_eq!(nanos(&row.fastest), [1, 2]);
        let [pattern] = row.patterns.as_slice() else {
            panic!("one pattern");
        };
        assert_eq!((pattern.pattern, pattern.ok, pattern.failed), (3, 60, 6));
        let mean = pattern.mean.estimate().unwrap();
        assert!((mean.value - 0.003_5).abs() < 1e-9 && mean.low < mean.value);
        assert_eq!(pattern.max, Some(0.012));
    }

    #[test]
    fn runs_without_patterns_have_none() {
        let run = Run::pair(8);
        let row = figures(&run.plan, &run.slices).remove(0);
        assert_eq!(row.singles, SingleFigures::default());
        assert_eq!(row.cache, None);
    }
}
