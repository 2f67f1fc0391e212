//! All levels of all concurrency sweeps, as CSV and as charts.

pub(crate) mod chart;

use std::fmt::Write as _;

pub(crate) use chart::{latency, throughput};

use tenbin_result::{ConcurrencySweep, Document, Figure};

use crate::cells::Between;
use crate::chart::Chart;

/// The columns of `ramp.csv`. Times are in seconds, rates per second; unknown values are empty.
const COLUMNS: &str = "ramp,target,workload,clients,throughput,throughput_low,throughput_high,mean,\
                       mean_low,mean_high,p50,p50_low,p50_high,p90,p90_low,p90_high,p99,p99_low,\
                       p99_high,ok,failed,in_flight,littles_law,knee,most";

/// The charts of all sweeps.
pub(crate) fn charts(document: &Document) -> Vec<Chart> {
    [throughput(document), latency(document)]
        .into_iter()
        .flatten()
        .collect()
}

/// One CSV row per target and number of clients.
pub(crate) fn csv(document: &Document) -> String {
    table(&document.concurrency_sweeps)
}

pub(crate) fn table(sweeps: &[ConcurrencySweep]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for sweep in sweeps {
        rows(&mut text, sweep);
    }
    text
}

fn rows(text: &mut String, sweep: &ConcurrencySweep) {
    for level in &sweep.levels {
        let _ = write!(
            text,
            "{},{},{},{}",
            Between::Comma.name(&sweep.family),
            Between::Comma.name(&sweep.target),
            Between::Comma.name(&level.workload),
            level.connections
        );
        let figures = [
            level.throughput, level.residence, level.p50, level.p90, level.p99,
        ];
        for figure in figures {
            push(text, figure);
        }
        let count = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let in_flight = level.little.map(|little| little * level.connections as f64);
        let at_knee = sweep
            .knee
            .is_some_and(|knee| knee.found && knee.connections == level.connections);
        let _ = writeln!(
            text,
            ",{},{},{},{},{},{}",
            count(level.ok),
            count(level.failed),
            number(in_flight),
            number(level.little),
            u8::from(at_knee),
            u8::from(sweep.peak_connections == Some(level.connections))
        );
    }
}

/// Appends a figure and the ends of its interval.
fn push(text: &mut String, figure: Option<Figure>) {
    let Some(figure) = figure else {
        text.push_str(",,,");
        return;
    };
    let _ = match figure.interval {
        Some(ends) => write!(text, ",{},{},{}", figure.value, ends.low, ends.high),
        None => write!(text, ",{},,", figure.value),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_empty() {
        let mut text = String::new();
        push(&mut text, None);
        let figure = Figure {
            value: 2.5,
            interval: None,
            n: 1,
        };
        push(&mut text, Some(figure));
        assert_eq!(text, ",,,,2.5,,");
    }
}
