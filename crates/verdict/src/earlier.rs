//! One run against an earlier one of the same question.
//!
//! The two were not taken in turns, so nothing cancels what the machine did in between.
//! Work that was not touched by whatever changed tells how much that was: the controls.

use serde::Serialize;
use tenbin_stats::{CONFIDENCE, Measured, holm, median, rank_sum_p, unpaired_ratio};

use crate::outcome::NOISE_FLOOR;

/// The figures of one workload on one target in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target, where there is one.
    pub target: Option<String>,
    /// The speeds are inverse times, and best shown as the times they are.
    pub by_time: bool,
    /// Speed: one value a slice, or a repetition. More is better.
    pub values: Vec<f64>,
}

/// Whether a workload was touched by what changed between the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// It was named as changed.
    Changed,
    /// Others were named, so that this one shows what the machine did.
    Control,
    /// Nothing was named.
    Unnamed,
}

/// What became of the speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is higher.
    Faster,
    /// It is lower.
    Slower,
    /// It moved, but no further than the controls did.
    Drift,
    /// The interval allows more than one of the above.
    CannotTell,
    /// Too few values on a side for an interval.
    TooFew,
}

/// One workload on one target, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Earlier {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target, where there is one.
    pub target: Option<String>,
    /// The speeds are inverse times.
    pub by_time: bool,
    /// What it is to the comparison.
    pub part: Part,
    /// Median speed before.
    pub before: Measured,
    /// Median speed after.
    pub after: Measured,
    /// Speed after divided by speed before: Hodges–Lehmann over all pairs of one value
    /// each, with the rank-sum interval.
    pub ratio: Measured,
    /// Two-sided rank-sum p-value of "no change".
    pub p: Option<f64>,
    /// The same after Holm's correction over all that is not a control.
    pub adjusted_p: Option<f64>,
    /// What it says.
    pub change: Change,
}

/// The range of the controls' ratios: how far the machine moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Controls {
    /// How many there are.
    pub count: usize,
    /// Lowest ratio.
    pub low: f64,
    /// Highest ratio.
    pub high: f64,
}

/// A run against an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EarlierRun {
    /// Every workload on every target that both have, in the order of the later run.
    pub all: Vec<Earlier>,
    /// The controls, if there are any.
    pub controls: Option<Controls>,
}

/// Compares every workload on every target that both runs have. `changed` names the
/// workloads that were touched by what lies between the runs; all others are then
/// controls.
pub fn against_earlier(before: &[Series], after: &[Series], changed: &[String]) -> EarlierRun {
    let mut all: Vec<Earlier> = after
        .iter()
        .filter_map(|after| Some((find(before, after)?, after)))
        .map(|(before, after)| compare(before, after, part(&after.workload, changed)))
        .collect();
    correct(&mut all);
    let controls = controls(&all);
    for each in &mut all {
        each.change = each.decide(controls);
    }
    EarlierRun { all, controls }
}

fn find<'a>(all: &'a [Series], wanted: &Series) -> Option<&'a Series> {
    all.iter().find(|each| {
        each.workload == wanted.workload
            && each.target == wanted.target
            && each.by_time == wanted.by_time
    })
}

fn part(workload: &str, changed: &[String]) -> Part {
    if changed.is_empty() {
        Part::Unnamed
    } else if changed.iter().any(|name| name == workload) {
        Part::Changed
    } else {
        Part::Control
    }
}

fn compare(before: &Series, after: &Series, part: Part) -> Earlier {
    Earlier {
        workload: after.workload.clone(),
        target: after.target.clone(),
        by_time: after.by_time,
        part,
        before: median(&before.values, CONFIDENCE),
        after: median(&after.values, CONFIDENCE),
        ratio: unpaired_ratio(&before.values, &after.values, CONFIDENCE),
        p: rank_sum_p(&before.values, &after.values),
        adjusted_p: None,
        change: Change::CannotTell,
    }
}

/// A control asks nothing: it only lends its ratio.
fn correct(all: &mut [Earlier]) {
    let family: Vec<usize> = (0..all.len())
        .filter(|&at| all[at].part != Part::Control)
        .collect();
    let raw: Vec<f64> = family.iter().map(|&at| all[at].p.unwrap_or(1.0)).collect();
    for (&at, adjusted) in family.iter().zip(holm(&raw)) {
        all[at].adjusted_p = all[at].p.map(|_| adjusted);
    }
}

