//! Parser for command lines with a table of flags.
//!
//! The parser reads two styles. Go: one dash or two, `--flag=value` or `--flag value`, booleans as
//! `--tls` or `--tls=false`. getopt: `-n100`, `-n 100`, `-kq`, and two dashes before a long name.

use std::collections::BTreeMap;
use std::fmt;

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;
use tenbin_plan::{Secret, Sentence, sentence};

use crate::flag::{Fate, Flag, Kind, dashed, switch};
use crate::help::{self, Help};
use crate::mistakes::{at_least_one, did_you_mean};
use crate::same::own_flag;

/// Access to the environment and to files, for flags that refer to them.
pub struct World<'a> {
    /// Returns an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Returns the text of a file.
    pub read: &'a dyn Fn(&str) -> std::io::Result<String>,
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

/// Style of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Go's `flag` package.
    Go,
    /// C's `getopt_long`.
    Getopt,
}

/// The flags of a tool, and the command to parse.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    /// Style of the tool's command line.
    pub(crate) style: Style,
    /// Name of the tool.
    pub(crate) tool: &'static str,
    /// Name of the command; the name of the tool if it has no commands.
    pub(crate) command: &'static str,
    /// Every flag of the tool.
    pub(crate) flags: &'static [&'static [Flag]],
}

/// The values of all flags of a command, with defaults filled in.
pub(crate) struct Given {
    table: Table,
    values: BTreeMap<&'static str, Vec<String>>,
    /// Arguments that are not flags, in order.
    pub(crate) operands: Vec<String>,
    /// Notes on accepted flags.
    pub(crate) notes: Vec<Sentence>,
    /// Mistakes found so far.
    pub(crate) mistakes: Vec<Sentence>,
    /// Whether help was requested.
    pub(crate) help: bool,
}

impl Table {
    /// Parses the command line of a tool that has no commands and takes a URL.
    ///
    /// # Errors
    /// The help, if help was requested; its description is `about`.
    pub(crate) fn read(
        self,
        arguments: &[String],
        world: &World<'_>,
        about: Sentence,
    ) -> Result<Given, Help> {
        self.given_or_help(arguments, world, "[FLAGS] URL", about)
    }

    /// Parses the command line of a tool that has no commands and takes only flags.
    pub(crate) fn read_flags(
        self,
        arguments: &[String],
        world: &World<'_>,
        about: Sentence,
    ) -> Result<Given, Help> {
        let mut given = self.given_or_help(arguments, world, "[FLAGS]", about)?;
        if let Some(operand) = given.operands.first() {
            let tool = self.tool;
            let mistake = sentence!(
                "front-takes-no-arguments",
                "{tool} takes no arguments, and {operand:?} is not a flag of it",
                tool,
                operand
            );
            given.mistakes.push(mistake);
        }
        Ok(given)
    }

    fn given_or_help(
        self,
        arguments: &[String],
        world: &World<'_>,
        usage: &str,
        about: Sentence,
    ) -> Result<Given, Help> {
        let given = self.parse(arguments, world);
        if !given.help {
            Ok(given)
        } else {
            let usage = format!("tenbin {} {usage}", self.command);
            Err(help::on_command(&usage, about, self.mine(), self.command))
        }
    }

    /// Parses the arguments after the command.
    pub(crate) fn parse(self, arguments: &[String], world: &World<'_>) -> Given {
        let mut given = Given {
            table: self,
            values: BTreeMap::new(),
            operands: Vec::new(),
            notes: Vec::new(),
            mistakes: Vec::new(),
            help: false,
        };
        given.take_arguments(arguments);
        given.take_environment(world);
        given
    }

    /// Every flag of the tool.
    fn all(self) -> impl Iterator<Item = &'static Flag> {
        self.flags.iter().copied().flatten()
    }

    /// The flags of the command.
    pub(crate) fn mine(self) -> impl Iterator<Item = &'static Flag> {
        self.all().filter(move |flag| flag.is_of(self.command))
    }

    /// The flag of the command with this name or one-letter name.
    fn flag(self, name: &str) -> Option<&'static Flag> {
        self.mine().find(|flag| flag.is_called(name))
    }

    /// The tool with its command, for messages: `warp put`.
    fn title(self) -> String {
        if self.tool == self.command {
            return self.tool.to_owned();
        }
        format!("{} {}", self.tool, self.command)
    }

    fn unknown(self, name: &str) -> Sentence {
        let title = self.title();
        let elsewhere: Vec<&str> = self
            .all()
            .filter(|flag| flag.is_called(name))
            .flat_map(|flag| flag.commands.iter().copied())
            .collect();
        if !elsewhere.is_empty() {
            return sentence!(
                "front-flag-of-other-command",
                "{flag} is a flag of {tool} {commands}, not of {title}",
                flag = dashed(name),
                tool = self.tool,
                commands = elsewhere.join(", "),
                title
            );
        }
        let own = own_flag(self.tool, &format!("--{name}"));
        let is_mine = |own: &&str| self.flag(own.trim_start_matches('-')).is_some();
        if let Some(own) = own.filter(is_mine) {
            return sentence!(
                "front-own-flag",
                "{title} has no flag {flag}; use {own}",
                title,
                flag = dashed(name),
                own
            );
        }
        let meant = did_you_mean(name, dashed, self.mine().map(|flag| flag.name));
        sentence!(
            "front-no-flag",
            "{title} has no flag {flag}{meant}",
            title,
            flag = dashed(name),
            meant
        )
    }
}

