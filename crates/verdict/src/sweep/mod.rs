//! The optimum of a parameter sweep.

pub(crate) mod nodes;

use tenbin_plan::{Plan, SweepPoint, Target, Workload};
use tenbin_record::Slice;
use tenbin_result::{Figure, Finding, Message, Metric, Optimum, Trust, Value, message};
use tenbin_stats::{CONFIDENCE, Measured, ratio};

use crate::cell::cells;
use crate::compare::blocks::Blocks;
use crate::compare::metric::Measure;
use crate::findings::messages::{Messages, interval, known, ratio_ends};

/// Another value of the sweep with its ratio to the optimum. A ratio above 1 is better, also for
/// figures for which lower is better.
type Rival = (String, Measured);

/// The optimum of every sweep for every workload with figures: the smallest value that no other
/// value beats by more than the margin. The findings limit the trust.
pub(crate) fn optima(plan: &Plan, slices: &[Slice], findings: &[Finding]) -> Vec<Optimum> {
    let sweeps = sweeps(plan);
    let workloads = plan.workloads.iter();
    workloads
        .flat_map(|workload| {
            let blocks = Blocks::of(workload, slices);
            let found = sweeps
                .iter()
                .filter_map(|sweep| optimum(plan, workload, sweep, &blocks, slices, findings));
            found.collect::<Vec<_>>()
        })
        .collect()
}

/// A target and its place in a sweep.
type Point<'a> = (&'a Target, &'a SweepPoint);

/// The points of every sweep, in ascending order of their values.
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

/// Sorts points by the values of all parameters, the first parameter first. By a parameter with a
/// value that is not a number, points are not sorted: they keep the order of the plan.
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
    findings: &[Finding],
) -> Option<Optimum> {
    let metric = Metric::primary(plan, workload);
    let margin = plan.comparing.margin.share();
    let better = |one: &Target, other: &Target| {
        // Invert the ratio if lower is better, so that above 1 is always better.
        let (below, above) = if metric.higher_is_better() {
            (other, one)
        } else {
            (one, other)
        };
        ratio(
            &blocks.log_ratios(metric, &below.name, &above.name),
            CONFIDENCE,
        )
    };
    let mut candidates = points.iter().map(|(target, point)| {
        let others = points.iter().filter(|(other, _)| other.name != target.name);
        let rivals = others.map(|(other, place)| (place.to_string(), better(other, target)));
        let strongest = rivals.max_by(|a, b| f64::total_cmp(&value(a), &value(b)));
        (target, point, strongest)
    });
    let unbeaten = |rival: &Option<Rival>| {
        let value = rival.as_ref().map(|(_, ratio)| ratio.value());
        value.is_none_or(|value| value.is_some_and(|value| value <= 1.0 + margin))
    };
    let (target, point, rival) = candidates.find(|(_, _, it)| unbeaten(it))?;
    let cell = cells(plan, slices)
        .into_iter()
        .find(|cell| cell.target.name == target.name && cell.workload.name == workload.name)?;
    let figure = Figure::of(metric.figure(&cell.full()))?;
    let (rival, rival_ratio) = rival.unzip();
    let estimate = rival_ratio.as_ref().map(Measured::estimate);
    let targets: Vec<String> = points.iter().map(|(each, _)| each.name.clone()).collect();
    let sides: Vec<&str> = targets.iter().map(String::as_str).collect();
    let concerning = findings.iter();
    let trust = Trust::after(concerning.filter(|it| it.concerns(&workload.name, &sides)));
    let mut optimum = Optimum {
        workload: workload.name.clone(),
        sweep: point.of.clone(),
        targets,
        target: target.name.clone(),
        place: point.to_string(),
        figure: Some(figure),
        rival,
        rival_ratio: rival_ratio.and_then(Figure::of),
        margin,
        certain: estimate.is_none_or(|it| it.is_some_and(|it| it.high <= 1.0 + margin)),
        trust,
        sentence: String::new(),
    };
    optimum.sentence = Messages::NONE.in_english(&sentence(&optimum, metric));
    Some(optimum)
}

/// The ratio of a rival. An unknown ratio counts as infinite, because no conclusion is possible.
fn value((_, ratio): &Rival) -> f64 {
    ratio.value().unwrap_or(f64::INFINITY)
}

/// The result in one sentence without a full stop. `metric` decides the workload of the sweep.
pub(crate) fn sentence(optimum: &Optimum, metric: Metric) -> Message {
    match optimum.trust {
        Trust::Invalid => message!(
            "no-sweep-optimum",
            sweep = &optimum.sweep,
            workload = &optimum.workload
        ),
        Trust::Suspect => message!("suspect", sentence = claim(optimum, metric)),
        Trust::Valid => claim(optimum, metric),
    }
}

/// The result and the figures behind it, whatever the trust.
pub(crate) fn claim(optimum: &Optimum, metric: Metric) -> Message {
    let figure = optimum.figure;
    let ends = figure.and_then(|figure| metric.unit().ends(figure));
    message!(
        "sweep-optimum",
        place = &optimum.place,
        largest = optimum.is_largest(),
        certain = optimum.certain,
        sweep = &optimum.sweep,
        workload = &optimum.workload,
        metric = metric.message(),
        figure = known(figure.map(|figure| figure.value), |value| metric
            .value(value)),
        interval = interval(ends),
        rival = optimum.rival.as_ref().map(|place| rival(optimum, place))
    )
}

/// The clause about the closest other value of the sweep.
fn rival(optimum: &Optimum, place: &str) -> Message {
    let ratio = optimum.rival_ratio;
    message!(
        "sweep-rival",
        margin = Value::Share(optimum.margin),
        place,
        ratio = known(ratio.map(|ratio| ratio.value), Value::Ratio),
        interval = ratio.map_or_else(|| message!("interval-unknown"), ratio_ends),
        certain = optimum.certain
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run of a sweep; `speeds` holds (number of workers, speed).
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
        let optima = optima(&run.plan, &run.slices, &[]);
        optima.into_iter().map(|optimum| optimum.sentence).collect()
    }

    #[test]
    fn the_smallest_that_is_hardly_beaten_is_the_optimum() {
        let run = swept(&[(8, 1.92), (1, 1.0), (2, 1.9), (4, 1.95)], 24);
        assert_eq!(
            found(&run),
            [
                "workers=2 is the optimum of web at get: throughput 1.90 k/s (1.90–1.90); no \
                 other value is more than 5 % better, and the closest is workers=4, with 1.026 \
                 times its figure (1.026–1.026)"
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
