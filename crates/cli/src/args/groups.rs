//! The help of `tenbin`: its commands in groups, with the command lines of other tools last.

use std::fmt::Write as _;

use clap::Subcommand;

use super::Command;
use super::foreign::TOOLS;

/// Headings of the help, each with the commands below it.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Measure and compare",
        &[
            "quickstart", "http", "s3", "blob", "search", "run", "rerun", "gate", "bisect",
        ],
    ),
    (
        "Read results",
        &[
            "list", "history", "ui", "show", "report", "compare", "import", "lint", "chart",
            "explain", "pack", "verify", "label", "note", "rm", "prune",
        ],
    ),
    (
        "Prepare and clean up",
        &["init", "plan", "doctor", "serve", "observe", "clean"],
    ),
    ("Use several load machines", &["hub", "agent", "agents"]),
    ("Set up the shell", &["completions", "man", "help"]),
];

/// The heading of [`TOOLS`].
const TOOLS_HEADING: &str = "Run the command line of another tool (tenbin warp put --host …)";

/// Largest width of a line of the help, in characters.
const WIDTH: usize = 100;

/// The help text of `tenbin` as a clap help template.
pub(super) fn template() -> String {
    let commands = Command::augment_subcommands(clap::Command::new("tenbin"));
    let about = |name: &str| {
        let command = commands.find_subcommand(name);
        let about = command
            .and_then(|it| it.get_about())
            .map(ToString::to_string);
        about.or_else(|| Some("Print this help, or the help of a command".to_owned()))
    };
    let heading = |text: &str| Some(text.replace("Usage:", "{usage-heading}"));
    in_words(heading, about).unwrap_or_default()
}

/// The help text of `tenbin` with other words: those of a heading by its English text, and those of a
/// command by its name. `None` if there are none.
pub fn in_words(
    heading: impl Fn(&str) -> Option<String>,
    about: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut text = format!("{{about-with-newline}}\n{} {{usage}}\n", heading("Usage:")?);
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{}:\n", heading(title)?);
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
        for name in *names {
            let _ = writeln!(text, "  {name:width$}  {}", about(name)?);
        }
    }
    let _ = writeln!(text, "\n{}:", heading(TOOLS_HEADING)?);
    for line in lines_of(&TOOLS) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = write!(
        text,
        "\n{}:\n{{options}}{{after-help}}",
        heading("Options")?
    );
    Some(text)
}

/// The names, separated by commas, in lines of fewer than [`WIDTH`] - 4 characters.
fn lines_of(names: &[&str]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (at, name) in names.iter().enumerate() {
        let word = if at + 1 == names.len() {
            (*name).to_owned()
        } else {
            format!("{name}, ")
        };
        let last = lines.len() - 1;
        if lines[last].len() + word.len() < WIDTH - 4 {
            lines[last] += &word
        } else {
            lines.push(word)
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_no_line_is_too_wide() {
        let commands = Command::augment_subcommands(clap::Command::new("tenbin"));
        let grouped = GROUPS.iter().flat_map(|(_, names)| *names).chain(&TOOLS);
        let mut grouped: Vec<&str> = grouped.copied().filter(|name| *name != "help").collect();
        let shown = commands
            .get_subcommands()
            .filter(|each| !each.is_hide_set());
        let mut names: Vec<&str> = shown.map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        names.sort_unstable();
        assert_eq!(grouped, names);
        for line in template().lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }
}
