//! Compares a run with an earlier run of the same plan.
//!
//! The two runs were not interleaved, so changes of the machine between the runs do not cancel: the
//! figures can differ for reasons other than the server. Work that the change under test does not
//! affect is a control: the control shows how much the machine changed. The change of the controls
//! and its uncertainty are divided out.
//!
//! Each run is one observation, however many slices it has: processes start with another memory
//! layout, and a machine that is busy in another way slows two servers by different factors. The
//! interval that decides therefore includes the variation from run to run. Without a control, with
//! a control that changed much, or with a run that is not VALID, the cause of a change is unknown.

mod control;

use tenbin_result::{
    ControlRange, EarlierChange, EarlierOutcome, EarlierPart, Figure, RunToRun, Withheld,
};
use tenbin_stats::{
    CONFIDENCE, Estimate, Measured, RunSpread, bonferroni, confidence_of_each, median, rank_sum_p,
    unpaired_ratio,
};

use self::control::Hull;
use crate::compare::outcome::{EQUIVALENCE, NOISE_FLOOR, effect};
use crate::lint::named::is_named;

/// Assumed standard deviation, from run to run, of the logarithm of the ratio of a target to its
/// control if nothing was changed: 10 %. Tenbin's own convention, between the 5 % by which two
/// starts of one program often differ and what busy machines do to two servers with different
/// needs; the false alarms that it leaves are in `docs/accuracy.md`.
pub const ASSUMED_RUN_TO_RUN: f64 = 0.10;

/// The largest factor, up or down, by which a control may change if another change is to be called
/// faster, slower or equivalent. On a machine that changed more, targets with other needs than the
/// control changed by another factor.
pub const CONTROL_LIMIT: f64 = 1.25;

/// The share of a shared target's change, as a logarithm, that another target may not have in
/// common with it.
const NOT_IN_COMMON: f64 = 0.5;

/// What the values of a series measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Operations per second.
    Rate,
    /// Times; the values are inverse seconds.
    Time,
    /// Figures in a unit of the file, such as `B/op`.
    Unit {
        /// Name of the unit. Untrusted: escape before display.
        name: String,
        /// Which figures are better. The values are inverse if lower figures are.
        better: Better,
    },
}

/// Which figures in a unit are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Higher figures.
    Higher,
    /// Lower figures.
    Lower,
    /// The file does not say.
    Unknown,
}

impl Measure {
    /// Whether the values of a series are the inverse of the figures.
    pub fn is_inverse(&self) -> bool {
        match self {
            Self::Rate => false,
            Self::Time => true,
            Self::Unit { better, .. } => *better == Better::Lower,
        }
    }

    /// Whether it is unknown which figures are better.
    fn is_undirected(&self) -> bool {
        matches!(
            self,
            Self::Unit {
                better: Better::Unknown,
                ..
            }
        )
    }

    /// Name of the unit, if it is one of the file.
    pub fn unit(&self) -> Option<&str> {
        match self {
            Self::Rate | Self::Time => None,
            Self::Unit { name, .. } => Some(name),
        }
    }
}

/// The figures of one workload on one target in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name of the workload.
    pub workload: String,
    /// The package that the workload belongs to, if a file of Go's benchmarks names it.
    pub package: Option<String>,
    /// Name of the target, if the figures belong to a target.
    pub target: Option<String>,
    /// What the values measure.
    pub measure: Measure,
    /// Operations per second, or other figures, inverse if lower figures are better: a higher value
    /// is always better. One value per slice or repetition; empty with `without_ratio`.
    pub values: Vec<f64>,
    /// The median figure, if one of the figures has no ratio: it is 0, negative or not a number.
    pub without_ratio: Option<f64>,
    /// Whether the target is the same in both runs, and therefore a control for the other targets.
    pub shared: bool,
    /// Speed divided by the geometric mean of the speeds of the shared targets in the same block of
    /// the run, one value per block; `None` if the runs share no target.
    pub relative: Option<Vec<f64>>,
    /// The variation of the speed relative to the shared targets from run to run, as measured in
    /// other runs; `None` if there are too few. Only that of the later run is used.
    pub run_to_run: Option<RunSpread>,
}

impl Series {
    /// A series with speeds only: not shared, without relative speeds.
    pub fn new(
        workload: String,
        target: Option<String>,
        measure: Measure,
        values: Vec<f64>,
    ) -> Self {
        Self {
            workload,
            package: None,
            target,
            measure,
            values,
            without_ratio: None,
            shared: false,
            relative: None,
            run_to_run: None,
        }
    }

