//! Targets whose performance changed during the run.

use tenbin_result::{Cause, Finding, Metric, Severity, Value, message};
use tenbin_stats::rank_sum_p;

use crate::cell::Cell;
use crate::compare::metric::Measure;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Relative difference between the halves of a run above which there is a finding.
const NOTICEABLE: f64 = 0.10;

/// p-value below which chance does not explain a change.
const CHANCE: f64 = 0.01;

/// Difference between the changes of two targets above which their ratio is distorted.
const UNLIKE: f64 = 0.20;

/// Smallest change of another target, as a share of the change of this target (both as logarithms), that
/// is the same change.
const LEAST_SHARED: f64 = 0.5;

/// Minimum number of slices on each side of a step that the halves of a run do not show.
const FEWEST_AFTER: usize = 3;

/// Minimum number of slices to compare two halves.
const FEWEST: usize = 8;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "slowing",
    summary: Texts {
        english: "the performance of a target changed during the run (step change)",
        japanese: "実行中にターゲットの性能が変わった(段差)",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("slowing"),
    messages: Messages {
        english: r#"
            step =
                the { $metric } { $way ->
                    [fell] fell
                   *[rose] rose
                } from { $before } to { $after } at slice { $slice } of { $slices }, { $time } after the start of
                the run
            find-out =
                find out which resource was used up, or which work started, at that time; use a --warmup and
                a run that are long enough to measure the steady state
            find-out-better =
                find out what was still warming up before that time (caches, compiled code, pools), or which
                other work ended; use a --warmup that is long enough to measure the steady state
        "#,
        japanese: r#"
            step =
                { $slices } スライス中 { $slice } 番目のスライス(実行開始から { $time } 後)で、
                { $metric }が { $before } から { $after } に{ $way ->
                    [fell] 下がった
                   *[rose] 上がった
                }
            find-out =
                そのとき使い切った資源、または始まった処理を調べる。--warmup と実行時間を、定常状態を測れる長さにする
            find-out-better =
                それまでウォームアップ中だったもの(キャッシュ、コンパイル済みコード、プール)、または終わったほかの処理を調べる。
                --warmup を、定常状態を測れる長さにする
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let stepped = cells.iter().filter_map(|cell| Some((cell, step_of(cell)?)));
    stepped
        .map(|(cell, step)| {
            let severity = if is_shared(cell, &cells, &step) {
                Severity::Note
            } else {
                Severity::Suspect
            };
            finding_of(cell, &step, severity)
        })
        .collect()
}

fn finding_of(cell: &Cell<'_>, step: &Step, severity: Severity) -> Finding {
    let metric = Metric::default_primary(is_closed(cell.workload));
    let way = if step.after < step.before {
        "fell"
    } else {
        "rose"
    };
    let advice = if step.is_better(cell) {
        message!("find-out-better")
    } else {
        message!("find-out")
    };
    let message = message!(
        "step",
        metric = metric.message(),
        way = Value::word(way),
        before = metric.value(step.before),
        after = metric.value(step.after),
        slice = Value::Plain((step.at + 1) as u64),
        slices = Value::Plain(step.slices as u64),
        time = Value::Seconds(step.seconds)
    );
    let finding = RULE.finding(severity, Cause::Setup, message, advice);
    finding.on(&cell.workload.name, &cell.target.name)
}

/// A step change: from one slice on, the performance differs permanently.
pub(crate) struct Step {
    /// Number of slices before the step.
    pub(crate) at: usize,
    /// Start of the first slice after the step, seconds after the start of the run.
    seconds: f64,
    slices: usize,
    before: f64,
    after: f64,
}

impl Step {
    /// Whether the figures after the step are the better ones.
    fn is_better(&self, cell: &Cell<'_>) -> bool {
        let metric = Metric::default_primary(is_closed(cell.workload));
        (self.after > self.before) == metric.higher_is_better()
    }
}

/// Whether every target of the workload changed at the step by about the same factor, so that ratios
/// between targets did not change. A target that kept its figures did not change alike, however small
/// the step is.
fn is_shared(cell: &Cell<'_>, cells: &[Cell<'_>], step: &Step) -> bool {
    let mine = (step.after / step.before).ln();
    let others = cells.iter().filter(|other| {
        other.workload.name == cell.workload.name && other.target.name != cell.target.name
    });
    let changes: Vec<Option<f64>> = others.map(|other| change_at(other, step.at)).collect();
    let alike = |other: &Option<f64>| {
        other.is_some_and(|other| {
            let share = other / mine;
            share >= LEAST_SHARED && (mine - other).abs() <= UNLIKE.ln_1p()
        })
    };
    !changes.is_empty() && changes.iter().all(alike)
}

