//! Operations that files repeat, and operations that two files share.

use super::{Files, Measurement, Reported};
use crate::earlier::Series;

/// The speeds of each operation on each target, one value for each measurement with a known speed.
pub fn series(reported: &Reported) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for of in &reported.measurements {
        let Some(speed) = of.speed().filter(|speed| *speed > 0.0 && speed.is_finite()) else {
            continue;
        };
        let mut known = all.iter_mut();
        match known.find(|each| each.workload == of.operation && each.target == of.target) {
            Some(series) => series.values.push(speed),
            None => all.push(Series::new(
                of.operation.clone(),
                of.target.clone(),
                false,
                vec![speed],
            )),
        }
    }
    all
}

/// An operation in two files of the same tool, with all measurements of the operation.
pub(super) struct Pair<'a> {
    pub(super) before: (&'a Reported, Vec<&'a Measurement>),
    pub(super) after: (&'a Reported, Vec<&'a Measurement>),
}

impl Pair<'_> {
    /// Ratio of the median speed after to the median speed before.
    pub(super) fn ratio(&self) -> Option<f64> {
        let speed = |all: &[&Measurement]| {
            let mut speeds: Vec<f64> = all.iter().filter_map(|of| of.speed()).collect();
            speeds.sort_by(f64::total_cmp);
            speeds.get(speeds.len() / 2).copied()
        };
        let (before, after) = (speed(&self.before.1)?, speed(&self.after.1)?);
        (before > 0.0 && after > 0.0).then(|| after / before)
    }
}

/// The operations that a file and the next file have in common, if both are from the same tool.
pub(super) fn pairs<'a>(files: &Files<'a>) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for two in files.all.windows(2) {
        let [before, after] = two else { continue };
        if before.tool != after.tool {
            continue;
        }
        for series in series(after) {
            let of = |file: &'a Reported| {
                let mine = |of: &&Measurement| {
                    of.operation == series.workload && of.target == series.target
                };
                let mine = file.measurements.iter().filter(mine);
                (file, mine.collect::<Vec<&Measurement>>())
            };
            let (then, now) = (of(before), of(after));
            if !then.1.is_empty() {
                pairs.push(Pair {
                    before: then,
                    after: now,
                });
            }
        }
    }
    pairs
}
