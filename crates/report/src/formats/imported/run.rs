//! Converts Tenbin's own run directories to the form of imported results.

use std::path::Path;
use std::time::UNIX_EPOCH;

use tenbin_record::{ErrorClass, OpFigures, RecordedRun, SecondCounts, Slice, merge};

use super::{Imported, Operation, SECOND, Second, Times, Tool, histogram};

/// Of one workload the load is closed, of another open: nothing is concluded from it here.
const TENBIN: Tool = Tool {
    name: "tenbin",
    closed_loop: false,
    counts_failures: false,
};

/// Minimum length, seconds, at which a second counts as whole: the last second of a slice can be
/// shorter.
const NEARLY_A_SECOND: f64 = 0.99;

impl Imported {
    /// The figures of a run by operation. If the run has several workloads or targets, workload and
    /// target precede the operation's name. A request for several objects counts as that number of
    /// objects.
    pub fn of_run(
        directory: &Path,
        run: &RecordedRun,
        objects_per_request: impl Fn(&str) -> u64,
    ) -> Self {
        let several = run
            .slices
            .iter()
            .any(|slice| !is_of(slice, &run.slices[0].workload, &run.slices[0].target));
        let mut operations: Vec<Operation> = Vec::new();
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
                        operations.push(empty(&name, &figures.name));
                        operations.len() - 1
                    }
                };
                let seconds = run.seconds.iter().filter(|second| {
                    second.slice == slice.index && second.operation == figures.name
                });
                add(&mut operations[at], slice, figures, objects_each, seconds);
                span(&mut operations[at], run, slice);
            }
        }
        Self {
            judged: None,
            tool: TENBIN,
            files: vec![directory.display().to_string()],
            command_line: None,
            operations,
            caveats: Vec::new(),
        }
    }
}

/// Extends the operation's period, from first start to last end, by a slice.
fn span(operation: &mut Operation, run: &RecordedRun, slice: &Slice) {
    let Ok(began) = run.started.duration_since(UNIX_EPOCH) else {
        return;
    };
    let nanos = |seconds: f64| (began.as_nanos() as f64 + seconds * SECOND as f64) as i64;
    operation.start = operation.start.min(nanos(slice.start));
    operation.end = operation.end.max(nanos(slice.start + slice.seconds));
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

fn empty(name: &str, operation: &str) -> Operation {
    let reads = is_any_of(operation, &["GET", "LIST", "ZIP"]);
    let lists = is_any_of(operation, &["LIST"]);
    let mut operation = Operation::new(name);
    // A page of a listing contains several objects, and their number is not recorded.
    operation.unit = if lists { "req" } else { "obj" };
    operation.measured = Some(0.0);
    operation.known_seconds = Some((0, 0));
    // For other operations, the first byte completes the response.
    operation.first_byte = reads.then(histogram);
    operation
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
    classes.sort_by_key(|(class, _)| !is_of_an_answer(*class));
    for (class, count) in classes {
        let by_text = count.min(explained);
        explained -= by_text;
        if count > by_text {
            all.push((class.name(), count - by_text));
        }
    }
    all
}

fn is_of_an_answer(class: ErrorClass) -> bool {
    use ErrorClass::{Connect, Reset, Timeout};
    !matches!(class, Connect | Timeout | Reset)
}

fn add<'a>(
    operation: &mut Operation,
    slice: &Slice,
    figures: &OpFigures,
    objects_each: u64,
    seconds: impl Iterator<Item = &'a SecondCounts>,
) {
    operation.ok = operation.ok.map(|ok| ok + figures.counts.ok);
    let failed = operation.failed;
    operation.failed = failed.map(|failed| failed + figures.failed_count());
    operation.objects = operation
        .objects
        .map(|objects| objects + figures.counts.ok * objects_each);
    let carries = !is_any_of(&figures.name, &WITHOUT_CONTENT);
    let payload = |payload: u64| if carries { payload } else { 0 };
    operation.bytes = operation
        .bytes
        .map(|bytes| bytes + payload(figures.counts.payload));
    operation.concurrency = Some(slice.connections as u64);
    operation.measured = operation.measured.map(|sum| sum + slice.seconds);
    // In an open loop, response times start at the intended start.
    if let Times::Each(each) = &mut operation.times {
        merge(each, &figures.times.response);
    }
    if let Some(first_byte) = &mut operation.first_byte {
        merge(first_byte, &figures.times.first_byte);
    }
    for (text, count) in failures(figures) {
        operation.add_failure(text, count);
    }
    for second in seconds.filter(|second| second.length >= NEARLY_A_SECOND) {
        let Some((_, next)) = &mut operation.known_seconds else {
            continue;
        };
        let at = *next;
        *next += 1;
        let per_second = Second {
            objects: (second.ok * objects_each) as f64 / second.length,
            bytes: payload(second.payload) as f64 / second.length,
        };
        operation.seconds.insert(at, per_second);
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
