//! Reads the JSON of a race or test: the member `results.op_metrics`.

use tenbin_verdict::lint::{Range, Reported, Said};

use super::{MILLI, Task, percentage};
use crate::formats::reader::Fault;
use crate::formats::reported::Json;

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "Rally")?;
    let whole = Json::of(&value);
    let all = whole.need("results")?.need("op_metrics")?.elements();
    let mut tasks = Vec::new();
    for metrics in all {
        tasks.push(task(&metrics)?);
    }
    super::reported(tasks)
}

fn task(metrics: &Json<'_>) -> Result<Task, Fault> {
    let name = metrics.need("task")?;
    let mut task = Task {
        name: name.text().ok_or_else(|| name.fault("no text"))?.to_owned(),
        error_rate: metrics.maybe("error_rate", 1.0)?,
        ..Task::default()
    };
    if let Some(throughput) = metrics.get("throughput") {
        for statistic in ["min", "mean", "median", "max"] {
            if let Some(said) = throughput.maybe(statistic, 1.0)? {
                task.throughput.insert(statistic.to_owned(), said);
            }
        }
        let unit = throughput.get("unit").and_then(|unit| unit.text());
        task.unit = unit.unwrap_or_default().to_owned();
    }
    (task.latency, task.mean_latency) = times(metrics, "latency")?;
    (task.service_time, task.mean_service_time) = times(metrics, "service_time")?;
    Ok(task)
}

/// The percentiles with their percentages, and the mean.
type Times = (Vec<(f64, Said<Range>)>, Option<Said<Range>>);

fn times(metrics: &Json<'_>, name: &str) -> Result<Times, Fault> {
    let Some(times) = metrics.get(name) else {
        return Ok((Vec::new(), None));
    };
    let mut percentiles = Vec::new();
    for (name, member) in times.members() {
        // `99_9` is the 99.9th percentile; there are members for the mean and the unit, too.
        let is_percentile = name.chars().all(|c| c.is_ascii_digit() || c == '_');
        if !is_percentile {
            continue;
        }
        let percent = percentage(&name.replacen('_', ".", 1))
            .ok_or_else(|| member.fault("under no percentile"))?;
        if let Some(time) = times.maybe(&name, MILLI)? {
            percentiles.push((percent, time));
        }
    }
    Ok((percentiles, times.maybe("mean", MILLI)?))
}
