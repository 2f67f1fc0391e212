//! Request samples, patterns, and cache and search statistics over all slices.

use std::collections::BTreeMap;

use tenbin_record::{
    CacheUse, Compact, Environment, RecordedPattern, RecordedSample, RecordedSamples, SearchUse,
};
use tenbin_result::{PatternResult, RequestSample};
use tenbin_stats::{CONFIDENCE, clustered_mean};

use crate::cell::Cell;
use crate::figures::basis::Basis;

/// The request samples of a workload on a target, and the results of each pattern.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SingleFigures {
    pub(crate) slowest: Vec<RequestSample>,
    pub(crate) fastest: Vec<RequestSample>,
    pub(crate) patterns: Vec<PatternResult>,
}

/// The request samples and pattern results of one cell. `environment` provides the names of the
/// patterns and the numbers of hits before the run.
pub(crate) fn of_cell(
    cell: &Cell<'_>,
    basis: &Basis<'_>,
    environment: &Environment,
) -> SingleFigures {
    let labels = environment.patterns.get(&cell.workload.name);
    let target = environment.targets.get(&cell.target.name);
    let hosts = target.map_or_else(Vec::new, |target| target.hits_before(&cell.workload.name));
    let all = || {
        cell.slices
            .iter()
            .filter_map(|slice| slice.end.singles.as_deref())
    };
    // Keep only the number of samples that one slice kept: further samples may not be the next
    // slowest requests of the run.
    let most = |of: fn(&RecordedSamples) -> usize| all().map(of).max().unwrap_or(0);
    let mut slowest: Vec<RecordedSample> = all().flat_map(|s| s.slowest.clone()).collect();
    slowest.sort_by_key(|request| std::cmp::Reverse(request.ns));
    slowest.truncate(most(|singles| singles.slowest.len()));
    let mut fastest: Vec<RecordedSample> = all().flat_map(|s| s.fastest.clone()).collect();
    fastest.sort_by_key(|request| request.ns);
    fastest.truncate(most(|singles| singles.fastest.len()));
    let mut counts: BTreeMap<u32, Vec<RecordedPattern>> = BTreeMap::new();
    for count in all().flat_map(|singles| &singles.patterns) {
        counts.entry(count.pattern).or_default().push(*count);
    }
    let means = means(basis);
    let patterns = counts.into_iter().map(|(pattern, counts)| {
        let timed = || counts.iter().filter(|count| count.ok > 0);
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        PatternResult {
            request: labels.and_then(|labels| labels.get(pattern as usize).cloned()),
            pattern,
            ok: counts.iter().map(|count| count.ok).sum(),
            failed: counts.iter().map(|count| count.failed).sum(),
            mean: means
                .get(&pattern)
                .and_then(|sums| basis.checked(clustered_mean(sums, CONFIDENCE))),
            min: timed().map(|count| count.min_ns).min().map(seconds),
            max: timed().map(|count| count.max_ns).max().map(seconds),
            hits: hosts.iter().find_map(|(_, hits)| *hits.get(&pattern)?),
        }
    });
    SingleFigures {
        slowest: slowest.into_iter().map(request).collect(),
        fastest: fastest.into_iter().map(request).collect(),
        patterns: patterns.collect(),
    }
}

fn request(single: RecordedSample) -> RequestSample {
    RequestSample {
        request: single.request,
        host: single.host,
        status: single.status,
        correct: single.correct,
        time: single.ns as f64 / 1e9,
    }
}

/// (Sum of times in seconds, number of correct responses) of each slice, by pattern.
fn means(basis: &Basis<'_>) -> BTreeMap<u32, Vec<(f64, f64)>> {
    let mut means: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    let singles = basis
        .slices()
        .iter()
        .filter_map(|slice| slice.end.singles.as_deref());
    for count in singles.flat_map(|singles| &singles.patterns) {
        if count.ok > 0 {
            let sum = count.sum_ns as f64 / 1e9;
            let of_slice = (sum, count.ok as f64);
            means.entry(count.pattern).or_default().push(of_slice);
        }
    }
    means
}

/// Cache use summed over all slices; `None` if the run did not observe cache use.
pub(crate) fn cache_of(cell: &Cell<'_>) -> Option<CacheUse> {
    let all = cell.slices.iter().filter_map(|slice| slice.end.cache);
    all.reduce(CacheUse::and)
}

/// The statistics of the search server over all slices; `None` unless every slice has them.
pub(crate) fn search_of(cell: &Cell<'_>) -> Option<SearchUse> {
    let all = cell.slices.iter();
    let all = all.map(|slice| slice.end.search.as_ref().map(Compact::get));
    let all: Option<Vec<SearchUse>> = all.collect();
    all?.into_iter().reduce(SearchUse::and)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn single(ns: u64) -> RecordedSample {
        RecordedSample {
            request: "GET /a".to_owned(),
            number: None,
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
            slice.0.end.singles = Some(Box::new(RecordedSamples {
                slowest: vec![single(at * 1_000_000), single(at * 500_000)],
                fastest: vec![single(at), single(at + 1)],
                patterns: vec![RecordedPattern {
                    pattern: 3,
                    ok: 10,
                    failed: 1,
                    sum_ns: at * 10_000_000,
                    min_ns: at,
                    max_ns: at * 2_000_000,
                }],
            }));
        });
        let row = run.figures().remove(0);
        let times = |all: &[RequestSample]| all.iter().map(|s| s.time).collect::<Vec<_>>();
        assert_eq!(times(&row.slowest), [0.006, 0.005]);
        assert_eq!(times(&row.fastest), [1e-9, 2e-9]);
        let [pattern] = row.patterns.as_slice() else {
            panic!("one pattern");
        };
        assert_eq!((pattern.pattern, pattern.ok, pattern.failed), (3, 60, 6));
        let mean = pattern.mean.unwrap();
        assert!((mean.value - 0.003_5).abs() < 1e-9 && mean.interval.unwrap().low < mean.value);
        assert_eq!(pattern.max, Some(0.012));
    }

    #[test]
    fn runs_without_patterns_have_none() {
        let run = Run::pair(8);
        let row = run.figures().remove(0);
        assert_eq!((row.slowest, row.fastest), (vec![], vec![]));
        assert_eq!(row.patterns, []);
        assert_eq!(row.cache, None);
    }
}
