//! Reads the summary: rows of a metric, a task, a value and a unit.

use std::borrow::Cow;

use tenbin_verdict::lint::{Range, Reported, Said};

use super::{MILLI, Task, percentage};
use crate::formats::cells::cells;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, python_float};

/// Names of the columns.
const HEAD: [&str; 4] = ["Metric", "Task", "Value", "Unit"];

pub(super) fn is_head(line: &str) -> bool {
    row(line).is_some_and(|row| row == HEAD)
}

/// The cells of a row of CSV, or of a table of Markdown.
fn row(line: &str) -> Option<[Cow<'_, str>; 4]> {
    let line = line.trim_start_matches('\u{feff}').trim();
    let split = match line.strip_prefix('|') {
        Some(inner) => {
            let inner = inner.strip_suffix('|')?;
            inner.split('|').map(Cow::Borrowed).collect()
        }
        None => cells(line, ',')?,
    };
    let trimmed: Vec<Cow<'_, str>> = split
        .into_iter()
        .map(|cell| Cow::Owned(cell.trim().to_owned()))
        .collect();
    trimmed.try_into().ok()
}

pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let heads = lines.0.iter().filter(|line| is_head(line.text));
    if heads.count() > 1 {
        return Err(Fault::of_the_file(
            "holds several summaries; write each to a separate file",
        ));
    }
    let table = lines.0.iter().skip_while(|line| !is_head(line.text));
    let is_markdown = |line: &Line<'_>| line.text.trim_start().starts_with('|');
    let mut tasks: Vec<Task> = Vec::new();
    let mut in_markdown = false;
    for line in table {
        if is_head(line.text) {
            in_markdown = is_markdown(line);
            continue;
        }
        // The console prints other lines behind the table.
        if line.text.trim().is_empty() || (in_markdown && !is_markdown(line)) {
            break;
        }
        if is_rule(line.text) {
            continue;
        }
        let cells =
            row(line.text).ok_or_else(|| line.fault("has not the four columns of the summary"))?;
        add(&mut tasks, line, &cells)?;
    }
    super::reported(tasks)
}

/// Whether this is the line between the names and the rows of a table of Markdown.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn add(tasks: &mut Vec<Task>, line: &Line<'_>, cells: &[Cow<'_, str>; 4]) -> Result<(), Fault> {
    let [metric_name, task, value, unit] = cells;
    // Metrics of the cluster belong to no task.
    if task.is_empty() {
        return Ok(());
    }
    let Some(metric) = Metric::of(metric_name) else {
        return Ok(());
    };
    // A task without a sample has no value, or one that is not a number.
    if value.is_empty() || value == "nan" {
        return Ok(());
    }
    let said = |factor: f64| -> Result<Said<Range>, Fault> {
        let number = python_float(value).ok_or_else(|| line.no("the value", value))?;
        Ok(line.said(number.times(factor)))
    };
    let name: &str = task;
    let task = of_name(tasks, name);
    if !task.metrics.insert(metric_name.to_string()) {
        return Err(line.fault(format!(
            "has a second {metric_name:?} of the task {name:?}: give each task a unique name, \
             because the figures of one name cannot be told apart"
        )));
    }
    match metric {
        Metric::Throughput(statistic) => {
            task.unit = unit.to_string();
            task.throughput.insert(statistic, said(1.0)?);
        }
        Metric::Latency(percent) => task.latency.push((percent, said(milli(line, unit)?)?)),
        Metric::ServiceTime(percent) => {
            task.service_time.push((percent, said(milli(line, unit)?)?));
        }
        Metric::ErrorRate => task.error_rate = Some(said(0.01)?),
    }
    Ok(())
}

fn milli(line: &Line<'_>, unit: &str) -> Result<f64, Fault> {
    if unit == "ms" {
        Ok(MILLI)
    } else {
        Err(line.no("the unit of a time", unit))
    }
}

fn of_name<'a>(tasks: &'a mut Vec<Task>, name: &str) -> &'a mut Task {
    let at = match tasks.iter().position(|task| task.name == name) {
        Some(at) => at,
        None => {
            tasks.push(Task {
                name: name.to_owned(),
                ..Task::default()
            });
            tasks.len() - 1
        }
    };
    &mut tasks[at]
}

/// A metric of a task that is read.
enum Metric {
    Throughput(String),
    Latency(f64),
    ServiceTime(f64),
    ErrorRate,
}

impl Metric {
    fn of(name: &str) -> Option<Self> {
        if name == "error rate" {
            return Some(Self::ErrorRate);
        }
        if let Some(statistic) = name.strip_suffix(" Throughput") {
            return Some(Self::Throughput(statistic.to_lowercase()));
        }
        let (ordinal, of) = name.split_once(" percentile ")?;
        let percent = percentage(ordinal.strip_suffix("th")?)?;
        match of {
            "latency" => Some(Self::Latency(percent)),
            "service time" => Some(Self::ServiceTime(percent)),
            _ => None,
        }
    }
}
