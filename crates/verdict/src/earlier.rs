//! Compares a run with an earlier run of the same plan.
//!
//! The two runs were not interleaved, so changes of the machine between the runs do not cancel: the
//! figures can differ for reasons other than the server. Work that the change under test does not
//! affect is a control: the control shows how much the machine changed. The change of the controls
//! and its uncertainty are divided out. Without a control, the cause of a change is unknown.

use tenbin_result::{ControlRange, EarlierChange, EarlierOutcome, EarlierPart, Figure, Interval};
use tenbin_stats::{
    CONFIDENCE, Estimate, Measured, bonferroni, confidence_of_each, median, rank_sum_p,
    unpaired_ratio,
};

use crate::compare::outcome::{EQUIVALENCE, NOISE_FLOOR, effect};

/// The figures of one workload on one target in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target, if the figures belong to a target.
    pub target: Option<String>,
    /// Whether the speeds are inverse times, which are shown as times.
    pub by_time: bool,
    /// Speeds: operations per second, or inverse seconds if `by_time`. One value per slice or
    /// repetition; higher is better.
    pub values: Vec<f64>,
    /// Whether the target is the same in both runs, and therefore a control for the other targets.
    pub shared: bool,
    /// Speed divided by the geometric mean of the speeds of the shared targets in the same block of
    /// the run, one value per block; `None` if the runs share no target.
    pub relative: Option<Vec<f64>>,
}

impl Series {
    /// A series with speeds only: not shared, without relative speeds.
    pub fn new(workload: String, target: Option<String>, by_time: bool, values: Vec<f64>) -> Self {
        Self {
            workload,
            target,
            by_time,
            values,
            shared: false,
            relative: None,
        }
    }
}

/// A run compared with an earlier run.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierRun {
    /// Changes of every workload on every target that both runs have, in the order of the later
    /// run.
    pub all: Vec<EarlierChange>,
    /// Range of the changes of the controls; `None` without controls.
    pub controls: Option<ControlRange>,
    /// Number of comparisons whose intervals hold simultaneously: all comparisons except controls.
    pub together: usize,
}

/// Compares every workload on every target that both runs have. `changed` names the workloads that
/// the change between the runs affects; all other workloads and all shared targets are controls.
pub fn against_earlier(before: &[Series], after: &[Series], changed: &[String]) -> EarlierRun {
    let pairs: Vec<(&Series, &Series, EarlierPart)> = after
        .iter()
        .filter_map(|after| Some((find(before, after)?, after)))
        .map(|(before, after)| (before, after, part(after, changed)))
        .collect();
    let (controls, tested): (Vec<_>, Vec<_>) = pairs
        .iter()
        .partition(|(_, _, part)| *part == EarlierPart::Control);
    let together = tested.len();
    let each = confidence_of_each(CONFIDENCE, together);
    // Half of the error is for the control, half for the figure that is divided by the control.
    let half = confidence_of_each(each, 2);
    let control = Hull::of(
        controls
            .iter()
            .map(|(before, after, _)| unpaired_ratio(&before.values, &after.values, half)),
    );
    let all: Vec<EarlierChange> = pairs
        .iter()
        .map(|(before, after, part)| compare(before, after, *part, control, together))
        .collect();
    EarlierRun {
        controls: range(&all),
        all,
        together,
    }
}

fn find<'a>(all: &'a [Series], wanted: &Series) -> Option<&'a Series> {
    all.iter().find(|each| {
        each.workload == wanted.workload
            && each.target == wanted.target
            && each.by_time == wanted.by_time
    })
}

fn part(series: &Series, changed: &[String]) -> EarlierPart {
    if series.shared {
        EarlierPart::Control
    } else if changed.is_empty() {
        EarlierPart::Unnamed
    } else if changed.contains(&series.workload) {
        EarlierPart::Changed
    } else {
        EarlierPart::Control
    }
}

/// The change of the controls: a range from the lowest to the highest end of the controls'
/// intervals. The range always includes "no change", because other workloads need not change like
/// the controls.
#[derive(Debug, Clone, Copy)]
enum Hull {
    /// The runs have no control.
    Nothing,
    /// The controls have no interval.
    Unknown,
    /// The middle and the ends of the range, as ratios later ÷ earlier run.
    Known { middle: f64, low: f64, high: f64 },
}

