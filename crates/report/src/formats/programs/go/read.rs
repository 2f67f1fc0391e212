//! Reads Go's benchmark format, as printed by `go test -bench` and written to our `benchmark.txt`.
//! The format contains repetitions, not single requests.
//!
//! As in benchstat, results are repetitions of one another if package, full name with the number of
//! processors, unit and the conditions of the file, such as `cpu: …`, are equal.

use std::collections::BTreeSet;

use tenbin_result::format::plural;
use tenbin_stats::{CONFIDENCE, median};
use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};
use tenbin_verdict::{Better, Measure, Series};

use super::parse::{Benchmarks, MACHINE, Result as Line, TIME, is_result, parse};
use super::unit::better;
use crate::formats::judged;
use crate::formats::readable::readable;

const RATE: &str = "ops/s";
const ALLOCATIONS: &str = "allocs/op";
/// The share of the operations that failed, which Tenbin writes if an operation failed.
const ERRORS: &str = "errors/op";

/// Whether any line of the file is a result, or the file begins like the output of `go test -bench`.
pub(super) fn recognises(content: &[u8]) -> bool {
    let text = readable(content);
    let begins = |mark: &str| text.lines().any(|line| line.starts_with(mark));
    let is_begun = || begins("goos: ") && begins("Benchmark");
    text.lines().any(is_result) || is_begun()
}

/// Reads the figures, one value per repetition.
///
/// # Errors
/// The defect and its line, in one clause.
pub(super) fn series(content: &[u8]) -> Result<Vec<Series>, String> {
    let text = text(content)?;
    let benchmarks = benchmarks(text)?;
    let varying = varying(&benchmarks);
    let mut all: Vec<Series> = Vec::new();
    for result in &benchmarks.results {
        let (name, target) = split(result.name);
        let name = name + &result.conditions_of(&varying);
        for &(value, unit) in &result.figures.values {
            let measure = measure(result, unit, &benchmarks);
            let package = result.package.map(str::to_owned);
            let is_same = |each: &&mut Series| {
                each.workload == name
                    && each.package == package
                    && each.target == target
                    && each.measure == measure
            };
            match all.iter_mut().find(is_same) {
                Some(series) => series.values.push(value),
                None => all.push(Series {
                    package,
                    ..Series::new(name.clone(), target.clone(), measure, vec![value])
                }),
            }
        }
    }
    all.iter_mut().for_each(figures_to_values);
    all.retain(|each| !each.values.is_empty() || each.without_ratio.is_some());
    Ok(all)
}

/// Turns figures as they are in the file into values of which higher ones are better.
fn figures_to_values(series: &mut Series) {
    let has_ratio = |figure: &f64| figure.is_finite() && *figure > 0.0;
    let figures = std::mem::take(&mut series.values);
    if series.measure.unit().is_some() && !figures.iter().all(has_ratio) {
        let finite: Vec<f64> = figures.into_iter().filter(|it| it.is_finite()).collect();
        series.without_ratio = median(&finite, CONFIDENCE).value();
        return;
    }
    // A time of 0 was too short to be printed.
    let figures = figures.into_iter().filter(has_ratio);
    series.values = match &series.measure {
        Measure::Rate => figures.collect(),
        Measure::Time => figures.map(|nanos| 1e9 / nanos).collect(),
        measure if measure.is_inverse() => figures.map(f64::recip).collect(),
        Measure::Unit { .. } => figures.collect(),
    };
}

/// The keys of the conditions that differ between the results of the file.
fn varying<'a>(benchmarks: &Benchmarks<'a>) -> BTreeSet<&'a str> {
    let results = &benchmarks.results;
    let keys: BTreeSet<&str> = results
        .iter()
        .flat_map(|result| result.conditions.keys().copied())
        .collect();
    let first = results.first();
    let is_varying = |key: &&str| {
        let of = |result: &Line<'a>| result.conditions.get(*key).copied();
        results.iter().any(|each| Some(of(each)) != first.map(of))
    };
    keys.into_iter().filter(is_varying).collect()
}

/// What a figure of a result measures. Tenbin's lines state the same speed several times: the rate
/// counts.
fn measure(result: &Line<'_>, unit: &str, benchmarks: &Benchmarks<'_>) -> Measure {
    match unit {
        RATE => Measure::Rate,
        TIME if result.value(RATE).is_none() => Measure::Time,
        _ => Measure::Unit {
            name: unit.to_owned(),
            better: match benchmarks.higher_is_better.get(unit) {
                Some(true) => Better::Higher,
                Some(false) => Better::Lower,
                None => better(unit),
            },
        },
    }
}

