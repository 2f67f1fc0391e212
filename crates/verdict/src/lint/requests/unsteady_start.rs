//! A start of the run that differs from the rest.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{RATE, TIME};

use super::{Part, SECONDS, finding, listed};
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::{Files, LintFinding};

/// The start is unsteady if its rate, or its mean time, differs from the rest by this factor.
const UNSTEADY: f64 = 1.5;
/// Fewest requests of the start whose mean time is judged.
const FEWEST_TIMED: u64 = 50;
/// Fewest requests that are expected in the start if its rate is judged.
const FEWEST_EXPECTED: f64 = 30.0;
/// The rate of the start is no chance if it lacks this many times the square root of the expected
/// number of requests, which is the deviation of random arrivals.
const NO_CHANCE: f64 = 4.0;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "unsteady_start",
    summary: Texts {
        english: "the start of the run, with another rate or other times, counts in its figures",
        japanese: "レートや時間の違う開始直後も、数値に含まれている",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("unsteady_start"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = listed(files);
    all.filter_map(|(file, of, _, windows)| {
        let first = (windows.len() / 10).max(5);
        let (begin, rest) = windows.split_at(first);
        let (begin, rest) = (Part::of(begin)?, Part::of(&rest[rest.len() / 4..])?);
        let is_slow = begin.timed >= FEWEST_TIMED && begin.mean > UNSTEADY * rest.mean;
        let expected = rest.rate * first as f64 * SECONDS;
        let lacks = expected - begin.started as f64;
        let is_ramp = begin.rate * UNSTEADY < rest.rate
            && expected >= FEWEST_EXPECTED
            && lacks > NO_CHANCE * expected.sqrt();
        (is_slow || is_ramp).then(|| {
            finding(
                &RULE,
                file,
                of,
                sentence!(
                    "lint-unsteady-start",
                    "in the first {start} the rate was {rate} and the mean time {mean}, later {later_rate} and \
                     {later_mean}; the figures of the file include the start",
                    start = TIME.of(first as f64 * SECONDS),
                    rate = RATE.of(begin.rate),
                    mean = TIME.of(begin.mean),
                    later_rate = RATE.of(rest.rate),
                    later_mean = TIME.of(rest.mean)
                ),
                sentence!(
                    "lint-leave-out-start",
                    "leave the start out: tenbin warp analyze --analyze.skip, or measure with a warm-up"
                ),
            )
        })
    })
    .collect()
}
