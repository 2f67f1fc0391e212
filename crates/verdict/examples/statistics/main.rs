//! Experiments on the verdict itself: simulates comparisons with a known true difference and judges
//! the comparisons with the code that judges runs. Prints a table in Markdown; exits with 1 if a
//! row fails. `cargo xtask statistics` runs this program and stores the table.
//!
//! The first argument is the number of simulated comparisons per row (default 200). The second
//! argument selects rows: `pairs`, `sweep`, `single`, `sustained`, `runs`, `gate`, `bisect`, `history`
//! or `published` (default all).
#![expect(clippy::print_stdout, reason = "a program for people at a terminal")]

mod between;
mod bisects;
mod gates;
mod history;
mod made;
mod noise;
mod published;
mod simulated;
mod single;
mod sustained;
mod sweep;

use std::process::ExitCode;

/// Default number of comparisons per row.
const COMPARISONS: u32 = 200;

/// Computes rows, each from the given number of comparisons.
type Rows = fn(u32) -> Vec<Row>;

/// All groups of rows, by name.
const ROWS: [(&str, Rows); 9] = [
    ("pairs", simulated::rows),
    ("sweep", sweep::rows),
    ("single", single::rows),
    ("sustained", sustained::rows),
    ("runs", between::rows),
    ("gate", gates::rows),
    ("bisect", bisects::rows),
    ("history", history::rows),
    ("published", |_| published::rows()),
];

/// One row of the table: what was tested, the limit, the result, and whether the row passes.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) limit: String,
    pub(crate) found: String,
    pub(crate) passed: bool,
}

fn main() -> ExitCode {
    let given = std::env::args().nth(1);
    let comparisons = given
        .and_then(|number| number.parse().ok())
        .unwrap_or(COMPARISONS);
    let wanted = std::env::args().nth(2);
    let rows: Vec<Row> = ROWS
        .iter()
        .filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name))
        .flat_map(|(_, rows)| rows(comparisons))
        .collect();
    let passed = rows.iter().filter(|row| row.passed).count();
    println!(
        "{passed} of {} rows passed, {comparisons} simulated comparisons for each.\n",
        rows.len()
    );
    println!("| what | must be | found | |\n|---|---|---|---|");
    for row in &rows {
        let word = if row.passed { "pass" } else { "**FAIL**" };
        println!("| {} | {} | {} | {word} |", row.what, row.limit, row.found);
    }
    if passed == rows.len() && !rows.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
