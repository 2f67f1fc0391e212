//! Converts Tenbin's own run directories to the form of imported results.

use std::path::Path;
use std::time::UNIX_EPOCH;

use tenbin_record::{ErrorClass, OpFigures, RecordedRun, SecondCounts, Slice, merge};
use tenbin_verdict::lint::{Listed, Measurement, Range, Reported, SECOND, Second, Unit};

use super::{Counted, histogram, unquoted, with_figures};

/// Minimum length, seconds, at which a second counts as whole: the last second of a slice can be
/// shorter.
const NEARLY_A_SECOND: f64 = 0.99;

/// The figures of a run by operation. If the run has several workloads or targets, workload and
/// target precede the operation's name. A request for several objects counts as that number of
/// objects.
pub(in crate::formats) fn of_run(
    directory: &Path,
    run: &RecordedRun,
    objects_per_request: impl Fn(&str) -> u64,
) -> Reported {
    let several = run
        .slices
        .iter()
        .any(|slice| !is_of(slice, &run.slices[0].workload, &run.slices[0].target));
    let mut operations: Vec<Sum> = Vec::new();
    for slice in &run.slices {
        let objects_each = objects_per_request(&slice.workload);
        for figures in &slice.ops {
            let name = if several {
                format!("{} {} {}", slice.workload, slice.target, figures.name)
            } else {
                figures.name.clone()
            };
            let at = match operations.iter().position(|known| known.name == name) {
                Some(at) => at,
                None => {
                    operations.push(Sum::empty(name, &figures.name));
                    operations.len() - 1
                }
            };
            let seconds = run
                .seconds
                .iter()
                .filter(|second| second.slice == slice.index && second.operation == figures.name);
            operations[at].add(slice, figures, objects_each, seconds);
            operations[at].span(run, slice);
        }
    }
    Reported {
        tool: "tenbin",
        files: vec![directory.display().to_string()],
        measurements: operations.into_iter().map(Sum::measurement).collect(),
        ..Reported::default()
    }
}

/// Operations whose bodies are not object content.
const WITHOUT_CONTENT: [&str; 6] = ["DELETE", "LIST", "STAT", "CREATE", "COMPLETE", "ABORT"];

fn is_any_of(name: &str, beginnings: &[&str]) -> bool {
    beginnings
        .iter()
        .any(|beginning| name.starts_with(beginning))
}

fn is_of(slice: &Slice, workload: &str, target: &str) -> bool {
    slice.workload == workload && slice.target == target
}

/// The slices of one operation.
struct Sum {
    name: String,
    connections: u64,
    /// Measured time, seconds.
    measured: f64,
    counted: Counted,
}

/// Counts each failure once: under the target's error message if known, otherwise under its class.
fn failures(figures: &OpFigures) -> Vec<(&str, u64)> {
    let texts = figures.failures.iter();
    let mut all: Vec<(&str, u64)> = texts.map(|(text, n)| (text.as_str(), *n)).collect();
    // Error messages arrive in responses, so they explain failures of classes with a response.
    let mut explained: u64 = all.iter().map(|(_, count)| count).sum();
    let mut classes: Vec<(ErrorClass, u64)> = figures
        .errors
        .iter()
        .map(|(&class, &n)| (class, n))
        .collect();
    classes.sort_by_key(|(class, _)| !has_response(*class));
    for (class, count) in classes {
        let by_text = count.min(explained);
        explained -= by_text;
        if count > by_text {
            all.push((class.name(), count - by_text));
        }
    }
    all
}

/// Whether failures of this class have a response.
fn has_response(class: ErrorClass) -> bool {
    use ErrorClass::{Connect, Reset, Timeout};
    !matches!(class, Connect | Timeout | Reset)
}

impl Sum {
    fn empty(name: String, operation: &str) -> Self {
        let reads = is_any_of(operation, &["GET", "LIST", "ZIP"]);
        let lists = is_any_of(operation, &["LIST"]);
        let listed = Listed {
            objects: Some(0),
            // A page of a listing contains several objects, and their number is not recorded.
            unit: if lists { Unit::Requests } else { Unit::Objects },
            times: Some(histogram()),
            // For other operations, the first byte completes the response.
            first_byte: reads.then(histogram),
            known_seconds: Some((0, 0)),
            ..Listed::default()
        };
        Self {
            name,
            connections: 0,
            measured: 0.0,
            counted: Counted {
                listed,
                ..Counted::default()
            },
        }
    }

    /// Extends the operation's period, from first start to last end, by a slice.
    fn span(&mut self, run: &RecordedRun, slice: &Slice) {
        let Ok(began) = run.started.duration_since(UNIX_EPOCH) else {
            return;
        };
        let nanos = |seconds: f64| (began.as_nanos() as f64 + seconds * SECOND as f64) as i64;
        let end = nanos(slice.start + slice.end.seconds);
        self.counted.listed.extend((nanos(slice.start), end));
    }

    fn add<'a>(
        &mut self,
        slice: &Slice,
        figures: &OpFigures,
        objects_each: u64,
        seconds: impl Iterator<Item = &'a SecondCounts>,
    ) {
        let carries = !is_any_of(&figures.name, &WITHOUT_CONTENT);
        let payload = |payload: u64| if carries { payload } else { 0 };
        self.connections = slice.connections as u64;
        self.measured += slice.end.seconds;
        let counted = &mut self.counted;
        counted.ok += figures.counts.ok;
        counted.bytes += payload(figures.counts.payload);
        counted.failed += figures.failed_count();
        for (text, count) in failures(figures) {
            counted.listed.add_failure(text, count);
        }
        let listed = &mut counted.listed;
        let objects = figures.counts.ok * objects_each;
        listed.objects = listed.objects.map(|sum| sum + objects);
        // In an open loop, response times start at the intended start.
        if let Some(times) = &mut listed.times {
            merge(times, &figures.times.response);
        }
        if let Some(first_byte) = &mut listed.first_byte {
            merge(first_byte, &figures.times.first_byte);
        }
        for second in seconds.filter(|second| second.length >= NEARLY_A_SECOND) {
            let Some((_, next)) = &mut listed.known_seconds else {
                continue;
            };
            let at = *next;
            *next += 1;
            let per_second = Second {
                objects: (second.ok * objects_each) as f64 / second.length,
                bytes: payload(second.payload) as f64 / second.length,
            };
            listed.seconds.insert(at, per_second);
        }
    }

    fn measurement(self) -> Measurement {
        let mut of = self.counted.measurement(&self.name, false);
        of.connections = Some(unquoted(self.connections));
        of.seconds = Some(unquoted(Range::exactly(self.measured)));
        with_figures(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_is_reported_once() {
        let mut figures = OpFigures::new("PUT");
        figures.errors.insert(ErrorClass::Timeout, 3);
        figures.errors.insert(ErrorClass::Status, 949);
        figures.failures.insert("503 SlowDown".to_owned(), 940);
        assert_eq!(
            failures(&figures),
            [("503 SlowDown", 940), ("status", 9), ("timeout", 3)]
        );
        figures.failures.insert("404 NoSuchKey".to_owned(), 9);
        assert_eq!(
            failures(&figures),
            [("404 NoSuchKey", 9), ("503 SlowDown", 940), ("timeout", 3)]
        );
    }
}
