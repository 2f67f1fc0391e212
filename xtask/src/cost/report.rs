//! The table of costs, and the dated folder it is kept in.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::contender::Spent;
use super::{Measured, TURN, TURNS};
use crate::shell;

/// The table as text.
pub(super) fn text(measured: &[Measured], machine: &str) -> String {
    let mut text = format!(
        "Generator CPU (user + system) a request, median of {TURNS} alternating turns of {} s.\n\
         Generator on the first core, nginx on the last. {machine}.\n",
        TURN.as_secs()
    );
    for row in measured {
        let _ = writeln!(text, "\n{}\n", row.work.name);
        let _ = writeln!(text, "| generator | µs a request | tenbin ÷ it |");
        let _ = writeln!(text, "|---|---|---|");
        let ours = row
            .spent
            .first()
            .map_or(f64::NAN, |(_, turns)| median(turns));
        for (name, turns) in &row.spent {
            let theirs = median(turns);
            let _ = writeln!(text, "| {name} | {theirs:.3} | {:.3} |", ours / theirs);
        }
        let _ = writeln!(text, "\n```");
        for command in &row.commands {
            let _ = writeln!(text, "{command}");
        }
        let _ = writeln!(text, "```");
    }
    text
}

fn median(turns: &[Spent]) -> f64 {
    let mut figures: Vec<f64> = turns.iter().map(Spent::micros_per_request).collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    if figures.len() % 2 == 1 {
        figures[middle]
    } else {
        (figures[middle - 1] + figures[middle]) / 2.0
    }
}

/// Keeps the table and the raw figures under `bench/`.
pub(super) fn keep(text: &str, measured: &[Measured]) -> Result<PathBuf> {
    let date = shell::output_of(Command::new("date").arg("+%Y-%m-%d"))?;
    let folder = shell::workspace_root()
        .join("bench")
        .join(format!("{}-cost", date.trim()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("README.md"), format!("# Cost\n\n{text}"))?;
    let mut raw = "work,generator,turn,cpu_seconds,requests\n".to_owned();
    for row in measured {
        for (name, turns) in &row.spent {
            for (turn, spent) in turns.iter().enumerate() {
                let Spent {
                    cpu_seconds,
                    requests,
                } = spent;
                let work = row.work.name;
                let _ = writeln!(
                    raw,
                    "\"{work}\",{name},{},{cpu_seconds:.6},{requests}",
                    turn + 1
                );
            }
        }
    }
    std::fs::write(folder.join("raw.csv"), raw)?;
    Ok(folder)
}