    /// The logarithm of the run's speed relative to the shared targets: the median over the blocks.
    /// `None` without relative speeds.
    pub fn relative_log(&self) -> Option<f64> {
        let relative = self.relative.as_ref()?;
        Some(median(relative, CONFIDENCE).value()?.ln())
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
    /// Reasons why no change is called faster, slower or equivalent.
    pub withheld: Vec<Withheld>,
    /// Number of comparisons of speeds and times whose intervals hold simultaneously: all except
    /// controls. Those of figures in one other unit hold simultaneously in the same way.
    pub together: usize,
}

/// Compares every workload on every target that both runs have. `changed` names the workloads that
/// the change between the runs affects; all other workloads and all shared targets are controls.
/// `doubts` are the reasons to attribute no change that lie in the runs themselves.
pub fn against_earlier(
    before: &[Series],
    after: &[Series],
    changed: &[String],
    doubts: &[Withheld],
) -> EarlierRun {
    let pairs: Vec<Pair<'_>> = after
        .iter()
        .filter_map(|after| {
            Some(Pair {
                before: find(before, after)?,
                after,
                part: part(after, changed),
            })
        })
        .filter(|pair| !pair.is_nothing())
        .collect();
    let (controls, tested): (Vec<&Pair<'_>>, Vec<_>) = pairs
        .iter()
        .partition(|pair| pair.part == EarlierPart::Control);
    let mut withheld = doubts.to_vec();
    let speeds = controls.iter().filter(|pair| pair.unit().is_none());
    withheld.extend(moved_too_far(
        speeds.map(|pair| pair.ratio(CONFIDENCE).value()),
    ));
    let is_attributable = withheld.is_empty();
    let all: Vec<EarlierChange> = pairs
        .iter()
        .map(|pair| {
            let (controls, tested) = (in_unit(&controls, pair), in_unit(&tested, pair));
            compare(pair, &controls, tested.len(), is_attributable)
        })
        .collect();
    let together = tested.iter().filter(|pair| pair.unit().is_none()).count();
    EarlierRun {
        controls: range(&all),
        withheld,
        all,
        together,
    }
}

/// The pairs with figures in the same unit as `pair`.
fn in_unit<'a>(all: &[&Pair<'a>], pair: &Pair<'_>) -> Vec<Pair<'a>> {
    let alike = all.iter().filter(|other| other.unit() == pair.unit());
    alike.map(|other| **other).collect()
}

/// One workload on one target in both runs.
#[derive(Debug, Clone, Copy)]
struct Pair<'a> {
    before: &'a Series,
    after: &'a Series,
    part: EarlierPart,
}

impl Pair<'_> {
    /// Whether both runs have the figure 0, as most benchmarks have `0 allocs/op`.
    fn is_nothing(&self) -> bool {
        let is_zero = |series: &Series| series.without_ratio == Some(0.0);
        is_zero(self.before) && is_zero(self.after)
    }

    /// Whether a figure of one of the runs has no ratio.
    fn has_no_ratio(&self) -> bool {
        self.before
            .without_ratio
            .or(self.after.without_ratio)
            .is_some()
    }

    /// The unit of the figures, if it is one of the file.
    fn unit(&self) -> Option<&str> {
        self.after.measure.unit()
    }

    /// The ratio of the speeds, later ÷ earlier run; the interval covers the values inside the runs.
    fn ratio(&self, confidence: f64) -> Measured {
        unpaired_ratio(&self.before.values, &self.after.values, confidence)
    }

    /// Half the width of the interval, as a logarithm, for what this target does not have in common
    /// with the shared targets of its workload.
    fn not_in_common(&self, controls: &[Self]) -> f64 {
        let of_workload = |pair: &&Self| pair.after.workload == self.after.workload;
        let controls = controls.iter().filter(of_workload);
        let moves = controls.filter_map(|pair| Some(pair.ratio(CONFIDENCE).value()?.ln().abs()));
        NOT_IN_COMMON * moves.fold(0.0, f64::max)
    }
}

/// The control that changed most, if by more than [`CONTROL_LIMIT`] or by an unknown factor.
fn moved_too_far(moves: impl Iterator<Item = Option<f64>>) -> Option<Withheld> {
    let farthest = moves.flatten().max_by(|one, other| {
        let far = |ratio: &f64| ratio.ln().abs();
        far(one).total_cmp(&far(other))
    })?;
    (farthest.ln().abs() > CONTROL_LIMIT.ln()).then_some(Withheld::ControlMoved {
        ratio: farthest,
        limit: CONTROL_LIMIT,
    })
}

fn find<'a>(all: &'a [Series], wanted: &Series) -> Option<&'a Series> {
    all.iter().find(|each| {
        each.workload == wanted.workload
            && each.target == wanted.target
            && each.measure == wanted.measure
    })
}

fn part(series: &Series, changed: &[String]) -> EarlierPart {
    if series.shared {
        EarlierPart::Control
    } else if changed.is_empty() {
        EarlierPart::Unnamed
    } else if changed.iter().any(|name| is_named(&series.workload, name)) {
        EarlierPart::Changed
    } else {
        EarlierPart::Control
    }
}

