//! A long time without any request within a list.

use std::collections::BTreeMap;

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::TIME;

use super::SECONDS;
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::single_requests::{WINDOW, Window};
use crate::lint::{Files, LintFinding, Reported, quotes};

/// Shortest time without a request that is judged, seconds.
const SHORTEST: f64 = 10.0;
/// Share of the time of the list that must be without a request.
const SHARE: f64 = 0.5;
/// Fewest requests before and after it: those of a run.
const FEWEST_REQUESTS: u64 = 50;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "interrupted",
    summary: Texts {
        english: "for most of the time nothing was sent: the list has several runs, and its rate is that of none",
        japanese: "大半の時間に何も送られていない。複数の実行を含む一覧で、レートはどの実行のものでもない",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("interrupted"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    files.all.iter().filter_map(finding).collect()
}

fn finding(file: &Reported) -> Option<LintFinding> {
    let windows = windows(file);
    let (first, last) = (*windows.first_key_value()?.0, *windows.last_key_value()?.0);
    let all: u64 = windows.values().map(|window| window.started).sum();
    let length = (last.saturating_sub(first)) as f64 * SECONDS;
    let (mut busy_until, mut before) = (f64::INFINITY, 0);
    let mut nothing_sent = 0.0;
    for (number, window) in &windows {
        let at = number.saturating_sub(first) as f64;
        let idle = (at - busy_until) * SECONDS;
        let is_between = before >= FEWEST_REQUESTS && all - before >= FEWEST_REQUESTS;
        if is_between && idle >= SHORTEST {
            nothing_sent += idle;
        }
        before += window.started;
        let end = at + 1.0 + window.longest as f64 / WINDOW as f64;
        busy_until = if busy_until.is_finite() {
            busy_until.max(end)
        } else {
            end
        };
    }
    if nothing_sent == 0.0 || nothing_sent < SHARE * length {
        return None;
    }
    let ended = file.measurements.iter().filter_map(|of| of.ended.as_ref());
    Some(LintFinding {
        rule: RULE.name,
        severity: Severity::Suspect,
        operation: None,
        evidence: sentence!(
            "lint-interrupted",
            "for {idle} of {all} no request was sent and none waited for its response; the rate of the file \
             counts that time",
            idle = TIME.of(nothing_sent),
            all = TIME.of(length)
        ),
        advice: sentence!("lint-separate-files", "write each run to a separate file"),
        quotes: quotes(file, ended.map(|ended| &ended.quote).take(1)),
    })
}

/// The windows of all operations together, with the number of requests and the longest time.
fn windows(file: &Reported) -> BTreeMap<i64, Window> {
    let mut all: BTreeMap<i64, Window> = BTreeMap::new();
    let lists = file.measurements.iter();
    let lists = lists.filter_map(|of| of.listed.as_ref()?.single.as_deref());
    for (number, window) in lists.flat_map(|single| &single.windows) {
        let sum = all.entry(*number).or_default();
        sum.started += window.started;
        sum.longest = sum.longest.max(window.longest);
    }
    all
}
