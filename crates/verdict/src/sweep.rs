//! The best value of what was swept.

use serde::Serialize;
use tenbin_plan::{Plan, SweepPoint, Target, Workload};
use tenbin_record::Slice;
use tenbin_stats::{CONFIDENCE, Measured, ratio};

use crate::blocks::Blocks;
use crate::evidence::cells;
use crate::metric::{Direction, Metric};
use crate::words;
use tenbin_result::Trust;

/// The optimum of one sweep at one workload: the smallest value that no other beats
/// by more than the margin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Optimum {
    /// Name of the workload.
    pub workload: String,
    /// What the plan calls the target that is swept.
    pub sweep: String,
    /// Every target of the sweep.
    pub targets: Vec<String>,
    /// The target with the optimal value.
    pub target: String,
    /// Its place in the sweep, as `workers=4`.
    pub place: String,
    /// By what.
    pub metric: Metric,
    /// What the optimum does.
    pub figure: Measured,
    /// The other that comes nearest to beating it, or beats it by the most within
    /// the margin.
    pub rival: Option<Rival>,
    /// The margin, as a share.
    pub margin: f64,
    /// How far that can be trusted.
    pub trust: Trust,
}

/// Another value of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rival {
    /// Its place in the sweep.
    pub place: String,
    /// How many times as good as the optimum it is: above 1 is better, whichever way
    /// the figure counts.
    pub ratio: Measured,
}

impl Optimum {
    /// Whether no other can be better by more than the margin: every interval is
    /// known and within it.
    pub fn is_certain(&self) -> bool {
        self.rival.as_ref().is_none_or(|rival| {
            let estimate = rival.ratio.estimate();
            estimate.is_some_and(|estimate| estimate.high <= 1.0 + self.margin)
        })
    }

    /// Whether larger values were not tried, so that one of them may be better still.
    pub fn is_largest(&self) -> bool {
        self.targets.len() > 1 && self.targets.last() == Some(&self.target)
    }

    /// All of that in one sentence without a full stop.
    pub fn sentence(&self) -> String {
        let Self {
            workload, sweep, ..
        } = self;
        if self.trust == Trust::Invalid {
            return format!(
                "no optimum of {sweep} at {workload}: the numbers cannot be believed, see the findings"
            );
        }
        let doubt = match self.trust {
            Trust::Suspect => "; the numbers are suspect, see the findings",
            Trust::Valid | Trust::Invalid => "",
        };
        let word = match self.is_certain() {
            true => "the optimum",
            false => "probably the optimum",
        };
        format!(
            "{} is {word} of {sweep} at {workload}: {}{doubt}",
            self.shown_place(),
            self.reason()
        )
    }

    /// Its place, and whether that is where the sweep ends.
    pub fn shown_place(&self) -> String {
        match self.is_largest() {
            true => format!("{}, the largest that was tried,", self.place),
            false => self.place.clone(),
        }
    }

    /// The figures behind it; a clause.
    pub fn reason(&self) -> String {
        let figure = format!("{} {}", self.metric.phrase(), self.shown());
        let Some(Rival { place, ratio }) = &self.rival else {
            return figure;
        };
        let margin = words::percent(self.margin);
        let interval = match ratio.estimate() {
            Some(found) => format!("{}–{}", words::ratio(found.low), words::ratio(found.high)),
            None => "interval unknown".to_owned(),
        };
        let times = words::ratio(ratio.value().unwrap_or(f64::NAN));
        let beaten = match self.is_certain() {
            true => "",
            false => ", which may be more than that",
        };
        format!(
            "{figure}; no other value is more than {margin} better, and {place} comes nearest \
             with {times} times as good ({interval}){beaten}"
        )
    }

    fn shown(&self) -> String {
        let unit = |value: f64| match self.metric {
            Metric::Throughput => words::rate(value),
            Metric::Bandwidth => format!("{}/s", words::bytes(value as u64)),
            _ => words::time(value),
        };
        match &self.figure {
            Measured::Interval(found) => format!(
                "{} ({}–{})",
                unit(found.value),
                unit(found.low),
                unit(found.high)
            ),
            Measured::Point { value, .. } => format!("{} (interval unknown)", unit(*value)),
            Measured::Unknown => "unknown".to_owned(),
        }
    }
}

/// The optimum of every sweep at every workload that has figures. Trust is left at
/// its best.
pub(crate) fn optima(plan: &Plan, slices: &[Slice]) -> Vec<Optimum> {
    let sweeps = sweeps(plan);
    let workloads = plan.workloads.iter();
    workloads
        .flat_map(|workload| {
            let blocks = Blocks::of(workload, slices);
            let found = sweeps
                .iter()
                .filter_map(|sweep| optimum(plan, workload, sweep, &blocks, slices));
            found.collect::<Vec<_>>()
        })
        .collect()
}

/// A target and its place in a sweep.
type Point<'a> = (&'a Target, &'a SweepPoint);

/// The points of every sweep, the smallest values first.
fn sweeps(plan: &Plan) -> Vec<Vec<Point<'_>>> {
    let mut sweeps: Vec<Vec<Point<'_>>> = Vec::new();
    for target in &plan.targets {
        let Some(point) = &target.sweep else { continue };
        let mut known = sweeps.iter_mut();
        match known.find(|points| points[0].1.of == point.of) {
            Some(points) => points.push((target, point)),
            None => sweeps.push(vec![(target, point)]),
        }
    }
    for points in &mut sweeps {
        in_order(points);
    }
    sweeps
}

