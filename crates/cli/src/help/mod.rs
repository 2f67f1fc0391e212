//! Help in the language of the reader. clap prints the English texts of the declarations. For another
//! language, the command that clap has built gets the texts of a catalogue before it prints them, so
//! that nothing is looked up unless help is printed.

mod catalogue;
pub(crate) mod errors;
pub(crate) mod wrap;

use std::ffi::OsString;

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command};
use tenbin_result::Language;

use crate::args;
use catalogue::Catalogue;

/// Largest width of a line, columns.
const WIDTH: usize = 100;

/// Columns before the help of an option.
const INDENT: usize = 10;

/// The help that these arguments ask for; `None` for English, and for a command of which not all texts
/// are in the catalogue.
pub(crate) fn page(arguments: &[OsString], language: Language) -> Option<StyledStr> {
    let texts = Catalogue::of(language)?;
    let words = || arguments.iter().skip(1).filter_map(|word| word.to_str());
    let mut command = args::command();
    command.build();
    let mut path = Vec::new();
    for word in words().filter(|word| *word != "help") {
        if let Some(found) = command.find_subcommand(word) {
            path.push(found.get_name().to_owned());
            command = found.clone();
        }
    }
    let is_short = words().any(|word| word == "-h");
    let is_brief = is_short && args::is_brief(&command);
    let mut command = translated(command, &path.join(" "), &texts, is_brief)?;
    Some(if is_short {
        command.render_help()
    } else {
        command.render_long_help()
    })
}

/// The command with the texts of the catalogue, of which it needs the brief ones if `is_brief`; `None` if
/// one is missing.
fn translated(command: Command, path: &str, texts: &Catalogue, is_brief: bool) -> Option<Command> {
    let about = wrap::lines(texts.about(path)?, WIDTH);
    let whole_after = command.get_after_long_help().or(command.get_after_help());
    let after = match whole_after {
        Some(english) => Some(texts.after(path, &english.to_string())?),
        None => None,
    };
    let after = after.map(|after| {
        let first = is_brief.then(|| args::first_examples(&after));
        first.unwrap_or(after)
    });
    let template = match path {
        "" => args::template(
            |english| texts.heading(english),
            |name| texts.about(name).map(str::to_owned),
        )?,
        _ => format!(
            "{{about-with-newline}}\n{} {{usage}}\n\n{{all-args}}{{after-help}}",
            texts.heading("Usage:")?
        ),
    };
    let mut is_complete = true;
    let command = command
        .mut_args(|arg| match of_option(&arg, path, texts, is_brief) {
            _ if arg.is_hide_set() => arg,
            Some((heading, help)) => described(arg, heading, &help),
            None => {
                is_complete = false;
                arg
            }
        })
        .about(about)
        .long_about(Resettable::Reset)
        .after_help(Resettable::from(after.map(StyledStr::from)))
        .after_long_help(Resettable::Reset)
        .help_template(template)
        .next_line_help(!is_brief)
        .subcommand_help_heading(texts.heading("Commands")?);
    let command = command.mut_subcommands(|sub| {
        let own = format!("{path} {}", sub.get_name());
        match texts.about(own.trim()) {
            // The template of the first page has its own list.
            _ if path.is_empty() || sub.is_hide_set() => sub,
            Some(about) => sub.about(wrap::lines(about, WIDTH - INDENT)),
            None => {
                is_complete = false;
                sub
            }
        }
    });
    is_complete.then_some(command)
}

/// Heading and help of an option, in few words if `is_brief`, with what clap adds to it in English.
fn of_option(arg: &Arg, path: &str, texts: &Catalogue, is_brief: bool) -> Option<(String, String)> {
    let english = args::whole_help(arg);
    let heading = match (arg.get_help_heading(), arg.is_positional()) {
        (Some(heading), _) => texts.heading(heading)?,
        (None, true) => texts.heading("Arguments")?,
        (None, false) => texts.heading("Options")?,
    };
    let mut help = match arg.get_long_help().filter(|_| is_brief) {
        Some(_) => texts.brief(arg)?.to_owned(),
        None => texts.option(arg, path)?.to_owned(),
    };
    if !english.contains(" [default: ")
        && let Some((before, _)) = help.split_once(" [既定: ")
    {
        help = before.to_owned();
    }
    let mut add = |name: &str, values: Vec<String>| {
        if !values.is_empty() {
            help += &format!(" [{name}: {}]", values.join("、"));
        }
    };
    let defaults = arg.get_default_values().iter();
    if !arg.is_hide_default_value_set() && arg.get_action().takes_values() {
        let shown = defaults.map(|value| value.to_string_lossy().into_owned());
        add("既定", shown.collect());
    }
    if !arg.is_hide_possible_values_set() && arg.get_action().takes_values() {
        let values = arg.get_possible_values();
        let shown = values.iter().filter(|value| !value.is_hide_set());
        add(
            "値",
            shown.map(|value| value.get_name().to_owned()).collect(),
        );
    }
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    let aliases = aliases.iter().map(|alias| format!("--{alias}"));
    add("別名", aliases.collect());
    if !arg.is_hide_env_set() {
        let variable = arg
            .get_env()
            .map(|name| name.to_string_lossy().into_owned());
        add("環境変数", variable.into_iter().collect());
    }
    Some((heading, wrap::lines(&help, WIDTH - INDENT)))
}

/// The option with this help, without what clap adds.
fn described(arg: Arg, heading: String, help: &str) -> Arg {
    arg.help(help.to_owned())
        .long_help(Resettable::Reset)
        // A heading lives as long as the declaration of the command; help is printed once.
        .help_heading(clap::builder::Str::from(heading))
        .hide_default_value(true)
        .hide_possible_values(true)
        .hide_env(true)
        .visible_alias(Resettable::Reset)
}

#[cfg(test)]
mod tests;