/// Reads the repetitions, each with the line that states its figures.
///
/// # Errors
/// See [`series`].
pub(super) fn reported(content: &[u8]) -> Result<Reported, String> {
    let text = text(content)?;
    let judged = judged::of_file(content);
    let benchmarks = benchmarks(text)?;
    let packages: BTreeSet<_> = benchmarks.results.iter().map(|it| it.package).collect();
    let varying = varying(&benchmarks);
    let measurements = benchmarks.results.iter().map(|result| {
        let (name, target) = split(result.name);
        let name = name + &result.conditions_of(&varying);
        let operation = match result.package.filter(|_| packages.len() > 1) {
            Some(package) => in_package(package, &name),
            None => name,
        };
        let said = |value: f64| Said::new(Range::exactly(value), result.quote.clone());
        let iterations = Said::new(result.figures.iterations, result.quote.clone());
        Measurement {
            omits_failures: judged.is_none() && !result.states(ERRORS),
            failures: result.failed().into_iter().collect(),
            target,
            rate: result.speed().map(said),
            ended: Some(iterations),
            mean: result.value(TIME).map(|nanos| said(nanos / 1e9)),
            allocations: result
                .value(ALLOCATIONS)
                .map(|count| Said::new(count, result.quote.clone())),
            is_repetition: true,
            ..Measurement::new(&operation)
        }
    });
    Ok(Reported {
        tool: "go test -bench",
        measurements: measurements.collect(),
        caveats: caveats(&benchmarks),
        machine: machine(&benchmarks, &varying),
        left_out: benchmarks.left_out,
        judged,
        ..Reported::default()
    })
}

/// The name of a benchmark in a file with benchmarks of several packages.
pub(crate) fn in_package(package: &str, name: &str) -> String {
    format!("{package}.{name}")
}

fn text(content: &[u8]) -> Result<&str, String> {
    str::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn benchmarks(text: &str) -> Result<Benchmarks<'_>, String> {
    let benchmarks = parse(text);
    match (
        benchmarks.results.as_slice(),
        benchmarks.left_out.as_slice(),
    ) {
        ([], []) => Err("it has no result of a benchmark".to_owned()),
        ([], [first, ..]) => Err(format!(
            "it has no result of a benchmark; line {} has none: {}",
            first.quote.line.unwrap_or_default(),
            first.why
        )),
        _ => Ok(benchmarks),
    }
}

/// What is the same for all results of the file.
fn machine(benchmarks: &Benchmarks<'_>, varying: &BTreeSet<&str>) -> Vec<(String, String)> {
    let Some(first) = benchmarks.results.first() else {
        return Vec::new();
    };
    MACHINE
        .iter()
        .filter(|key| !varying.contains(*key))
        .filter_map(|key| Some(((*key).to_owned(), (*first.conditions.get(key)?).to_owned())))
        .collect()
}

fn caveats(benchmarks: &Benchmarks<'_>) -> Vec<String> {
    let mut caveats = Vec::new();
    if benchmarks.joined > 0 {
        caveats.push(format!(
            "log text divided {}, which were put together again",
            plural(benchmarks.joined as usize, "result")
        ));
    }
    let mut zeros: Vec<(String, u64)> = Vec::new();
    for result in &benchmarks.results {
        for (_, unit) in result
            .figures
            .values
            .iter()
            .filter(|(value, _)| !(value.is_finite() && *value > 0.0))
        {
            let name = match result.figure(unit) {
                Some(value) => format!("{}: {value} {unit}", result.name),
                None => continue,
            };
            match zeros.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => zeros.push((name, 1)),
            }
        }
    }
    caveats.extend(zeros.into_iter().map(|(name, count)| {
        let lines = plural(count as usize, "line");
        format!("{name} in {lines}; there is no ratio to it")
    }));
    caveats
}

impl Line<'_> {
    fn value(&self, unit: &str) -> Option<f64> {
        let value = self.figure(unit)?;
        (value.is_finite() && value > 0.0).then_some(value)
    }

    /// The figure as the line states it.
    fn figure(&self, unit: &str) -> Option<f64> {
        let mut values = self.figures.values.iter();
        let (value, _) = values.find(|(_, theirs)| *theirs == unit)?;
        Some(*value)
    }

    /// The conditions of these keys, to be added to the name: ` {cpu=x}`.
    fn conditions_of(&self, keys: &BTreeSet<&str>) -> String {
        let known = |key: &&str| Some(format!("{key}={}", self.conditions.get(*key)?));
        let known: Vec<String> = keys.iter().filter_map(known).collect();
        if known.is_empty() {
            return String::new();
        }
        format!(" {{{}}}", known.join(", "))
    }

    fn states(&self, unit: &str) -> bool {
        self.figures
            .values
            .iter()
            .any(|(_, theirs)| *theirs == unit)
    }

    /// The failed operations, which the iterations of Tenbin's lines do not count.
    fn failed(&self) -> Option<Failed> {
        let share = self.value(ERRORS).filter(|share| *share < 1.0)?;
        let count = (self.figures.iterations as f64 * share / (1.0 - share)).round() as u64;
        (count > 0).then(|| Failed {
            what: "failed operations".to_owned(),
            count,
            counted: false,
            quote: self.quote.clone(),
        })
    }

    /// Operations per second: as stated, or else the inverse of the time per operation.
    fn speed(&self) -> Option<f64> {
        let stated = self.value(RATE);
        let by_time = || self.value(TIME).map(|nanos| 1e9 / nanos);
        stated.or_else(by_time).filter(|speed| speed.is_finite())
    }
}

