//! Experiments on the verdict itself: comparisons of which the truth is known, judged
//! by the code that judges runs. Prints a table in Markdown; ends with 1 if a row
//! fails. `cargo xtask statistics` runs it and keeps the table.
//!
//! The first argument is how many comparisons are simulated for each row.
#![expect(clippy::print_stdout, reason = "a program for people at a terminal")]

mod noise;
mod published;
mod simulated;

use std::process::ExitCode;

/// Comparisons for each row, unless told otherwise.
const COMPARISONS: u32 = 200;

/// What was asked, what was found, and whether it is good enough.
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
    let rows: Vec<Row> = simulated::rows(comparisons)
        .into_iter()
        .chain(published::rows())
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
    match passed == rows.len() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
