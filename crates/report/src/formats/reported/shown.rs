//! Converts the figures of another tool's file to the form in which results are displayed.

use tenbin_result::format::count;
use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use crate::formats::imported::{Imported, Operation, Stated, Times, Tool};

/// Nanoseconds in a second.
const NANOS: f64 = 1e9;

/// Relative rounding below which the two bounds of a figure are displayed as one value.
const FINE: f64 = 0.01;

/// Converts the figures of another tool's file to an imported result.
pub fn imported(reported: &Reported) -> Imported {
    let mut caveats = reported.caveats.clone();
    let operations = reported.measurements.iter();
    Imported {
        tool: Tool {
            name: reported.tool,
            closed_loop: reported.measurements.iter().all(|of| of.closed_loop),
            counts_failures: false,
        },
        files: vec![reported.file.clone()],
        command_line: reported.command_line.clone(),
        operations: operations
            .map(|each| operation(each, &mut caveats))
            .collect(),
        caveats,
        judged: reported.judged.clone(),
    }
}

fn operation(of: &Measurement, caveats: &mut Vec<String>) -> Operation {
    let name = match &of.target {
        Some(target) => format!("{} on {target}", of.operation),
        None => of.operation.clone(),
    };
    let mut operation = Operation::new(&name);
    operation.ok = of.ok();
    operation.failed = of.known_failed();
    operation.objects = operation.ok;
    operation.unit = "req";
    operation.concurrency = of.connections.as_ref().map(|said| said.value);
    if of.ended.is_none() {
        operation.stated_rate = of.speed();
    }
    operation.measured = of.elapsed();
    let counted = of.failed_and_counted();
    operation.bytes = of.bytes.filter(|_| counted == 0);
    if counted > 0 {
        caveats.push(format!(
            "{name}: the tool counts {} failed requests in its throughput; the throughput here is \
             that of correct responses",
            count(counted)
        ));
    }
    for failed in &of.failures {
        operation.add_failure(&failed.what, failed.count);
    }
    let known = |said: &Option<Said<Range>>| said.as_ref().map(|said| ends(said.value));
    let percentiles = of.percentiles.iter();
    operation.times = Times::Stated(Box::new(Stated {
        requests: of.sampled(),
        min: known(&of.min),
        mean: known(&of.mean),
        max: known(&of.max),
        quantiles: percentiles
            .map(|each| (each.quantile, ends(each.time)))
            .collect(),
    }));
    operation
}

/// Both bounds of a range in nanoseconds; equal if rounding is negligible.
fn ends(range: Range) -> (f64, f64) {
    let (from, to) = (range.from * NANOS, range.to * NANOS);
    if to - from <= FINE * to {
        (f64::midpoint(from, to), f64::midpoint(from, to))
    } else {
        (from, to)
    }
}