/// Compares the figures of `pair` beside `controls`, which have figures in the same unit. The
/// intervals of `together` comparisons hold simultaneously: a file with further units says more about
/// the same runs, and does not make its speeds less certain.
fn compare(
    pair: &Pair<'_>,
    controls: &[Pair<'_>],
    together: usize,
    is_attributable: bool,
) -> EarlierChange {
    let Pair {
        before,
        after,
        part,
    } = *pair;
    let is_control = part == EarlierPart::Control;
    let each = if is_control {
        CONFIDENCE
    } else {
        confidence_of_each(CONFIDENCE, together)
    };
    let blocks = before.relative.as_ref().zip(after.relative.as_ref());
    let spread = after.run_to_run;
    let spread = spread.unwrap_or_else(|| RunSpread::assumed(ASSUMED_RUN_TO_RUN));
    // What the controls do not say is no chance variation: it moves the ends outwards.
    let divided = match (is_control, blocks) {
        (true, _) => None,
        // Ratios of ratios: each run is divided by its control block by block, and the quotients of
        // both runs are compared.
        (false, Some((then, now))) => {
            let found = between_runs(unpaired_ratio(then, now, each), spread, each);
            Some(control::further(found, pair.not_in_common(controls)))
        }
        (false, None) => {
            let halved = pair.ratio(confidence_of_each(each, 2));
            let found = between_runs(halved, spread, each);
            // Half of the error is for the control, half for the figure that is divided by it.
            let half = confidence_of_each(confidence_of_each(CONFIDENCE, together), 2);
            let control = Hull::of(controls.iter().map(|control| control.ratio(half)));
            control.divides(found, each)
        }
    };
    let ratio = pair.ratio(each);
    let change = match decide(&ratio, divided.as_ref(), is_attributable) {
        _ if pair.has_no_ratio() => EarlierOutcome::NoRatio,
        EarlierOutcome::Faster | EarlierOutcome::Slower if after.measure.is_undirected() => {
            EarlierOutcome::Differs
        }
        decided => decided,
    };
    // The ranks of the values inside the runs say nothing about the variation between runs.
    let p = match divided {
        Some(_) => None,
        None => rank_sum_p(&before.values, &after.values),
    };
    EarlierChange {
        workload: after.workload.clone(),
        target: after.target.clone(),
        part,
        timed: after.measure == Measure::Time,
        unit: after.measure.unit().map(str::to_owned),
        undirected: after.measure.is_undirected(),
        before: shown(before),
        after: shown(after),
        ratio: Figure::of(ratio),
        divided: divided.and_then(Figure::of),
        run_to_run: divided.and_then(|_| {
            Some(RunToRun {
                deviation: spread.deviation,
                freedom: spread.freedom.map(|freedom| freedom as u64),
                least_factor: spread.half_width(each)?.exp(),
            })
        }),
        p,
        adjusted_p: p.filter(|_| !is_control).map(|p| bonferroni(p, together)),
        change,
    }
}

/// The ratio of two runs with the variation between runs in its interval.
fn between_runs(within: Measured, spread: RunSpread, confidence: f64) -> Measured {
    match within {
        Measured::Interval(found) => match spread.widens(&found, confidence) {
            Some(widened) => Measured::Interval(widened),
            None => Measured::Point {
                value: found.value,
                n: found.n,
            },
        },
        known => known,
    }
}

/// The median of the figures. If the values are inverse figures, the median figure is the inverse of
/// their median, and inverting swaps the ends of the interval.
fn shown(series: &Series) -> Option<Figure> {
    if let Some(value) = series.without_ratio {
        return Some(Figure {
            value,
            interval: None,
            n: 1,
        });
    }
    let speed = Figure::of(median(&series.values, CONFIDENCE))?;
    Some(if series.measure.is_inverse() {
        speed.inverse()
    } else {
        speed
    })
}

/// Range of the controls' ratios; `None` without a control with a ratio.
fn range(all: &[EarlierChange]) -> Option<ControlRange> {
    let ratios: Vec<f64> = all
        .iter()
        .filter(|each| each.part == EarlierPart::Control && each.unit.is_none())
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
/// `ratio` without controls. A change that is not attributable differs at most.
fn decide(ratio: &Measured, divided: Option<&Measured>, is_attributable: bool) -> EarlierOutcome {
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
    let is_within = found.low >= 1.0 / margin && found.high <= margin;
    match is_different(found) {
        true if !is_attributable => EarlierOutcome::Differs,
        true if found.value > 1.0 => EarlierOutcome::Faster,
        true => EarlierOutcome::Slower,
        false if is_within && is_attributable => EarlierOutcome::Equivalent,
        false if ratio.estimate().is_some_and(is_different) => EarlierOutcome::Drift,
        false => EarlierOutcome::CannotTell,
    }
}

#[cfg(test)]
mod tests;
