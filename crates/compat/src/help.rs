//! Help and documentation from the tables of flags.

use std::fmt::{self, Write as _};

use tenbin_plan::{Sentence, sentence};

use crate::flag::{Fate, Flag, Kind, dashed};

/// Largest width of a line, columns.
const WIDTH: usize = 100;

/// A command with its description.
type Described = (&'static str, &'static str, Fate);

/// Help on a tool or on one of its commands. Displayed in English.
#[derive(Debug, Clone)]
pub struct Help {
    usage: String,
    about: Sentence,
    list: List,
}

#[derive(Debug, Clone)]
enum List {
    /// The commands of a tool, and a last paragraph.
    Commands(Vec<Described>, Sentence),
    /// The flags of a command.
    Flags(Vec<&'static Flag>, &'static str),
}

/// How help is printed in a language.
pub struct Printer<'a> {
    /// Returns a sentence in the language.
    pub say: &'a dyn Fn(&Sentence) -> String,
    /// Breaks a text into lines of at most a number of columns, as far as its words allow.
    pub wrap: &'a dyn Fn(&str, usize) -> String,
}

impl fmt::Debug for Printer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Printer")
    }
}

/// Help for a tool.
pub(crate) fn overview(
    about: Sentence,
    usage: &str,
    commands: impl Iterator<Item = Described>,
    last: Sentence,
) -> Help {
    Help {
        usage: usage.to_owned(),
        about,
        list: List::Commands(commands.collect(), last),
    }
}

/// Help for one command.
pub(crate) fn on_command(
    usage: &str,
    about: Sentence,
    flags: impl Iterator<Item = &'static Flag>,
    command: &'static str,
) -> Help {
    Help {
        usage: usage.to_owned(),
        about,
        list: List::Flags(flags.collect(), command),
    }
}

impl Help {
    /// The help in the language of a printer.
    pub fn printed(&self, printer: &Printer<'_>) -> String {
        let usage = &self.usage;
        let usage = (printer.say)(&sentence!("front-usage", "Usage: {usage}", usage));
        let mut text = String::new();
        match &self.list {
            List::Commands(commands, last) => {
                printer.paragraph(&mut text, &self.about);
                let title = (printer.say)(&sentence!("front-commands", "Commands:"));
                let _ = write!(text, "\n{usage}\n\n{title}\n");
                for &(name, about, fate) in commands {
                    let mut body = (printer.say)(&Sentence::fixed(about));
                    printer.add_fate(&mut body, fate);
                    printer.entry(&mut text, &format!("  {name:<16}"), &body);
                }
                text.push('\n');
                printer.paragraph(&mut text, last);
            }
            List::Flags(flags, command) => {
                let _ = write!(text, "{usage}\n\n");
                printer.paragraph(&mut text, &self.about);
                text.push('\n');
                let title = sentence!(
                    "front-flags",
                    "Flags, with one dash or two. Unmarked flags have the same effect as in the other \
                     tool; a note states a difference; a refused flag is an error, with the reason."
                );
                printer.paragraph(&mut text, &title);
                text.push('\n');
                for flag in flags {
                    printer.flag(&mut text, flag, command);
                }
            }
        }
        text
    }
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let english = Printer {
            say: &|sentence: &Sentence| sentence.to_string(),
            wrap: &wrapped,
        };
        f.write_str(&self.printed(&english))
    }
}

impl Printer<'_> {
    fn paragraph(&self, text: &mut String, sentence: &Sentence) {
        self.entry(text, "", &(self.say)(sentence));
    }

    /// Appends `body` after `head`; further lines are indented to the width of `head`.
    fn entry(&self, text: &mut String, head: &str, body: &str) {
        let indent = head.chars().count();
        let lines = (self.wrap)(body, WIDTH - indent);
        let next = format!("\n{}", " ".repeat(indent));
        let _ = writeln!(text, "{head}{}", lines.replace('\n', &next));
    }

    /// Appends a flag with its description.
    fn flag(&self, text: &mut String, flag: &Flag, command: &str) {
        let _ = write!(text, "  {}{}", dashed(flag.name), value(flag.kind));
        if let Some(letter) = flag.short {
            let _ = write!(text, ", -{letter}");
        }
        text.push('\n');
        let mut body = (self.say)(&Sentence::fixed(flag.about));
        let default = flag.default_on(command);
        if !default.is_empty() {
            let part = sentence!("front-default", "[default: {default}]", default);
            let _ = write!(body, " {}", (self.say)(&part));
        }
        if let Some(variable) = flag.variable {
            let part = sentence!("front-env", "[env: {variable}]", variable);
            let _ = write!(body, " {}", (self.say)(&part));
        }
        for &(value, reason) in flag.refused_values {
            let part = sentence!(
                "front-refused-value",
                ". Refused with {value}: {reason}",
                value,
                reason
            );
            body += &(self.say)(&part.with_fixed("reason", reason));
        }
        self.add_fate(&mut body, flag.fate);
        self.entry(text, "      ", &body);
    }

    fn add_fate(&self, body: &mut String, fate: Fate) {
        let part = match fate {
            Fate::Honoured => return,
            Fate::Noted(note) => {
                sentence!("front-noted", ". Note: {note}", note).with_fixed("note", note)
            }
            Fate::Refused(reason) => sentence!("front-refused", ". Refused: {reason}", reason)
                .with_fixed("reason", reason),
        };
        body.push_str(&(self.say)(&part));
    }
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

/// English text in lines of at most `width` columns, as far as its words allow.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut columns = 0;
    for word in text.split_whitespace() {
        let own = word.chars().count();
        if columns > 0 && columns + 1 + own > width {
            lines.push('\n');
            columns = 0;
        } else if columns > 0 {
            lines.push(' ');
            columns += 1;
        }
        lines.push_str(word);
        columns += own;
    }
    lines
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
            cell(&treatment(fate))
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
            cell(&flag_treatment(flag))
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

fn flag_treatment(flag: &Flag) -> String {
    let mut text = treatment(flag.fate);
    for (value, reason) in flag.refused_values {
        let _ = write!(text, "; `{value}` refused: {reason}");
    }
    text
}

/// What Tenbin does with a flag, for the documentation.
fn treatment(fate: Fate) -> String {
    match fate {
        Fate::Honoured => "honoured".to_owned(),
        Fate::Noted(note) => format!("accepted; {note}"),
        Fate::Refused(reason) => format!("refused: {reason}"),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