/// Logarithm of (median figure from slice `at` on ÷ median figure before).
fn change_at(cell: &Cell<'_>, at: usize) -> Option<f64> {
    let figures = figures(cell)?;
    let (before, after) = figures.split_at_checked(at)?;
    Some((middle(after.iter().copied())? / middle(before.iter().copied())?).ln())
}

/// Logarithm of (median figure in the second half of the run ÷ median figure in the first half).
fn change(cell: &Cell<'_>) -> Option<f64> {
    let figures = figures(cell)?;
    let (first, second) = figures.split_at(figures.len() / 2);
    Some((middle(second.iter().copied())? / middle(first.iter().copied())?).ln())
}

/// The default primary metric of every full slice; `None` if the figure of a slice is unknown or
/// the cell has fewer than [`FEWEST`] full slices.
fn figures(cell: &Cell<'_>) -> Option<Vec<f64>> {
    let metric = Metric::default_primary(is_closed(cell.workload));
    let full = cell.full().into_iter();
    let figures: Vec<f64> = full
        .map(|slice| metric.of_slice(slice).filter(|figure| *figure > 0.0))
        .collect::<Option<_>>()?;
    (figures.len() >= FEWEST).then_some(figures)
}

pub(crate) fn step_of(cell: &Cell<'_>) -> Option<Step> {
    let figures = figures(cell)?;
    let (first, second) = figures.split_at(figures.len() / 2);
    let at = best_split(&figures)?;
    let differ = || {
        change(cell).is_some_and(|change| change.abs() > NOTICEABLE.ln_1p())
            && (lie_apart(first, second) || rank_sum_p(first, second).is_some_and(|p| p < CHANCE))
    };
    if !differ() && !is_clear(&figures, at) {
        return None;
    }
    let (before, after) = figures.split_at(at);
    let step = Step {
        at,
        seconds: cell.full().get(at)?.start,
        slices: figures.len(),
        before: middle(before.iter().copied())?,
        after: middle(after.iter().copied())?,
    };
    let only_cold = step.is_better(cell) && at <= figures.len().div_ceil(3);
    (!only_cold).then_some(step)
}

/// Whether the figures before and after the split, at least [`FEWEST_AFTER`] each, differ by more than
/// [`NOTICEABLE`] and the space between both groups is larger than either group: a step that the
/// medians of the halves of a run do not show.
fn is_clear(figures: &[f64], at: usize) -> bool {
    let (before, after) = figures.split_at(at);
    if before.len().min(after.len()) < FEWEST_AFTER {
        return false;
    }
    let logs = |of: &[f64]| {
        let logs = of.iter().map(|figure| figure.ln());
        logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| {
            (low.min(log), high.max(log))
        })
    };
    let (one, other) = (logs(before), logs(after));
    let space = (one.0 - other.1).max(other.0 - one.1);
    space > NOTICEABLE.ln_1p().max(one.1 - one.0).max(other.1 - other.0)
}

/// Whether all figures of one list lie above all figures of the other list.
fn lie_apart(first: &[f64], second: &[f64]) -> bool {
    let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most(first) < least(second) || most(second) < least(first)
}

