//! Help and documentation from the tables of flags.

use std::fmt::Write as _;

use crate::flag::{Fate, Flag, Kind, dashed};

const WIDTH: usize = 100;

/// Help for a tool.
pub(crate) fn overview(
    about: &str,
    usage: &str,
    commands: impl Iterator<Item = (&'static str, &'static str, Fate)>,
    last: &str,
) -> String {
    let mut text = String::new();
    paragraph(&mut text, about, "");
    let _ = write!(text, "\nUsage: {usage}\n\nCommands:\n");
    for (name, about, fate) in commands {
        entry(&mut text, &format!("  {name:<16}"), &with_fate(about, fate));
    }
    text.push('\n');
    paragraph(&mut text, last, "");
    text
}

/// Help for one command.
pub(crate) fn on_command<'a>(
    usage: &str,
    about: &str,
    flags: impl Iterator<Item = &'a Flag>,
    command: &str,
) -> String {
    let mut text = format!("Usage: {usage}\n\n");
    paragraph(&mut text, about, "");
    text.push_str(
        "\nFlags, with one dash or two. Unmarked flags have the same effect as in the other tool; a note \
        states\na difference; a refused flag is an error, with the reason.\n\n",
    );
    for flag in flags {
        let mut name = format!("  {}{}", dashed(flag.name), value(flag.kind));
        if let Some(letter) = flag.short {
            let _ = write!(name, ", -{letter}");
        }
        let mut about = flag.about.to_owned();
        let default = flag.default_on(command);
        if !default.is_empty() {
            let _ = write!(about, " [default: {default}]");
        }
        if let Some(variable) = flag.variable {
            let _ = write!(about, " [env: {variable}]");
        }
        let _ = writeln!(text, "{name}");
        for (value, reason) in flag.refused_values {
            let _ = write!(about, ". Refused with {value}: {reason}");
        }
        entry(&mut text, "      ", &with_fate(&about, flag.fate));
    }
    text
}

fn value(kind: Kind) -> &'static str {
    match kind {
        Kind::Switch => "[=false]",
        Kind::Text | Kind::List | Kind::Choice(_) => "=TEXT",
        Kind::Secret => "=SECRET",
        Kind::Whole | Kind::Decimal => "=N",
        Kind::Size => "=SIZE",
        Kind::Time => "=TIME",
    }
}

fn with_fate(about: &str, fate: Fate) -> String {
    match fate {
        Fate::Honoured => about.to_owned(),
        Fate::Noted(note) => format!("{about}. Note: {note}"),
        Fate::Refused(reason) => format!("{about}. Refused: {reason}"),
    }
}

/// Appends `body` after `head`; further lines are indented to the width of `head`.
fn entry(text: &mut String, head: &str, body: &str) {
    let indent = " ".repeat(head.chars().count());
    let mut lines = String::new();
    paragraph(&mut lines, body, &indent);
    text.push_str(head);
    text.push_str(lines.trim_start());
}

fn paragraph(text: &mut String, body: &str, indent: &str) {
    let mut line = indent.to_owned();
    for word in body.split_whitespace() {
        let is_begun = line.len() > indent.len();
        if is_begun && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = indent.to_owned();
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

/// Commands as a Markdown table.
pub(crate) fn command_table(
    commands: impl Iterator<Item = (&'static str, &'static str, Fate)>,
) -> String {
    let mut text = "| command | description | here |\n|---|---|---|\n".to_owned();
    for (name, about, fate) in commands {
        let _ = writeln!(
            text,
            "| `{name}` | {} | {} |",
            cell(about),
            cell(&told(fate))
        );
    }
    text
}

/// Flags as a Markdown table.
pub(crate) fn flag_table<'a>(
    flags: impl Iterator<Item = &'a Flag>,
    all_commands: &[&str],
) -> String {
    let mut text =
        "| flag | commands | default | description | here |\n|---|---|---|---|---|\n".to_owned();
    for flag in flags {
        let short = flag
            .short
            .map_or(String::new(), |letter| format!(", `-{letter}`"));
        let variable = flag
            .variable
            .map_or(String::new(), |name| format!(", `{name}`"));
        let _ = writeln!(
            text,
            "| `{}`{short}{variable} | {} | {} | {} | {} |",
            dashed(flag.name),
            commands(flag, all_commands),
            cell(&defaults(flag)),
            cell(flag.about),
            cell(&told_of_flag(flag))
        );
    }
    text
}

fn commands(flag: &Flag, all: &[&str]) -> String {
    let missing: Vec<&str> = all
        .iter()
        .copied()
        .filter(|command| !flag.is_of(command))
        .collect();
    if missing.is_empty() {
        return "all".to_owned();
    }
    if missing == ["analyze", "cmp", "merge"] {
        return "all that measure".to_owned();
    }
    flag.commands.join(", ")
}

fn defaults(flag: &Flag) -> String {
    let mut parts = Vec::new();
    if !flag.default.is_empty() {
        parts.push(format!("`{}`", flag.default));
    }
    for (command, default) in flag.defaults {
        parts.push(format!("{command} `{default}`"));
    }
    parts.join(", ")
}

fn told_of_flag(flag: &Flag) -> String {
    let mut text = told(flag.fate);
    for (value, reason) in flag.refused_values {
        let _ = write!(text, "; `{value}` refused: {reason}");
    }
    text
}

fn told(fate: Fate) -> String {
    match fate {
        Fate::Honoured => "honoured".to_owned(),
        Fate::Noted(note) => format!("accepted; {note}"),
        Fate::Refused(reason) => format!("refused: {reason}"),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