/// By value, one parameter after the other; values that are not all numbers stay in
/// the order in which they were written.
fn in_order(points: &mut [Point<'_>]) {
    let parameters = points[0].1.values.len();
    for at in (0..parameters).rev() {
        let number = |point: &Point<'_>| point.1.values[at].1.parse::<f64>().ok();
        if points.iter().all(|point| number(point).is_some()) {
            points.sort_by(|a, b| {
                f64::total_cmp(&number(a).unwrap_or(0.0), &number(b).unwrap_or(0.0))
            });
        }
    }
}

fn optimum(
    plan: &Plan,
    workload: &Workload,
    points: &[Point<'_>],
    blocks: &Blocks<'_>,
    slices: &[Slice],
) -> Option<Optimum> {
    let metric = Metric::primary(plan, workload);
    let margin = plan.comparing.margin.share();
    let better = |one: &Target, other: &Target| {
        // Above 1 is better, whichever way the figure counts.
        let (below, above) = match metric.direction() {
            Direction::HigherIsBetter => (other, one),
            Direction::LowerIsBetter => (one, other),
        };
        ratio(
            &blocks.log_ratios(metric, &below.name, &above.name),
            CONFIDENCE,
        )
    };
    let mut candidates = points.iter().map(|(target, point)| {
        let others = points.iter().filter(|(other, _)| other.name != target.name);
        let rivals = others.map(|(other, place)| Rival {
            place: place.to_string(),
            ratio: better(other, target),
        });
        let strongest = rivals.max_by(|a, b| f64::total_cmp(&value(a), &value(b)));
        (target, point, strongest)
    });
    let unbeaten = |rival: &Option<Rival>| {
        let value = rival.as_ref().map(|rival| rival.ratio.value());
        value.is_none_or(|value| value.is_some_and(|value| value <= 1.0 + margin))
    };
    let (target, point, rival) = candidates.find(|(_, _, it)| unbeaten(it))?;
    let cell = cells(plan, slices)
        .into_iter()
        .find(|cell| cell.target.name == target.name && cell.workload.name == workload.name)?;
    let figure = metric.figure(&cell.full());
    figure.value()?;
    Some(Optimum {
        workload: workload.name.clone(),
        sweep: point.of.clone(),
        targets: points
            .iter()
            .map(|(target, _)| target.name.clone())
            .collect(),
        target: target.name.clone(),
        place: point.to_string(),
        metric,
        figure,
        rival,
        margin,
        trust: Trust::Valid,
    })
}

/// One that is not known beats everything: nothing can be said then.
fn value(rival: &Rival) -> f64 {
    rival.ratio.value().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::Run;

    /// Targets that differ in their workers, and how fast each is.
    pub(crate) fn swept(speeds: &[(u32, f64)], rounds: u32) -> Run {
        let names: Vec<String> = speeds
            .iter()
            .map(|(workers, _)| format!("web@workers={workers}"))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut run = Run::new(&names, &["get"], rounds);
        for ((workers, speed), target) in speeds.iter().zip(&mut run.plan.targets) {
            target.sweep = Some(SweepPoint {
                of: "web".to_owned(),
                values: vec![("workers".to_owned(), workers.to_string())],
                template: tenbin_plan::Launch {
                    command: vec!["web".to_owned()],
                    nodes: Vec::new(),
                    env: Default::default(),
                    directory: None,
                    url: String::new(),
                    ready: tenbin_plan::Ready::Port,
                    ready_within: Default::default(),
                    stop_within: Default::default(),
                },
            });
            let (name, speed) = (target.name.clone(), *speed);
            for slice in &mut run.slices {
                if slice.target == name {
                    crate::testing::Made(slice).answers((1_000.0 * speed) as u64, 0.002 / speed);
                }
            }
        }
        run
    }

    fn found(run: &Run) -> Vec<String> {
        let optima = optima(&run.plan, &run.slices);
        optima.iter().map(Optimum::sentence).collect()
    }

    #[test]
    fn the_smallest_that_is_hardly_beaten_is_the_optimum() {
        let run = swept(&[(8, 1.92), (1, 1.0), (2, 1.9), (4, 1.95)], 24);
        assert_eq!(
            found(&run),
            [
                "workers=2 is the optimum of web at get: throughput 1.90 k/s (1.90 k/s–1.90 k/s); no \
                 other value is more than 5 % better, and workers=4 comes nearest with 1.026 times \
                 as good (1.026–1.026)"
            ]
        );
    }

    #[test]
    fn the_last_value_is_said_to_be_the_last() {
        let run = swept(&[(1, 1.0), (2, 1.9), (4, 3.8)], 36);
        assert!(
            found(&run)[0].starts_with("workers=4, the largest that was tried, is the optimum"),
            "{:?}",
            found(&run)
        );
    }

    #[test]
    fn a_smaller_margin_finds_a_larger_value() {
        let mut run = swept(&[(1, 1.0), (2, 1.9), (4, 1.95)], 36);
        run.plan.comparing.margin = "1%".parse().unwrap();
        assert!(found(&run)[0].starts_with("workers=4, the largest that was tried, is the"));
    }

    #[test]
    fn too_few_rounds_make_it_probable_only() {
        let run = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 12);
        assert!(
            found(&run)[0].starts_with("workers=2 is probably the optimum"),
            "{:?}",
            found(&run)
        );
    }

    #[test]
    fn an_open_loop_looks_for_the_shortest_time() {
        let run = swept(&[(1, 1.0), (2, 1.9), (4, 1.91)], 36).open_loop();
        assert!(
            found(&run)[0].contains("workers=2 is the optimum of web at get: median response time"),
            "{:?}",
            found(&run)
        );
    }

    #[test]
    fn nothing_is_said_without_figures_or_without_a_sweep() {
        assert_eq!(found(&Run::pair(8)), [""; 0]);
        let run = swept(&[(1, 1.0), (2, 1.9)], 16).interrupted(1);
        assert_eq!(found(&run), [""; 0]);
    }
}
