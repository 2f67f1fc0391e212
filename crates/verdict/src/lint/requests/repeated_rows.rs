//! Rows that are repeated.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{count, plural};

use super::{FEWEST_TIMES, finding, timed};
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::single_requests::SingleRequests;
use crate::lint::{Files, LintFinding, Measurement};

/// Share of repeated rows that is no chance.
const ROWS_SHARE: f64 = 0.01;
/// Step of a clock on which two requests hardly start at the same time, nanoseconds.
const FINE: u64 = 1_000;
/// Largest share of rows that start together on such a clock, if they are not repeated.
const TOGETHER: f64 = 0.01;
/// With a coarser clock, rows that start together are repeated if at least this share of them has
/// the same time as well,
const SAME_TIME: f64 = 0.4;
/// if no more than this share of pairs of requests has the same time by chance,
const BY_CHANCE: f64 = 0.1;
/// and if times have steps of no more than this share of the median.
const FINE_TIMES: f64 = 0.01;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "repeated_rows",
    summary: Texts {
        english: "rows are repeated: requests count more than once",
        japanese: "同じ行が繰り返され、リクエストが重複して数えられている",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("repeated_rows"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = timed(files);
    all.filter_map(|(file, of, single, median)| {
        let all = single.requests.max(1) as f64;
        let has_proof = is_fine(single) || is_varied(of, single, median);
        let neighbours = single.repeated as f64 / single.together.max(1) as f64;
        let repeated = if neighbours >= SAME_TIME {
            single.repeated.max(single.twice())
        } else {
            single.twice()
        };
        let share = repeated as f64 / all;
        (has_proof && single.requests >= FEWEST_TIMES && share >= ROWS_SHARE).then(|| {
            finding(
                &RULE,
                file,
                of,
                sentence!(
                    "lint-repeated-rows",
                    "{repeated} of {requests} have the same start and the same time as an earlier row",
                    repeated = count(repeated),
                    requests = plural(single.requests as usize, "request")
                )
                .with("requests", count(single.requests)),
                sentence!(
                    "lint-remove-rows",
                    "remove the repeated rows: the file may have been joined or written twice"
                ),
            )
        })
    })
    .collect()
}

/// Whether the clock of the starts is so fine that different requests do not start together.
fn is_fine(single: &SingleRequests) -> bool {
    let apart = single.together.saturating_sub(single.repeated) as f64;
    single.clock() <= FINE && apart < TOGETHER * single.requests as f64
}

/// Whether the times of requests tell them apart.
fn is_varied(of: &Measurement, single: &SingleRequests, median: f64) -> bool {
    let times = of.listed.as_ref().and_then(|listed| listed.times.as_ref());
    let is_precise = single.step() as f64 / 1e9 <= FINE_TIMES * median;
    times.is_some_and(|times| {
        let share = |count: u64| count as f64 / times.len().max(1) as f64;
        let same = times.iter_recorded();
        let same: f64 = same.map(|each| share(each.count_at_value()).powi(2)).sum();
        is_precise && same < BY_CHANCE
    })
}
