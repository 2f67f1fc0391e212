//! Server stages as table rows: one row per stage and target, one column per percentile band.

use std::collections::BTreeSet;

use tenbin_result::format::{count, percent, plural};
use tenbin_result::{Document, Figure, ResultOf, StageBand, StagesOf};

/// Column header of a percentile band.
pub(crate) fn band_name(band: StageBand) -> &'static str {
    match band {
        StageBand::FastestHalf => "fastest half",
        StageBand::P50ToP90 => "p50 to p90",
        StageBand::P90ToP99 => "p90 to p99",
        StageBand::AboveP99 => "above p99",
    }
}

/// One row of the table: the mean times of `what` on `target`, one for each percentile band of
/// requests.
pub(crate) struct Row<'a> {
    /// Name of a stage, untrusted until escaped, or one of our own row names.
    pub(crate) what: &'a str,
    pub(crate) target: &'a str,
    pub(crate) means: Vec<Option<Figure>>,
}

/// Names of the operations of a workload whose responses reported stage times.
pub(crate) fn operations<'a>(document: &'a Document, workload: &'a str) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (_, stages) in told(document, workload) {
        let name = stages.operation.as_str();
        if stages.carrying > 0 && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The rows of an operation: first the stages, each with one row per target, then the totals and
/// the remainder. Rows without a figure of any target are left out.
pub(crate) fn rows<'a>(document: &'a Document, workload: &'a str, operation: &str) -> Vec<Row<'a>> {
    let results: Vec<(&ResultOf, &StagesOf)> = told(document, workload)
        .filter(|(_, stages)| stages.operation == operation && stages.carrying > 0)
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for name in results.iter().flat_map(|(_, stages)| &stages.stages) {
        if !names.contains(&name.stage.as_str()) {
            names.push(&name.stage);
        }
    }
    let mut rows = Vec::new();
    for name in names {
        for (result, stages) in &results {
            let mut known = stages.stages.iter();
            if let Some(stage) = known.find(|stage| stage.stage == name) {
                rows.push(Row {
                    what: name,
                    target: &result.target,
                    means: stage.bands.clone(),
                });
            }
        }
    }
    type Of = fn(&StagesOf) -> Vec<Option<Figure>>;
    let of_all: [(&str, Of); 3] = [
        ("(server total)", |stages| {
            stages.bands.iter().map(|band| band.total).collect()
        }),
        ("(network and client)", |stages| {
            stages.bands.iter().map(|band| band.remainder).collect()
        }),
        ("(service time)", |stages| {
            stages.bands.iter().map(|band| band.service).collect()
        }),
    ];
    for (what, of) in of_all {
        for (result, stages) in &results {
            rows.push(Row {
                what,
                target: &result.target,
                means: of(stages),
            });
        }
    }
    let says: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row.means.iter().any(Option::is_some))
        .map(|row| row.what)
        .collect();
    rows.retain(|row| says.contains(row.what));
    rows
}

/// Notes on the responses of each target: how many reported no time or an invalid time, and which
/// stages only some responses named. Names are not escaped.
pub(crate) fn notes<'a>(document: &'a Document, workload: &'a str) -> Vec<String> {
    told(document, workload)
        .filter_map(|(result, stages)| {
            let mut parts = Vec::new();
            let told = stages.carrying.saturating_add(stages.unreadable);
            let silent = stages.answers.saturating_sub(told);
            let share = |part: u64| percent(part as f64 / stages.answers.max(1) as f64);
            if silent == stages.answers {
                parts.push("no response reported the time of a stage".to_owned());
            } else if silent > 0 {
                parts.push(format!(
                    "{} of {} ({}) reported no time",
                    count(silent),
                    plural(stages.answers, "response"),
                    share(silent)
                ));
            }
            if stages.unreadable > 0 {
                parts.push(format!(
                    "{} ({}) reported an invalid time, which is ignored",
                    plural(stages.unreadable, "response"),
                    share(stages.unreadable)
                ));
            }
            let some = stages.stages.iter().filter(|stage| stage.named < 0.9995);
            parts.extend(
                some.map(|stage| format!("{} was named by {}", stage.stage, percent(stage.named))),
            );
            (!parts.is_empty()).then(|| {
                let (target, operation) = (&result.target, &stages.operation);
                format!("{target}, {operation}: {}", parts.join("; "))
            })
        })
        .collect()
}

fn told<'a>(
    document: &'a Document,
    workload: &'a str,
) -> impl Iterator<Item = (&'a ResultOf, &'a StagesOf)> {
    document
        .results_of(workload)
        .flat_map(|result| result.stages.iter().map(move |stages| (result, stages)))
}
