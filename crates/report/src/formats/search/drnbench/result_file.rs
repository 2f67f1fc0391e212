//! Writes drnbench's result file.

use std::fmt::Write as _;

use super::sweep::Sweep;
use crate::formats::judged::COLUMN;

/// Writes drnbench's result file: one row per step, and one column per status that occurs in any
/// step. Unknown values are empty. The last column has the trust in the run.
pub(super) fn csv(sweep: &Sweep, mark: &str) -> String {
    let statuses: Vec<u16> = {
        let mut all: Vec<u16> = sweep
            .steps
            .iter()
            .flat_map(|step| step.statuses.keys().copied())
            .collect();
        // drnbench sorts statuses as text. All statuses except 0 have three digits, so the numeric
        // order is the same.
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut text = COLUMNS.join(",");
    for status in &statuses {
        let _ = write!(text, ",{status}");
    }
    let _ = writeln!(text, ",{COLUMN}");
    for step in &sweep.steps {
        let number = |value: Option<f64>| value.map_or_else(String::new, float);
        let _ = write!(
            text,
            "{},{},{},{},{},{}",
            step.clients,
            step.total,
            number(step.per_second()),
            number(step.min),
            number(step.max),
            number(step.average())
        );
        for status in &statuses {
            let share = step.percentage(*status);
            let _ = write!(text, ",{}", share.map_or_else(|| "0".to_owned(), float));
        }
        let _ = writeln!(text, ",{mark}");
    }
    text
}

/// The columns before the status columns.
pub(super) const COLUMNS: [&str; 6] = [
    "n_clients", "total_n_requests", "queries_per_second", "min_elapsed_time", "max_elapsed_time",
    "average_elapsed_time",
];

/// Formats a number as Ruby does: at least one digit after the point; below 0.0001, an exponent of
/// two digits.
pub(super) fn float(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-4 {
        let text = format!("{value:e}");
        let (digits, power) = text.split_once('e').unwrap_or((text.as_str(), "0"));
        let point = if digits.contains('.') { "" } else { ".0" };
        let power = power.trim_start_matches('-');
        return format!("{digits}{point}e-{power:0>2}");
    }
    format!("{value:?}")
}