impl Hull {
    fn of(controls: impl Iterator<Item = Measured>) -> Self {
        let controls: Vec<Measured> = controls.collect();
        if controls.is_empty() {
            return Self::Nothing;
        }
        let known: Option<Vec<Estimate>> = controls
            .iter()
            .map(|each| each.estimate().copied())
            .collect();
        let Some(known) = known else {
            return Self::Unknown;
        };
        let logs = known.iter().map(|each| each.value.ln());
        Self::Known {
            middle: (logs.sum::<f64>() / known.len() as f64).exp(),
            low: known.iter().map(|each| each.low).fold(1.0, f64::min),
            high: known.iter().map(|each| each.high).fold(1.0, f64::max),
        }
    }

    /// `ratio` divided by the change of the controls; `None` without controls. The intervals of
    /// `ratio` and of the controls must each allow half of the error, so that the interval of the
    /// quotient has at least the given confidence.
    fn divides(self, ratio: Measured, confidence: f64) -> Option<Measured> {
        let Self::Known { middle, low, high } = self else {
            let unknown = Measured::Unknown;
            return (!matches!(self, Self::Nothing)).then_some(unknown);
        };
        Some(match ratio {
            Measured::Interval(found) => Measured::Interval(Estimate {
                value: found.value / middle,
                low: found.low / high,
                high: found.high / low,
                confidence,
                n: found.n,
            }),
            Measured::Point { value, n } => Measured::Point {
                value: value / middle,
                n,
            },
            Measured::Unknown => Measured::Unknown,
        })
    }
}

fn compare(
    before: &Series,
    after: &Series,
    part: EarlierPart,
    control: Hull,
    together: usize,
) -> EarlierChange {
    let is_control = part == EarlierPart::Control;
    let each = match is_control {
        true => CONFIDENCE,
        false => confidence_of_each(CONFIDENCE, together),
    };
    let ratio_at = |confidence| unpaired_ratio(&before.values, &after.values, confidence);
    let blocks = before.relative.as_ref().zip(after.relative.as_ref());
    let (divided, p) = match (is_control, blocks) {
        (true, _) => (None, rank_sum_p(&before.values, &after.values)),
        // Ratios of ratios: each run is divided by its control block by block, and the quotients of
        // both runs are compared.
        (false, Some((then, now))) => {
            (Some(unpaired_ratio(then, now, each)), rank_sum_p(then, now))
        }
        (false, None) => {
            let halved = ratio_at(confidence_of_each(each, 2));
            let divided = control.divides(halved, each);
            let alone = divided.is_none();
            let p = alone.then(|| rank_sum_p(&before.values, &after.values));
            (divided, p.flatten())
        }
    };
    let ratio = ratio_at(each);
    EarlierChange {
        workload: after.workload.clone(),
        target: after.target.clone(),
        part,
        timed: after.by_time,
        before: shown(before),
        after: shown(after),
        ratio: Figure::of(ratio),
        divided: divided.and_then(Figure::of),
        p,
        adjusted_p: p.filter(|_| !is_control).map(|p| bonferroni(p, together)),
        change: decide(&ratio, divided.as_ref()),
    }
}

/// The median speed, or the median time if speeds are inverse times. The median of inverse values
/// is the inverse of the median; inverting swaps the ends of the interval.
fn shown(series: &Series) -> Option<Figure> {
    let speed = Figure::of(median(&series.values, CONFIDENCE))?;
    if !series.by_time {
        return Some(speed);
    }
    Some(Figure {
        value: 1.0 / speed.value,
        interval: speed.interval.map(|ends| Interval {
            low: 1.0 / ends.high,
            high: 1.0 / ends.low,
            ..ends
        }),
        ..speed
    })
}

