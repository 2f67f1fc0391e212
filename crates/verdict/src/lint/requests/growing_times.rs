//! Times that grow while the rate stays.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{RATE, TIME, ratio};

use super::{Part, finding, listed};
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::{Files, LintFinding};

/// Times grow if the mean time of the last third is this multiple of that of the first third.
const GROWN: f64 = 2.0;
/// Largest change of the rate between the thirds, as a share, if the rate stays.
const FLAT: f64 = 0.1;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "growing_times",
    summary: Texts {
        english: "times grow while the rate stays: requests queue up, and every longer run is slower",
        japanese: "レートは同じで時間だけが伸びる。リクエストが待ち行列にたまり、長く測るほど遅くなる",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("growing_times"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = listed(files);
    all.filter_map(|(file, of, _, windows)| {
        let third = windows.len() / 3;
        let first = Part::of(&windows[..third])?;
        let middle = Part::of(&windows[third..2 * third])?;
        let last = Part::of(&windows[2 * third..])?;
        let is_flat = (last.rate / middle.rate - 1.0).abs() < FLAT
            && (middle.rate / first.rate - 1.0).abs() < FLAT;
        let grows = middle.mean > first.mean && last.mean > middle.mean;
        (is_flat && grows && last.mean > GROWN * first.mean).then(|| {
            finding(
                &RULE,
                file,
                of,
                sentence!(
                    "lint-growing-times",
                    "the rate stays at {rate}, and the mean time grows from {first} in the first third to \
                     {last} in the last: {times} times",
                    rate = RATE.of(last.rate),
                    first = TIME.of(first.mean),
                    last = TIME.of(last.mean),
                    times = ratio(last.mean / first.mean)
                ),
                sentence!(
                    "lint-lower-rate",
                    "measure at a lower rate: at this one the target, or the load generator, is overloaded, \
                     and the times depend on the length of the run"
                ),
            )
        })
    })
    .collect()
}
