//! Reads the results of Rally for Elasticsearch and of OpenSearch Benchmark, which have one form:
//! the summary as CSV or Markdown, and the JSON of a race or test.

mod json;
mod summary;

use std::collections::{BTreeMap, BTreeSet};

use tenbin_result::format::digits;
use tenbin_verdict::lint::{Measurement, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{checked, decimal, is_json_of};

/// What both tools print at the end, or write with `--report-file` and `--results-file`.
pub(in crate::formats) const SUMMARY: Format = Format {
    name: "rally",
    about: "the summary of Rally or OpenSearch Benchmark: CSV, or a Markdown table",
    file: "rally.csv",
    read: Some(Reader::new(
        |beginning| readable(beginning).lines().any(summary::is_head),
        Read::Figures(
            "a summary of Rally or OpenSearch Benchmark",
            summary::reported,
        ),
    )),
    ..Format::PLAIN
};

/// What both tools keep of each run.
pub(in crate::formats) const JSON: Format = Format {
    name: "rally-json",
    about: "race.json of Rally, or test-execution.json of OpenSearch Benchmark",
    file: "race.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "rally"),
        Read::Figures("the JSON of Rally or OpenSearch Benchmark", json::reported),
    )),
    ..Format::PLAIN
};

/// Name of both tools: their files do not tell them apart.
const TOOL: &str = "Rally or OpenSearch Benchmark";

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// The unit of a throughput that counts requests.
const OPERATIONS: &str = "ops/s";

/// What a file says about one task.
#[derive(Default)]
struct Task {
    name: String,
    /// Names of the metrics that have been read from a summary.
    metrics: BTreeSet<String>,
    /// Throughputs by statistic, such as `mean`, and their unit.
    throughput: BTreeMap<String, Said<Range>>,
    unit: String,
    /// Times from the scheduled start of a request, seconds, by percentage.
    latency: Vec<(f64, Said<Range>)>,
    /// Times from the sending of a request, seconds, by percentage.
    service_time: Vec<(f64, Said<Range>)>,
    mean_latency: Option<Said<Range>>,
    mean_service_time: Option<Said<Range>>,
    /// Share of the requests that failed, 0 to 1.
    error_rate: Option<Said<Range>>,
}

/// What the tasks of a file have. A task that lacks it is damaged.
struct Kinds {
    /// Mean throughputs, which earlier versions do not have.
    means: bool,
    latencies: bool,
}

/// The measurements of the tasks. What a file cannot tell is a caveat.
fn reported(tasks: Vec<Task>) -> Result<Reported, Fault> {
    let kinds = Kinds {
        means: tasks
            .iter()
            .any(|task| task.throughput.contains_key("mean")),
        latencies: tasks.iter().any(|task| !task.latency.is_empty()),
    };
    let mut caveats = vec!["the file does not say how many requests there were".to_owned()];
    if kinds.latencies {
        caveats.push(
            "the times are latencies, which contain the wait of a request behind its schedule; \
             the service times of the same requests are left out"
                .to_owned(),
        );
    }
    let mut measurements = Vec::new();
    for task in tasks {
        measurements.push(task.measurement(&kinds, &mut caveats)?);
    }
    if measurements.is_empty() {
        return Err(Fault::of_the_file("has no task; it may be cut off"));
    }
    let reported = checked(TOOL, measurements)?;
    Ok(Reported {
        caveats,
        ..reported
    })
}

impl Task {
    fn measurement(
        mut self,
        kinds: &Kinds,
        caveats: &mut Vec<String>,
    ) -> Result<Measurement, Fault> {
        let name = std::mem::take(&mut self.name);
        let mut of = Measurement::new(&name);
        let error_rate = self.error_rate.take().ok_or_else(|| {
            Fault::of_the_file(format!(
                "has no error rate of the task {name:?}; it may be cut off"
            ))
        })?;
        // A share that prints as 0 has 0 in its range.
        if error_rate.value.from > 0.0 {
            // A share of an unknown number of requests is no number of failures.
            of.omits_failures = true;
            caveats.push(format!(
                "{name}: {} % of the requests failed, an unknown number",
                digits(error_rate.value.middle() * 100.0)
            ));
            of.failed_share = Some(error_rate);
        }
        self.check_throughput(&name)?;
        of.rate = match self.throughput.remove("mean") {
            Some(mean) => Some(mean),
            None if kinds.means => None,
            None => self.throughput.remove("median").inspect(|_| {
                caveats.push(format!("{name}: the throughput is the median of samples"));
            }),
        };
        if of.rate.is_some() && self.unit != OPERATIONS {
            caveats.push(format!(
                "{name}: the throughput counts {}, not requests",
                self.unit
            ));
            of.per_second = Some(std::mem::take(&mut self.unit));
        }
        let (times, mean) = if kinds.latencies {
            (self.latency, self.mean_latency)
        } else {
            (self.service_time, self.mean_service_time)
        };
        of.mean = mean;
        for (percent, time) in times {
            if percent >= 100.0 {
                of.max = Some(time);
            } else {
                of.add_percentile((percent * 1e5).round() / 1e7, time);
            }
        }
        of.sort_percentiles();
        Ok(of)
    }

    fn check_throughput(&self, name: &str) -> Result<(), Fault> {
        let value = |statistic: &str| self.throughput.get(statistic).map(|said| said.value);
        let (least, most) = (value("min"), value("max"));
        for middle in ["mean", "median"] {
            let Some(middle) = value(middle) else {
                continue;
            };
            let is_below = least.is_some_and(|least| middle.to < least.from);
            let is_above = most.is_some_and(|most| middle.from > most.to);
            if is_below || is_above {
                return Err(Fault::of_the_file(format!(
                    "contradicts itself: the throughput of {name:?} is not between the least and \
                     the most"
                )));
            }
        }
        Ok(())
    }
}

/// Parses a percentage: `99.9`.
fn percentage(text: &str) -> Option<f64> {
    let percent = decimal(text)?.middle();
    (percent <= 100.0).then_some(percent)
}