/// Splits a name into the operation and the target; `None` for a name without a target.
fn split(name: &str) -> (String, Option<String>) {
    let mut target = None;
    let mut rest = Vec::new();
    for part in name.split('/') {
        match part.strip_prefix("target=") {
            Some(value) => target = Some(value.to_owned()),
            None => rest.push(part),
        }
    }
    (rest.join("/"), target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str, better: Better) -> Measure {
        Measure::Unit {
            name: name.to_owned(),
            better,
        }
    }

    #[test]
    fn reads_what_go_test_prints() {
        let text = "goos: darwin\nBenchmarkPutObject_1KB-8  2781  406814 ns/op  43562 B/op  619 \
                    allocs/op\nBenchmarkPutObject_1KB-8 10 500000 ns/op\nPASS\nok  jog 12.3s\n";
        assert!(recognises(text.as_bytes()));
        let series = series(text.as_bytes()).unwrap();
        assert_eq!(series.len(), 3);
        assert_eq!(series[0].workload, "PutObject_1KB-8");
        assert_eq!(series[0].target, None);
        assert_eq!(series[0].values, [1e9 / 406_814.0, 2_000.0]);
        assert_eq!(series[1].measure, unit("B/op", Better::Lower));
        assert_eq!(series[2].values, [1.0 / 619.0]);
    }

    #[test]
    fn takes_the_target_out_of_our_own_names() {
        let line = "BenchmarkGetObject/size=1KB/target=minio-2/conc=16 9 5 ns/op 77 ops/s\n";
        let series = series(line.as_bytes()).unwrap();
        assert_eq!(series[1].measure, Measure::Rate);
        assert_eq!(series[1].workload, "GetObject/size=1KB/conc=16");
        assert_eq!(series[1].target.as_deref(), Some("minio-2"));
        assert_eq!(series[1].values, [77.0]);
    }

    #[test]
    fn what_differs_is_another_benchmark() {
        let text = "pkg: a\nBenchmarkX 1 2 ns/op\nBenchmarkX-8 1 2 ns/op\npkg: b\nBenchmarkX 1 2 \
                    ns/op\nBenchmarkX/bytes-64 1 2 ns/op\nBenchmarkX/bytes-65536 1 2 ns/op\n";
        let all = series(text.as_bytes()).unwrap();
        assert_eq!(all.len(), 5);
        let reported = reported(text.as_bytes()).unwrap();
        assert_eq!(reported.measurements[0].operation, "a.X");
        assert_eq!(reported.measurements[2].operation, "b.X");
    }

    #[test]
    fn a_unit_says_which_figures_are_better() {
        let text = "Unit pages/op better=higher\nBenchmarkX 1 9 req/s 3 pages/op 0 B/op 4 p99-ns\n";
        let found = series(text.as_bytes()).unwrap();
        let measures: Vec<&Measure> = found.iter().map(|each| &each.measure).collect();
        let expected = [
            unit("req/s", Better::Higher),
            unit("pages/op", Better::Higher),
            unit("B/op", Better::Lower),
            unit("p99-ns", Better::Lower),
        ];
        assert_eq!(measures, expected.iter().collect::<Vec<_>>());
        let caveats = reported(text.as_bytes()).unwrap().caveats;
        assert_eq!(caveats, ["X: 0 B/op in 1 line; there is no ratio to it"]);
        assert_eq!(
            (found[2].without_ratio, found[2].values.len()),
            (Some(0.0), 0)
        );
    }

    #[test]
    fn results_under_other_conditions_are_other_benchmarks() {
        let text = "goos: linux\ncpu: a\nBenchmarkX 1 2 ns/op\nseed: 1\nBenchmarkX 1 3 ns/op\n\
                    commit: z\ncpu: b\nBenchmarkX 1 4 ns/op\n";
        let all = series(text.as_bytes()).unwrap();
        let names: Vec<(&str, usize)> = all
            .iter()
            .map(|each| (each.workload.as_str(), each.values.len()))
            .collect();
        assert_eq!(names, [("X {cpu=a}", 2), ("X {commit=z, cpu=b}", 1)]);
        let reported = reported(text.as_bytes()).unwrap();
        assert_eq!(reported.measurements[2].operation, "X {commit=z, cpu=b}");
        assert_eq!(reported.machine, [("goos".to_owned(), "linux".to_owned())]);
    }

    #[test]
    fn figures_without_a_ratio_do_not_hide_the_others() {
        let text =
            "BenchmarkX 1 2 ns/op -5 delta +Inf x/op\nBenchmarkX 1 3 ns/op 5 delta NaN x/op\n";
        let all = series(text.as_bytes()).unwrap();
        assert_eq!(all[0].values.len(), 2);
        assert_eq!(all[1].without_ratio, Some(0.0));
        assert_eq!(reported(text.as_bytes()).unwrap().left_out, []);
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let wrong = series(b"goos: x\nBenchmarkX 1 y B/op\n").unwrap_err();
        assert!(wrong.contains("line 2"), "{wrong}");
        for other in [
            "", "PASS", "{\"schema\":1}", "Benchmark 1 2 ns/op", "BenchmarkX 1 2",
        ] {
            assert!(!recognises(other.as_bytes()), "{other}");
        }
    }
}
