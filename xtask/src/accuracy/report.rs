//! The results table of the experiments, saved in a dated folder.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;

use super::Outcome;
use super::against::ONE_SLICE;
use super::experiment::How;
use crate::kept;

/// The table as text.
pub(super) fn text(outcomes: &[Outcome], machine: &str) -> String {
    let rows = || outcomes.iter().flat_map(|outcome| &outcome.rows);
    let passed = rows().filter(|row| row.passed).count();
    let mut text = format!(
        "What Tenbin recorded of a server whose truth is known: {passed} of {} rows passed.\n\
         {machine}.\n\n\
         | # | experiment | what | must be | found | |\n|---|---|---|---|---|---|\n",
        rows().count()
    );
    for Outcome { experiment, rows } in outcomes {
        for row in rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                experiment.number,
                experiment.name,
                row.what,
                row.limit,
                row.found,
                if row.passed { "pass" } else { "**FAIL**" },
            );
        }
    }
    let _ = writeln!(text, "\n```");
    for Outcome { experiment, .. } in outcomes {
        if let How::Against { server, load, .. } = &experiment.how {
            let _ = writeln!(
                text,
                "# {}\ntenbin serve truth {}\ntenbin http --target http://127.0.0.1:8080/ {} {}",
                experiment.number,
                server.join(" "),
                ONE_SLICE.join(" "),
                load.join(" ")
            );
        }
    }
    let _ = writeln!(text, "```");
    text
}

/// Saves the table in a dated folder in `bench/`.
pub(super) fn keep(text: &str) -> Result<PathBuf> {
    kept::page(
        "accuracy",
        &format!("# Accuracy\n\n`cargo xtask accuracy`. {text}"),
    )
}
