//! Operations that files repeat, and operations that two files share.

use tenbin_plan::sentence;
use tenbin_result::format::plural;

use super::{Files, LintFinding, Measurement, Reported, percentile_name};
use crate::earlier::{Better, Measure, Series};

/// Percentiles that are compared if a file has times only.
const COMPARED: [f64; 2] = [0.5, 0.99];

/// The speeds of each operation on each target, one value for each measurement with a known speed.
/// Of a file that has only times, such as a distribution of percentiles, the percentiles.
pub fn series(reported: &Reported) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for of in &reported.measurements {
        if of.has_only_times() {
            for each in COMPARED.into_iter().filter_map(|it| of.printable(it)) {
                let name = format!("{} {}", of.operation, percentile_name(each.quantile));
                add(&mut all, of, name, Measure::Time, 1.0 / each.time.middle());
            }
        } else if let Some(speed) = of.objects_per_second() {
            add(&mut all, of, of.operation.clone(), measure(of), speed);
        }
    }
    all
}

fn add(all: &mut Vec<Series>, of: &Measurement, name: String, measure: Measure, speed: f64) {
    if speed <= 0.0 || !speed.is_finite() {
        return;
    }
    let mut known = all.iter_mut();
    match known.find(|each| each.workload == name && each.target == of.target) {
        Some(series) => series.values.push(speed),
        None => all.push(Series::new(name, of.target.clone(), measure, vec![speed])),
    }
}

fn measure(of: &Measurement) -> Measure {
    match &of.per_second {
        None => Measure::Rate,
        Some(unit) => Measure::Unit {
            name: unit.clone(),
            better: Better::Higher,
        },
    }
}

/// Most lines that a finding about several repetitions quotes.
const MOST_QUOTED: usize = 5;

/// The findings, with those that a rule has about several repetitions of one operation as one.
pub(super) fn once(files: &Files<'_>, all: Vec<LintFinding>) -> Vec<LintFinding> {
    let mut kept: Vec<(LintFinding, usize)> = Vec::new();
    for finding in all {
        let mut known = kept.iter_mut();
        let same = known.find(|(first, _)| {
            (first.rule, first.severity, &first.operation, &first.advice)
                == (
                    finding.rule, finding.severity, &finding.operation, &finding.advice,
                )
                && file(first) == file(&finding)
                && is_repeated(files, &finding)
        });
        match same {
            Some((first, further)) => {
                *further += 1;
                let quotes = finding.quotes.into_iter();
                let new: Vec<_> = quotes.filter(|it| !first.quotes.contains(it)).collect();
                first.quotes.extend(new);
                first.quotes.truncate(MOST_QUOTED);
            }
            None => kept.push((finding, 0)),
        }
    }
    let with_number = |(mut finding, further): (LintFinding, usize)| {
        if further > 0 {
            let alike = sentence!(
                "lint-alike",
                "{evidence}; {repetitions} alike",
                evidence = finding.evidence,
                repetitions = plural(further, "further repetition")
            );
            let alike = alike.with("repetitions", further);
            finding.evidence = alike.with_part("evidence", [finding.evidence]);
        }
        finding
    };
    kept.into_iter().map(with_number).collect()
}

fn file(finding: &LintFinding) -> Option<&str> {
    Some(finding.quotes.first()?.file.as_str())
}

/// Whether all measurements of the operation are repetitions on one target.
fn is_repeated(files: &Files<'_>, finding: &LintFinding) -> bool {
    let Some(operation) = &finding.operation else {
        return false;
    };
    let mut of_file = files.all.iter();
    let of_file = of_file.find(|one| Some(one.file().as_str()) == file(finding));
    let all = of_file.map_or(&[][..], |one| &one.measurements);
    let mut all = all.iter().filter(|of| of.operation == *operation);
    let first = all.next();
    first.is_some_and(|first| {
        first.is_repetition && all.all(|of| of.is_repetition && of.target == first.target)
    })
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
            let mut speeds: Vec<f64> = all
                .iter()
                .filter_map(|of| of.objects_per_second())
                .collect();
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
