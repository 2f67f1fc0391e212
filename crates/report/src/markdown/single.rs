//! The sections about single requests and their patterns.

use std::collections::BTreeMap;

use super::{Rows, heading, line};
use crate::document::{Document, PatternResult, ResultOf, SingleResult};
use crate::escape::{as_code, for_markdown};
use crate::words::{TIME, UNKNOWN, cache_sentence, count, search_sentence};

/// Patterns with different numbers of hits that are listed.
const MOST_DIFFERENT: usize = 100;
/// Patterns of one target that are listed; `result.json` has all.
const MOST_LISTED: usize = 50;

pub(super) fn singles(page: &mut String, document: &Document) {
    caches(page, document);
    search_servers(page, document);
    let is_there = |result: &ResultOf| !result.slowest.is_empty() || !result.fastest.is_empty();
    if document.results.iter().any(is_there) {
        heading(page, 2, "Single requests");
        let mut table = Rows::new(
            page,
            &[
                "workload", "target", "", "time", "status", "host", "request",
            ],
        );
        for result in &document.results {
            for (word, singles) in [("slowest", &result.slowest), ("fastest", &result.fastest)] {
                for single in singles {
                    table.row(&row(result, word, single));
                }
            }
        }
    }
    patterns(page, document);
    different_hits(page, document);
}

/// A target, its hits for a pattern, and the pattern's name.
type Found<'a> = (&'a str, u64, Option<&'a str>);

/// Patterns with other numbers of hits on other targets, those that are farthest apart first.
fn different_hits(page: &mut String, document: &Document) {
    let mut rows: Vec<(f64, [String; 3])> = Vec::new();
    for workload in &document.workloads {
        let mut known: BTreeMap<u32, Vec<Found<'_>>> = BTreeMap::new();
        for result in document.results_of(&workload.name) {
            for each in &result.patterns {
                if let Some(hits) = each.hits {
                    let of_pattern = known.entry(each.pattern).or_default();
                    of_pattern.push((&result.target, hits, each.request.as_deref()));
                }
            }
        }
        for (pattern, all) in known {
            let numbers = || all.iter().map(|(_, hits, _)| *hits);
            let (least, most) = (numbers().min(), numbers().max());
            let (Some(least), Some(most)) = (least, most) else {
                continue;
            };
            if least == most {
                continue;
            }
            let position = format!("pattern {pattern}");
            let told = all
                .iter()
                .map(|(target, hits, _)| format!("{target} {hits}"));
            let told: Vec<String> = told.collect();
            let request = all.iter().find_map(|(_, _, request)| *request);
            let row = [
                for_markdown(&workload.name),
                for_markdown(&told.join(", ")),
                as_code(request.unwrap_or(&position)),
            ];
            rows.push(((most - least) as f64 / most as f64, row));
        }
    }
    if rows.is_empty() {
        return;
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    heading(page, 2, "Different numbers of hits");
    let count = rows.len();
    let mut table = Rows::new(page, &["workload", "hits", "request"]);
    for (_, row) in rows.iter().take(MOST_DIFFERENT) {
        table.row(row);
    }
    if count > MOST_DIFFERENT {
        line(page, "");
        line(
            page,
            &format!(
                "These are the {MOST_DIFFERENT} of {count} patterns whose numbers are farthest \
                 apart; `result.json` has all of them."
            ),
        );
    }
}

fn caches(page: &mut String, document: &Document) {
    let cached = || {
        document
            .results
            .iter()
            .filter(|result| result.cache.is_some())
    };
    if cached().next().is_none() {
        return;
    }
    heading(page, 2, "Caches");
    for result in cached() {
        if let Some(cache) = &result.cache {
            let sentence = cache_sentence(&result.target, cache);
            let text = format!("{}: {sentence}", result.workload);
            line(page, &format!("- {}.", for_markdown(&text)));
        }
    }
    line(page, "");
}

fn search_servers(page: &mut String, document: &Document) {
    let results = document.results.iter();
    if results.clone().all(|result| result.search.is_none()) {
        return;
    }
    heading(page, 2, "Search servers");
    for result in results {
        if let Some(search) = &result.search {
            let sentence = search_sentence(&result.target, search);
            let text = format!("{}: {sentence}", result.workload);
            line(page, &format!("- {}.", for_markdown(&text)));
        }
    }
    line(page, "");
}

fn row(result: &ResultOf, word: &str, single: &SingleResult) -> [String; 7] {
    [
        for_markdown(&result.workload),
        for_markdown(&result.target),
        word.to_owned(),
        TIME.of(single.time),
        single
            .status
            .map_or_else(|| "no answer".to_owned(), |status| status.to_string()),
        for_markdown(single.host.as_deref().unwrap_or_default()),
        as_code(&single.request),
    ]
}

/// The patterns that took longest, on average.
fn patterns(page: &mut String, document: &Document) {
    if document
        .results
        .iter()
        .all(|result| result.patterns.is_empty())
    {
        return;
    }
    heading(page, 2, "Patterns");
    let mut table = Rows::new(
        page,
        &[
            "workload", "target", "ok", "failed", "mean", "min", "max", "hits", "request",
        ],
    );
    let mut cut = false;
    for result in &document.results {
        let mut slowest: Vec<&PatternResult> = result.patterns.iter().collect();
        let mean = |each: &PatternResult| each.mean.map_or(-1.0, |mean| mean.value);
        slowest.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        cut |= slowest.len() > MOST_LISTED;
        for each in slowest.into_iter().take(MOST_LISTED) {
            let position = format!("pattern {}", each.pattern);
            table.row(&[
                for_markdown(&result.workload),
                for_markdown(&result.target),
                count(each.ok),
                count(each.failed),
                TIME.with_interval(each.mean),
                TIME.maybe(each.min),
                TIME.maybe(each.max),
                each.hits.map_or_else(|| UNKNOWN.to_owned(), count),
                as_code(each.request.as_deref().unwrap_or(&position)),
            ]);
        }
    }
    if cut {
        line(page, "");
        line(
            page,
            &format!(
                "These are the {MOST_LISTED} patterns of each target that took longest on average; \
                 `result.json` has all of them."
            ),
        );
    }
}