/// The position of the step: the split that minimises the sum of squares about the means of the two
/// parts. Returns the number of figures before the step.
///
/// With n figures that sum to 0, of which the first k sum to s, the squares of both parts are smaller
/// than those of all by s²/k + s²/(n − k).
fn best_split(figures: &[f64]) -> Option<usize> {
    let count = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / count;
    let sums = figures.iter().scan(0.0, |sum, figure| {
        *sum += figure - mean;
        Some(*sum)
    });
    let gained = sums.zip(1..figures.len()).map(|(sum, before)| {
        let part = before as f64;
        (before, sum * sum * (1.0 / part + 1.0 / (count - part)))
    });
    let best = gained.min_by(|(_, one), (_, other)| other.total_cmp(one));
    best.map(|(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn the_best_split_has_the_smallest_squares() {
        let squares = |of: &[f64]| {
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            of.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
        };
        let mut state = 1_u64;
        for count in 2..60 {
            let figures: Vec<f64> = (0..count)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    1_000.0 + (state >> 40) as f64 / 1e6
                })
                .collect();
            let left = |at: &usize| squares(&figures[..*at]) + squares(&figures[*at..]);
            let slow = (1..count).min_by(|a, b| left(a).total_cmp(&left(b)));
            assert_eq!(best_split(&figures), slow, "{figures:?}");
        }
        assert_eq!(best_split(&[1.0]), None);
        assert_eq!(best_split(&[]), None);
    }

    /// Multiplies the throughput of `targets` by `share` from slice `at` on; all figures vary by 1
    /// %.
    fn stepping(mut run: Run, targets: &[&str], at: usize, share: f64) -> Run {
        for target in ["a", "b"] {
            let mut seen = 0;
            run.each_of(target, |slice| {
                let wobble = [1.0, 1.01, 0.99][seen % 3];
                let moved = targets.contains(&target) && seen >= at;
                let level = if moved { share } else { 1.0 } * wobble;
                slice.answers((1_000.0 * level) as u64, 0.002 / level);
                seen += 1;
            });
        }
        run
    }

    #[test]
    fn a_target_alone_that_slows_down_is_suspect() {
        let run = stepping(Run::single(16), &["a"], 9, 1.0 / 3.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "the throughput fell from 1.00 k/s to 333/s at slice 10 of 16, 13.5 s after the start of the \
             run"
        );
        let run = stepping(Run::single(8), &["a"], 4, 0.5);
        assert_eq!(run.findings(&RULE).len(), 1, "eight that lie apart");
    }

    #[test]
    fn a_rise_is_not_said_to_have_used_something_up() {
        let run = stepping(Run::single(16), &["a"], 9, 9.0);
        let finding = run.findings(&RULE).remove(0);
        assert!(finding.evidence.contains("rose from"), "{finding:?}");
        assert!(finding.advice.contains("warming up"), "{finding:?}");
        let fell = stepping(Run::single(16), &["a"], 9, 0.3)
            .findings(&RULE)
            .remove(0);
        assert!(fell.advice.contains("used up"), "{fell:?}");
        // In an open loop, a shorter time is the better figure.
        let quicker = stepping(Run::single(16).open_loop(), &["a"], 9, 3.0);
        let quicker = quicker.findings(&RULE).remove(0);
        assert!(quicker.evidence.contains("fell from"), "{quicker:?}");
        assert!(quicker.advice.contains("warming up"), "{quicker:?}");
    }

    #[test]
    fn a_late_step_is_found_that_the_halves_do_not_show() {
        let run = stepping(Run::single(16), &["a"], 13, 0.6);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].evidence.contains("at slice 14 of 16"),
            "{findings:?}"
        );
    }

    #[test]
    fn what_all_targets_share_is_a_note() {
        let run = stepping(Run::pair(8), &["a", "b"], 8, 0.7);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Note));
        let run = stepping(Run::pair(8), &["b"], 8, 0.7);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_small_step_beside_a_steady_target_is_suspect() {
        for share in [0.85, 1.17] {
            let run = stepping(Run::pair(8), &["b"], 8, share);
            let findings = run.findings(&RULE);
            assert_eq!(findings.len(), 1, "{share}: {findings:?}");
            assert_eq!(findings[0].severity, Severity::Suspect, "{share}");
        }
        let late = stepping(Run::pair(8), &["a", "b"], 13, 0.6);
        let findings = late.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Note));
    }

    #[test]
    fn silent_when_it_is_small_chance_few_or_a_cold_start() {
        let steady = stepping(Run::single(16), &[], 0, 1.0);
        assert_eq!(steady.findings(&RULE), []);
        let small = stepping(Run::single(16), &["a"], 8, 0.93);
        assert_eq!(small.findings(&RULE), []);
        let one = stepping(Run::single(16), &["a"], 15, 0.3);
        assert_eq!(one.findings(&RULE), []);
        let few = stepping(Run::single(6), &["a"], 3, 0.3);
        assert_eq!(few.findings(&RULE), []);
        let cold = stepping(Run::single(12), &["a"], 4, 2.0);
        assert_eq!(cold.findings(&RULE), []);
    }
}
