//! The table of costs, saved in a dated folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Measured;
use super::goal::{Judged, median};
use super::rows::{Method, Reading};
use crate::kept;

const HEADER: &str = "row,contender,turn,cpu_seconds,user_seconds,wall_seconds,operations,\
                      peak_resident_kib,load_threads_user_seconds,load_threads_system_seconds,\
                      send_lag_p99_seconds,share_of_core_in_window\n";

/// The results of all rows as text, followed by a table of all goals.
pub(super) fn text(measured: &[Measured]) -> String {
    let mut text: String = measured.iter().map(section).collect();
    if measured.iter().any(|row| !judged(row).is_empty()) {
        text += "\n| row | goal | measured | |\n|---|---|---|---|\n";
    }
    for row in measured {
        for judged in judged(row) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                row.row.name,
                judged.goal,
                judged.measured,
                word(judged.met)
            );
        }
    }
    text
}

fn section(row: &Measured) -> String {
    let mut text = format!("\n## {}\n\n", row.row.name);
    let turns = row.spent.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let _ = match row.row.method {
        Method::Whole => writeln!(
            text,
            "On {}; {turns} alternating turns of {} s.",
            row.row.server.name(),
            row.seconds
        ),
        Method::Beyond => writeln!(
            text,
            "On {}; {turns} alternating turns, each {} s beyond a turn of {} s that is taken away.",
            row.row.server.name(),
            row.seconds,
            super::SHORT_SECONDS
        ),
        Method::AtOnce => writeln!(
            text,
            "On {}; {turns} turns of all at the same time on the same core, each {} s beyond a turn of \
             {} s that is taken away.",
            row.row.server.name(),
            row.seconds,
            super::SHORT_SECONDS
        ),
        Method::Counted | Method::Once => writeln!(
            text,
            "On {}; {turns} alternating turns.",
            row.row.server.name()
        ),
    };
    for reading in &row.row.readings {
        table(&mut text, row, reading);
    }
    let goals = judged(row);
    if !goals.is_empty() {
        text += "\n| goal | measured | |\n|---|---|---|\n";
    }
    for one in goals {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            one.goal,
            one.measured,
            word(one.met)
        );
    }
    text += "\n```\n";
    for (command, spent) in row.commands.iter().zip(&row.spent) {
        match spent {
            Ok(_) => writeln!(text, "{command}"),
            Err(why) => writeln!(text, "# {}", why.lines().next().unwrap_or_default()),
        }
        .unwrap_or_default();
    }
    text + "```\n"
}

fn table(text: &mut String, row: &Measured, reading: &Reading) {
    let figures = figures(row, reading);
    let first = match figures.first() {
        Some((_, Ok(turns))) => median(turns),
        _ => f64::NAN,
    };
    let first_name = row.row.contenders.first().map_or("", |one| one.name);
    let unit = reading.figure.unit();
    let _ = writeln!(
        text,
        "\n| | {unit}, median | lowest to highest | {first_name} ÷ it |\n|---|---|---|---|"
    );
    for (name, turns) in &figures {
        let Ok(turns) = turns else { continue };
        let middle = median(turns);
        let lowest = turns.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = turns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let _ = writeln!(
            text,
            "| {name} | {middle:.3} | {lowest:.3} to {highest:.3} | {:.3} |",
            first / middle
        );
    }
}

fn judged(row: &Measured) -> Vec<Judged> {
    row.row
        .readings
        .iter()
        .flat_map(|reading| {
            let figures = figures(row, reading);
            let unit = reading.figure.unit();
            reading
                .goals
                .iter()
                .map(move |goal| goal.judge(&figures, unit))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn figures(row: &Measured, reading: &Reading) -> Vec<(String, Result<Vec<f64>, String>)> {
    row.row
        .contenders
        .iter()
        .zip(&row.spent)
        .map(|(contender, spent)| {
            let figures = spent.as_ref().map_err(String::clone).and_then(|turns| {
                let figures = turns.iter().map(|turn| reading.figure.of(turn));
                let missing = || format!("{} has no {}", contender.name, reading.figure.unit());
                figures.collect::<Option<_>>().ok_or_else(missing)
            });
            (contender.name.to_owned(), figures)
        })
        .collect()
}

fn word(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "met",
        Some(false) => "**not met**",
        None => "unknown",
    }
}

/// Saves the rows and their raw figures in `bench/`. Replaces rows of the same day only if they
/// were measured again.
pub(super) fn keep(measured: &[Measured], machine: &str) -> Result<PathBuf> {
    let folder = kept::folder("cost")?;
    let names: Vec<&str> = measured.iter().map(|row| row.row.name).collect();

    let readme = folder.join("README.md");
    let mut page = format!(
        "# Cost\n\nCPU time of the load generator (user and system, with its child processes) per unit \
         of work.\nLoad generator on the first core, server on the last. {machine}.\n"
    );
    page += &other_sections(&read(&readme), &names);
    page.extend(measured.iter().map(section));
    std::fs::write(&readme, page)?;

    let raw_file = folder.join("raw.csv");
    let mut raw = HEADER.to_owned();
    raw += &other_lines(&read(&raw_file), &names);
    raw.extend(measured.iter().map(lines));
    std::fs::write(&raw_file, raw)?;
    Ok(folder)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

/// The sections of an earlier page, without the sections of the rows with these names.
fn other_sections(page: &str, names: &[&str]) -> String {
    page.split("\n## ")
        .skip(1)
        .filter(|section| {
            let name = section.lines().next().unwrap_or_default();
            !names.contains(&name)
        })
        .map(|section| format!("\n## {}\n", section.trim_end()))
        .collect()
}

/// The lines of an earlier file in the same format, without the lines of the rows with these names.
fn other_lines(file: &str, names: &[&str]) -> String {
    let Some(lines) = file.strip_prefix(HEADER) else {
        return String::new();
    };
    lines
        .lines()
        .filter(|line| {
            let mine = |name: &&str| line.starts_with(&format!("\"{name}\","));
            !names.iter().any(mine)
        })
        .map(|line| format!("{line}\n"))
        .collect()
}

fn lines(row: &Measured) -> String {
    let mut text = String::new();
    for (contender, spent) in row.row.contenders.iter().zip(&row.spent) {
        for (turn, one) in spent.iter().flatten().enumerate() {
            let threads = one.load_threads;
            let _ = writeln!(
                text,
                "\"{}\",\"{}\",{},{:.6},{:.6},{:.6},{},{},{},{},{},{}",
                row.row.name,
                contender.name,
                turn + 1,
                one.cpu_seconds,
                one.user_seconds,
                one.wall_seconds,
                one.operations,
                one.peak_kib,
                field(threads.map(|threads| threads.user_seconds)),
                field(threads.map(|threads| threads.system_seconds)),
                field(one.lag_p99),
                field(one.share_in_window)
            );
        }
    }
    text
}

/// A figure that some turns lack; an empty field without the figure.
fn field(figure: Option<f64>) -> String {
    figure.map_or_else(String::new, |figure| format!("{figure:.9}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_measured_again_replace_themselves_and_no_others() {
        let page = "# Cost\n\nhead\n\n## one\n\nold\n\n## two\n\nkept\n";
        assert_eq!(other_sections(page, &["one"]), "\n## two\n\nkept\n");
        let file = format!("{HEADER}\"one\",a,1\n\"one more\",a,1\n\"two\",a,1\n");
        assert_eq!(
            other_lines(&file, &["one"]),
            "\"one more\",a,1\n\"two\",a,1\n"
        );
        assert_eq!(other_lines("another,form\n1,2\n", &["one"]), "");
    }
}
