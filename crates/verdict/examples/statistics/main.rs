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
mod cores;
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
type Rows = fn(u32) -> Group;

/// All groups of rows, by name.
const ROWS: [(&str, Rows); 9] = [
    ("pairs", |count| simulated::rows(count).into()),
    ("sweep", |count| sweep::rows(count).into()),
    ("single", |count| single::rows(count).into()),
    ("sustained", |count| sustained::rows(count).into()),
    ("runs", |count| between::rows(count).into()),
    ("gate", gates::rows),
    ("bisect", |count| bisects::rows(count).into()),
    ("history", |count| history::rows(count).into()),
    ("published", |_| published::rows().into()),
];

/// One row of the table: what was tested, the limit, the result, and whether the row passes.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) limit: String,
    pub(crate) found: String,
    pub(crate) passed: bool,
}

/// Rows, and a further table if what they are about has more figures than those that are judged.
pub(crate) struct Group {
    pub(crate) rows: Vec<Row>,
    pub(crate) table: Option<String>,
}

impl From<Vec<Row>> for Group {
    fn from(rows: Vec<Row>) -> Self {
        Self { rows, table: None }
    }
}

fn main() -> ExitCode {
    let given = std::env::args().nth(1);
    let comparisons = given
        .and_then(|number| number.parse().ok())
        .unwrap_or(COMPARISONS);
    let wanted = std::env::args().nth(2);
    let groups: Vec<Group> = ROWS
        .iter()
        .filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name))
        .map(|(_, rows)| rows(comparisons))
        .collect();
    let rows: Vec<&Row> = groups.iter().flat_map(|group| &group.rows).collect();
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
    for table in groups.iter().filter_map(|group| group.table.as_deref()) {
        println!("\n{table}");
    }
    if passed == rows.len() && !rows.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