/// Range of the controls' ratios; `None` without a control with a ratio.
fn range(all: &[EarlierChange]) -> Option<ControlRange> {
    let ratios: Vec<f64> = all
        .iter()
        .filter(|each| each.part == EarlierPart::Control)
        .filter_map(|each| Some(each.ratio?.value))
        .collect();
    (!ratios.is_empty()).then(|| ControlRange {
        count: ratios.len() as u64,
        low: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        high: ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    })
}

/// Whether an interval excludes "no change" by more than the noise floor.
fn is_different(found: &Estimate) -> bool {
    !found.contains(1.0) && effect(found.value) > NOISE_FLOOR
}

/// The verdict from `divided`, the ratio with the change of the controls divided out, or from
/// `ratio` without controls.
fn decide(ratio: &Measured, divided: Option<&Measured>) -> EarlierOutcome {
    let Some(divided) = divided else {
        return match ratio.estimate() {
            None => EarlierOutcome::TooFew,
            Some(found) if is_different(found) => EarlierOutcome::Differs,
            Some(_) => EarlierOutcome::CannotTell,
        };
    };
    let Some(found) = divided.estimate() else {
        return EarlierOutcome::TooFew;
    };
    let margin = 1.0 + EQUIVALENCE;
    if is_different(found) {
        match found.value > 1.0 {
            true => EarlierOutcome::Faster,
            false => EarlierOutcome::Slower,
        }
    } else if found.low >= 1.0 / margin && found.high <= margin {
        EarlierOutcome::Equivalent
    } else if ratio.estimate().is_some_and(is_different) {
        EarlierOutcome::Drift
    } else {
        EarlierOutcome::CannotTell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(workload: &str, level: f64, values: usize) -> Series {
        let values = (0..values).map(|at| level * (1.0 + 0.001 * at as f64));
        let target = Some("a".to_owned());
        Series::new(workload.to_owned(), target, false, values.collect())
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

    fn changes(run: &EarlierRun) -> Vec<EarlierOutcome> {
        run.all.iter().map(|each| each.change).collect()
    }

    #[test]
    fn without_controls_a_change_has_no_known_cause() {
        let run = compared(&[("put", 1.2), ("get", 0.8), ("list", 1.0)], 12, &[]);
        assert_eq!(
            changes(&run),
            [
                EarlierOutcome::Differs,
                EarlierOutcome::Differs,
                EarlierOutcome::CannotTell
            ]
        );
        assert_eq!(run.controls, None);
        let ratio = run.all[0].ratio.unwrap();
        assert!((ratio.value - 1.2).abs() < 1e-9, "{ratio:?}");
    }

    #[test]
    fn no_further_than_the_controls_is_drift() {
        let moved = [("list", 1.15), ("put", 1.2), ("get", 0.97)];
        let run = compared(&moved, 12, &["list"]);
        assert_eq!(run.all[0].change, EarlierOutcome::Drift);
        let controls = run.controls.unwrap();
        assert_eq!(controls.count, 2);
        assert!((controls.low - 0.97).abs() < 1e-9, "{controls:?}");
        assert!((controls.high - 1.2).abs() < 1e-9, "{controls:?}");
        let further = compared(&[("list", 1.5), ("put", 1.2), ("get", 0.97)], 12, &["list"]);
        assert_eq!(further.all[0].change, EarlierOutcome::Faster);
    }

    #[test]
    fn controls_that_all_moved_one_way_have_their_own_range_and_no_less_drift() {
        let moved = [("list", 1.2), ("put", 1.372), ("get", 1.912)];
        let run = compared(&moved, 12, &["list"]);
        let controls = run.controls.unwrap();
        assert!((controls.low - 1.372).abs() < 1e-9, "{controls:?}");
        assert!((controls.high - 1.912).abs() < 1e-9, "{controls:?}");
        assert_eq!(
            run.all[0].change,
            EarlierOutcome::Drift,
            "between 1 and 1.912"
        );
    }

    #[test]
    fn one_run_each_cannot_tell_whatever_the_ratio() {
        let run = compared(&[("list", 58.0)], 1, &[]);
        assert_eq!(changes(&run), [EarlierOutcome::TooFew]);
        assert!((run.all[0].ratio.unwrap().value - 58.0).abs() < 1e-9);
    }

    #[test]
    fn many_questions_ask_for_more_evidence() {
        // With four values in each run, the smallest p is 2/70: enough for one comparison, too
        // large for two.
        assert_eq!(
            changes(&compared(&[("put", 2.0)], 4, &[])),
            [EarlierOutcome::Differs]
        );
        let two = compared(&[("put", 2.0), ("get", 2.0)], 4, &[]);
        assert_eq!(changes(&two), [EarlierOutcome::TooFew; 2]);
    }

    #[test]
    fn only_what_both_have_is_compared() {
        let before = [series("put", 1.0, 8)];
        let after = [series("put", 1.0, 8), series("get", 1.0, 8)];
        assert_eq!(against_earlier(&before, &after, &[]).all.len(), 1);
    }

    /// Two runs with the targets `new` and `old`, where `old` is shared. In the second run, the
    /// machine has half the speed, and the ratio `new`/`old` is multiplied by `factor`.
    fn with_shared_target(factor: f64, noise: f64) -> EarlierRun {
        let run = |machine: f64, factor: f64| {
            let block =
                |at: usize| 1.0 + noise * [0.3, -1.0, 0.7, 0.1, -0.4, 0.9, -0.6, 0.2][at % 8];
            let drift: Vec<f64> = (0..8)
                .map(|at| machine * (1.0 - 0.04 * at as f64))
                .collect();
            let target = |name: &str| Some(name.to_owned());
            let mut old = Series::new("get".to_owned(), target("old"), false, drift.clone());
            old.shared = true;
            let new = drift.iter().enumerate();
            let new: Vec<f64> = new.map(|(at, level)| level * factor * block(at)).collect();
            let relative = new.iter().zip(&drift).map(|(new, old)| new / old).collect();
            let mut new = Series::new("get".to_owned(), target("new"), false, new);
            new.relative = Some(relative);
            [old, new]
        };
        against_earlier(&run(100.0, 1.0), &run(50.0, factor), &[])
    }

    #[test]
    fn the_change_of_a_shared_target_is_divided_out() {
        let run = with_shared_target(1.0, 0.01);
        assert_eq!(run.all[0].part, EarlierPart::Control);
        let raw = run.all[1].ratio.unwrap().interval.unwrap();
        assert!(raw.high < 0.7, "the machine is slower: {raw:?}");
        assert_eq!(
            run.all[1].change,
            EarlierOutcome::Equivalent,
            "{:?}",
            run.all[1]
        );
        assert_eq!(
            with_shared_target(1.0, 0.2).all[1].change,
            EarlierOutcome::Drift
        );

        let faster = with_shared_target(1.3, 0.01);
        assert_eq!(faster.all[1].change, EarlierOutcome::Faster);
        let divided = faster.all[1].divided.unwrap();
        let ends = divided.interval.unwrap();
        assert!(ends.low <= 1.3 && 1.3 <= ends.high, "{divided:?}");
        assert_eq!(
            with_shared_target(0.8, 0.01).all[1].change,
            EarlierOutcome::Slower
        );
    }

    /// The printed interval decides the verdict and includes Bonferroni's correction.
    #[test]
    fn a_verdict_needs_an_interval_without_one() {
        for (factor, values) in [(1.02, 5), (1.2, 5), (1.004, 12), (0.7, 12), (1.0, 12)] {
            for changed in [&[][..], &["list"][..]] {
                let run = compared(
                    &[("list", factor), ("put", 1.1), ("get", 0.98)],
                    values,
                    changed,
                );
                for each in run
                    .all
                    .iter()
                    .filter(|each| each.part != EarlierPart::Control)
                {
                    let shown = each.divided.or(each.ratio).unwrap();
                    let outside = |ends: Interval| 1.0 < ends.low || ends.high < 1.0;
                    let different =
                        shown.interval.is_some_and(outside) && effect(shown.value) > NOISE_FLOOR;
                    let word = match each.divided {
                        Some(_) => {
                            matches!(each.change, EarlierOutcome::Faster | EarlierOutcome::Slower)
                        }
                        None => each.change == EarlierOutcome::Differs,
                    };
                    assert_eq!(word, different, "{each:?}");
                }
            }
        }
    }
}
