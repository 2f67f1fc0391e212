//! Reads Go's benchmark format, as printed by `go test -bench` and written to our `benchmark.txt`:
//! <https://go.dev/design/14313-benchmark-format>. The format contains repetitions, not single
//! requests.

use tenbin_verdict::Series;
use tenbin_verdict::lint::{Failed, Measurement, Quote, Range, Reported, Said};

use crate::formats::judged;
use crate::formats::readable::readable;

const PREFIX: &str = "Benchmark";
const TIME: &str = "ns/op";
const RATE: &str = "ops/s";
const ALLOCATIONS: &str = "allocs/op";
/// The share of the operations that failed, which Tenbin writes if an operation failed.
const ERRORS: &str = "errors/op";

/// Whether any line of the file is a result.
pub(super) fn recognises(content: &[u8]) -> bool {
    readable(content).lines().any(|line| result(line).is_some())
}

/// Reads the speeds, one value per repetition.
///
/// # Errors
/// The defect and its line, in one clause.
pub(super) fn series(content: &[u8]) -> Result<Vec<Series>, String> {
    let text = str::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let mut all: Vec<Series> = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        let Some(result) = result(line) else { continue };
        let (workload, target) = split(result.name);
        let (speed, by_time) = result
            .speed()
            .ok_or_else(|| format!("line {at} has neither a positive {TIME} nor {RATE}"))?;
        let mut known = all.iter_mut();
        match known.find(|each| each.workload == workload && each.target == target) {
            Some(series) => series.values.push(speed),
            None => all.push(Series::new(workload, target, by_time, vec![speed])),
        }
    }
    Ok(all)
}

/// Reads the repetitions, each with the line that states its figures.
///
/// # Errors
/// See [`series`].
pub(super) fn reported(content: &[u8]) -> Result<Reported, String> {
    let text = str::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let judged = judged::of_file(content);
    let mut measurements = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let Some(result) = result(line) else { continue };
        let quote = Quote {
            line: Some(number),
            text: line.to_owned(),
        };
        let (operation, target) = split(result.name);
        let (speed, _) = result
            .speed()
            .ok_or_else(|| format!("line {number} has neither a positive {TIME} nor {RATE}"))?;
        let said = |value: f64| Said::new(Range::exactly(value), quote.clone());
        measurements.push(Measurement {
            omits_failures: judged.is_none() && !result.states(ERRORS),
            failures: result.failed(&quote).into_iter().collect(),
            target,
            rate: Some(said(speed)),
            ended: Some(Said::new(result.iterations, quote.clone())),
            mean: result.value(TIME).map(|nanos| said(nanos / 1e9)),
            allocations: result
                .value(ALLOCATIONS)
                .map(|count| Said::new(count, quote.clone())),
            is_repetition: true,
            ..Measurement::new(&operation)
        });
    }
    Ok(Reported {
        tool: "go test -bench",
        measurements,
        judged,
        ..Reported::default()
    })
}

/// A parsed result line.
struct Line<'a> {
    name: &'a str,
    iterations: u64,
    values: Vec<(f64, &'a str)>,
}

/// Parses a result line; `None` for configuration and for lines outside the format.
fn result(line: &str) -> Option<Line<'_>> {
    let mut words = line.split_whitespace();
    let name = words.next()?.strip_prefix(PREFIX)?;
    let iterations = words.next()?.parse::<u64>().ok()?;
    let words: Vec<&str> = words.collect();
    let pairs = words.chunks_exact(2);
    let whole = pairs.remainder().is_empty() && !words.is_empty() && !name.is_empty();
    let values = pairs
        .map(|pair| Some((number(pair[0])?, pair[1])))
        .collect::<Option<_>>()?;
    whole.then_some(Line {
        name,
        iterations,
        values,
    })
}

/// Parses a number. Go writes every exponent with a sign, so a number such as `1e5` is damaged and
/// refused.
fn number(text: &str) -> Option<f64> {
    let exponent = text.split_once(['e', 'E']).map(|(_, exponent)| exponent);
    let is_damaged = exponent.is_some_and(|it| !it.starts_with(['+', '-']));
    text.parse().ok().filter(|_| !is_damaged)
}

impl Line<'_> {
    fn value(&self, unit: &str) -> Option<f64> {
        let mut values = self.values.iter();
        let (value, _) = values.find(|(_, theirs)| *theirs == unit)?;
        (*value > 0.0 && value.is_finite()).then_some(*value)
    }

    fn states(&self, unit: &str) -> bool {
        self.values.iter().any(|(_, theirs)| *theirs == unit)
    }

    /// The failed operations, which the iterations of Tenbin's lines do not count.
    fn failed(&self, quote: &Quote) -> Option<Failed> {
        let share = self.value(ERRORS).filter(|share| *share < 1.0)?;
        let count = (self.iterations as f64 * share / (1.0 - share)).round() as u64;
        (count > 0).then(|| Failed {
            what: "failed operations".to_owned(),
            count,
            counted: false,
            quote: quote.clone(),
        })
    }

    /// Operations per second. The flag is true if the line states no rate and the value is the
    /// inverse of the time per operation.
    fn speed(&self) -> Option<(f64, bool)> {
        if let Some(rate) = self.value(RATE) {
            return Some((rate, false));
        }
        let speed = 1e9 / self.value(TIME)?;
        speed.is_finite().then_some((speed, true))
    }
}

/// Splits a name into the operation and the target; `None` for a name without a target. Drops the
/// number of processors that Go appends.
fn split(name: &str) -> (String, Option<String>) {
    let name = match name.rsplit_once('-') {
        Some((before, after)) if !after.is_empty() && after.bytes().all(|c| c.is_ascii_digit()) => {
            before
        }
        _ => name,
    };
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

    #[test]
    fn reads_what_go_test_prints() {
        let text = "goos: darwin\nBenchmarkPutObject_1KB-8  2781  406814 ns/op  43562 B/op  619 \
                    allocs/op\nBenchmarkPutObject_1KB-8 10 500000 ns/op\nPASS\nok  jog 12.3s\n";
        assert!(recognises(text.as_bytes()));
        let series = series(text.as_bytes()).unwrap();
        assert_eq!(series.len(), 1);
        assert_eq!(series[0].workload, "PutObject_1KB");
        assert_eq!(series[0].target, None);
        assert_eq!(series[0].values, [1e9 / 406_814.0, 2_000.0]);
    }

    #[test]
    fn takes_the_target_out_of_our_own_names() {
        let line = "BenchmarkGetObject/size=1KB/target=minio-2/conc=16 9 5 ns/op 77 ops/s\n";
        let series = series(line.as_bytes()).unwrap();
        assert_eq!(series[0].workload, "GetObject/size=1KB/conc=16");
        assert_eq!(series[0].target.as_deref(), Some("minio-2"));
        assert_eq!(series[0].values, [77.0]);
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let wrong = series(b"BenchmarkX 1 2 B/op\n").unwrap_err();
        assert_eq!(wrong, "line 1 has neither a positive ns/op nor ops/s");
        for other in [
            "",
            "PASS",
            "{\"schema\":1}",
            "Benchmark 1 2 ns/op",
            "BenchmarkX 1 2",
        ] {
            assert!(!recognises(other.as_bytes()), "{other}");
        }
    }
}