impl Given {
    fn take_arguments(&mut self, arguments: &[String]) {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let Some(flag) = flag_in(argument) else {
                self.operands.push(argument.clone());
                continue;
            };
            if flag.is_empty() {
                self.operands.extend(arguments.by_ref().cloned());
                break;
            }
            if self.table.style == Style::Getopt && !argument.starts_with("--") {
                self.take_letters(flag, &mut arguments);
                continue;
            }
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (flag, None),
            };
            let Some(row) = self.table.flag(name) else {
                match name {
                    "help" | "h" => self.help = true,
                    _ => self.mistakes.push(self.table.unknown(name)),
                }
                continue;
            };
            let value = match (value, row.kind) {
                (Some(value), _) => Some(value),
                (None, Kind::Switch) => Some("true".to_owned()),
                (None, _) => arguments.next().cloned(),
            };
            match value {
                Some(value) => self.take(row, value),
                None => self.wrong(row.name, needs_a_value()),
            }
        }
    }

    /// Parses letters after one dash: booleans, then at most one flag with a value.
    fn take_letters<'a>(
        &mut self,
        letters: &str,
        following: &mut impl Iterator<Item = &'a String>,
    ) {
        for (at, letter) in letters.char_indices() {
            let name = &letters[at..at + letter.len_utf8()];
            let Some(row) = self.table.flag(name) else {
                match name {
                    "h" => self.help = true,
                    _ => self.mistakes.push(self.table.unknown(name)),
                }
                return;
            };
            if row.kind == Kind::Switch {
                self.take(row, "true".to_owned());
                continue;
            }
            let attached = &letters[at + letter.len_utf8()..];
            let value = match attached {
                "" => following.next().cloned(),
                attached => Some(attached.to_owned()),
            };
            match value {
                Some(value) => self.take(row, value),
                None => self.wrong(row.name, needs_a_value()),
            }
            return;
        }
    }

    fn take_environment(&mut self, world: &World<'_>) {
        let found: Vec<(&'static Flag, String)> = self
            .table
            .mine()
            .filter(|flag| !self.values.contains_key(flag.name))
            .filter_map(|flag| {
                let value = (world.variable)(flag.variable?)?;
                (!value.is_empty()).then_some((flag, value))
            })
            .collect();
        for (flag, value) in found {
            self.take(flag, value);
        }
    }

    /// Checks and stores the value of a flag; adds a mistake or a note if the value needs one.
    fn take(&mut self, flag: &'static Flag, value: String) {
        if let Err(wrong) = flag.check(&value) {
            self.wrong(flag.name, wrong);
            return;
        }
        if let Some(reason) = flag.why_refused(&value) {
            self.wrong(flag.name, reason);
        }
        if !flag.is_as_ever(self.table.command, &value) {
            match flag.fate {
                Fate::Honoured => {}
                Fate::Noted(note) => {
                    let noted = sentence!(
                        "flag-noted",
                        "{flag}: {note}",
                        flag = dashed(flag.name),
                        note
                    );
                    self.note(noted.with_fixed("note", note));
                }
                Fate::Refused(reason) => self.wrong(flag.name, Sentence::fixed(reason)),
            }
        }
        let values = self.values.entry(flag.name).or_default();
        if flag.kind != Kind::List {
            values.clear();
        }
        values.push(value);
    }

    /// Adds a note, unless the same note is already there.
    pub(crate) fn note(&mut self, note: Sentence) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds a mistake: what is wrong with a flag.
    pub(crate) fn wrong(&mut self, flag: &str, why: Sentence) {
        let flag = dashed(flag);
        self.mistakes
            .push(sentence!("flag-why", "{flag}: {why}", flag, why));
    }

    /// Refuses flags whose number is 0.
    pub(crate) fn need_at_least_one(&mut self, flags: &[&str]) {
        for flag in flags {
            if self.whole(flag) == 0 {
                self.wrong(flag, at_least_one());
            }
        }
    }

    /// Whether the flag is set on the command line or in the environment.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The value of a flag, or the flag's default; empty if the flag has neither.
    pub(crate) fn text(&self, name: &str) -> &str {
        if let Some(value) = self.values.get(name).and_then(|values| values.last()) {
            return value;
        }
        self.table
            .flag(name)
            .map_or("", |flag| flag.default_on(self.table.command))
    }

    /// Name of the tool.
    pub(crate) fn tool(&self) -> &'static str {
        self.table.tool
    }

    /// The value or the default of a flag; `None` if empty.
    pub(crate) fn some_text(&self, name: &str) -> Option<String> {
        Some(self.text(name))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }

    pub(crate) fn secret(&self, name: &str) -> Option<Secret> {
        self.some_text(name).map(Secret::new)
    }

    pub(crate) fn list(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn switch(&self, name: &str) -> bool {
        switch(self.text(name)).unwrap_or(false)
    }

    pub(crate) fn whole(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// The integer value of a flag; `None` if the command has no such flag, or the flag no value.
    pub(crate) fn some_whole(&self, name: &str) -> Option<u64> {
        self.text(name).parse().ok()
    }

    pub(crate) fn decimal(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }

    pub(crate) fn size(&self, name: &str) -> Option<u64> {
        self.text(name).parse().ok().map(|Size(bytes)| bytes)
    }

    pub(crate) fn time(&self, name: &str) -> Option<std::time::Duration> {
        self.text(name).parse().ok().map(|Time(time)| time)
    }
}

fn needs_a_value() -> Sentence {
    sentence!("front-needs-value", "needs a value")
}

/// The text after the dashes of a flag; empty for `--`, which ends the flags. `None` for an
/// argument that is not a flag, such as a single dash (standard input).
fn flag_in(argument: &str) -> Option<&str> {
    let flag = argument
        .strip_prefix("--")
        .or_else(|| argument.strip_prefix('-'))?;
    (argument != "-").then_some(flag)
}