fn controls(all: &[Earlier]) -> Option<Controls> {
    let ratios: Vec<f64> = all
        .iter()
        .filter(|each| each.part == Part::Control)
        .filter_map(|each| each.ratio.value())
        .collect();
    (!ratios.is_empty()).then(|| Controls {
        count: ratios.len(),
        low: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        high: ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

impl Earlier {
    fn decide(&self, controls: Option<Controls>) -> Change {
        let Some(estimate) = self.ratio.estimate() else {
            return Change::TooFew;
        };
        let holds = self.adjusted_p.is_none_or(|p| p <= 1.0 - CONFIDENCE);
        let effect = estimate.value.ln().abs().exp_m1();
        if !holds || estimate.contains(1.0) || effect <= NOISE_FLOOR {
            return Change::CannotTell;
        }
        // Not to have moved at all is always within what the machine does.
        let overlaps = |range: Controls| {
            estimate.low <= range.high.max(1.0) && range.low.min(1.0) <= estimate.high
        };
        if self.part == Part::Changed && controls.is_some_and(overlaps) {
            return Change::Drift;
        }
        if estimate.value > 1.0 {
            Change::Faster
        } else {
            Change::Slower
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(workload: &str, level: f64, values: usize) -> Series {
        Series {
            workload: workload.to_owned(),
            target: Some("a".to_owned()),
            by_time: false,
            values: (0..values)
                .map(|at| level * (1.0 + 0.001 * at as f64))
                .collect(),
        }
    }

    fn compared(ratios: &[(&str, f64)], values: usize, changed: &[&str]) -> EarlierRun {
        let before: Vec<Series> = ratios
            .iter()
            .map(|(name, _)| series(name, 100.0, values))
            .collect();
        let after: Vec<Series> = ratios
            .iter()
            .map(|(name, ratio)| series(name, 100.0 * ratio, values))
            .collect();
        let changed: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
        against_earlier(&before, &after, &changed)
    }

    fn changes(run: &EarlierRun) -> Vec<Change> {
        run.all.iter().map(|each| each.change).collect()
    }

    #[test]
    fn without_controls_the_figures_speak_for_themselves() {
        let run = compared(&[("put", 1.2), ("get", 0.8), ("list", 1.0)], 12, &[]);
        assert_eq!(
            changes(&run),
            [Change::Faster, Change::Slower, Change::CannotTell]
        );
        assert_eq!(run.controls, None);
        let ratio = run.all[0].ratio.estimate().unwrap();
        assert!((ratio.value - 1.2).abs() < 1e-9, "{ratio:?}");
    }

    #[test]
    fn no_further_than_the_controls_is_drift() {
        let moved = [("list", 1.15), ("put", 1.2), ("get", 0.97)];
        let run = compared(&moved, 12, &["list"]);
        assert_eq!(run.all[0].change, Change::Drift);
        let controls = run.controls.unwrap();
        assert_eq!(controls.count, 2);
        assert!((controls.low - 0.97).abs() < 1e-9, "{controls:?}");
        assert!((controls.high - 1.2).abs() < 1e-9, "{controls:?}");
        let further = compared(&[("list", 1.5), ("put", 1.2), ("get", 0.97)], 12, &["list"]);
        assert_eq!(further.all[0].change, Change::Faster);
    }

    #[test]
    fn controls_that_all_moved_one_way_have_their_own_range_and_no_less_drift() {
        let moved = [("list", 1.2), ("put", 1.372), ("get", 1.912)];
        let run = compared(&moved, 12, &["list"]);
        let controls = run.controls.unwrap();
        assert!((controls.low - 1.372).abs() < 1e-9, "{controls:?}");
        assert!((controls.high - 1.912).abs() < 1e-9, "{controls:?}");
        assert_eq!(run.all[0].change, Change::Drift, "between 1 and 1.912");
    }

    #[test]
    fn one_run_each_cannot_tell_whatever_the_ratio() {
        let run = compared(&[("list", 58.0)], 1, &[]);
        assert_eq!(changes(&run), [Change::TooFew]);
        assert!((run.all[0].ratio.value().unwrap() - 58.0).abs() < 1e-9);
    }

    #[test]
    fn many_questions_ask_for_more_evidence() {
        // Of four values each the smallest p is 2/70: enough for one question, not for two.
        assert_eq!(
            changes(&compared(&[("put", 2.0)], 4, &[])),
            [Change::Faster]
        );
        let two = compared(&[("put", 2.0), ("get", 2.0)], 4, &[]);
        assert_eq!(changes(&two), [Change::CannotTell; 2]);
    }

    #[test]
    fn only_what_both_have_is_compared() {
        let before = [series("put", 1.0, 8)];
        let after = [series("put", 1.0, 8), series("get", 1.0, 8)];
        assert_eq!(against_earlier(&before, &after, &[]).all.len(), 1);
    }
}
